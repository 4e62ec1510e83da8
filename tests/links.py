#!/usr/bin/env python3
"""Checks the links of README.md and docs: each file exists, and each anchor is a heading of its page."""
import re
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent


def prose(page):
    """Returns the text of a page without its code blocks."""
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)


def anchors(page):
    """Returns the anchors of the headings, as GitHub forms them."""
    titles = re.findall(r"^#+ (.*)$", prose(page), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def problem(page, link):
    """Returns the fault of a link, or None."""
    file, _, anchor = link.partition("#")
    target = page.parent / file if file else page
    if not target.exists():
        return "file not found"
    if anchor and anchor not in anchors(target):
        return "heading not found"
    return None


def main():
    failed = False
    for page in [TREE / "README.md", *sorted((TREE / "docs").rglob("*.md"))]:
        for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
            why = None if link.startswith("https:") else problem(page, link)
            if why:
                failed = True
                print(f"{page.relative_to(TREE)}: {link}: {why}")
    return failed


sys.exit(main())
