"""A client for the wire format of ezphys, written from the documentation and independent of the C code.

    with Simulation(["pendulum"]) as sim:          # starts ezphys-sim, connects
        state = sim.receive()                      # the state at the start
        state = sim.exchange(motor(1, 2.0, 10.0))
        state.limb[1].position                     # by id
"""
import ctypes
import os
import signal
import socket
import struct
import subprocess
from collections import defaultdict, namedtuple

Limb = namedtuple("Limb", "position rotation force torque linear angular unused")
Axis = namedtuple("Axis", "displacement rate")
Feedback = namedtuple("Feedback", "f1 t1 f2 t2")
SIZES = {1: 16, 2: 84, 3: 8, 4: 48, 5: 8}
LIMIT_S = 20


class State:
    """A decoded message of the simulator."""

    def __init__(self, raw, packets):
        self.raw, self.order = raw, [(kind, name) for kind, name, _ in packets]
        self.step = self.step_size = None
        self.limb, self.axes, self.feedback = {}, defaultdict(list), {}
        self.collisions = []
        for kind, name, body in packets:
            assert len(body) in (SIZES[kind], kind == 5 and 12), (kind, len(body))
            self.take(kind, name, body)

    def take(self, kind, name, body):
        if kind == 5:
            self.step, self.step_size = struct.unpack(self.e + ("qf" if len(body) == 12 else "if"),
                                                      body)
            return
        v = struct.unpack(f"{self.e}{len(body) // 4}f", body)
        if kind == 1:
            self.collisions.append((name, v[:3], v[3]))
        elif kind == 2:
            self.limb[name] = Limb(v[0:3], v[3:7], v[7:10], v[10:13], v[14:17], v[17:20],
                                   (v[13], v[20]))
        elif kind == 3:
            self.axes[name].append(Axis(*v))
        elif kind == 4:
            self.feedback[name] = Feedback(v[0:3], v[3:6], v[6:9], v[9:12])

    e = "<"


class BigState(State):
    e = ">"


class Wire:
    def __init__(self, preset="le32"):
        self.preset = preset
        self.e = ">" if preset == "be32" else "<"
        self.head = self.e + {"packed8": "BH", "name32": "I32sI"}.get(preset, "III")
        self.sized = preset != "packed8"
        self.enveloped = preset != "stream"

    def packet(self, kind, name, *values):
        body = struct.pack(f"{self.e}{len(values)}f", *values)
        if self.preset == "name32":
            name = name.encode()
        rest = (len(body),) if self.sized else ()
        return struct.pack(self.head, kind, name, *rest) + body

    def message(self, packets):
        body = b"".join(packets)
        if not self.enveloped:
            return body
        return struct.pack(self.e + "II", len(body) + 8, len(packets)) + body

    def split(self, data, long_size=4):
        """Yields the kind, name and payload of each packet in data."""
        size, at = struct.calcsize(self.head), 0
        sizes = {**SIZES, 5: long_size + 4}
        while at < len(data):
            kind, name, *rest = struct.unpack_from(self.head, data, at)
            length = rest[0] if rest else sizes[kind]
            if self.preset == "name32":
                name = name.rstrip(b"\0").decode()
            yield kind, name, data[at + size:at + size + length]
            at += size + length
        assert at == len(data)


LE32 = Wire()


def motor(joint, *values, wire=LE32):
    return wire.packet(3, joint, *(values + (0.0,) * (6 - len(values))))


def force(joint, *values, wire=LE32):
    return wire.packet(2, joint, *(values + (0.0,) * (3 - len(values))))


def reset(wire=LE32):
    return wire.packet(1, "" if wire.preset == "name32" else 0)


class Client:
    def __init__(self, sock, wire=LE32, long_size=4):
        self.sock, self.wire, self.long_size = sock, wire, long_size
        sock.settimeout(LIMIT_S)

    def read(self, n):
        data = b""
        while len(data) < n:
            got = self.sock.recv(n - len(data))
            if not got:
                raise EOFError
            data += got
        return data

    def receive(self):
        assert self.wire.enveloped
        head = self.read(8)
        size, count = struct.unpack(self.wire.e + "II", head)
        body = self.read(size - 8)
        packets = list(self.wire.split(body, self.long_size))
        assert len(packets) == count, (len(packets), count)
        return (BigState if self.wire.e == ">" else State)(head + body, packets)

    def send(self, *packets):
        self.sock.sendall(self.wire.message(packets))

    def exchange(self, *packets):
        self.send(*packets)
        return self.receive()

    def steps(self, n):
        for _ in range(n):
            state = self.exchange()
        return state


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def too_late(*_):
    raise TimeoutError(f"nothing after {LIMIT_S} s")


class Simulation(Client):
    """Runs ezphys-sim as a child process with a connection to it. said: its lines on stderr so far."""

    def __init__(self, arguments, wire=LE32, long_size=4, listen="0"):
        command = ["ezphys-sim", "--listen", listen, "--wire", wire.preset
                   + (",long=8" if long_size == 8 else ""), *arguments]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True,
                                        preexec_fn=die_with_parent)
        self.said = []
        self.url = self.wait_for("ready: ").split("ready: ")[1]
        super().__init__(self.connect(), wire, long_size)

    def connect(self):
        host, port = self.url.split(":")[1:]
        sock = socket.create_connection((host, int(port)), LIMIT_S)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock

    def wait_for(self, text):
        signal.signal(signal.SIGALRM, too_late)
        signal.alarm(LIMIT_S)
        for line in self.process.stderr:
            self.said.append(line.rstrip("\n"))
            if text in line:
                signal.alarm(0)
                return self.said[-1]
        raise EOFError(f"never said: {text}; but: {self.said}")

    def end(self, how=signal.SIGTERM):
        self.sock.close()
        self.process.send_signal(how)
        status = self.process.wait(LIMIT_S)
        self.said += self.process.stderr.read().splitlines()
        return status

    def __enter__(self):
        return self

    def __exit__(self, *why):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stderr.close()
        self.sock.close()


def scene(text):
    """Writes a scene to a file and returns its path."""
    path = os.path.abspath(f"scene-{os.getpid()}.scene")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def near(found, expected, relative=1e-5, absolute=1e-7):
    found, expected = list(found), list(expected)
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        assert abs(a - b) <= max(relative * abs(b), absolute), f"{found} is not {expected}"
