"""Code for both the blocking and the asyncio module: sends lines to a tool, and reads its records."""
import difflib
import json
import keyword
import os
import re
import shutil
import subprocess


class Record(dict):
    """A record of a tool. Its members are also attributes: record.m1.position."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no {name!r} — available: {', '.join(self)}") from None


class Error(Exception):
    """A command failed. exit_code: the tool's exit code; why: its message; record: the whole result, or None."""

    exit_code = 1

    def __init__(self, why, exit_code=None, record=None):
        super().__init__(why)
        self.why = why
        self.record = record
        if exit_code is not None:
            self.exit_code = exit_code


class Refused(Error):
    """The device refused the command or did not execute it."""


class UsageError(Error):
    """The command, an argument or an option is wrong; nothing was sent."""

    exit_code = 2


class NoAnswer(Error):
    """Timed out: the device did not answer."""

    exit_code = 3


class NoLink(Error):
    """The link was not found, or permission was denied."""

    exit_code = 4


class Malformed(Error):
    """Data could not be decoded."""

    exit_code = 5


class LimitError(Error):
    """A value is out of range; nothing was sent."""

    exit_code = 6


class LinkLost(Error):
    """The link was lost."""

    exit_code = 7


class Stopped(Error):
    """A signal or another program stopped the command."""

    exit_code = 130


ERRORS = {kind.exit_code: kind for kind in (Refused, UsageError, NoAnswer, NoLink, Malformed, LimitError, LinkLost)}


def error(exit_code, why, record=None):
    """Returns the exception for an exit code."""
    stopped = exit_code >= 128 or exit_code < 0 or (record or {}).get("error") == "stopped"
    kind = Stopped if stopped else ERRORS.get(exit_code, Error)
    return kind(why, exit_code, record)


def find(tool, path=None):
    """Returns the path of a tool's program: path itself, or a program in $ARMWIRE_BIN or PATH."""
    folder = os.environ.get("ARMWIRE_BIN")
    found = path or (os.path.join(folder, tool) if folder else shutil.which(tool))
    if not found or not os.access(found, os.X_OK):
        raise NoLink(f"{tool} not found — install it, or set ARMWIRE_BIN to its folder")
    return found


def describe(program):
    """Returns the output of 'help --json' as a Record."""
    done = subprocess.run([program, "help", "--json"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True)
    return json.loads(done.stdout, object_hook=Record)


def start_words(program, link, options):
    """Returns the command line of a process that reads commands from standard input."""
    words = [program, "-q", "-k", "-j", "--no-input"]
    if link:
        words += ["-l", link]
    for name, value in options.items():
        words += option_words(name, value)
    return words


def option_words(name, value):
    """Returns the command-line arguments for one option."""
    name = name.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return []
    if len(name) == 1:
        return [f"-{name}"] if value is True else [f"-{name}", str(value)]
    return [f"--{name}"] if value is True else [f"--{name}={value}"]


def python_name(name):
    """Returns the Python name of a command or option. Appends '_' to a Python keyword."""
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def names_of(options):
    """Returns the names and the letters of options."""
    return {row["name"] for row in options} | {row["letter"] for row in options if "letter" in row}


class Command:
    """A callable command of a tool. Its help is generated from the tool's description."""

    def __init__(self, arm, row):
        self._arm = arm
        self.row = row
        self.options = names_of(row["options"])
        self.__name__ = python_name(row["name"])
        self.__doc__ = self._text()

    def _text(self):
        row = self.row
        lines = [row["summary"], "", f"usage: {row['usage']}"]
        for arg in row["args"]:
            unit = f" in {arg['unit']}" if arg.get("unit") and " in " not in arg.get("help", "") else ""
            span = f", {arg['min']:g} to {arg['max']:g}" if "min" in arg else ""
            span = ", ".join(["", *arg["names"]]) if "names" in arg else span
            lines.append(f"  {arg['name']}: {arg.get('help', '')}{unit}{span}")
        lines += [f"  {python_name(option['name'])}=: {option.get('help', '')}" for option in row["options"]]
        return "\n".join(lines)

    def line(self, words, named):
        """Returns the line that runs the command with these arguments."""
        arguments = [arg["name"] for arg in self.row["args"]]
        options = self.options | self._arm.options
        rest = any(arg["kind"] in ("pairs", "rest") for arg in self.row["args"])
        if not rest and len(words) > len(arguments) and not self.row.get("repeats"):
            raise UsageError(f"{self.row['name']}: too many arguments — usage: {self.row['usage']}")
        parts = [self.row["name"], *map(quote, words)]
        for name, value in named.items():
            name = name.rstrip("_")
            if name not in arguments and name.replace("_", "-") in options:
                parts += map(quote, option_words(name, value))
            elif value is not None:
                parts.append(quote(f"{name}={value}"))
        return " ".join(parts)

    def __call__(self, *words, **named):
        return self._arm.run(self.line(words, named), self.row["name"])

    def __repr__(self):
        return f"<{self._arm.tool} {self.row['usage']}>"


def quote(word):
    """Quotes a value as one argument of a line."""
    text = str(word)
    if "\n" in text or "\0" in text:
        raise UsageError("an argument contains a line break or NUL — remove it")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Face:
    """The commands of a tool as methods."""

    def __init__(self, tool, link, path, options):
        self.tool = tool
        self.link = link
        self.program = find(tool, path)
        self.about = describe(self.program)
        self.options = names_of(self.about["options"])
        self.messages = []
        self._recordings = 0
        self._recording = options.pop("record", None)
        self._words = start_words(self.program, link, options)
        self._commands = {python_name(row["name"]): Command(self, row) for row in self.about["commands"]}

    def __getattr__(self, name):
        if name in (commands := self.__dict__.get("_commands", {})): return commands[name]
        near = difflib.get_close_matches(name, commands, 1)
        advice = f"did you mean {near[0]!r}?" if near else f"available: {', '.join(commands)}"
        raise AttributeError(f"{self.tool}: unknown command {name!r} — {advice}")

    def __dir__(self):
        return [*super().__dir__(), *self._commands]

    def __repr__(self):
        return f"<armwire {self.tool} at {self.link or 'its default link'}>"

    def lines(self, line, command):
        """Returns the line and a second command, whose answer marks the end. Not every command prints a result."""
        self.messages, self._result = [], Record(cmd=command, ok=True)
        asks = command == "config" and "path" in line
        return (line + ("\n" if asks else "\nconfig path\n")).encode()

    def take(self, text):
        """Processes a line of the tool's output. Returns the result when the command has ended, else None."""
        try:
            record = json.loads(text, object_hook=Record)
        except ValueError:
            record = Record(text=text.decode(errors="replace"))
        if "ok" in record:
            self._result = record
        elif record.keys() == {"path"}:
            return self._result
        else:
            self.messages.append(record)
        return None

    def conclude(self, result):
        """Returns the result of a command or raises its exception. result.messages: the records before it."""
        messages, self.messages = self.messages, []
        if not result["ok"]:
            why = re.sub(r"^stdin:\d+:\d+: ", "", result.get("why", "failed"))
            raise error(result.get("exit", 1), why, result)
        result = Record(result)
        result.__dict__["messages"] = messages
        return result

    def ended(self, code, said):
        """Returns the exception for a tool that has exited unexpectedly."""
        said.seek(0)
        lines = [line for line in said.read().decode(errors="replace").splitlines() if line]
        return error(code or 7, lines[-1] if lines else f"{self.tool} exited with code {code}")

    def words(self):
        """Returns the command line of the next process. Each process has its own recording: FILE, FILE-2 …"""
        if not self._recording:
            return self._words
        self._recordings += 1
        name, ending = os.path.splitext(self._recording)
        number = f"-{self._recordings}" if self._recordings > 1 else ""
        return [*self._words, f"--record={name}{number}{ending}"]
