#!/usr/bin/env python3
"""Checks that help --json is complete: builds the usage of every command, its options and the global
ones from it, and compares them with the man page, and the messages with 'describe --as json'.

help_json.py TOOL MANPAGE      prints differences, and exits with 1 if there are any
"""
import json
import re
import subprocess
import sys

tool, page = sys.argv[1:]


def output(*words):
    return subprocess.run([tool, *words], check=True, text=True, stdout=subprocess.PIPE).stdout


def argument(arg):
    text = arg["name"].upper() + {"pairs": "=VALUE…", "rest": "…"}.get(arg["kind"], "")
    return f"[{text}]" if arg.get("optional") else text


def usage(command):
    words = " ".join([command["name"], *map(argument, command["args"])])
    again = words.partition(" ")[2]
    if not command.get("repeats"):
        return words
    if len(command["args"]) == 1 and command["args"][0].get("optional"):
        return words[:-1] + "…]"
    return f"{words} [{again} …]"


def option(row):
    value = row.get("value", "")
    shown = f"[={value}]" if row.get("bare") else f" {value}" if value else ""
    letter = f"-{row['letter']}, " if row.get("letter") else ""
    return f"{letter}--{row['name']}{shown}"


man = re.sub(r"\\[&]", "", open(page, encoding="utf-8").read()).replace(r"\-", "-").replace(r"\e", "\\")
all_of_it = json.loads(output("help", "--json"))
wrong = []
for command in all_of_it["commands"]:
    section = re.search(rf"^\.SS {re.escape(command['name'])}\n(.*?)(?=^\.S[SH] )", man, re.M | re.S)
    line = f"{tool} [options] {usage(command)}"
    if not section:
        wrong.append(f"{command['name']}: not in the man page")
        continue
    if line not in section[1].splitlines():
        wrong.append(f"{command['name']}: no line '{line}'")
    wrong += [f"{command['name']}: no option '{option(row)}'" for row in command["options"] if option(row) not in section[1]]
    wrong += [f"{command['name']}: no argument '{arg['name']}'" for arg in command["args"] if arg["name"] not in section[1]]
    if json.loads(output("help", command["name"], "-j")) != command:
        wrong.append(f"{command['name']}: help {command['name']} --json differs")
in_page = set(re.findall(r"^\.SS (\S+)$", man.partition(".SH COMMANDS")[2].partition(".SH ")[0], re.M))
wrong += [f"{name}: not in help --json" for name in in_page - {c["name"] for c in all_of_it["commands"]}]
wrong += [f"no option '{option(row)}'" for row in all_of_it["options"] if option(row) not in man]
if all_of_it["protocol"] != json.loads(output("describe", "--as", "json")):
    wrong.append("its messages are not those of describe")
print("\n".join(wrong))
sys.exit(bool(wrong))
