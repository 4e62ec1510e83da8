"""Moves sound and faulty joints of canpid. Each must stay within its bound, and end disabled with its old gains.

    hostile.py all [PLANT…]     each command on each of these plants in virtual time, as TAP
    hostile.py events           commands on a sound joint whose driver reports an error, falls silent or is
                                disabled by another program
    hostile.py interrupt        tune, interrupted during its first step
    hostile.py kills COUNT      commands through a server; each completes or ends at a random moment by one of
                                five signals

The bound is 15 deg beyond the joint's position and target, plus the motion during the delays of telemetry and
driver. Coasting after a disable does not count. The last frame must be a disable, nothing may enable the driver
beyond the bound, and changed gains must be restored. Exit status 1 otherwise.
"""
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

BIN = Path(os.environ.get("BIN", Path(__file__).resolve().parent.parent.parent / "build/bin")).resolve()
PLANTS = ["sound", "dead", "stuck", "stuck:1deg", "reversed", "wall:2deg", "delay:1s", "backlash:1deg", "coulomb:5%", "unstable"]
BOUND = 15
FASTEST = 600  # deg/s
EVENT_S = 1.5  # s, time of the event after the first setpoint
EVENTS = {"error": "the device reports fix_link_encoder", "silence": "telemetry stopped",
          "disable": "the device reports it was disabled by another program or by a restart"}
PUBLISHED = {"kp": 3, "ki": 0.0005, "kd": 0}
TARGETS = {"identify": 0, "tune": 10, "step": 10, "sweep": 5, "verify": 10, "play": 10}
COMMANDS = {
    "identify": "identify -b lknee -c pos",
    "tune": "--json tune -b lknee -c pos --yes",
    "step": "step --from 0deg --to 10deg --for 4s -b lknee -c pos",
    "sweep": "sweep --amplitude 5deg -b lknee -c pos",
    "verify": "verify spec.ini",
    "play": "play walk.csv -c pos --loop --for 8s",
}
# Expected reasons for an abort, by plant and command; all other commands complete.
RESTS = "sweep: no motion: lknee stayed at"
STUCK, REVERSED, BEYOND = "no motion despite output", "moved against the output", "more than 15 outside"
ENDS = {
    "dead": {name: STUCK for name in COMMANDS} | {"sweep": RESTS},
    "stuck": {name: STUCK for name in COMMANDS} | {"sweep": RESTS},
    "stuck:1deg": {name: STUCK for name in ("identify", "tune", "step", "verify")} | {"sweep": RESTS},
    "reversed": {name: REVERSED for name in COMMANDS},
    "delay:1s": {name: BEYOND for name in COMMANDS} | {"play": "behind its target"},
    "unstable": {name: BEYOND for name in COMMANDS},
    "wall:2deg": {"tune": "restored the previous gains", "step": STUCK, "verify": STUCK},
    "backlash:1deg": {"verify": "instead of 10 deg"},
    "coulomb:5%": {"step": "instead of 10 deg", "verify": "instead of 10 deg", "sweep": RESTS},
    "sound": {"verify": "instead of 10 deg"},
}


def prepare():
    Path("spec.ini").write_text("[s]\nboard = lknee\ncontroller = pos\nfrom = 0deg\nto = 10deg\nfor = 4s\n"
                                "max-overshoot = 50%\nmax-settling-time = 3.9s\n")
    Path("walk.csv").write_text("t,lknee\n0,0\n1,10\n2,-10\n3,0\n")


def start(*words, **more):
    env = dict(os.environ, XDG_CONFIG_HOME=os.getcwd(), XDG_STATE_HOME=tempfile.mkdtemp(dir="."))
    return subprocess.Popen([BIN / "canpid", "-q", *words], env=env, text=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


class Wire:
    """Frames of lknee in the log: setpoints (share of full scale), gains and angles."""

    def __init__(self, slack):
        self.slack = slack  # deg
        self.last = None
        self.gains = {}
        self.enabled = self.left = False
        self.enabled_times = 0
        self.farthest = 0
        self.wrong = []

    def setpoint(self, value):
        self.last = "disable" if abs(value) > 1 else "setpoint"
        self.enabled_times += self.last == "setpoint" and not self.enabled
        self.enabled = self.last == "setpoint"
        if self.left and self.enabled:
            self.wrong.append("enabled after it had left its bound")

    def gain(self, name, value):
        self.last = name
        self.gains[name] = value

    def angle(self, degrees, bound):
        if self.enabled:
            self.farthest = max(self.farthest, abs(degrees))
        self.left = self.left or abs(degrees) > bound + self.slack

    def judge(self, name, applied):
        bound = BOUND + TARGETS[name]
        if self.farthest > bound + self.slack:
            self.wrong.append(f"enabled at {self.farthest:.1f} deg, {bound} is the bound")
        if self.last not in (None, "disable"):
            self.wrong.append(f"the last frame is {self.last}")
        for gain, value in self.gains.items():
            if not applied and abs(value - PUBLISHED[gain]) > 1e-6:
                self.wrong.append(f"left with {gain} {value:g}")
        return sorted(set(self.wrong))


def applied_in(out):
    return any('"applied":true' in line for line in out.splitlines())


# ---- In virtual time -----------------------------------------------------------------------------


def look_into(path, name):
    wire = Wire(slack=FASTEST * 0.02)
    decoded = subprocess.run([BIN / "canpid", "decode", "-j", path], capture_output=True, text=True, check=False)
    for line in decoded.stdout.splitlines():
        record = json.loads(line)
        if record.get("board") != "lknee":
            continue
        if record["msg"] == "setpoint":
            wire.setpoint(record["value"] / 360)
        elif record["msg"] in PUBLISHED:
            wire.gain(record["msg"], record["value"])
        elif record["msg"] == "sensors" and record["lever_angle"] is not None:
            wire.angle(record["lever_angle"], BOUND + TARGETS[name])
    return wire


def everything(plants):
    cases = [(plant, name) for plant in plants or PLANTS for name in COMMANDS]
    failed = 0
    print(f"1..{len(cases)}")
    for number, (plant, name) in enumerate(cases, 1):
        process = start("-l", f"sim:?time=virtual&plant={plant}", "--record", "run.pcapng", *COMMANDS[name].split())
        out, err = process.communicate(timeout=120)
        wrong = look_into("run.pcapng", name).judge(name, applied_in(out))
        why = ENDS[plant].get(name)
        if why and (process.returncode == 0 or why not in out + err):
            wrong.append(f"'{why}' is not said: exit {process.returncode}: {err.strip()}")
        if not why and process.returncode != 0:
            wrong.append(f"exit {process.returncode}: {err.strip()}")
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {plant} {name} {'; '.join(wrong)}")
        Path("run.pcapng").unlink(missing_ok=True)
    return failed == 0


# ---- In real time, with kills --------------------------------------------------------------------


class Proxy:
    """Relays Lawicel frames between the tool and the adapter of a simulated driver."""

    def __init__(self, port, name, event=None):
        self.name = name
        self.event, self.due, self.sends = event, None, 0
        # A busy machine delays tool and driver.
        self.wire = Wire(slack=FASTEST * 0.05)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"slcan:tcp:127.0.0.1:{self.listener.getsockname()[1]}"
        self.board = socket.create_connection(("127.0.0.1", port))
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        host, _ = self.listener.accept()
        for one in (host, self.board):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        up = threading.Thread(target=self.copy, args=(self.board, host), daemon=True)
        up.start()
        self.copy(host, self.board)
        self.board.shutdown(socket.SHUT_RDWR)
        up.join()
        host.close()

    def copy(self, source, sink):
        rest = b""
        while True:
            try:
                data = source.recv(65536)
            except OSError:
                return
            if not data:
                return
            *lines, rest = (rest + data).split(b"\r")
            for line in lines:
                self.note(line.lstrip(b"\a"))
            if source is self.board and self.due and time.monotonic() > self.due:
                data = b"".join(self.change(line) + b"\r" for line in lines)
            try:
                sink.sendall(data)
            except OSError:
                return

    def change(self, line):
        """Returns the driver's frame as changed by the event."""
        # Plays the other program, which repeats its disable. After a single one, the next setpoint of the tool
        # under test would enable the driver again.
        if self.event == "disable" and self.sends < 10 and time.monotonic() > self.due + 0.03 * self.sends:
            self.sends += 1
            self.board.sendall(b"t04460000C03F0000\r")
        if self.event == "silence" and line.lstrip(b"\a").startswith(b"t05"):
            return b""
        if self.event == "error" and b"t05F6" in line:
            return line.replace(b"t05F6" + line.split(b"t05F6")[1], b"t05F6F27FFF01FF7F")
        return line

    def note(self, line):
        if not line.startswith(b"t") or len(line) < 17 or line[1:3] != b"04" and line[1:3] != b"05":
            return
        number, data = int(line[1:4], 16), bytes.fromhex(line[5:17].decode())
        if number == 0x44:
            if self.event and not self.due:
                self.due = time.monotonic() + EVENT_S
            self.wire.setpoint(struct.unpack("<f", data[:4])[0])
        elif number in (0x41, 0x42, 0x43):
            self.wire.gain(("kp", "ki", "kd")[number - 0x41], struct.unpack("<f", data[:4])[0])
        elif number == 0x5F:
            self.wire.angle(struct.unpack("<h", data[4:6])[0] * 0.045, BOUND + TARGETS[self.name])

    def close(self):
        self.thread.join(10)
        self.listener.close()
        self.board.close()


def is_disabled(url):
    """Returns true if the latest telemetry shows a disabled driver."""
    for _ in range(5):
        out, _ = start("-j", "-l", url, "watch", "-b", "lknee", "-n", "12").communicate()
        pid = [json.loads(line) for line in out.splitlines() if '"msg":"pid"' in line]
        if pid and [pid[-1].get("setpoint"), pid[-1].get("output")] == [None, 0]:
            return True
        time.sleep(0.2)
    return False


def serve(plant):
    board = start("sim", "-b", "lknee", "--plant", plant, "--listen", "slcan:tcp-listen:0")
    return board, next(line for line in board.stderr if line.startswith("ready: ")).split()[1]


def event_one(name, event):
    board, url = serve("sound")
    proxy = Proxy(int(url.rsplit(":", 1)[1]), name, event)
    process = start("-l", proxy.url, *COMMANDS[name].split())
    _, err = process.communicate(timeout=30)
    took = time.monotonic() - proxy.due
    proxy.close()
    # Gains are only sent to a driver known to be disabled.
    wrong = proxy.wire.judge(name, event == "silence")
    if EVENTS[event] not in err:
        wrong.append(f"'{EVENTS[event]}' is not said: exit {process.returncode}: {err.strip()}")
    if took > (3 if event == "silence" else 1.5):  # includes unconfirmed stops and gains
        wrong.append(f"ended {took:.1f} s after it")
    if not is_disabled(url):
        wrong.append("enabled")
    board.terminate()
    board.communicate()
    return wrong


def events():
    cases = [(name, event) for event in EVENTS for name in ("step", "sweep", "identify", "play")]
    failed = 0
    print(f"1..{len(cases)}")
    for number, (name, event) in enumerate(cases, 1):
        wrong = event_one(name, event)
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {name} {event} {'; '.join(wrong)}")
    return failed == 0


def interrupt_step():
    """Interrupts tune during its first step, which follows the experiment of identify."""
    board, url = serve("sound")
    proxy = Proxy(int(url.rsplit(":", 1)[1]), "tune")
    process = start("-l", proxy.url, *COMMANDS["tune"].split())
    while proxy.wire.enabled_times < 2 and process.poll() is None:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    proxy.close()
    wrong = proxy.wire.judge("tune", False)
    if process.returncode != 130 or '"error":"stopped"' not in out:
        wrong.append(f"exit {process.returncode}: {out}")
    if not is_disabled(url):
        wrong.append("enabled")
    board.terminate()
    board.communicate()
    print(*wrong, sep="\n")
    return not wrong


def kill_one(plant, name, how, moment):
    board, url = serve(plant)
    proxy = Proxy(int(url.rsplit(":", 1)[1]), name)
    process = start("-l", proxy.url, *COMMANDS[name].split())
    try:
        out, _ = process.communicate(timeout=moment)
    except subprocess.TimeoutExpired:
        process.send_signal(how)
        out, _ = process.communicate(timeout=30)
    proxy.close()
    wrong = proxy.wire.judge(name, applied_in(out))
    if proxy.wire.last and not is_disabled(url):
        wrong.append("enabled")
    board.terminate()
    board.communicate()
    return wrong


def kills(count, lanes=6):
    signals = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV]
    seed = int(os.environ.get("SEED", "0")) or random.randrange(1, 1 << 30)
    rng = random.Random(seed)
    # Kills tune most often: it has the most to restore and takes 20 s on a sound joint.
    plan = [(plant, rng.choice([*COMMANDS, "tune", "tune", "identify"]), rng.choice(signals),
             rng.uniform(0.05, 24 if plant == "sound" else 9))
            for plant in (PLANTS * count)[:count]]
    problems, turn = [], threading.Lock()

    def lane():
        while True:
            with turn:
                if not plan:
                    return
                plant, name, how, moment = plan.pop()
            try:
                wrong = kill_one(plant, name, how, moment)
            except Exception as error:  # reports a failure of the thread
                wrong = [repr(error)]
            if wrong:
                problems.append(f"{plant} {name}, {how.name} at {moment:.2f} s: {'; '.join(wrong)}")

    threads = [threading.Thread(target=lane) for _ in range(min(lanes, count))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(*problems, sep="\n", end="\n" if problems else "")
    runs = f"{count - len(problems)} of {count}" if problems else f"all {count}"
    print(f"In {runs} runs, the joint stayed within its limit, its gains were restored and its driver was disabled. SEED={seed}")
    return not problems


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare()
        if sys.argv[1] == "kills":
            good = kills(int(sys.argv[2]))
        else:
            single = {"events": events, "interrupt": interrupt_step}.get(sys.argv[1])
            good = single() if single else everything(sys.argv[2:])
        os.chdir("/")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
