"""Ends the lease holder of a served device in every possible way. Checks on the wire that the stop arrives, how
long it takes, and that nothing moves until another command.

    serve_kills.py FOLDER TOOL COUNT [--within MS] [--deadman MS] [--queue N,…] [--frames N,…] [--load N] [WAY…]
    serve_kills.py table FILE       compares the table of endings in FILE with WAYS

Relays all messages between the server and its simulator and notes the time of the stop and any motion after it.
TOOL may be "all". WAY is a key of WAYS, by default each one without an MQTT broker; the others need mosquitto.
If this machine stalls during a run, the run is repeated up to STOOD_STILL times. SEED repeats the random numbers.

--within: max time from the detection of the ending (after the dead-man time or the search for a lost device) to
the stop. Excludes waits for a processor and the time in which a killed server exits, because both depend on the
machine.
--deadman 0: silence is not detected; stop and cut fail.
--queue N: the commander's script has N pending motions; none of them may start.
--frames N: N more frames wait unread in the server, which is suspended until the commander has ended. None of
them may be sent after the stop. Real clients send one frame at a time, so exit status and reason are not checked.
--load N: N busy processes and N reading clients run at the same time.

If the server is killed, its commander must end within 10 ms (plus --within). Prints a line for each ending, with
and without waits, and for each failure a line with the last messages. Exit status 1 after any failure.
"""
import collections
import itertools
import os
import random
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from serve_client import FROM_CLIENT, HEAD, Client
from stops_tools import MOVES, STOPS, TOOLS, Front, Pulse, Waits, children

# status: exit status of the commander (None: unknown). told: message to other clients (None: their connection
# ends; False: none, because the commander stops by itself). found: how the ending is detected. goes_on: no stop.
Way = collections.namedtuple("Way", "status told found goes_on", defaults=("at once", False))
GONE, SILENT, STOPPED = "the lease holder disconnected", "the lease holder sent nothing for", "stopped by"

WAYS = {
    "left": Way(0, None, goes_on=True),
    "kill": Way(None, GONE),
    "stop": Way(None, SILENT, "dead-man"),
    "cut": Way(None, SILENT, "dead-man"),
    "stranger": Way(3, STOPPED),
    "own": Way(None, STOPPED),
    "take": Way(3, "has taken over"),
    "device": Way(7, "device disconnected", "search"),
    "end": Way(7, "the server was shut down"),
    "server": Way(7, None),
    "watchdog": Way(7, None),
    "freeze": Way(6, "the server stalled", "dead-man"),
    "mqtt-silent": Way(None, False, "dead-man"),
    "broker": Way(None, False),
    "broker-stop": Way(None, False, "dead-man"),
    "gateway": Way(None, False),
    "gateway-stop": Way(None, False, "dead-man"),
}
BY_MQTT = ("mqtt-silent", "broker", "broker-stop", "gateway", "gateway-stop")
SEARCH = 1000  # ms, limit for finding a device that returned

QUIET = 0.12  # s after the stop, in which no motion may follow
WAIT = 60  # s, timeout for expected events
NO_STOP = 2  # s without waits for processors, after which the stop counts as missing
JUST_BEFORE = 0.05  # s, in which the end of a motion and the start of the next may cross the stop
CONTINUES = 0.4  # s without a stop, after which the motion counts as continuing
STOOD_STILL = 5  # max repetitions of a run in which this machine stalled
ARRIVES = 0.01  # s, time for the commander's end to reach a suspended server


def ready(process):
    """Returns the URL of the first line "ready: URL"."""
    line = process.stderr.readline().decode()
    while line and "ready: " not in line:
        line = process.stderr.readline().decode()
    return line.rsplit(" ", 1)[-1].strip()


def named(pids, name):
    """Returns the ids of the processes that run this program."""
    found = []
    for pid in pids:
        try:
            with open(f"/proc/{pid}/comm", encoding="ascii") as file:
                if file.read().strip() == name:
                    found.append(pid)
        except OSError:  # the process has ended
            pass
    return found


class Broker:
    """Starts mosquitto on its own port."""

    def __init__(self, folder):
        with socket.create_server(("127.0.0.1", 0)) as any_port:
            self.port = any_port.getsockname()[1]
        path = f"{folder}/broker.conf"
        with open(path, "w", encoding="ascii") as file:
            file.write(f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\n")
        self.process = subprocess.Popen(["mosquitto", "-c", path], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"mqtt://127.0.0.1:{self.port}/arm"
        end = time.monotonic() + WAIT
        while not self.listens() and time.monotonic() < end:
            time.sleep(0.01)

    def listens(self):
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
            return True
        except OSError:
            return False


class Relay:
    """A relay to a socket. After a cut it accepts and discards data. It can repeat the commander's last frame."""

    def __init__(self, path, ending):
        """ending: SHUT_RDWR if one closed connection also closes the other."""
        self.to, self.path, self.ending = path, path + ".relay", ending
        self.sent = {}  # bytes of an incomplete message, by the server's socket
        self.frame = self.moving = None  # the server's socket and the last frame
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        self.ends = {}
        self.cut = False

    def sockets(self):
        if self.cut:
            return []
        # A suspended commander reads nothing.
        return [self.listener, *(end for end, other in self.ends.items() if select.select([], [other], [], 0)[1])]

    def step(self, ready_ones):
        for end in ready_ones:
            if end is self.listener:
                near, far = end.accept()[0], socket.socket(socket.AF_UNIX)
                far.connect(self.to)
                self.ends.update({near: far, far: near})
                self.sent[far] = b""
            elif end in self.ends:
                if not self.forward(end, self.ends[end]):
                    self.end(self.ends.pop(end))

    def forward(self, end, other):
        """Returns false at the end of the connection."""
        try:
            data = end.recv(65536)
            self.note_frame(other, data)
            other.sendall(data)
            return bool(data)
        except OSError:
            return False

    def note_frame(self, to, data):
        """Stores the last frame sent to the server."""
        if to not in self.sent:
            return
        data = self.sent[to] + data
        while len(data) >= HEAD.size and len(data) >= (size := HEAD.unpack_from(data)[0]):
            if HEAD.unpack_from(data)[2] == FROM_CLIENT["FRAME"]:
                self.frame = to, data[:size]
            data = data[size:]
        self.sent[to] = data

    def repeat(self, count):
        """Sends the last moving frame again, count times."""
        to, frame = self.moving
        assert not self.sent[to]
        to.sendall(frame * count)

    def end(self, other):
        try:
            other.shutdown(self.ending)
        except OSError:  # the server has ended, too
            pass

    def close(self):
        for end in {*self.ends, *self.ends.values(), self.listener}:
            end.close()
        os.unlink(self.path)


class Run:
    """A server with its simulator, and a commander that is ended."""
    patience = 10  # ms, max time for the commander to end after its server

    def __init__(self, tool, front, way, deadman, chance, pending, load=0):
        self.tool, self.front, self.way, self.chance = tool, front, way, chance
        self.queue, self.frames = pending
        self.left = None  # number of frames sent before the stop
        self.moved = self.stopped = self.ended = self.host = self.board = self.relay = None
        self.lost = False  # the host lost the device
        self.after = 0  # moving frames after the expected last one
        self.again = False  # the next motion started just as the previous one ended
        self.watched, self.over = {}, {}  # processes by descriptor, and their end times
        self.wrong, self.last = [], collections.deque(maxlen=6)
        self.broker = Broker(tool.folder) if way in BY_MQTT else None
        self.gateway, self.signed = None, 0
        tool.begin()
        self.path = f"{tool.folder}/serve{tool.number}"
        self.simulator = self.start_simulator()
        self.base = [tool.name, "-q", *tool.options]
        self.server = subprocess.Popen(
            [*self.base, "-l", front.url, "--deadman", f"{deadman}ms", "serve", "--listen", f"unix:{self.path}"],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        os.set_blocking(self.server.stderr.fileno(), False)
        self.said = b""
        self.until(time.monotonic() + WAIT, lambda: b"ready: " in self.said and self.said.endswith(b"\n"))
        self.commander = self.raw = None
        self.complaints = tempfile.TemporaryFile()  # stderr of the commander
        self.looker = Client(self.path)
        self.readers = [subprocess.Popen([*self.base, "-l", f"serve:{self.path}", "watch", "-j"],
                                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL) for _ in range(load)]
        self.begin(deadman)

    def start_simulator(self):
        if self.tool.simulator is None:
            return None
        board = f"{self.tool.folder}/board{self.tool.number}"
        if os.path.exists(board):
            os.unlink(board)
        command = [part.format(path=board) for part in self.tool.simulator]
        simulator = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE)
        self.at = ready(simulator)
        return simulator

    def run(self, *words):
        """Runs a first command; repeats it if a busy machine delayed the client or server."""
        for _ in range(5):
            process = subprocess.Popen([*self.base, "-l", f"serve:{self.path}", *words],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            self.until(time.monotonic() + WAIT, lambda: process.poll() is not None)
            self.moved = None
            if process.wait() not in (3, 6):
                break
        return process.returncode

    def begin(self, deadman):
        self.tool.settle(self.run)
        comes_back = "EOF" in self.tool.ended_by and self.chance.random() < 0.5
        lasting = [words for words in self.tool.moving if self.tool.name != "ezphys" or words[0] != "step"]
        words = self.tool.scripted if comes_back else self.chance.choice(lasting)
        if self.way == "left":
            words, comes_back = self.tool.left, False
        if self.way == "own":
            words, comes_back = self.tool.scripted, True
        if self.broker and "/" in "".join(words):
            words = self.tool.scripted
        lines = (" ".join(words) + "\n").encode() * (1 + self.queue)
        if self.broker:
            self.begin_by_broker(lines, deadman)
            return
        url = f"serve:{self.path}"
        if self.way == "cut" or self.frames:
            self.relay = Relay(self.path, socket.SHUT_RDWR if self.way == "kill" else socket.SHUT_WR)
            url = f"serve:{self.relay.path}"
        command = [*self.base, "-l", url]
        nowhere = {"stdout": subprocess.DEVNULL, "stderr": self.complaints}
        if not comes_back and not self.queue or self.way == "left":
            self.commander = subprocess.Popen([*command, *words], stdin=subprocess.DEVNULL, **nowhere)
            return
        # The script's writer stays open, so its motion continues.
        self.commander = subprocess.Popen(command, stdin=subprocess.PIPE, **nowhere)
        self.commander.stdin.write(lines)
        self.commander.stdin.flush()

    def begin_by_broker(self, lines, deadman):
        """Makes the commander a client of the broker that sends empty messages as signs of life."""
        self.gateway = subprocess.Popen(
            ["armwire-mqtt", self.broker.url, "--", *self.base, "--deadman", f"{deadman}ms", "-l", f"serve:{self.path}"],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        ready(self.gateway)
        self.commander = subprocess.Popen(
            ["mosquitto_pub", "-V", "5", "-p", str(self.broker.port), "-t", "arm/me/cmd", "-q", "2", "-l"],
            stdin=subprocess.PIPE, stderr=self.complaints)
        self.commander.stdin.write(lines)
        self.signed = time.monotonic()

    def sign(self):
        if self.signed and time.monotonic() > self.signed + 0.03:
            self.commander.stdin.write(b"\n")
            self.commander.stdin.flush()
            self.signed = time.monotonic()

    # ---- The wire ----

    def step(self, timeout):
        self.sign()
        sources = [s for s in (self.host or self.front.listener, self.board) if s is not None]
        errors = [self.server.stderr] if self.server.stderr and not self.server.stderr.closed else []
        relayed = self.relay.sockets() if self.relay else []
        found, _, _ = select.select([*sources, *relayed, *errors, *self.watched], [], [], max(0, timeout))
        for end in self.watched.keys() & set(found):
            self.over[self.watched.pop(end)] = time.monotonic()
            os.close(end)
        if errors and self.server.stderr in found:
            data = self.server.stderr.read()
            self.said += data or b""
            if data == b"":
                self.server.stderr.close()
        if self.host is None and self.front.listener in found:
            self.host = self.front.accept()
            if self.simulator and not self.board:
                self.board = self.front.connect(self.at)
        elif self.host in found:
            self.pass_down()
        if self.board in found:
            data = self.receive(self.board)
            for message in self.tool.take(data, host=False):
                self.tool.heard(message)
            if self.host:
                self.send(self.host, data)
        if self.relay:
            self.relay.step(found)

    @staticmethod
    def receive(source):
        try:
            return source.recv(65536)
        except OSError:
            return b""

    @staticmethod
    def send(to, data):
        try:
            to.send(data)
        except OSError:
            pass

    def pass_down(self):
        data, now = self.receive(self.host), time.monotonic()
        if not data:
            self.host.close()
            self.host = None
            return
        for message in self.tool.take(data, host=True):
            what = self.tool.judge(message)
            self.last.append(f"{1e3 * (now - (self.ended or now)):.0f}ms {what} {message[:32].hex()}")
            if what == MOVES:
                self.moved = now
                if self.relay:
                    self.relay.moving = self.relay.frame
                if self.left is not None and not self.stopped:
                    self.left += 1
                if self.stopped and not (self.lost or self.again or self.frames) and now < self.ended + JUST_BEFORE:
                    self.again, self.stopped = True, None
                elif self.stopped or self.lost:
                    self.after += 1
                    self.wrong.append(f"moved {1e3 * (now - (self.stopped or self.ended)):.1f} ms after the stop")
            elif what == STOPS and self.ended and self.moved and not self.stopped:
                self.stopped = now
        if self.board:
            self.send(self.board, data)
        elif reply := self.tool.reply(data):
            self.send(self.host, reply)

    def until(self, deadline, reached):
        while not reached() and (left := deadline - time.monotonic()) > 0:
            self.step(min(left, 0.02))
        return reached()

    # ---- Ending the commander ----

    def take_away(self):
        if self.way == "kill":
            self.commander.kill()
        elif self.way == "mqtt-silent":
            self.signed = 0
        elif self.way == "broker":
            self.broker.process.kill()
        elif self.way == "broker-stop":
            os.kill(self.broker.process.pid, signal.SIGSTOP)
        elif self.way == "gateway":
            self.gateway.kill()
        elif self.way == "gateway-stop":
            os.kill(self.gateway.pid, signal.SIGSTOP)
        elif self.way == "stop":
            os.kill(self.commander.pid, signal.SIGSTOP)
        elif self.way == "device":
            self.host.close()
            self.host, self.lost = None, True
        elif self.way == "end":
            self.server.terminate()
        elif self.way == "freeze":
            self.server.send_signal(signal.SIGSTOP)
        elif self.way in ("server", "watchdog"):
            self.watched = {os.pidfd_open(process.pid): process for process in (self.commander, self.server)}
            self.server.kill()
        elif self.way == "stranger":
            self.raw.send("STOP")
        elif self.way == "own":
            self.commander.stdin.write(b"stop\n")
            self.commander.stdin.flush()
        elif self.way == "cut":
            self.relay.cut = True
        elif self.way == "take":
            self.raw.send("WANT", flag=True)

    def take_away_with_frames(self):
        """Ends the commander while its frames wait unread in the server's socket."""
        if self.way == "freeze":
            self.begin_to_count()
        self.server.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.server.pid, os.WSTOPPED | os.WNOWAIT)
        self.drain()
        self.left = 0
        self.relay.repeat(self.frames)
        if self.way in ("server", "watchdog"):
            self.begin_to_count()
        self.take_away()
        if self.way not in ("freeze", "server", "watchdog"):
            self.until(time.monotonic() + ARRIVES, lambda: False)
            self.begin_to_count()
            self.server.send_signal(signal.SIGCONT)

    def drain(self):
        """Judges the remaining messages: the start of a motion may look like a stop."""
        while self.host and select.select([self.host], [], [], 0)[0]:
            self.step(0)

    def replace_watchdog(self):
        """Kills the watchdog process and waits until the server has started another."""
        self.until(time.monotonic() + WAIT, lambda: self.has_watchdog(()))  # the watchdog process sets this name
        first = named(children(self.server.pid), "armwire-watch")
        for pid in first:
            os.kill(pid, signal.SIGKILL)
        if len(first) != 1 or not self.until(time.monotonic() + WAIT, lambda: self.has_watchdog(first)):
            self.wrong.append(f"watchdog processes: {first}, then no other one")

    def has_watchdog(self, but):
        return bool(set(named(children(self.server.pid), "armwire-watch")) - set(but))

    def begin_to_count(self):
        pids = ["self", self.server.pid, *children(self.server.pid)]
        pids += [one.pid for one in (self.commander, self.broker and self.broker.process) if one]
        if self.gateway:
            pids += [self.gateway.pid, *children(self.gateway.pid)]
        self.waits = Waits(pids)
        self.ended = time.monotonic()

    def dying(self):
        """Returns the time in which the killed server exited, ms. Other processes cannot detect its end earlier."""
        return (self.over[self.server] - self.ended) * 1e3 if self.server in self.over else 0

    def measure(self):
        """Returns the time of the stop, ms, and the part spent waiting for processors or the exit; None: no stop."""
        end = time.monotonic() + WAIT
        if not self.until(end, lambda: self.moved):
            self.wrong.append("nothing moves")
            return None
        if self.way in ("stranger", "take"):
            self.raw = Client(self.path)
        self.until(time.monotonic() + self.chance.uniform(0.02, 0.2), lambda: False)
        if self.way == "watchdog":
            self.replace_watchdog()
        self.drain()
        if self.frames:
            self.take_away_with_frames()
        else:
            self.begin_to_count()
            self.take_away()
        while not self.stopped and time.monotonic() < self.ended + NO_STOP + self.waits.ms() / 1e3:
            self.until(time.monotonic() + 0.1, lambda: self.stopped)
        if not self.stopped:
            self.wrong.append("no stop")
            return None
        waited = max(self.waits.ms(), self.dying())
        if self.way == "freeze":
            self.server.send_signal(signal.SIGCONT)
        self.until(time.monotonic() + QUIET, lambda: False)
        self.check_end(waited)
        self.check_reported()
        return (self.stopped - self.ended) * 1e3, waited

    def see_it_go_on(self):
        """Requires that the motion continues within the dead-man time after the commander's own end."""
        self.until(time.monotonic() + WAIT, lambda: self.commander.poll() is not None)
        if not self.moved:
            self.wrong.append("nothing moves")
        self.ended = time.monotonic()
        if self.until(self.ended + CONTINUES, lambda: self.stopped):
            self.wrong.append("stopped, but should have continued")
        self.check_end(0)

    def check_end(self, waited):
        """Checks the commander's exit status; without its server it must end at once."""
        wanted = WAYS[self.way].status
        if wanted is None or not self.commander:
            return
        if self.watched:
            self.until(time.monotonic() + NO_STOP, lambda: not self.watched)
        self.until(time.monotonic() + WAIT, lambda: self.commander.poll() is not None)
        status = self.commander.poll()
        if self.frames:
            return
        if self.way == "freeze" and status == 3:  # it timed out before
            return
        if status != wanted:
            self.wrong.append(f"the commander ends with {status}, not {wanted}")
        took = (self.over.get(self.commander, float("inf")) - self.ended) * 1e3
        if self.way in ("server", "watchdog") and took - waited > self.patience:
            self.wrong.append(f"the commander ends after {took:.1f} ms, {waited:.1f} of them waited for a processor "
                              "or the server's end")

    def check_reported(self):
        """Returns the message sent to clients that only read."""
        wanted, told = WAYS[self.way].told, []
        if wanted is False:
            return
        wanted = "" if self.frames and wanted else wanted
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            try:
                message = self.looker.next(0.02)
            except (EOFError, ConnectionError):
                break
            if message and message[0] == "STOPPED_BY":
                told.append(message[1]["body"].decode())
            # On a busy machine, the server may have found the commander silent.
            if wanted is not None and any(wanted in text or SILENT in text for text in told):
                return
            self.step(0)
        if wanted is not None or time.monotonic() > end:
            self.wrong.append(f"other clients got {told} instead of {wanted}")

    def finish(self):
        for end in self.watched:
            os.close(end)
        broker = self.broker.process if self.broker else None
        watchdogs = [os.pidfd_open(pid) for pid in children(self.server.pid)]
        for process in (self.commander, self.gateway, self.server, self.simulator, broker, *self.readers):
            if process:
                process.kill()
                process.wait()
                for stream in (process.stdin, process.stderr):
                    if stream and not stream.closed:
                        stream.close()
        self.complaints.seek(0)
        self.said += self.complaints.read()
        for watchdog in watchdogs:  # the watchdog process sends the stop of the killed server
            select.select([watchdog], [], [], WAIT)
            os.close(watchdog)
        for end in (self.complaints, self.board, self.raw, self.looker, self.relay, self.host):
            if end:
                end.close()
        self.front.discard()


def spread(times):
    if not times:
        return "-"
    times = sorted(times)
    return " ".join(f"{name} {times[min(len(times) - 1, int(share * len(times)))]:.1f}"
                    for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1)))


def ways_of(tool, wanted, frames):
    """Returns the endings that apply to the tool. Datagram sockets never disconnect, and some motions end with
    their program. Frames of a commander that left would continue its motion."""
    missing = {"device" if tool.url.startswith("udp") else None, None if tool.left and not frames else "left",
               None if "EOF" in tool.ended_by and tool.name != "unitysim" else "own"}
    return [way for way in wanted or [way for way in WAYS if way not in BY_MQTT] if way not in missing]


def try_way(tool, front, pulse, way, count, options, pending, seed):
    """Prints a line of the table; returns the number of failed runs."""
    chance, times, raw, ends, deaths = random.Random(f"{seed}{way}"), [], [], [], []
    limit = options["--within"] + {"at once": 0, "dead-man": options["--deadman"], "search": SEARCH}[WAYS[way].found]
    failures = after = left = 0
    for number in range(count):
        for _ in range(1 + STOOD_STILL):
            stood = pulse.stood
            run = Run(tool, front, way, options["--deadman"], chance, pending, int(options["--load"]))
            took = run.see_it_go_on() if WAYS[way].goes_on else run.measure()
            run.finish()
            if pulse.stood == stood:
                break
        if took is not None:
            raw.append(took[0])
            times.append(max(0, took[0] - took[1]))
        if took is not None and run.commander in run.over:
            ends.append(max(0, (run.over[run.commander] - run.ended) * 1e3 - took[1]))
            deaths.append(run.dying())
        if took is not None and times[-1] > limit:
            run.wrong.append(f"the stop came after {took[0]:.1f} ms, {took[1]:.1f} of them waited for a processor "
                             "or for an end")
        failures += bool(run.wrong)
        after += run.after
        left = max(left, run.left or 0)
        for what in run.wrong[:3]:
            print(f"{tool.name} {way} {number}: {what} (SEED={seed})", *run.said.decode().splitlines()[-3:],
                  *run.last, sep="\n    ", flush=True)
    what = f"{len(times)} stopped" if not WAYS[way].goes_on else "continues"
    what += f", at most {left} frames before it" if pending[1] else ""
    print(f"{tool.name} {way}, queue {pending[0]}, frames {pending[1]}: {count} runs, {what}, {after} motions after it, {failures} wrong; "
          f"ms: {spread(times)}; with processors waited for: {spread(raw)}"
          f"{f'; the commander ended after: {spread(ends)}; the server: {spread(deaths)}' if ends else ''}", flush=True)
    return failures


def told_in(path):
    """Returns the rows of the table of endings: (names, event, exit status)."""
    with open(path, encoding="utf-8") as file:
        text = file.read().split("| the lease holder |")[1].split("\n\n")[0]
    for line in text.split("\n")[2:]:
        _, happens, status, ways = (cell.strip() for cell in line.strip("|").split("|"))
        yield re.findall(r"`([^` ]*)`", ways), happens, int(status) if status.isdigit() else None


def table(path):
    wrong, seen = [], []
    for names, happens, status in told_in(path):
        for name in names:
            seen.append(name)
            way = WAYS.get(name)
            if not way:
                wrong.append(f"{name}: is not tested")
            elif way.status != status:
                wrong.append(f"{name}: exit {status}, but tested is {way.status}")
            elif way.goes_on != ("continues" in happens):
                wrong.append(f"{name}: '{happens}' is not what is tested")
    wrong += [f"{name}: stands there {seen.count(name)} times" for name in WAYS if seen.count(name) != 1]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return bool(wrong)


def main():
    words = sys.argv[1:]
    if words[0] == "table":
        return table(words[1])
    options = {"--within": "20", "--deadman": "200", "--queue": "0", "--frames": "0", "--load": "0"}
    for name in options:
        if name in words:
            at = words.index(name)
            options[name] = words[at + 1]
            del words[at:at + 2]
    queues, frames = ([int(part) for part in options.pop(name).split(",")] for name in ("--queue", "--frames"))
    options = {name: float(value) for name, value in options.items()}
    folder, name, count, *ways = words
    seed = int(os.environ.get("SEED", time.time_ns() % 1000000))
    Run.patience += options["--within"] - 20
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(int(options["--load"]))]
    failures, pulse = 0, Pulse()
    try:
        for name in TOOLS if name == "all" else [name]:
            tool = TOOLS[name](folder, 0)
            front = Front(tool)
            failures += sum(try_way(tool, front, pulse, way, int(count), options, pending, seed)
                            for pending in itertools.product(queues, frames)
                            for way in ways_of(tool, ways, pending[1]))
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
