"""Drives robot arms, exoskeleton joints and arm simulators from Python, using the tools of armwire.

    import armwire

    with armwire.open("hidmotor", "sim:") as arm:
        arm.move(m1=0, m2=45, m3=-30, duration="500ms", wait=True)
        for record in arm.watch("m2.position", n=3):
            print(record.m2.position)

Every command of the tool is a method. Pass arguments by position or by name, and options by name: True sets
a switch. Values are numbers, or strings with a unit ("30deg"). A method returns the result as a Record. If the
command fails, it raises an Error with exit_code and why. help(arm.move) and TAB in IPython show all methods.

Leaving the block stops any motion, even after an exception. So does the end of the interpreter.
Only one program can open the device. Run 'TOOL serve' to share it; all other programs find that server.
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

END_S = 5  # max wait: a tool stops its device before it exits


def open(tool, link=None, *, path=None, **options):  # noqa: A001 - as in open(FILE)
    """Opens a device with a tool such as "hidmotor". link: "hid:", "sim:", "serve:" …; None: the link in the
    tool's config file. path: the tool's program; None: searches for it. options: of the tool, record="run.pcapng"."""
    return Arm(tool, link, path, options)


class Arm(Face):
    """A device, driven by one process of a tool; see open()."""

    def __init__(self, tool, link=None, path=None, options=None):
        self._process = None
        self._watching = lambda: None  # a Watch without references has been closed
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
            pass  # the tool exited: its last message is the reason

    def _wait(self):
        """Waits for the result, which follows all other records."""
        for line in self._process.stdout:
            if result := self.take(line):
                return result
        code = self._process.wait()
        self._process = None
        raise self.ended(code, self._said)

    def run(self, line, command):
        """Runs a line, {"cmd":…} or plain words, for calls that the methods do not cover."""
        self._send(line, command)
        try:
            result = self._wait()
        except BaseException:
            if self._process:
                self._process.terminate()  # the wait was interrupted: stop the motion
            self.close()
            raise
        return self.conclude(result)

    def watch(self, *fields, **named):
        """Iterates over records as they arrive. n= limits their number, for_= the time; where= is a
        condition. Leaving the loop early closes the arm."""
        self._send(self._commands["watch"].line(fields, named), "watch")
        watch = Watch(self)
        self._watching = weakref.ref(watch)
        return watch

    def _end_watch(self):
        watch = self._watching()
        if watch:
            watch.close()

    def close(self):
        """Stops any motion and releases the device."""
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
    """Iterates over Records. Leaving the loop or calling close() ends the iteration."""

    def __init__(self, arm):
        self._arm = arm
        self._ended = False

    def __iter__(self):
        return self

    def __next__(self):
        arm = self._arm
        while arm._process and not self._ended:
            line = arm._process.stdout.readline()
            result = arm.take(line) if line else arm._wait()  # raises the last error of the tool
            if arm.messages:
                return arm.messages.pop()
            if result:
                self._ended = True
                arm.conclude(result)
        raise StopIteration

    def to_csv(self, path):
        """Writes the records to a CSV file, with columns such as joint.field; returns their number."""
        rows = [flat(record) for record in self]
        names = list(dict.fromkeys(name for row in rows for name in row))
        with builtins.open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(rows)
        return len(rows)

    def close(self):
        """Ends the watch and closes the arm."""
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
    """Flattens {"m1": {"position": 1}} to {"m1.position": 1}."""
    row = {}
    for name, value in record.items():
        if isinstance(value, dict):
            row.update(flat(value, f"{before}{name}."))
        else:
            row[before + name] = value
    return row
