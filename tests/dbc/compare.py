"""Compares canpid's handling of DBC files with that of cantools.

    compare.py FOLDER|FILE…      CANPID=build/bin/canpid SEED=1 FRAMES=8

Generates FRAMES seeded frames of each message; multiplexor values are among those in use. Both programs decode
each frame and encode the values that cantools decoded. Values may differ only by canpid's rounding. Messages
that canpid skips must have one of the reasons in explain(). Exits with 77 if cantools is missing.
"""
import collections
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import warnings

try:
    import cantools
except ImportError:
    sys.exit(77)
warnings.simplefilter("ignore")
import logging

logging.disable(logging.CRITICAL)

CANPID = os.environ.get("CANPID", "canpid")
FRAMES = int(os.environ.get("FRAMES", "8"))
SEED = os.environ.get("SEED", "1")
RESERVED = ("t", "dir", "msg", "raw", "anomaly", "board")
total = collections.Counter()
problems = []


def problem(where, what):
    total["disagreements"] += 1
    problems.append(f"{where}: {what}")


def run(*args, **more):
    return subprocess.run([CANPID, *args], capture_output=True, text=True, **more)


def load(path):
    raw = open(path, "rb").read()
    try:
        raw.decode("utf-8")
        encoding = "utf-8-sig"
    except UnicodeDecodeError:
        encoding = "cp1252"
    return cantools.database.load_file(path, strict=False, encoding=encoding, database_format="dbc")


def cleaned(text, size, csv=True):
    """Returns the text as canpid stores it: no characters that break a line, fewer than size bytes."""
    out = ""
    for c in text:
        c = {'"': "'", "\\": "/", ",": ";" if csv else ","}.get(c, c)
        c = " " if c < " " or c == "\x7f" else "?" if c == "\ufffd" or "\x80" <= c < "\xa0" else c
        if len((out + c).encode()) >= size:
            break
        if not (c == " " and (not out or out[-1] == " ")):
            out += c
    return out.rstrip(" ")


def bits_of(signal):
    """Returns the bit positions of a signal in the file's numbering, least significant first."""
    if signal.byte_order == "little_endian":
        return list(range(signal.start, signal.start + signal.length))
    bits, at = [], signal.start
    for _ in range(signal.length):
        bits.append(at)
        at = at - 1 if at % 8 else at + 15
    return bits[::-1]


def raw_value(signal, data):
    """Returns the unsigned number on the wire."""
    return sum((data[at // 8] >> at % 8 & 1) << i for i, at in enumerate(bits_of(signal)))


def signed(signal, number):
    return number - (1 << signal.length) if signal.is_signed and number >> signal.length - 1 else number


def put(data, signal, number):
    for i, at in enumerate(bits_of(signal)):
        data[at // 8] = data[at // 8] & ~(1 << at % 8) | (number >> i & 1) << at % 8


def fits(signal, size):
    if signal.byte_order == "little_endian":
        return signal.start + signal.length <= 8 * size
    return signal.start // 8 * 8 + 7 - signal.start % 8 + signal.length <= 8 * size


def make_frames(message, dice):
    frames = [bytes(message.length), b"\xff" * message.length]
    choosers = [s for s in message.signals if s.is_multiplexer and fits(s, message.length)]
    for _ in range(FRAMES):
        data = bytearray(dice.getrandbits(8) for _ in range(message.length))
        for chooser in choosers:
            ids = sorted({i for s in message.signals if s.multiplexer_signal == chooser.name
                          for i in s.multiplexer_ids or []})
            if ids:
                put(data, chooser, dice.choice(ids))
        frames.append(bytes(data))
    return frames


def same(signal, mine, theirs):
    """Returns true if canpid's JSON value equals that of cantools, which may be a number or a value name.
    canpid prints fractions with one decimal more than the resolution, and floats with float precision."""
    if isinstance(theirs, (cantools.database.namedsignalvalue.NamedSignalValue, str)):
        name, number = cleaned(str(theirs), 80), getattr(theirs, "value", "")
        return str(mine) in (name, f"{name} ({number})") or (
            isinstance(mine, bool) and str(mine).lower() == str(theirs))
    if isinstance(theirs, float) and not math.isfinite(theirs):
        return mine is None
    if isinstance(mine, str) and not signal.choices:
        total["value names of a VAL_ without a semicolon, which cantools ignores"] += 1
        return True
    if mine is None or isinstance(mine, str):
        return False
    scale, offset = float(signal.conversion.scale), float(signal.conversion.offset)
    whole = scale.is_integer() and offset.is_integer()
    room = 1e-6 * abs(theirs) if signal.is_float else 0 if whole else 0.06 * abs(scale)
    return abs(mine - float(theirs)) <= room + 1e-14 * abs(theirs)


def names_in(tree):
    """Returns all signals in cantools' tree of multiplexors."""
    names = set()
    for item in tree:
        if isinstance(item, str):
            names.add(item)
            continue
        for name, by_number in item.items():
            names.add(name)
            for branch in by_number.values():
                names |= names_in(branch)
    return names


def compare_values(where, message, data, record, known):
    try:
        theirs = message.decode(data, decode_choices=True, allow_truncated=False)
    except Exception as error:  # no signal belongs to this multiplexor value
        total["frames that cantools refuses"] += 1
        return None
    mine = {k: v for k, v in record.items() if k not in ("t", "dir", "msg")}
    for signal in message.signals:
        name = signal.name + "_" * (signal.name in RESERVED)
        if name not in known:
            continue
        if name in mine and signal.name not in theirs and signal.name not in names_in(message.signal_tree):
            total["signals whose multiplexor is not marked, which cantools skips"] += 1
        elif (signal.name in theirs) != (name in mine):
            problem(where, f"{name}: decoded by one program only, {data.hex()}")
        elif name in mine:
            total["values"] += 1
            if not same(signal, mine[name], theirs[signal.name]):
                problem(where, f"{name}: {mine[name]!r}, cantools {theirs[signal.name]!r}, "
                               f"{data.hex()}")
    return theirs


def number_text(value):
    return repr(float(value)) if isinstance(value, float) else str(value)


def encode_line(message, name, data, known):
    """Returns canpid's command line and the frame expected from it, or None if cantools cannot encode it."""
    try:
        values = message.decode(data, decode_choices=False)
        wire = message.encode(values, scaling=True, padding=False, strict=False)
    except Exception:
        return None
    if any(isinstance(v, float) and not math.isfinite(v) for v in values.values()):
        return None
    here = [s for s in message.signals if s.name in values]
    if any(not s.is_float and abs(signed(s, raw_value(s, data))) > 2 ** 53 for s in here):
        total["frames beyond 53 bits, not encoded"] += 1
        return None
    fields = " ".join(f"{k + '_' * (k in RESERVED)}={number_text(v)}" for k, v in values.items())
    if sum(s.length for s in here) > len({bit for s in here for bit in bits_of(s)}):
        own = bytearray(message.length)  # cantools keeps only one of two overlapping signals
        for signal in here:
            put(own, signal, raw_value(signal, data))
        total["frames with overlapping signals, compared by bits"] += \
            bytes(own) != wire
        wire = bytes(own)
    return f"encode {name} {fields} --force", wire


def explain(message, notice, seen):
    """Returns the reason why canpid skips this message, or None."""
    standard = not message.is_extended_frame
    if message.length > 8:
        return "CAN FD"
    if standard and message.frame_id % 32 in [*range(1, 11), 29, 30, 31] and \
            message.frame_id // 32 * 32 in (0x20, 0x40, 0x60, 0x80, 0xA0, 0xC0):
        return "identifier of a driver"
    if message.frame_id == 0x40000000 or message.name == "VECTOR__INDEPENDENT_SIG_MSG":
        return "not a frame"
    if (message.frame_id, message.is_extended_frame) in seen:
        return "duplicate identifier"
    return None


def compare_message(where, message, ours, dice, work):
    known = {f["name"] for f in ours["fields"] if "fixed" not in f}
    for signal in message.signals:
        total["signals"] += 1
        if signal.name + "_" * (signal.name in RESERVED) in known:
            continue
        if not fits(signal, message.length):
            total["signals skipped: beyond the end of the message"] += 1
        elif len(message.signals) > 63:
            total["signals skipped: message with more than 63 signals"] += 1
        else:
            problem(where, f"{signal.name}: missing in canpid")
    form = "%08X" if message.is_extended_frame else "%03X"
    for data in make_frames(message, dice):
        work.append((where, message, ours, known, data, form % message.frame_id + "#" + data.hex()))


def compare_frames(path, work):
    with tempfile.NamedTemporaryFile("w", suffix=".log") as log, \
            tempfile.NamedTemporaryFile("w", suffix=".lines") as script:
        log.writelines(frame + "\n" for *_, frame in work)
        log.flush()
        lines = run("-q", "--dbc", path, "decode", "-j", log.name).stdout.splitlines()
        lines = [line for line in lines if '"msg":' in line]
        if len(lines) != len(work):
            return problem(path, f"{len(lines)} records of {len(work)} frames")
        lines_of, expected = [], []
        for line, (where, message, ours, known, data, frame) in zip(lines, work):
            total["frames"] += 1
            if compare_values(where, message, data, json.loads(line), known) is None:
                continue
            made = encode_line(message, ours["name"], data, known)
            if made and {s.name for s in message.signals} == names_in(message.signal_tree) and all(
                    s.name + "_" * (s.name in RESERVED) in known for s in message.signals):
                lines_of.append(made[0])
                expected.append((where, frame.split("#")[0] + "#" + made[1].hex().upper(), made[0]))
        script.writelines(line + "\n" for line in lines_of)
        script.flush()
        answer = run("-q", "-k", "--dbc", path, "run", script.name)
        frames = answer.stdout.splitlines()
        if len(frames) != len(expected):
            return problem(path, f"{len(frames)} frames encoded of {len(expected)}: {answer.stderr[:600]}")
        for mine, (where, theirs, line) in zip(frames, expected):
            total["frames encoded"] += 1
            if mine != theirs:
                problem(where, f"encoded {mine}, cantools {theirs}, {line[:300]}")
    return None


def compare_file(path):
    described = run("--dbc", path, "describe", "--as", "json")
    total["files"] += 1
    try:
        database = load(path)
    except Exception as error:
        total["files that cantools refuses"] += 1
        total["files that cantools refuses, but canpid reads"] += described.returncode == 0
        return
    if described.returncode != 0:
        problem(path, described.stderr.strip())
        return
    ours = {(m["id"], m["id_bits"] == 29): m
            for m in json.loads(described.stdout)["messages"] if "id" in m}
    dice = random.Random(SEED + os.path.basename(path))
    seen, work = set(), []
    for message in database.messages:
        total["messages"] += 1
        key = (message.frame_id, message.is_extended_frame)
        why = explain(message, described.stderr, seen)
        if why:
            total["messages skipped: " + why] += 1
        elif key not in ours:
            problem(path, f"{message.name}: missing in canpid")
        else:
            seen.add(key)
            total["messages compared"] += 1
            compare_message(f"{path}: {message.name}", message, ours[key], dice, work)
        seen.add(key)
    if work:
        compare_frames(path, work)


def main():
    paths = []
    for name in sys.argv[1:]:
        if os.path.isdir(name):
            for folder, _, files in os.walk(name):
                paths += [os.path.join(folder, f) for f in files if f.lower().endswith(".dbc")]
        else:
            paths.append(name)
    for path in sorted(paths):
        compare_file(path)
    for line in problems[:200]:
        print(line)
    for what, n in total.items():
        print(f"{n:8d} {what}")
    print(f"{total['disagreements']} disagreements")
    sys.exit(total["disagreements"] != 0 or not total["messages compared"])


main()
