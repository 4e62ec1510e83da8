"""A client that uses a server's wire (lib/shell/serve/message.h), for tests.

    with Client("arm.sock") as client:
        client.send("WANT", True)
        kind, fields = client.receive("GRANTED", "TURNED_DOWN")
"""
import socket
import struct
import sys
import time

FROM_CLIENT = {"LIFE": (1, ""), "LINK": (2, ""), "WANT": (3, "b"), "STOP": (4, ""), "FRAME": (5, "iitt"),
               "ASK": (6, "qt"), "IDLE": (7, "bit"), "PLAYS": (8, "b"), "ASK_SPEED": (9, "db"), "WHO": (10, ""),
               "RELEASE": (11, ""), "LEAVE": (12, "")}
WHO = "ittdd"
FROM_SERVER = {64: ("HELLO", "ttttibqi" + WHO + "t"), 65: ("PASSED", "bqt"), 66: ("LOST_SOME", "i"),
               67: ("GRANTED", "it"), 68: ("TURNED_DOWN", "bt"), 69: ("ACK", "ibt"), 70: ("DONE", "bt"),
               71: ("COMMANDER", WHO), 72: ("HALTED", "b"), 73: ("REVOKED", "bbt"), 74: ("STOPPED_BY", "bbt"),
               75: ("SPEED", "d")}
SIZES = {"b": "<B", "i": "<I", "q": "<q", "d": "<d"}


def pack(kind, *values):
    number, forms = FROM_CLIENT[kind]
    body = bytes([number])
    for form, value in zip(forms, values, strict=True):
        if form == "t":
            value = value.encode() if isinstance(value, str) else value
            body += struct.pack("<I", len(value)) + value
        else:
            body += struct.pack(SIZES[form], value)
    return struct.pack("<I", len(body)) + body


def unpack(body):
    kind, forms = FROM_SERVER[body[0]]
    values, at = [], 1
    for form in forms:
        if form == "t":
            size, = struct.unpack_from("<I", body, at)
            values.append(body[at + 4:at + 4 + size])
            at += 4 + size
        else:
            values.append(struct.unpack_from(SIZES[form], body, at)[0])
            at += struct.calcsize(SIZES[form])
    assert at == len(body), (kind, body)
    return kind, values


class Client:
    def __init__(self, path, timeout=20):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.timeout, self.data = timeout, b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def close(self):
        self.socket.close()

    def fileno(self):
        return self.socket.fileno()

    def send(self, kind, *values):
        self.socket.sendall(pack(kind, *values))

    def next(self, timeout=0):
        """Returns the next message; None on timeout. EOFError at the end."""
        end = time.monotonic() + timeout
        while True:
            if len(self.data) >= 4:
                size = 4 + struct.unpack_from("<I", self.data)[0]
                if len(self.data) >= size:
                    body, self.data = self.data[4:size], self.data[size:]
                    return unpack(body)
            self.socket.settimeout(max(0.001, end - time.monotonic()))
            try:
                data = self.socket.recv(65536)
            except (TimeoutError, BlockingIOError):
                return None
            if not data:
                raise EOFError("the server has closed the connection")
            self.data += data

    def receive(self, *kinds):
        """Returns the next message of one of these kinds and skips others."""
        end = time.monotonic() + self.timeout
        while (left := end - time.monotonic()) > 0:
            message = self.next(left)
            if message and message[0] in kinds:
                return message
        raise TimeoutError(f"none of {kinds}")


if __name__ == "__main__":  # who SOCKET: prints the holder of the lease, or 0
    with Client(sys.argv[2]) as asker:
        asker.send("WHO")
        print(asker.receive("COMMANDER")[1][0])
