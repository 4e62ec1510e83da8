"""Measures the cost of a server: prints lines "WHAT<TAB>VALUE<TAB>UNIT<TAB>DETAILS<TAB>BAR<TAB>yes|NO" for make bench.

    serve.py FOLDER        the tools are in PATH
"""
import json
import os
import resource
import signal
import socket
import statistics
import subprocess
import sys
import time

FOLDER = sys.argv[1]
RATE = "sim:?rate=56"  # six boards, three messages: 1,008 records/s
READERS, SECONDS = 100, 4
os.environ["XDG_RUNTIME_DIR"] = FOLDER


def row(what, value, unit, details, bar, met):
    print(what, value, unit, details, bar, "yes" if met else "NO", sep="\t", flush=True)


def serve(tool, link, *words):
    path = f"{FOLDER}/{tool}.bench"
    server = subprocess.Popen([tool, "-q", "-l", link, "serve", "--listen", f"unix:{path}", *words],
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while b"ready:" not in server.stderr.readline():
        pass
    return server, path


def connect(path):
    end = socket.socket(socket.AF_UNIX)
    end.connect(path)
    return end


def cpu_s(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))


def times_of(send, receive, count=1000):
    times = []
    for _ in range(count):
        begin = time.perf_counter_ns()
        send(b"gripper 90\n")
        receive()
        times.append((time.perf_counter_ns() - begin) / 1e6)
    times.sort()
    return times[len(times) // 2], times[int(len(times) * 0.99)]


def latency():
    """Measures one confirmed command, from the line to its result: through a pipe to the tool that
    holds the device, and through a server."""
    simulator = subprocess.Popen(["hidmotor", "sim", "--listen", f"unix-listen:{FOLDER}/board"],
                                 stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while b"ready:" not in simulator.stderr.readline():
        pass
    link = f"unix:{FOLDER}/board"
    direct = subprocess.Popen(["hidmotor", "-q", "-j", "-l", link], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, bufsize=0)

    def result(lines, last):
        def read():
            while last not in lines.readline():
                pass
        return read

    alone = times_of(direct.stdin.write, result(direct.stdout, b'"cmd"'))
    direct.stdin.close()
    direct.wait()
    server, path = serve("hidmotor", link)
    end = connect(path)
    shared = times_of(end.sendall, result(end.makefile("rb"), b'"cmd"'))
    for process in (server, simulator):
        process.kill()
        process.wait()
    added = [b - a for a, b in zip(alone, shared)]
    row("a command through serve, added", f"{added[0]:.3f}", "ms",
        f"P99 {added[1]:.3f}; direct {alone[0]:.3f}, served {shared[0]:.3f}",
        "P50 <= 0.15, P99 <= 1", added[0] <= 0.15 and added[1] <= 1)


def reader(path, report):
    """Counts received records and the reported losses."""
    end = connect(path)
    end.sendall(b'{"cmd":"watch"}\n')
    records = lost = 0
    buffer = b""
    until = time.monotonic() + SECONDS + 1
    end.settimeout(0.5)
    while time.monotonic() < until:
        try:
            data = end.recv(1 << 20)
        except TimeoutError:
            continue
        if b'"lost"' in data:
            lost += 1
        records += data.count(b'"msg"')
    os.write(report, json.dumps([records, lost]).encode() + b"\n")


def readers():
    server, path = serve("canpid", RATE)
    into, out = os.pipe()
    children = []
    for _ in range(READERS):
        pid = os.fork()
        if pid == 0:
            try:
                reader(path, out)
            finally:
                os._exit(0)
        children.append(pid)
    time.sleep(0.5)
    before, begin = cpu_s(server.pid), time.monotonic()
    time.sleep(SECONDS - 1)
    share = 100 * (cpu_s(server.pid) - before) / (time.monotonic() - begin)
    for pid in children:
        os.waitpid(pid, 0)
    results = [json.loads(line) for line in os.read(into, 1 << 20).decode().splitlines()]
    memory = memory_mib(server.pid)
    server.kill()
    server.wait()
    least = min(records for records, _ in results)
    lost = sum(lost for _, lost in results)
    row(f"{READERS} readers of 1,000 records/s", f"{share:.0f}", "% of a core",
        f"{memory:.0f} MiB; each had {least} records or more, {lost} gaps", "<= 60 %, <= 64 MiB, no gap",
        share <= 60 and memory <= 64 and lost == 0 and len(results) == READERS)


def cadence(path):
    """Returns the jitter of the records at a reader, in us."""
    end = connect(path)
    end.sendall(b'{"cmd":"watch","fields":["torque","board"],"where":"lknee.torque > -1e9"}\n')
    lines, times = end.makefile("rb"), []
    while len(times) < 120:
        record = json.loads(lines.readline())
        if record.get("board") == "lknee":
            times.append(record["t"])
    end.close()
    return statistics.pstdev([b - a for a, b in zip(times, times[1:])]) * 1e6


def stopped_reader():
    server, path = serve("canpid", RATE)
    alone = cadence(path)
    pid = os.fork()
    if pid == 0:
        reader(path, 2)
        os._exit(0)
    time.sleep(0.3)
    os.kill(pid, signal.SIGSTOP)
    time.sleep(3)
    beside = cadence(path)
    memory = memory_mib(server.pid)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    server.kill()
    server.wait()
    row("a reader that stands still", f"{beside:.0f}", "us",
        f"deviation of the cadence; {alone:.0f} without it, {memory:.0f} MiB", "not measurable",
        beside <= 2 * alone + 500)


def connections(count=10000):
    server, path = serve("hidmotor", "sim:")
    files = lambda: len(os.listdir(f"/proc/{server.pid}/fd"))

    def come_and_go(times):
        for _ in range(times):
            end = connect(path)
            end.sendall(b"\n")
            end.close()
        connect(path).recv(4096)
        time.sleep(0.2)

    come_and_go(500)
    before = files(), memory_mib(server.pid)
    begin = time.monotonic()
    come_and_go(count)
    took = time.monotonic() - begin
    after = files(), memory_mib(server.pid)
    server.kill()
    server.wait()
    row(f"{count} connections that come and go", f"{count / took:.0f}", "/s",
        f"{after[0] - before[0]:+d} descriptors, {1024 * (after[1] - before[1]):+.0f} KiB", "none more",
        after[0] <= before[0] and after[1] - before[1] < 0.3)


resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
latency()
readers()
stopped_reader()
connections()
