"""Presses Ctrl-C at the prompt of ezphys many times in one session and compares the stops.

    ezphys_stops.py COUNT [OPTION…]     COUNT stops against ezphys-sim with these options

A relay between the two counts their messages. In lock-step each simulator message gets one answer, so the
simulator has received as many messages as it sent, or one less while it waits. Prints one object: the time from
each key to the stop message, the largest number of simulator messages per stop, and how many more messages the
simulator received than it sent.
"""
import json
import os
import pty
import re
import select
import signal
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time

PATIENCE = 20


class Relay:
    def __init__(self, port):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.url = f"tcp:127.0.0.1:{self.server.getsockname()[1]}"
        self.simulator = socket.create_connection(("127.0.0.1", port))
        self.passed = {"tx": 0, "rx": 0, "motions": 0}
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        client = self.server.accept()[0]
        threading.Thread(target=self.carry, args=("rx", self.simulator, client), daemon=True).start()
        self.carry("tx", client, self.simulator)

    def carry(self, direction, source, to):
        source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        held = b""
        while data := source.recv(65536):
            held += data
            while len(held) >= 8 and len(held) >= (size := struct.unpack_from("<I", held)[0]):
                self.passed[direction] += 1
                self.passed["motions"] += size > 8 and struct.unpack_from("<I8xf", held, 8) == (3, 1)
                to.sendall(held[:size])
                held = held[size:]


class Prompt:
    def __init__(self, words):
        self.process, self.text = pty.fork()
        if self.process == 0:
            os.environ["TERM"] = "dumb"
            os.execvp(words[0], words)
        self.seen = ""

    def type(self, keys):
        self.seen = ""
        os.write(self.text, keys)

    def screen(self):
        while select.select([self.text], [], [], 0)[0]:
            self.seen += os.read(self.text, 65536).decode()
        return self.seen

    def wait(self, pattern):
        deadline = time.monotonic() + PATIENCE
        while not re.search(pattern, self.seen):
            assert time.monotonic() < deadline, f"no {pattern} in {self.seen}"
            if select.select([self.text], [], [], 1)[0]:
                self.seen += os.read(self.text, 65536).decode()


def wait_for_motions(relay, prompt, count):
    deadline = time.monotonic() + PATIENCE
    while relay.passed["motions"] < count:
        assert time.monotonic() < deadline, f"it does not move: {prompt.screen()}"
        time.sleep(0.0005)


def run(relay, prompt, count):
    took, messages = [], []
    prompt.wait("> ")
    for _ in range(count):
        moves = relay.passed["motions"]
        prompt.type(b"motor 1 1 100 --for 1000s\r")
        wait_for_motions(relay, prompt, moves + 6)
        before, start = relay.passed["rx"], time.monotonic()
        prompt.type(b"\x03")
        prompt.wait("stopped: 1 joint held")
        took.append(1000 * (time.monotonic() - start))
        messages.append(relay.passed["rx"] - before)
        prompt.wait("> $")
    prompt.type(b"advance 1\r")  # pauses the simulation, which waits for an answer
    prompt.wait("exchanges")
    prompt.wait("> $")
    return {
        "p99_ms": round(statistics.quantiles(took, n=100)[98], 2),
        "first_ms": round(statistics.median(took[:20]), 2),
        "last_ms": round(statistics.median(took[-20:]), 2),
        "messages": max(messages[-20:]),
        "ahead": relay.passed["tx"] + 1 - relay.passed["rx"]}


def main():
    simulator = subprocess.Popen(["ezphys-sim", "--listen", "0", *sys.argv[2:]], text=True,
                                 stderr=subprocess.PIPE)
    relay = Relay(int(re.search(r":(\d+)$", simulator.stderr.readline()).group(1)))
    prompt = Prompt(["ezphys", "-l", relay.url, "--timeout", "20s"])  # allows for a busy machine
    try:
        print(json.dumps(run(relay, prompt, int(sys.argv[1]))))
    finally:
        os.kill(prompt.process, signal.SIGKILL)
        simulator.kill()


main()
