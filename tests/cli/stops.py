"""Ends every tool during a motion in every possible way and measures on the wire how long the stop takes.

    stops.py kills FOLDER TOOL COUNT [--within MS] [OPTION…]
                                    kills COUNT times at random moments, also before a motion
    stops.py ways FOLDER TOOL COUNT [--within MS] [OPTION…]
                                    causes every ending COUNT times during a motion
    stops.py table FOLDER COUNT     prints the times as lines for `make bench`
    stops.py readme FILE            compares the table of endings in FILE with WAYS

Relays all messages between the tool and its simulator, causes the ending and notes when the stop arrives: within
10 ms in nine of ten cases, and within a second in all. No motion may follow, the device must come to rest, and
the exit status must match the ending. Waits for a processor do not count, because they depend on the machine.
With --within, all stops must arrive within MS, which requires an idle machine. OPTION is passed to the tool; with
--hold all checks must fail.

Prints a line for each failure, and finally the number of failures. Exit status 1 after any failure, or if too few
runs were moving. SEED repeats the random numbers.
"""
import atexit
import collections
import multiprocessing
import os
import pty
import random
import re
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from stops_tools import MOVES, STOPS, TOOLS, Front, Pulse, Waits, child_of

LANES = 4
WITHIN = 10.0, 1000.0  # ms, limits for nine of ten stops and for all
CONTINUES = 0.3  # s without a stop, after which the motion counts as continuing
NO_ANSWER, LOST = 3, 7  # exit statuses
WAIT = 60  # s, timeout for expected events
STARVED = 4  # max repetitions of a run that a busy machine delayed
HELD_UP = "telemetry stopped", "this program stalled"  # messages of a tool delayed by the machine

# ---- Processes -----------------------------------------------------------------------------------


class Plain:
    """A process with pipes."""

    def __init__(self, command, **streams):
        self.told = tempfile.TemporaryFile()
        null = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": self.told}
        self.process = subprocess.Popen(command, **{**null, **streams})
        self.pid = self.process.pid
        self.terminal = None

    @property
    def said(self):
        """Returns its standard error."""
        self.told.seek(0)
        return self.told.read()

    def status(self):
        """Returns the exit status as a shell does."""
        code = self.process.wait(WAIT)
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                stream.close()
        return 128 - code if code < 0 else code


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


class Script(Plain):
    """A tool started by a script, with neither a pipe nor a terminal."""

    def __init__(self, command, before):
        super().__init__(["sh", "-c", f"{before} {' '.join(command)}; true"])
        self.tool = None

    def kill(self):
        """Kills only the script."""
        self.tool = child_of(self.pid)
        self.process.kill()
        self.process.wait()

    def is_alive(self):
        return self.process.poll() is None or (self.tool and is_alive(self.tool))

    def status(self):
        """Returns None: the tool's exit status is not visible."""
        deadline = time.monotonic() + WAIT
        while is_alive(self.tool):
            if time.monotonic() > deadline:
                os.kill(self.tool, signal.SIGKILL)
                raise TimeoutError("the tool does not end")
            time.sleep(0.002)
        return None


class Terminal:
    """A process with its own terminal."""

    def __init__(self, command):
        self.said = b""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "dumb"
            # A closed terminal sends SIGCONT. It cancels the SIGSTOP that the leak checker waits
            # for, so both would wait forever.
            os.environ["ASAN_OPTIONS"] += ":detect_leaks=0"
            os.execvp(command[0], command)

    def write(self, text):
        os.write(self.terminal, text)

    def drain(self):
        try:
            self.said += os.read(self.terminal, 65536)
        except OSError:  # the process has ended
            os.close(self.terminal)
            self.terminal = None

    def status(self):
        if self.terminal is not None:
            os.close(self.terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


# ---- Endings -------------------------------------------------------------------------------------

# begin(run) starts run.program, end(run) causes the ending. status: expected exit status (a tuple: any of them;
# None: not visible). which: kind of motion, see stops_tools: "moving", "crashing", "scripted", "announced" or
# "endless"; "first": the first moving command, because delayed experiments end by themselves. silent: no stop is
# possible or needed. deaf: after the stop the tool receives nothing. at_once: ends after the first moving message.
Way = collections.namedtuple("Way", "begin end status which silent at_once deaf",
                             defaults=("moving", False, False, False))


def plainly(run):
    run.program = Plain(run.command)


def through_a_pipe(run):
    run.program = Plain(run.command, stdout=subprocess.PIPE)


def to_a_full_disk(run):
    with open("/dev/full", "wb") as full:
        run.program = Plain([*run.command[:1], "-j", *run.command[1:]], stdout=full)


def to_a_dead_terminal(run):
    """Simulates a terminal whose window or network hangs: a line fits only partly."""
    run.window = pty.openpty()
    os.set_blocking(run.window[1], False)
    for size in (4096, 1):
        try:
            while True:
                os.write(run.window[1], b"x" * size)
        except BlockingIOError:
            pass
    os.read(run.window[0], 100)
    os.set_blocking(run.window[1], True)
    run.program = Plain([*run.command[:1], "-v", *run.command[1:]], stdout=run.window[1],
                        stderr=run.window[1])


def from_a_shell(run):
    run.program = Terminal(["sh", "-c", " ".join(run.command) + "; true"])


def from_a_prompt(run):
    run.program = Terminal(run.tool_alone)
    run.program.write(run.line)


def from_a_script(run, *words):
    run.program = Plain([*run.tool_alone, *words], stdin=subprocess.PIPE)
    run.program.process.stdin.write(run.line)
    run.program.process.stdin.flush()


def from_a_file(run):
    from_a_script(run, "run", "/dev/stdin")


def end_input(run):
    run.program.process.stdin.close()


def from_a_writer(run):
    run.writer = subprocess.Popen(["sh", "-c", 'printf %s "$1"; exec sleep 60', "sh",
                                   run.line.decode()], stdout=subprocess.PIPE)
    run.program = Plain(run.tool_alone, stdin=run.writer.stdout)
    run.writer.stdout.close()


def from_a_program(before=""):
    def begin(run):
        run.program = Script(run.command, before)
    return begin


def with_a_recorder(run):
    run.program = Plain([*run.command, "--record", f"{run.tool.folder}/run{run.tool.number}.pcapng"])


def fill_disk(run):
    """Lets the next write end the program."""
    resource.prlimit(run.program.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
    run.from_next = True


def see_it_go_on(run):
    """Kills the script, which must not cause a stop; then ends the tool by a signal."""
    run.program.kill()
    if run.until(time.monotonic() + CONTINUES, lambda: run.stopped):
        run.wrong.append("stopped, but should have continued")
    run.stopped, run.ended = None, time.monotonic()
    os.kill(run.program.tool, signal.SIGTERM)


def interrupt_prompt(run):
    run.program.write(b"\x03")
    run.until(time.monotonic() + 2, lambda: run.stopped)
    run.program.write(b"quit\n")


def by_signal(*numbers, apart=0):
    def end(run):
        for number in numbers:
            os.kill(run.program.pid, number)
            time.sleep(apart)
    return end


def end_writer(run):
    run.writer.kill()
    run.writer.wait()


def say(text):
    def end(run):
        run.program.process.stdin.write(text)
        run.program.process.stdin.flush()
    return end


def number_of(name):
    return int(getattr(signal, f"SIG{name}"))


OTHERS = ("ALRM", "USR1", "USR2", "XCPU", "XFSZ", "VTALRM", "PROF", "IO", "PWR", "STKFLT", "RTMIN",
          "RTMAX")
CRASHES = ("SEGV", "BUS", "FPE", "ILL", "ABRT", "SYS", "TRAP")

WAYS = {
    "INT": Way(plainly, by_signal(signal.SIGINT), 130),
    "TERM": Way(plainly, by_signal(signal.SIGTERM), 143),
    "HUP": Way(plainly, by_signal(signal.SIGHUP), 129),
    "QUIT": Way(plainly, by_signal(signal.SIGQUIT), 131),
    # None of these requests an immediate exit. A closed window sends HUP from the shell and the
    # kernel, timeout(1) sends TERM twice, and a script interrupted by Ctrl-C sends TERM, too.
    "HUP, HUP": Way(plainly, by_signal(signal.SIGHUP, signal.SIGHUP, apart=5e-4), 129),
    # The second signal may arrive after the stop but before the exit.
    "INT, TERM": Way(plainly, by_signal(signal.SIGINT, signal.SIGTERM), (130, 143)),
    "TSTP": Way(plainly, by_signal(signal.SIGTSTP), 148),
    # SEGV arrives before the answer to the first motion, other crashes at a random moment.
    **{name: Way(plainly, by_signal(number_of(name)), 128 + number_of(name)) for name in (*OTHERS, *CRASHES[1:])},
    "SEGV": Way(plainly, by_signal(signal.SIGSEGV), 139, "crashing", at_once=True),
    "EPIPE": Way(through_a_pipe, lambda run: run.program.process.stdout.close(), 141),
    "dead terminal": Way(to_a_dead_terminal, by_signal(signal.SIGTERM), 143, "first"),
    "shell": Way(from_a_shell, by_signal(signal.SIGKILL), None),
    "script": Way(from_a_program(), lambda run: run.program.kill(), None),
    "nohup": Way(from_a_program("nohup"), see_it_go_on, None),
    "setsid": Way(from_a_program("setsid"), see_it_go_on, None),
    "record": Way(with_a_recorder, fill_disk, LOST, at_once=True),
    "unplug": Way(plainly, lambda run: run.unplug(), LOST, silent=True),
    "full": Way(to_a_full_disk, lambda run: None, LOST, "announced", True, True),
    "SEGV, later": Way(from_a_script, by_signal(signal.SIGSEGV), 139, "scripted", at_once=True),
    "EOF": Way(from_a_script, end_input, 0, "scripted"),
    "writer": Way(from_a_writer, end_writer, 0, "scripted"),
    "error": Way(from_a_script, say(b"nonsense\n"), 2, "scripted"),
    "prompt": Way(from_a_prompt, interrupt_prompt, 0, "scripted"),
    "quit": Way(from_a_prompt, lambda run: run.program.write(b"quit\n"), 0, "scripted"),
    "EOF, no answer": Way(from_a_script, end_input, NO_ANSWER, "endless", deaf=True),
    "run, no answer": Way(from_a_file, end_input, NO_ANSWER, "endless", deaf=True),
    "quit, no answer": Way(from_a_prompt, lambda run: run.program.write(b"quit\n"), NO_ANSWER,
                           "endless", deaf=True),
}
DEAF = tuple(name for name, way in WAYS.items() if way.deaf)
SIGNALS = ("INT", "TERM", "HUP")
MORE_SIGNALS = ("HUP, HUP", "INT, TERM", "QUIT", "TSTP")


def ways_of(tool):
    """Returns the endings to test. Datagram sockets cannot disconnect, so UDP has no "unplug"."""
    plug = () if tool.url.startswith("udp") else ("unplug",)
    disk = ("full",) if tool.announces else ()
    return (*SIGNALS, *MORE_SIGNALS, *OTHERS, *CRASHES, "EPIPE", "dead terminal", "shell", "script",
            "nohup", "setsid", "record", *plug, *disk, *tool.ended_by, *DEAF)


# ---- One run -------------------------------------------------------------------------------------


class Run:
    """Runs a tool from start to end on a wire that this program controls."""

    def __init__(self, lane, way, words):
        self.lane, self.tool, self.way = lane, lane.tool, way
        self.tool_alone = [lane.tool.name, "-q", *lane.options, "-l", lane.front.url]
        self.command = [*self.tool_alone, *words]
        self.line = " ".join(words).encode() + b"\n"
        self.window = ()
        self.program = self.writer = self.host = self.board = None
        self.moved = self.gone = self.from_next = False
        self.ended = self.stopped = self.by_itself = None  # time of the ending
        self.wrong = []
        self.tool.begin()
        self.way.begin(self)

    def waiters(self):
        shell = child_of(self.program.pid) if self.way.begin is from_a_shell else None
        simulator = self.lane.simulator.pid if self.lane.simulator else None
        return {pid for pid in ("self", self.program.pid, shell, simulator) if pid}

    def step(self, timeout):
        """Handles one event; returns at the deadline."""
        terminal = self.program.terminal
        wanted = [s for s in (self.host or self.lane.front.listener, self.board, terminal)
                  if s is not None]
        ready, _, _ = select.select(wanted, [], [], max(0, timeout))
        if terminal is not None and terminal in ready:
            self.program.drain()
        if self.host is None and self.lane.front.listener in ready:
            self.host = self.lane.front.accept()
            self.board = self.lane.board()
        elif self.host in ready:
            self.pass_down()
        if self.board in ready:
            self.pass_up()

    def receive(self, source):
        try:
            return source.recv(65536)
        except OSError:
            return b""

    def pass_down(self):
        data, now = self.receive(self.host), time.monotonic()
        if not data:
            self.gone = True
            return
        self.begin_to_count(now)
        for message in self.tool.take(data, host=True):
            self.note(self.tool.judge(message), now)
        if self.board:
            self.board.send(data)
        elif not (self.stopped and self.way.deaf) and (reply := self.tool.reply(data)):
            self.host.send(reply)

    def note(self, what, now):
        if what == MOVES:
            self.moved = True
            if self.stopped:
                self.wrong.append("moved after the stop")
        elif what == STOPS and not self.stopped:
            if self.ended:
                self.stopped = now
            else:
                self.by_itself = now

    def begin_to_count(self, now):
        if self.from_next:
            self.ended, self.from_next = now, False

    def pass_up(self):
        data = self.receive(self.board)
        self.begin_to_count(time.monotonic())
        if self.stopped and self.way.deaf:
            return
        messages = self.tool.take(data, host=False)
        for message in messages:
            self.tool.heard(message)
        if self.ended and self.way.deaf and self.tool.streams:
            # Bytes that may cross the stop. A single message proves nothing yet, several do.
            rest = self.tool.pending[False]
            data = data[:len(data) - len(rest) - sum(map(len, messages[1:]))] + rest
        try:
            self.host.send(data)
        except OSError:
            pass

    def until(self, deadline, reached=lambda: False):
        while not self.gone and not reached() and (left := deadline - time.monotonic()) > 0:
            self.step(left)
        return reached()

    def unplug(self):
        self.host.close()
        self.gone = True

    def end(self):
        """Ends the tool. Returns the time of the stop in ms without waits for processors, or None without a stop."""
        waits = Waits(self.waiters())
        self.ended = time.monotonic()
        self.way.end(self)
        over = lambda: self.stopped or (not self.moved and self.is_gone())
        self.until(self.ended + (2 if self.way.silent else WAIT), over)  # judge() checks the limit
        if not self.stopped:
            return None
        took = (self.stopped - self.ended) * 1e3
        return took, max(0, took - waits.ms())

    def await_exit(self):
        """Waits until a tool that lost its link has reported the reason and exited."""
        if self.gone and isinstance(self.program, Plain):
            self.program.process.wait(WAIT)

    def last_words(self):
        """Returns the output of a program that stopped by itself before its ending."""
        said = getattr(self.program, "said", b"").decode(errors="replace").split()
        return (" (there was one before it was ended)" if self.by_itself else "") + " ".join(["", *said])

    def is_gone(self):
        """Returns true if a program without a connection has ended."""
        if self.host is None and isinstance(self.program, Plain):
            self.step(0.005)
            return self.program.process.poll() is not None
        return self.gone

    def finish(self):
        """Runs until the program has ended and the device is at rest."""
        deadline = time.monotonic() + WAIT
        while not self.gone and self.alive() and time.monotonic() < deadline:
            self.step(0.02)
        status = self.program.status()
        while self.host and not self.gone and select.select([self.host], [], [], 0)[0]:
            self.pass_down()
        allowed = self.way.status
        if allowed is not None and status not in (allowed if isinstance(allowed, tuple) else (allowed,)):
            self.wrong.append(f"exit status {status}")
        if self.board and self.moved and not self.wrong and not self.way.silent:
            self.wrong += self.tool.rests(self.board)
        for end in (self.host, self.board):
            if end:
                end.close()
        for end in self.window:
            os.close(end)
        if self.writer and self.writer.poll() is None:
            end_writer(self)

    def alive(self):
        if isinstance(self.program, Script):
            return self.program.is_alive()
        if isinstance(self.program, Plain):
            return self.program.process.poll() is None
        return self.program.terminal is not None


# ---- Many runs -----------------------------------------------------------------------------------


class Lane:
    """A simulator and the events on its wire, for one thread."""

    def __init__(self, name, number, folder, options, seed, within):
        self.within = within
        self.random = random.Random(seed * 100 + number)
        self.tool = TOOLS[name](folder, number)
        self.options = [*self.tool.options, *options]
        self.front = Front(self.tool)
        self.pulse = Pulse()
        self.simulator = self.ready = None
        self.problems, self.times, self.under_way, self.turn = [], [], 0, 0

    def __enter__(self):
        if self.tool.simulator:
            path = f"{self.tool.folder}/board{self.tool.number}"
            self.simulator = subprocess.Popen(
                [word.format(path=path) for word in self.tool.simulator],
                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            atexit.register(self.simulator.kill)  # in case the thread fails
            self.ready = self.simulator.stderr.readline().split()[1]
        return self

    def __exit__(self, *_):
        if self.simulator:
            self.simulator.terminate()
            self.simulator.communicate()

    def board(self):
        return self.front.connect(self.ready) if self.ready else None

    def settle(self, *words):
        """Runs a command to its end."""
        for _ in range(STARVED):
            stood = self.pulse.stood
            run = Run(self, Way(plainly, None, None, silent=True), words)
            run.until(time.monotonic() + WAIT, lambda: not run.alive())
            run.finish()
            if run.program.process.returncode == 0 or self.pulse.stood == stood:
                break
        return run.program.process.returncode

    def words(self, way):
        self.turn += 1
        if way.which == "first":
            return self.tool.moving[0]
        words = getattr(self.tool, way.which) or self.tool.scripted
        return words[self.turn % len(words)] if way.which in ("moving", "crashing") else words

    def under(self, name, moment, early=False):
        """Runs once and ends the tool this many seconds after the motion starts (early: after the program
        starts). Discards runs that a busy machine delayed."""
        for _ in range(STARVED):
            stood = self.pulse.stood
            outcome = self.once(name, moment, early)
            if self.pulse.stood == stood:
                break
        self.judge(*outcome)

    def once(self, name, moment, early):
        """Runs once; returns the arguments of judge."""
        self.tool.settle(self.settle)
        way = WAYS[name]
        for _ in range(STARVED):
            run = Run(self, way, self.words(way))
            if early or name == "full" or run.until(time.monotonic() + WAIT, lambda: run.moved):
                break
            run.await_exit()
            if not any(held_up in run.last_words() for held_up in HELD_UP):
                run.wrong.append("never moved")
                break
            run.end()
            run.finish()
        run.until(time.monotonic() + (0 if way.at_once else moment))
        moved = run.moved
        took = run.end()
        run.finish()
        return run, name, moved, took

    def judge(self, run, name, moved, took):
        self.under_way += moved
        if took:
            self.times.append((name, *took))
        if took and took[1] > self.within[1]:
            run.wrong.append(f"stop after {took[0]:.1f} ms, {took[1]:.1f} ms without the waiting")
        held_up = any(text in run.last_words() for text in HELD_UP)  # the tool had already stopped
        if not took and run.moved and not run.way.silent and not held_up:
            run.wrong.append("no stop")
        if name == "full" and run.moved:
            run.wrong.append("moved though its output cannot be written")
        if run.wrong:
            self.problems.append(f"{run.command[0]}, {name}: {run.line.decode()[:20].strip()}: "
                                 + ", ".join(run.wrong[:3]) + run.last_words())


def run_lane(arguments):
    plan, *rest = arguments
    lane = Lane(*rest)
    try:
        with lane:
            for number, way in enumerate(plan):
                early = way in KILLS and number % 3 == 2
                latest = lane.tool.latest if early else 0.2 if way in KILLS else 0.04
                lane.under(way.rstrip("*"), lane.random.uniform(0, latest), early)
    except Exception as error:  # reports a failure of the thread
        lane.problems.append(f"{lane.tool.name}, lane {lane.tool.number}: {error!r}")
    return lane.under_way, lane.times, lane.problems


KILLS = ("INT*", "TERM*", "HUP*", "shell*")  # two of three at a random moment of the motion


def plan_of(mode, tool, count, rng):
    if mode == "kills":
        return ["shell*" if i % 5 == 4 else rng.choice(KILLS[:3]) for i in range(count)]
    return [way for way in ways_of(tool) for _ in range(count)]


def run_all(mode, folder, name, count, options, seed, within=WITHIN, lanes=LANES, only=()):
    plan = [way for way in plan_of(mode, TOOLS[name], count, random.Random(seed))
            if not only or way in only]
    shares = [(plan[i::lanes], name, i, folder, options, seed, within) for i in range(lanes)]
    with multiprocessing.get_context("fork").Pool(lanes) as pool:
        results = pool.map(run_lane, shares, chunksize=1)
    under_way = sum(result[0] for result in results)
    times = [time for result in results for time in result[1]]
    problems = [problem for result in results for problem in result[2]]
    return len(plan), under_way, times, problems


def at(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def summary(values):
    return (f"P50 {at(values, 0.5):.2f}, P99 {at(values, 0.99):.2f}, max {max(values):.2f} ms")


def check(mode, folder, name, count, options, seed):
    within = WITHIN
    if options[:1] == ["--within"]:
        within, options = (float(options[1]),) * 2, options[2:]
    ended, under_way, times, problems = run_all(mode, folder, name, count, options, seed, within)
    if times and at([took for _, _, took in times], 0.9) > within[0]:
        problems.append(f"{name}: more than one of ten later than {within[0]:g} ms")
    print(*problems, sep="\n")
    if times:
        print(f"stop after {summary([took for _, _, took in times])}")
    print(f"{name}: {ended} ended, {under_way} under way, {len(times)} stopped, {len(problems)} wrong, "
          f"SEED={seed}")
    return not problems and under_way >= ended // 3


def table(folder, count):
    """Measures wall-clock time with one thread, so that the tool has a processor of its own."""
    for name, tool in TOOLS.items():
        groups = {"INT, TERM, HUP": SIGNALS, "pipe, shell, script": [
            way for way in ways_of(tool)
            if way in ("EPIPE", "shell", *tool.ended_by)]}
        wanted = [way for ways in groups.values() for way in ways]
        _, _, times, problems = run_all("ways", folder, name, count, [], 1, lanes=1, only=wanted)
        print(*problems, sep="\n", end="", file=sys.stderr)
        for title, ways in groups.items():
            took = [raw for way, raw, _ in times if way in ways] or [float("inf")]
            print(f"stop: {name}, {title}", f"{at(took, 0.5):.3f}", f"{max(took):.3f}", len(took), len(problems), sep="\t")


def told_in(path):
    """Returns the rows of the table of endings: (names, event, exit codes)."""
    with open(path, encoding="utf-8") as file:
        text = file.read().split("| the tool |")[1].split("\n\n")[0]
    for line in text.split("\n")[2:]:
        _, happens, codes, ways = (cell.strip() for cell in line.strip("|").split("|"))
        yield re.findall(r"`([^`]*)`", ways), happens, codes


def expected(names, codes):
    """Returns the exit status in the row: one, several or None."""
    if codes.startswith("128 +"):
        return [128 + number_of(name) for name in names]
    told = [tuple(map(int, re.findall(r"\d+", code))) for code in codes.split(",")]
    told = [code[0] if len(code) == 1 else code or None for code in told]
    return told * len(names) if len(told) == 1 else told


def readme(path):
    wrong, seen = [], []
    for names, happens, codes in told_in(path):
        told = expected(names, codes)
        if len(told) != len(names):
            wrong.append(f"{names}: {len(told)} exit codes")
        for name, status in zip(names, told):
            seen.append(name)
            if name not in WAYS:
                wrong.append(f"{name}: is not tested")
            elif WAYS[name].status != status:
                wrong.append(f"{name}: exit {status}, but tested is {WAYS[name].status}")
            elif WAYS[name].silent != happens.startswith("no motion"):
                wrong.append(f"{name}: '{happens}' is not what is tested")
    wrong += [f"{name}: stands there {seen.count(name)} times" for name in WAYS
              if seen.count(name) != 1]
    tried = {way for tool in TOOLS.values() for way in ways_of(tool)}
    wrong += [f"{name}: is tried with no tool" for name in WAYS if name not in tried]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


def main():
    mode, folder = sys.argv[1:3]
    if mode == "readme":
        return readme(folder)
    # Crashes must end the program as usual, without core files.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["ASAN_OPTIONS"] = ":".join(filter(None, (
        os.environ.get("ASAN_OPTIONS"), *(f"handle_{kind}=0" for kind in (
            "segv", "sigbus", "sigfpe", "sigill", "abort", "sigtrap")))))
    seed = int(os.environ.get("SEED", "0")) or random.randrange(1, 1 << 30)
    folder = tempfile.mkdtemp(dir=folder)
    if mode == "table":
        table(folder, int(sys.argv[3]))
        return 0
    name, count, *options = sys.argv[3:]
    return 0 if check(mode, folder, name, int(count), options, seed) else 1


sys.exit(main())
