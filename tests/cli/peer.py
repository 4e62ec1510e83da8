"""A TCP peer that accepts connections one by one and saves every byte to a file.

peer.py --connections FILE: runs until it is killed, and writes a line for every connection instead.

peer.py FILE: prints "ready: tcp:127.0.0.1:PORT", and ends after a connection that sends only "END".
Connections are accepted in their order, so the data before END is complete.
"""
import socket
import sys

if sys.argv[1] == "--connections":
    with socket.create_server(("127.0.0.1", 0)) as server:
        open(sys.argv[2], "w").close()
        print(f"ready: tcp:127.0.0.1:{server.getsockname()[1]}", file=sys.stderr, flush=True)
        while True:
            server.accept()[0].close()
            with open(sys.argv[2], "a") as taken:
                print("somebody connected", file=taken)

with socket.create_server(("127.0.0.1", 0)) as server, open(sys.argv[1], "wb") as kept:
    print(f"ready: tcp:127.0.0.1:{server.getsockname()[1]}", file=sys.stderr, flush=True)
    while True:
        with server.accept()[0] as connection:
            data = b""
            while block := connection.recv(65536):
                data += block
        if data == b"END\n":
            break
        kept.write(data)
