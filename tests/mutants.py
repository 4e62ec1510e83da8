#!/usr/bin/env python3
"""Small faults on purpose: do the unit tests and the golden cases see them?

    tests/mutants.py [N] [SEED]        default: 300 mutants, seed 1

A mutant is one change in one place of lib/: a comparison flipped, a number one off, a sign or a
condition turned, a statement dropped. Each is built in a copy of the tree and meets the tests that
reach its line (which ones these are, gcov says once at the beginning), the quickest first. What no
test notices is printed as a patch of one line. What cannot be noticed, because the program means
the same with it, is listed with its reason in tests/mutants.txt: it counts neither way. Exit status
1 below LIMIT per cent.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

LIMIT = 92
TOOLS = sorted(p.stem for p in Path("tests/golden").glob("*.txt"))
ROOT = Path("build/mutants").absolute()
BUILD = ["make", "-s", "WERROR=", "OPTIMISE=-O0"]
SPOTS = [  # name, what is looked for in code without strings and comments, what it becomes
    ("comparison", r"(?<=[\w)\] ])(<=|>=|==|!=|(?<![<-])<(?![<=])|(?<![>-])>(?![>=]))(?= )",
     {"<=": "<", ">=": ">", "==": "!=", "!=": "==", "<": "<=", ">": ">="}),
    ("one off", r"(?<![\w.\"'%])(\d{1,6})(?![\w.\"'])", lambda text: str(int(text) + 1)),
    ("sign", r"(?<=[\w)\]] )([+-])(?= [\w(])", {"+": "-", "-": "+"}),
    ("negation", r"(?<=\bif \()(?=[^)])", lambda text: "!!!"),
    ("logic", r"(&&|\|\|)", {"&&": "||", "||": "&&"}),
    ("dropped", r"^\s+((?!return|break|continue|goto|case|default|static|const|struct|enum)"
                r"[\w>.\[\]-]+(?:\(.*\)| [-+*/|&^]?= .*|\+\+|--);)$", lambda text: ";"),
]


def plain(text):
    """The same text with strings and comments blanked, of the same length."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                  lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def negated(line, at):
    """if (x) with its condition turned round, where it ends on the same line."""
    depth, end = 1, at
    while end < len(line) and depth:
        depth += {"(": 1, ")": -1}.get(line[end], 0)
        end += 1
    return None if depth else line[:at] + "!(" + line[at:end - 1] + ")" + line[end - 1:]


def mutants_of(path):
    """All of one file: (path, line from 1, kind, old line, new line)."""
    lines = path.read_text().split("\n")
    code = plain("\n".join(lines)).split("\n")
    for number, (line, bare) in enumerate(zip(lines, code), 1):
        if bare.startswith("#") or not bare.startswith(" "):
            continue
        for kind, pattern, change in SPOTS:
            for spot in re.finditer(pattern, bare):
                if kind == "negation":
                    new = negated(line, spot.start())
                else:
                    at = 1 if kind == "dropped" else 0
                    text = spot.group(at)
                    new = change[text] if isinstance(change, dict) else change(text)
                    new = line[:spot.start(at)] + new + line[spot.end(at):]
                if new and new != line:
                    yield str(path), number, kind, line, new


def run(command, seconds, cwd, **more):
    with subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True, **more) as process:
        try:
            output = process.communicate(timeout=seconds)[0]
            return output, process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            return process.communicate()[0], 124


class Test:
    def __init__(self, name):
        self.name, self.seconds, self.lines, self.idle = name, 0.0, set(), set()

    def target(self, build):
        return [f"{build}/bin/{self.name}"] if self.name in TOOLS else [f"{build}/{self.name}"]

    def command(self, build):
        if self.name in TOOLS:
            return ["tests/golden/run.sh", f"{build}/bin", self.name]
        return [f"{build}/{self.name}"]

    def learn(self, build):
        """Runs once and asks gcov which lines that reached."""
        counts = ROOT / "counts" / self.name
        shutil.rmtree(counts, ignore_errors=True)
        start = time.monotonic()
        output, status = run(self.command(build), 300, ".",
                             env={**os.environ, "GCOV_PREFIX": str(counts)})
        self.seconds = time.monotonic() - start
        if status != 0:
            sys.exit(f"{self.name} fails without any mutant:\n{output.decode()}")
        for data in sorted(counts.rglob("lib/**/*.gcda")):
            notes = Path("/") / data.relative_to(counts).with_suffix(".gcno")
            shutil.copy(notes, data.with_suffix(".gcno"))
            report = subprocess.run(["gcov", "-j", "-t", str(data)], capture_output=True,
                                    check=False).stdout
            for file in json.loads(report)["files"] if report else []:
                for line in file["lines"]:
                    (self.lines if line["count"] else self.idle).add(
                        (file["file"], line["line_number"]))
        shutil.rmtree(counts, ignore_errors=True)


class Reach:
    """Which tests meet a line: those that ran it; where gcov counts nothing (a table, a statement's
    second line), those that ran something in its file."""

    def __init__(self, tests):
        self.by_line, self.by_file = defaultdict(set), defaultdict(set)
        self.counted = set().union(*(test.lines | test.idle for test in tests))
        for test in tests:
            for path, number in test.lines:
                self.by_line[path, number].add(test)
                self.by_file[path].add(test)

    def of(self, path, number):
        if (path, number) in self.counted:
            return self.by_line[path, number]
        return self.by_file[path]


def in_parallel(work, items):
    """work(item, worker) for each of items, as many at once as there are processors."""
    queue, lock = list(reversed(items)), threading.Lock()

    def loop(worker):
        while True:
            with lock:
                if not queue:
                    return
                item = queue.pop()
            work(item, worker)

    threads = [threading.Thread(target=loop, args=(k,)) for k in range(os.cpu_count())]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def copy_tree(worker):
    """A copy of the tree for one worker, built."""
    tree = ROOT / f"tree{worker}"
    files = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"],
                           capture_output=True, check=True).stdout
    tree.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen(["tar", "-c", "--null", "-T", "-"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as pack:
        with subprocess.Popen(["tar", "-x", "-C", str(tree)], stdin=pack.stdout):
            pack.stdin.write(files)
            pack.stdin.close()
    output, status = run(BUILD + ["all", "units"], 1200, tree)
    if status:
        sys.exit(output.decode())


def noticed(mutant, tests, tree):
    """By which test the mutant is, "the compiler", or None."""
    path, number, _, old, new = mutant
    file = tree / path
    text = file.read_text()
    lines = text.split("\n")
    assert lines[number - 1] == old
    lines[number - 1] = new
    file.write_text("\n".join(lines))
    try:
        for test in sorted(tests, key=lambda t: t.seconds):
            if run(BUILD + test.target("build"), 300, tree)[1]:
                return "the compiler"
            if run(test.command("build"), 10 + 10 * test.seconds, tree)[1]:
                return test.name
        return None
    finally:
        file.write_text(text)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    os.environ.update(LC_ALL="C.UTF-8", TERM="dumb", NO_COLOR="1", HOME=str(ROOT))
    known = Path("tests/mutants.txt").read_text().split("\n")
    same = {line.split(" | ")[0] for line in known if " | " in line}

    learned = ROOT / "coverage"
    output, status = run(BUILD + [f"B={learned}", "CFLAGS=--coverage -fprofile-update=atomic",
                                  "LDFLAGS=--coverage", "all", "units"], 1200, ".")
    if status:
        sys.exit(output.decode())
    tests = [Test(str(p.with_suffix(""))) for p in Path("tests/unit").rglob("test_*.c")]
    tests += [Test(tool) for tool in TOOLS]
    in_parallel(lambda test, _: test.learn(learned), tests)
    reach = Reach(tests)

    every = [m for p in sorted(Path("lib").rglob("*.c")) for m in mutants_of(p)]
    random.Random(seed).shuffle(every)
    chosen, built, survivors, equal = [], set(), [], 0
    for mutant in every:
        if f"{mutant[0]}: {mutant[3].strip()} -> {mutant[4].strip()}" in same:
            equal += 1
        elif len(chosen) < count:
            chosen.append(mutant)

    tally = defaultdict(int)
    lock = threading.Lock()

    def judge(mutant, worker):
        with lock:
            fresh = worker not in built
            built.add(worker)
        if fresh:
            copy_tree(worker)
        by = noticed(mutant, reach.of(mutant[0], mutant[1]), ROOT / f"tree{worker}")
        with lock:
            tally[by is not None] += by != "the compiler"
            if by is None:
                survivors.append(mutant)
                path, number, kind, old, new = mutant
                reached = "" if reach.of(path, number) else ", reached by no test"
                print(f"{path}:{number}: {kind}{reached}\n  - {old.strip()}\n  + {new.strip()}",
                      flush=True)

    in_parallel(judge, chosen)
    caught, all_of = tally[True], tally[True] + tally[False]
    print(f"{caught} of {all_of} mutants noticed, {100 * caught / max(all_of, 1):.1f} % "
          f"(seed {seed}, {len(every)} places, {equal} of them mean the same)")
    sys.exit(100 * caught < LIMIT * all_of)


main()
