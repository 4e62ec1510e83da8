"""Ends motions at random moments, and looks at the motors after each.

ezphys_kills.py KILLS FOLDER [OPTION…]: each of two simulators of its own lives through half of
them; the options are for ezphys. After each the exit status must be that of the signal, and joints
that had been driven must stand still in the simulation. Prints one line per failure and at the end
how many there were; exit status 1 if there was any, or if too few motions were under way to prove
anything. SEED repeats the random numbers.
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
STILL = 5e-3  # rad/s; what was in motion swings a little when it is held
SCENES = (("pendulum", "hinge"), ("arm4", "waist"))


class Lane(threading.Thread):
    def __init__(self, number, kills, folder, seed):
        super().__init__()
        self.random = random.Random(seed * 100 + number)
        self.number, self.kills = number, kills
        self.scene, self.joint = SCENES[number % len(SCENES)]
        self.path = f"{folder}/path{number}.csv"
        with open(self.path, "w", encoding="utf-8") as path:
            path.write(f"t,{self.joint}\n" + "".join(
                f"{t},{0.8 if t % 2 else -0.8}\n" for t in range(20001)))
        self.under_way, self.problems = 0, []

    def run(self):
        sim = subprocess.Popen(["ezphys-sim", "--listen", "0", "--scene", self.scene],
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            self.url = sim.stderr.readline().split()[1]
            threading.Thread(target=sim.stderr.read, daemon=True).start()
            for i in range(self.kills):
                self.kill(i)
        except Exception as error:  # a lane must not end in silence
            self.problems.append(f"lane {self.number}: {error!r}")
        finally:
            sim.terminate()
            sim.wait()

    def words(self, i):
        if i % 3 == 0:
            return ["motor", self.joint, "1.5", "1000", "--for", "100000s"]
        if i % 3 == 1:
            return ["follow", self.path]
        return ["force", self.joint, "3", "--for", "100000s"]

    def kill(self, i):
        words, number = self.words(i), self.random.choice(SIGNALS)
        delay = self.random.uniform(0.002, 0.060)
        run = subprocess.Popen(
            ["ezphys", *OPTIONS, "-l", self.url, "--scene", self.scene, *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(delay)  # the moment is what is random here
        run.send_signal(number)
        said = run.communicate(timeout=20)[1]
        status = 128 - run.returncode if run.returncode < 0 else run.returncode
        stopped = "stopped: " in said
        self.under_way += stopped or ("--hold" in OPTIONS and run.returncode > 0)
        wrong = []
        if status != 128 + number:
            wrong.append(f"exit status {status}")
        if stopped or "--hold" in OPTIONS:
            wrong += self.motion()
        if wrong:
            self.problems.append(f"{words[0]} {number.name} after {delay * 1e3:.0f} ms: "
                                 + ", ".join(wrong) + "\n" + said[-600:])

    def motion(self):
        echo = subprocess.run(
            ["ezphys", "-q", "-l", self.url, "--scene", self.scene, "echo", "joint_axis", "-j", "-n",
             "80"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)
        records = [json.loads(line) for line in echo.stdout.splitlines()]
        if len(records) < 80:
            return ["no joint_axis " + echo.stderr.strip()]
        moving = [r for r in records[60:] if abs(r["angular_velocity"]) > STILL]
        return [f"{moving[-1]['name']} moves: {moving[-1]['angular_velocity']}"] if moving else []


def main():
    kills, folder = int(sys.argv[1]), sys.argv[2]
    seed = int(os.environ.get("SEED", "0")) or random.randrange(1, 1 << 30)
    lanes = [Lane(i, (kills + 1 - i) // 2, folder, seed) for i in range(2)]
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
