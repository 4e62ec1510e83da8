#!/bin/bash
# Regenerates the tables of docs/tuning/results.md and the pictures of docs/tuning.md from measured results: known
# processes, every joint of the simulated exoskeleton, faulty joints, and the plots of the left knee.
set -eu
cd "$(dirname "$0")/../.."
page=docs/tuning/results.md
pictures=$PWD/docs/tuning
canpid=$PWD/build/bin/canpid
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CONFIG_HOME=$folder XDG_STATE_HOME=$folder

# The page contains the full table for the first control period, and only the totals for the others.
build/tests/tuning/batch | tee "$folder/batch.all"
awk '/^Control period / { n++; tick = $3 " " $4; sub(":", "", tick) }
     n <= 1 && NF { print blank $0; blank = "" }
     n <= 1 && !NF { blank = "\n" }
     n > 1 && sub(/^\| all /, "| all, control period " tick " ")' "$folder/batch.all" >"$folder/batch"
build/tests/tuning/confidence | tee "$folder/confidence"
python3 tests/tuning/joints.py | tee "$folder/joints"
python3 tests/tuning/hostile.py | tee "$folder/hostile"
python3 tests/cli/hostile.py kills "${KILLS:-200}" | sed 's/ SEED=.*//' | tee "$folder/kills"

awk -v folder="$folder" '
    /^<!-- end/ { inside = 0 }
    !inside { print }
    /^<!-- table / { inside = 1; while ((getline line < (folder "/" $3)) > 0) print line }' "$page" >"$folder/page"
cp "$folder/page" "$page"

cd "$folder"
knee=(-q -l 'sim:?time=virtual')
"$canpid" "${knee[@]}" identify -b lknee -c pos --save model.json --plot "$pictures/process.svg" >/dev/null
"$canpid" design model.json --plot "$pictures/step.svg" >/dev/null
"$canpid" design model.json --bode "$pictures/loop.svg" >/dev/null
