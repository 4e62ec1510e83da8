"""Compares armwire-code's C, Python and MATLAB code for a tool's packets with its encode and decode.

    other_end.py TOOL [--frames N] [--seed N] [--cc 'CC FLAGS'] [--run 'PROGRAM'] [--coarse]
                 [--octave] [-- OPTION…]          OPTION: --wire NAME and the like

Makes N frames of each message from seeded values with `encode`. The C header, compiled by --cc into
a program that --run starts, unpacks and packs each frame. The bytes and values must equal those of
Python, encode and decode exactly. --coarse: the target's double is a float. Prints what was
compared; exit status 1 at any difference.
"""
import argparse
import importlib.util
import json
import math
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MAIN = """
#include <stdio.h>
#include "packets.h"
#ifdef __AVR__
#include <avr/io.h>
#include <avr/interrupt.h>
#include <avr/sleep.h>
static int put(char c, FILE *f) { (void)f; while (!(UCSR0A & 1 << UDRE0)) {} UDR0 = (uint8_t)c; return 0; }
static FILE uart = FDEV_SETUP_STREAM(put, NULL, _FDEV_SETUP_WRITE);
#define FORM "%%.9g"
#else
#define FORM "%%.17g"
#endif
static void hex(const uint8_t *p, size_t n) { while (n-- > 0) printf("%%02X", *p++); printf("\\n"); }
%s
int main(void)
{
#ifdef __AVR__
    UBRR0 = 0; UCSR0B = 1 << TXEN0; stdout = &uart;
#endif
%s
    printf("end\\n");
#ifdef __AVR__
    cli(); sleep_mode();
#endif
    return 0;
}
"""


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--frames", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cc", default="gcc -std=c99 -Wall -Wextra -Werror -pedantic -O1")
    parser.add_argument("--run", default="")
    parser.add_argument("--coarse", action="store_true")
    parser.add_argument("--octave", action="store_true")
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    args = parser.parse_args(words[:end])
    args.options = words[end + 1:]
    return args


class Other:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.random = random.Random(args.seed)
        description = self.tool("describe", "--as", "json")
        self.table = json.loads(description)
        self.envelope = sum(row["bits"] for row in self.table.get("envelope", [])) // 8
        for language, file in ("c", "packets.h"), ("python", "packets.py"), ("matlab", f"{args.tool}_packets.m"):
            code = subprocess.run(["armwire-code", "--language", language], input=description, text=True,
                                  stdout=subprocess.PIPE, check=True).stdout
            (folder / file).write_text(code)
        spec = importlib.util.spec_from_file_location("packets", folder / "packets.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.packets = module.PACKETS
        self.can = args.tool == "canpid"

    def tool(self, *words, lines=None):
        result = subprocess.run([self.args.tool, *self.args.options, *words], input=lines, text=True,
                                capture_output=True)
        if result.returncode:
            sys.exit(f"{self.args.tool} {' '.join(words)}: {result.stderr}")
        return result.stdout

    def message(self, packet):
        """Returns the message's entry in the output of describe."""
        name = re.sub("_(tx|rx)$", "", packet.name)
        return next(m for m in self.table["messages"]
                    if m["name"] in (name, packet.name) and m["dir"] == packet.dir)

    def number(self, row, chosen):
        names = list(row.get("names", {}).values())
        if "none" in row and self.random.random() < 0.1 and "none_with" not in row:
            return None
        # decode skips frames of unnamed boards
        if names and (not row.get("open_names") or row["name"] == "board" or self.random.random() < 0.5):
            return self.random.choice(names)
        scale, offset, least, most = (row[k] for k in ("scale", "offset", "least", "most"))
        if "by" in row:
            scale, least, most = row["scales"].get(chosen[row["by"]], (scale, least, most))
        if row["type"] == "float":
            if most > 1e30:
                least, most = -1e6, 1e6
            return self.random.choice([least, most, 0.0 if least <= 0 <= most else least,
                                       self.random.uniform(least, most)])
        low, high = sorted([math.ceil((least - offset) / scale - 1e-6),
                            math.floor((most - offset) / scale + 1e-6)])
        high = min(high, low + (1 << 52)) if high - low > 1 << 60 else high
        wire = self.random.choice([low, high, self.random.randint(low, high)])
        return wire * scale + offset if scale != 1 or offset else wire

    def values(self, packet):
        values = {}
        for late in (False, True):
            for row in packet.rows:
                if "fixed" in row or row["type"] in ("pad", "checksum") or ("by" in row) != late:
                    continue
                if not row.get("bits", 1) or row.get("repetition", -1) >= values.get(row.get("count"), 99):
                    continue
                if row["type"] == "text":
                    values[row["name"]] = "".join(self.random.choices("abcXYZ019_", k=self.random.randint(0, 32)))
                elif row["name"] == "count":
                    values["count"] = self.random.randint(int(row["least"]), int(row["most"]))
                else:
                    values[row["name"]] = self.number(row, values)
        for row in packet.rows:
            if "none_with" in row and row["name"] in values and values[row["none_with"]] is None:
                values[row["name"]] = None
        # Excludes the value that means "no data".
        for row in packet.rows:
            if "none" in row and values.get(row["name"]) == row["none"] * row["scale"] + row["offset"]:
                values[row["name"]] = None if "none_with" not in row else row["offset"]
        return values

    def command(self, packet, values):
        words = [f"{name}={'none' if v is None else v if isinstance(v, (int, str)) else repr(v)}"
                 for name, v in values.items() if v != ""]
        direction = "rx" if packet.dir == "rx" else "tx"
        return f"encode --dir {direction} {self.message(packet)['name']} " + " ".join(words)

    def encode(self, commands):
        lines = self.tool(lines="\n".join(commands) + "\n").splitlines()
        if len(lines) != len(commands):
            sys.exit(f"{len(lines)} frames of {len(commands)} commands")
        return [self.frame(line) for line in lines]

    def frame(self, line):
        if self.can:
            ident, data = line.split("#")
            return int(ident, 16).to_bytes(2, "little") + bytes.fromhex(data)
        return bytes.fromhex(line)[self.envelope:]

    def decode(self, packet, frames):
        direction = "tx" if packet.dir == "tx" else "rx"
        if self.can:
            lines = [f"{int.from_bytes(f[:2], 'little'):03X}#{f[2:].hex().upper()}" for f in frames]
        else:
            envelope = [(len(f) + self.envelope).to_bytes(4, self.order()) + (1).to_bytes(4, self.order())
                        if self.envelope else b"" for f in frames]
            lines = [(e + f).hex(" ").upper() for e, f in zip(envelope, frames)]
        out = self.tool("decode", "-j", "--dir", direction, "-", lines="\n".join(lines) + "\n")
        return [json.loads(line) for line in out.splitlines()]

    def order(self):
        return self.table["byte_order"]

    # ---- C ----

    def members(self, packet):
        return [row for row in packet.rows
                if "fixed" not in row and row["type"] not in ("pad", "checksum") and row.get("bits", 1)]

    def c_function(self, packet):
        name = f"{self.args.tool}_{packet.name}"
        members = self.members(packet)
        of = "&s, " if members else ""
        size = f"{name.upper()}_SIZE"
        text = f"static void try_{packet.name}(const uint8_t *frame, size_t size)\n{{\n"
        text += f"    struct {name} s;\n    init_{name}(&s);\n" if members else ""
        if self.can:
            text += (f"    uint8_t out[2 + {size}]; uint32_t id;\n"
                     f"    if (!unpack_{name}({of}(uint32_t)(frame[0] | frame[1] << 8), frame + 2, size - 2))\n"
                     f"        printf(\"unpack\\n\");\n")
        else:
            text += f"    uint8_t out[{size}];\n    if (!unpack_{name}({of}frame, size))\n        printf(\"unpack\\n\");\n"
        for row in members:
            field = "s." + row["name"]
            if row["type"] == "text":
                text += f'    printf("{row["name"]}=%s\\n", {field});\n'
            else:
                text += f'    printf("{row["name"]}=" FORM "\\n", (double){field});\n'
        if self.can:
            text += (f"    size_t n = pack_{name}({of}&id, out + 2);\n    out[0] = (uint8_t)id;\n"
                     f"    out[1] = (uint8_t)(id >> 8);\n    hex(out, n ? n + 2 : 0);\n}}\n")
        else:
            text += f"    size_t n = pack_{name}({of}out);\n    hex(out, n);\n}}\n"
        return text

    def run_c(self, tests):
        functions = "".join(self.c_function(p) for p, _ in tests)
        calls = ""
        for packet, frames in tests:
            for frame in frames:
                data = ",".join(str(b) for b in frame)
                calls += (f"    {{ static const uint8_t f[] = {{{data}}};"
                          f" try_{packet.name}(f, sizeof f); }}\n")
        (self.folder / "main.c").write_text(MAIN % (functions, calls))
        program = self.folder / "program"
        subprocess.run([*self.args.cc.split(), "-o", program, self.folder / "main.c"], check=True)
        result = subprocess.run([*self.args.run.split(), program], stdout=subprocess.PIPE, text=True,
                                stderr=subprocess.STDOUT, errors="replace", timeout=600)
        # simavr prints standard error in colour and with a final dot.
        lines = [re.sub(r"\x1b\[[0-9;]*m|\.*$", "", line) for line in result.stdout.splitlines()
                 if not line.startswith("Loaded ")]
        if "end" not in lines:
            sys.exit(f"the program ended with {result.returncode}:\n" + "\n".join(lines[-5:]))
        return iter(lines)

    # ---- MATLAB ----

    def run_octave(self, tests):
        script = "".join(
            f"o = {self.args.tool}_packets.pack('{packet.name}', {self.args.tool}_packets.unpack("
            f"'{packet.name}', uint8([{' '.join(str(b) for b in frame)}])));\nprintf('%02X', o); printf('\\n');\n"
            for packet, frames in tests for frame in frames)
        (self.folder / "script.m").write_text(script)
        result = subprocess.run(["octave-cli", "-qf", "script.m"], cwd=self.folder, text=True, capture_output=True)
        wanted = [frame.hex().upper() for _, frames in tests for frame in frames]
        found = result.stdout.split("\n")[:-1]
        for a, b in zip(found, wanted):
            if a != b:
                sys.exit(f"MATLAB: {a} instead of {b}")
        if len(found) != len(wanted):
            sys.exit(f"MATLAB: {len(found)} frames of {len(wanted)}: {result.stderr}")
        return len(found)


def flat(values, prefix=""):
    for key, value in values.items():
        if isinstance(value, dict):
            yield from flat(value, prefix + key + ".")
        else:
            yield prefix + key, value


def check(condition, what):
    if not condition:
        sys.exit(what)


def close(a, b, tolerance=1e-6):
    if isinstance(a, str) or a is None or b is None or isinstance(b, bool):
        return a == b or isinstance(b, bool) and a == ("true" if b else "false")
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=6e-3)


def plain(packet, values):
    """Replaces value names by their numbers."""
    rows = {row["name"]: row for row in packet.rows}
    return {name: rows[name].get("names", {}).get(v, v) if rows[name]["type"] != "text" else v
            for name, v in flat(values)}


def ulps(a, b):
    order = [int.from_bytes(x, "little") for x in (a, b)]
    return max((abs(x - y) for x, y in zip(a, b)), default=0) <= 1 or bin(order[0] ^ order[1]).count("1") < 3


def main():
    args = arguments()
    with tempfile.TemporaryDirectory() as folder:
        other = Other(args, Path(folder))
        tests, n_values = [], 0
        for packet in other.packets.values():
            chosen = [other.values(packet) for _ in range(args.frames)]
            frames = other.encode([other.command(packet, v) for v in chosen])
            for frame, values in zip(frames, chosen):
                check(packet.pack(values) == frame, f"python: {packet.name} {values}: "
                      f"{packet.pack(values).hex()} instead of {frame.hex()}")
            tests.append((packet, frames))
        lines = other.run_c(tests)
        for packet, frames in tests:
            records = other.decode(packet, frames)
            again = []
            for frame, record in zip(frames, records, strict=True):
                values = packet.unpack(frame)
                numbers = plain(packet, values)
                shown = dict(flat(record))
                for name, value in flat(values):
                    check(close(value, shown.get(name, 0 if not value else ...)),
                          f"{packet.name}.{name}: {value}, decode has {shown.get(name)}")
                again.append(other.command(packet, numbers))
                for row in other.members(packet):
                    name = row["name"]
                    found = next(lines).removeprefix(name + "=")
                    n_values += 1
                    if row["type"] == "text":
                        same = found == numbers[name]
                    elif name not in numbers:
                        same = float(found) in (0, -32767)
                    elif numbers[name] is None:
                        same = math.isnan(float(found))
                    elif args.coarse:
                        same = math.isclose(float(found), numbers[name], rel_tol=1e-6, abs_tol=1e-30)
                    else:
                        same = float(found) == numbers[name]
                    check(same, f"C: {packet.name}.{name} is {found}, not {numbers.get(name)}")
                found = bytes.fromhex(next(lines))
                exact = found == frame
                if args.coarse and any("by" in row for row in packet.rows):
                    exact = len(found) == len(frame) and ulps(found, frame)
                check(exact, f"C: {packet.name}: {found.hex()} instead of {frame.hex()}")
            check(other.encode(again) == frames, f"{packet.name}: encode makes other bytes of the values")
        count = sum(len(frames) for _, frames in tests)
        octave = f", MATLAB {other.run_octave(tests)}" if args.octave else ""
        print(f"{args.tool} {other.table['variant']}: {len(tests)} messages, {count} frames, {n_values} values{octave}: the same")


main()
