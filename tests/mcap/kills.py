#!/usr/bin/env python3
"""Recorders that are killed: what they leave is read to the last whole chunk, and info --repair ends it.

    KILLS=50 kills.py BIN FOLDER      each of them at a random moment; 3 without KILLS

Little may be missing: what passed in the last half second before the kill, at most.
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


def tried(number):
    tool = sorted(TOOLS)[number % len(TOOLS)]
    path = os.path.join(FOLDER, "%s-%d.mcap" % (tool, number))
    recorder = subprocess.Popen([os.path.join(BIN, tool), "-q", "-l", "sim:", "record", path],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 10
    while not (os.path.exists(path) and os.path.getsize(path) > 400):  # the first chunk is there
        assert time.monotonic() < until and recorder.poll() is None, "it does not record"
        time.sleep(0.005)
    time.sleep(random.random())
    killed = time.time()
    recorder.send_signal(signal.SIGKILL)
    recorder.wait()
    cut = read("--about", "--cut", path)
    assert cut.returncode == 0, cut.stderr
    cut = json.loads(cut.stdout)
    assert not cut["whole"] and cut["messages"] > 0
    last = [json.loads(line)["log"] for line in read("--cut", path).stdout.splitlines()][-1]
    ours = subprocess.run([os.path.join(BIN, tool), "-q", "-j", "info", path], capture_output=True, text=True)
    assert ours.returncode == 0 and json.loads(ours.stdout.splitlines()[-1])["messages"] > 0, ours
    fixed = subprocess.run([os.path.join(BIN, tool), "-j", "info", "--repair", path], capture_output=True, text=True)
    result = json.loads(fixed.stdout)
    assert fixed.returncode == 0 and result["result"] == "repaired", fixed
    whole = read("--about", path)
    assert whole.returncode == 0, whole.stderr
    whole = json.loads(whole.stdout)
    assert whole["whole"] and whole["messages"] == cut["messages"] == result["messages"]
    again = subprocess.run([os.path.join(BIN, tool), "-j", "info", "--repair", path], capture_output=True, text=True)
    assert json.loads(again.stdout)["result"] == "whole"
    os.remove(path)
    return killed - last / 1e9


def main():
    count = int(os.environ.get("KILLS", "3"))
    lost = [tried(number) for number in range(count)]
    assert max(lost) < 0.75, "%.3f s were lost" % max(lost)
    print("%d killed, %.3f s lost at most" % (count, max(lost)))


main()
