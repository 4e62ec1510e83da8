#!/bin/bash
# Runs the soak tests in virtual time: links lose, duplicate, damage, delay and reorder messages and
# disconnect, and devices restart. Prints TAP, and at the end a Markdown table of faults and results.
#
#   tests/soak.sh             a million exchanges of each tool over each of the lines below
#   tests/soak.sh 100000      100,000 exchanges instead
#   tests/soak.sh --small     the default number of each program
#
# A program of tests/soak takes [COUNT [FAULTS]] and exits with 0 without violations; see
# tests/soak/bed.h. JOBS (2) programs run at once.
set -u
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
JOBS=${JOBS:-2}
LINES_OF_MIXES='noisy drop=10%&dup=10%&corrupt=5%&seed=1
lossy drop=30%&seed=2
twice dup=50%&seed=3
slow drop=5%&delay=5ms&jitter=4ms&reorder=10%&seed=4
storm drop=20%&dup=20%&corrupt=10%&delay=10ms&jitter=10ms&reorder=10%&seed=5'

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
names=()

# start LINK PROGRAM ARGUMENT…: starts the program once fewer than JOBS are running.
start() {
    local name="$1 ${2##*/}" out=$dir/${#names[@]}
    shift
    names+=("$name")
    while [ "$(jobs -rp | wc -l)" -ge "$JOBS" ]; do
        wait -n
    done
    { "$@" >"$out" 2>&1; echo $? >"$out.status"; } &
}

for source in tests/soak/*.c; do
    program=$B/${source%.c}
    if [ "${1:-}" = --small ]; then
        start own "$program"
        continue
    fi
    while read -r name faults; do
        start "$name" "$program" "${1:-1000000}" "$faults"
    done <<<"$LINES_OF_MIXES"
done
wait

failed=0
for i in "${!names[@]}"; do
    read -r line program <<<"${names[i]}"
    if [ "$(cat "$dir/$i.status")" = 0 ]; then
        echo "ok $((i + 1)) - $program, $line: $(tail -n1 "$dir/$i")"
        sed '$d; s/^/#   /' "$dir/$i"
    else
        cat "$dir/$i"
        echo "not ok $((i + 1)) - $program, $line: exit status $(cat "$dir/$i.status")"
        failed=1
    fi
    sed -n "s/^tally /line=$line /p" "$dir/$i" >>"$dir/tallies"
done
echo "1..${#names[@]}"

# Prints the sums for each tool. A dash means zero, except in the last column.
echo
awk '
    BEGIN {
        n = split("tool exchanges hours dropped duplicated corrupted delayed reordered " \
                  "restarts unplugs errors violations", head)
        for (c = 1; c <= n; c++)
            width[c] = length(cell[0, c] = head[c])
    }
    function put(row, c, text) {
        cell[row, c] = c < n && text == 0 ? "-" : text
        if (length(cell[row, c]) > width[c])
            width[c] = length(cell[row, c])
    }
    {
        for (i = 1; i <= NF; i++) {
            split($i, pair, "=")
            value[pair[1]] = pair[2]
        }
        if (value["tool"] != cell[rows, 1])
            put(++rows, 1, value["tool"])
        for (c = 2; c <= n; c++) {
            sum[rows, c] += value[head[c]]
            total[c] += value[head[c]]
        }
    }
    function show(row,   text, c) {
        text = sprintf("| %-*s |", width[1], cell[row, 1])
        for (c = 2; c <= n; c++)
            text = text sprintf(" %*s |", width[c], cell[row, c])
        print text
    }
    END {
        put(rows + 1, 1, "all")
        for (c = 2; c <= n; c++) {
            sum[rows + 1, c] = total[c]
            for (row = 1; row <= rows + 1; row++)
                put(row, c, c == 3 ? sprintf("%.1f", sum[row, c]) : sprintf("%d", sum[row, c]))
        }
        for (row = 0; row <= rows + 1; row++) {
            show(row)
            if (row == 0)
                print "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
        }
    }' "$dir/tallies"
if [ "${1:-}" != --small ]; then
    printf '\n'
    sed -E 's/(.*) (.*)/- `\1`: `\2`/' <<<"$LINES_OF_MIXES"
fi
exit $failed
