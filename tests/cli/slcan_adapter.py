"""An slcan adapter on TCP that refuses every frame after the first N, alone or before a bus: N [HOST PORT]."""
import select, socket, sys
limit = int(sys.argv[1])
listener = socket.create_server(("127.0.0.1", 0))
print(f"ready: slcan:tcp:127.0.0.1:{listener.getsockname()[1]}", file=sys.stderr, flush=True)
while True:
    link, _ = listener.accept()
    bus = socket.create_connection((sys.argv[2], int(sys.argv[3]))) if sys.argv[3:] else None
    line, n, data = b"", 0, b"\r"
    while data:
        if bus in select.select([link] + [bus] * bool(bus), [], [])[0]:
            link.sendall(bus.recv(4096))
            continue
        data = link.recv(1)
        line += data
        if data != b"\r":
            continue
        n += line[:1] in b"tT"
        if n > limit and line[:1] in b"tT":
            link.sendall(b"\a")
        elif bus:
            bus.sendall(line)
        else:
            link.sendall(b"V1010\r" if line == b"V\r" else b"z\r" if line[:1] in b"tT" else b"\r")
        line = b""
