"""Packs and unpacks packets by their tables, which are below.

    frame = PACKETS["NAME"].pack({"m1": {"setpoint": 10}, ...})
    values = PACKETS["NAME"].unpack(frame)

Values are as in the records that `decode --json` prints: in units, with names for named values, and
None where there is no data. pack also takes numbers for names, and "m1.setpoint" as a key. On a CAN
bus a frame is its identifier, low byte first, and the data; the identifier has two bytes, or four if
it has 29 bits. Raises ValueError if values cannot be sent, or a frame is not such a packet.
"""
import math
import struct


def _single(value):
    """Returns the nearest float, as which a limit is sent."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def _bits(frame, row):
    """Returns the bits of a row as a number."""
    bit, bits = row["bit"], row["bits"]
    if row.get("big"):
        whole = int.from_bytes(frame, "big")
        return whole >> (len(frame) * 8 - bit - bits) & ((1 << bits) - 1)
    return int.from_bytes(frame, "little") >> bit & ((1 << bits) - 1)


def _put(frame, row, number):
    bit, bits = row["bit"], row["bits"]
    order = "big" if row.get("big") else "little"
    shift = len(frame) * 8 - bit - bits if order == "big" else bit
    mask = ((1 << bits) - 1) << shift
    whole = int.from_bytes(frame, order)
    frame[:] = (whole & ~mask | (number << shift & mask)).to_bytes(len(frame), order)


def _get(values, name):
    if name in values:
        return values[name]
    for part in name.split("."):
        if not isinstance(values, dict) or part not in values:
            return ...
        values = values[part]
    return values


def _set(values, name, value):
    *groups, last = name.split(".")
    for group in groups:
        values = values.setdefault(group, {})
    values[last] = value


class Packet:
    """One message: name, direction, id, size, and its rows in their order."""

    def __init__(self, name, dir, id, size, rows, text=False, checksum_from=0):
        self.name, self.dir, self.id, self.size = name, dir, id, size
        self.rows, self.text, self.checksum_from = rows, text, checksum_from
        self.named = {row["name"]: row for row in rows}
        self.chosen = any("chooser" in row for row in rows)

    def _depth(self, row):
        """Returns how many rows select it, directly or through others."""
        return 1 + self._depth(self.named[row["chooser"]]) if "chooser" in row else 0

    def _there(self, row, wires):
        """Returns true if a row is in the packet, according to the rows that select it."""
        while "chooser" in row:
            number = wires.get(row["chooser"])
            if number is None or not any(least <= number <= most for least, most in row["choices"]):
                return False
            row = self.named[row["chooser"]]
        return True

    def pack(self, values):
        numbers, wires = {}, {}
        for late in (False, True):
            for row in sorted(self.rows, key=self._depth):
                name = row["name"]
                if "scale" not in row or ("by" in row) != late:
                    continue
                if not self._there(row, wires):
                    if _get(values, name) is not ...:
                        raise ValueError(f"{self.name}: {name} not available with this {row['chooser']}")
                    continue
                numbers[name] = self._number(row, values, numbers)
                if self.chosen and numbers[name] is not ...:
                    wires[name] = self._wire(row, numbers[name], numbers)
        for row in self.rows:
            if "count" in row and row["repetition"] >= numbers[row["count"]]:
                numbers[row["name"]] = ...
        return self._line(numbers) if self.text else self._frame(numbers)

    def unpack(self, frame):
        frame = bytes(frame)
        wires = self._read_line(frame) if self.text else self._read(frame)
        values, numbers = {}, {}
        for late in (False, True):
            for row in self.rows:
                name = row["name"]
                if name in wires and ("by" in row) == late and self._there(row, wires):
                    numbers[name] = self._value(row, wires, numbers)
        for row in self.rows:
            name = row["name"]
            if name not in numbers:
                continue
            if "count" in row and row["repetition"] >= numbers[row["count"]]:
                continue
            number = numbers[name]
            named = {value: word for word, value in row.get("names", {}).items()}
            key = wires[name] if row.get("wire_names") else number
            _set(values, name, named.get(key, number) if number is not None else None)
        return values

    def _wrong(self, row, value):
        return ValueError(f"{self.name}: invalid {row['name']}: {value!r}")

    def _number(self, row, values, numbers):
        """Returns a row's value in its unit; None: no data; ...: missing."""
        value = _get(values, row["name"])
        if value is ...:
            if "count" in row and row["repetition"] >= numbers[row["count"]]:
                return ...
            if "default" not in row and not row.get("may_miss"):
                raise ValueError(f"{self.name}: {row['name']} is missing")
            return row.get("default", ...)
        names = row.get("names", {})
        if row["type"] == "text":
            return value
        if isinstance(value, str):
            if value not in names:
                raise self._wrong(row, value)
            value = names[value]
            if row.get("wire_names"):
                value = value * row["scale"] + row["offset"]
        if value is None or isinstance(value, float) and math.isnan(value):
            if "none" not in row:
                raise self._wrong(row, value)
            return None
        if names and not row.get("open_names") and value not in names.values():
            raise self._wrong(row, value)
        least, most, scale = row["least"], row["most"], row["scale"]
        if "by" in row:
            scale, least, most = row["scales"].get(numbers[row["by"]], (scale, least, most))
        if row["type"] == "float" and row["bits"] == 64:
            inside = math.isfinite(value) and least <= value <= most
        elif row["type"] == "float" and math.isfinite(value):
            inside = _single(least) <= _single(value) <= _single(most)
        else:
            slack = 0 if scale == 1 else abs(scale) * 0.49
            inside = math.isfinite(value) and least - slack <= value <= most + slack
        if not inside:
            raise self._wrong(row, value)
        return value

    def _wire(self, row, value, numbers):
        scale, offset = row["scale"], row["offset"]
        if value is None:
            return row["none"]
        if "by" in row:
            scale, offset = row["scales"].get(numbers[row["by"]], (scale,))[0], 0
        if type(value) is int and scale == 1 and offset == 0:
            return value
        wire = (value - offset) / scale
        if row["type"] == "float":
            return wire
        if scale == math.floor(scale) and wire != math.floor(wire):
            raise self._wrong(row, value)
        return math.floor(wire + 0.5)

    def _frame(self, numbers):
        frame = bytearray(self.size)
        for row in self.rows:
            number = numbers.get(row["name"], ...)
            if "fixed" in row:
                _put(frame, row, row["fixed"])
            elif row["type"] == "checksum":
                frame[row["bit"] // 8] = ~sum(frame[self.checksum_from:row["bit"] // 8]) & 255
            elif row["bits"] and number is not ...:
                self._put_value(frame, row, number, numbers)
        return bytes(frame)

    def _put_value(self, frame, row, number, numbers):
        byte = row["bit"] // 8
        if row["type"] == "text":
            text = number.encode()
            if len(text) > row["bits"] // 8:
                raise self._wrong(row, number)
            frame[byte:byte + len(text)] = text
            return
        wire = self._wire(row, number, numbers)
        if row["type"] == "float":
            forms = ("<Q", "<d") if row["bits"] == 64 else ("<I", "<f")
            try:
                bits = struct.unpack(forms[0], struct.pack(forms[1], wire))[0]
            except OverflowError:
                raise self._wrong(row, number) from None
            _put(frame, row, bits)
        elif row["type"] == "magnitude":
            _put(frame, dict(row, bits=16), abs(wire))
            frame[byte + 2] = wire >= 0
        else:
            _put(frame, row, wire)

    def _read(self, frame):
        """Returns the wire value of every row that has one."""
        wires = {}
        if len(frame) != self.size:
            raise ValueError(f"{self.name}: {len(frame)} bytes instead of {self.size}")
        for row in self.rows:
            byte, kind = row["bit"] // 8, row["type"]
            if not row["bits"] or kind == "pad":
                continue
            number = _bits(frame, row)
            if kind == "checksum":
                row = dict(row, fixed=~sum(frame[self.checksum_from:byte]) & 255)
            if "fixed" in row:
                if number != row["fixed"] and not row.get("lenient"):
                    raise ValueError(f"{self.name}: {row['name']} is {number}, not {row['fixed']}")
                continue
            if kind == "text":
                number = frame[byte:byte + row["bits"] // 8].split(b"\0")[0].decode(errors="replace")
            elif kind == "float":
                forms = ("<Q", "<d") if row["bits"] == 64 else ("<I", "<f")
                number = struct.unpack(forms[1], struct.pack(forms[0], number))[0]
                if not math.isfinite(number):
                    raise ValueError(f"{self.name}: {row['name']} is not a finite number")
            elif kind == "magnitude":
                number = _bits(frame, dict(row, bits=16))
                number = number if frame[byte + 2] else -number
            elif kind == "signed" and number >> (row["bits"] - 1):
                number -= 1 << row["bits"]
            wires[row["name"]] = number
        return wires

    def _value(self, row, wires, numbers):
        name, wire = row["name"], wires[row["name"]]
        if row["type"] == "text":
            return wire
        if "none" in row:
            key = row.get("none_with", name)
            if wires[key] == next(r["none"] for r in self.rows if r["name"] == key):
                return None
        scale, offset = row["scale"], row["offset"]
        if "by" in row:
            scale, offset = row["scales"].get(numbers[row["by"]], (scale,))[0], 0
        return wire if scale == 1 and offset == 0 else wire * scale + offset

    def _line(self, numbers):
        line = ""
        for row in self.rows:
            number = numbers.get(row["name"], ...)
            if "fixed" in row:
                line += row["fixed"]
            elif number is not ...:
                if number != math.floor(number):
                    raise self._wrong(row, number)
                sign = "-" if number < 0 else ""
                line += f"{row['before']}{sign}{abs(int(number)):0{row['digits']}d}"
        return line.encode()

    def _read_line(self, frame):
        wires, at, missing = {}, 0, False
        for row in self.rows:
            if "fixed" in row:
                word = row["fixed"].encode()
                if frame[at:at + len(word)] != word:
                    raise ValueError(f"{self.name}: expected {row['name']} at byte {at}")
                at += len(word)
                continue
            missing = missing or row.get("may_miss") and frame[at:at + 1] == b"\r"
            if missing and row.get("may_miss"):
                continue
            start, before = at, row["before"].encode()
            at += len(before)
            most = 1 if row["digits"] == 1 else 4
            negative = most > 1 and frame[at:at + 1] == b"-"
            first = at = at + negative
            while at - first < most and frame[at:at + 1].isdigit():
                at += 1
            if not frame.startswith(before, start) or at == first:
                raise ValueError(f"{self.name}: expected {row['name']} at byte {start}")
            number = int(frame[first:at]) * (-1 if negative else 1)
            if row.get("always") and not row["least"] <= number <= row["most"]:
                raise ValueError(f"{self.name}: invalid {row['name']}: {number}")
            wires[row["name"]] = number
        if at != len(frame):
            raise ValueError(f"{self.name}: extra bytes at the end ({len(frame) - at})")
        return wires


