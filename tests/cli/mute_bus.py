"""Relays bytes between a client and a simulated bus, without telemetry once FILE exists: mute_bus.py HOST PORT FILE."""
import os
import select
import socket
import sys

server = socket.create_server(("127.0.0.1", 0))
print(f"ready: slcan:tcp:127.0.0.1:{server.getsockname()[1]}", file=sys.stderr, flush=True)
client, _ = server.accept()
bus = socket.create_connection((sys.argv[1], int(sys.argv[2])))
while True:
    for end in select.select([client, bus], [], [])[0]:
        data = end.recv(4096)
        if not data:
            sys.exit()
        if end is client:
            bus.sendall(data)
        elif not os.path.exists(sys.argv[3]):
            client.sendall(data)
