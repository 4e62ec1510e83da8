"""Measures the cost of a server: prints lines "WHAT<TAB>VALUE<TAB>UNIT<TAB>DETAILS<TAB>LIMIT<TAB>yes|NO" for make bench.

    serve.py FOLDER        the tools are in PATH
"""
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from serve_client import FROM_SERVER, HEAD, Client

FOLDER = sys.argv[1]
RATE = "sim:?rate=56"  # six boards, three messages: 1,008 records/s
READERS, SECONDS = 100, 4
os.environ["XDG_RUNTIME_DIR"] = FOLDER


def row(what, value, unit, details, bar, met):
    print(what, value, unit, details, bar, "yes" if met else "NO", sep="\t", flush=True)


def start(*command):
    """Starts a simulator or server and returns it once it is ready."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while b"ready:" not in process.stderr.readline():
        pass
    return process


def serve(tool, link):
    path = f"{FOLDER}/{tool}.bench"
    return start(tool, "-q", "-l", link, "serve", "--listen", f"unix:{path}"), path


def end(*processes):
    for process in processes:
        process.kill()
        process.wait()


def cpu_s(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))


def command_times(link, count=1000):
    """Returns P50 and P99 of the time of a confirmed command, ms, from its line to its result."""
    tool = subprocess.Popen(["hidmotor", "-q", "-j", "-l", link], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            bufsize=0)
    times = []
    for _ in range(count):
        begin = time.perf_counter_ns()
        tool.stdin.write(b"gripper 90\n")
        while b'"cmd"' not in tool.stdout.readline():
            pass
        times.append((time.perf_counter_ns() - begin) / 1e6)
    tool.stdin.close()
    tool.wait()
    times.sort()
    return times[len(times) // 2], times[int(len(times) * 0.99)]


def latency():
    simulator = start("hidmotor", "sim", "--listen", f"unix-listen:{FOLDER}/board")
    link = f"unix:{FOLDER}/board"
    alone = command_times(link)
    server, path = serve("hidmotor", link)
    shared = command_times(f"serve:{path}")
    end(server, simulator)
    added = [b - a for a, b in zip(alone, shared)]
    row("time that the server adds to a command, P50", f"{round(added[0], 3) + 0.0:.3f}", "ms",
        f"without server {alone[0]:.3f} ms, with server {shared[0]:.3f} ms; P99 {added[1]:.3f} ms",
        "P50 <= 0.15, P99 <= 1", added[0] <= 0.15 and added[1] <= 1)


def reader(path, report):
    """Counts the records received by a reader and the losses reported to it."""
    client = Client(path)
    client.send("LINK")
    counts, data = dict.fromkeys(FROM_SERVER, 0), b""
    until = time.monotonic() + SECONDS + 1
    client.socket.settimeout(0.5)
    while time.monotonic() < until:
        try:
            data += client.socket.recv(1 << 20)
        except TimeoutError:
            continue
        at = 0
        while at + HEAD.size <= len(data):
            size, _, kind = HEAD.unpack_from(data, at)[:3]
            if at + size > len(data):
                break
            counts[FROM_SERVER[kind - 64]] += 1
            at += size
        data = data[at:]
    os.write(report, json.dumps([counts["PASSED"], counts["LOST_SOME"]]).encode() + b"\n")


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
    end(server)
    least = min(records for records, _ in results)
    lost = sum(lost for _, lost in results)
    row(f"{READERS} readers of 1,000 records/s: processor time", f"{share:.0f}", "%",
        f"{memory:.0f} MiB; at least {least} records each in {SECONDS + 1} s, {lost} gaps", "<= 60 %, <= 64 MiB, no gap",
        share <= 60 and memory <= 64 and lost == 0 and len(results) == READERS)


def cadence(path):
    """Returns the jitter of records received by a reader, in us."""
    said = subprocess.run(["canpid", "-q", "-j", "-l", f"serve:{path}", "watch", "lknee.torque", "-n", "120"],
                          check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout
    times = [json.loads(line)["t"] for line in said.splitlines()]
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
    end(server)
    row("jitter of the records beside a suspended reader", f"{beside:.0f}", "us",
        f"{alone:.0f} without that reader; {memory:.0f} MiB", f"<= {2 * alone + 500:.0f}",
        beside <= 2 * alone + 500)


def connections(count=10000):
    server, path = serve("hidmotor", "sim:")
    files = lambda: len(os.listdir(f"/proc/{server.pid}/fd"))

    def come_and_go(times):
        for _ in range(times):
            with Client(path) as client:
                client.send("LIFE")
        with Client(path) as client:
            client.receive("HELLO")
        time.sleep(0.2)

    come_and_go(500)
    before = files(), memory_mib(server.pid)
    begin = time.monotonic()
    come_and_go(count)
    took = time.monotonic() - begin
    after = files(), memory_mib(server.pid)
    end(server)
    row(f"{count} short connections", f"{count / took:.0f}", "/s",
        f"{after[0] - before[0]:+d} descriptors, {1024 * (after[1] - before[1]):+.0f} KiB", "no growth",
        after[0] <= before[0] and after[1] - before[1] < 0.3)


resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
latency()
readers()
stopped_reader()
connections()
