#!/bin/bash
# Compares how canpid and cantools use DBC files: values of the same frames and frames of the same values,
# for each message. Prints a table and the differences.
#
#   tests/dbc.sh [FOLDER|FILE…]       SEED=1, FRAMES=8 of each message; without files those of tests/dbc
#
# Exit status 77: cantools is not installed (python3-cantools of Debian, or on PYTHONPATH).
cd "$(dirname "$0")/.." || exit 1
[ $# != 0 ] || set -- tests/dbc
CANPID=${CANPID:-build/bin/canpid} exec /usr/bin/python3 tests/dbc/compare.py "$@"
