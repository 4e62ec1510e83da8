#!/usr/bin/env python3
"""Which room may include which: prints the rooms from the ground up, and what each one includes.

A room is a folder of lib/ or cmd/. It may include itself and the rooms below it in ORDER, nothing
else. A file is a .c file together with the .h file of its name; no more than two files may include
each other in a ring. Every file begins with a comment that says what it is. Exit status 1 where
something goes up or round, or a file does not say what it is.
"""
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ORDER = """
lib/base
lib/wire
lib/describe
lib/capture
lib/control
lib/link/core
lib/link/stream lib/link/can lib/link/hid lib/link/udp lib/link/wrap
lib/link
lib/view/text
lib/view/terminal lib/view/chart
lib/protocol/*
lib
lib/shell/input
lib/shell/core
lib/shell/help
lib/shell/prompt
lib/shell/commands
lib/shell/experiments
lib/shell/share
lib/shell
cmd/*
"""
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
TREE = Path(__file__).resolve().parent.parent
floors = [
    [str(room.relative_to(TREE)) for name in line.split() for room in sorted(TREE.glob(name)) if room.is_dir()]
    for line in ORDER.split("\n") if line]
floor_of = {room: floor for floor, rooms in enumerate(floors) for room in rooms}


def rings(edges):
    """Tarjan's strongly connected components, those of more than one file."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in edges[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in list(edges):
        if node not in index:
            visit(node)
    return found


def main():
    tree = TREE
    files = subprocess.check_output(
        ["git", "ls-files", "-co", "--exclude-standard", "lib/*.[ch]", "cmd/*.[ch]"], cwd=tree, text=True).split()
    files = [file for file in files if (tree / file).exists()]
    bad, uses, edges = [], defaultdict(set), defaultdict(set)
    for file in files:
        room = str(Path(file).parent)
        if room not in floor_of:
            bad.append(f"{file}: no room of the list")
            continue
        uses[room]
        text = (tree / file).read_text()
        if not text.startswith("/* "):
            bad.append(f"{file}: does not begin with a comment that says what it is")
        for name in INCLUDE.findall(text):
            target = next((path for path in (f"lib/{name}", f"{room}/{name}") if path in files), None)
            if target is None:
                continue  # generated
            other = str(Path(target).parent)
            edges[file[:-2]].add(target[:-2])
            if other == room:
                continue
            uses[room].add(other)
            if floor_of.get(other, 99) >= floor_of[room]:
                bad.append(f"{file}: includes {name}, which is not below it")
    for file in edges:
        edges[file].discard(file)
    bad += ["in a ring: " + " ".join(ring) for ring in rings(edges) if len(ring) > 2]
    for rooms in floors:
        for room in rooms:
            print(f"{room:24} {' '.join(sorted(use.removeprefix('lib/') for use in uses[room]))}")
    print("\n".join(bad))
    return bool(bad)


sys.exit(main())
