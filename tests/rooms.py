#!/usr/bin/env python3
"""Checks which folder includes which, and prints the folders from the lowest layer up with their includes.

A room is a folder of lib/ or cmd/ with at most FILES files; a room of lib/shell has at most LINES lines of
code. It may only include and call itself and the rooms below it in ORDER. Declarations are in headers only,
and their definitions are in the same room or below. A .c file and its header count as one file. At most two
files may depend on each other in a ring. Every file begins with a comment about its purpose. struct
aw_session, which every command gets, and each struct in it have at most MEMBERS members. The exit status is 1
if any rule is broken.
"""
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ORDER = """
lib/base
lib/wire
lib/packets
lib/describe
lib/ros
lib/capture
lib/control
lib/tuning/identify
lib/tuning
lib/link/core
lib/link/stream lib/link/can lib/link/hid lib/link/udp lib/link/wrap
lib/link
lib/view/text
lib/view/terminal lib/view/chart
lib/protocol/*
lib/filter
lib
lib/shell/words
lib/shell/session
lib/shell/help
lib/shell/safety
lib/shell/serve
lib/shell/joints
lib/shell/settings
lib/shell/custom
lib/shell/run
lib/shell/source
lib/shell/lead
lib/shell/look
lib/shell/prompt
lib/tuning/verbs
lib/shell
cmd/*
"""
MEMBERS = 15
FILES = 36
LINES = 3500
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
NOISE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^\s*#(?:\\\n|[^\n])*', re.S | re.M)
USED = re.compile(r"\b(?:struct|enum|union)\s+\w+|\b([A-Za-z_]\w*)\b")
TREE = Path(__file__).resolve().parent.parent
floors = [
    [str(room.relative_to(TREE)) for name in line.split() for room in sorted(TREE.glob(name)) if room.is_dir()]
    for line in ORDER.split("\n") if line]
floor_of = {room: floor for floor, rooms in enumerate(floors) for room in rooms}


def rings(edges):
    """Returns Tarjan's strongly connected components that contain more than one file."""
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


def outline(code):
    """Returns the code without everything in braces."""
    parts, depth = [], 0
    for part in re.split(r"([{}])", code):
        depth -= part == "}"
        if depth == 0:
            parts.append(part)
        depth += part == "{"
    return "".join(parts)


def names(code):
    """Returns the functions and objects that a file declares and those that it defines with external linkage."""
    declared, defined = set(), set()
    for text in re.findall(r"[^;}]+[;}]", outline(code)):
        if "_Static_assert" in text:
            continue
        text = re.sub(r"__attribute__\s*\(\(.*\)\)", "", text, flags=re.S).strip()
        listed = re.match(r"\w+_fn\s+([\w\s,]+);$", text)  # matches "aw_run_fn run_list, run_sim;"
        if listed:
            declared.update(re.findall(r"\w+", listed[1]))
            continue
        function = re.match(r"[^=(]*?\b(\w+)\s*\(", text)
        of_type = re.match(r"(?:extern\s+)?[^=(]*?\b(\w+)\s*(?:\[[^=]*\]\s*)*(=|;)", text)
        found = function or of_type
        if not found or re.match(r"(?:static|typedef)\b|(?:struct|enum|union)\s+\w+\s*[;}]", text):
            continue
        whole = text.endswith("}") if function else "=" in text
        (defined if whole else declared).add(found[1])
    return declared, defined


def check_definitions(codes):
    """Finds declarations outside of headers, definitions above their declarations, upward uses and rings of
    files."""
    declared_in, defined_in, bad, edges, why = {}, {}, [], defaultdict(set), {}
    for file, code in codes.items():
        declared, defined = names(code)
        if file.endswith(".h"):
            declared_in.update((name, file) for name in declared)
        else:
            defined_in.update((name, file) for name in defined)
            bad += [f"{file}: declares {name}, which is for a header" for name in sorted(declared - defined)
                    if re.search(rf"^(?:extern\b|\w)[^;={{]*\b{name}\b[^;={{]*;", outline(code), re.M)]
    for name, file in sorted(declared_in.items()):
        home = defined_in.get(name, file)
        room, other = str(Path(file).parent), str(Path(home).parent)
        if room != other and floor_of[other] >= floor_of[room]:
            bad.append(f"{file}: declares {name}, which {home} above it defines")
    for file, code in codes.items():
        own = set(re.findall(r"^static\b[^;{=]*?\b(\w+)\s*[(\[=]", code, re.M))
        for name in sorted({use[1] for use in USED.finditer(code)} & declared_in.keys() & defined_in.keys() - own):
            user, home = file[:-2], defined_in[name][:-2]
            rooms = Path(user).parent, Path(home).parent
            within = rooms[0] == rooms[1] or floor_of[str(rooms[1])] != floor_of[str(rooms[0])]
            if name.startswith("aw_") and floor_of[str(rooms[1])] > floor_of[str(rooms[0])]:
                bad.append(f"{file}: uses {name} of {home}, which is above it")
            if home != user and within and file.endswith(".c"):
                edges[user].add(home)
                why.setdefault((user, home), name)
    for ring in rings(edges):
        if len(ring) > 2:
            bad.append("in a ring by what they use: " + " ".join(ring))
            bad += [f"    {a} uses {why[a, b]} of {b}" for a in ring for b in sorted(edges[a] & set(ring))]
    return bad


def check_sizes(codes):
    """Finds rooms with too many files or lines."""
    files, lines, bad = defaultdict(int), defaultdict(int), []
    for file, code in codes.items():
        room = str(Path(file).parent)
        files[room] += 1
        text = re.sub(r"/\*.*?\*/", "", (TREE / file).read_text(), flags=re.S)
        lines[room] += sum(bool(line.strip()) for line in text.split("\n"))
    bad += [f"{room}: {n} files, more than {FILES}" for room, n in files.items() if n > FILES]
    return bad + [f"{room}: {n} lines of code, more than {LINES}" for room, n in lines.items()
                  if room.startswith("lib/shell/") and n > LINES]


def check_members(codes):
    """Finds structs with too many members in the session, at any depth."""
    structs = {name: body for file, code in codes.items() if file.endswith(".h")
               for name, body in re.findall(r"^struct (\w+) \{(.*?)^\};", code, re.M | re.S)}
    bad, wait, seen = [], ["aw_session"], set()
    while wait:
        name = wait.pop()
        if name in seen or name not in structs:
            continue
        seen.add(name)
        declarations = re.sub(r"\([^*][^;]*?\)|\{.*?\}", "", structs[name], flags=re.S).split(";")[:-1]
        count = sum(1 + text.count(",") for text in declarations)
        if count > MEMBERS:
            bad.append(f"struct {name}, a part of the session: {count} members, more than {MEMBERS}")
        wait += [found for text in declarations for found in re.findall(r"struct (\w+) \w", text)]
    return bad if "aw_options" in seen else ["struct aw_session: its parts are not found"]


def main():
    tree = TREE
    files = subprocess.check_output(
        ["git", "ls-files", "-co", "--exclude-standard", "lib/*.[ch]", "cmd/*.[ch]"], cwd=tree, text=True).split()
    files = [file for file in files if (tree / file).exists()]
    bad, uses, edges, codes = [], defaultdict(set), defaultdict(set), {}
    for file in files:
        room = str(Path(file).parent)
        if room not in floor_of:
            bad.append(f"{file}: no room of the list")
            continue
        uses[room]
        text = (tree / file).read_text()
        codes[file] = NOISE.sub(" ", text)
        if not text.startswith("/* "):
            bad.append(f"{file}: does not begin with a comment that says what it is")
        for name in INCLUDE.findall(text):
            target = next((path for path in (f"lib/{name}", f"{room}/{name}") if path in files), None)
            if target is None:
                continue  # skips generated files
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
    bad += check_definitions(codes) + check_sizes(codes) + check_members(codes)
    for rooms in floors:
        for room in rooms:
            print(f"{room:24} {' '.join(sorted(use.removeprefix('lib/') for use in uses[room]))}")
    print("\n".join(bad))
    return bool(bad)


sys.exit(main())
