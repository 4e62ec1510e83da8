"""Runs every command of every tool with --record, first to a full disk, then to a disk with room for the file's
header only. A command whose traffic cannot be recorded must exit with 7 and report the reason once.

    full_disk.py FOLDER

Commands without traffic, whose recording succeeds, must exit as without --record.
"""
import json
import os
import re
import resource
import struct
import subprocess
import sys
from multiprocessing.pool import ThreadPool
from pathlib import Path

TOOLS = sorted(table.parent.name for table in Path(__file__).resolve().parents[2].glob("cmd/*/tool.c"))
LIMIT_S = 30
LOST = 7
BOARD = "-b lknee -c pos"

# Arguments of commands without an example in the help: for all tools, then for single tools.
WORDS = {
    "watch": "watch --for 0.1s -j", "encode": "describe", "decode": "describe", "plot": "plot {field} --for 0.1s",
    "record": "record null.ndjson --for 0.1s", "replay": "replay sent.pcapng", "run": "run script",
    "help": "help", "sim": "sim --listen tcp-listen:0 --help", "completion": "completion bash",
    "config": "config path", "describe": "describe", "quit": "quit", "list": "list", "info": "info",
    "wait": "wait {field}>-9999 --for 0.1s", "expect": "expect {field}>-9999 --for 0.1s",
    "limits": "limits", "pause": "pause 200ms",
    "teleop": "teleop --channels pad.ndjson --force", "verify": "verify --help",
    "send": "send --help", "speed": "speed --help",
    "armctl": {"send": "send DEG1,001", "jog": "jog 1 --help", "move": "move 1=90", "home": "--config home.ini home",
               "teleop": "--config home.ini teleop --channels pad.ndjson --force", "play": "play rotate.csv --force",
               "follow": "follow lead.csv --map 1=a --max-speed 20 --approach 10 --force"},
    "hidmotor": {"play": "play path.csv", "gains": "gains show", "moveto": "moveto 120mm 0mm 150mm",
                 "home": "home duration=50ms", "send": "send 1910 --yes", "jog": "jog m1 5",
                 "follow": "follow lead.csv --map m1=a --relative", "tip": "tip 0 45 -30",
                 "record": "record null.csv --for 0.1s", "sim": "sim --help"},
    "canpid": {"move": "move lknee=1deg -c pos", "design": "design --help", "play": "play --help",
               "follow": f"follow lead.csv --map lknee=a --relative --max-speed 20 {BOARD}",
               "gains": "gains save out.gains", "sim": "sim --help"},
    "unitysim": {"follow": "follow lead.csv --map elbow=a --relative", "play": "play --help", "teach": "teach --help", "sim": "sim --help",
                 "drive": "drive elbow=5 --for 50ms"},
    "ezphys": {"play": "play joint.csv", "follow": "follow lead.csv --map hinge=a --relative --max-speed 2",
               "watch": "watch --for 0.5s -j", "probe": "probe --help", "sim": "sim --help",
               "view": "view --for 50ms"},
}
FIELDS = {"armctl": "angle", "hidmotor": "m1.position", "canpid": "lknee.torque",
          "unitysim": "elbow.position", "ezphys": "hinge.displacement"}
# A message to send with replay and run.
SENT = {"armctl": "deg 1 1", "hidmotor": "move 1 1 1 duration=10ms", "canpid": f"set kp 1 {BOARD} --switch",
        "unitysim": "stop", "ezphys": "stop"}
CONTROLS = ("leftx lefty rightx righty lefttrigger righttrigger a b x y back start leftshoulder rightshoulder").split()
HELD = {"rightshoulder": 1}
PUSHED = {"rightshoulder": 1, "leftx": -1, "lefty": -1}
FILES = {
    "home.ini": "[joint base]\nindex = 1\nkind = rotate\nmin = -360\nmax = 360\nhome = 0\n",
    "path.csv": "0,0,0,0\n0.1,1,1,1\n", "joint.csv": "t,hinge\n0,0\n0.02,0.01\n", "rotate.csv": "t,1\n0,0\n0.1,1\n",
    "lead.csv": "t,a\n0,0\n0.1,0.5\n",
    # Records of a gamepad whose left stick is pushed both ways for 50 ms.
    "pad.ndjson": "".join(json.dumps({"t": t, **dict.fromkeys(CONTROLS, 0), **now}) + "\n" for t, now in (
        (0, {}), (0.01, HELD), (0.02, PUSHED), (0.07, HELD), (0.08, {}))),
}


def run(tool, words, record, size=None, folder="."):
    """Returns (exit status, standard error)."""
    limit = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))) if size else None
    command = f"{tool} -q --no-input -l sim: {words}" + (f" --record {record}" if record else "")
    try:
        done = subprocess.run(command.split(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=LIMIT_S, preexec_fn=limit, check=False,
                              cwd=folder)
    except subprocess.TimeoutExpired:
        return 124, "it does not end"
    return done.returncode, done.stderr.decode()


def header_of(path):
    """Returns the size of the file's first two blocks, and whether more blocks follow."""
    with open(path, "rb") as file:
        data = file.read()
    size = 0
    for _ in range(2):
        size += struct.unpack_from("<I", data, size + 4)[0]
    return size, len(data) > size


def commands_of(tool):
    text = subprocess.run([tool, "--help-all"], stdout=subprocess.PIPE, check=True, text=True).stdout
    part = text.split("\nCommands\n")[1].split("\n\nOptions")[0]
    return re.findall(r"^  (\w+)", part, re.M)


def words_of(tool, command):
    own = WORDS.get(tool, {}).get(command) or WORDS.get(command)
    if own:
        return own.format(field=FIELDS[tool])
    text = subprocess.run([tool, "help", command], stdout=subprocess.PIPE, check=True, text=True).stdout
    for example in re.findall(rf"^  {tool} -l '?sim:\S* (.*)$", text, re.M):
        if "'" not in example and "--dry-run" not in example:
            return example
    return None


def furnish(folder, tool):
    os.mkdir(folder)
    os.symlink("/dev/full", f"{folder}/full.pcapng")
    for name in ("null.csv", "null.ndjson"):
        os.symlink("/dev/null", f"{folder}/{name}")
    for name, text in {**FILES, "script": SENT[tool] + "\n", "cases": f"## a case\n{SENT[tool]}\n"}.items():
        with open(f"{folder}/{name}", "w", encoding="ascii") as file:
            file.write(text)
    os.symlink(f"../{tool}.pcapng", f"{folder}/sent.pcapng")


def try_one(tool, command):
    words = words_of(tool, command)
    if not words:
        return f"{tool} {command}: no words for it"
    folder = f"{tool}-{command}"
    furnish(folder, tool)
    usual, said = run(tool, words, "run.pcapng", folder=folder)
    if not os.path.exists(f"{folder}/run.pcapng"):  # the command opens no link
        again = run(tool, words, "full.pcapng", folder=folder)
        return None if again[0] == usual else f"{tool} {words}: {usual}, and {again} with a full disk"
    size, passes = header_of(f"{folder}/run.pcapng")
    tries = [("full.pcapng", None, "No space left on device")]
    if passes:
        tries.append(("run.pcapng", size + 4, "File too large"))
    for path, limit, why in tries:
        status, said = run(tool, words, path, limit, folder)
        if status != LOST or said.count(why) != 1:
            return f"{tool} {words}: exit status {status}, {said!r}: {why} was to be said once, with {LOST}"
    tried.append(f"{tool} {command}")
    return None


def main():
    os.chdir(sys.argv[1])
    wrong, commands = [], []
    for tool in TOOLS:
        status, said = run(tool, SENT[tool], f"{tool}.pcapng")
        if status:
            wrong.append(f"{tool} {SENT[tool]}: {said}")
        commands += [(tool, command) for command in commands_of(tool)]
    with ThreadPool(6) as pool:  # commands mostly wait for their simulators
        wrong += filter(None, pool.starmap(try_one, commands))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(tried)} commands that pass something, {len(wrong)} wrong")
    return 1 if wrong or len(tried) < 50 else 0


tried = []
sys.exit(main())
