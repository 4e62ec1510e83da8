#!/usr/bin/env python3
"""Suspends (SIGSTOP) or kills (SIGKILL) teleop with a deflected stick, and play, follow and experiments during a
motion. The watchdog process must send the stop after the permitted delay of 100 ms plus 20 ms. When resumed
(SIGCONT), play and experiments must exit and report the delay, and the stop must be the last message. If
armwire-pad is suspended or killed, teleop must send the stop within the same time.

    ROUNDS=25 teleop_still.py BIN FOLDER [PAD]   25 rounds of each tool and signal, by default 2. PAD: a program
                                             that is a kernel gamepad (tests/kernel/pad.c); default: pad_player.py
    WITHIN=40                                ms, replaces the 20 ms on a busy machine
    WHAT=play,follow,experiments             tests these commands instead of teleop
    TOOLS=armctl                             tests only these tools
"""
import os
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import time

from stops_tools import MOVES, STOPS, TOOLS, Front, Pulse, Waits, child_of, children

BIN, FOLDER = sys.argv[1:3]
PAD = sys.argv[3] if len(sys.argv) > 3 else None
PATIENCE = 20  # s, timeout for expected events
LATE = 100  # ms, permitted delay of teleop: AW_TELEOP_LATE
STILL = 1000  # ms, permitted delay of other commands
LIMIT = 6  # exit code after a suspension
FEW = {"motor": 1, "step": 1, "identify": 1, "tune": 1}  # number of moving messages before the signal; default 5
EXPERIMENTS = {
    "hidmotor": {"step": "step m2 --from 0deg --to 40deg --for 60s", "sweep": "sweep m2 --to-hz 4",
                 "identify": "identify m2 --save /dev/null"},
    "canpid": {"step": "step --from 0deg --to 20deg --for 60s", "sweep": "sweep --amplitude 5deg",
               "identify": "identify --save /dev/null", "tune": "tune"},
    "unitysim": {"drive": "drive elbow=+30 --for 60s"},
    "ezphys": {"motor": "motor {joint} 1.5 1000 --for 60s"},
}
WAYS = {"SIGSTOP": signal.SIGSTOP, "SIGKILL": signal.SIGKILL}
PAD_WAYS = {"SIGSTOP of armwire-pad": signal.SIGSTOP, "SIGKILL of armwire-pad": signal.SIGKILL}
OPTIONS = {"canpid": ["-c", "pos", "-b", "lknee"], "hidmotor": ["--timeout", "1s"], "armctl": ["--force"]}
JOINTS = {"armctl": "lift", "hidmotor": "m2", "canpid": "lknee", "unitysim": "elbow"}
# Holds the button and keeps the stick deflected.
EVENTS = "0.1 hold 1\n0.2 lefty -1\n60 hold 0\n"


class Unitysim(TOOLS["unitysim"]):
    """Listens on its own port: the tool sends first, as with the simulator."""
    rest = b"\0" * 7 + b"\0\0\0\0" * 5 + b"\0"

    def prepare(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = "udp:127.0.0.1:{port}?listen=%d" % self.port


class Armctl(TOOLS["armctl"]):
    """Its stop is the last confirmed position, or the previous one if the program was suspended earlier. The next
    step starts there."""

    def prepare(self):
        path = f"{self.folder}/armctl{self.number}.ini"
        with open(path, "w", encoding="ascii") as file:
            file.write("[joint lift]\nindex = 2\n")
        self.options, self.at = ("--config", path), None

    def heard(self, message):
        if message[1:6] == b"DEG2,":
            self.at = int(message[6:])

    def judge(self, message):
        if message[1:6] != b"DEG2,":
            return None
        return STOPS if self.at is not None and int(message[6:]) <= self.at else MOVES


TOOLS.update(unitysim=Unitysim, armctl=Armctl)


class Round:
    """Runs a tool whose simulator is behind this program, which relays all traffic."""

    def __init__(self, name, number, what, pad):
        self.tool = TOOLS[name](FOLDER, number)
        self.front = Front(self.tool)
        self.simulator, self.ready, self.first = None, None, b""
        if self.tool.simulator:
            path = f"{FOLDER}/board{number}"
            words = [word.format(path=path) for word in self.tool.simulator]
            self.simulator = subprocess.Popen([os.path.join(BIN, words[0]), *words[1:]], stdin=subprocess.DEVNULL,
                                              stderr=subprocess.PIPE, text=True)
            self.ready = self.simulator.stderr.readline().split()[1]
        self.pad = None
        if PAD:
            self.pad = subprocess.Popen([PAD, "hold"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            pad = self.pad.stdout.readline().split()[1]
        self.said = open(f"{FOLDER}/said{number}", "w+", encoding="utf-8")
        self.program = subprocess.Popen(
            [os.path.join(BIN, name), "-l", self.front.url, *self.tool.options, *OPTIONS.get(name, []),
             *self.words(name, number, what, pad)], stdin=subprocess.DEVNULL, stdout=self.said, stderr=self.said)
        self.end = self.front.accept()
        self.board = self.front.connect(self.ready) if self.ready else None
        self.tool.begin()

    def words(self, name, number, what, pad):
        """Returns the command line of a motion longer than the test."""
        if what == "teleop":
            return ["teleop", "--pad", pad]
        joint = JOINTS.get(name) or self.tool.moving[0][1]
        if what in EXPERIMENTS.get(name, ()):
            return EXPERIMENTS[name][what].format(joint=joint).split()
        far, speed = {"ezphys": (1.5, 1), "armctl": (200, 30)}.get(name, (20, 30))
        path = f"{FOLDER}/way{number}.csv"
        with open(path, "w", encoding="ascii") as file:
            rest = ",m1,m3" if (name, what) == ("hidmotor", "play") else ""
            file.write(f"t,{joint if what == 'play' else 'a'}{rest}\n")
            for step in range(2001):
                file.write(f"{step / 20},{far * step / 2000}{rest and ',0,0'}\n")
        if what == "play":
            return ["play", path, "--max-jump", "400"]
        limit = ["--max-speed", str(speed)] if name in ("armctl", "canpid", "ezphys") else []
        return ["follow", path, "--map", f"{joint}=a", "--relative", "--max-jump", "400", *limit]

    def messages(self, until):
        """Returns the tool's messages with their times, and relays those of the device."""
        ends = [self.end] + ([self.board] if self.board else [])
        speaks, pushed = not self.board, not self.pad
        while time.monotonic() < until:
            if not pushed and os.path.getsize(self.said.name) and "hold to run" in open(self.said.name).read():
                pushed = True
                self.pad.stdin.write("\n")
                self.pad.stdin.flush()
            if speaks:
                self.end.end.sendto(self.tool.reply(self.tool.rest), ("127.0.0.1", self.tool.port))
            for source in select.select(ends, [], [], 0.01)[0]:
                now = time.monotonic()
                try:
                    data = source.recv(65536)
                except OSError:
                    return
                if not data and source is self.end:
                    return
                host = source is self.end
                if host and self.board:
                    self.board.send(data)
                elif not host:
                    try:
                        self.end.send(data)
                    except OSError:
                        pass  # the other end has closed the connection
                for message in self.tool.take(data, host):
                    if host:
                        yield now, self.tool.judge(message)
                    else:
                        self.tool.heard(message)

    def target(self, way):
        """Returns the process to signal: teleop or its child armwire-pad."""
        if way not in PAD_WAYS:
            return self.program.pid
        for pid in children(self.program.pid):
            with open(f"/proc/{pid}/cmdline", encoding="utf-8") as line:
                if "armwire-pad" in line.read():
                    return pid
        raise SystemExit("armwire-pad does not run")

    def run(self, way, number, few, ends):
        """Returns the time from the signal to the stop in ms without waits for processors, or None if a busy
        machine stopped the motion earlier."""
        moved, due, hit, last = 0, None, None, None
        for now, what in self.messages(time.monotonic() + PATIENCE):
            moved += what == MOVES
            last = what or last
            if moved == few and not due:
                due = now + random.random() / 10
            if due and not hit and now >= due and last == MOVES:
                waits = Waits(pid for pid in (os.getpid(), self.program.pid, child_of(self.program.pid)) if pid)
                hit = time.monotonic()
                os.kill(self.target(way), number)
            elif hit and what == STOPS:
                waited = waits.ms()
                if ends:
                    self.wake()
                return max(0, 1000 * (now - hit) - waited)
        self.said.seek(0)
        said = self.said.read()
        if not hit and any(text in said for text in ("stalled", "stood still", "no data from armwire-pad")):
            return None
        raise SystemExit(f"{self.tool.name}: {'no stop' if hit else 'it never moved'}: {said}")

    def wake(self):
        """Resumes the tool: it must report the reason, and its last message must be the stop."""
        os.kill(self.program.pid, signal.SIGCONT)
        last = [what for _, what in self.messages(time.monotonic() + PATIENCE) if what][-1:]
        self.program.wait(PATIENCE)
        self.said.seek(0)
        said = self.said.read()
        if last == [MOVES] or self.program.returncode != LIMIT or "this program stalled for " not in said:
            raise SystemExit(f"{self.tool.name}: {last}, exit {self.program.returncode}: {said}")

    def close(self):
        self.program.kill()
        self.program.wait()
        self.end.close()
        self.said.close()
        if self.pad:
            self.pad.communicate()
        if self.board:
            self.board.close()
        if self.simulator:
            self.simulator.terminate()
            self.simulator.communicate()


def play_pads():
    """Copies the tools next to a stand-in for armwire-pad that needs no kernel gamepad."""
    global BIN
    if PAD:
        return
    played = os.path.join(FOLDER, "played")
    os.makedirs(played, exist_ok=True)
    for program in (*TOOLS, "ezphys-sim"):
        shutil.copy(os.path.join(BIN, program), played)
    player = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pad_player.py")
    shutil.copy(player, os.path.join(played, "armwire-pad"))
    BIN = played


def main():
    path = os.path.join(FOLDER, "held.events")
    with open(path, "w", encoding="ascii") as file:
        file.write(EVENTS)
    play_pads()
    rounds, within = int(os.environ.get("ROUNDS", "2")), float(os.environ.get("WITHIN", "20"))
    number, late, pulse = 0, 0, Pulse()
    for name in ("hidmotor", "canpid", "unitysim", "ezphys", "armctl"):
        if name not in os.environ.get("TOOLS", name).split(","):
            continue
        whats = [what for word in os.environ.get("WHAT", "teleop").split(",")
                 for what in (EXPERIMENTS.get(name, ()) if word == "experiments" else [word])]
        for what, way in ((what, way) for what in whats for way in (*WAYS, *(PAD_WAYS if what == "teleop" else ()))):
            still = WAYS.get(way, PAD_WAYS.get(way)) == signal.SIGSTOP
            times = []
            while len(times) < rounds:
                number += 1
                stood = pulse.stood
                a_round = Round(name, number, what, path)
                try:
                    took = a_round.run(way, signal.SIGSTOP if still else signal.SIGKILL, FEW.get(what, 5),
                                       still and what not in ("teleop", "follow"))
                except SystemExit:
                    if pulse.stood == stood:
                        raise
                finally:
                    a_round.close()
                # Ignores rounds in which this machine stalled.
                times += [] if pulse.stood > stood or took is None else [took]
            most = (LATE if what == "teleop" else STILL) * (still or way in PAD_WAYS) + within
            beyond = sum(t > most for t in times)
            late += beyond
            print("%s %s, %s: %d of %d within %g ms, the worst after %.1f ms" % (
                name, what, way, rounds - beyond, rounds, most, max(times)))
    sys.exit(late > 0)


main()
