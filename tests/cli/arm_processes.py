"""Runs one-shot processes of armctl in sequence against one simulator on a pty, and compares each
result with the simulator's own record of executed commands.

    arm_processes.py FOLDER NAME [SEED [COUNT]]     NAME is a row of RUNS, or all

With SERVED in the environment, all processes go through a server.
"""
import os
import random
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from stops_tools import Pulse

BIN = os.environ["BIN"]
PROFILE = """[joint base]
index = 1
[joint lift]
index = 2
kind = translate
[joint reach]
index = 3
kind = translate
[joint elbow]
index = 4
"""
SERVOS = """[joint elbow]
index = 2
kind = pulse
[joint hand]
index = 4
kind = pulse
"""
QUICK = ["--ack-timeout", "200ms"]
PULSE = Pulse()
HELD_UP = "stalled for", "sent nothing for"  # a server stops a motion if the machine was busy for a while

# name: profile, simulator options, link options, interrupt probability, options of each process
RUNS = {
    "fast": (PROFILE, ["--turn-speed", "5000", "--slide-speed", "9000"], "", 0, []),
    "slow": (PROFILE, ["--turn-speed", "400", "--slide-speed", "900"], "", 0.15, []),
    "loss": (PROFILE, ["--turn-speed", "5000", "--slide-speed", "9000"], "drop=5%&dup=5%", 0.1, QUICK),
    "bare": (PROFILE, ["--turn-speed", "5000", "--slide-speed", "9000", "--quirks", "bare-confirm"],
             "", 0, []),
    "published": (SERVOS, ["--quirks", "published"], "", 0, []),
    "published-loss": (SERVOS, ["--quirks", "published"], "drop=3%&dup=3%", 0.1, QUICK),
}


class Run:
    def __init__(self, folder, name, seed):
        self.profile, self.sim_args, self.faults, self.interrupts, self.options = RUNS[name]
        self.name, self.random = name, random.Random(seed)
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder)
        config = os.path.join(self.folder, "armctl.ini")
        with open(config, "w", encoding="ascii") as file:
            file.write(self.profile)
        self.env = dict(os.environ, XDG_STATE_HOME=self.folder, ARMCTL_CONFIG=config)
        self.pty = os.path.join(self.folder, "arm")
        self.log = os.path.join(self.folder, "simulator")
        self.places, self.last, self.seen = {}, None, 0
        self.server = None
        self.codes, self.slowest, self.cut_off = {}, 0, ""

    def start(self):
        with open(self.log, "w", encoding="utf-8") as log:
            self.simulator = subprocess.Popen(
                [f"{BIN}/armctl", "--config", self.env["ARMCTL_CONFIG"], "-v", "sim", "--listen",
                 "pty:" + self.pty] + self.sim_args, stderr=log, env=self.env)
        while "ready:" not in open(self.log, encoding="utf-8").read():
            assert self.simulator.poll() is None, open(self.log, encoding="utf-8").read()
        if "SERVED" in os.environ:
            self.env["XDG_RUNTIME_DIR"] = self.folder
            self.server = subprocess.Popen(
                [f"{BIN}/armctl", "--config", self.env["ARMCTL_CONFIG"], "-q", "-l", f"tty:{self.pty}", *self.options,
                 "serve"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.env)
            assert "ready:" in self.server.stderr.readline()

    def carried_out(self):
        """Returns the commands executed since the last call."""
        with open(self.log, encoding="utf-8", errors="replace") as log:
            log.seek(self.seen)
            text = log.read()
        whole = text[:text.rfind("\n") + 1]
        self.seen += len(whole.encode("utf-8"))
        return [line.split()[-1] for line in whole.splitlines() if "executed " in line
                and "commands" not in line]

    def choose(self):
        """Returns the arguments of a random command and the line it sends; None if it moves nothing."""
        r = self.random
        verb = r.choice(["deg", "pos", "arm", "stop", "ping", "deg", "stop"])
        if verb in ("stop", "ping"):
            return [verb], None
        if self.profile is SERVOS:
            joint, value = r.choice([("elbow", 2), ("hand", 4)]), r.randrange(1000, 2001)
            return ["deg", joint[0], f"{value}"], f"DEG{joint[1]},{value:04}"
        if verb == "deg":
            joint, value = r.choice([("base", 1), ("elbow", 4)]), r.randrange(361)
            return ["deg", joint[0], f"{value}"], f"DEG{joint[1]},{value:03}"
        if verb == "pos":
            joint, value = r.choice([("lift", 2), ("reach", 3)]), r.randrange(1000)
            return ["pos", joint[0], f"{value}"], f"POS{joint[1]},{value:03}"
        at = [r.randrange(1000), r.randrange(361), r.randrange(1000)]
        return ["arm"] + [str(n) for n in at], "ARM%03d,%03d,%03d" % tuple(at)

    def process(self, number, words):
        link = f"tty:{self.pty}"
        if self.faults:
            link += f"?{self.faults}&seed={number}"
        command = [os.environ.get("CLIENT", f"{BIN}/armctl"), "--config", self.env["ARMCTL_CONFIG"], "-q", "-v", "-l", link] \
            + self.options + words
        started = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=self.env) as process:
            interrupted = words[0] not in ("stop", "ping") and \
                self.random.random() < self.interrupts
            if interrupted:
                time.sleep(self.random.random() * 0.2)
                process.send_signal(signal.SIGINT)
            out, err = process.communicate()
        self.slowest = max(self.slowest, time.monotonic() - started)
        return process.returncode, out, err, interrupted

    def is_of_another(self, err):
        """Returns true if the error names a confirmation for an interrupted process or its stop."""
        named = re.search(r"confirmed (\S+) instead", err)
        return named and named[1].encode().hex(" ").upper() in self.cut_off

    def check(self, words, line, code, out, err, done):
        """Returns a description of the wrong result, or None."""
        lossy = bool(self.faults)
        if self.server and PULSE.stood and any(text in err for text in HELD_UP):
            return None
        if words[0] == "ping":
            return f"the ping executed {done}" if line and done else None
        if words[0] == "stop" and code == 0 and "sent=" in out:
            line = out.split("sent=")[1].split()[0]
        if code == 0 and line and (line not in done or done[-1] != line):
            return f"reported as confirmed, but the simulator executed {done}"
        again = words[0] == "stop" and self.server  # stop stops the arm first and then exits with the error
        if code == 0 and line and not lossy and not self.interrupts and done not in ([line], [line] * (1 + bool(again))):
            return f"confirmed once, but the simulator executed {done}"
        if words[0] == "stop" and code == 1 and "position" in err and "unknown" in err:
            return None
        if code == 1 and not self.is_of_another(err):
            return "refused, but the simulator refuses no command"
        if code == 3 and not lossy:
            return "timed out, but no message was lost"
        if code not in (0, 1, 3, 130, -signal.SIGINT):  # killed by SIGINT before it installed its handler
            return f"exit {code}"
        return None

    def step(self, number):
        words, line = self.choose()
        late = self.carried_out()
        code, out, err, interrupted = self.process(number, words)
        done = self.carried_out()
        self.codes[code] = self.codes.get(code, 0) + 1
        why = self.check(words, line, code, out, err, done)
        if code == 0 and line and not interrupted and "result=confirmed" not in out:
            why = why or "exit 0 without result=confirmed"
        self.cut_off += err if interrupted else ""
        if why:
            print(f"{self.name} {number}: {' '.join(words)}: exit {code}: {why}\n{out}{err}"
                  f"between: {late}")
        return not why

    def all(self, count):
        self.start()
        try:
            good = [self.step(number) for number in range(1, count + 1)]
        finally:
            for process in filter(None, (self.server, self.simulator)):
                process.terminate()
                process.wait()
        print(f"{self.name}: {count} processes, {good.count(False)} not true, exit codes "
              f"{dict(sorted(self.codes.items()))}, the slowest took {self.slowest:.1f} s")
        return all(good)


def main():
    folder, name = sys.argv[1:3]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 100
    names = list(RUNS) if name == "all" else [name]
    sys.exit(not all([Run(folder, each, seed).all(count) for each in names]))


main()
