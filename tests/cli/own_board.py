"""A board whose firmware is a team's own, for tests: own_board.py FOLDER [SILENT].

50 makes the joints stay where they are; 51 with 1 makes it leave 42 unanswered, with 2 puts the
second joint to 30 deg by hand; 42 asks for position (ticks), velocity (ticks/s) and torque of three joints; 37 takes setpoint (deg),
velocity and force of each, and answers like 42. Joints go to their setpoints with 60 deg/s. Any other
id is answered with 99, or with SILENT not at all. FOLDER/taken has a line for each packet: the time,
the id, the setpoints, and where the joints were.
"""
import os
import socket
import struct
import sys
import time

SPEED, TICK = 60.0, 0.0879
path = sys.argv[1] + "/board"
silent = len(sys.argv) > 2
server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.bind(path)
server.listen()
log = open(sys.argv[1] + "/taken", "w")
print("ready: unix:" + path, file=sys.stderr, flush=True)
setpoint, position, speed = [0.0] * 3, [0.0] * 3, [0.0] * 3
mute = False
then = time.monotonic()


def advance():
    global then
    now = time.monotonic()
    for i in range(3):
        step = max(-SPEED * (now - then), min(SPEED * (now - then), setpoint[i] - position[i]))
        position[i] += step
        speed[i] = step / max(now - then, 1e-6)
    then = now


while True:
    link, _ = server.accept()
    while True:
        try:
            report = link.recv(65)
        except ConnectionError:
            break
        if not report:
            break
        report = report[-64:]
        packet, = struct.unpack_from("<I", report)
        advance()
        if packet == 37:
            setpoint[:] = struct.unpack_from("<9f", report, 4)[::3]
        if packet == 50:
            setpoint[:] = position
        if packet == 51 and report[4] == 1:
            mute = True
        elif packet == 51:
            setpoint[1] = position[1] = 30.0
        print("%.4f" % then, packet, *("%.3f" % v for v in setpoint + position), file=log, flush=True)
        values = [v for i in range(3) for v in (position[i] / TICK, speed[i] / TICK, -1.0)]
        if packet == 42 and mute:
            continue
        if packet in (37, 42, 50, 51):
            answer = struct.pack("<I9f", packet, *values)
        elif silent:
            continue
        else:
            answer = struct.pack("<II", 99, packet)
        try:
            link.send(answer.ljust(64, b"\0"))
        except OSError:
            break
