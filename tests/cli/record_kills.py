"""Kills recorders with SIGKILL at random moments and reads their files.

    record_kills.py TOOL LINK COUNT FOLDER

Each recorder also logs its packets (-v). The file must contain all logged packets except possibly the last, and
only its last few bytes may be damaged.
"""
import json
import os
import random
import subprocess
import sys
import time

SEED = 20


def traced(path):
    """Returns the complete packet lines logged so far."""
    with open(path, "rb") as trace:
        lines = trace.read().split(b"\n")[:-1]
    return sum(b" ms -> " in line or b" ms <- " in line for line in lines)


def kill_one(tool, link, folder, pause_s):
    """Starts a recorder and kills it this long after its first packet."""
    file, trace = folder + "/killed.pcapng", folder + "/trace"
    if os.path.exists(file):
        os.unlink(file)
    with open(trace, "wb") as out:
        recorder = subprocess.Popen([tool, "-v", "-l", link, "record", file],
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=out)
    limit = time.monotonic() + 20
    while traced(trace) == 0 and recorder.poll() is None and time.monotonic() < limit:
        time.sleep(0.001)
    time.sleep(pause_s)
    if recorder.poll() is not None:
        sys.exit(f"the recorder ended by itself: {open(trace).read()}")
    recorder.kill()
    recorder.wait()
    return file, traced(trace)


def records(tool, file):
    done = subprocess.run([tool, "decode", "-j", file], capture_output=True, text=True)
    damage = [line for line in done.stderr.splitlines() if "are not a complete packet" in line]
    if done.returncode != (5 if damage else 0):
        sys.exit(f"decode ended with {done.returncode}: {done.stderr}")
    return len([json.loads(line) for line in done.stdout.splitlines()]), len(damage)


def main():
    tool, link, count, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    moments = random.Random(SEED)
    packets = cut = 0
    for n in range(count):
        file, passed = kill_one(tool, link, folder, moments.uniform(0, 0.06))
        found, damaged = records(tool, file)
        if abs(found - passed) > 1:
            sys.exit(f"kill {n}: {found} packets in the file, but {passed} passed")
        packets += found
        cut += damaged
    print(f"{count} kills, {packets} packets, {cut} files cut off within the last one")


main()
