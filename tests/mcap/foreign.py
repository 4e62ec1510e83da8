#!/usr/bin/env python3
"""Writes an MCAP file as another program might: without chunks or index, with a nested type and arrays.

    foreign.py FILE ENCODING      20 messages of /arm/state and one of /arm/note; ENCODING is their declared
                                  encoding
"""
import struct
import sys

RULE = "=" * 80
STATE = "Point[] points\nfloat64[2] position\nuint8 OFF=0\nbool on\n%s\nMSG: rig/Point\nint32 x -5\n" % RULE


def text(value):
    return struct.pack("<I", len(value)) + value.encode()


def record(op, content):
    return bytes([op]) + struct.pack("<Q", len(content)) + content


def message(channel, time, body):
    return record(5, struct.pack("<HIQQ", channel, 0, time, time) + b"\0\1\0\0" + body)


def main():
    path, encoding = sys.argv[1:]
    out = [b"\x89MCAP0\r\n", record(1, text("ros2") + text("another"))]
    for number, (name, body) in enumerate([("rig/msg/State", STATE), ("rig/msg/Note", "string<=9 text\n")], 1):
        out.append(record(3, struct.pack("<H", number) + text(name) + text("ros2msg") + text(body)))
        out.append(record(4, struct.pack("<HH", number, number) + text("/arm/" + name.split("/")[2].lower())
                          + text(encoding) + struct.pack("<I", 0)))
    for n in range(20):
        out.append(message(1, 10**18 + n * 10**7, struct.pack("<Iii4xdd?", 2, n, -n, 0.5, n / 10, n % 2)))
    out.append(message(2, 10**18, struct.pack("<I", 3) + b"hi\0"))
    out.append(record(15, b"\0" * 4) + record(2, b"\0" * 20) + b"\x89MCAP0\r\n")
    open(path, "wb").write(b"".join(out))


main()
