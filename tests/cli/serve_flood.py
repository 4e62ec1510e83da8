"""Floods a server in several ways while another program stops the device.

    serve_flood.py SOCKET PID [--within MS]

Runs each kind of flood from one and from 96 connections. Prints P50 and P99 of the stop times in ms, without
the time in which the server or this program waited for a processor, and the growth of the server's memory. Exit
status 1 if a P99 exceeds MS (default 10) or the growth exceeds 32 MiB.
"""
import os
import random
import socket
import sys
import time

sys.dont_write_bytecode = True
from serve_client import Client, pack
from stops_tools import waited_for_processor

STOPS = 100
READS = pack("ASK", bytes([118, 7]) + bytes(62))  # hidmotor's positions request
FLOODS = {
    "newlines": b"\n" * 60000,
    "signs of life": pack("LIFE") * 12000,
    "questions": READS * 700,
    "long messages": pack("FRAME", bytes(60000), lease=1, number=1),
    "half a message": pack("FRAME", bytes(60000), lease=1, number=1)[:50000],
    "answers that are not read": pack("WHO") * 12000,
}


def memory(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


def pour(path, flooders, data):
    """Sends as much as possible without blocking; reconnects after a disconnect."""
    for i, (flooder, rest) in enumerate(flooders):
        try:
            sent = flooder.send(rest)
            flooders[i] = flooder, rest[sent:] or data
        except BlockingIOError:
            pass
        except ConnectionError:
            flooder.close()
            flooders[i] = connect(path), data


def connect(path):
    flooder = socket.socket(socket.AF_UNIX)
    flooder.connect(path)
    flooder.setblocking(False)
    return flooder


def waited(pid):
    """Returns how long this program and the server have waited for a processor, in ms."""
    return sum(waited_for_processor(one) for one in ("self", pid))


def stop(path, pid, flooders, data):
    """Returns the time from the stop to its answer, ms."""
    with Client(path) as client:
        client.receive("HELLO")
        pour(path, flooders, data)
        before, begin = waited(pid), time.monotonic()
        client.send("STOP")
        client.receive("GRANTED")
        took = (time.monotonic() - begin) * 1e3
        return max(0, took - (waited(pid) - before))


def main():
    path, pid = sys.argv[1:3]
    within = float(sys.argv[4]) if len(sys.argv) > 3 else 10
    idle, wrong = memory(pid), 0
    for name, data in FLOODS.items():
        for n in (1, 96):
            flooders = [(connect(path), data) for _ in range(n)]
            took = []
            for _ in range(STOPS):
                pour(path, flooders, data)
                time.sleep(random.uniform(0, 0.01))
                took.append(stop(path, pid, flooders, data))
            for flooder, _ in flooders:
                flooder.close()
            took.sort()
            grown = memory(pid) - idle
            bad = took[98] > within or (grown > 32 and "san" not in os.readlink(f"/proc/{pid}/exe"))
            wrong += bad
            print(f"{'not ok' if bad else 'ok'} {name}, {n}: stops P50 {took[50]:.1f} ms, P99 {took[98]:.1f}, "
                  f"max {took[99]:.1f}; {grown:+.1f} MiB", flush=True)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
