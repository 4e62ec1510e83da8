#!/usr/bin/env python3
"""Mutation test: makes small changes to lib/ and checks that a unit test or golden case fails.

    tests/mutants.py [N] [SEED] [IN]   default: 300 mutants, seed 1, in all of lib/

A mutant is one change on one line of lib/: another comparison, a number plus one, the opposite sign or
condition, or a deleted statement. The changed file is compiled into a library that precedes the library with
all of lib/. The tests that reach the line according to gcov run until one fails. Prints each surviving mutant
as a diff. A line without coverage (of a child process that calls exec) runs the unit test of its file.

Not counted: mutants that compile to the same code or are listed in tests/mutants.txt as equivalent, and lines
of lib/shell that only tests/cli reaches. IN is the prefix of the mutated places: lib/wire,
lib/base/csv.c:50. SAN=1 in the environment runs the tests with sanitizers, which detect more. Exit status 1
below LIMIT per cent.
"""
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

LIMIT = 92
ROOT = Path("build/mutants").absolute()
MAKE = ["make", "-s", "CC=gcc", "WERROR=", "OPTIMISE=-O0", "POSITION=-fPIC", "SHARED=1"]
SAN = os.environ.get("SAN", "")
B, COUNTS = ROOT / ("san" if SAN else "plain"), ROOT / "counts"
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"] if SAN else []
VERSION = re.search(r"VERSION *:= (.*)", Path("Makefile").read_text()).group(1)
COMPILE = ["gcc", "-std=c11", "-w", "-fPIC", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64",
           f'-DAW_VERSION="{VERSION}"', "-Ilib", f"-I{B}/gen", "-xc", "-"]
LIMITED = ["sh", "-c", 'ulimit -t ${CPU:-unlimited}; exec "$@"', "sh"]
AFTER = """
#include <sys/syscall.h>
#include <unistd.h>
int kill(pid_t pid, int what) { return pid == -1 ? -1 : (int)syscall(SYS_kill, pid, what); }
"""  # prevents a mutant from killing all processes
SIZE = r"(?! *return)[\w ]+ [^=;(]*\[[^]]*$"  # array size: a larger one makes no difference
SPOTS = [  # name, pattern in the code without strings and comments, replacement
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
    """Replaces strings and comments by blanks of the same length."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                  lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def negated(line, at):
    """Negates the condition of an if that ends on this line; returns None if it does not."""
    depth, end = 1, at
    while end < len(line) and depth:
        depth += {"(": 1, ")": -1}.get(line[end], 0)
        end += 1
    return None if depth else line[:at] + "!(" + line[at:end - 1] + ")" + line[end - 1:]


def mutants_of(path):
    """Yields all mutants of a file: (path, line number from 1, kind, old line, new line)."""
    lines = path.read_text().split("\n")
    code = plain("\n".join(lines)).split("\n")
    for number, (line, bare) in enumerate(zip(lines, code), 1):
        if bare.startswith("#") or not bare.startswith(" "):
            continue
        for kind, pattern, change in SPOTS:
            for spot in re.finditer(pattern, bare):
                if kind == "one off" and re.match(SIZE, bare[:spot.start()]):
                    continue
                if kind == "negation":
                    new = negated(line, spot.start())
                else:
                    at = 1 if kind == "dropped" else 0
                    text = spot.group(at)
                    new = change[text] if isinstance(change, dict) else change(text)
                    new = line[:spot.start(at)] + new + line[spot.end(at):]
                if new:
                    yield str(path), number, kind, line, new


def run(command, seconds, text="", **environ):
    """Returns exit status and output. Kills the command and its process group after this many seconds."""
    with tempfile.TemporaryFile() as said:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=said, stderr=said,
                              start_new_session=True, env={**os.environ, **environ}) as process:
            with suppress(subprocess.TimeoutExpired):
                process.communicate(text.encode(), timeout=seconds)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
        said.seek(0)
        return process.returncode, said.read()


def checked(command, **environ):
    status, output = run(command, 1200, **environ)
    if status:
        sys.exit(f"{' '.join(map(str, command))} fails without any mutant:\n{output.decode()}")


def build():
    """Builds the tests against two shared libraries: an empty one, which a mutant replaces, and one with all
    of lib/. Also builds the tests with gcov's counters."""
    checked([*MAKE, f"SAN={SAN}", f"B={B}", f"{B}/libawtools.a", f"{B}/libarmwire.a"])
    objects = [B / "obj" / path.with_suffix(".o") for path in sorted(Path("lib").rglob("*.c"))]
    checked(["gcc", *SANITIZE, "-shared", "-o", B / "all.so", *objects])
    compiled("none", "", B / "mutant.so")
    checked([*MAKE, f"SAN={SAN}", f"B={B}", f"LIBS={B}/all.so", "all", "units",
             f"LDFLAGS=-Wl,--no-as-needed {B}/mutant.so -Wl,--as-needed,-rpath,{B}"])
    checked([*MAKE, "SAN=", f"B={COUNTS}", "CFLAGS=--coverage -fprofile-update=atomic",
             "LDFLAGS=--coverage", "all", "units"])


def compiled(path, text, library, *options):
    command = COMPILE + (list(options) or [*SANITIZE, "-shared", "-Wl,-soname,mutant.so"])
    return run([*command, "-o", library], 60, f'#line 1 "{path}"\n{text}{AFTER}')[0] == 0


def same_code(path, old, new, folder):
    """Returns true if the optimiser generates the same code for both."""
    files = [Path(folder, name) for name in ("old.o", "new.o")]
    made = [compiled(path, text, file, "-O2", "-c") for file, text in zip(files, (old, new))]
    return all(made) and files[0].read_bytes() == files[1].read_bytes()


class Test:
    def __init__(self, name, sources, *words):
        self.name, self.sources, self.words = name, sources, words
        self.lock = threading.Lock()  # one run at a time, because runs share ports and files
        self.seconds, self.lines, self.idle = 0, [], []

    def command(self, build_at):
        return LIMITED + [word.replace("BUILD", str(build_at)) for word in self.words]

    def fails(self, folder):
        """Returns true if the test fails. Limits its CPU time, because the machine may be busy."""
        with self.lock:
            return run(self.command(B), 20 + 10 * self.seconds, LD_LIBRARY_PATH=folder,
                       CPU=str(int(3 + 3 * self.seconds)))[0]

    def learn(self):
        """Sets the duration and covered lines of the test; caches them until the test or its code changes."""
        content = [self.name.encode(), *(file.read_bytes() for file in self.sources)]
        kept = ROOT / "learned" / hashlib.sha256(b"".join(content)).hexdigest()
        if not kept.exists():
            kept.parent.mkdir(exist_ok=True)
            kept.write_text(json.dumps(self.count()))
        self.seconds, self.lines, self.idle = json.loads(kept.read_text())

    def count(self):
        start, lines = time.monotonic(), ([], [])
        with tempfile.TemporaryDirectory(dir=ROOT) as folder:
            checked(self.command(COUNTS), GCOV_PREFIX=folder)
            seconds = time.monotonic() - start
            for file in Path(folder).rglob("lib/**/*.gcda"):
                notes = file.with_suffix(".gcno")
                notes.symlink_to(Path("/", notes.relative_to(folder)))
                for part in json.loads(run(["gcov", "-j", "-t", file], 60)[1])["files"]:
                    for line in part["lines"]:
                        lines[not line["count"]].append((part["file"], line["line_number"]))
        return seconds, *lines


def reach_of(tests):
    """Returns a function that lists the tests covering a line. Lines without a counter (tables, continuation
    lines) yield the tests covering any line of the file. The file's own test is first, then the fastest."""
    reach, counted = defaultdict(set), set()
    for test in tests:
        counted.update(map(tuple, test.lines + test.idle))
        for path, number in test.lines:
            reach[path, number].add(test)
            reach[path, None].add(test)

    def of(path, number):
        tests = reach[path, number if (path, number) in counted else None]
        return sorted(tests, key=lambda test: (test.name != own_test(path), test.seconds))

    return of


def own_test(path):
    return re.sub(r"^lib/(.*/)(\w+)\.c$", r"tests/unit/\1test_\2", path)


def same_descriptor(line):
    """Undoes mutations that only distinguish descriptor 0 or another negative number. They make no
    difference: tests never open descriptor 0, and every negative number is invalid."""
    line = re.sub(r"(fd\b(?:\.fd)?(?: = \w+\([^;]*\))?) (?:<= 0|< 1)", r"\1 < 0", line)
    line = re.sub(r"(fd\b(?:\.fd)?) (?:> 0|>= 1)", r"\1 >= 0", line)
    return re.sub(r"(fd = )-2", r"\1-1", line)


def noticed(mutant, tests):
    """Returns the name of the test that detects the mutant, "the compiler" (error or same code), or None."""
    path, number, *_, new = mutant
    old = Path(path).read_text()
    new = "\n".join((*old.split("\n")[:number - 1], new, *old.split("\n")[number:]))
    with tempfile.TemporaryDirectory(dir=ROOT) as folder:
        if not compiled(path, new, f"{folder}/mutant.so"):
            return "the compiler"
        for test in tests:
            if test.fails(folder):
                return test.name
        return "the compiler" if same_code(path, old, new, folder) else None


def main():
    count, seed, inside = (sys.argv[1:] + ["300", "1", "lib/"][len(sys.argv) - 1:])[:3]
    os.environ.update(LC_ALL="C.UTF-8", TERM="dumb", NO_COLOR="1", HOME=str(ROOT),
                      ASAN_OPTIONS="detect_odr_violation=0:verify_asan_link_order=0")
    rows = (line.rsplit(" | ", 1)[0].split(" -> ") for line in open("tests/mutants.txt"))
    same = {f"{old} -> {new}" for old, *news in rows for new in news}
    build()
    names = [str(p.with_suffix("")) for p in Path("tests/unit").rglob("test_*.c")]
    shim = "LD_PRELOAD=BUILD/tests/memory/descriptors.so"
    tests = [Test(name, [COUNTS / name], "env", shim, f"BUILD/{name}") for name in names] + [
        Test(p.stem, [p, COUNTS / "bin" / p.stem], "tests/golden/run.sh", "BUILD/bin", p.stem)
        for p in Path("tests/golden").glob("*.txt")]
    in_parallel = ThreadPoolExecutor(os.cpu_count()).map
    list(in_parallel(Test.learn, tests))
    reach = reach_of(tests)
    every = [m for p in sorted(Path("lib").rglob("*.c")) for m in mutants_of(p)
             if f"{m[0]}:{m[1]}".startswith(inside)]
    random.Random(int(seed)).shuffle(every)
    met = [m for m in every if reach(m[0], m[1]) or not m[0].startswith("lib/shell/")]
    listed = {m for m in met if f"{m[0]}: {m[3].strip()} -> {m[4].strip()}" in same
              or m[3] == same_descriptor(m[4])}
    chosen = [m for m in met if m not in listed][:int(count)]
    tally, lock = defaultdict(int), threading.Lock()

    def judge(mutant):
        path, number, kind, old, new = mutant
        reached = reach(path, number)
        by = noticed(mutant, reached or [test for test in tests if test.name == own_test(path)])
        with lock:
            tally[by is not None] += by != "the compiler"
            if by is None:
                print(f"{path}:{number}: {kind}{'' if reached else ', reached by no test'}\n"
                      f"  - {old.strip()}\n  + {new.strip()}", flush=True)

    list(in_parallel(judge, chosen))
    score = 100 * tally[True] / max(sum(tally.values()), 1)
    print(f"{tally[True]} of {sum(tally.values())} mutants noticed, {score:.1f} % "
          f"(seed {seed}, {len(every)} places: {len(listed)} mean the same, "
          f"{len(every) - len(met)} are met by tests/cli only)")
    sys.exit(score < LIMIT)


main()
