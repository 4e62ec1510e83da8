# A device shared by an MQTT broker: a real one (mosquitto), on this machine.
load common

# broker [LINE…]: one with these lines of configuration; its port to $port, its id to $broker.
broker() {
    port=${port:-$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')}
    printf '%s\n' "listener $port 127.0.0.1" 'persistence false' 'set_tcp_nodelay true' \
        "${@:-allow_anonymous true}" >broker.conf
    mosquitto -c broker.conf >>broker.log 2>&1 3>&- &
    broker=$!
    started+=("$broker")
    for _ in {1..400}; do
        python3 -c "import socket; socket.create_connection(('127.0.0.1', $port))" 2>/dev/null && return
        sleep 0.05
    done
    cat broker.log && false
}

# shared [OPTION…]: a server of a simulated board at the broker; $at is where clients find it.
shared() {
    at=${at:-mqtt://127.0.0.1:$port/arm}
    start s hidmotor serve -l sim: --mqtt "$at" "$@"
    server=$pid
    wait_for s "ready: mqtt"
}

# sees FILTER FILE: such a line comes into the file, sooner or later.
sees() {
    for _ in {1..400}; do
        [ -z "$(jq -c "select($1)" "$2" 2>/dev/null)" ] || return 0
        sleep 0.05
    done
    cat "$2" && echo "never: $1" && false
}

sub() { mosquitto_sub -V 5 -p "$port" "$@"; }

# ask CORRELATION TEXT [OPTION…]: what a program of somebody else's does; all that is answered goes to the file
# answers, which `listen` fills.
ask() { mosquitto_pub -V 5 -p "$port" -t arm/cmd -q 1 -m "$2" -D publish response-topic arm/client/me \
    -D publish correlation-data "$1" "${@:3}"; }
listen() {
    sub -t arm/client/me >answers 3>&- &
    started+=($!)
    until [ -s answers ]; do # it has subscribed
        mosquitto_pub -V 5 -p "$port" -t arm/client/me -m '{"heard":true}'
        sleep 0.05
    done
}

@test "readers and a commander by a broker: the same outputs and exit codes as at the board" {
    broker
    shared
    ok hidmotor -q -l "$at" move 0 45 -30 --wait
    has "$output" "move result=arrived"
    ok hidmotor -q -l "$at" --csv status
    same "${lines[0]}" "$(hidmotor -q --no-attach -l "$fast" --csv status | head -n 1)"
    fails 6 hidmotor -q -l "$at" move 0 400 0
    has "$why" "shoulder: 400 deg is outside"
    ok hidmotor -q -l "$at" -j watch -n 4
    same "${#lines[@]}" 4
    has "$(sub -t arm/rx -C 1)" '"dir":"rx"'
    same "$(sub -t arm/status -C 1 | jq -c '[.status, .serve, .link]')" '["online","hidmotor","sim:"]'
    same "$(sub -t arm/lease -C 1)" '{"commander":null}'
    printf 'move 0 20 0\nmove 0 200 0\n' >script
    run -6 --separate-stderr hidmotor -q -l "$at" run script
    end "$server"
    same "$(sub -t arm/status -C 1)" '{"status":"offline"}'
    fails 4 hidmotor -q -l "$at" status
    has "$why" "no server is there"
}
