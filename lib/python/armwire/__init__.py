"""Robot arms, exoskeleton joints and arm simulators from Python, by the tools of armwire.

    import armwire

    with armwire.open("hidmotor", "sim:") as arm:
        arm.move(m1=0, m2=45, m3=-30, duration="500ms", wait=True)
        for record in arm.watch("m2.position", n=3):
            print(record.m2.position)

Every command of the tool is a method: its arguments by place or by name, its options by name with True for
a switch, numbers or texts with a unit ("30deg"). It returns the result as a Record; a command that fails
raises an Error with exit_code and why. help(arm.move) and TAB in IPython know them all, from the tool.

Leaving the block, by an exception, too, stops what still moves; so does the end of the interpreter, however
it comes. Only one program can have the device open: 'TOOL serve' shares it, and all programs find that server.
"""
import builtins
import csv
import os
import signal
import subprocess
import tempfile
import weakref

from ._core import (Error, Face, LimitError, LinkLost, Malformed, NoAnswer, NoLink, Record, Refused, Stopped,
                    UsageError)

__all__ = ["open", "Arm", "Watch", "Record", "Error", "Refused", "UsageError", "NoAnswer", "NoLink", "Malformed",
           "LimitError", "LinkLost", "Stopped"]

END_S = 5  # a tool that has been told to end stops its device first


def open(tool, link=None, *, path=None, **options):  # noqa: A001 - as in open(FILE)
    """A device: tool "hidmotor", link "hid:", "sim:", "serve:" …; None: the tool's own, from its config
    file. path: the program. options: of the tool, as record="run.pcapng"."""
    return Arm(tool, link, path, options)


class Arm(Face):
    """A device that one process of a tool talks to; see open()."""

    def __init__(self, tool, link=None, path=None, options=None):
        self._process = None
        self._watching = lambda: None  # a Watch without references has ended
        super().__init__(tool, link, path, options or {})

    def _send(self, line, command):
        self._end_watch()
        if not self._process or self._process.poll() is not None:
            self._said = tempfile.TemporaryFile()
            self._process = subprocess.Popen(self.words(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             stderr=self._said)
        try:
            self._process.stdin.write(self.lines(line, command))
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # the tool has ended: its last words say why

    def _wait(self):
        """The result, which comes last."""
        for line in self._process.stdout:
            if result := self.take(line):
                return result
        code = self._process.wait()
        self._process = None
        raise self.ended(code, self._said)

    def run(self, line, command):
        """Carries a line out: {"cmd":…} or words. For what the methods do not do."""
        self._send(line, command)
        try:
            result = self._wait()
        except BaseException:
            if self._process:
                self._process.terminate()  # the wait for the motion has ended: stop it
            self.close()
            raise
        return self.conclude(result)

    def watch(self, *fields, **named):
        """Records as they come: n= so many, time_s=, where= a condition, for_= a time. Leaving it
        before its end closes the arm."""
        self._send(self._commands["watch"].line(fields, named), "watch")
        watch = Watch(self)
        self._watching = weakref.ref(watch)
        return watch

    def _end_watch(self):
        watch = self._watching()
        if watch:
            watch.close()

    def close(self):
        """Stops what still moves, and lets the device go."""
        self._end_watch()
        if not self._process:
            return
        process, self._process = self._process, None
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.wait()
        process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()

    def __del__(self):
        self.close()


class Watch:
    """An iterator of Records. Leaving the loop ends it, close() does, too."""

    def __init__(self, arm):
        self._arm = arm
        self._ended = False

    def __iter__(self):
        return self

    def __next__(self):
        arm = self._arm
        while arm._process and not self._ended:
            line = arm._process.stdout.readline()
            result = arm.take(line) if line else arm._wait()  # raises what the tool said at its end
            if arm.messages:
                return arm.messages.pop()
            if result:
                self._ended = True
                arm.conclude(result)
        raise StopIteration

    def to_csv(self, path):
        """Writes the records into a CSV file, joints as joint.field; returns how many."""
        rows = [flat(record) for record in self]
        names = list(dict.fromkeys(name for row in rows for name in row))
        with builtins.open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(rows)
        return len(rows)

    def close(self):
        """Ends it."""
        if self._arm._process and not self._ended:
            self._ended = True
            os.kill(self._arm._process.pid, signal.SIGINT)
            self._arm.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()

    def __del__(self):
        self.close()


def flat(record, before=""):
    """{"m1": {"position": 1}} as {"m1.position": 1}."""
    row = {}
    for name, value in record.items():
        if isinstance(value, dict):
            row.update(flat(value, f"{before}{name}."))
        else:
            row[before + name] = value
    return row
