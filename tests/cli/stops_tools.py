"""The five tools for stops.py: starts their simulators and recognises motions and stops on the wire. Written from
the documentation and independent of the C code.

split() divides bytes of the wire into messages and classifies each host message as MOVES, STOPS or None; heard()
gets the simulator's messages. rests() returns why a device that should be at rest is not.
"""
import os
import select
import socket
import struct
import threading
import time

MOVES, STOPS = "moves", "stops"
PATIENCE = 60  # s, timeout for expected events


def waited_for_processor(pid):
    """Returns the total time spent waiting for a processor, ms. An ended process adds nothing."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e6
    except (OSError, IndexError):
        return 0.0


def stolen():
    """Returns for each processor the time stolen by the virtual machine's host, ms."""
    with open("/proc/stat", encoding="ascii") as file:
        rows = [line.split() for line in file if line.startswith("cpu") and not line.startswith("cpu ")]
    return [1e3 * int(row[8]) / os.sysconf("SC_CLK_TCK") for row in rows]


class Waits:
    """Measures waits caused by the machine: of processes for a processor, and of processors for the host."""

    def __init__(self, pids):
        self.waited, self.stolen = {pid: waited_for_processor(pid) for pid in pids}, stolen()

    def ms(self):
        waited = sum(max(0, waited_for_processor(pid) - was) for pid, was in self.waited.items())
        return waited + max(now - was for now, was in zip(stolen(), self.stolen))


class Pulse(threading.Thread):
    """Measures stalls of this machine by the delay of its own short sleeps, s. Motions end if a program is
    delayed, so runs during a stall do not count."""
    beat, late = 0.01, 0.1  # s, shorter delays do not count

    def __init__(self):
        super().__init__(daemon=True)
        self.stood = 0.0
        self.start()

    def run(self):
        while True:
            begun = time.monotonic()
            time.sleep(self.beat)
            late = time.monotonic() - begun - self.beat
            self.stood += late if late > self.late else 0


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def child_of(pid):
    return next(iter(children(pid)), None)


class Tool:
    url = "tcp:127.0.0.1:{port}"  # URL of the proxy
    simulator = ()  # command of the simulator; None: the proxy is the device
    streams = False  # the simulator sends unrequested; split() returns whole messages
    announces = True  # prints an announced command before sending it
    scripted = None  # a command that returns while the motion continues
    ended_by = ()  # additional endings (keys of WAYS) that must stop the motion of scripted
    left = None  # a single command that returns while the motion continues
    endless = None  # a motion stopped at the end of a script; None: the same
    options = ()
    latest = 0.1  # s, latest moment of an early kill after the start of the program

    @property
    def crashing(self):
        """Returns the commands whose first motion may be followed by a crash."""
        return self.moving

    def __init__(self, folder, number):
        self.folder, self.number = folder, number
        self.pending = {True: b"", False: b""}  # bytes of an incomplete message, by sender
        self.prepare()

    def prepare(self):
        pass

    def settle(self, _run):
        """Prepares the device between two runs."""

    def begin(self):
        """Prepares the state of a run."""
        self.pending = {True: b"", False: b""}

    def split(self, data):
        """Returns (messages, rest) for a protocol of lines."""
        *lines, rest = data.replace(b"\n", b"\r").split(b"\r")
        return [line for line in lines if line], rest

    def take(self, data, host):
        messages, self.pending[host] = self.split(self.pending[host] + data)
        return messages

    def judge(self, message):
        raise NotImplementedError

    def heard(self, message):
        pass

    def reply(self, _data):
        """Returns the device's answer if the proxy is the device."""

    def rests(self, _board):
        return []


class Armctl(Tool):
    """Its stop is the joint's last confirmed position, 30 deg."""
    name = "armctl"
    simulator = ("armctl", "sim", "--listen", "tcp-listen:127.0.0.1:0", "--turn-speed", "90deg/s")
    moving = (("deg", "base", "350"),)
    announced = scripted = moving[0]
    endless = left = ("spd", "100")
    ended_by = ("prompt",)

    def prepare(self):
        path = f"{self.folder}/armctl{self.number}.ini"
        with open(path, "w", encoding="ascii") as file:
            file.write("[joint base]\nindex = 1\nkind = rotate\nmin = 0\nmax = 360\nhome = 0\n")
        self.options = ("--config", path)
        os.environ["XDG_STATE_HOME"] = f"{self.folder}/state{self.number}"

    def settle(self, run):
        assert run("deg", "base", "30") == 0, "the arm does not go to 30 deg"
        assert run("deg", "2", "10") == 0, "the second joint does not go to 10 deg"

    def judge(self, message):
        return {b"DEG1,350": MOVES, b"DEG1,030": STOPS, b"SPD100": MOVES,
                b"SPD000": STOPS}.get(message[1:])


class Canpid(Tool):
    """Its stop is the setpoint 1.5, which disables the driver."""
    name = "canpid"
    url = "slcan:tcp:127.0.0.1:{port}"
    simulator = ("canpid", "sim", "--listen", "slcan:tcp-listen:0")
    board = ("-b", "lknee", "-c", "pos")
    moving = (("step", "--from", "20deg", "--to", "-10deg", "--settle", "50ms", "--for", "5s", *board),
              ("tune", *board),
              ("move", "lknee=20", "-c", "pos", "--wait=0.001deg"))
    announced = scripted = left = ("setpoint", "5deg", "--max-jump", "90deg", *board)  # starts at any position
    ended_by = ("SEGV, later", "EOF", "writer", "error", "prompt", "quit")
    latest = 0.3

    def judge(self, message):
        if not message.startswith(b"t044"):
            return None
        value, = struct.unpack("<f", bytes.fromhex(message[5:13].decode()))
        return STOPS if value == 1.5 else MOVES

    def rests(self, board):
        data, quiet = b"", 0
        board.send(b"O\r")  # reopens the adapter
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            lines, data = self.split(data + board.recv(4096))
            for line in lines:
                if line.startswith(b"t05D6"):  # pid telemetry of lknee
                    _, output, _ = struct.unpack("<3h", bytes.fromhex(line[5:17].decode()))
                    quiet = 0 if output else quiet + 1
            if quiet >= 3:
                return []
        return ["the driver is not disabled"]


class Hidmotor(Tool):
    """Its stop is set_setpoints with duration 0. It holds the reported position, or the setpoints of joints at
    rest. If the board is silent, it holds a position between the last report (or setpoint) and the target, where
    the arm must be by then."""
    name = "hidmotor"
    url = "unix:{path}"
    simulator = ("hidmotor", "sim", "--listen", "unix-listen:{path}")
    announced = scripted = left = ("move", "60", "60", "-60", "duration=20s")
    endless = ("velocity", "20", "0", "0")
    ended_by = ("SEGV, later", "EOF", "writer", "error", "prompt", "quit")
    latest = 0.7
    fresh, tolerance, droop = 0.25, 0.01, 1  # s, max age of a report; deg, tolerance; deg, droop below the setpoint
    limits = ((-90, 90), (-45, 100), (-90, 63))
    poses = ((-60, 60, 40), (60, 0, -60))
    set_setpoints, set_velocity, positions = 1848, 1811, 1910

    def prepare(self):
        self.moving = []
        for k, (a, b) in enumerate((self.poses, self.poses[::-1])):
            path = f"{self.folder}/way{self.number}-{k}.csv"
            with open(path, "w", encoding="ascii") as file:
                file.write("t,m1,m2,m3\n")
                for t, share in ((0, 0.4), (2, 0.6), (4, 1)):
                    pose = [x + (y - x) * share for x, y in zip(a, b)]
                    file.write(f"{t},{pose[0]},{pose[1]},{pose[2]}\n")
            self.moving += [("move", *map(str, b), "duration=4s", "--wait"), ("play", path)]

    @property
    def crashing(self):
        return [*self.moving, self.endless]

    def begin(self):
        super().begin()
        self.measured, self.held = [], None
        self.start = self.behind = self.ahead = None  # start position; limits of the range that contains the arm

    def split(self, data):
        return [data], b""

    @staticmethod
    def floats(report):
        return struct.unpack("<I15f", report)

    def heard(self, message):
        report = self.floats(message)
        if report[0] == self.positions:
            pose, kept = ([min(max(deg, low), high) for deg, (low, high) in zip(row, self.limits)]
                          for row in (report[3:9:2], report[2:8:2]))
            self.measured.append((time.monotonic(), list(zip(pose, kept))))
            self.behind = pose

    def judge(self, message):
        command, duration, _, *targets = self.floats(message)[:6]
        if command != self.set_setpoints:
            return MOVES if command == self.set_velocity else None
        if duration == 0 and (self.just_measured(targets) or self.on_the_way(targets) or
                              targets == self.held):
            self.held = targets
            return STOPS
        if targets != self.ahead:  # a repeated setpoint does not change the path
            self.behind = self.start = self.ahead or self.behind
            self.ahead = targets
        return MOVES

    def just_measured(self, targets):
        return any(at > time.monotonic() - self.fresh and all(
            min(abs(place - b) for place in places) < self.tolerance
            for places, b in zip(pose, targets)) for at, pose in self.measured)

    def on_the_way(self, targets):
        """Checks the stop of a delayed tool: a position since the start of the motion. The arm stays slightly
        below its setpoints, which the tool uses."""
        return self.behind and self.ahead and all(
            min(a, b, c) - self.droop < t < max(a, b, c) + self.droop
            for a, b, c, t in zip(self.start or self.behind, self.behind, self.ahead, targets))

    def rests(self, board):
        """Requires that the setpoints stay constant and the arm comes to rest there. Ignores two late answers to
        the ended tool."""
        deadline, old = time.monotonic() + PATIENCE, 2
        while self.held:
            board.send(struct.pack("<I60x", self.positions))
            while (reply := self.floats(board.recv(64)))[0] != self.positions:
                pass
            setpoints, positions = reply[2:8:2], reply[3:9:2]
            if any(abs(s - h) > self.tolerance for s, h in zip(setpoints, self.held)):
                old -= 1
                if old >= 0:
                    continue
                return [f"held at {self.held}, but the setpoints are {setpoints}"]
            if all(abs(p - s) < 3 for p, s in zip(positions, setpoints)):
                return []
            if time.monotonic() > deadline:
                return [f"held at {self.held}, but the arm is at {positions}"]
        return []


class Unitysim(Tool):
    """Its stop is a control datagram without driven joints. The proxy plays the device: it answers each datagram
    with feedback that contains the commanded speeds."""
    name = "unitysim"
    url = "udp:127.0.0.1:{port}?listen=0"
    simulator = None
    moving = (("drive", "elbow=+45"),)
    scripted = ("drive", "elbow=+45")
    endless = ('{"msg":"control","elbow":{"velocity":5,"state":"increase"}}',)
    announces = False  # drive prints nothing
    ended_by = ("EOF", "writer", "prompt")  # its commands return only after the stop

    def split(self, data):
        return [data], b""

    def reply(self, data):
        states, speeds = data[7:-1:4], [data[5 + 4 * i:7 + 4 * i] for i in range(5)]
        body = b"\x04\x1e" + b"".join(
            bytes((i, 0, 8, 0)) + (speeds[i] if states[i] in (1, 2) else b"\0\0") for i in range(5))
        return b"\xff\xff" + body + bytes((~sum(body) & 0xFF,))

    def judge(self, message):
        if message[:3] != b"\xff\xff\1" or message[-1] != ~sum(message[2:-1]) & 0xFF:
            return None
        states = [message[7 + 4 * i] for i in range(5)]
        return MOVES if any(state in (1, 2) for state in states) else STOPS


class Ezphys(Tool):
    """Its stop is velocity 0 for every motor, without forces."""
    name = "ezphys"
    streams = True
    ended_by = ("SEGV, later", "EOF", "writer", "error", "prompt", "quit")
    scenes = (("arm4", "waist"), ("pendulum", "hinge"))
    motor, force, axis = 3, 2, 3
    still = 5e-3  # rad/s, a joint held by its motor swings slightly

    def prepare(self):
        self.scene, joint = self.scenes[self.number % 2]
        path = f"{self.folder}/path{self.number}.csv"
        with open(path, "w", encoding="ascii") as file:
            file.write(f"t,{joint}\n" + "".join(
                f"{t},{0.8 if t % 2 else -0.8}\n" for t in range(20001)))
        pace = ("--real-time", "--interval", "2ms") if self.number % 3 == 0 else ()
        self.simulator = ("ezphys-sim", "--listen", "0", "--scene", self.scene, *pace)
        self.options = ("--scene", self.scene)
        self.moving = (("motor", joint, "1.5", "1000", "--for", "100000s"), ("play", path, "--max-jump", "9"),
                       ("force", joint, "3", "--for", "100000s"),
                       ("step", joint, "--from", "1", "--to", "-1", "--for", "5s"))
        self.announced = self.scripted = self.left = ("motor", joint, "1.5", "1000")

    def split(self, data):
        messages = []
        while len(data) >= 8 and len(data) >= (size := struct.unpack_from("<I", data)[0]):
            messages.append(data[:size])
            data = data[size:]
        return messages, data

    @staticmethod
    def packets(message):
        at = 8
        while at < len(message):
            kind, _, length = struct.unpack_from("<III", message, at)
            yield kind, struct.unpack_from(f"<{length // 4}f", message, at + 12)
            at += 12 + length

    def judge(self, message):
        packets = list(self.packets(message))
        velocities = [v for kind, values in packets if kind == self.motor for v in values[::2]]
        forces = [v for kind, values in packets if kind == self.force for v in values]
        if any(velocities) or any(forces):
            return MOVES
        return STOPS if velocities else None

    def rests(self, board):
        data, steps, fastest = b"", 0, 0
        deadline = time.monotonic() + PATIENCE
        board.send(struct.pack("<II", 8, 0))  # the last message may still wait for its answer
        while time.monotonic() < deadline:
            messages, data = self.split(data + board.recv(65536))
            for message in messages:
                rates = [abs(v[1]) for kind, v in self.packets(message) if kind == self.axis]
                fastest = max(rates) if steps % 20 == 0 else max(fastest, *rates)
                steps += 1
                if steps > 60 and steps % 20 == 0 and fastest < self.still:
                    return []
                board.send(struct.pack("<II", 8, 0))
        return [f"a joint moves: {fastest} rad/s"]


TOOLS = {tool.name: tool for tool in (Armctl, Canpid, Hidmotor, Unitysim, Ezphys)}


class Datagrams:
    """A UDP socket that replies to the last sender."""

    def __init__(self, end):
        self.end, self.peer = end, None

    def recv(self, size):
        data, self.peer = self.end.recvfrom(size)
        return data

    def send(self, data):
        try:
            self.end.sendto(data, self.peer)
        except OSError:  # the socket was closed
            pass

    def fileno(self):
        return self.end.fileno()

    def close(self):
        self.end.close()


class Front:
    """The address to which the tool connects, and the connection to the simulator."""

    def __init__(self, tool):
        self.tool = tool
        self.path = f"{tool.folder}/front{tool.number}"
        kind = tool.url.split(":")[0]
        self.family, self.type = {
            "unix": (socket.AF_UNIX, socket.SOCK_SEQPACKET),
            "udp": (socket.AF_INET, socket.SOCK_DGRAM),
        }.get(kind, (socket.AF_INET, socket.SOCK_STREAM))
        self.listener = socket.socket(self.family, self.type)
        self.listener.bind(self.path if kind == "unix" else ("127.0.0.1", 0))
        port = None if kind == "unix" else self.listener.getsockname()[1]
        self.url = tool.url.format(port=port, path=self.path)
        if self.type != socket.SOCK_DGRAM:
            self.listener.listen(1)

    def accept(self):
        if self.type == socket.SOCK_DGRAM:
            return Datagrams(self.listener.dup())
        return self.quick(self.listener.accept()[0])

    def quick(self, connection):
        if self.type == socket.SOCK_STREAM:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(PATIENCE)
        return connection

    def discard(self):
        """Discards datagrams that an ended program left."""
        while self.type == socket.SOCK_DGRAM and select.select([self.listener], [], [], 0)[0]:
            self.listener.recv(65536)

    def connect(self, ready):
        """Connects to the simulator at its printed URL."""
        if self.family == socket.AF_UNIX:
            board = socket.socket(self.family, self.type)
            board.connect(f"{self.tool.folder}/board{self.tool.number}")
            return self.quick(board)
        port = int(ready.rsplit(":", 1)[1].split("/")[0])
        return self.quick(socket.create_connection(("127.0.0.1", port)))
