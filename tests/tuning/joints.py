#!/usr/bin/env python3
"""Tunes every joint of the simulated exoskeleton and checks the result.

    joints.py           60 runs of tune --yes in virtual time: six boards, pos and tor, five amplitudes; prints
                        the table of docs/tuning/results.md
    joints.py 12        the twelve joints at the default amplitude, as TAP: better gains are kept, worse ones
                        are not, and nine rise times match their prediction

Exit status 1 if worse gains were kept or a driver was left enabled.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

BIN = Path(os.environ.get("BIN", Path(__file__).resolve().parent.parent.parent / "build/bin")).resolve()
BOARDS = ["lhip", "lknee", "lankle", "rhip", "rknee", "rankle"]
CONTROLLERS = ["pos", "tor"]
AMPLITUDES = [0.08, 0.09, 0.1, 0.11, 0.12]
DISABLED = [None, 0]


def canpid(*words, **more):
    env = dict(os.environ, XDG_CONFIG_HOME=os.getcwd(), XDG_STATE_HOME=os.getcwd())
    return subprocess.Popen([BIN / "canpid", *words], env=env, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **more)


def records(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def one(board, controller, amplitude):
    """Runs tune --yes and adds the final state of the driver from its telemetry."""
    script = Path("script")
    script.write_text(f"tune -b {board} -c {controller} --amplitude {amplitude} --yes\n"
                      f"watch -b {board} -n 6\n")
    out, err = canpid("-q", "-j", "--keep-going", "-l", "sim:?time=virtual", "run", "script").communicate(timeout=120)
    lines = records(out)
    tune = next((line for line in lines if line.get("cmd") == "tune"), {"ok": False})
    pid = [line for line in lines if line.get("msg") == "pid" and "setpoint" in line]
    tune["enabled"] = not pid or [pid[-1]["setpoint"], pid[-1]["output"]] != DISABLED
    tune["seconds"] = tune.get("t", 0)
    tune["error"] = err.strip()
    return tune


def kept(result):
    return result["ok"] and bool(result.get("applied"))


def worse(result):
    return kept(result) and not result["after"]["iae"] < result["before"]["iae"]


def better(result):
    return "after" in result and result["after"]["iae"] < result["before"]["iae"]


def near(result):
    """Returns true if the rise time is within 20 % of its prediction."""
    rise = result["after"]["rise_time"] if "after" in result else None
    return bool(rise and result["rise_time"]) and abs(result["rise_time"] - rise) <= 0.2 * rise


def why(result):
    """Returns tune's reason for restoring the gains."""
    return re.split(" — |; ", result["error"].rsplit("the previous gains: ", 1)[-1])[0]


def ms(seconds):
    return f"{1000 * seconds:.0f} ms" if seconds else "never"


def row(board, controller, r):
    unit = "deg·s" if controller == "pos" else "Nm·s"
    outcome = "kept" if kept(r) else f"restored: {why(r)}"
    if "before" not in r:
        return f"| {board} {controller} | | | | | | {outcome} |"
    return (f"| {board} {controller} | {r['kp']:.3g}, {r['ki']:.3g}, {r['kd']:.3g} | "
            f"{r['before']['iae']:.3g} {unit} | {r['after']['iae']:.3g} {unit} | "
            f"{r['overshoot']:.0f} %, {r['after']['overshoot']:.0f} % | "
            f"{ms(r['rise_time'])}, {ms(r['after']['rise_time'])} | {outcome} |")


def table():
    results = {(b, c, a): one(b, c, a) for a in AMPLITUDES for c in CONTROLLERS for b in BOARDS}
    print("| joint | gains (kp, ki, kd) | IAE before | IAE after | overshoot predicted, measured | "
          "rise time predicted, measured | the new gains |\n|---|---|---|---|---|---|---|")
    for (board, controller, amplitude), r in results.items():
        if amplitude == 0.1:
            print(row(board, controller, r))
    enabled = sum(r["enabled"] for r in results.values())
    longest = max(r["seconds"] for r in results.values())
    summary = (f"{sum(map(kept, results.values()))} of {len(results)} runs kept the new gains, and "
               f"{sum(map(worse, results.values()))} of these were worse by IAE; the others restored the old ones. "
               f"IAE was better in {sum(map(better, results.values()))} runs. The rise time was within 20 % of its "
               f"prediction in {sum(map(near, results.values()))} runs. "
               f"{enabled} ended with the driver enabled; the longest took {longest:.0f} s.")
    print(f"\n{textwrap.fill(summary, 120)}")
    return not enabled and not any(map(worse, results.values()))


def tap(count):
    runs = [(board, controller, 0.1) for controller in CONTROLLERS for board in BOARDS]
    results = {run: one(*run) for run in runs[::len(runs) // count]}
    print(f"1..{len(results) + 2}")
    for number, (name, r) in enumerate(results.items(), 1):
        good = not worse(r) and not r["enabled"]
        print(f"{'ok' if good else 'not ok'} {number} - {' '.join(map(str, name))} {r['error']}")
    good, all_kept = sum(map(better, results.values())), sum(kept(r) and better(r) for r in results.values())
    enough = 11 * all_kept >= 10 * good
    print(f"{'ok' if enough else 'not ok'} {len(results) + 1} - {all_kept} of {good} better gains are kept")
    rise = sum(map(near, results.values()))
    predicted = rise >= len(results) * 3 // 4
    print(f"{'ok' if predicted else 'not ok'} {len(results) + 2} - {rise} of {len(results)} rise within 20 % of the prediction")
    return enough and predicted and not any(worse(r) or r["enabled"] for r in results.values())


def run_in_folder(tap, table):
    """Runs tap(N) or table() in an empty folder. Returns the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        good = tap(int(sys.argv[1])) if sys.argv[1:] else table()
        os.chdir("/")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(run_in_folder(tap, table))
