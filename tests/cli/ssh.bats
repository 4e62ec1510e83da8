#!/usr/bin/env bats
# The robot and the plot on different machines: ssh to a local sshd with temporary keys.
load common.bash

# server: starts sshd on a free port and configures "ssh lab".
server() {
    local port
    port=$(python3 -c 'import socket
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1])')
    ssh-keygen -q -t ed25519 -N '' -f "$D/host"
    ssh-keygen -q -t ed25519 -N '' -f "$D/key"
    cat >server <<END
ListenAddress 127.0.0.1:$port
HostKey $D/host
AuthorizedKeysFile $D/key.pub
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
PidFile none
SetEnv PATH=$BIN:/usr/bin:/bin XDG_CONFIG_HOME=$D XDG_STATE_HOME=$D
END
    cat >client <<END
Host lab
    HostName 127.0.0.1
    Port $port
    IdentityFile $D/key
    IdentitiesOnly yes
    BatchMode yes
    UserKnownHostsFile $D/known
    StrictHostKeyChecking no
    LogLevel ERROR
END
    [ "$(id -u)" != 0 ] || mkdir -p /run/sshd
    "$(PATH=$PATH:/usr/sbin:/sbin command -v sshd)" -D -f "$D/server" -E "$D/sshd.log" 3>&- &
    started+=("$!")
    until ssh -F client lab true 2>ssh.err || ! kill -0 "${started[0]}"; do :; done
}
lab() { ssh -F "$D/client" lab "$@"; }

@test "ssh lab hidmotor watch -j can be piped into hidmotor plot" {
    server
    lab hidmotor -q -l sim: watch -j --for 0.5s | hidmotor plot m1.position m1.setpoint --out run.svg
    ok grep -c '<path\|<polyline' run.svg
    lab "hidmotor -q -l 'sim:?time=virtual' watch -j -n 8" | jq -r .msg | sort -u >kinds
    same "$(xargs <kinds)" "positions velocities"
}

@test "commands through ssh return their exit status" {
    server
    run -0 lab hidmotor -q -l 'sim:?time=virtual' <<<$'gripper open\nmove 0 20 -10 --wait'
    has "$output" "result=arrived"
    run -6 lab hidmotor -q -l 'sim:?time=virtual' <<<'move 0 200 0'
}

@test "data and recordings from a remote machine are plotted and read locally" {
    server
    lab canpid -q -l sim: watch -j -n 30 | canpid plot lknee.torque --out torque.svg
    ok grep -c '<path\|<polyline' torque.svg
    lab canpid -q -l sim:?time=virtual record "$D/there.pcapng" -n 30
    lab cat "$D/there.pcapng" >here.pcapng
    gives_json .messages 30 canpid info -j here.pcapng
}

@test "two users command a remote server through ssh, one at a time" {
    server
    ssh -F "$D/client" lab timeout 60 hidmotor -q -l sim: serve --listen "unix:$D/arm" 2>said 3>&- &
    started+=("$!")
    until grep -qs ready: said; do sleep 0.05; done
    run -0 lab hidmotor -q -l "serve:$D/arm" move 0 20 -10 --wait
    has "$output" "result=arrived"
    lab hidmotor -q -l "serve:$D/arm" move 0 60 0 duration=60s --wait 2>mine 3>&- &
    mover=$!
    until lab hidmotor -q -j -l "serve:$D/arm" status | jq -e .commander >/dev/null; do :; done
    exits_with 1 "has held the lease for" lab hidmotor -q -l "serve:$D/arm" move 0 10 0
    run -0 lab hidmotor -q -l "serve:$D/arm" stop
    wait "$mover" && false || same "$?" 3
    lab hidmotor -q -l "serve:$D/arm" move 0 60 0 duration=60s --wait 2>mine 3>&- &
    mover=$!
    until lab hidmotor -q -j -l "serve:$D/arm" status | jq -e .commander >/dev/null; do :; done
    run -0 lab hidmotor -q -l "serve:$D/arm" --take move 0 10 0 --wait
    has "$output" "result=arrived"
    wait "$mover" && false || same "$?" 3
}

@test "commands reach a server through a socket forwarded by ssh -L, and a lost connection stops the motion" {
    server
    ssh -F "$D/client" lab timeout 60 hidmotor -q -l sim: serve --listen "unix:$D/arm" 2>said 3>&- &
    started+=("$!")
    until grep -qs ready: said; do sleep 0.05; done
    forward() {
        rm -f here
        ssh -F "$D/client" -N -L "./here:$D/arm" lab 3>&- &
        forward=$!
        started+=("$forward")
        until [ -S here ]; do sleep 0.05; done
    }
    # The command in docs/sharing.md returns once the socket works, and replaces an existing socket.
    for _ in 1 2; do
        ok ssh -F "$D/client" -fN -o ExitOnForwardFailure=yes -o StreamLocalBindUnlink=yes \
            -L "$PWD/here:$D/arm" lab >/dev/null 2>&1 3>&-
        ok hidmotor -q -l serve:here status
        pkill -KILL -f -- "-L $PWD/here:$D/arm"
        [ -S here ]
    done
    m2() { hidmotor -q -j -l "serve:$D/arm" status | jq .m2.target; }
    moves() { [ "$(m2)" != "$(sleep 0.2; m2)" ]; }
    commanded() { hidmotor -q -j -l "serve:$D/arm" status | jq -e .commander >/dev/null; }
    forward
    prints "result=arrived" hidmotor -q -l serve:here move 0 20 -10 --wait
    hidmotor -q -l serve:here record run.pcapng -n 20 >/dev/null
    has "$(hidmotor info run.pcapng)" "messages="
    fails 6 hidmotor -q -l serve:here move 0 400 0
    for how in KILL STOP; do
        hidmotor -q -l serve:here move 0 80 0 duration=20s --wait 2>mine 3>&- &
        mover=$!
        until commanded && moves; do sleep 0.05; done
        kill -s "$how" "$forward"
        for _ in {1..100}; do
            moves || break
            sleep 0.05
        done
        not moves
        kill -KILL "$forward" 2>/dev/null || true
        wait "$mover" && false || same "$?" 7
        while commanded; do sleep 0.05; done
        ok hidmotor -q -l "serve:$D/arm" move 0 0 0 --wait
        forward
    done
}
