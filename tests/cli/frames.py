"""Prints frames of every canpid message on every board as a candump log.

    frames.py COUNT

Payloads are random; floats are finite, and codes have names.
"""
import random
import struct
import sys

BOARDS = [0x20, 0x40, 0x60, 0x80, 0xA0, 0xC0]
MESSAGES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 29, 30, 31]


def payload(message, source):
    data = bytearray(source.randbytes(6))
    number = source.choice([0, 1.5, 0.1, -0.25, source.uniform(-1, 1), source.uniform(-100, 100)])
    if message in (1, 2, 3, 4, 5, 7, 8, 9):
        data[:] = struct.pack("<fBB", number, source.randrange(4), 0)
    elif message == 6:
        data[:] = struct.pack("<iH", source.choice([0, 1, 2, 3, -5]), 0)
    elif message == 10:
        data[:] = bytes(6)
    elif message == 31 and source.randrange(8) == 0:
        data[4:] = b"\xff\x7f"
    return bytes(data)


def main():
    source = random.Random(1)
    time = 1700000000 * 1000000
    ids = [board + message for board in BOARDS for message in MESSAGES]
    for n in range(int(sys.argv[1])):
        number = ids[n % len(ids)]
        time += source.randrange(1, 1000)
        data = payload(number & 31, source).hex().upper()
        print("(%010d.%06d) can0 %03X#%s" % (time // 1000000, time % 1000000, number, data))


main()
