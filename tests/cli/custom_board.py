"""Simulates a board with a team's own firmware: custom_board.py FOLDER [silent] [sags] [law] [deaf].

Packets by identifier: 37 sets setpoint (deg), velocity and force of three joints; 42 reads their position
(ticks), velocity (ticks/s) and torque, and 37 answers alike. 50 holds the joints. 51 with 1 stops the answers
to 42; 51 with 2 moves the second joint to 30 deg, as if by hand. Any other packet is answered with 99, or not
at all with silent. Joints move at 60 deg/s; with sags they stay 1 deg below their setpoints. FOLDER/taken gets
a line for each packet: time, id, setpoints, positions, and the gains of the second joint.

With law, motors move the joints, with the controller u = kp·e + ki·sum(e) + kd·(e - previous e) every 5 ms,
|u| <= 100. 65 sets kp, ki and kd of each joint, 66 reads them. With deaf the board ignores the gains of 65.
"""
import os
import socket
import struct
import sys
import time

SPEED, TICK = 60.0, 0.0879
path = sys.argv[1] + "/board"
silent, law, deaf = ("silent" in sys.argv, "law" in sys.argv, "deaf" in sys.argv)
SAG = 1.0 if "sags" in sys.argv else 0.0
LAW, MOST, SPEED_PER_U, LAG = 0.005, 100.0, 40.0, 0.05
server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.bind(path)
server.listen()
log = open(sys.argv[1] + "/taken", "w")
print("ready: unix:" + path, file=sys.stderr, flush=True)
setpoint, position, speed = [0.0] * 3, [0.0] * 3, [0.0] * 3
mute = False
then = time.monotonic()
gains = [0.02, 0.0, 0.0] * 3
total, before = [0.0] * 3, [0.0] * 3


def tick():
    for i in range(3):
        kp, ki, kd = gains[3 * i:3 * i + 3]
        off = setpoint[i] - round(position[i] / TICK) * TICK
        total[i] += off
        u = kp * off + ki * total[i] + kd * (off - before[i])
        before[i] = off
        u = max(-MOST, min(MOST, u))
        speed[i] += (SPEED_PER_U * u - speed[i]) * LAW / LAG
        position[i] += speed[i] * LAW


def advance():
    global then
    now = time.monotonic()
    while law and then + LAW <= now:
        tick()
        then += LAW
    if law:
        return
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
            continue  # the client ended without reading its answers; earlier packets are still readable
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
        if law and packet == 65 and not deaf:
            gains[:] = struct.unpack_from("<9f", report, 4)
            total[:] = [0.0] * 3
        print("%.4f" % then, packet, *("%.3f" % v for v in setpoint + position),
              *("%.5g" % v for v in gains[3:6]), file=log, flush=True)
        values = [v for i in range(3) for v in ((position[i] - SAG) / TICK, speed[i] / TICK, -1.0)]
        if packet == 42 and mute:
            continue
        if packet in (37, 42, 50, 51):
            answer = struct.pack("<I9f", packet, *values)
        elif law and packet in (65, 66):
            answer = struct.pack("<I9f", packet, *gains)
        elif silent:
            continue
        else:
            answer = struct.pack("<II", 99, packet)
        try:
            link.send(answer.ljust(64, b"\0"))
        except OSError:
            pass
