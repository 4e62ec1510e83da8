#!/usr/bin/env python3
"""Compares the keys that each command prints with -j with the help topic results, and uses them in a --format. Runs
the examples of the help in a directory with the files they need.

    results.py TOOL          prints "COMMAND: missing keys"; exits with 1 if keys are missing
"""
import json
import re
import subprocess
import sys

HEAD = {"t", "cmd", "ok", "error", "exit", "why", "dry_run"}


def output(tool, words):
    line = f"{tool} {words}"
    try:
        return subprocess.run(["bash", "-c", line], stdin=subprocess.DEVNULL, text=True, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    except subprocess.TimeoutExpired:
        return ""


def flat(record, prefix=""):
    for key, value in record.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key


def refuses(tool, example, found):
    """Returns the error printed for a --format with these keys."""
    names = " ".join("%{" + key + "}" for key in found[:16])
    done = subprocess.run(["bash", "-c", f"{tool} -q --format '{names}' {example}"], text=True, timeout=60,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return done.stderr.strip() if done.returncode == 2 else ""


def keys(tool):
    """Returns the keys of each command's rows and result, without keys of messages."""
    found = {}
    for line in output(tool, "commands").splitlines():
        name, _, example = line.partition("\t")
        if not example or name in ("decode", "help", "describe", "commands", "complete", "completion", "config"):
            continue
        for text in output(tool, "-q -j " + example).splitlines():
            try:
                record = json.loads(text)
            except ValueError:
                continue
            if isinstance(record, dict) and "dir" not in record and record.get("ok") is not False:
                found.setdefault(name, []).extend(k for k in flat(record) if k not in HEAD)
    return {name: list(dict.fromkeys(of)) for name, of in found.items()}


def said(tool):
    """Returns the common keys of the help topic, and the keys of each command."""
    text = subprocess.run([tool, "help", "results", "--as", "md"], text=True, stdout=subprocess.PIPE).stdout
    parts = dict(re.findall(r"(?:^## |\A# )(\S+)(.*?)(?=^## |\Z)", text, re.M | re.S))

    def rows(part):
        found = re.findall(r"^\| (.+?) \| (.*) \|$", part, re.M)
        return {name: set(re.findall(r"\w+", right)) for left, right in found for name in left.split(", ")}

    return set(rows(parts["results"])), rows(parts["Experiments"]) | rows(parts[tool])


def main():
    tool, wrong = sys.argv[1], 0
    everywhere, rows = said(tool)
    examples = dict(re.findall("^(.*?)\t(.+)$", output(tool, "commands"), re.M))
    for name, found in keys(tool).items():
        why = found and refuses(tool, examples[name], found)
        if why:
            print(f"{tool} {name}: --format: {why}", file=sys.stderr)
            wrong = 1
        known = everywhere | rows.get(name, set())
        missing = [key for key in found
                   if not known & {key.split(".")[-1], re.sub("^(cadence|feedback|interval)_", "", key)}]
        if missing:
            print(f"{tool} {name}: {' '.join(missing)}", file=sys.stderr)
            wrong = 1
    return wrong


sys.exit(main())
