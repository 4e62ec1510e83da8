#!/usr/bin/env bats
# The prompt on a real terminal: a pty driven by expect, see terminal.tcl.
load common.bash

colour() { unset NO_COLOR; export TERM=xterm-256color; }

# prompt [COLUMNS] TOOL WORD…: starts the tool's prompt, runs an expect script from standard input, and leaves
# with Ctrl-D. See terminal.tcl.
prompt() {
    local columns=()
    [[ $1 != [0-9]* ]] || { columns=("$1") && shift; }
    terminal "${columns[@]}" <<<"launch $*
        want {$1> }
        $(cat)
        type \004; ends 0"
}

@test "exit and quit end the prompt, and a failed command does not" {
    terminal <<<"
        launch armctl -l $fast
        want {armctl> }
        ask {frobnicate 1} {unknown command 'frobnicate' — see 'help'} {armctl> }
        ask {armctl deg 1 90} {unknown command 'armctl' — omit the name of the tool} {armctl> }
        type exit\r
        ends 0"
    terminal <<<"
        launch armctl -l $fast; want {armctl> }
        ask {dge 1 90} {did you mean 'deg'?} {armctl> }
        ask {deg 1 400} {above its maximum} {armctl> }
        ask {deg 1 \"90} {unterminated quote} {armctl> }
        ask {deg 1 90} confirmed {armctl> }
        type quit\r; ends 0"
}

@test "pasted lines run as separate commands until one fails" {
    export TERM=xterm
    prompt armctl -l "$fast" <<<"
        type \033\[200~deg\ 1\ 90\rdeg\ 1\ 95\r\033\[201~
        type \r
        want angle=90deg angle=95deg {armctl> }
        type \033\[200~deg\ 1\ 400\rdeg\ 1\ 97\r\033\[201~
        type \r
        want {above its maximum} {the remaining pasted lines were not run} {armctl> }
        ask {encode ack ack=2} {30 41 43 4B 32 0D 0A} {armctl> }
        hasnt angle=97
        type \020\020; want {deg 1 400}
        type \003; want {^C} {armctl> }"
}

@test "the unfinished line and Tab completion survive Ctrl-Z and fg" {
    terminal <<<"
        launch env {PS1=shell> } bash --norc --noprofile -i; want {shell> }
        ask {armctl -l $fast} {armctl> }
        type {deg 1 }; want {deg 1 }
        type \032; want Stopped {shell> }
        ask {echo a''b} ab {shell> }
        ask fg {armctl> deg 1 }
        type {an}; type \t; want {angle=}
        ask 90 confirmed {armctl> }
        type \032; want Stopped {shell> }
        ask fg {armctl> }
        ask {deg 1 91} {angle=91deg result=confirmed} {armctl> }
        type \004; want {shell> }
        type exit\r; ends 0"
}

@test "Ctrl-\\ ends the prompt and stops the motion" {
    terminal <<<"
        launch canpid -l sim:; want {canpid> }
        ask {setpoint 5deg -b lknee -c pos} result=sent {canpid> }
        type \034
        want {stopped: disabled the driver}
        ends 131
        hasnt ^C"
}

@test "TAB completes commands, fields, messages, options, links and file names" {
    touch moves-of-today
    prompt armctl -l "$fast" <<<"
        type enc\t; want {encode }
        type de\t; want {deg }
        type jo\t; want {joint=}
        type {1 an}; type \t; want {angle=}
        ask 90 {30 44 45 47 31 2C 30 39 30 0D 0A} {armctl> }
        type {deg jo}; type \t; want {joint=}
        type {1 an}; type \t; want {angle=}
        ask 90 confirmed {armctl> }
        type {--tim}; type \t\t\t; want --timeout
        type \003; want {^C} {armctl> }
        type {-l si}; type \t; want {sim:}
        type \003; want {^C} {armctl> }
        type {run mov}; type \t; want {es-of-today }
        type \003; want {^C} {armctl> }
        type {completion zs}; type \t; want {zsh }
        type \003; want {^C} {armctl> }
        type {quit nothing}; type \t; type \003; want {^C} {armctl> }"
}

@test "the hint shows name, range and unit of the next argument, and disappears on Enter" {
    colour
    prompt armctl -l "$fast" <<<"
        type {deg }; want {<joint 0 to 9>}
        type {1 }; want {<angle 0 to 360 deg>}
        ask 90 confirmed {armctl> }
        type {pos 2 }; want {<position 0 to 999 mm>}
        type \003; want {^C} {armctl> }
        type {encode deg }; want {joint= angle=}
        type \003; want {^C} {armctl> }"
    prompt ezphys <<<"
        type {encode axis_motor velocity1=}; want {<rad/s>}
        type \003; want {^C} {ezphys> }"
    colour
    prompt armctl -l "$fast" <<<"
        type {deg 1 }; want {<angle 0 to 360 deg>}
        type \r; want \x1b\[K {missing argument 'angle'} {armctl> }
        type \022; want search
        type {deg}; want {deg}
        type \003; want {^C} \x1b\[J {armctl> }
        ask {encode ack ack=2} {30 41 43 4B 32 0D 0A} {armctl> }"
}

@test "a signal ends the prompt and restores the terminal" {
    for signal in TERM:143 HUP:129; do
        terminal <<<"
            launch sh -c {trap : HUP; sh -c 'echo id=\$\$=; exec armctl -l $fast'
                          echo status=\$?; stty -a}
            want id=; expect -re {(\d+)=}; set id \$expect_out(1,string)
            want {armctl> }
            type {deg 1}; want {deg 1}
            exec kill -${signal%:*} \$id
            want status=${signal#*:} { icanon} { echo }
            ends 0"
    done
}

@test "a dangerous command asks, and only y or Y confirms" {
    for answer in "" n 0y; do
        terminal <<<"
            launch hidmotor -l $fast send 2000 0.5 1 1
            want {continue? [y/N] }
            type $answer\r
            want {not confirmed}
            ends 2"
    done
    for answer in y Y yes; do
        terminal <<<"
            launch hidmotor -l $fast send 2000 0.5 1 1
            want {continue? [y/N] }
            type $answer\r
            want light
            ends 0"
    done
    terminal <<<"
        launch hidmotor -l $fast send 2000 0.5 1 1 --yes; want light
        ends 0
        hasnt {continue?}"
}

@test "Ctrl-R finds the history of an earlier session" {
    prompt armctl -l "$fast" <<<"
        ask {deg 1 77} confirmed {armctl> }"
    same "$(<"$D/state/armwire/armctl/history")" "deg 1 77"
    prompt armctl -l "$fast" <<<"
        type \022; want search
        type {1 7}; want {deg 1 77}
        type \r; want {angle=77deg} {armctl> }"
    same "$(stat -c %a "$D/state/armwire/armctl/history")" 600
}

@test "Ctrl-C clears a typed line and sends nothing, a hundred times" {
    prompt armctl -l "$fast" <<<"
        type {deg 1 90}; want {deg 1 90}
        type \003; want {^C} {armctl> }
        ask {deg 1 10} {angle=10deg} {armctl> }
        hasnt {angle=90deg}
        for {set i 0} {\$i < 100} {incr i} { type x; type \003; want {^C} {armctl> } }"
}

@test "Ctrl-C and Ctrl-Z stop the motion of the prompt and of a single command" {
    prompt armctl -v -l sim: <<<"
        ask {deg 1 350} {<- 30 41 43 4B}
        type \003
        want stopped {armctl> }
        ask {deg 1 50} {<- 30 41 43 4B}
        type \032
        want stopped {armctl> }
        ask {encode ack ack=2} {30 41 43 4B 32 0D 0A} {armctl> }"
    terminal <<<"
        launch unitysim -v -l sim: drive elbow=+45; want {-> }
        type \032
        want stopped
        ends 148"
}

@test "closing the terminal during a motion stops it" {
    start arm armctl -v sim --listen "pty:$D/arm" --turn-speed 50
    config armctl '[joint base]' 'index = 1' 'kind = rotate' 'min = 0' 'max = 360' 'home = 0'
    # A closing terminal sends SIGCONT, which would make the leak checker wait forever.
    ASAN_OPTIONS=detect_leaks=0 terminal <<<"
        launch armctl -v -l $D/arm; want {armctl> }
        ask {deg 1 5} confirmed {armctl> }
        ask {deg 1 350} {<- 30 41 43 4B}
        close
        lassign [wait] id terminal failed status
        if {\$status != 129} { fail \"it ended with \$status\" }"
    wait_for arm "33 35 30 0D 0A" # 350; 005 may be in the same read or in a later one
    [[ $line == *"33 35 30 0D 0A"*"30 30 35 0D 0A"* ]] || wait_for arm "30 30 35 0D 0A"
}

@test "a dumb terminal gets no escape sequences" {
    prompt armctl -l "$fast" <<<"
        ask {deg 1 90} confirmed {armctl> }
        ask help {set up} {armctl> }
        hasnt \033"
    terminal <<<"
        launch hidmotor -q -l $fast jog elbow; want {elbow: 0 deg}
        type +
        want {elbow: 5 deg}
        type ?
        want {quit; Ctrl-C}
        type q
        ends 0
        hasnt \033"
    terminal <<<"
        launch canpid -l $fast plot lknee.torque --for 1s
        want {cannot show a live plot} {lknee.torque}
        ends 0
        hasnt \033"
}

@test "NO_COLOR disables colours and hints" {
    export TERM=xterm-256color NO_COLOR=1
    prompt armctl -l "$fast" <<<"
        type {deg 1 }; want {deg 1 }
        ask 90 confirmed {armctl> }
        ask help {set up} {armctl> }
        hasnt \033\[1m
        hasnt \033\[2m
        hasnt <angle"
}

@test "jog without a value moves the joint by keys, counts keys and fits a narrow terminal" {
    prompt armctl -l "$fast" <<<"
        ask {deg 1 90} confirmed {armctl> }
        type {jog 1}; type \r; want {90 deg, step 5}
        type \033\[5~; want {step 10}
        type +; want {100 deg}
        type -; want {90 deg}
        type q; want {armctl> }
        ask {jog x 10} {joint 'x' not found} {armctl> }"
    prompt hidmotor -q -l sim: <<<"
        type {jog elbow}; type \r; want {elbow: 0 deg, step 5}
        type +; want {elbow: 5 deg}
        type -; want {elbow: 0 deg}
        type q; want {hidmotor> }"
    colour
    prompt 40 armctl -q -l "sim:?turn-speed=45" <<<"
        ask {deg 1 10} confirmed {armctl> }
        type {jog 1}; type \r; want {joint 1: 10 deg, step 5}
        hasnt {page keys}
        type ++; want {20 deg}
        type +; want {25 deg}
        hasnt {30 deg}
        type q; want {armctl> }"
}

@test "every tool passes its golden cases at the prompt" {
    for tool in $tools; do
        awk '/^encode/ && length < 900 { command = $0; getline
            if (!/^exit/ && ++n <= 12) print command "\n" $0 }' \
            "$root/tests/golden/$tool.txt" >cases
        prompt 2000 "$tool" <<<"
            set cases [split [string trim [read [open cases]]] \n]
            foreach {command bytes} \$cases { ask \$command \"\r\n\$bytes\r\n\" {$tool> } }
            if {[llength \$cases] < 16} { fail {too few cases} }"
    done
}

@test "a long line wraps, and the first TAB lists the candidates" {
    colour
    prompt 40 armctl -l "$fast" <<<"
        type {deg 1 10 2 20 3 30 4 40 5 50 6 60 7 70 8 80}; want {8 80}
        type \001; want \x1b\[A
        type \003; want {^C} {armctl> }
        type d\t; want {decode} {describe} {armctl> }
        type \003; want {^C} {armctl> }"
}

@test "Ctrl-C ends the wait for the writer of a script in a named pipe" {
    mkfifo lines
    prompt armctl -l "$fast" <<<"
        type {run lines}
        type \r
        set id [exp_pid]
        set deadline [expr {[clock seconds] + \$timeout}]
        while {[catch {exec ls -l /proc/\$id/fd | grep lines}]} {
            if {[clock seconds] > \$deadline} { fail {it is not opened} }
        }
        type \003
        want {armctl> }"
}

@test "the prompt shows the link and a motion in progress" {
    prompt hidmotor -q -l sim: <<<"
        ask {velocity 20 0 0} result= {hidmotor sim: moving> }
        ask {stop} result= {hidmotor sim:> }
        ask {move elbow=3 duration=300ms} result= {hidmotor sim: moving> } {hidmotor sim:> }"
    terminal <<<"
        launch armctl -l serial:/dev/serial/by-id/usb-FTDI_A603-if00-port0?baud=9600
        want {-FTDI_A603-if00-port0> }
        type \004; ends 0"
    prompt armctl <<<""
}

@test "the prompt shows a lost link until it is restored" {
    start board hidmotor sim --listen "unix-listen:$D/board"
    terminal <<<"
        launch hidmotor --no-attach -l unix:$D/board; want {board> }
        ask status m1
        want {board> }
        exec kill $pid
        ask status {: link lost> }
        ask {jog elbow +1} {board} {: link lost> }
        ask {help move} {joint} {: link lost> }
        set board [exec hidmotor sim --listen unix-listen:$D/board >& second &]
        exec sh -c {until grep -q ready: second; do sleep 0.05; done}
        ask status m1 elbow deg/s {board> }
        type \004; ends 0
        exec kill \$board"
}

@test "TAB and hints use the joints' limits and roles and fit the command" {
    colour
    config armctl '[joint elbow]' 'index = 2' 'min = 10' 'max = 150' \
        '[joint lift]' 'index = 3' 'kind = translate'
    prompt armctl -l "$fast" <<<"
        type {deg elbow }; want {<angle 10 to 150 deg>}
        type {90 3 }; want {<angle 0 to 360 deg>}
        type \003; want {armctl> }
        type {pos }; type \t; want {lift }
        type \003; want {armctl> }
        type {deg }; type \t; want {elbow }
        type \003; want {armctl> }"
    prompt hidmotor <<<"
        type {move el}; type \t; want {elbow=} {<-90 to 63 deg>}
        type \003; want {hidmotor> }"
    prompt unitysim <<<"
        type {move el}; type \t; want {elbow=} {position in ticks or deg, 1700 to 2570}
        type \003; want {unitysim> }"
    config armctl '[joint out]' 'index = 7' 'kind = translate' 'role = r' 'max = 300' \
        '[joint waist]' 'index = 1' 'min = 20' 'max = 160'
    prompt armctl -l "$fast" <<<"
        type {arm }; want {<r 0 to 300 mm>}
        type {250 }; want {<theta 20 to 160 deg>}
        type {45 }; want {<h 0 to 999 mm>}
        type \003; want {armctl> }"
}

@test "work of more than a second shows progress on a terminal, but not in a pipe" {
    TERM=xterm terminal 80 <<<"
        launch canpid -l sim: step --from 0deg --to 20deg --for 1.5s -b lknee -c pos
        want {step 1 of 2 s, lknee } \r\033\[Kcanpid: rise_time=
        ends 0"
    TERM=xterm terminal 24 <<<"
        launch canpid -l sim: ping --for 1.5s; want {ping 1 s, } frames \r\033\[K lknee
        ends 0"
    exits 0 env TERM=xterm canpid -q -l sim: ping --for 1.3s
    [ -z "$stderr" ]
}

# bats test_tags=long
@test "every motion and wait of more than a second shows progress and then erases it" {
    start simulator ezphys-sim --listen 0 --real-time --scene pendulum
    printf 'Joint,Motion Type,Position,Velocity,Tolerance,Delay (ms)\nElbow,Auto,2500,20,10,0,\n' >moves.csv
    while IFS='|' read -r command shows; do
        TERM=xterm terminal 80 <<<"
            launch $command; want {$shows} \r\033\\[K
            ends 0"
    done <<END
armctl -l sim:?turn-speed=60 deg 1 20 2 90|deg %d s, joint 2, angle 90 deg, move 2 of 2
armctl -l sim:?turn-speed=60 arm 100 90 100|arm %d s, r 100 mm, theta 90 deg, h 100 mm
hidmotor -l sim: move 0 45 -30 duration=1500ms --wait|move %d of 2 s, shoulder
hidmotor -l sim: move elbow=30 duration=1500ms --wait|move %d of 2 s, elbow
hidmotor -l sim:?motors=2 jog shoulder 30 duration=1500ms --wait|jog %d of 2 s, shoulder
unitysim -l sim: move elbow=2500 velocity=20|move %d s, elbow
unitysim -l sim: drive elbow=+20 --for 1.4s|drive %d of 1 s, elbow
unitysim -l sim: play moves.csv|play %d s, row 1 of 1, elbow
canpid -l sim: pause 3s|pause %d of 3 s
ezphys -l $url hz --for 3s|hz %d s,
ezphys -l $url motor joint1 1 100 --for 1.4s|motor %d s, 
ezphys -l $url move joint1=2.5 --speed 1.5|move %d of
ezphys -l $url advance 70|advance %d s,
ezphys -l $url ping -n 70|ping %d s,
END
    TERM=xterm terminal 80 <<<"
        launch canpid -l sim: move lknee=30 rknee=5 -c pos --wait=1deg; want {move 1 s, lknee 2} {of 30 deg}
        type \003; ends 130"
}

@test "? shows the keys in every view, and the exit key fits into 40 columns" {
    for view in 'canpid -q -l sim: watch' 'canpid -q -l sim: plot lknee.torque' 'ezphys -q -l sim: view' \
        'hidmotor -q -l sim: watch'; do
        TERM=xterm terminal 40 <<<"
            launch $view; want {q quit} {? keys}
            type ?; want {show or hide this help}
            type q; ends 0"
    done
    TERM=xterm terminal 80 <<<"
        launch canpid -q -l sim: watch -c pos; want setpoint measured output rankle
        type t; want lhip. setpoint
        type q; ends 0"
}

@test "; separates commands, and a pipe is rejected with a hint" {
    prompt armctl -l "$fast" <<<"
        ask {deg 1 90; deg 1 95} angle=90deg angle=95deg {armctl> }
        ask {deg 1 400; deg 1 97} {above its maximum} {the commands after ; were not run} {armctl> }
        hasnt angle=97
        ask {deg 1 92 | tee x} {'|' not supported in commands} {armctl> }
        hasnt angle=92
        type {deg 1 90; enco}; type \t; want {encode }
        type \003; want {armctl> }"
    run -0 armctl <<<'encode ack ack=1;encode ack ack=2'
    [[ $output == *31*32* ]]
    run -2 armctl <<<'encode ack ack=1; frob 1; encode ack ack=2'
    [[ $output == *"unknown command 'frob'"* && $output != *'4B 32'* ]]
}

@test "help and ? at the prompt fit 22 lines of 80 columns and accept topics" {
    for tool in $tools; do
        terminal 80 <<<"
            launch $tool -l $fast --color never
            want {Ctrl-D quits} {$tool sim:>}
            foreach word {help ?} {
                set seen {}
                ask \$word {look } {measure } {keep } {set up } { views} {$tool sim:>}
                set lines [split [string map {\r {}} \$seen] \n]
                if {[llength \$lines] > 24} { fail {more than 22 lines} }
                foreach line \$lines { if {[string length \$line] > 80} { fail \$line } }
            }
            ask {help units} {deg, rad} {$tool sim:>}
            ask {? joints} {joints —} {$tool sim:>}
            type \004; ends 0"
    done
}

@test "Ctrl-C in watch reports the drivers still enabled, and the command to stop them" {
    prompt canpid -l sim: <<<"
        ask {setpoint 5 -b lknee,rknee -c pos} result=sent {canpid> }
        ask {watch -j lknee.pid.output} {output}
        type \003
        want {canpid: watch ended; lknee,rknee stay enabled — use 'stop' or Ctrl-C at the prompt to stop} {canpid> }
        type \003; want {^C} {stopped: disabled the driver} {canpid> }
        ask {watch -j lknee.pid.output} {output}
        type \003
        want {stopped by a signal} {canpid> }"
    printf '%s\n' '[packet go]' 'id = 0x650' 'dir = tx' 'moves = yes' 'angle = s16 deg scale=0.1 min=-90 max=90' \
        '[packet state]' 'id = 0x651' 'angle = s16 deg scale=0.1' '[joint pan]' 'setpoint = go.angle' \
        'position = state.angle' '[stop]' 'packet = go hold' >pan.packets
    prompt canpid -l sim: --packets pan.packets <<<"
        ask {stop} result= {canpid> }
        ask {send go angle=1 --yes} result=sent {canpid> }
        ask {watch -j state.angle} {angle}
        type \003
        want {canpid: watch ended; the motion continues — use 'stop' or Ctrl-C at the prompt to stop} {canpid> }"
}

# ---- Visible screen ------------------------------------------------------------------------------

# screen COLUMNS COMMAND…: runs the command on a separate terminal and captures the visible screen.
screen() {
    local columns=$1
    shift
    screens=$((${screens:-0} + 1)) # a new tmux server, because the last one may still be ending
    mux() { tmux -u -S "$D/mux$screens" -f /dev/null "$@"; }
    mux new-session -d -x "$columns" -y 24 "$(printf '%q ' "$@")"
    started+=("$(mux display -p '#{pid}')")
}

# shows PATTERN: waits until the screen matches, ignoring empty lines at its end.
shows() {
    local tries
    for ((tries = 0; tries < 200; tries++)); do
        shown=$(mux capture-pane -p)
        [[ $shown == $1 ]] && return
        sleep 0.05
    done
    printf 'the screen shows:\n%s\nand is not like: %s\n' "$shown" "$1" && false
}

keys() { mux send-keys -l "$1"; }
cursor() { mux display -p '#{cursor_x},#{cursor_y}'; }

@test "on the screen: the end of a motion redraws the prompt in place, also with a typed line" {
    for columns in 80 24; do
        screen "$columns" hidmotor -q -l sim:
        shows 'hidmotor sim:>'
        keys $'move 0 1 0 duration=0.2s\r'
        shows $'*\nhidmotor sim: moving>'
        keys 'status'
        shows $'*\nhidmotor sim: moving> s*' # the new prompt may already be visible
        shows $'*\nhidmotor sim:> status'
        hasnt "${shown#*duration}" moving
        same "$(cursor)" "21,$(($(wc -l <<<"$shown") - 1))"
        mux kill-server
    done
    screen 80 hidmotor -q -l sim:
    shows 'hidmotor sim:>'
    keys $'move 0 1 0 duration=0.2s\r'
    shows $'*\nhidmotor sim: moving>'
    shows $'*\nhidmotor sim:>'
    same "$(grep -c 'sim:' <<<"$shown")" 2
    keys $'quit\r'
}

@test "on the screen: a message during typing appears above the line" {
    start arm armctl sim --listen "unix-listen:$D/arm"
    screen 80 armctl -q -l "unix:$D/arm"
    shows 'armctl *>'
    keys $'deg 1 20\r'
    shows $'*confirmed*\narmctl *>'
    keys 'deg 1 4'
    shows $'*\narmctl *> deg 1 4'
    end "$pid"
    shows $'*confirmed*\narmctl: *connection lost*\narmctl *: link lost> deg 1 4'
    keys 5
    shows $'*: link lost> deg 1 45'
    mux kill-server
}

@test "on the screen: a repetition count of 99,999,999 and terminals of one or two columns are supported" {
    screen 80 armctl -q -l "$fast"
    shows 'armctl *>'
    mux send-keys Escape
    keys 99999999x
    shows '*xxxx'
    keys $'\001\013'
    shows $'armctl sim:>'
    keys $'quit\r'
    for columns in 1 2; do
        terminal "$columns" <<<"
            launch hidmotor -q -l sim:
            ask {move 0 1 0 duration=0.2s} result=sent
            ask status joint
            ask {status -j} actual
            type \004; ends 0"
    done
}
