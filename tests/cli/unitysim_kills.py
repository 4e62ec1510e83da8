"""Ends a drive by a signal, and looks when the stop comes out of the wire.

unitysim_kills.py KILLS [OPTION…]: each of two sockets of its own is the simulator for half of them;
the options are for unitysim. Once the arm is driven, at a random moment, SIGINT, SIGTERM or SIGHUP
comes. Then the first datagram that stops all joints must reach the socket within 10 ms, by the
kernel's time of arrival; nothing may drive a joint after it, and the exit status must be that of
the signal. What the machine did not let the program run (/proc/PID/schedstat) is not counted.
Prints one line per failure and at the end how many there were; exit status 1 if there was any.
SEED repeats the random numbers.
"""
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
OPTIONS = sys.argv[2:]
LIMIT_S = 0.010
SO_TIMESTAMPNS = 35  # linux/socket.h
CONTROL, SIZE = 1, 25
DRIVING = (1, 2)  # states of a joint


def states(packet):
    """States of the five joints, or None if it is no control packet."""
    if len(packet) != SIZE or packet[:3] != bytes((0xFF, 0xFF, CONTROL)):
        return None
    if packet[-1] != ~sum(packet[2:-1]) & 0xFF:
        return None
    return [packet[7 + 4 * i] for i in range(5)]


def waited_s(pid):
    """How long the process was ready to run and did not get a processor, so far."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


class Lane(threading.Thread):
    def __init__(self, number, kills, seed):
        super().__init__()
        self.random = random.Random(seed * 100 + number)
        self.kills = kills
        self.problems, self.latencies = [], []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(10)
        self.url = f"udp:127.0.0.1:{self.socket.getsockname()[1]}?listen=0"

    def run(self):
        try:
            for _ in range(self.kills):
                self.kill()
        except Exception as error:  # a lane must not end in silence
            self.problems.append(f"lane: {error!r}")

    def receive(self):
        """Time of arrival and states of the next datagram."""
        data, extra, _, _ = self.socket.recvmsg(64, 256)
        for level, kind, value in extra:
            if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
                seconds, nanoseconds = struct.unpack("@qq", value)
                return seconds + nanoseconds / 1e9, states(data)
        return time.time(), states(data)

    def kill(self):
        number = self.random.choice(SIGNALS)
        run = subprocess.Popen(["unitysim", "-q", *OPTIONS, "-l", self.url, "drive", "elbow=+45"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        while self.receive()[1] != [0, 1, 0, 0, 0]:
            pass
        end = time.time() + self.random.uniform(0, 0.060)  # four periods: any moment of one
        while time.time() < end:
            self.receive()
        waited = waited_s(run.pid)
        before = time.time()
        run.send_signal(number)
        after = time.time()
        # Somewhere between the two the signal came; when we were held up there, that is no delay.
        self.judge(run, number, before, after if after - before > 0.002 else before, waited)

    def judge(self, run, number, earliest, sent, waited):
        stop, driven = None, False
        while stop is None and run.poll() is None:
            at, joints = self.next_or_none()
            if joints == [0] * 5 and at >= earliest:
                stop, waited = at, waited_s(run.pid) - waited
        said = run.communicate(timeout=20)[1]
        self.socket.setblocking(False)
        while (rest := self.next_or_none())[0]:
            stop = stop or (rest[0] if rest[1] == [0] * 5 and rest[0] >= earliest else None)
            driven = any(state in DRIVING for state in rest[1] or ())
        self.socket.settimeout(10)
        wrong = []
        if run.returncode != 128 + number:
            wrong.append(f"exit status {run.returncode}")
        if stop is None:
            wrong.append("no stop")
        elif stop - sent - waited > LIMIT_S:
            wrong.append(f"stop after {(stop - sent) * 1e3:.1f} ms, {waited * 1e3:.1f} ms of them "
                         "without a processor")
        if driven:
            wrong.append("driven after the stop")
        if wrong:
            self.problems.append(f"{number.name}: " + ", ".join(wrong) + " " + said.strip())
        else:
            self.latencies.append(max(stop - sent, 0))

    def next_or_none(self):
        try:
            if self.socket.gettimeout():
                self.socket.settimeout(0.5)
            return self.receive()
        except (socket.timeout, BlockingIOError):
            return 0, None


def main():
    kills = int(sys.argv[1])
    seed = int(os.environ.get("SEED", "0")) or random.randrange(1, 1 << 30)
    lanes = [Lane(i, (kills + 1 - i) // 2, seed) for i in range(2)]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    problems = [problem for lane in lanes for problem in lane.problems]
    late = sorted(latency for lane in lanes for latency in lane.latencies)
    print(*problems, sep="\n")
    if late:
        print(f"stop after {late[len(late) // 2] * 1e3:.2f} ms (median), {late[-1] * 1e3:.2f} ms "
              f"(longest), {sum(latency <= LIMIT_S for latency in late)} within 10 ms of the clock")
    print(f"{kills} ended, {len(late)} stopped in time, {len(problems)} wrong, SEED={seed}")
    sys.exit(bool(problems) or len(late) != kills)


main()
