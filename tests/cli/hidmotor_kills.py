"""Ends motions at random moments, and measures at the simulator's side when the arm was held.

hidmotor_kills.py KILLS FOLDER [OPTION…]: each of six simulators of its own lives through a sixth of
them; the options are for hidmotor. Between hidmotor and its simulator stands this program, which
passes every report on, sends the signal, and notes when the report comes that holds the arm: a
set_setpoints with duration 0 to positions that the board has just reported. It has to come within
10 ms of the signal. What the kernel let a process wait for a processor does not count: on a busy
machine that says nothing about hidmotor. Afterwards the exit status must be that of the signal, and
the setpoints must stay where the arm was held.

One in five times it is not hidmotor that gets the signal but, SIGKILL, the shell of its terminal.
Prints one line per failure and at the end how many there were; exit status 1 if there was any, or if
too few motions were under way to prove anything. SEED repeats the random numbers.
"""
import math
import multiprocessing
import os
import pty
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import time

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
OPTIONS = sys.argv[3:]
LANES = 6
LATEST = 0.7  # s after the start; a motion takes one
HELD_WITHIN = 10.0  # ms
FRESH = 0.25  # s: how old a measured position may be that the arm is held at
TOLERANCE = 0.01  # deg
LIMITS = ((-90, 90), (-45, 100), (-90, 63))
POSES = ((-60, 60, 40), (60, 0, -60))
SET_SETPOINTS, POSITIONS = 1848, 1910


def floats(report):
    return struct.unpack("<I15f", report)


def waited_for_processor(pid):
    """In ms, ever; a process that is gone waits no more."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e6
    except (OSError, IndexError):
        return math.nan


def child_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        children = file.read().split()
    return int(children[0]) if children else None


class Lane:
    def __init__(self, number, kills, folder, seed):
        self.random = random.Random(seed * 100 + number)
        self.number, self.kills, self.folder = number, kills, folder
        self.under_way, self.latencies, self.problems = 0, [], []
        self.path, self.board_path = f"{folder}/arm{number}", f"{folder}/board{number}"
        self.sim = self.board = self.listener = None

    def run(self):
        self.sim = subprocess.Popen(["hidmotor", "sim", "--listen", f"unix-listen:{self.board_path}"],
                                    stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            assert self.sim.stderr.readline().startswith("ready: ")
            self.board = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self.board.connect(self.board_path)
            self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self.listener.bind(self.path)
            self.listener.listen(1)
            self.write_waypoints()
            for i in range(self.kills):
                self.kill(i)
        except Exception as error:  # a lane must not end in silence
            self.problems.append(f"lane {self.number}: {error!r}")
        finally:
            self.sim.terminate()
            self.sim.communicate()
        return self.under_way, self.latencies, self.problems

    def write_waypoints(self):
        for k, (a, b) in enumerate((POSES, POSES[::-1])):
            with open(f"{self.folder}/way{self.number}-{k}.csv", "w", encoding="ascii") as file:
                for t, share in ((0, 0.4), (0.5, 0.5), (1.5, 1)):
                    pose = [x + (y - x) * share for x, y in zip(a, b)]
                    file.write(f"{t},{pose[0]},{pose[1]},{pose[2]}\n")

    def words(self, i):
        if i % 4 == 3:
            return ["play", f"{self.folder}/way{self.number}-{i // 4 % 2}.csv"]
        return ["move", *(str(x) for x in POSES[i % 2]), "--wait"]

    def start(self, i, shell):
        command = ["hidmotor", "-q", *OPTIONS, "-l", f"unix:{self.path}", *self.words(i)]
        if not shell:
            run = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
            return run, run.pid, None
        pid, terminal = pty.fork()
        if pid == 0:
            os.execvp("sh", ["sh", "-c", " ".join(command) + "; true"])
        return None, pid, terminal

    def kill(self, i):
        shell = i % 5 == 4
        number = signal.SIGKILL if shell else self.random.choice(SIGNALS)
        delay = self.random.uniform(0, LATEST)
        run, pid, terminal = self.start(i, shell)
        talk = Talk(self)
        talk.until(time.monotonic() + delay)
        moving = talk.commands > 0
        wrong = talk.signal(pid, number, shell, moving)
        talk.until_closed()
        if shell:
            os.waitpid(pid, 0)
            os.close(terminal)
        elif (status := run.wait(timeout=20)) not in (-number, 128 + number):
            wrong.append(f"exit status {status}")
        if talk.commands and talk.held is None and not wrong:
            wrong.append("a command went out after the signal, and the arm is not held")
        if talk.held and not wrong:
            wrong += self.rests(talk.held)
        self.under_way += moving
        if talk.latency is not None:
            self.latencies.append(talk.latency)
        if wrong:
            self.problems.append(f"{self.words(i)[0]} {number.name} after {delay * 1e3:.0f} ms: "
                                 + ", ".join(wrong))

    def ask(self):
        self.board.send(struct.pack("<I60x", POSITIONS))
        while True:
            reply = floats(self.board.recv(64))
            if reply[0] == POSITIONS:
                return reply[2:8:2], reply[3:9:2]

    def rests(self, held):
        """The setpoints stay, and the arm comes to rest there."""
        deadline = time.monotonic() + 5
        while True:
            setpoints, positions = self.ask()
            if any(abs(s - h) > TOLERANCE for s, h in zip(setpoints, held)):
                return [f"held at {held}, but the setpoints are {setpoints}"]
            if all(abs(p - s) < 3 for p, s in zip(positions, setpoints)):
                return []
            if time.monotonic() > deadline:
                return [f"held at {held}, but the arm is at {positions}"]


class Talk:
    """One run of hidmotor, from its connection to its end: passes reports on."""

    def __init__(self, lane):
        self.lane, self.host = lane, None
        self.commands, self.measured = 0, []
        self.signalled = self.held = self.latency = None
        self.closed = False

    def step(self, timeout):
        """One event, or the time is over."""
        wanted = [self.lane.board, self.host or self.lane.listener]
        ready, _, _ = select.select(wanted, [], [], max(0, timeout))
        now = time.monotonic()
        if self.lane.listener in ready:
            self.host, _ = self.lane.listener.accept()
        elif self.host in ready:
            self.pass_down(now)
        if self.lane.board in ready:
            self.pass_up(now)

    def pass_down(self, now):
        try:
            report = self.host.recv(64)
        except ConnectionResetError:
            report = b""
        if not report:
            self.closed = True
            return
        if floats(report)[0] == SET_SETPOINTS:
            self.commands += 1
            if self.signalled:
                self.note_command(report, now)
        self.lane.board.send(report)

    def note_command(self, report, now):
        duration, _, *targets = floats(report)[1:6]
        if duration != 0:
            self.held = None
        elif self.held is None:
            self.held = tuple(targets)
            self.latency = (now - self.signalled) * 1e3

    def pass_up(self, now):
        report = self.lane.board.recv(64)
        if floats(report)[0] == POSITIONS:
            self.measured.append((now, floats(report)[3:9:2]))
        if self.host and not self.closed:
            try:
                self.host.send(report)
            except OSError:
                pass

    def until(self, deadline):
        while (left := deadline - time.monotonic()) > 0 and not self.closed:
            self.step(left)

    def until_closed(self):
        deadline = time.monotonic() + 20
        while not self.closed and (self.host or time.monotonic() < deadline - 19):
            self.step(0.1)
            if time.monotonic() > deadline:
                raise TimeoutError("it does not end")
        if self.host:
            self.host.close()

    def signal(self, pid, number, shell, moving):
        """What was wrong."""
        waiters = {"self", pid, child_of(pid) if shell else pid}
        before = sum(map(waited_for_processor, waiters))
        self.signalled = time.monotonic()
        os.kill(pid, number)
        while not self.closed and self.held is None and time.monotonic() < self.signalled + 2:
            self.step(0.1 if self.host else 0.01)
            if not self.host and not moving:
                return []
        waited = sum(map(waited_for_processor, waiters)) - before
        if not moving:
            return []
        if self.held is None:
            return ["the arm is not held"]
        if not math.isnan(waited):
            self.latency -= waited
        wrong = []
        if self.latency > HELD_WITHIN:
            wrong.append(f"held after {self.latency:.1f} ms ({waited:.1f} ms without processor)")
        if not self.just_measured():
            wrong.append(f"held at {self.held}, which was not measured")
        return wrong

    def just_measured(self):
        for at, pose in self.measured:
            pose = [min(max(deg, low), high) for deg, (low, high) in zip(pose, LIMITS)]
            if at > self.signalled - FRESH and all(
                    abs(a - b) < TOLERANCE for a, b in zip(pose, self.held)):
                return True
        return False


def run_lane(arguments):
    return Lane(*arguments).run()


def main():
    kills, folder = int(sys.argv[1]), sys.argv[2]
    seed = int(os.environ.get("SEED", "0")) or random.randrange(1, 1 << 30)
    shares = [(i, (kills + LANES - 1 - i) // LANES, folder, seed) for i in range(LANES)]
    with multiprocessing.get_context("fork").Pool(LANES) as pool:
        results = pool.map(run_lane, shares, chunksize=1)
    under_way = sum(result[0] for result in results)
    latencies = sorted(latency for result in results for latency in result[1])
    problems = [problem for result in results for problem in result[2]]
    print(*problems, sep="\n")
    if latencies:
        print(f"held after {latencies[len(latencies) // 2]:.2f} ms (median), "
              f"{latencies[-1]:.2f} ms (longest)")
    print(f"{kills} ended, {under_way} under way, {len(problems)} wrong, SEED={seed}")
    sys.exit(bool(problems) or under_way < kills // 2)


main()
