"""Compares armwire-code's C and Python code for messages of DBC files with canpid's decode and encode.

    dbc_end.py [--frames N] [--seed N] FILE…

Uses N random payloads of each message. decode gives their values, and encode the frame of these
values; the Python module and the C header (C99, no warnings) must give exactly the same values
and frame. Prints what was compared; exit status 1 at any difference.
"""
import argparse
import importlib.util
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--frames", type=int, default=20)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("files", nargs="+")
args = parser.parse_args()
CC = "gcc -std=c99 -Wall -Wextra -Werror -pedantic -O1".split()


def canpid(*words, lines=None, fine=(0,)):
    result = subprocess.run(["canpid", "--dbc", ",".join(args.files), *words], input=lines, text=True,
                            capture_output=True)
    if result.returncode not in fine:
        sys.exit(f"canpid {' '.join(words)}: {result.stderr}")
    return result.stdout


def check(condition, what):
    if not condition:
        sys.exit(what)


def line_of(frame):
    if frame[1] & 0x80:
        code = int.from_bytes(frame[:4], "little")
        ident = (code & 0x7FFF) | (code >> 16 & 0x3FFF) << 15
        return f"{ident:08X}#{frame[4:].hex().upper()}"
    return f"{int.from_bytes(frame[:2], 'little'):03X}#{frame[2:].hex().upper()}"


def same(a, b):
    """Compares a value of decode with one of Python or C."""
    if isinstance(a, bool):
        return str(a).lower() == b
    return a == b or not isinstance(a, str) and math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6)


def c_program(tests, folder):
    """Unpacks each frame, prints its fields, and packs it again."""
    text = '#include <stdio.h>\n#include "packets.h"\n'
    for packet in {packet.name: packet for packet, *_ in tests}.values():
        name, fields = f"canpid_{packet.name}", rows_of(packet)
        of, upper = ("&s, " if fields else ""), f"canpid_{packet.name}".upper()
        text += f"static void try_{packet.name}(const uint8_t *data, size_t size)\n{{\n"
        text += f"    struct {name} s;\n" if fields else ""
        text += (f"    uint8_t out[{upper}_SIZE + 1]; uint32_t id;\n"
                 f"    if (!unpack_{name}({of}{upper}_ID, data, size)) printf(\"not unpacked \");\n"
                 f"    if (unpack_{name}({of}{upper}_ID ^ 1, data, size)) printf(\"another id \");\n"
                 f"    if ({upper}_SIZE && unpack_{name}({of}{upper}_ID, data, size - 1)) printf(\"cut off \");\n")
        if fields:
            text += f"    unpack_{name}({of}{upper}_ID, data, size);\n"
        for row in fields:
            text += f'    printf("%.17g ", (double)s.{row["name"]}{"_" * (row["name"] in ("int", "for"))});\n'
        text += (f"    size_t n = pack_{name}({of}&id, out);\n    printf(\"| %lX \", (unsigned long)id);\n"
                 f"    for (size_t i = 0; i < n; i++) printf(\"%02X\", out[i]);\n    printf(\"\\n\");\n}}\n")
    text += "int main(void)\n{\n"
    for packet, _, frame in tests:
        data = frame[head_of(frame):]
        text += (f"    {{ static const uint8_t f[] = {{{','.join(map(str, data)) or '0'}}};"
                 f" try_{packet.name}(f, {len(data)}); }}\n")
    (folder / "main.c").write_text(text + "    return 0;\n}\n")
    subprocess.run([*CC, "-o", folder / "program", folder / "main.c"], check=True)
    return subprocess.run([folder / "program"], capture_output=True, text=True, check=True).stdout.splitlines()


def head_of(frame):
    return 4 if frame[1] & 0x80 else 2


def rows_of(packet):
    return [row for row in packet.rows if "scale" in row]


def flat(packet, values):
    """Converts values as C has them: numbers, and 0 for missing ones."""
    for row in rows_of(packet):
        value = values.get(row["name"], 0)
        if isinstance(value, str):
            value = row["names"][value]
            value = value * row["scale"] + row["offset"] if row.get("wire_names") else value
        yield float(value)


with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    description = canpid("describe", "--as", "json")
    table = json.loads(description)
    messages = {m["code"]: m for m in table["messages"] if m.get("id_bits")}
    for language, file in ("c", "packets.h"), ("python", "packets.py"):
        code = subprocess.run(["armwire-code", "--language", language], input=description, text=True,
                              stdout=subprocess.PIPE, check=True).stdout
        (folder / file).write_text(code)
    spec = importlib.util.spec_from_file_location("packets", folder / "packets.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rng = random.Random(args.seed)
    tests = []
    for packet in module.PACKETS.values():
        message = messages.get(packet.id)
        while message and sum(t[0] is packet for t in tests) < args.frames:
            n = message["id_bits"] // 8 + 1
            ident = sum(int(row["fixed"]) << row["bit"] for row in packet.rows
                        if "fixed" in row and row["bit"] < 8 * n)
            frame = ident.to_bytes(n, "little") + rng.randbytes(packet.size - n)
            try:
                packet.unpack(frame)
            except ValueError: # NaN or infinity
                continue
            tests.append((packet, message, frame))
    check(tests, "no message of a DBC file")
    lines = "".join(line_of(frame) + "\n" for _, _, frame in tests)
    records = [json.loads(line) for line in canpid("decode", "-j", "-", lines=lines).splitlines()]
    check(len(records) == len(tests), f"{len(records)} records of {len(tests)} frames")
    commands = []
    for (packet, message, frame), record in zip(tests, records):
        check(record.pop("msg") == message["name"], f"{line_of(frame)} is {record}")
        values = {k: v for k, v in record.items() if k not in ("t", "dir")}
        python = packet.unpack(frame)
        check(values.keys() == python.keys() and all(same(v, python[k]) for k, v in values.items()),
              f"python: {packet.name} {line_of(frame)}: {python}, not {values}")
        words = " ".join(f"'{k}={v if isinstance(v, str) else repr(v)}'" for k, v in python.items())
        commands.append(f"encode --force {message['name']} {words}")
    frames = canpid(lines="\n".join(commands) + "\n").splitlines()
    check(len(frames) == len(tests), f"{len(frames)} frames of {len(tests)}: {frames[:3]}")
    printed = c_program(tests, folder)
    packed = 0
    for (packet, message, frame), wanted, line in zip(tests, frames, printed):
        values = packet.unpack(frame)
        try:
            python = line_of(packet.pack(values))
        except ValueError: # values outside the limits for sending
            python = None
        shown, sent = line.split("|")
        numbers = [float(word) for word in shown.split()] if "n" not in shown.replace("nan", "") else shown
        check(numbers == list(flat(packet, values)), f"C: {packet.name} {line_of(frame)}: {shown}, not {values}")
        ident, *data = sent.split()
        text = f"{int(ident, 16) & 0x1FFFFFFF:0{8 if int(ident, 16) >> 31 else 3}X}#{''.join(data)}"
        if any(isinstance(v, int) and abs(v) > 1 << 53 for v in values.values()):
            continue # the tool uses doubles
        check(python in (None, wanted), f"python: {packet.name}: {python}, not {wanted}")
        if python and packet.size > head_of(frame):
            check(text == wanted, f"C: {packet.name}: {text}, not {wanted}")
            packed += 1
        elif not python:
            check(not data, f"C: {packet.name}: {text} goes out, which Python refuses")
    print(f"{len({p.name for p, *_ in tests})} messages, {len(tests)} frames unpacked and {packed} packed: the same")
