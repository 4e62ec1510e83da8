#!/usr/bin/env bats
# plot: live, from a pipe and of recordings, to the terminal and to files.
load common.bash

# motion N: prints N lines as "hidmotor watch -j" does.
motion() {
    seq "$1" | awk '{ printf "{\"t\":%.2f,\"msg\":\"positions\",\"dir\":\"rx\",\"m1\":" \
        "{\"setpoint\":%d,\"position\":%.1f}}\n", 1700000000 + $1 / 100, $1 % 90, $1 * 0.9 % 90 }'
}

step_run() { canpid -q -l "$fast" step --from 0deg --to 20deg --for 1s -b lknee -c pos --save step.csv; }

# fake_gnuplot COMMANDS: installs a gnuplot that saves its script and runs these commands.
fake_gnuplot() {
    mkdir -p path
    printf '#!/bin/sh\ncat "$2" >script\n%s\n' "$1" >path/gnuplot
    chmod +x path/gnuplot
    PATH=${PATH#"$PWD/path:"} PATH=$PWD/path:$PATH
}

@test "gnuplot can be interrupted and inherits no descriptors" {
    fake_gnuplot "grep -E 'Sig(Blk|Ign)' /proc/self/status >signals; ls -l /proc/self/fd >files; echo picture"
    ok canpid -q -l "$fast" plot measured --for 100ms --out run.png
    same "$(<run.png)" picture
    same "$(awk '/SigBlk/ { print $2 }' signals)" 0000000000000000
    same $((0x$(awk '/SigIgn/ { print $2 }' signals) >> 12 & 1)) 0
    hasnt "$(cat files)" anon_inode
}

@test "plot from a pipe draws one picture, in ASCII without UTF-8" {
    prints_lines 23 hidmotor plot m1.position m1.setpoint < <(motion 500)
    matches "${lines[0]}" " 1 m1.setpoint *  2 m1.position * deg"
    has "$output" "┤" "⢸" " now"
    ok hidmotor plot m1.position < <(motion 500 | head -n 50)
    matches "${lines[0]}" " ● m1.position * 45.* deg"
    motion 300 | LC_ALL=C COLUMNS=60 LINES=16 hidmotor plot m1 >picture
    same "$(LC_ALL=C grep -c '[^ -~]' picture || true)" 0
    same "$(wc -l <picture)" 15
    same "$(awk 'length > 60' picture)" ""
}

@test "plot reads CSV, NDJSON, candump and pcapng recordings, also of other tools" {
    canpid -q -l "$fast" watch -j -n 360 >run.ndjson
    canpid -q -l "$fast" watch --csv -n 360 >run.csv
    canpid -q -l "$fast" record run.log -n 360
    canpid -q -l "$fast" record run.pcapng -n 360
    for file in run.ndjson run.csv run.log run.pcapng; do
        ok canpid plot lknee.torque rknee.measured "$file"
        matches "${lines[0]}" " 1 lknee.torque * Nm"
        has "$output" "2 rknee.measured" " 0.00 s"
        ok canpid plot lknee.torque rknee.measured "$file" --out "$file.svg" -j
        same "$(json '[.cmd, .ok, .samples] | tostring')" "$(jq -nc '["plot", true, 40] | tostring')"
        python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$file.svg"
        has "$(cat "$file.svg")" ">lknee.torque<"
    done
    canpid -q -l "$fast" watch -j -n 100 >run.ndjson
    ok armctl plot lknee.torque <run.ndjson
    matches "${lines[0]}" " ● lknee.torque *"
    canpid -q -l "$fast" watch -j -n 100 | armctl plot 'rhip.*angle' | head -n 1 >first
    matches "$(cat first)" " 1 rhip.fix_link_angle*2 rhip.alpha_angle*"
}

@test "plot writes SVG, PNG, PDF and gnuplot scripts" {
    step_run
    for ending in svg png pdf gp; do
        silent canpid plot measured setpoint step.csv --out "it's.$ending"
    done
    is_svg "it's.svg"
    python3 - <<'END'
import struct, zlib
png, pdf = open("it's.png", "rb").read(), open("it's.pdf", "rb").read()
assert png[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", png[16:24]) == (1600, 752)
at, kinds = 8, []
while at < len(png):
    size, kind = struct.unpack(">I4s", png[at:at + 8])
    assert zlib.crc32(png[at + 4:at + 8 + size]) == struct.unpack(">I", png[at + 8 + size:at + 12 + size])[0]
    kinds.append(kind)
    at += 12 + size
assert kinds[0] == b"IHDR" and kinds[-1] == b"IEND", kinds
assert pdf.startswith(b"%PDF-1.") and pdf.rstrip().endswith(b"%%EOF")
END
    for locale in C de_DE.UTF-8; do
        LC_ALL=$locale LANG=$locale ok canpid plot measured setpoint step.csv --out again.svg
        same "$stderr" ""
        cmp again.svg "it's.svg"
    done
    gnuplot "it's.gp" >again.svg
    cmp again.svg "it's.svg"
    fails_with 2 ".svg, .png, .pdf or .gp" canpid plot measured step.csv --out a.gif
    for file in no/such/folder.svg no/such/folder.png .; do
        ln -sfn "$file" picture.svg && ln -sfn "$file" picture.png
        fails 2 canpid plot measured step.csv --out picture.svg
        fails 2 canpid plot measured step.csv --out picture.png
        same "$output" ""
    done
    for ending in svg png gp; do
        ln -sfn /dev/full "full.$ending"
        fails_with 7 "No space left on device" canpid plot measured step.csv --out "full.$ending"
    done
}

is_svg() { rsvg-convert "$1" >/dev/null && python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1"; }

# bats test_tags=long
@test "gnuplot draws the unit tests' scripts without a warning" {
    for script in "$root"/tests/golden/pictures/*.gp; do
        sed '/^\$d/s/; /\n/g' "$script" >script.gp # one point per line
        silent gnuplot -d script.gp
        echo "$output" >picture.svg
        is_svg picture.svg
    done
}

# Uses characters that are special in gnuplot, its enhanced text or XML.
@test "texts in plots appear literally and are never executed" {
    step_run
    python3 - <<'END'
import random, subprocess, xml.etree.ElementTree as tree
random.seed(7)
odd = "'\"`@#%$&<>{}[]()^_~\\|,;!? \tab1ü€𝛼"
titles = ["it's @GPVAL_TERM", "`touch executed`", "$(touch executed)", "a'.system('touch executed').'", "@x", "{/Bold a}_1^2", "end \\", "'", "%d %s"]
titles += ["".join(random.choices(odd, k=random.randint(1, 30))) for _ in range(40)]
for title in titles:
    done = subprocess.run(["canpid", "-q", "plot", "measured", "step.csv", "--title", title, "--out", "odd.svg"], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, (title, done)
    texts = ["".join(text.itertext()) for text in tree.parse("odd.svg").iter("{http://www.w3.org/2000/svg}text")]
    wanted = title.replace("\t", "?")
    assert any(text.split() == wanted.split() for text in texts) or not wanted.strip(), (title, texts)
END
    [ ! -e executed ]
    odd="a\`touch executed\`'b"
    printf 't,%s,b\n0,1,2\n1,2,3\n' "$odd" >"$odd.csv"
    ok canpid -q plot "$odd" b "$odd.csv" --out legend.svg
    has "$(<legend.svg)" ">$odd<" ", $odd.csv,"
    [ ! -e executed ]
}

@test "plot --out writes a title, and handles gaps and times that go back" {
    ok canpid -q -l "$fast" <<<$'gains set kp=6 ki=0.001 -b lknee -c pos --switch
setpoint 5deg -b lknee -c pos
plot lknee.measured lknee.setpoint --for 100ms --out live.svg
step --from 0deg --to 9deg -b lknee -c pos --save step.csv'
    matches "$(<live.svg)" "*>canpid plot: lknee.* lknee.*, lknee pos kp 6 ki 0.001, $(date +%Y)-*"
    ok canpid plot measured step.csv --out file.svg
    has "$(<file.svg)" ">canpid plot: measured, step.csv, $(date +%Y)-"
    ok hidmotor -q -l "$fast" plot m1.position --for 100ms --out arm.svg
    has "$(<arm.svg)" ">hidmotor plot: m1.position, $(date +%Y)-"
    printf 't,flat,gap\n0,3,1\n1,3,nan\n0.5,3,2\n' >run.csv
    gives_json .samples 6 armctl plot 'fl*' gap run.csv --out "it's.gp" -j
    has "$(<"it's.gp")" "title 'armctl plot: flat gap, run.csv, $(date +%F)'"
    has "$(<"it's.gp")" $'0 1\nNaN NaN\n1 2\nEND'
}

@test "a failed plot leaves no file" {
    step_run
    while IFS='|' read -r does why_not; do
        fake_gnuplot "$does"
        fails 1 canpid plot measured step.csv --out a.png
        has "$why" "a.png: gnuplot failed ($why_not) — check it with 'gnuplot --version'"
        [ ! -e a.png ]
    done <<'END'
exit 3|exit 3
echo half; exit 1|exit 1
echo half; kill -9 $$|killed by SIGKILL
exit 0|no output
END
    fake_gnuplot ''
    echo '#!/no/such/program' >path/gnuplot
    fails_with 4 "path/gnuplot: cannot execute: No such file or directory" canpid plot measured step.csv --out a.png
    [ ! -e a.png ]
}

@test "Ctrl-C during drawing ends gnuplot and leaves no file" {
    step_run
    fake_gnuplot 'echo $$ >drawing; exec sleep 100'
    set -m
    canpid plot measured step.csv --out a.png 3>&- &
    pid=$!
    until [ -s drawing ]; do sleep 0.05; done
    end_by INT 130 "$pid"
    [ ! -e a.png ]
    for _ in {1..100}; do kill -0 "$(<drawing)" 2>/dev/null || break; sleep 0.05; done
    run -1 kill -0 "$(<drawing)"
}

@test "a missing gnuplot is reported with its package before anything moves" {
    step_run
    canpid=$(command -v canpid)
    run -4 --separate-stderr env PATH=/nowhere "$canpid" plot measured step.csv --out b.png
    has "$stderr" "gnuplot not found — install it (apt install gnuplot-nox), or write a .gp file"
    while read -r command; do
        run -4 --separate-stderr env PATH=/nowhere "$canpid" -q -l "$fast" --record sent.pcapng $command -b lknee -c pos
        has "$stderr" "gnuplot not found"
        same "$(canpid info sent.pcapng 2>/dev/null | grep -c '^->')" 0
        rm -f sent.pcapng
    done <<'END'
step --from 0deg --to 20deg --plot b.svg
identify --plot b.svg
tune --yes --plot b.pdf
END
    same "$(echo b.*)" "b.*"
    env PATH=/nowhere "$canpid" -q plot measured step.csv --out b.gp
    env PATH=/nowhere "$canpid" -q -l "$fast" step --from 0deg --to 20deg --for 1s -b lknee -c pos --plot c.gp --dry-run
    env PATH=/nowhere "$canpid" -q -l "$fast" step --from 0deg --to 20deg --for 1s -b lknee -c pos --plot c.gp
    [ -s b.gp ]
    [ -s c.gp ]
}

@test "plot without names chooses the main fields, or all columns of a foreign table" {
    canpid -q -l "$fast" watch -j -n 60 >seen.ndjson
    prints "lhip.alpha_angle" canpid -q plot seen.ndjson
    ok hidmotor -q -l "$fast" move 0 20 0 duration=200ms --wait --record run.pcapng
    ok hidmotor -q plot run.pcapng --out run.svg
    has "$(<run.svg)" m2.setpoint m2.position
    hasnt "$(<run.svg)" velocit
    ok hidmotor -q -l "$fast" record own.csv --for 50ms
    ok hidmotor -q plot own.csv --out own.svg
    has "$(<own.svg)" m3.position
    hasnt "$(<own.svg)" effort
    printf 'time,left knee,b,c,d,e,f,g,h,i\n0,1,2,3,4,5,6,7,8,9\n1,1,2,3,4,5,6,7,8,9\n' >foreign.csv
    ok canpid -q plot foreign.csv --out foreign.svg
    has "$(<foreign.svg)" "left knee" ">h<"
    hasnt "$(<foreign.svg)" ">i<"
    printf 't,who\n0,me\n' >words.csv
    fails 2 canpid plot words.csv
}

# legend FILE: prints colour and dash of each line in the legend of a script.
legend() {
    sed -n "s/.* dt \(.*\) lc rgb '\(#[0-9a-f]*\)' title '\([^']*\)'.*/\3 \2 \1/p" "$1" |
        sed 's/(5, 3)$/dashed/'
}

@test "every axis has a unit or a name" {
    ok hidmotor -q -l "$fast" record own.csv --for 50ms
    ok hidmotor -q plot own.csv --out own.svg
    has "$(<own.svg)" ">position [deg]<"
    hasnt "$(<own.svg)" ">value<"
    ok hidmotor -q plot own.csv m1 --out all.svg
    has "$(<all.svg)" ">velocity [deg/s]<" ">effort<"
    printf 't,left knee,motor 1 [A]\n0,1,2\n1,2,3\n' >foreign.csv
    ok hidmotor -q plot foreign.csv --out foreign.svg
    has "$(<foreign.svg)" ">left knee<" ">motor 1 [A]<"
    step_run
    ok canpid -q plot step.csv --out step.gp
    has "$(<step.gp)" "'setpoint, measured, output'"
    same "$(legend step.gp)" $'setpoint #0072b2 dashed\nmeasured #0072b2 solid\noutput #d55e00 solid'
    canpid -q -l "$fast" record run.csv -n 60
    ok canpid -q plot run.csv lknee --out lknee.svg
    has "$(<lknee.svg)" ">[deg]<" ">torque [Nm]<" ">velocity [rpm], current [A]<"
}

@test "plot reports unknown fields and missing files" {
    step_run
    printf 't,q\n0,1\n1,2\n' >own.csv
    fails_with 2 "did you mean 'measured'?" canpid plot mesured step.csv
    fails_with 2 "available: setpoint, measured, output" canpid plot zebra step.csv
    fails 2 canpid plot measured nowhere.csv
    fails_with 2 "'own.csv' is a second recording" canpid plot measured step.csv own.csv --out both.svg
    fails_with 2 "'-' is a second recording" canpid plot measured step.csv - --out both.svg <own.csv
    [ ! -e both.svg ]
    fails 2 canpid -q -l "$fast" plot --out a.svg torqe -n 1
    prints "lhip.alpha_angle" canpid -q -l sim: plot --for 0.3s </dev/null
    has "$output" "lknee.torque"
    prints "m3.position" hidmotor -q -l "$fast" plot --for 0.3s </dev/null
    hasnt "$output" "velocities"
    fails 2 canpid -l can:nowhere plot torqe
    fails 4 canpid -l can:nowhere plot torque
    fails 3 canpid plot torque </dev/null -
    for tool in $tools; do
        fails_with 3 "plot: no messages — check the recording, or link and power of the device" "$tool" plot /dev/null
    done
    echo '{"t":1,"x":"a"}' >words.ndjson
    fails_with 2 "plot: no default fields found — name numeric fields" hidmotor plot words.ndjson
    fails_with 2 "hidmotor: nodir/x.y: No such file or directory" hidmotor plot nodir/x.y m1
    fails_with 2 "no message has a field 'm99'" hidmotor -l "$fast" plot m99
}

@test "plot of a device without a terminal draws at the end or at intervals" {
    ok canpid -q -l "$fast" plot lknee.torque -n 20
    matches "${lines[0]}" " ● lknee.torque * Nm"
    ok canpid -q -l "$fast" plot lknee.torque --for 1s --every 0.25s
    [ "$(grep -c 'lknee.torque' <<<"$output")" -ge 3 ]
    gives_json '.samples > 90 and .samples < 110' true canpid -q -l "$fast" plot lknee.torque --for 1s --out a.svg -j
}

@test "plot draws recordings over log:, without times and with damage" {
    canpid -q -l "$fast" record run.pcapng -n 360
    ok canpid -q -l 'log:run.pcapng?speed=max' plot lknee.torque
    matches "${lines[0]}" " ● lknee.torque * Nm"
    gives_json .samples 20 canpid -q -l 'log:run.pcapng?speed=max' plot lknee.torque --out run.svg -j
    yes 05E#9CFF000200F0 | head -n 101 >run.log # assumes a rate of 1 kHz
    prints " 0.10 s" canpid plot lknee.torque run.log
    { motion 20 && echo '{"t":' && motion 20; } >run.ndjson
    gives_json .samples 40 hidmotor plot m1.position run.ndjson --out run.svg -j
    ok hidmotor plot m1.position - <run.ndjson
    matches "${lines[0]}" " ● m1.position * deg"
}

@test "plot exits 141 after a closed pipe, and draws the data before a lost link" {
    run bash -c "canpid -q -l sim: plot lknee.torque --every 20ms | head -n 1; exit \${PIPESTATUS[0]}"
    same "$status" 141
    start talker python3 "$root/tests/cli/talker.py" 0
    under_way armctl -v -l "$url" plot angle
    wait_for client " joint=2 "
    end "$pid"
    wait_for client "connection lost"
    wait "$client" || same "$?" 7
    has "$(<client.out)" "2 joint2.angle"
}

@test "plot of live data reads keys, restores the terminal, waits for a lost link and stays open after the input ends" {
    TERM=xterm terminal 80 <<<"
        launch sh -c {canpid -l sim: plot lknee.torque lknee.measured; echo status=\$?; stty -a}
        want {[?1049h} {last 10 s} {q quit} lknee.torque Nm measured
        type { }; want FROZEN
        type { }; want freeze
        type q
        want {[?1049l} status=0 { icanon} { echo }
        ends 0"
    start talker python3 "$root/tests/cli/talker.py" 0
    TERM=xterm terminal 100 <<<"
        launch armctl -l $url plot angle; want angle
        exec kill $pid
        want {link lost}
        type \003
        want {[?1049l}
        ends 130"
    canpid -q -l "$fast" record run.pcapng -n 36
    TERM=xterm terminal 80 <<<"
        launch canpid -l log:run.pcapng?speed=max plot lknee.torque; want {end of input}
        type q; ends 0
        hasnt {link lost}"
    motion 200 >run.ndjson
    TERM=xterm terminal 80 <<<"
        launch sh -c {cat run.ndjson | hidmotor plot m1}; want {[?1049h} m1.setpoint deg {end of input}
        type q
        want {[?1049l}
        ends 0"
}

@test "plot uses the first message with an ambiguous field, in recordings too" {
    prints "positions.m1.setpoint" hidmotor -q -l "$fast" plot m1.setpoint --for 1s
    hasnt "$output" velocities
    has "$output" "-1.0 s"
    prints "velocities.m1.setpoint" hidmotor -q -l "$fast" plot velocities.m1.setpoint --for 1s
    # m2 is a joint and also a field of set_setpoints.
    ok hidmotor -q -l "$fast" plot m2 --for 1s --out joint.gp
    has "$(<joint.gp)" m2.position
    hasnt "$(<joint.gp)" m1.position
    printf 'move 0 20 0 --wait\nvelocities\nvelocities\n' | hidmotor -q -l "$fast" --record run.pcapng >/dev/null
    prints "positions.m2.setpoint" hidmotor plot run.pcapng m2.setpoint
    hasnt "$output" velocities
    ok hidmotor plot run.pcapng m2.setpoint --out run.svg
    hasnt "$(<run.svg)" velocities
    prints "velocities.m2.setpoint" hidmotor plot run.pcapng velocities.m2.setpoint
}

@test "--plot rejects unknown file types before anything moves" {
    while IFS='|' read -r ending magic; do
        ok canpid -q -l "$fast" step --from 0deg --to 10deg -b lknee -c pos --plot "step.$ending"
        same "$(head -c 4 "step.$ending" | tr -d '\211')" "$magic"
    done <<'END'
svg|<?xm
png|PNG
pdf|%PDF
END
    for command in "step --from 0deg --to 10deg" tune identify; do
        fails 2 canpid -q -l "$fast" $command -b lknee -c pos --plot run.gif
        has "$why" "--plot: 'run.gif': unknown file extension — use .svg, .png, .pdf or .gp"
        [ ! -e run.gif ]
    done
}

@test "plot of a simulation's recording uses simulation time" {
    ok ezphys -q -l 'sim:?scene=pendulum' --record run.pcapng motor hinge 2 1000 --for 2s
    ok ezphys plot run.pcapng
    matches "${lines[-1]}" " *0.0 s *2.0 s"
    ok ezphys -q -l 'sim:?scene=pendulum' --record run.mcap motor hinge 2 1000 --for 2s
    ok ezphys plot run.mcap hinge.displacement
    matches "${lines[-1]}" " *0.0 s *2.0 s"
    printf 'motor hinge 2 1000 --for 1s\nreset\nmotor hinge 2 1000 --for 1s\n' |
        ezphys -q -l 'sim:?scene=pendulum' --record twice.pcapng
    ok ezphys plot twice.pcapng # the time axis continues after a restart
    matches "${lines[-1]}" " *0.0 s *2.0 s"
}

@test "plot draws as many fields as it has colours, and commands as dashed steps" {
    printf 'deg 1 10\ndeg 1 90\n' | armctl -q -l "$fast" --record run.pcapng
    prints "⡏⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉" armctl plot run.pcapng
    gives_json .samples 4 armctl -j plot run.pcapng --out run.gp
    same "$(grep -c 'dt (5, 3)' run.gp)" 1
    # A single command is drawn as a line, its answer as a point.
    ok armctl -q -l "$fast" --record one.pcapng deg 1 90
    ok armctl plot one.pcapng
    matches "${lines[0]}" " 1 joint1.deg.angle * 2 joint1.angle * deg"
    seq 20 | jq_itself -c '{t: ., a: (reduce range(20) as $i ({}; ."f\($i)" = $i))}' >run.ndjson
    gives_json .samples 240 armctl plot 'a.*' run.ndjson --out run.svg -j
    prints " 12 a.f11 " armctl plot 'a.*' - <run.ndjson
    hasnt "$output" "13"
}

@test "plot uses row numbers without a time column, recognises time columns and takes units from names" {
    printf 'm1.position,note\n1,a\n5,b\n3,c\n' >rows.csv
    remarks "no time column: using row numbers" hidmotor plot rows.csv m1.position --out rows.svg
    has "$(<rows.svg)" ">row<"
    hasnt "$(<rows.svg)" ">time"
    ok hidmotor -q plot rows.csv m1.position
    matches "${lines[-1]}" " *row 0* row 2*"
    for name in seconds sec secs s ms milliseconds; do
        printf '%s,m1.position\n0,1\n2,5\n' $name >timed.csv
        remarks_no "row numbers" hidmotor plot timed.csv --out timed.svg
        has "$(<timed.svg)" ">time [s]<"
    done
    printf 's,base [deg],m1.setpoint,spare\n0,2,1,0\n1,6,5,0\n' >plan.csv
    ok hidmotor -q plot plan.csv m1.setpoint 'base [deg]' --out both.svg
    same "$(grep -o '>[^<]*\[deg\]<' both.svg | sort -u | grep -vc 'base')" 1
    hasnt "$(<both.svg)" "[deg] [deg]"
    fails 2 hidmotor plot plan.csv m1.setpoint base --out none.svg
    has "$why" "no data for 'base' — did you mean 'base [deg]'?"
    fails_with 2 "no data for 'zebra'" hidmotor plot plan.csv m1.setpoint 'base [deg]' zebra --out none.svg
    printf 't,base\n0,1\n1,2\n' >one.csv
    fails_with 2 "no data for 'zebra' — available: base" armctl plot one.csv base zebra
    [ ! -e none.svg ]
}

@test "plot ignores a field with a single sample unless it is named" {
    printf 't,m1,m2,m3\n0,0,0,0\n1,0,40,-20\n' >path.csv
    ok hidmotor -q -l "$fast" --record run.pcapng play path.csv
    prints_no velocities hidmotor plot run.pcapng m2.setpoint m2.position
    prints_no velocities hidmotor plot run.pcapng
    has "$output" " m3.position "
    fails_with 2 "available: m2, m1, m3" hidmotor plot path.csv m2 m2.position
    printf 't,m1.position,m2.position\n0,1,5\n1,2,\n2,3,\n' >once.csv
    ok hidmotor plot once.csv --out once.svg
    hasnt "$(<once.svg)" m2.position
    ok hidmotor plot once.csv m2.position --out once.svg
    has "$(<once.svg)" m2.position
}

@test "plot and play report decimal commas between comma columns, and name spreadsheets" {
    ask="with decimal commas, separate columns by ;"
    printf 't,m1,m2\n0,0,0\n0,5,5,10\n1,0,0\n' >mixed.csv
    ok hidmotor -q plot mixed.csv m2
    same "$stderr" "hidmotor: mixed.csv: rows with more or fewer cells than the header: 1 — $ask"
    fails 5 hidmotor -q -l "$fast" play mixed.csv
    has "$why" "mixed.csv:3:1: wrong number of cells: 4 cells, the header has 3 columns — $ask"
    printf 'PK\003\004\024' >path.xlsx
    fails_with 2 "path.xlsx is a spreadsheet or an archive — save it as CSV" hidmotor -q -l "$fast" play path.xlsx
}
