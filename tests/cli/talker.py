"""A device that only sends: lines of armctl's protocol to each client.

talker.py PORT [HZ]: prints "ready: tcp:127.0.0.1:PORT" on standard error; 0 chooses a port. HZ is the
number of lines per second, by default 50.
"""
import socket
import sys
import time

rate = float(sys.argv[2]) if len(sys.argv) > 2 else 50

with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as server:
    print(f"ready: tcp:127.0.0.1:{server.getsockname()[1]}", file=sys.stderr, flush=True)
    while True:
        connection = server.accept()[0]
        start = time.monotonic()
        try:
            for i in range(1 << 30):
                connection.sendall(b"%dDEG%d,%03d\r\n" % (2 + i % 2, 1 + i % 4, i % 360))
                time.sleep(max(0, start + i / rate - time.monotonic()))
        except OSError:
            connection.close()
