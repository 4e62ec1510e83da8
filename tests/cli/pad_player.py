#!/usr/bin/env python3
"""A gamepad from a file, for tests of teleop. Each line of the file has a time in s and an event of a control:

    0.5 hold 1            the enabling button of the default maps; other controls by their names in SDL
    1.0 lefty -1
    2.0 lost              (with --channels) an invalid record

    armwire-pad -q --pad FILE        a stand-in for armwire-pad: prints its records at their times
    pad_player.py --channels FILE    prints the same records at once, with times from 0, for teleop --channels

The gamepad is lost after the last line. GARBLE is text that the stand-in prints after a second; it
then hangs if the text has no newline.
"""
import json
import os
import signal
import sys
import time

AXES = ("leftx", "lefty", "rightx", "righty", "lefttrigger", "righttrigger")
BUTTONS = ("a", "b", "x", "y", "back", "start", "leftshoulder", "rightshoulder")
TICK = 0.02


def read(path):
    with open(path, encoding="utf-8") as file:
        return [(float(line.split()[0]), line.split()[1:]) for line in file if line.strip()]


def records(events):
    """Yields (time, record); record is None for an invalid one."""
    state = dict.fromkeys(AXES + BUTTONS, 0)
    ticks = [(step * TICK, []) for step in range(int(events[-1][0] / TICK) + 1)]
    last = 0
    for at, words in sorted(ticks + events, key=lambda event: event[0]):
        if words == ["lost"]:
            yield at, None
            continue
        if len(words) == 2 and words[0] != "alive":
            name = {"hold": "rightshoulder", "full": "leftshoulder"}.get(words[0], words[0])
            state[name] = float(words[1])
        last = at if words else last
        yield at, {"msg": "pad", "pad": "played", "bus": os.environ.get("BUS", "usb"), "age": at - last, **state}


def main():
    path = sys.argv[-1]
    live = sys.argv[1] != "--channels"
    if live and not os.path.exists(path):
        print(json.dumps({"why": f"gamepad '{path}' not found", "exit": 4}))
        sys.exit(4)
    begun = time.time()
    for at, record in records(read(path)):
        if live:
            time.sleep(max(begun + at - time.time(), 0))
            at = time.time()
            if "GARBLE" in os.environ and at - begun > 1:
                garble = os.environ.pop("GARBLE")
                sys.stdout.write(garble)
                sys.stdout.flush()
                time.sleep(0 if garble.endswith("\n") else 60)
        print(json.dumps({"t": at, **record}) if record else "lost", flush=live)
    if live:
        print(json.dumps({"why": "gamepad disconnected", "exit": 7}))
        sys.exit(7)


signal.signal(signal.SIGPIPE, signal.SIG_DFL)
main()
