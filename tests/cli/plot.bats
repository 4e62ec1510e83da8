#!/usr/bin/env bats
# plot: live, from a pipe, of a recording; into files and to PlotJuggler.
load common.bash

# A line of "hidmotor watch -j" as it would be, $1 of them.
motion() {
    seq "$1" | awk '{ printf "{\"t\":%.2f,\"msg\":\"positions\",\"dir\":\"rx\",\"m1\":" \
        "{\"setpoint\":%d,\"position\":%.1f}}\n", 1700000000 + $1 / 100, $1 % 90, $1 * 0.9 % 90 }'
}

step_run() { canpid -q -l "$fast" step --from 0deg --to 20deg --for 1s -b lknee -c pos --save step.csv; }

@test "gnuplot can be interrupted, and has no descriptors of ours" {
    mkdir path
    cat >path/gnuplot <<'END'
#!/bin/sh
grep -E 'Sig(Blk|Ign)' /proc/self/status >signals
ls -l /proc/self/fd >files
cat >/dev/null
: >run.png
END
    chmod +x path/gnuplot
    PATH=$PWD/path:$PATH ok canpid -q -l "$fast" plot measured --for 100ms --out run.png
    same "$(awk '/SigBlk/ { print $2 }' signals)" 0000000000000000
    same $((0x$(awk '/SigIgn/ { print $2 }' signals) >> 12 & 1)) 0
    hasnt "$(cat files)" anon_inode
}

@test "a pipe: one picture at the end, with axes, units and a legend" {
    ok hidmotor plot m1.position m1.setpoint < <(motion 500)
    same "${#lines[@]}" 23
    matches "${lines[0]}" " 1 m1.setpoint *  2 m1.position * deg"
    has "$output" "┤"
    has "$output" "⢸"
    has "$output" " now"
    ok hidmotor plot m1.position < <(motion 500 | head -n 50)
    matches "${lines[0]}" " ● m1.position * 45.* deg"
}

@test "any tool plots any other's, by subject and path" {
    canpid -q -l "$fast" watch -j -n 100 >run.ndjson
    ok armctl plot lknee.torque <run.ndjson
    matches "${lines[0]}" " ● lknee.torque *"
    canpid -q -l "$fast" watch -j -n 100 | armctl plot 'rhip.*angle' | head -n 1 >first
    matches "$(cat first)" " 1 rhip.fix_link_angle*2 rhip.alpha_angle*"
}

@test "ASCII where the locale has no UTF-8; the size from the environment" {
    motion 300 | LC_ALL=C COLUMNS=60 LINES=16 hidmotor plot m1 >picture
    same "$(LC_ALL=C grep -c '[^ -~]' picture || true)" 0
    same "$(wc -l <picture)" 15
    same "$(awk 'length > 60' picture)" ""
}

@test "recordings: CSV, NDJSON, candump and pcapng" {
    canpid -q -l "$fast" watch -j -n 360 >run.ndjson
    canpid -q -l "$fast" watch --csv -n 360 >run.csv
    canpid -q -l "$fast" record run.log -n 360
    canpid -q -l "$fast" record run.pcapng -n 360
    for file in run.ndjson run.csv run.log run.pcapng; do
        ok canpid plot lknee.torque rknee.measured "$file"
        matches "${lines[0]}" " 1 lknee.torque * Nm"
        has "$output" "2 rknee.measured"
        has "$output" " 0.00 s"
        ok canpid plot lknee.torque rknee.measured "$file" --out "$file.svg" -j
        same "$(json '[.cmd, .ok, .samples] | tostring')" "$(jq -nc '["plot", true, 40] | tostring')"
        python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$file.svg"
        has "$(cat "$file.svg")" ">lknee.torque<"
    done
}

@test "files: SVG of its own, PNG and PDF by gnuplot" {
    step_run
    ok canpid plot measured setpoint step.csv --out "it's.svg"
    ok canpid plot measured setpoint step.csv --out "it's.png"
    same "$(head -c 8 "it's.png" | od -An -tx1 | tr -d ' ')" 89504e470d0a1a0a
    ok canpid plot measured setpoint step.csv --out a.pdf
    same "$(head -c 4 a.pdf)" %PDF
    same "$stderr" ""
    fails 2 canpid plot measured step.csv --out a.gif
    has "$why" ".svg, .png or .pdf"
    fails 1 canpid plot measured step.csv --out no/such/folder.svg
}

@test "without gnuplot it says what to do" {
    step_run
    canpid=$(command -v canpid)
    run -1 --separate-stderr env PATH=/nowhere "$canpid" plot measured step.csv --out b.png
    has "$stderr" "install it (apt install gnuplot-nox), or write an .svg file"
}

@test "what is not there" {
    step_run
    fails 2 canpid plot mesured step.csv
    has "$why" "did you mean 'measured'?"
    fails 2 canpid plot zebra step.csv
    has "$why" "there is setpoint, measured, output"
    fails 2 canpid plot measured nowhere.csv
    fails 2 canpid plot measured step.csv other.csv
    fails 2 canpid -l sim: plot
    has "$why" "which fields?"
    fails 2 canpid -l can:nowhere plot torqe
    fails 4 canpid -l can:nowhere plot torque
    fails 3 canpid plot torque </dev/null -
}

@test "a device, not on a terminal: a picture at the end, or every so often" {
    ok canpid -q -l "$fast" plot lknee.torque -n 20
    matches "${lines[0]}" " ● lknee.torque * Nm"
    ok canpid -q -l "$fast" plot lknee.torque --for 1s --every 0.25s
    [ "$(grep -c 'lknee.torque' <<<"$output")" -ge 3 ]
}

@test "PlotJuggler: JSON datagrams with a timestamp" {
    start juggler python3 "$root/tests/cli/juggler.py" 3 datagrams
    ok canpid -q -l "$fast" plot lknee --plotjuggler="$url" -n 40
    wait "$pid"
    same "$(jq -c 'keys' datagrams | sort -u)" '["lknee","timestamp"]'
    same "$(jq -c '.lknee | keys' datagrams | sort -u | head -n 1)" '["alpha_angle","fix_link_angle","torque"]'
    fails 2 canpid -l "$fast" plot lknee --plotjuggler=nowhere
}

@test "live: draws, freezes, q gives the terminal back" {
    TERM=xterm terminal 80 <<<"
        launch sh -c {canpid -l sim: plot lknee.torque lknee.measured; echo status=\$?; stty -a}
        want {[?1049h} {last 10 s} {q quit} lknee.torque Nm measured
        type { }; want FROZEN
        type { }; want freeze
        type q
        want {[?1049l} status=0 { icanon} { echo }
        ends 0"
}

@test "live: Ctrl-C gives the terminal back" {
    TERM=xterm terminal 80 <<<"
        launch canpid -l sim: plot lknee.torque
        want {q quit}
        type \003
        want {[?1049l}
        ends 130"
}

@test "live: from a pipe, keys come from the terminal; the end of the input stays until q" {
    motion 200 >run.ndjson
    TERM=xterm terminal 80 <<<"
        launch sh -c {cat run.ndjson | hidmotor plot m1}
        want {[?1049h} m1.setpoint deg {end of the input}
        type q
        want {[?1049l}
        ends 0"
}

@test "a name that two messages have is the first one's; the time shown is no longer than --for" {
    ok hidmotor -q -l "$fast" plot m1.setpoint --for 1s
    has "$output" "positions.m1.setpoint"
    hasnt "$output" velocities
    has "$output" "-1.0 s"
    ok hidmotor -q -l "$fast" plot velocities.m1.setpoint --for 1s
    has "$output" "velocities.m1.setpoint"
}
