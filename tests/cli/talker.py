"""A device that only talks: sends a line of armctl's protocol every 20 ms to who connects.

talker.py PORT: says "ready: tcp:127.0.0.1:PORT" on standard error; 0 chooses a port.
"""
import socket
import sys
import time

with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as server:
    print(f"ready: tcp:127.0.0.1:{server.getsockname()[1]}", file=sys.stderr, flush=True)
    while True:
        connection = server.accept()[0]
        try:
            for i in range(1 << 30):
                connection.sendall(b"%dDEG%d,%03d\r\n" % (2 + i % 2, 1 + i % 4, i % 360))
                time.sleep(0.02)
        except OSError:
            connection.close()
