"""Ends experiments at random moments, and looks at the driver after each.

canpid_kills.py KILLS FOLDER [OPTION…]: each of four simulators of its own (three on TCP ports, one
on a pty in FOLDER) lives through a quarter of them; the options are for canpid. After each the exit
status must be that of the signal, its last command setpoint 1.5, and the driver's telemetry must
show that it is disabled. Prints one line per failure and at the end how many there were; exit
status 1 if there was any, or if too few experiments were under way to prove anything. SEED repeats
the random numbers.
"""
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
OPTIONS = sys.argv[3:]
DISABLED = 99.99  # %: what the telemetry shows of setpoint 1.5, which it cannot carry
# What is run, and until when it is ended: tune waits for 100 ms before it swings.
STEP = (0.150, "step", "--from", "20deg", "--to", "-10deg", "--settle", "50ms", "--for", "5s")
TUNE = (0.350, "tune", "--rule", "zn")


class Lane(threading.Thread):
    def __init__(self, number, kills, folder, seed):
        super().__init__()
        self.random = random.Random(seed * 100 + number)
        self.number, self.kills = number, kills
        self.link = f"slcan:pty:{folder}/bus" if number == 0 else "slcan:tcp-listen:0"
        self.trace = f"{folder}/trace{number}"  # no pipe: nobody reads while it runs
        self.under_way, self.problems = 0, []

    def run(self):
        sim = subprocess.Popen(["canpid", "sim", "--listen", self.link], stdin=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        try:
            self.url = sim.stderr.readline().split()[1]
            for i in range(self.kills):
                self.kill(i)
        except Exception as error:  # a lane must not end in silence
            self.problems.append(f"lane {self.number}: {error!r}")
        finally:
            sim.terminate()
            sim.communicate()

    def kill(self, i):
        latest, *words = STEP if i % 2 else TUNE
        number = self.random.choice(SIGNALS)
        delay = self.random.uniform(0.005, latest)
        with open(self.trace, "w", encoding="utf-8") as trace:
            run = subprocess.Popen(
                ["canpid", "-v", *OPTIONS, "-l", self.url, *words, "-b", "lknee", "-c", "pos"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=trace)
        time.sleep(delay)  # the moment is what is random here
        run.send_signal(number)
        run.wait(timeout=20)
        with open(self.trace, encoding="utf-8") as trace:
            said = trace.read()
        status = 128 - run.returncode if run.returncode < 0 else run.returncode
        sent = [line.split()[3] for line in said.splitlines() if " ms -> " in line]
        self.under_way += bool(sent)
        wrong = []
        if status != 128 + number:
            wrong.append(f"exit status {status}")
        if sent and not (sent[-1].startswith("044#0000C03F")):
            wrong.append(f"last command {sent[-1]}")
        wrong += self.driver()
        if wrong:
            self.problems.append(f"{words[0]} {number.name} after {delay * 1e3:.0f} ms: "
                                 + ", ".join(wrong) + "\n" + said[-600:])

    def driver(self):
        watch = subprocess.run(["canpid", "-q", "-l", self.url, "watch", "-j", "-n", "36"],
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)
        records = [json.loads(line) for line in watch.stdout.splitlines()]
        pids = [r for r in records if r["msg"] == "pid" and r["board"] == "lknee"]
        if not pids:
            return ["no telemetry " + watch.stderr.strip()]
        last = pids[-1]
        untouched = last["setpoint"] == 0 and self.under_way == 0
        if last["output"] == 0 and (last["setpoint"] >= DISABLED or untouched):
            return []
        return [f"the driver is not disabled: {last}"]


def main():
    kills, folder = int(sys.argv[1]), sys.argv[2]
    seed = int(os.environ.get("SEED", "0")) or random.randrange(1, 1 << 30)
    lanes = [Lane(i, (kills + 3 - i) // 4, folder, seed) for i in range(4)]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    problems = [problem for lane in lanes for problem in lane.problems]
    under_way = sum(lane.under_way for lane in lanes)
    print(*problems, sep="\n")
    print(f"{kills} ended, {under_way} under way, {len(problems)} wrong, SEED={seed}")
    sys.exit(bool(problems) or under_way < kills // 4)


main()
