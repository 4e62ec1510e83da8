#!/usr/bin/env python3
"""A client of Foxglove's WebSocket protocol in plain Python, following RFC 6455 and ws-protocol's docs/spec.md.

    foxglove.py URL look TOPIC…        waits for these topics; prints messages as JSON lines, then the last values
    foxglove.py URL stop               calls the service /stop; prints its answers
    foxglove.py URL crowd BYTES        19 clients that read this much and one that does not; prints their counts
    foxglove.py LAYOUT.json layout RUN.mcap    checks that each path is a number in the recording,
                                               and that /stop is the only service
    foxglove.py LAYOUT.xml curves RUN.mcap     checks that each curve is a number in the recording for PlotJuggler
    foxglove.py URL rude               sends invalid requests; prints the server's reactions
    foxglove.py URL origin PAGE…       prints which of these pages may connect
    foxglove.py URL flood SECONDS WAY… floods the server; prints the time that another client's /stop takes
"""
import base64
import hashlib
import importlib.util
import json
import os
import re
import select
import socket
import struct
import sys
import time
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
SPEC = importlib.util.spec_from_file_location("read", os.path.join(HERE, "..", "mcap", "read.py"))
mcap = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(mcap)
TEXT, BINARY, CLOSE = 1, 2, 8


class Client:
    def __init__(self, url, protocol="foxglove.websocket.v1", room=None, origin=None, subscribes=True):
        host, port = url.split("//")[1].rsplit(":", 1)
        self.socket = socket.socket()
        if room:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        self.socket.settimeout(10)
        self.socket.connect((host, int(port)))
        key = base64.b64encode(os.urandom(16)).decode()
        head = ["GET / HTTP/1.1", "Host: %s:%s" % (host, port), "Upgrade: websocket", "Connection: Upgrade",
                "Sec-WebSocket-Key: " + key, "Sec-WebSocket-Version: 13"]
        head += ["Sec-WebSocket-Protocol: " + protocol] if protocol else []
        head += ["Origin: " + origin] if origin else []
        self.subscribes = subscribes
        self.socket.sendall("\r\n".join(head + ["", ""]).encode())
        self.data = b""
        while b"\r\n\r\n" not in self.data:
            got = self.socket.recv(4096)
            if not got:
                raise ConnectionError("no answer")
            self.data += got
        answer, self.data = self.data.split(b"\r\n\r\n", 1)
        self.answer = answer.decode()
        if " 101 " not in self.answer.split("\r\n")[0]:
            raise ConnectionError(self.answer.split("\r\n")[0])
        accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        assert ("sec-websocket-accept: " + accept.decode()).lower() in self.answer.lower()
        assert "sec-websocket-protocol: " + protocol in self.answer.lower()
        self.channels, self.subscribed, self.types, self.counts, self.last, self.said = {}, {}, {}, {}, {}, []
        self.bytes = 0

    def send(self, kind, payload, final=True):
        size = len(payload)
        head = bytes([(128 if final else 0) | kind])
        head += bytes([128 | size]) if size < 126 else (
            bytes([254]) + struct.pack(">H", size) if size < 65536 else bytes([255]) + struct.pack(">Q", size))
        mask = os.urandom(4)
        self.socket.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload)))

    def say(self, **message):
        self.send(TEXT, json.dumps(message).encode())

    def frame(self):
        """Returns the next complete message received, or None."""
        d = self.data
        if len(d) < 2:
            return None
        assert d[0] & 128 and not d[0] & 112 and not d[1] & 128, "a frame of a server: whole, not masked"
        size, at = d[1] & 127, 2
        if size == 126 and len(d) >= 4:
            size, at = struct.unpack(">H", d[2:4])[0], 4
        elif size == 127 and len(d) >= 10:
            size, at = struct.unpack(">Q", d[2:10])[0], 10
        elif size >= 126:
            return None
        if len(d) < at + size:
            return None
        self.data = d[at + size :]
        return d[0] & 15, d[at : at + size]

    def fill(self, seconds):
        if not select.select([self.socket], [], [], max(seconds, 0))[0]:
            return False
        got = self.socket.recv(1 << 16)
        if not got:
            raise ConnectionError("the server has closed")
        self.data += got
        self.bytes += len(got)
        return True

    def next(self, seconds=10):
        until = time.monotonic() + seconds
        while True:
            frame = self.frame()
            if frame:
                return frame
            if not self.fill(until - time.monotonic()) and time.monotonic() >= until:
                return None

    def subscribe(self, channel):
        number = 1000 + channel["id"]
        self.channels[channel["id"]] = channel
        self.subscribed[number] = channel
        self.types[number] = mcap.Type(channel["schemaName"], channel["schema"])
        assert channel["encoding"] == "cdr" and channel["schemaEncoding"] == "ros2msg"
        self.say(op="subscribe", subscriptions=[{"id": number, "channelId": channel["id"]}])

    def take(self, kind, payload, decodes=True):
        """Decodes a message: returns a JSON object, or the type of a binary message and its fields."""
        if kind == CLOSE:
            raise ConnectionError("the server says goodbye")
        if kind == TEXT:
            message = json.loads(payload)
            self.said.append(message)
            if message["op"] == "advertise" and self.subscribes:
                for channel in message["channels"]:
                    self.subscribe(channel)
            return message
        assert kind == BINARY
        if payload[0] == 1:
            number, stamp = struct.unpack_from("<IQ", payload, 1)
            topic = self.subscribed[number]["topic"]
            self.counts[topic] = self.counts.get(topic, 0) + 1
            if decodes:
                self.last[topic] = self.types[number].decode(payload[13:])
            return {"op": "message", "topic": topic, "time": stamp}
        assert payload[0] == 3
        service, call, size = struct.unpack_from("<III", payload, 1)
        encoding, data = payload[13 : 13 + size].decode(), payload[13 + size :]
        response = mcap.Type("", "bool success\nstring message\n")
        return {"op": "answer", "service": service, "call": call, "encoding": encoding,
                "value": json.loads(data) if encoding == "json" else response.decode(data)}

    def until(self, op, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            frame = self.next(end - time.monotonic())
            message = frame and self.take(*frame)
            if message and message["op"] == op:
                return message
        raise TimeoutError(op)

    def run(self, seconds, decodes=True):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            frame = self.next(end - time.monotonic())
            if frame:
                self.take(*frame, decodes)

    def call(self, service, number, encoding, data=b""):
        name = encoding.encode()
        self.send(BINARY, struct.pack("<BIII", 2, service, number, len(name)) + name + data)


def look(url, *topics):
    client = Client(url)
    end = time.monotonic() + 20
    while not set(topics) <= set(client.last):
        assert time.monotonic() < end, "only %s" % sorted(client.last)
        client.run(0.05)
    for message in client.said:
        print(json.dumps(message))
    print(json.dumps({"op": "seen", "last": client.last}))


def stop(url):
    client = Client(url, "foxglove.sdk.v1")
    service = client.until("advertiseServices")["services"][0]
    assert (service["name"], service["type"]) == ("/stop", "std_srvs/srv/Trigger")
    for number, encoding in enumerate(("cdr", "json")):
        client.call(service["id"], number, encoding, b"\0\1\0\0\0" if encoding == "cdr" else b"{}")
        answer = client.until("answer")
        assert (answer["service"], answer["call"], answer["encoding"]) == (service["id"], number, encoding)
        print(json.dumps(answer["value"]))


def crowd(url, size):
    deaf = Client(url, room=4096)
    deaf.until("advertise")
    readers = [Client(url) for _ in range(19)]
    for client in [deaf, *readers]:
        while not client.counts:  # waits for the first messages of their subscriptions
            client.take(*client.next(), False)
    gaps, seen = [0.0] * len(readers), [time.monotonic()] * len(readers)
    before = [sum(c.counts.values()) for c in readers]
    end, turn, starved = time.monotonic() + 60, time.monotonic(), 0.0
    while min(c.bytes for c in readers) < int(size):
        starved, turn = max(starved, time.monotonic() - turn), time.monotonic()
        assert turn < end, "they get too little"
        for i, client in enumerate(readers):
            if client.fill(0):
                now = time.monotonic()
                gaps[i], seen[i] = max(gaps[i], now - seen[i]), now
        select.select([c.socket for c in readers], [], [], 0.01)
    for client in readers:  # before the test, because a collection would delay this program
        while frame := client.frame():
            client.take(*frame, False)
    got = [sum(c.counts.values()) - b for c, b in zip(readers, before)]
    lost = [m for c in readers for m in c.said if m["op"] == "status"]
    end = time.monotonic() + 20
    while not any(m["op"] == "status" for m in deaf.said) and time.monotonic() < end:
        deaf.run(0.1, False)
    print(json.dumps({"least": min(got), "most": max(got), "lost": lost, "gap_ms": round(1000 * max(gaps)),
                      "starved_ms": round(1000 * starved),  # excludes time without a processor
                      "deaf": [m["message"] for m in deaf.said if m["op"] == "status"]}))


def paths_of(value):
    if isinstance(value, dict):
        for key, item in value.items():
            if key in ("value", "topicPath"):
                yield item
            else:
                yield from paths_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from paths_of(item)


def layout(path, recording):
    """Checks every topic, field and panel of the layout."""
    about = json.load(open(path))
    values = {}
    for message in mcap.decoded(mcap.File(recording)):
        values.setdefault(message["topic"], message["value"])
    panels, paths = about["configById"], list(paths_of(about["configById"]))
    assert sorted(panels) == sorted(set(re.findall(r"\w+!\w+", json.dumps(about["layout"])))), "panels"
    assert [p["serviceName"] for p in panels.values() if "serviceName" in p] == ["/stop"]
    for text in paths:
        topic, *fields = re.split(r"[.\[]", text)
        value = values[topic]
        for field in fields:
            value = value[int(field[:-1])] if field.endswith("]") else value[field]
        assert isinstance(value, (int, float)) == bool(fields), (text, value)
    print(len(paths), "paths")


def curves(path, recording):
    """Returns the names that PlotJuggler gives to topic and field; it names JointState fields by joint
    (ros_parser.cpp)."""
    there = set()
    for message in mcap.decoded(mcap.File(recording)):
        topic, value = message["topic"], message["value"]
        if topic == "/joint_states":
            there |= {f"{topic}/{name}/{of}" for of in ("position", "velocity", "effort")
                      for name, _ in zip(value["name"], value[of])}
        else:
            there |= {f"{topic}/{name.replace('.', '/')}" for name, _ in mcap.flat(value)}
    root = xml.etree.ElementTree.parse(path).getroot()
    splitter = root.find("tabbed_widget[@parent='main_window']/Tab/Container/DockSplitter")
    plots = splitter.findall("DockArea/plot[@mode='TimeSeries']")
    assert len(plots) == int(splitter.get("count")) == len(splitter.get("sizes").split(";")), "plots"
    names = [curve.get("name") for plot in plots for curve in plot.findall("curve")]
    assert names and all(plot.findall("curve") for plot in plots) and there.issuperset(names), set(names) - there
    print(len(names), "curves")


def refused(what):
    try:
        what()
    except (ConnectionError, OSError) as e:
        return str(e)
    raise AssertionError("it was not refused")


def rude(url):
    refused(lambda: Client(url, "chat")), refused(lambda: Client(url, ""))
    client = Client(url)
    for text in ("not JSON", "{}", '{"op":"advertise","channels":[]}', '{"op":"subscribe","subscriptions":[{"id":1}]}'):
        client.send(TEXT, text.encode())
        print(client.until("status")["message"])
    client.send(BINARY, b"\2\1\0")
    print(client.until("status")["message"])
    client.call(7, 5, "cdr")
    print(client.until("serviceCallFailure")["message"])
    client.send(TEXT, b'{"op":"unsub', False)
    client.send(0, b'scribe","subscriptionIds":[1000,5]}')
    client.call(1, 9, "cdr")
    assert client.until("answer")["call"] == 9
    refused(lambda: (client.send(TEXT, b"x" * (2 << 20)), client.run(10)))


def origin(url, *pages):
    for page in pages:
        try:
            Client(url, origin=page).until("serverInfo")
            print("permitted", page)
        except ConnectionError:
            print("refused", page)


def subscribe_often(client):
    """Subscribes 4,000 times, repeats each subscription, and never reads."""
    channels = [{"id": i, "channelId": 1 + i % 20} for i in range(4000)]
    for i in range(0, 4000, 40):
        client.say(op="subscribe", subscriptions=channels[i : i + 40])
    while True:
        client.say(op="subscribe", subscriptions=channels)
        client.say(op="unsubscribe", subscriptionIds=list(range(4000)))


def talk(client):
    while True:
        client.socket.sendall(b"\x81\x81\0\0\0\0x" * 1000)


def begin_often(client):
    client.send(TEXT, b"[" * 1000, False)
    while True:
        client.send(0, b"[" * 1000, False)


def call_often(client):
    call = struct.pack("<BIII", 2, 1, 9, 3) + b"cdr"
    while True:
        client.socket.sendall((bytes([130, 128 | len(call)]) + bytes(4) + call) * 100)


def keep_flooding(url, how):
    while True:
        try:
            how(Client(url, subscribes=False, room=4096))
        except (ConnectionError, OSError):  # the server closed the connection
            pass


def flood(url, seconds, *ways):
    floods = []
    for how in ways:
        how = {"subscribe": subscribe_often, "talk": talk, "begin": begin_often, "call": call_often}[how]
        floods.append(os.fork())
        if not floods[-1]:
            try:
                keep_flooding(url, how)
            finally:
                os._exit(1)
    times, end = [], time.monotonic() + float(seconds)
    try:
        time.sleep(0.2)
        client = Client(url, subscribes=False)
        while time.monotonic() < end:
            begun = time.monotonic()
            client.call(1, len(times), "cdr")
            assert client.until("answer")["value"]["success"]
            times.append(1000 * (time.monotonic() - begun))
    finally:
        for pid in floods:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
    times.sort()
    print(json.dumps({"n": len(times), "median_ms": round(times[len(times) // 2], 1),
                      "p99_ms": round(times[len(times) * 99 // 100], 1), "max_ms": round(times[-1], 1)}))


if __name__ == "__main__":
    {"look": look, "stop": stop, "crowd": crowd, "rude": rude, "origin": origin, "flood": flood, "layout": layout, "curves": curves}[sys.argv[2]](sys.argv[1], *sys.argv[3:])
