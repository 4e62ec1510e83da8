"""Makes each allocation of a command fail in turn. The command must succeed without it, or exit with the code for
out of memory and one line. It must not crash, must stop a motion, and must free all memory and descriptors.

    memory.py SHIMS FOLDER NAME       NAME is a row of RUNS

The shims tests/memory/memory.c and descriptors.c are preloaded. Each allocation fails alone, then together with
all later ones; allocations of libraries (jansson, inih, libc) count, too. Prints failures and finally the number
of runs by outcome. Exit status 1 after any failure.
"""
import collections
import os
import re
import subprocess
import sys

BIN = os.environ["BIN"]
OK, NO_MEMORY = 0, 9
LIMIT_S = 60
MOST = 150  # max number of failing allocations, evenly spaced
SIM = ("-l", "sim:?time=virtual")
BOARD = ("-b", "lknee", "-c", "pos")
MOVES, STOPS = "moves", "stops"

# Effect of a host message by its bytes, for each tool. The first match counts.
MESSAGES = {
    "armctl": (("[0-9A-F]{2}53504430303", STOPS), ("[0-9A-F]{2}535044", MOVES)),
    "canpid": (("044#0000C03F", STOPS), ("044#", MOVES)),
    "hidmotor": (("3807000000000000", STOPS), ("38070000", MOVES)),
    "unitysim": (("FFFF0114(.{6}00){5}", STOPS), ("FFFF01", MOVES)),
}

RUNS = {
    "encode": ("armctl", "encode", "deg", "joint=1", "angle=30"),
    "encode-json": ("armctl", "encode", "-j", "deg", "joint=1", "angle=30"),
    "decode": ("canpid", "decode", "capture.pcapng"),
    "decode-json": ("canpid", "decode", "-j", "capture.pcapng"),
    "decode-csv": ("canpid", "decode", "--csv", "capture.pcapng"),
    "decode-where": ("canpid", "decode", "--where", "torque>-100", "capture.pcapng"),
    "info": ("canpid", "info", "capture.pcapng"),
    "info-csv": ("canpid", "info", "run.csv"),
    "open": ("armctl", *SIM, "ping"),
    "open-board": ("hidmotor", *SIM, "ping", "-n", "2"),
    "open-faults": ("armctl", "-l", "sim:?time=virtual&dup=1%", "ping"),
    "open-capture": ("canpid", "-l", "log:capture.pcapng", "watch", "-n", "3"),
    "watch": ("canpid", *SIM, "watch", "--for", "0.2s"),
    "watch-json": ("canpid", *SIM, "watch", "-j", "lknee.torque", "--for", "0.2s"),
    "plot": ("canpid", *SIM, "plot", "lknee.torque", "--for", "0.2s"),
    "plot-file": ("canpid", *SIM, "plot", "lknee.torque", "--for", "0.2s", "--out", "out.gp"),
    "record": ("canpid", *SIM, "record", "out.pcapng", "--for", "0.2s"),
    "own-record": ("canpid", "--dbc", "bms.dbc", *SIM, "record", "out.pcapng", "--for", "0.1s"),
    "own-decode": ("canpid", "decode", "own.pcapng"),
    "own-decode-table": ("canpid", "info", "own.csv"),
    "own-send": ("unitysim", "--packets", "own.packets", *SIM, "send", "mood"),
    "replay": ("canpid", *SIM, "replay", "--all", "capture.pcapng"),
    "speed": ("armctl", "-v", *SIM, "spd", "50"),
    "move": ("hidmotor", "-v", *SIM, "--record", "out.pcapng", "move", "60", "60", "-60",
             "duration=500ms", "--wait"),
    "drive": ("unitysim", "-v", *SIM, "drive", "elbow=+45", "--for", "0.1s"),
    "step": ("canpid", "-v", *SIM, "step", "--from", "20deg", "--to", "-10deg", "--settle", "50ms",
             "--for", "0.5s", *BOARD),
}


# Commands whose output must be complete if they exit with 0.
SAME = ("own-decode", "own-decode-table")


class Trial:
    def __init__(self, shims, folder, name):
        self.folder, self.tool, words = folder, RUNS[name][0], RUNS[name][1:]
        self.expected, self.same = None, name in SAME
        self.command = (os.path.join(BIN, self.tool), *words)
        self.counter = os.path.join(folder, "allocations")
        # The C locale, because libc keeps memory for other locales.
        self.env = {**os.environ, "LC_ALL": "C", "MEMORY_COUNT": self.counter,
                    "LD_PRELOAD": f"{shims}/memory.so:{shims}/descriptors.so"}

    def run(self, **more):
        done = subprocess.run(self.command, cwd=self.folder, env={**self.env, **more}, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S)
        self.printed = done.stdout
        return done.returncode, done.stderr.splitlines()

    def count(self):
        code, said = self.run()
        problem = self.judge(code, said)
        assert code == OK and not problem, f"without any failure: {code}: {said[-1:]}, {problem}"
        count, _ = self.counted()
        self.expected = self.printed
        return count

    def counted(self):
        """Returns the number of allocations and of unfreed ones."""
        with open(self.counter, encoding="ascii") as file:
            return map(int, file.read().split())

    def last(self, trace):
        """Returns true if the last message with an effect starts a motion."""
        effect = None
        for line in trace:
            sent = re.match(r" *[0-9.]+ ms -> (.*?)(  |$)", line)
            for pattern, what in MESSAGES.get(self.tool, ()) if sent else ():
                if re.match(pattern, sent[1].replace(" ", "")):
                    effect = what
                    break
        return effect

    def judge(self, code, said):
        """Returns what is wrong with this run, or None."""
        trace = [line for line in said if re.match(r" *[0-9.]+ ms (->|<-) ", line)]
        why = [line for line in said if line not in trace and "this is the simulator" not in line]
        if code not in (OK, NO_MEMORY):
            return f"exit status {code}: {why[-1:]}"
        if code == NO_MEMORY and not (why and re.fullmatch(r"[a-z]+: .*out of memory.*", why[-1])):
            return f"it does not say why: {why}"
        if code != OK and self.last(trace) == MOVES:
            return f"not stopped: {trace[-1]}"
        if code == OK and self.same and self.printed != (self.expected or self.printed):
            return f"it prints something else: {self.printed[:80]!r}"
        _, kept = self.counted()
        return f"{kept} allocations not freed" if kept else None


def main(shims, folder, name):
    trial, ends, wrong = Trial(shims, folder, name), collections.Counter(), 0
    count = trial.count()
    for number in range(1, count + 1, max(1, count // MOST)):
        for how in ({}, {"MEMORY_FAILS_ON": "1"}):
            code, said = trial.run(MEMORY_FAILS=str(number), **how)
            problem = trial.judge(code, said)
            ends[code] += 1
            if problem:
                wrong += 1
                print(f"{name}: allocation {number} of {count}{' and on' if how else ''}: {problem}")
    print(f"{name}: {count} allocations, ends: {dict(sorted(ends.items()))}, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
