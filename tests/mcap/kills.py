#!/usr/bin/env python3
"""Kills recorders and checks that armwire-mcap reads its input to the end and completes the file.

    KILLS=50 kills.py BIN FOLDER      kills 50 recorders, each at a random moment; 3 without KILLS

Only messages from the last 0.1 s before the kill may be missing.
"""
import json
import os
import random
import signal
import subprocess
import sys
import time

BIN, FOLDER = sys.argv[1:3]
READ = os.path.join(os.path.dirname(os.path.abspath(__file__)), "read.py")
TOOLS = {"hidmotor": [], "canpid": [], "unitysim": []}


def read(*arguments):
    return subprocess.run([sys.executable, READ, *arguments], capture_output=True, text=True)


def await_that(what, condition):
    until = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.005)


def tried(number):
    tool = sorted(TOOLS)[number % len(TOOLS)]
    path = os.path.join(FOLDER, "%s-%d.mcap" % (tool, number))
    recorder = subprocess.Popen([os.path.join(BIN, tool), "-q", "-l", "sim:", "record", path],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    await_that("the recorder writes no file", lambda: os.path.exists(path) and os.path.getsize(path) > 400)
    time.sleep(random.random())
    killed = time.time()
    recorder.send_signal(signal.SIGKILL)
    recorder.wait()
    await_that("the file is incomplete", lambda: open(path, "rb").read()[-8:] == b"\x89MCAP0\r\n")
    whole = read("--about", path)
    assert whole.returncode == 0, whole.stderr
    whole = json.loads(whole.stdout)
    assert whole["whole"] and whole["messages"] > 0
    last = [json.loads(line)["log"] for line in read(path).stdout.splitlines()][-1]
    ours = subprocess.run([os.path.join(BIN, tool), "-q", "-j", "info", path], capture_output=True, text=True)
    assert ours.returncode == 0 and json.loads(ours.stdout.splitlines()[-1])["messages"] > 0, ours
    os.remove(path)
    return killed - last / 1e9


def main():
    count = int(os.environ.get("KILLS", "3"))
    lost = [tried(number) for number in range(count)]
    assert max(lost) < 0.1, "%.3f s were lost" % max(lost)
    print("%d killed, %.3f s lost at most" % (count, max(lost)))


main()
