"""A client of a server in a few lines: standard input goes there, and what comes is printed.

    talk.py SECONDS SOCKET

Ends SECONDS after the last of its input, or with the server.
"""
import os
import select
import socket
import sys
import time

server = socket.socket(socket.AF_UNIX)
server.connect(sys.argv[2])
sources, until = [sys.stdin, server], None
while until is None or time.monotonic() < until:
    ready, _, _ = select.select(sources, [], [], 0.05)
    if sys.stdin in ready:
        data = os.read(0, 65536)
        if not data:
            sources.remove(sys.stdin)
            until = time.monotonic() + float(sys.argv[1])
        server.sendall(data)
    if server in ready:
        data = server.recv(65536)
        if not data:
            break
        os.write(1, data)
