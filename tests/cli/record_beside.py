"""Records through a server during motions and compares with the server's own recording: no message may be lost,
and motions may not take longer.

    record_beside.py FOLDER TOOL SECONDS [--within MS]

Prints a line for each format: received messages, messages missing in the recording, and the duration of a motion
with and without recording. MS is the permitted increase of the median. Tables and lists of a polled device
contain polled values: there, the longest gap may be GAP ms, plus MS on a busy machine. Exit status 1 if a message
is missing, motions are slower or the server stops a motion. Ignores periods in which the machine stalled, and the
motions that this delayed.
"""
import json
import os
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from stops_tools import Pulse

MOTIONS = {
    "hidmotor": [("move", "0", target, "0", "duration=160ms", "--wait") for target in ("20", "10")],
    "canpid": [("setpoint", f"{target}deg", "-b", "lknee", "-c", "pos", "--verify", "--max-jump", "90deg")
               for target in (10, 5)],
    "unitysim": [("move", f"hand={target}") for target in (2150, 2100)],
}
WAIT = 60  # s, timeout of the server's start
GAP = 60  # ms, longest gap on a polled device
PULSE = Pulse()


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout


def messages(path, tool):
    """Returns (time, content) of the device's messages in a recording."""
    if path.endswith(".ndjson"):
        with open(path, encoding="utf-8") as file:
            text = file.read()
    else:
        text = run(tool, "-q", "-j", "decode", path)
    said = map(json.loads, text.splitlines())
    return [(round(line.pop("t"), 6), json.dumps(line)) for line in said if line.get("dir") == "rx"]


class Server:
    def __init__(self, folder, tool):
        self.truth, self.said = f"{folder}/truth.pcapng", f"{folder}/server"
        with open(self.said, "wb") as file:
            self.process = subprocess.Popen([tool, "-l", "sim:", "serve", "--record", self.truth],
                                            stdin=subprocess.DEVNULL, stderr=file)
        end = time.monotonic() + WAIT
        while time.monotonic() < end and self.process.poll() is None:
            if "ready: " in self.text():
                return
            time.sleep(0.01)
        raise TimeoutError("no server")

    def text(self):
        with open(self.said, encoding="utf-8") as file:
            return file.read()

    def end(self):
        """Returns the server's log lines about stops."""
        held_up = ("stalled for", "sent nothing for") if PULSE.stood else ()
        stops = [line for line in self.text().splitlines()
                 if " — stopped" in line and not any(text in line for text in held_up)]
        self.process.terminate()
        self.process.wait()
        return stops


def move(tool, times):
    stood, begin = PULSE.stood, time.monotonic()
    done = subprocess.run([tool, "-q", *MOTIONS[tool][len(times) % 2]], check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL)
    took = 1e3 * (time.monotonic() - begin)
    if PULSE.stood == stood:
        done.check_returncode()
        times.append(took)


def record(folder, tool, form, seconds):
    """Records while the device moves. Returns the file's path, the recorder's result and the durations of the motions
    in ms. Repeats the recording if no motion was timed."""
    path, times = f"{folder}/run.{form}", []
    with subprocess.Popen([tool, "-q", "-j", "record", path, "--for", f"{seconds}s"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True) as recorder:
        while recorder.poll() is None:
            move(tool, times)
        said = json.loads(recorder.stdout.read().splitlines()[-1])
    return (path, said, times) if times else record(folder, tool, form, seconds)


def missing(recorded, truth):
    """Returns the messages between the first and last recorded one that are not in the recording."""
    first, last = recorded[0][0], recorded[-1][0]
    passed = [message for message in truth if first < message[0] < last]
    return len(passed), len(set(passed) - set(recorded))


def longest_gap(recorded):
    """Returns the longest gap between messages of the same type, ms."""
    times = [time for time, what in recorded if '"positions"' in what]
    return 1e3 * max(b - a for a, b in zip(times, times[1:]))


def main():
    words = sys.argv[1:]
    within = 10.0
    if "--within" in words:
        at = words.index("--within")
        within = float(words[at + 1])
        del words[at:at + 2]
    folder, tool, seconds = words[0], words[1], float(words[2])
    os.environ["XDG_RUNTIME_DIR"] = folder
    server, alone, recordings, bad = Server(folder, tool), [], [], False
    try:
        while len(alone) < 10:
            move(tool, alone)
        for form in ("pcapng", "ndjson", *(["csv"] if tool == "hidmotor" else [])):
            recordings.append((form, *record(folder, tool, form, seconds)))
    finally:
        stops = server.end()
    truth = messages(server.truth, tool)
    usual = statistics.median(alone)
    for form, path, said, times in recordings:
        longer = statistics.median(times) - usual
        if tool == "hidmotor" and form != "pcapng":
            gap = said["interval_max_ms"] if form == "csv" else longest_gap(messages(path, tool))
            gap -= 1e3 * PULSE.stood
            lost, what = gap > GAP + within - 10, f"the longest gap {gap:.1f} ms"
        else:
            passed, lost = missing(messages(path, tool), truth)
            what = f"{passed} messages, {lost} lost"
        bad = bad or bool(lost) or longer > within
        print(f"{tool} {form}: {what}; {len(times)} motions of {usual:.1f} ms took {longer:+.1f} ms", flush=True)
    print(*stops, sep="\n", end="\n" if stops else "")
    return bad or bool(stops)


sys.exit(main())
