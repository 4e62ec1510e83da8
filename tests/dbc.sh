#!/bin/bash
# DBC files as canpid reads them and as cantools does: the same values for the same frames of each
# message, and the same frames for the same values. Prints a table, and says what differs.
#
#   tests/dbc.sh [FOLDER|FILE…]       SEED=1, FRAMES=8 of each message; without files those of tests/dbc
#
# 77: there is no cantools (Debian's python3-cantools where it has it, or on PYTHONPATH).
cd "$(dirname "$0")/.." || exit 1
[ $# != 0 ] || set -- tests/dbc
CANPID=${CANPID:-build/bin/canpid} exec /usr/bin/python3 tests/dbc/compare.py "$@"
