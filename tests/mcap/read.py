#!/usr/bin/env python3
"""Reads an MCAP file of ROS 2 messages strictly, without armwire's code. Implements mcap.dev/spec, ros2msg and CDR.

    read.py FILE.mcap              prints each message as a JSON line: topic, log, publish, value
    read.py --about FILE.mcap      prints one object: channels, metadata, attachments, statistics
    read.py --equal FILE.mcap EXPECTED    requires exactly the messages of make_frames, field by field

Checksums, lengths, index and statistics must agree with the contents. With --cut first, reads only the complete
chunks of a truncated file.
"""
import ctypes
import ctypes.util
import json
import math
import re
import struct
import sys
import zlib

MAGIC = b"\x89MCAP0\r\n"
ZSTD = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
ZSTD.ZSTD_decompress.restype = ctypes.c_size_t


def unpack_zstd(data, size):
    out = ctypes.create_string_buffer(size or 1)
    got = ZSTD.ZSTD_decompress(out, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)))
    assert got == size, "zstd: %d bytes instead of %d" % (got, size)
    return out.raw[:size]


class Fields:
    """Reads consecutive numbers and strings."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        assert self.at + size <= len(self.data), "a record is too short"
        self.at += size
        return self.data[self.at - size : self.at]

    def u(self, bytes_):
        return int.from_bytes(self.take(bytes_), "little")

    def part(self):
        return self.take(self.u(4))

    def text(self):
        return self.part().decode()

    def pairs(self):
        inner, out = Fields(self.part()), {}
        while inner.at < len(inner.data):
            key = inner.text()
            out[key] = inner.text()
        return out

    def ended(self):
        assert self.at == len(self.data), "%d bytes behind a record" % (len(self.data) - self.at)


def records(data, at, end, cut=False):
    while at < end:
        if at + 9 > end or at + 9 + int.from_bytes(data[at + 1 : at + 9], "little") > end:
            assert cut, "a record beyond the end, at %d" % at
            return
        size = int.from_bytes(data[at + 1 : at + 9], "little")
        yield at, data[at], data[at + 9 : at + 9 + size]
        at += 9 + size


class File:
    def __init__(self, path, cut=False):
        self.data = open(path, "rb").read()
        self.schemas, self.channels, self.messages = {}, {}, []
        self.metadata, self.attachments, self.about = {}, {}, {}
        self.chunks, self.index, self.ends = [], {}, 0
        assert self.data.startswith(MAGIC), "no magic"
        end = len(self.data)
        if not cut:
            assert self.data.endswith(MAGIC), "no magic at the end"
            end -= len(MAGIC)
        for at, op, content in records(self.data, len(MAGIC), end, cut):
            if op == 0x0F:
                assert content == b"\0" * 4
                self.ends = at + 9 + len(content)
                break
            self.record(at, op, content)
        if not cut:
            assert self.ends, "no end of data"
            self.summary(end)

    def record(self, at, op, content):
        f = Fields(content)
        if op == 1:
            self.about["profile"], self.about["library"] = f.text(), f.text()
        elif op == 3:
            number = f.u(2)
            schema = (f.text(), f.text(), f.text())
            assert self.schemas.setdefault(number, schema) == schema
        elif op == 4:
            number = f.u(2)
            channel = (f.u(2), f.text(), f.text(), f.pairs())
            assert channel[0] in self.schemas and channel[2] == "cdr"
            assert self.channels.setdefault(number, channel) == channel
        elif op == 5:
            number, _, log, publish = f.u(2), f.u(4), f.u(8), f.u(8)
            self.messages.append((number, log, publish, f.take(len(content) - f.at)))
            assert number in self.channels
        elif op == 6:
            self.chunk(at, f, len(content))
        elif op == 7:
            number, entries = f.u(2), Fields(f.part())
            got = [(entries.u(8), entries.u(8)) for _ in range(len(entries.data) // 16)]
            assert got == self.chunks[-1]["places"][number], "index of a chunk"
            self.chunks[-1]["index"][number] = at
            self.chunks[-1]["index_length"] += 9 + len(content)
        elif op == 9:
            log, create, name, kind = f.u(8), f.u(8), f.text(), f.text()
            data = f.take(f.u(8))
            assert f.u(4) in (0, zlib.crc32(content[:-4])), "checksum of an attachment"
            self.attachments[name] = (at, 9 + len(content), log, create, kind, data)
        elif op == 12:
            name = f.text()
            self.metadata[name] = (at, 9 + len(content), f.pairs())
        f.ended()

    def chunk(self, at, f, length):
        start, end, size, crc, packed = f.u(8), f.u(8), f.u(8), f.u(4), f.text()
        data = f.take(f.u(8))
        plain = unpack_zstd(data, size) if packed == "zstd" else data
        assert packed in ("", "zstd") and len(plain) == size
        assert crc in (0, zlib.crc32(plain)), "checksum of a chunk"  # 0: no checksum
        places, first = {}, len(self.messages)
        self.chunks.append(dict(at=at, length=9 + length, start=start, end=end, size=size, packed=packed,
                                compressed=len(data), places=places, index={}, index_length=0))
        for place, op, content in records(plain, 0, len(plain)):
            assert op in (3, 4, 5)
            self.record(None, op, content)
            if op == 5:
                number, log = self.messages[-1][:2]
                places.setdefault(number, []).append((log, place))
        times = [m[1] for m in self.messages[first:]] or [0]
        assert (start, end) == (min(times), max(times)), "times of a chunk"

    def summary(self, end):
        """Requires that the summary describes exactly the contents of the file."""
        groups, offsets = {}, {}
        listed = {3: {}, 4: {}, 8: [], 10: [], 13: []}
        for at, op, content in records(self.data, self.ends, end):
            f = Fields(content)
            groups.setdefault(op, [at, 0])[1] += 9 + len(content)
            if op == 3:
                listed[3].update({f.u(2): (f.text(), f.text(), f.text())})
            elif op == 4:
                listed[4].update({f.u(2): (f.u(2), f.text(), f.text(), f.pairs())})
            elif op == 11:
                self.statistics(f)
            elif op == 14:
                offsets.update({f.u(1): [f.u(8), f.u(8)]})
            elif op == 2:
                start, offset_start, crc = f.u(8), f.u(8), f.u(4)
                assert start == self.ends and crc in (0, zlib.crc32(self.data[start : at + 25])), "checksum of the summary"
                assert offset_start == groups[14][0]
            elif op in listed:
                listed[op].append(f.take(len(content)))
            f.ended()
        del groups[14], groups[2]
        assert offsets == groups, "offsets of the summary"
        assert listed[3] == self.schemas and listed[4] == self.channels
        self.chunk_index(listed[8])
        names = [Fields(x) for x in listed[13]]
        assert [(f.u(8), f.u(8), f.text()) for f in names] == [(a, n, k) for k, (a, n, _) in self.metadata.items()]
        names = [Fields(x) for x in listed[10]]
        assert [(f.u(8), f.u(8), f.u(8), f.u(8), f.u(8), f.text(), f.text()) for f in names] == [
            (a, n, log, create, len(d), k, kind) for k, (a, n, log, create, kind, d) in self.attachments.items()]

    def chunk_index(self, listed):
        assert len(listed) == len(self.chunks)
        for content, chunk in zip(listed, self.chunks):
            f = Fields(content)
            assert [f.u(8) for _ in range(4)] == [chunk[k] for k in ("start", "end", "at", "length")]
            places = Fields(f.part())
            got = {places.u(2): places.u(8) for _ in range(len(places.data) // 10)}
            assert got == chunk["index"] and set(got) == set(chunk["places"]), "channels of a chunk"
            assert f.u(8) == chunk["index_length"] and f.text() == chunk["packed"]
            assert (f.u(8), f.u(8)) == (chunk["compressed"], chunk["size"])
            f.ended()

    def statistics(self, f):
        times = [m[1] for m in self.messages] or [0]
        assert [f.u(8), f.u(2), f.u(4), f.u(4), f.u(4), f.u(4), f.u(8), f.u(8)] == [
            len(self.messages), len(self.schemas), len(self.channels), len(self.attachments), len(self.metadata),
            len(self.chunks), min(times), max(times)], "statistics"
        counts, inner = {}, Fields(f.part())
        for message in self.messages:
            counts[message[0]] = counts.get(message[0], 0) + 1
        assert {inner.u(2): inner.u(8) for _ in range(len(inner.data) // 10)} == counts


SIZES = dict(bool="?", byte="B", char="B", uint8="B", int8="b", uint16="H", int16="h", uint32="I", int32="i",
             uint64="Q", int64="q", float32="f", float64="d")
FIELD = re.compile(r"^([\w/]+)(\[\d*\])?\s+([a-z][a-z0-9]*(?:_[a-z0-9]+)*)$")
CONSTANT = re.compile(r"^\w+\s+([A-Z][A-Z0-9_]*)\s*=\s*(-?\d+)$")


class Type:
    """A message definition with its nested definitions."""

    def __init__(self, name, text):
        self.fields, self.constants, self.parts = [], {}, {}
        head, *below = re.split(r"^=+\nMSG: (.*)\n", text, flags=re.M)
        for part, body in zip(below[::2], below[1::2]):
            self.parts[part.strip()] = body
        self.fields = {key: self.read(body) for key, body in [("", head)] + list(self.parts.items())}

    def read(self, text):
        out = []
        for line in text.split("\n"):
            line = line.split("#")[0].strip()
            constant, field = CONSTANT.match(line), FIELD.match(line)
            assert not line or constant or field, "a line of a type: %r" % line
            if constant:
                self.constants.setdefault(constant[1], int(constant[2]))
            elif field:
                out.append((field[1], field[2], field[3]))
        return out

    def decode(self, data):
        assert data[:4] == b"\0\1\0\0", "byte order"
        self.data, self.at = data[4:], 0
        value = self.message("")
        assert self.at == len(self.data), "%d bytes behind a message" % (len(self.data) - self.at)
        return value

    def scalar(self, kind):
        if kind == "string":
            size = self.scalar("uint32")
            self.at += size
            assert self.data[self.at - 1] == 0
            return self.data[self.at - size : self.at - 1].decode()
        if kind not in SIZES:
            return self.message(kind)
        size = struct.calcsize("<" + SIZES[kind])
        self.at += -self.at % size
        self.at += size
        return struct.unpack("<" + SIZES[kind], self.data[self.at - size : self.at])[0]

    def message(self, name):
        out = {}
        for kind, array, field in self.fields[name]:
            assert field not in out, field
            if not array:
                out[field] = self.scalar(kind)
            else:
                count = int(array[1:-1]) if len(array) > 2 else self.scalar("uint32")
                out[field] = [self.scalar(kind) for _ in range(count)]
        return out


def decoded(file):
    types = {}
    for number, log, publish, data in file.messages:
        schema, topic, _, _ = file.channels[number]
        if schema not in types:
            types[schema] = Type(*file.schemas[schema][::2])
        yield dict(topic=topic, log=log, publish=publish, value=types[schema].decode(data))


def flat(value, prefix=""):
    for key, item in value.items():
        if isinstance(item, dict):
            yield from flat(item, prefix + key + ".")
        else:
            yield prefix + key, item


def equal(file, expected):
    """Compares with make_frames' lines {"topic":…,"bytes":hex,"value":{"m1.position":0.5}}; null means no data."""
    wanted = [json.loads(line) for line in open(expected)]
    frames = [m for m in decoded(file) if m["topic"] == "/armwire/frames"]
    assert [bytes(m["value"]["bytes"]).hex() for m in frames] == [w["bytes"] for w in wanted], "frames"
    values = [m for m in decoded(file) if not m["topic"].startswith(("/armwire/", "/joint_states"))]
    wanted = [w for w in wanted if w["value"]]
    assert len(values) == len(wanted), "%d messages, not %d" % (len(values), len(wanted))
    compared = 0
    for got, want in zip(values, wanted):
        assert got["topic"] == want["topic"], (got, want)
        for name, value in flat(got["value"]):
            other = want["value"].pop(name, None)
            same = math.isnan(value) if other is None else value == other
            assert same, (got["topic"], name, value, other)
            compared += 1
        assert not want["value"], ("missing", want)
    print("%d messages, %d values equal" % (len(file.messages), compared))


def main():
    arguments = sys.argv[1:]
    cut = "--cut" in arguments
    words = [a for a in arguments if not a.startswith("--")]
    file = File(words[0], cut)
    if "--about" in arguments:
        print(json.dumps(dict(
            file.about, messages=len(file.messages), chunks=len(file.chunks), whole=bool(file.ends),
            channels={c[1]: file.schemas[c[0]][0] for c in file.channels.values()},
            metadata={k: v[2] for k, v in file.metadata.items()},
            attachments={k: v[5].decode() for k, v in file.attachments.items()})))
    elif "--equal" in arguments:
        equal(file, words[1])
    else:
        for message in decoded(file):
            print(json.dumps(message))


if __name__ == "__main__":
    main()
