#!/usr/bin/env bats
# watch: lines for programs, a table for people. Tests of the terminal use terminal.tcl.
load common.bash

# talker N PORT: starts a server that sends lines to each client until it is ended; another one can replace it.
# $url is its link.
talker() {
    start "talker$1" python3 "$root/tests/cli/talker.py" "$2"
}

# The escape sequence that leaves the alternate screen.
restored='[?1049l'

@test "a silent device and a gap in a recording are reported once with a likely cause" {
    ok armctl -l "$fast" watch --for 5s
    same "$(grep -c 'no messages yet — the arm only responds to commands' <<<"$stderr")" 1
    remarks_no "no messages yet" armctl -l "$fast" watch --for 1s
    remarks_no "no messages yet" canpid -l "$fast" watch --for 5s
    printf '(100.0) can0 15E#9CFF000200F0\n(20000.0) can0 05E#9CFF000200F0\n' >gap.log
    background canpid -l log:gap.log watch 2>told
    until grep -q "no messages yet — the recording has a gap here; ?speed=max skips it" told; do
        kill -0 $!
        sleep 0.05
    done
    hasnt "$(<told)" powered
    prints "joint board=lknee" canpid -q -l 'log:gap.log?speed=max' watch
}

@test "watch accepts fields, subjects and patterns, and ends with -n, --for and --once" {
    ok canpid -q -l "$fast" watch lknee.torque -n 2
    same "$output" $'<- joint board=lknee torque=0Nm\n<- joint board=lknee torque=0Nm'
    ok canpid -q -l "$fast" watch 'l*.setpoint' -j -n 3
    same "$(jq -r .board <<<"$output" | xargs)" "lhip lknee lankle"
    same "$(jq -r 'keys | join(" ")' <<<"$output" | sort -u)" "board dir msg setpoint t"
    prints_lines 3 canpid -q -l "$fast" watch rknee --csv -n 2
    gives "<- sensors board=32 velocity=0" canpid -q -l "$fast" watch velocity --raw -n 1
    prints_lines 7 canpid -q -l "$fast" watch -n 7
    ok canpid -q -l "$fast" watch --for 100ms
    [ "${#lines[@]}" -gt 50 ]
    ok canpid -q -l "$fast" watch --once rankle.velocity lhip.torque
    matches "$output" "<- joint board=lhip torque=0Nm*rankle velocity=0rpm"
}

@test "a joint's alias can replace its name" {
    for name in m3 elbow; do
        gives "<- positions m3.position=-0.72deg" hidmotor -q -l "$fast" watch $name.position -n 1
        prints_like "<- positions m1.setpoint=*" hidmotor -q -l "$fast" watch -n 1 --where "$name.position<0"
        ok hidmotor -q -l "$fast" --csv --fields $name.position watch -n 1
        matches "${lines[0]}" "t,dir,msg,m3.position"
        ok hidmotor -q -l "$fast" --fields $name decode --dir tx \
            "$(hidmotor encode set_setpoints m1=1 m2=2 m3=3)"
        same "$output" "-> set_setpoints m3=3deg"
        prints "m3.position" hidmotor -q -l "$fast" plot $name.position --for 0.1s
    done
    fails_with 2 "did you mean 'elbow.position'?" hidmotor -q -l "$fast" watch elbow.pos
    fails 2 hidmotor -q -l "$fast" watch linear
    fails_with 2 "did you mean 'torque'?" canpid -q -l "$fast" watch tor
}

@test "watch hides bookkeeping fields unless they are requested" {
    prints_no count= hidmotor -q -l "$fast" watch -n 2
    gives $'<- positions count=3\n<- velocities count=3' hidmotor -q -l "$fast" watch count -n 2
    prints "count=3" hidmotor -q -l "$fast" watch positions -n 1
    prints "<- positions count=3 " hidmotor -v -l "$fast" watch -n 1
    gives_json .count 3 hidmotor -q -l "$fast" watch -n 1 -j
    ok hidmotor -q -l "$fast" --csv watch -n 1
    has "${lines[0]}" ,count,
    TERM=xterm terminal 80 <<<"
        launch sh -c {hidmotor -q -l sim: watch}; want m3.position
        hasnt count
        type q; ends 0"
    TERM=xterm terminal 80 <<<"
        launch sh -c {hidmotor -q -l sim: watch positions}; want count m3.position
        type q; ends 0"
}

@test "watch rejects an unknown name before it opens a link, or at the first message of a simulation" {
    fails_with 2 "did you mean 'torque'?" canpid -l can:nowhere watch torqe
    fails_with 2 "did you mean 'lknee.torque'?" canpid -l can:nowhere watch lknee.torqe
    fails 2 armctl -l /dev/nowhere watch zebra
    fails 2 canpid -l can:nowhere watch --where 'torqe>5'
    fails_with 2 "FIELD OP NUMBER" canpid -l can:nowhere watch --where 'torque>'
    for word in forc.z bob.forc.z bab; do
        fails_with 2 "name '$word' not found — did you mean" timeout 20 ezphys -q -l sim: watch "$word"
        fails_with 2 "name '$word' not found" timeout 20 ezphys -q -l sim: plot "$word" --for 60s
    done
    fails_with 2 "available: bob, hinge" timeout 20 ezphys -q -l sim: watch zebra
    fails_with 2 "name 'bab.force.z' not found" timeout 20 ezphys -q -l sim: watch --where 'bab.force.z<5'
    prints_like "<- joint_axis *" timeout 20 ezphys -q -l sim:humanoid watch left-shoulder.axis2 -n 1
    gives "<- limb force.z=0N" timeout 20 ezphys -q -l sim: watch 1.force.z -n 1 # numbers are valid names
    prints_like "<- timestamp *" timeout 20 ezphys -q -l sim: watch 0 -n 1
    fails_with 2 "name '9' not found — available: bob, hinge" timeout 20 ezphys -q -l sim: watch 9
    ok timeout 20 ezphys -q -l sim: watch bob.depth --for 300ms # bob may get a contact later
    for tool in armctl hidmotor canpid unitysim; do
        fails 2 timeout 20 "$tool" -l sim: watch forc.z
        fails 2 timeout 20 "$tool" -l sim: watch zebra
    done
}

@test "watch reports unreadable input, and Ctrl-C ends its wait" {
    fails_with 2 "directory" armctl watch - <.
    mkfifo quiet
    armctl watch - <>quiet >lines 2>why &
    watch=$!
    # Waits until watch has blocked HUP, INT and TERM. Before exec, the shell blocks the last two.
    until grep -q 'SigBlk:.*[4-7c-f]..[13579bdf]$' "/proc/$watch/status"; do read -r -t 0.01 _ <> <(:) || true; done
    end_by INT 130 "$watch"
    same "$(cat why)" "armctl: stopped by a signal"
}

@test "watch and record of every tool exit 7 if the link is lost" {
    for tool in $tools; do
        for verb in watch 'record lost.pcapng'; do
            start "$tool-${verb% *}" "$tool" sim --listen "unix-listen:$D/$tool.link"
            under_way "$tool" -l "unix:$D/$tool.link" $verb
            until find "/proc/$client/fd" -lname 'socket:*' | grep -q .; do sleep 0.05; done
            sleep 0.2 # long enough to connect and read
            end "$pid" KILL
            ended 7
            has "$rest" "connection lost"
            hasnt "$rest" "refused"
        done
    done
}

@test "the table of watch is drawn, and q restores the terminal" {
    unset NO_COLOR
    TERM=xterm-256color terminal 100 <<<"
        launch sh -c {canpid -l $fast watch; echo status=\$?; stty -a}
        want {[?1049h} setpoint measured output
        type t
        want field value unit Hz age last lhip. setpoint
        type q
        want {$restored} status=0 { icanon} { echo }
        ends 0"
}

@test "a signal, Ctrl-C or an error ends the table and restores the terminal; Ctrl-\\\\ is ignored" {
    for signal in INT:130 TERM:143 HUP:129; do
        TERM=xterm terminal 80 <<<"
            launch sh -c {trap : HUP; sh -c 'echo id=\$\$=; exec canpid -l sim: watch'
                          echo status=\$?; stty -a}
            want id=; expect -re {(\d+)=}; set id \$expect_out(1,string)
            want {[?1049h} {q quit}
            exec kill -${signal%:*} \$id
            want {$restored} status=${signal#*:} { icanon} { echo }
            ends 0"
    done
    TERM=xterm terminal 80 <<<"
        launch canpid -l sim: watch; want {[?1049h} {q quit}
        type \034
        type \003
        want {$restored}
        ends 130"
    TERM=xterm terminal 80 <<<"
        launch canpid -l can:nowhere watch; want {canpid: }
        ends 4"
    [ -z "$(TERM=xterm terminal 80 <<<"launch canpid -l can:nowhere watch; ends 4; hasnt {[?1049h}")" ]
}

@test "the keys of the table scroll, search, freeze and switch views" {
    TERM=xterm terminal 80 <<<"
        launch canpid -l sim: watch
        want {q quit}
        type t; want lhip.
        type /zzz; want {no match}
        type \177\177\177; want setpoint
        type \033; want {0 lost}
        type /torq\r; want {/torq}
        type { }; want FROZEN
        type { }; want {space freeze}
        type \033; want {0 lost}
        type \033\[6~; want rknee
        type \033\[H; want setpoint
        type \033\[F; want torque
        type \033\[5~; want setpoint
        type \033\[B; type \033\[A; type z; type r
        type q
        want {$restored}
        ends 0"
}

@test "the table stays open after the end of the input until q" {
    canpid -q -l "$fast" record run.pcapng -n 36
    { canpid decode -j run.pcapng && echo '{"t":'; } >run.ndjson
    TERM=xterm terminal 100 <<<"
        launch sh -c {cat run.ndjson | armctl watch - --where 'lknee.torque<5'}
        want {end of input} torque
        type q
        want {$restored}
        ends 0"
    TERM=xterm terminal 100 <<<"
        launch canpid -l log:run.pcapng?speed=max watch; want {end of input}
        type q
        want {$restored}
        ends 0
        hasnt {link lost}"
}

@test "--for ends the table, and so does Ctrl-C in virtual time and without a link" {
    TERM=xterm terminal 80 <<<"
        launch canpid -l sim: watch --for 300ms; want {q quit} {$restored}
        ends 0"
    TERM=xterm terminal 80 <<<"
        launch canpid -l $fast watch; want {q quit}
        type \003
        want {$restored}
        ends 130"
    talker 1 0
    TERM=xterm terminal 80 <<<"
        launch armctl -l $url watch; want joint
        exec kill $pid
        want {link lost}
        type \003
        want {$restored}
        ends 130"
}

@test "error messages appear below the table, or in redirected standard error" {
    TERM=xterm terminal 120 <<<"
        launch canpid -v -l sim: watch lknee; want { ms <- }
        type q; ends 0"
    TERM=xterm terminal 120 <<<"
        launch sh -c {canpid -v -l sim: watch lknee 2>trace}; want {q quit}
        type q; ends 0
        hasnt { ms <- }"
    has "$(cat trace)" " ms <- "
}

@test "the table waits for a lost link and continues" {
    talker 1 0
    TERM=xterm terminal 100 <<<"
        launch armctl -l $url watch; want joint
        exec kill $pid
        want {link lost}
        exec python3 $root/tests/cli/talker.py ${url##*:} >/dev/null 2>/dev/null &
        want {tcp:127.0.0.1}
        type q
        want {$restored}
        ends 0"
    end "$(pgrep -f "talker.py ${url##*:}\$")" 2>/dev/null || true
}

@test "the table fits into 40 columns, and terminals without a table get lines" {
    for term in dumb no-such-terminal; do
        TERM=$term terminal 80 <<<"
            launch canpid -q -l $fast watch -n 2; want {<- joint board=lhip}
            ends 0
            hasnt {[?1049h}"
    done
    TERM=xterm terminal 40 <<<"
        launch canpid -l sim: watch lknee; want field value lknee. torque Nm
        type q; ends 0"
}

# ---- Delay of lines ------------------------------------------------------------------------------

# in_time COMMAND…: checks the delay of its lines; see lateness.py.
in_time() { ok python3 "$root/tests/cli/lateness.py" "$@"; }

@test "lines of watch and dump arrive through a pipe and through chained tools within 20 ms" {
    talker 1 0
    in_time armctl -q -l "$url" watch -j
    in_time canpid -q -l sim: watch -j
    in_time hidmotor -q -l sim: watch -j
    in_time unitysim -q -l sim: watch -j
    in_time ezphys -q -l sim: watch -j
    in_time canpid -q -l sim: dump -j
    in_time sh -c 'canpid -q -l sim: dump --as candump | canpid decode -j -'
    in_time sh -c 'canpid -q -l sim: watch -j | canpid watch -j -'
}
