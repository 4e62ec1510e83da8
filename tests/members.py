#!/usr/bin/env python3
"""Fails for structs of lib and cmd with more than 15 members. A named nested struct counts as one member. Rows of
tables are exempt, because their members are columns. Also fails if a tool has more than HOOKS_MAX hooks, the function
pointers of the structs that it fills."""
import os
import re
import sys

MEMBERS_MAX = 15
ROWS = {"aw_field", "aw_command", "aw_option"}
HOOKS_MAX = 85
OF_TOOLS = {"aw_tool", "aw_subject_hooks", "aw_name_hooks", "aw_ordered", "aw_replay_hooks", "aw_ping_hooks",
            "aw_share_hooks", "aw_joints", "aw_experiment_hooks", "aw_sharing", "aw_controller", "aw_gain_hooks",
            "aw_transmit"}


def sources():
    for root in ("lib", "cmd"):
        for folder, _, names in os.walk(root):
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith((".c", ".h")))


def count_members(body):
    """Counts the declarators in the body of a struct, without those of nested structs."""
    body = re.sub(r"\([^()]*\)|\[[^\]]*\]", "", re.sub(r"\((?:[^()]|\([^()]*\))*\)", "", body))
    return sum(1 + declaration.count(",") for declaration in body.split(";") if declaration.strip())


def structs(text):
    """Yields the name and body of each struct, innermost first. Replaces each nested struct by its name."""
    part = re.compile(r"\b(?:struct|union)\b\s*(\w*)\s*\{([^{}]*)\}([^;{}]*);")
    while match := part.search(text):
        yield match[1] or match[3].strip(), match[2]
        text = text[:match.start()] + ("int %s;" % match[3].strip() if match[3].strip() else "") + text[match.end():]


def count_hooks(text):
    """Counts the function pointers in the structs of tools, also those of named types."""
    bodies = re.findall(r"^struct (\w+) \{(.*?)^\};", text, re.S | re.M)
    return sum(len(re.findall(r"\(\*\w+\)\s*\(|\w+_fn \*\w+;", body)) for name, body in bodies if name in OF_TOOLS)


def main():
    failed, hooks = False, 0
    for path in sources():
        text = re.sub(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', "", open(path).read(), flags=re.S)
        hooks += count_hooks(text)
        for name, body in structs(text):
            if count_members(body) > MEMBERS_MAX and name not in ROWS:
                print("%s: struct %s has %d of %d members" % (path, name, count_members(body), MEMBERS_MAX))
                failed = True
    if hooks > HOOKS_MAX:
        print("a tool has %d of %d hooks — use data in its tables" % (hooks, HOOKS_MAX))
    return failed or hooks > HOOKS_MAX


sys.exit(main())
