"""Simulates a CAN node behind an slcan adapter: custom_node.py FOLDER. Sends 0x651 100 times a second: angle and
speed, tenths of a degree, 16 bits each. Moves at 60 deg/s to the setpoint in 0x650. FOLDER/taken gets a line for
each setpoint: the setpoint and the position."""
import select
import socket
import struct
import sys
import time

server = socket.create_server(("127.0.0.1", 0))
log = open(sys.argv[1] + "/taken", "w")
print(f"ready: slcan:tcp:127.0.0.1:{server.getsockname()[1]}", file=sys.stderr, flush=True)
setpoint = position = speed = 0.0
then = time.monotonic()
while True:
    link, _ = server.accept()
    rest, due, is_open = b"", time.monotonic(), False
    while True:
        now = time.monotonic()
        if select.select([link], [], [], max(0, due - now))[0]:
            try:
                data = link.recv(4096)
            except ConnectionError:
                break
            if not data:
                break
            *lines, rest = (rest + data).split(b"\r")
            for line in lines:
                if line[:4] == b"t650":
                    setpoint = struct.unpack("<h", bytes.fromhex(line[5:9].decode()))[0] / 10
                    print("%.1f %.1f" % (setpoint, position), file=log, flush=True)
                is_open = is_open or line[:1] in b"OL" or line[:4] == b"t650"
                answer = {b"V": b"V1013\r", b"N": b"N0001\r", b"F": b"F00\r", b"t": b"z\r"}
                link.send(answer.get(line[:1], b"\r"))
        now = time.monotonic()
        if now < due:
            continue
        due = now + 0.01
        step = max(-60 * (now - then), min(60 * (now - then), setpoint - position))
        position += step
        speed = step / (now - then)
        then = now
        if is_open:
            try:
                frame = struct.pack("<hh", round(position * 10), round(speed * 10))
                link.send(b"t6514" + frame.hex().upper().encode() + b"\r")
            except OSError:
                break
