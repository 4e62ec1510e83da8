# What several programs do with one served device at once, and that what was stopped stays so.
load common

serve() { start "$1" "$2" serve "${@:3}"; }
place() { echo "$XDG_RUNTIME_DIR/armwire/$1.sock"; }
talk() { python3 "$root/tests/cli/talk.py" "$@"; }
sees() {
    for _ in {1..400}; do
        [ -z "$(jq -c "select($1)" "$2" 2>/dev/null)" ] || return 0
        sleep 0.05
    done
    echo "$2 never has $1" && cat "$2" && false
}
# stays FILTER: of a board's status, is the same for a while.
stays() { same "$(hidmotor -q -j status | jq -c "$1")" "$(sleep 0.3; hidmotor -q -j status | jq -c "$1")"; }

@test "what waits is gone with what was stopped: by anybody, by itself, taken over, silent, killed; 20 motions behind" {
    for tool in $tools; do
        timeout 200 python3 "$root/tests/cli/serve_kills.py" "$D" "$tool" "${SERVE_KILLS:-1}" --queue 20 \
            --within "${WITHIN:-1000}" kill stranger own take silent device end
    done
}

@test "a stop is one in whatever words; what waits is answered: dropped" {
    serve s hidmotor -l sim: --deadman 20s
    for stop in stop '-q stop' 'stop -q' ' stop' '{"cmd":"stop"}' '{"line":"stop","id":"s"}'; do
        printf '%s\n' '{"line":"move 0 60 0 duration=9s --wait","id":1}' '{"line":"move 0 0 0","id":2}' "$stop" |
            talk 0.6 "$(place hidmotor)" >said
        same "$(jq -c 'select(.cmd == "stop") | [.ok, .result]' said)" '[true,"confirmed"]'
        same "$(jq -c 'select(.id == 1 and .done) | .exit' said)" 3
        same "$(jq -c 'select(.id == 2 and .done) | .exit' said)" 3
        has "$(jq -r 'select(.id == 2) | .why' said)" "dropped: stopped by python3"
    done
    stays '[.m1.target, .m2.target, .m3.target]'
}

@test "an option that cannot be obeyed is refused, dry-run is obeyed; an id that is too long" {
    serve s hidmotor -l sim:
    before=$(hidmotor -q -j status | jq -c .m1.target)
    printf '%s\n' 'move 10 10 -10 -l sim:' '{"cmd":"move","m1":10,"m2":10,"m3":-10,"options":{"link":"sim:"}}' \
        'move 10 10 -10 --config /dev/null' 'move 10 10 -10 --record x.pcapng' \
        '{"cmd":"move","m1":10,"m2":10,"m3":-10,"options":{"dry-run":true}}' "{\"cmd\":\"status\",\"id\":\"$(printf '%070d' 0)\"}" |
        talk 1 "$(place hidmotor)" >said
    same "$(jq -c 'select(.done != null) | .exit' said | sort | xargs)" "0 2 2 2 2 2"
    same "$(jq -c 'select(.dry_run) | .dry_run' said)" true
    same "$(hidmotor -q -j status | jq -c .m1.target)" "$before"
    [ ! -e x.pcapng ]
}

@test "lines may name files of one folder, if the server was told which" {
    mkdir in && printf '%s\n' t,m1,m2,m3 0,0,0,0 0.3,0,5,0 >in/way.csv && cp in/way.csv out.csv && ln -s ../out.csv in/link.csv
    serve s hidmotor -l sim: --files in
    printf '%s\n' 'play way.csv' 'play ../out.csv' 'play link.csv' "play $D/out.csv" | talk 3 "$(place hidmotor)" >said
    same "$(jq -c 'select(.done) | .exit' said | xargs)" "0 2 2 2"
}

# bats test_tags=plain
@test "record beside motions: nothing is lost, no motion takes longer, none is stopped that has arrived" {
    for tool in hidmotor canpid unitysim; do
        mkdir "$tool"
        timeout 200 python3 "$root/tests/cli/record_beside.py" "$D/$tool" "$tool" "${RECORD_SECONDS:-2}" --within "${WITHIN:-1000}"
    done
}

# bats test_tags=plain
@test "record keeps all while others move, and holds up nobody" {
    serve s hidmotor -l sim:
    for file in run.pcapng run.csv run.ndjson; do
        hidmotor -q record "$file" 3>&- & # until it is ended
        recorder=$!
        started+=("$recorder")
        becomes yes sh -c "[ ! -s $file ] || echo yes"
        for _ in 1 2 3; do
            ok timeout 20 hidmotor -q -j move 0 20 0 duration=160ms --wait
            [ "$(json .ms | cut -d. -f1)" -lt "${WITHIN:-1000}" ]
        done
        [ "$file" != run.ndjson ] || becomes 60 sh -c "grep -m 60 -c '\"msg\":\"positions\"' $file"
        kill "$recorder" # which lives: it has not been waited for
        wait "$recorder" && false || same "$?" 143
        ok hidmotor info -j "$file"
    done
}

# bats test_tags=plain
@test "what moves joints comes by lines, too, whether it is a tool's own command or all tools'" {
    local tool words
    while read -r tool words; do
        serve "$tool" "$tool" -l sim:
        echo "$words" | talk 3 "$(place "$tool")" >said
        same "$tool $(jq -c 'select(.done) | .exit' said)" "$tool 0"
        end "$pid"
    done <<'END'
hidmotor move 0 10 0 duration=80ms --wait
canpid move lknee=1 -c pos
END
}

@test "what a command reads is the client's: standard input, --follow, a script" {
    mkfifo theirs && exec 7<>theirs # of which the server reads nothing
    serve u unitysim -l 'sim:?scene=basic' <theirs
    echo elbow=-20 >&7
    elbow() { unitysim -q -j status | jq .elbow.ticks; }
    before=$(elbow)
    ok unitysim -q drive --follow < <(for _ in {1..10}; do echo elbow=20; sleep 0.1; done)
    [ "$(elbow)" -gt "$before" ]
    read -r -t 1 line <&7
    same "$line" elbow=-20
    exec 7>&-
    end "$pid"
    serve h hidmotor -l sim:
    ok hidmotor -q play - <<<$'t,m1,m2,m3\n0,0,0,0\n0.3,0,5,0'
    ok hidmotor -q run - <<<$'gripper open\nmove 0 10 0 duration=100ms --wait'
    end "$pid"
    serve c canpid -l sim:
    ok canpid -q gains apply - --yes --switch <<<'lknee pos kp 5'
}

@test "a teleop is the client's, too: its records, its rate; what it moves is stopped with it" {
    printf '%s\n' '0.3 hold 1' '0.6 lefty -1' '1.4 hold 0' >pad.events
    "$root/tests/cli/pad_player.py" --channels pad.events >pad.ndjson
    serve s hidmotor -l sim:
    ok hidmotor -q teleop --channels pad.ndjson -j
    same "$(jq -c '[.cmd, .result, .stops]' <<<"$output")" '["teleop","ended",1]'
    [ "$(hidmotor -q -j status | jq '.m2.target > 1')" = true ] # further where the machine is not busy
    stays .m2.target
}

@test "the server's limits hold for the frames, also against --force, unless it was started with that" {
    local tool frame words
    printf '%s\n' '[joint base]' 'index = 1' 'kind = rotate' 'min = 0' 'max = 90' 'home = 0' >joints.ini
    export ARMCTL_CONFIG=$D/joints.ini
    while read -r tool frame words; do
        serve "$tool.strict" "$tool" -l "sim:?time=virtual"
        # shellcheck disable=SC2086
        fails 6 "$tool" -q --force $words
        end "$pid"
        serve "$tool.lax" "$tool" -l "sim:?time=virtual" --force -v
        # shellcheck disable=SC2086
        "$tool" -q --force $words || true # its device has limits of its own
        grep -q -- "-> .*$frame" "$tool.lax.err"
        end "$pid"
    done <<'END'
hidmotor set_setpoints move 0 200 0
canpid kp set kp 1e9 -b lknee -c pos --switch
armctl angle=300deg deg base 300
END
}

@test "without a descriptor that is free, and at a user's last connection, a stop is taken" {
    serve s hidmotor -l sim: --deadman 20s
    prlimit --pid "$pid" --nofile=64
    timeout 60 python3 - "$(place hidmotor)" <<'END'
import socket, sys
def come():
    end = socket.socket(socket.AF_UNIX)
    end.connect(sys.argv[1])
    end.settimeout(20)
    return end
def until(end, text):
    said = b""
    while text not in said:
        got = end.recv(65536)
        assert got, said
        said += got
mover = come()
mover.sendall(b"velocity 5 0 0\n")
until(mover, b'"done"')
idle = [come() for _ in range(100)]
for end in idle[-3:]:
    end.setblocking(False)
for _ in range(5):
    one = come()
    one.sendall(b"stop\n")
    until(one, b'"done"')
    one.close()
END
    wait_for s "stopped by "
}

# bats test_tags=plain
@test "armctl's digits pass between the programs that command, as between single commands at the port" {
    for name in fast slow bare published; do
        SERVED=1 timeout 200 python3 "$root/tests/cli/arm_processes.py" "$D" "$name" 1 "${PROCESSES:-30}" >"$name.out" || {
            cat "$name.out"
            false
        }
    done
}

@test "Ctrl-C while a server is asked ends the command, and the device is not opened instead" {
    for tool in $tools; do
        mkdir -p -m 700 "$XDG_RUNTIME_DIR/armwire"
        rm -f came silent
        python3 -c '
import socket, sys, time
end = socket.socket(socket.AF_UNIX)
end.bind(sys.argv[1])
end.listen()
open("silent", "w")
one = end.accept()
open("came", "w")
time.sleep(60)' "$(place "$tool")" 3>&- &
        silent=$!
        started+=("$silent")
        until [ -e silent ]; do kill -0 "$silent"; done
        "$tool" -v stop >out 2>err 3>&- &
        client=$!
        until [ -e came ]; do kill -0 "$client" || { cat err && false; }; done
        kill -INT "$client"
        wait "$client" && false || same "$tool $?" "$tool 130"
        same "$tool: $(grep -c -- '->' err)" "$tool: 0"
        kill "$silent"
        wait "$silent" || true
        rm "$(place "$tool")"
    done
}

# bats test_tags=plain
@test "of two that come at once one commands, and the other one is told; nobody moves by itself when that one is killed" {
    serve s hidmotor -l sim: --deadman 20s
    target() { hidmotor -q -j status | jq .m2.target; }
    for ((i = 0; i < ${PAIRS:-100}; i += 10)); do
        before=$(target)
        : | tee one >two # the shell empties them later, when the programs begin
        hidmotor -q move 0 60 0 duration=30s --wait >one 2>&1 3>&- &
        one=$!
        hidmotor -q move 0 -30 0 duration=30s --wait >two 2>&1 3>&- &
        two=$!
        until grep -q 'has commanded' one two; do kill -0 $one || kill -0 $two; done
        if grep -q 'has commanded' one; then
            loser=$one winner=$two
        else
            loser=$two winner=$one
        fi
        wait "$loser" && false || same "$?" 1
        while [ "$(target)" = "$before" ]; do kill -0 "$winner"; done # what does not move yet is not stopped
        kill -9 "$winner"
        wait "$winner" || true
        wait_for s "the commander is gone — stopped"
        stays .m2.target
    done
    python3 - "$(place hidmotor)" "${PAIRS:-100}" <<'END'
import json, socket, sys
def come():
    end = socket.socket(socket.AF_UNIX)
    end.connect(sys.argv[1])
    lines = end.makefile("r")
    lines.readline()
    return end, lines
for pair in range(int(sys.argv[2])):
    ends = [come() for _ in range(2)]
    for end, _ in ends:
        end.sendall(b'{"link":true}\n{"want":false}\n')
    said = []
    for _, lines in ends:
        line = json.loads(lines.readline())
        while "granted" not in line and "refused" not in line:
            line = json.loads(lines.readline())
        said.append("granted" in line)
    assert sorted(said) == [False, True], said
    for end, lines in ends:
        lines.close()
        end.close()
END
}

@test "when the server goes, what waits for a message ends with 7, at once" {
    local tool never
    while read -r tool never; do
        serve "$tool" "$tool" -l sim:
        server=$pid
        "$tool" -v wait "$never" >waiter.said 2>&1 3>&- &
        waiter=$!
        until grep -q -- '<-' waiter.said; do sleep 0.02; done
        kill -9 "$server"
        wait "$server" || true
        wait $waiter && false || same "$?" 7
    done <<'END'
canpid lknee.torque > 9999
ezphys hinge.displacement > 9999
END
}

@test "a client that floods, one that says half a line, many that say nothing: a stop comes through" {
    serve s hidmotor -l sim: --deadman 20s
    timeout 60 python3 - "$(place hidmotor)" "$pid" "${WITHIN:-1000}" <<'END'
import os, socket, sys, time
def come():
    end = socket.socket(socket.AF_UNIX)
    end.connect(sys.argv[1])
    return end
idle = []
try:
    for _ in range(700):
        idle.append(come())
except OSError:
    pass
half, flood, mover = idle[0], idle[1], idle[2]
half.sendall(b"x" * 60000)
flood.setblocking(False)
def pour():
    try:
        while True:
            flood.send(b"status\n" * 1000)
    except (BlockingIOError, ConnectionError):  # who reads no answers is cut off
        pass
mover.sendall(b"velocity 5 0 0\n")
mover.settimeout(20)
said = b""
while b'"done"' not in said:
    said += mover.recv(65536)
pour()
took = []
for _ in range(20):
    pour()
    begin = time.monotonic()
    one = come()
    one.settimeout(20)
    one.sendall(b"stop\n")
    said = b""
    while b'"done"' not in said:
        got = one.recv(65536)
        assert got, said
        said += got
    took.append(time.monotonic() - begin)
    one.close()
with open(f"/proc/{sys.argv[2]}/status", encoding="ascii") as file:
    memory = next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024
print(f"# stops in {1e3 * sorted(took)[10]:.1f} ms, at most {1e3 * max(took):.1f}; {memory:.1f} MiB")
assert max(took) < float(sys.argv[3]) / 1e3, took
assert memory < 32 or "san" in os.readlink(f"/proc/{sys.argv[2]}/exe"), memory
END
}

@test "who was stopped by another one has to ask anew: a script ends with 3; with --keep-going the next motion asks, and says so" {
    serve s hidmotor -l sim:
    for keep in '' -k; do
        printf '%s\n' 'move 0 60 0 duration=30s --wait' 'move 0 10 0 duration=200ms --wait' |
            hidmotor $keep >said 2>&1 3>&- &
        script=$!
        until echo | talk 0.1 "$(place hidmotor)" | jq -e .commander >/dev/null; do :; done
        ok hidmotor -q stop
        wait $script && false || same "$?" 3
        has "$(<said)" "stopped by hidmotor (pid "
        if [ "$keep" ]; then
            has "$(<said)" "hidmotor: commands again"
            has "$(<said)" "move result=arrived"
        else
            hasnt "$(<said)" "move result=arrived"
        fi
    done
    # Between two lines, too.
    hidmotor < <(echo 'velocity 5 0 0'; sleep 20) >said 2>&1 3>&- &
    script=$!
    started+=("$script")
    until echo | talk 0.1 "$(place hidmotor)" | jq -e .commander >/dev/null; do :; done
    ok hidmotor -q stop
    wait_for s "stopped by hidmotor"
    for _ in {1..100}; do
        ! grep -q "stopped by hidmotor" said || break
        sleep 0.05
    done
    has "$(<said)" "stopped by hidmotor (pid "
}

# count TEXT FILE: 1 if the file has it, else 0.
count() { grep -c -m 1 -- "$1" "$2" || true; }

# tried TOOL WORDS WAY…: tune of a served device is ended so while it tries gains; the last gains
# that the device got are those that it had before: $kept.
tried() {
    local tool=$1 words=$2 way
    for way in "${@:3}"; do
        : >"$tool.err"
        # shellcheck disable=SC2086 # words
        "$tool" -v -l "$url" tune $words --yes 2>>"$tool.err" >/dev/null 3>&- &
        client=$!
        started+=("$client")
        becomes 1 count relay: "$tool.err"
        case $way in
        stop) ok "$tool" -q -l "$url" stop ;;
        take) ok "$tool" -q -l "$url" --take stop ;;
        *) kill "-$way" "$client" ;;
        esac
        wait "$client" && false || true
        becomes "$kept" last_gains
    done
}

@test "tune through a server: however it ends, the device has the gains that it had" {
    start arm hidmotor sim --listen "unix-listen:$D/arm" --drive pid
    local arm=$url
    last_gains() { hidmotor -q -l "unix:$D/arm" gains | grep '^m2 pid' | tr '\n' ' '; }
    start server hidmotor -l "$arm" serve --listen "unix:$D/server"
    kept=$(last_gains)
    tried hidmotor m2 KILL INT stop take
    end "$pid"
    start bus canpid sim --listen slcan:tcp-listen:0
    canpid -v -l "$url" serve --listen "unix:$D/can" >/dev/null 2>can.err 3>&- &
    started+=($!)
    becomes 1 count ready: can.err
    url=serve:$D/can
    last_gains() { grep -E -- '-> 04[123]#' can.err | tail -n 3 | sed 's/.*board=//' | sort | tr '\n' ' '; }
    kept="lknee value=0 controller=pos lknee value=0.0005 controller=pos lknee value=3 controller=pos "
    # by this alone: what a busy driver does not confirm a client says and ends; the server goes on
    tried canpid "-b lknee -c pos" KILL
}

# bats test_tags=plain
@test "of clients that come and go nothing is left: no process, no descriptor" {
    serve s hidmotor -l sim:
    files() { find "/proc/$pid/fd" -mindepth 1 | wc -l; }
    fewest() { for _ in {1..40}; do files && sleep 0.02; done | sort -n | head -n 1; } # one may be on its way out
    come() { for _ in {1..5}; do echo 'gripper open' | talk 0.3 "$(place hidmotor)" >>said; done; }
    come
    before=$(fewest)
    come
    same "$(jq -c 'select(.done) | .exit' said | sort | uniq -c | xargs)" "10 0"
    [ "$(fewest)" -le "$before" ]
    [ "$(ps --ppid "$pid" -o stat= | grep -c Z)" -le 1 ] # until something happens again
}

@test "with a DBC file of thousands of long names clients come in all the same, and stop" {
    python3 - >big.dbc <<'END'
print('VERSION ""\n\nBU_: HOST DEVICE')
for m in range(500):
    print(f"\nBO_ {1024 + m} A_MESSAGE_WITH_A_LONG_NAME_{m:03d}: 8 DEVICE")
    for s in range(16):
        print(f' SG_ a_signal_with_a_long_name_{s:02d} : {4 * s}|4@1+ (1,0) [0|15] "" HOST')
END
    serve big canpid -l sim: --dbc big.dbc
    true | talk 1 "$(place canpid)" >said
    [ "$(head -n 1 said | jq -r .serve)" = canpid ]
    [ "$(head -n 1 said | wc -c)" -lt 262144 ]
    ok canpid -q --dbc big.dbc setpoint 10deg --max-jump 90deg -b lknee -c pos
    ok canpid -q --dbc big.dbc stop
}
