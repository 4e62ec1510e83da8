"""The part of PlotJuggler that listens: keeps JSON datagrams in a file, one a line.

juggler.py COUNT FILE: says "ready: 127.0.0.1:PORT" on standard error, ends after COUNT of them.
"""
import json
import socket
import sys

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server, open(sys.argv[2], "w") as kept:
    server.bind(("127.0.0.1", 0))
    print(f"ready: 127.0.0.1:{server.getsockname()[1]}", file=sys.stderr, flush=True)
    for _ in range(int(sys.argv[1])):
        print(json.dumps(json.loads(server.recv(65536))), file=kept)
