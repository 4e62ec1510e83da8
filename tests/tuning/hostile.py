#!/usr/bin/env python3
"""Runs experiments on faulty joints (sim --plant) and checks how far the joints move and what is reported.

    hostile.py          each fault at three control periods; prints the table of docs/tuning/results.md
    hostile.py 8        eight of these runs, as TAP

After each run the driver must be disabled and have its previous gains, or the new ones if they were applied.
Beyond the bound it may stay enabled only until telemetry shows the position and a disable takes effect;
nothing may enable it again. With a stuck encoder the position is unknown. Exit status 1 otherwise.
"""
import json
import subprocess
import sys
import textwrap
from pathlib import Path

from joints import BIN, canpid, records, run_in_folder

PLANTS = ["dead", "stuck", "reversed", "wall:2deg", "delay:1s", "backlash:1deg", "coulomb:5%", "unstable"]
TICKS = [4, 8, 10]
BOARD = "lknee"
COMMANDS = {
    "identify": "identify -b lknee -c pos",
    "tune": "tune -b lknee -c pos --yes",
    "step": "step --from 0deg --to 10deg --for 2s -b lknee -c pos",
    "verify": "verify spec.ini",
}
SPEC = """[10 deg]
board = lknee
controller = pos
from = 0deg
to = 10deg
for = 2s
max-overshoot = 40%
"""
OLD = {"kp": 3, "ki": 0.0005, "kd": 0}
BOUND = {"identify": [-15, 15], "tune": [-15, 25], "step": [-15, 25], "verify": [-15, 25]}
LATE = 0.025  # s, max time enabled beyond the bound: a telemetry frame, a send interval and a control period
REST = 3      # s, time to observe the coasting joint


def frames(name):
    done = subprocess.run([BIN / "canpid", "decode", "-j", name], text=True, capture_output=True)
    return [f for f in records(done.stdout) if f.get("board") == BOARD]


def run(plant, tick, command):
    """Checks a run by all frames on its link."""
    Path("spec.ini").write_text(SPEC)
    Path("script").write_text(f"{COMMANDS[command]}\nwatch -b {BOARD} --for {REST}s\n")
    link = f"sim:?time=virtual&tick={tick}ms&plant={plant}"
    words = ["-q", "-k", "--record", "run.pcapng", "-l", link, "--switch", "run", "script"]
    out, err = canpid(*([] if command == "verify" else ["-j"]), *words).communicate(timeout=300)
    result = next((line for line in records(out) if line.get("cmd") == command), {"ok": False})
    tap = [line for line in out.splitlines() if line.startswith(("ok 1", "not ok 1"))]
    result["said"] = result.get("why") or (tap or err.strip().splitlines() or ["nothing"])[0]
    result.update(look(frames("run.pcapng"), BOUND[command], result.get("applied")))
    return result


def look(seen, bound, applied):
    pid = [f for f in seen if f["msg"] == "pid"]
    at = [360 * f["measured"] / 100 for f in pid]
    on = [f["setpoint"] is not None and abs(f["setpoint"]) < 60 for f in pid]
    beyond = [not bound[0] <= a <= bound[1] for a in at]
    powered = [b["t"] - a["t"] for a, b, o, away in zip(pid, pid[1:], on, beyond) if o and away]
    first = next((i for i, away in enumerate(beyond) if away), len(pid))
    off = next((i for i in range(first, len(pid)) if not on[i]), len(pid))
    gains = {f["msg"]: f["value"] for f in seen if f["msg"] in OLD}
    restored = not gains or applied or all(abs(gains.get(k, v) - v) < 1e-6 for k, v in OLD.items())
    return {
        "on": max((abs(a) for a, o in zip(at, on) if o), default=0),
        "coasted": max((abs(a) for a in at), default=0),
        "faults": [word for word, bad in [
            ("left enabled", not pid or on[-1]),
            ("beyond the bound with power for %.0f ms" % (1000 * sum(powered)), sum(powered) > LATE),
            ("enabled again", any(on[off:])),
            ("other gains than before", not restored)] if bad],
    }


def all_runs():
    return [(p, t, c) for p in PLANTS for t in TICKS for c in COMMANDS]


def table():
    good = True
    print("| fault | `identify` | `tune --yes` | `step` by 10° | `verify` of this step | max position with power | "
          "position at rest |")
    print("|---|---|---|---|---|---|---|")
    for plant in PLANTS:
        results = {(t, c): run(plant, t, c) for t in TICKS for c in COMMANDS}
        faults = [f"{c} at {t} ms: {', '.join(r['faults'])}" for (t, c), r in results.items() if r["faults"]]
        good = good and not faults
        said = [verdict(c, results[10, c]) for c in COMMANDS]
        print(f"| `{plant}` | {' | '.join(said)} | {max(r['on'] for r in results.values()):.1f}° | "
              f"{max(r['coasted'] for r in results.values()):.1f}° |{' '.join(faults)}")
    runs = len(all_runs())
    summary = f"There were {runs} runs, with control periods of 4, 8 and 10 ms" + (
        ". After each run, the driver was disabled and stayed disabled. It had the previous gains, or the new ones if "
        "they were applied. After the deviation limit, the motor stayed on only until the stop took effect." if good
        else ", with faults.")
    print(f"\n{textwrap.fill(summary, 120)}")
    return good


def verdict(command, result):
    if result["ok"] and result.get("applied"):
        return "applied, IAE %.3g before, %.3g after" % (result["before"]["iae"], result["after"]["iae"])
    if result["ok"]:
        return "fit %.0f %%" % result["fit"] if "fit" in result else "overshoot %.3g %%" % result["overshoot"]
    said = result["said"]
    for front in ["not ok 1 - 10 deg: ", "ok 1 - 10 deg: ", "canpid: ", "script:1:1: ", "tune: restored the previous gains: ", "lknee: "]:
        said = said.removeprefix(front)
    return said.split(" — ")[0]


def tap(count):
    runs = all_runs()
    # Spreads the choice over all plants, periods and commands.
    chosen = [runs[(i * len(runs) // count + i * 5 % 12) % len(runs)] for i in range(count)]
    failed = 0
    print(f"1..{len(chosen)}")
    for number, (plant, tick, command) in enumerate(chosen, 1):
        result = run(plant, tick, command)
        failed += bool(result["faults"])
        print(f"{'not ok' if result['faults'] else 'ok'} {number} - {command}, {plant}, {tick} ms: "
              f"{', '.join(result['faults']) or verdict(command, result)}")
    return failed == 0


if __name__ == "__main__":
    sys.exit(run_in_folder(tap, table))
