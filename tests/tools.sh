#!/bin/sh
# The names of the tools, one a line: the folders of cmd/ with a table of commands.
cd "$(dirname "$0")/../cmd" && ls */tool.c | sed 's|/.*||'
