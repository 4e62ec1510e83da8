"""An slcan adapter on TCP that refuses every frame after the first N."""
import socket, sys
limit = int(sys.argv[1])
listener = socket.create_server(("127.0.0.1", 0))
print(f"ready: slcan:tcp:127.0.0.1:{listener.getsockname()[1]}", file=sys.stderr, flush=True)
while True:
    link, _ = listener.accept()
    line, n = b"", 0
    while data := link.recv(1):
        if data != b"\r":
            line += data
            continue
        if line[:1] in b"tT" and line:
            n += 1
            link.sendall(b"z\r" if n <= limit else b"\a")
        else:
            link.sendall(b"V1010\r" if line == b"V" else b"\r")
        line = b""
