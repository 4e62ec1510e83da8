"""Parses a DBC file strictly by its grammar, decodes the frames of a candump log with it, and
compares the values with the records of `canpid decode -j` on standard input.

    dbc_check.py FILE.dbc FRAMES.log < RECORDS

Prints how much it compared. Any difference, and any line that violates the grammar, is an
error.
"""
import json
import re
import struct
import sys

NAME = r"[A-Za-z_][A-Za-z0-9_]*"
NUMBER = r"-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?"
TEXT = r'"[^"]*"'
FORMS = [
    ("version", rf"VERSION {TEXT}"),
    ("symbols", r"NS_ :"),
    ("bits", r"BS_:"),
    ("nodes", rf"BU_:((?: {NAME})*)"),
    ("message", rf"BO_ ([0-9]+) ({NAME}): ([0-9]+) ({NAME})"),
    ("signal", rf" SG_ ({NAME})( M| m[0-9]+)? : ([0-9]+)\|([0-9]+)@1([+-]) "
               rf"\(({NUMBER}),({NUMBER})\) \[({NUMBER})\|({NUMBER})\] {TEXT} ({NAME})"),
    ("comment", rf"CM_ (?:BO_ ([0-9]+) |SG_ ([0-9]+) ({NAME}) )?{TEXT};"),
    ("attribute", rf"BA_DEF_ {TEXT} STRING ;|BA_DEF_DEF_ {TEXT} {TEXT};"),
    ("values", rf"VAL_ ([0-9]+) ({NAME})((?: -?[0-9]+ {TEXT})+) ;"),
    ("type", rf"SIG_VALTYPE_ ([0-9]+) ({NAME}) : 1;"),
]
ORDER = [name for name, _ in FORMS]


def check(condition, what):
    if not condition:
        sys.exit(f"dbc: {what}")


class Database:
    def __init__(self, path):
        self.messages, self.nodes = {}, []
        self.section = 0
        for number, line in enumerate(open(path, encoding="ascii"), 1):
            if line != "\n":
                self.read_line(line.rstrip("\n"), number)

    def read_line(self, line, number):
        for name, form in FORMS:
            match = re.fullmatch(form, line)
            if match:
                break
        else:
            sys.exit(f"line {number}: {line}")
        place = ORDER.index("message" if name == "signal" else name)
        check(place >= self.section, f"line {number}: {name} comes too late")
        self.section = place
        getattr(self, "add_" + name, lambda match: None)(match)

    def add_nodes(self, match):
        self.nodes = match[1].split()

    def add_message(self, match):
        number, size = int(match[1]), int(match[3])
        check(number not in self.messages and number < 0x800, f"identifier {number}")
        check(match[4] in self.nodes, f"sender {match[4]}")
        check(match[2] not in [m["name"] for m in self.messages.values()], f"name {match[2]}")
        self.last = {"name": match[2], "size": size, "signals": {}, "used": {}}
        self.messages[number] = self.last

    def add_signal(self, match):
        name, mux, first, size = match[1], (match[2] or "").strip(), int(match[3]), int(match[4])
        check(name not in self.last["signals"] and match[10] in self.nodes, f"signal {name}")
        check(first + size <= 8 * self.last["size"], f"{name} reaches over the end")
        used = self.last["used"].setdefault(mux if mux != "M" else "", set())
        bits = set(range(first, first + size))
        check(not used & bits and (not mux or not self.last["used"].get("", set()) & bits),
              f"{name} overlaps")
        used |= bits
        check(float(match[8]) <= float(match[9]), f"range of {name}")
        self.last["signals"][name] = {
            "mux": mux, "first": first, "size": size, "signed": match[5] == "-", "float": False,
            "scale": float(match[6]), "offset": float(match[7]), "names": {}}

    def signal(self, number, name):
        check(int(number) in self.messages, f"no message {number}")
        signals = self.messages[int(number)]["signals"]
        check(name in signals, f"no signal {name} in {number}")
        return signals[name]

    def add_comment(self, match):
        if match[1]:
            check(int(match[1]) in self.messages, match[0])
        if match[2]:
            self.signal(match[2], match[3])

    def add_values(self, match):
        names = re.findall(r' (-?[0-9]+) "([^"]*)"', match[3])
        self.signal(match[1], match[2])["names"] = {int(v): name for v, name in names}

    def add_type(self, match):
        signal = self.signal(match[1], match[2])
        check(signal["size"] == 32 and signal["signed"], f"{match[2]} is no float")
        signal["float"] = True

    def decode(self, number, data):
        message = self.messages[number]
        bits = int.from_bytes(data, "little")
        raw = {}
        for name, s in message["signals"].items():
            value = bits >> s["first"] & (1 << s["size"]) - 1
            if s["float"]:
                value = struct.unpack("<f", value.to_bytes(4, "little"))[0]
            elif s["signed"] and value >> s["size"] - 1:
                value -= 1 << s["size"]
            raw[name] = value
        chosen = ["m%d" % raw[name] for name, s in message["signals"].items() if s["mux"] == "M"]
        values = {}
        for name, s in message["signals"].items():
            if s["mux"] in ["", "M"] + chosen:
                named = s["names"].get(raw[name]) if not s["float"] else None
                values[name] = named or raw[name] * s["scale"] + s["offset"]
        return message["name"], values


# DBC cannot express that a signal has no value depending on another signal.
UNSPOKEN = ("sensors.velocity", "sensors.current")


def same(field, found, expected):
    if expected is None:
        return found == "none" or field in UNSPOKEN
    if isinstance(expected, str):
        return found == expected
    return not isinstance(found, str) and abs(found - expected) <= 1e-6 * abs(expected) + 6e-4


def main():
    database = Database(sys.argv[1])
    compared, messages = 0, set()
    for line, text in zip(open(sys.argv[2]), sys.stdin, strict=True):
        number, data = line.split()[2].split("#")
        record = json.loads(text)
        name, values = database.decode(int(number, 16), bytes.fromhex(data))
        check(name == record["board"] + "_" + record["msg"], f"{name} is {text}")
        expected = {k: v for k, v in record.items() if k not in ("t", "dir", "msg", "board", "anomaly")}
        chosen = {re.sub("^value_.*", "value", k): v for k, v in values.items()}
        check(set(chosen) == set(expected), f"{line} {chosen} {expected}")
        for field, value in expected.items():
            check(same(f"{record['msg']}.{field}", chosen[field], value), f"{line}{field}: {chosen[field]}, not {value}")
            compared += 1
        messages.add(name)
    print(f"{compared} values of {len(messages)} messages of {len(database.messages)}")


main()
