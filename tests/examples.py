#!/usr/bin/env python3
"""Runs every published example and prints TAP.

- README.md and docs/: blocks marked ```console. Runs each line "$ COMMAND" with bash in a directory for the
  block, with the tools in PATH, and compares stdout and stderr with the lines below. "…" within a line matches
  any text, "…" alone matches any lines. Each block ```python NAME becomes a file NAME in the directories of its
  page. The ssh host "lab" is an sshd on this machine.
- Examples in the help of every command of every tool. They must exit with 0; those of one page share a
  directory. A command with a trailing "&" must still be running after half a second; teleop gets a terminal.
"""
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
BIN = (TREE / os.environ.get("BIN", "build/bin")).resolve()
TOOLS = sorted(table.parent.name for table in TREE.glob("cmd/*/tool.c"))
LIMIT_S = 30


class Lab:
    """An sshd with its own keys. self.bin contains an ssh that connects to it as the host "lab"."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.bin, self.server = Path(self.folder.name) / "bin", None

    def begin(self):
        top = self.folder.name
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        for key in "host", "key":
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{top}/{key}"], check=True)
        Path(top, "server").write_text(
            f"ListenAddress 127.0.0.1:{port}\nHostKey {top}/host\nAuthorizedKeysFile {top}/key.pub\nStrictModes no\n"
            "UsePAM no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\nPidFile none\n"
            f"SetEnv PATH={BIN}:/usr/bin:/bin XDG_CONFIG_HOME={top} XDG_STATE_HOME={top} XDG_RUNTIME_DIR={top}\n")
        Path(top, "client").write_text(
            f"Host lab\nHostName 127.0.0.1\nPort {port}\nIdentityFile {top}/key\nIdentitiesOnly yes\nBatchMode yes\n"
            f"UserKnownHostsFile {top}/known\nStrictHostKeyChecking no\nLogLevel ERROR\n")
        self.bin.mkdir()
        (self.bin / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {top}/client "$@"\n')
        (self.bin / "ssh").chmod(0o755)
        if os.getuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)
        sshd = shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin")
        self.server = subprocess.Popen([sshd, "-D", "-f", f"{top}/server", "-E", f"{top}/log"])
        end = time.monotonic() + LIMIT_S
        while subprocess.run([self.bin / "ssh", "lab", "true"], stderr=subprocess.DEVNULL).returncode:
            assert time.monotonic() < end, Path(top, "log").read_text()

    def end(self):
        if self.server:
            self.server.terminate()
            self.server.wait()
        self.folder.cleanup()


lab = Lab()


def run(command, folder):
    if "ssh lab" in command and not lab.server:
        lab.begin()
    env = {
        "PATH": f"{lab.bin}:{BIN}:{os.environ['PATH']}",
        "HOME": folder,
        "XDG_CONFIG_HOME": folder + "/config",
        "XDG_STATE_HOME": folder + "/state",
        "XDG_RUNTIME_DIR": folder,
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
    }
    try:
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=env, text=True, timeout=LIMIT_S,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired as late:
        return 124, f"{late.output or ''}\nnot done after {LIMIT_S} s"
    return done.returncode, done.stdout


def console_examples(path):
    """Yields (block number, command, expected output) of the console blocks of a page."""
    for number, block in enumerate(re.findall(r"^```console\n(.*?)^```", path.read_text(), re.M | re.S)):
        command, expected = None, []
        for line in block.splitlines():
            if line.startswith("$ "):
                if command:
                    yield number, command, expected
                command, expected = line[2:], []
            elif command and command.endswith("\\"):
                command += "\n" + line
            else:
                expected.append(line)
        if command:
            yield number, command, expected


def files_of(path):
    """Returns the contents of the files that a page defines, by name."""
    return dict(re.findall(r"^```\w+ (\S+)\n(.*?)^```", path.read_text(), re.M | re.S))


def pattern(expected):
    lines = [r"(?:.*\n)*" if line.strip() == "…"
             else ".*".join(re.escape(part) for part in line.rstrip().split("…")) + r" *\n"
             for line in expected]
    return re.compile("".join(lines))


def page_cases():
    for path in [TREE / "README.md", *sorted((TREE / "docs").rglob("*.md"))]:
        if path.exists():
            name = path.relative_to(TREE)
            for number, command, expected in console_examples(path):
                yield name, (name, number), command, expected


def section(text, title):
    found = re.search(rf"^{title}\n((?:  .*\n)+)", text, re.M)
    return found.group(1).splitlines() if found else []


def help_cases(folder):
    for tool in TOOLS:
        _, text = run(f"{tool} --help-all", folder)
        pages = [(f"{tool} --help-all", text)]
        for line in section(text, "Commands"):
            name = re.match(r"  ([a-z][\w-]*)", line)
            if name:
                page = f"{tool} help {name.group(1)}"
                pages.append((page, run(page, folder)[1]))
        for page, text in pages:
            for line in section(text, "Examples"):
                yield page, page, line.strip(), None


def alive(command):
    """Returns the command line that tests a help example."""
    if command.endswith(" &"):
        return f"{command} sleep 0.5; kill %1"
    if " teleop " in command:
        return f'TERM=xterm script -qec "{command}" /dev/null'
    return command


def problem(command, expected, folder):
    """Returns why the example fails, or None."""
    if expected is None:
        command = alive(command)
    status, output = run(command, folder)
    if expected is None:
        return None if status == 0 else f"exit status {status}\n{output}"
    if output and not output.endswith("\n"):
        output += "\n"
    if pattern(expected).fullmatch(output):
        return None
    return "expected\n" + "\n".join(expected) + "\nbut it printed\n" + output


def main():
    n = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        cases = [*page_cases(), *help_cases(folder)]
    pages, folders = {}, {}
    for where, place, command, expected in cases:
        pages.setdefault(place, []).append(command)
    seen = set()
    for where, place, command, expected in cases:
        if expected is None and seen.issuperset(pages[place]):
            continue
        if command == pages[place][-1]:
            seen.update(pages[place])
        n += 1
        if place not in folders:
            folders = {place: tempfile.TemporaryDirectory()}
            page = TREE / where
            for name, text in files_of(page).items() if page.suffix == ".md" else ():
                (Path(folders[place].name) / name).write_text(text)
        why = problem(command, expected, folders[place].name)
        failed += why is not None
        print(f"{'not ok' if why else 'ok'} {n} - {where}: {command.splitlines()[0]}", flush=True)
        if why:
            print("\n".join("# " + line for line in why.splitlines()), flush=True)
    print(f"1..{n}")
    return failed > 0 or n == 0


try:
    sys.exit(main())
finally:
    lab.end()
