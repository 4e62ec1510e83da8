#!/usr/bin/env python3
"""Runs each command of standard input, "TOOL ARGUMENT…", in text, -j, --csv and --format. A command that prints
text must support each format, or exit with 2 and one line with the reason. No command may leak a descriptor.

    formats.py SHIM      SHIM: tests/memory/descriptors.so, which is preloaded
"""
import csv
import json
import os
import shlex
import subprocess
import sys

LIMIT_S = 120  # s, long enough for a busy machine
LEFT_OPEN = 98  # exit status of the shim after a leak
ENV = {**os.environ, "LD_PRELOAD": sys.argv[1],
       "ASAN_OPTIONS": "verify_asan_link_order=0:detect_stack_use_after_return=1"}


def run(words):
    """Returns exit status (None: timeout), standard output and standard error."""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LIMIT_S, env=ENV)
    except subprocess.TimeoutExpired:
        return None, "", []
    return done.returncode, done.stdout, done.stderr.splitlines()


def is_json(out):
    try:
        json.loads(out)  # describe prints a single document
    except ValueError:
        for line in out.splitlines():
            json.loads(line)


def is_csv(out):
    header, *rows = csv.reader(out.splitlines(keepends=True), strict=True)
    if not rows:
        raise ValueError("no rows")
    if "" in header or len(set(header)) != len(header):
        raise ValueError(f"no header: {header}")
    for row in rows:
        if not row:
            raise ValueError(f"an empty line in {out!r}")
        if row[0] == header[0]:
            header = row  # begins a table with other columns
        if len(row) != len(header):
            raise ValueError(f"{len(row)} columns under {len(header)}: {row}")


def is_format(out):
    for line in out.splitlines():
        if line != "<row>":
            raise ValueError(f"not the format: {line}")


FORMAT = "--format=<row>"
FORMS = (("-j", is_json), ("--csv", is_csv), (FORMAT, is_format))


def check(words):
    """Returns the failure of this command, if any."""
    tool, *rest = words
    if "--format" in rest:
        at = rest.index("--format")
        del rest[at:at + 2]
    rest = [word for word in rest if word not in ("-j", "--csv")]
    words = [tool, *rest]
    status, text, told = run(words)
    if status is None:
        return ["does not end"]
    if status == LEFT_OPEN:
        return told
    if not text:
        return []
    wrong = []
    for form, check_form in FORMS:
        for _ in range(5):
            got, out, why = run([tool, form, *rest])
            if out or got:
                break
            # Runs the command again if it printed nothing, for example because another test's
            # simulator ended.
            before, text = text, run(words)[1]
            if not text or before == text:
                break
        if got == 2 and len(why) == 1 and "not records" in why[0] and (not out or form == "-j"):
            continue
        if not out and not text:
            continue
        try:
            if got != status:
                raise ValueError(f"exit status {got}, in text {status}: {why}")
            if not out:
                raise ValueError("prints nothing")
            check_form(out)
        except (ValueError, csv.Error) as what:
            wrong.append(f"{form}: {what}")
    return wrong


def main():
    failed = n = 0
    for line in sys.stdin:
        words = shlex.split(line)
        n += 1
        for what in check(words):
            failed += 1
            print(f"{line.strip()}: {what}")
    print(f"{n} commands, {failed} wrong")
    return failed > 0 or n == 0


sys.exit(main())
