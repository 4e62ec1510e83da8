#!/bin/sh
# Prints the names of the tools, one per line: folders of cmd/ with a table of commands.
cd "$(dirname "$0")/../cmd" && ls */tool.c | sed 's|/.*||'
