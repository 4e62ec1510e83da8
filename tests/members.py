#!/usr/bin/env python3
"""Fails for structs of lib and cmd with more than 15 members. A named nested struct counts as one member. Rows of
tables are exempt, because their members are columns."""
import os
import re
import sys

MEMBERS_MAX = 15
ROWS = {"aw_field", "aw_command", "aw_option"}


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


def main():
    failed = False
    for path in sources():
        text = re.sub(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', "", open(path).read(), flags=re.S)
        for name, body in structs(text):
            if count_members(body) > MEMBERS_MAX and name not in ROWS:
                print("%s: struct %s has %d of %d members" % (path, name, count_members(body), MEMBERS_MAX))
                failed = True
    return failed


sys.exit(main())
