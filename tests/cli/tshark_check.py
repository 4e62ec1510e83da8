"""Compares the output of `tshark -T json` for a capture with the records of `TOOL decode -j`.

    tshark_check.py TOOL PACKETS.json RECORDS

Requires every value of every record under TOOL.MESSAGE.FIELD or TOOL.FIELD with the same number or text; values
that are null must be absent. Prints the number of compared values.
"""
import json
import struct
import sys


def rows(packet, tool):
    """Yields the tool's trees in the packet, in order; keys may repeat."""
    for key, value in packet:
        if key == tool and isinstance(value, list):
            yield dict(value)
        elif isinstance(value, list) and value and isinstance(value[0], tuple):
            yield from rows(value, tool)
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, list):
                    yield dict(item)


def flat(record, prefix=""):
    for key, value in record.items():
        if isinstance(value, dict):
            yield from flat(value, prefix + key + ".")
        else:
            yield prefix + key, value


def same(found, expected):
    if expected is None or found is None:
        return found is expected
    if isinstance(expected, str):
        return found == expected
    found = float(found)
    return found == expected or struct.pack("f", found) == struct.pack("f", expected)


def main():
    tool = sys.argv[1]
    packets = json.load(open(sys.argv[2]), object_pairs_hook=lambda pairs: pairs)
    found = [row for packet in packets for row in rows(packet, tool)]
    records = [json.loads(line) for line in open(sys.argv[3])]
    if len(found) != len(records):
        sys.exit(f"{len(found)} trees for {len(records)} records")
    compared, messages = 0, set()
    for row, record in zip(found, records):
        name = record["msg"]
        record.pop("anomaly", None)  # a key that decode adds
        for field, expected in flat(record):
            value = row.get(f"{tool}.{name}.{field}", row.get(f"{tool}.{field}"))
            if field in ("t", "axis"):  # the field is not on the wire
                continue
            if not same(value, expected):
                sys.exit(f"{field} is {value} in {row}, but {expected} in {record}")
            compared += 1
        messages.add((record["dir"], name))
    print(f"{compared} values of {len(messages)} kinds of message")


main()
