"""A client of the server's protocol (lib/shell/serve/message.h).

    with Client("arm.sock") as client:
        client.send("WANT", flag=True)
        kind, fields = client.receive("GRANTED", "DONE")
"""
import socket
import struct
import sys
import time

HEAD = struct.Struct("=IIIBBxxIIq")
NAMES = ("status", "flag", "number", "lease", "ns")  # struct format of the head after size, memory and type
FROM_CLIENT = {"LIFE": 1, "LINK": 2, "WANT": 3, "STOP": 4, "FRAME": 5, "ASK": 6, "IDLE": 7, "PLAYS": 8,
               "ASK_SPEED": 9, "WHO": 10, "RELEASE": 11}
COMMANDER = 464  # position of the lease holder in HELLO's body, which begins with its process id
FROM_SERVER = "HELLO PASSED LOST_SOME GRANTED DONE REVOKED STOPPED_BY SPEED".split()


def pack(kind, body=b"", **fields):
    values = [fields.get(name, 0) for name in NAMES]
    return HEAD.pack(HEAD.size + len(body), 0, FROM_CLIENT[kind], *values) + body


def unpack(message):
    """Returns the message type and a dictionary of its fields, with the body as bytes in "body"."""
    _, memory, kind, *values = HEAD.unpack_from(message)
    return FROM_SERVER[kind - 64], dict(zip(NAMES, values), body=message[HEAD.size + memory:])


class Client:
    def __init__(self, path, timeout=60):
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

    def send(self, kind, **fields):
        self.socket.sendall(pack(kind, **fields))

    def next(self, timeout=0):
        """Returns the next message, or None on timeout. Raises EOFError at the end of the connection."""
        end = time.monotonic() + timeout
        while True:
            if len(self.data) >= 4:
                size, = struct.unpack_from("=I", self.data)
                if len(self.data) >= size:
                    message, self.data = self.data[:size], self.data[size:]
                    return unpack(message)
            self.socket.settimeout(max(0.001, end - time.monotonic()))
            try:
                data = self.socket.recv(65536)
            except (TimeoutError, BlockingIOError):
                return None
            if not data:
                raise EOFError("the server has closed the connection")
            self.data += data

    def receive(self, *kinds):
        """Skips messages until one of these types and returns it."""
        end = time.monotonic() + self.timeout
        while (left := end - time.monotonic()) > 0:
            message = self.next(left)
            if message and message[0] in kinds:
                return message
        raise TimeoutError(f"none of {kinds}")


if __name__ == "__main__":  # who SOCKET: prints the process id of the lease holder, or 0
    with Client(sys.argv[2]) as asker:
        print(*struct.unpack_from("=i", asker.receive("HELLO")[1]["body"], COMMANDER))
