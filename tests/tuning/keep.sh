#!/bin/bash
# Makes the tables and pictures of docs/tuning.md anew: known processes, every joint of the simulated
# exoskeleton, broken ones, and what the tool draws of its left knee. What is kept is what was measured.
set -eu
cd "$(dirname "$0")/../.."
page=docs/tuning.md
pictures=$PWD/docs/tuning
canpid=$PWD/build/bin/canpid
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CONFIG_HOME=$folder XDG_STATE_HOME=$folder

# The page has the first tick in full, and of the others the row of all processes.
build/tests/tuning/batch | tee "$folder/batch.all"
awk '/^A tick of / { n++; tick = $4 " " $5; sub(":", "", tick) }
     n <= 1 && NF { print blank $0; blank = "" }
     n <= 1 && !NF { blank = "\n" }
     n > 1 && sub(/^\| all /, "| all, at a tick of " tick " ")' "$folder/batch.all" >"$folder/batch"
build/tests/tuning/confidence | tee "$folder/confidence"
python3 tests/tuning/joints.py | tee "$folder/joints"
python3 tests/tuning/hostile.py | tee "$folder/hostile"
{
    python3 tests/tuning/joints.py kills "${KILLS:-200}"
    echo
    python3 tests/tuning/hostile.py kills "${KILLS:-200}"
} | tee "$folder/kills"

awk -v folder="$folder" '
    /^<!-- end/ { inside = 0 }
    !inside { print }
    /^<!-- table / { inside = 1; while ((getline line < (folder "/" $3)) > 0) print line }' "$page" >"$folder/page"
cp "$folder/page" "$page"

cd "$folder"
knee=(-q -l 'sim:?time=virtual')
"$canpid" "${knee[@]}" identify -b lknee -c pos --save model.json --plot "$pictures/process.svg" >/dev/null
"$canpid" design model.json --compare --plot "$pictures/steps.svg" >/dev/null
"$canpid" design model.json --bode "$pictures/loop.svg" >/dev/null
