#!/usr/bin/env bats
# Output formats: text, JSON, CSV, --format, fields, times.
load common.bash

deg90=30444547312C3039300D0A

@test "every CSV row has as many columns as the header, for every message and motion" {
    for tool in $tools; do
        grep -A1 '^encode' "$root/tests/golden/$tool.txt" | grep -v -e '^encode' -e '^exit' -e '^--' |
            head -n 12 >"$tool.hex"
        run --separate-stderr $tool decode --csv "$tool.hex"
        same "$(awk -F, 'NR == 1 { n = NF } NF != n' <<<"$output")" ""
        [ "${#lines[@]}" -gt 2 ]
    done
    ok armctl -q -l "$fast" --csv deg 1 90 2 45
    same "$(awk -F, 'NR == 1 { n = NF } NF != n' <<<"$output")" ""
    same "${#lines[@]}" 3
}

# round TOOL FRAME [LINK]: requires that a frame's record and its --raw record send the same bytes.
round() {
    local tool=$1 frame=$2
    ok "$tool" decode -j --dir tx "$frame"
    "$tool" -q -l "${3:-sim:}" --yes -v --dry-run -j <<<"$output" >plain 2>&1
    prints '"raw":true' "$tool" decode -j --raw --dir tx "$frame"
    "$tool" -q -l "${3:-sim:}" --yes -v --dry-run -j <<<"$output" >raw 2>&1
    same "$(<raw)" "$(<plain)"
    has "$(<raw)" '"bytes"'
}

@test "a --raw record fed back as a command sends the same bytes" {
    for frame in 041#9A99193F0200 044#398EE33C0000 044#CDCC4CBE0200 045#6F12033B0200 \
        046#010000000000 047#000000000000 049#000000400300 04A#000000000000 0C4#0000C03F0300; do
        round canpid "$frame"
    done
    round armctl "$(armctl encode deg joint=1 angle=90)"
    round armctl "$(armctl encode arm r=250 theta=45 h=120)"
    round hidmotor "$(hidmotor encode set_setpoints m1=10 m2=20 m3=-30 duration=500)"
    round hidmotor "$(hidmotor encode gripper value=90)"
    round unitysim "$(unitysim encode scene scene=4 elbow.max=2400)"
    round ezphys "$(ezphys encode axis_motor id=1 velocity1=2 max_torque1=3)"
}

@test "output to a pipe or file has no colours or escape sequences" {
    unset NO_COLOR
    for command in help "help deg" describe "decode $deg90" "config show"; do
        TERM=xterm-256color ok armctl $command
        hasnt "$output" $'\033'
    done
    TERM=xterm-256color prints $'\033' armctl --color always help
    prints_no $'\033' armctl --color never help
}

# A link that gets descriptor 1 would receive the printed output.
@test "a closed standard output or script input is an error, and no link uses its descriptor" {
    peer
    fails_with 7 "standard output: Bad file descriptor" bash -c "armctl -q -l '$fast' ping >&-"
    for command in "encode deg joint=1 angle=90" "-j deg 1 90"; do
        fails_with 7 "Bad file descriptor" bash -c "armctl -q -l $url --seq 0 $command >&-"
    done
    fails_with 2 "stdin: " bash -c "armctl -l '$fast' <&-"
    ok bash -c "canpid -q -l '$fast' watch -n 1 <&-"
    prints "confirmed" bash -c "armctl -q -l $fast deg 1 90 <&- 2>&-"
    nothing_arrived
}

@test "--record to a file that cannot be created sends nothing" {
    fails_with 2 "No such file" armctl -q -l "$fast" --record "$D/nope/run.pcapng" deg 1 90
    fails_with 2 ".pcapng" armctl -q -l "$fast" --record "$D/run.pcap" deg 1 90
}

@test "quoted CSV cells are read in sequences, trajectories and views" {
    printf '"Joint","Motion Type",Position,"Velocity",Tolerance,"Delay (ms)",\n"Wrist Flex","Auto",2000,"90",10,0\n' >s.csv
    prints "rows=1" unitysim -q -l "$fast" --dry-run play s.csv
    printf '"t","thigh_l, calf_l"\n0,0\n1,0.5\n' >walk.csv
    fails_with 5 "thigh_l, calf_l" ezphys -l sim: play walk.csv
    printf '"in, front",1,2,3,4,5,6\n' >views.csv
    fails 5 unitysim -l "$fast" camera views --views views.csv
    has "$why" "views.csv:1:2: 'in, front' is not a valid view name"
}

# compiles FILE: compiles it with the list of formats in this directory.
compiles() { ${CC:-cc} -D_GNU_SOURCE -std=c11 -Wall -Wextra -Werror -c -o /dev/null -I. -I"$root/lib" "$1"; }

@test "an output format without its style, its print function or its list entry does not compile" {
    local list=view/text/view.h
    mkdir -p view/text
    cp "$root/lib/view/text/segments.c" "$root/lib/shell/session/object.c" .
    ok compiles segments.c
    sed "s/^#define AW_EACH_STYLE(X).*/& X(TSV, tsv, 0, NULL, \"print TSV\") \\\\/; s/ *\\\\ X(TSV/ X(TSV/" \
        "$root/lib/$list" >$list
    run ! compiles segments.c
    matches "$output" "*error: *tsv_style*"
    run ! compiles object.c
    matches "$output" "*error: *print_tsv*"
    sed -i "s/^const struct style \*aw_view_style/static const struct style tsv_style = {compile_table, '\\\\t',\n\
        \"\", \"\", {\"rx\", \"tx\"}, {\"\", \"\"}, true};\n&/" segments.c
    sed -i 's/^char \*aw_object_print/static char *print_tsv(const struct aw_object *object,\n\
        const struct aw_object_form *form, char *out)\n{\n    return print_csv(object, form, out);\n}\n&/' object.c
    ok compiles segments.c
    ok compiles object.c
    rm $list
    run ! compiles segments.c
    matches "$output" "*error: *tsv_style*"
    run ! compiles object.c
    matches "$output" "*error: *print_tsv*"
}

@test "--format can name result fields of a motion, and unknown names send nothing" {
    prints_like 'arrived 10 [0-9]*' hidmotor -q -l "$fast" --format '%{result} %{m2.target} %{ms}' move 0 10 0 --wait
    gives "0" armctl -q -l "$fast" --format '%{retries}' deg 1 20
    gives "" hidmotor -q --dry-run --format '%{result} %{bytes}' move 0 10 0
    ok hidmotor -q -l 'sim:?drive=pid&time=virtual' --format '%{before.iae} %{after.iae} %{outcome}' tune m2 --yes
    matches "$output" "[0-9]* [0-9]* the new gains are kept: *"
    printf 'move 0 10 0 --wait\npause 1s\nmove 0 20 0 --wait\n' >script
    gives $'arrived\narrived' hidmotor -q -l "$fast" --format '%{result}' run script
    printf 'pause 1s\nstatus\n' >script
    ok armctl -q -l "$fast" --fields motor run script
    gives "0.72" hidmotor -q -l "$fast" --format '%{m2.actual}' run script
    for tool in armctl ezphys; do
        gives "1" $tool -q -l "$fast" --format '%{time}' pause 1s
        printf 'pause 1s\n' >script
        gives "" $tool -q -l "$fast" --format '%{angle}' run script
    done
    ok canpid -q -l "$fast" --format '%{iae} %{overshoot}' step -b lknee -c pos --from 0 --to 5 --for 1s
    matches "$output" '[0-9]* [0-9]*'
    for name in frob frob.actual m2.frob; do
        fails_with 2 "no message has a field '$name'" hidmotor -v -l "$fast" --format "%{$name}" move 0 10 0
        hasnt "$stderr" "-> "
    done
}
