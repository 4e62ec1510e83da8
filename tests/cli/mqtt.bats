# A device shared by an MQTT broker: a real one (mosquitto), on this machine.
load common

# broker [LINE…]: one with these lines of configuration; its port to $port, its id to $broker.
broker() {
    port=${port:-$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')}
    printf '%s\n' "listener $port 127.0.0.1" 'persistence false' "user $(id -un)" "${@:-allow_anonymous true}" >broker.conf
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
    [[ $url == mqtt* ]] || wait_for s "ready: mqtt" # which of the two is ready first is open
}

# sees FILTER FILE: such a line comes into the file, sooner or later.
sees() {
    for _ in {1..400}; do
        [ -z "$(jq -c "select($1)" "$2" 2>/dev/null)" ] || return 0
        sleep 0.05
    done
    cat "$2" && echo "never: $1" && false
}

sub() { exec mosquitto_sub -V 5 -p "$port" "$@"; } # in a process of its own: what is ended by $! is it

# ask CORRELATION TEXT [OPTION…]: what a program of somebody else's does; all that is answered goes to the file
# answers, which `listen` fills, or elsewhere ($to).
ask() {
    mosquitto_pub -V 5 -p "$port" -t arm/cmd -q 1 -m "$2" -D publish response-topic "${to:-arm/client/me}" \
        -D publish correlation-data "$1" "${@:3}"
}
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

@test "a broker that waits for acknowledgements, as each one does unasked, delays no frame: six drivers are disabled in time" {
    broker
    start can canpid serve -l sim: --mqtt "mqtt://127.0.0.1:$port/bus"
    [[ $url == mqtt* ]] || wait_for can "ready: mqtt"
    ok canpid -q -l "mqtt://127.0.0.1:$port/bus" stop
    has "$output" "stop result=disabled"
}

# answer CORRELATION: the last answer to it, once there is one.
answer() {
    sees ".id == \"$1\" and .done" answers >/dev/null
    jq -c "select(.id == \"$1\" and .done == null)" answers | tail -n 1
}

@test "commands of other programs: plain or JSON, answers with their id and correlation data" {
    broker
    shared
    listen
    ask 1 'gripper open'
    same "$(answer 1 | jq -c '[.cmd, .ok]')" '["gripper",true]'
    ask 2 '{"cmd":"move","m1":0,"m2":200,"m3":0}'
    same "$(answer 2 | jq -c '[.error, .exit]')" '["limit",6]'
    ask 3 '{"cmd":"watch","fields":["m1.position"],"rate":"20Hz","id":"w"}'
    sees '.id == "w" and .msg == "positions"' answers
    ask 4 'stop'
    answer 4
    ask 5 'release'
    sees '.id == "5" and .done == "release"' answers
    # The correlation data comes back beside the answers, and nothing but these.
    ok mosquitto_rr -V 5 -p "$port" -t arm/cmd -e arm/client/you -m 'gripper open' -D publish correlation-data you -F '%D %p'
    matches "$output" 'you {"id":"you",*"msg":"gripper"*'
}

@test "retained, doubled, late, expired, or from nowhere: never carried out, refused with a reason" {
    broker
    listen
    ask old 'gripper open' -r # before there is a server
    shared --deadman 20s
    sees '.error == "refused" and (.why | test("retained"))' answers
    ask kept 'gripper open' -r
    becomes 2 grep -c "a retained command is refused" answers
    ask 1 'gripper open'
    answer 1
    ask 1 'gripper close'
    sees '.why | strings | test("came twice")' answers
    ask 2 'gripper close' -D publish user-property clock \
        "$(python3 -c 'import time; print(int(time.monotonic() * 1000) - 30000)')"
    has "$(answer 2)" "under way"
    ask 3 stop -D publish user-property clock 1 # which never comes too late
    same "$(answer 3 | jq -c '[.cmd, .ok]')" '["stop",true]'
    ask 4 'move 0 10 0 duration=2500ms --wait'
    ask 5 'gripper close' -D publish message-expiry-interval 2
    has "$(answer 5)" "expired"
    mosquitto_pub -V 5 -p "$port" -t arm/cmd -m 'gripper close'
    wait_for s "without a response topic"
    to=arm/cmd ask 6 'gripper close'
    mosquitto_pub -V 5 -p "$port" -t arm/cmd -m 'gripper close' -D publish response-topic arm/client/me
    sees '.why | strings | test("without correlation data")' answers
    ask 7 $'status\ngripper close'
    sees '.why | strings | test("one line")' answers
    ask 8 '{"cmd":'
    sees '.why | strings | test("JSON object")' answers
    # Not by a last word, nor by a first one, is a motion a stop.
    ask 9 'gripper close stop' -D publish user-property clock 1
    has "$(answer 9)" "under way"
    ask 10 'gripper close; stop' -D publish user-property clock 1
    sees '.id == "10" and (.why | strings | test("under way"))' answers
    ask 11 '{"cmd":"gripper","value":"stop"}' -D publish user-property clock 1
    has "$(answer 11)" "under way"
    # Of all these, one has moved the gripper.
    same "$(jq -s 'map(select(.cmd == "gripper" and .ok)) | length' answers)" 1
}

@test "s on the screen of a watch by a broker stops what another program moves" {
    broker
    shared
    hidmotor -q -j -l "$at" move 0 80 0 duration=60s --wait >moved 2>/dev/null 3>&- &
    local mover=$!
    started+=("$mover")
    TERM=xterm terminal 100 <<<"
        launch hidmotor -l $at watch
        want {s STOP}
        while {[catch {exec jq -e -s {.[0].m2.target > 0} << [exec hidmotor -q -j -l $at status]}]} {}
        type s
        want {stop result=confirmed}
        type q
        ends 0"
    wait "$mover" && false
    same "$(jq -r 'select(.cmd) | .result + " " + .error' moved)" "stopped stopped"
}

@test "two commanders and ten readers: one commands, --take takes over, all see it" {
    broker
    shared
    for i in {1..10}; do
        sub -t arm/rx -C 3 >"reader$i" 3>&- &
        readers+=($!)
    done
    sub -t arm/lease >leases 3>&- &
    started+=($!)
    sees '.commander == null' leases
    mkfifo lines
    hidmotor -l "$at" <lines >mine 2>&1 &
    first=$!
    started+=("$first")
    exec 7>lines
    echo 'velocity 5 0 0' >&7 # and is silent, but there
    sees '.commander.program == "hidmotor"' leases
    fails 1 hidmotor -q -l "$at" move 0 10 0
    matches "$why" "hidmotor: hidmotor (pid $first, *@*) has commanded for * s — wait, or take it over with --take; a stop is anybody's"
    fails 1 hidmotor -q move 0 10 0 # on the server's machine
    ok hidmotor -q -l "$at" status
    ok hidmotor -q -l "$at" move 0 10 0 --take --wait
    becomes 1 grep -c "has taken over" mine
    ok hidmotor -q -l "$at" move 0 20 0 duration=20s # it goes on, and whoever commands is gone in order
    ok hidmotor -q -l "$at" stop
    exec 7>&-
    wait "$first" "${readers[@]}"
    becomes '{"commander":null}' tail -n 1 leases
}

@test "who may come: the password from a file or the environment, and never from the command line" {
    mosquitto_passwd -c -b users alice secret 2>/dev/null
    mosquitto_passwd -b users robot metal 2>/dev/null
    broker "password_file $D/users" "allow_anonymous false"
    at=mqtt://robot@127.0.0.1:$port/arm
    ARMWIRE_MQTT_PASSWORD=metal shared
    fails 4 hidmotor -q -l "mqtt://127.0.0.1:$port/arm" status
    has "$why" "the broker refuses: Not authorized"
    (umask 077; echo secret >right; echo wrong >wrong)
    fails 4 hidmotor -q -l "mqtt://alice@127.0.0.1:$port/arm?password=wrong" status
    has "$why" "the broker refuses: Not authorized"
    ok hidmotor -q -l "mqtt://alice@127.0.0.1:$port/arm?password=right" status
    ARMWIRE_MQTT_USER=alice ARMWIRE_MQTT_PASSWORD=secret ok hidmotor -q -l "mqtt://127.0.0.1:$port/arm" status
    fails 2 hidmotor -q -l "mqtt://alice:secret@127.0.0.1:$port/arm" status
    has "$why" "could read a password in a URL"
    chmod 644 right
    fails 2 hidmotor -q -l "mqtt://alice@127.0.0.1:$port/arm?password=right" status
    has "$why" "others may read it"
    fails 2 hidmotor -q serve -l sim: --listen unix:other --mqtt "mqtt://alice@127.0.0.1:$port/arm?password=right"
    has "$why" "others may read it"
    hidmotor -q serve -l sim: --listen unix:other --mqtt "mqtt://alice@127.0.0.1:$port/arm?password=wrong" \
        2>refused 3>&- &
    started+=("$!")
    until grep -q "the broker refuses: Not authorized" refused; do sleep 0.02; done
}

@test "TLS with a CA of one's own; without it, or without the client's certificate, nobody comes" {
    quietly() { "$@" 2>openssl.log || { cat openssl.log && false; }; }
    quietly openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key \
        -out ca.pem -days 2 -subj /CN=ours
    for name in broker arm; do
        quietly openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout $name.key \
            -out $name.csr -subj "/CN=$name"
        quietly openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out $name.pem \
            -extfile <(echo subjectAltName=IP:127.0.0.1)
    done
    broker 'allow_anonymous true' "cafile $D/ca.pem" "certfile $D/broker.pem" "keyfile $D/broker.key" \
        'require_certificate true'
    at="mqtts://127.0.0.1:$port/arm?cafile=$D/ca.pem&cert=$D/arm.pem&key=$D/arm.key"
    shared
    ok hidmotor -q -l "$at" status
    fails 4 hidmotor -q -l "mqtts://127.0.0.1:$port/arm?cert=$D/arm.pem&key=$D/arm.key" status
    has "$why" "certificate verify failed"
    fails 4 hidmotor -q -l "mqtts://127.0.0.1:$port/arm?cafile=$D/ca.pem" status
    fails 4 hidmotor -q -l "mqtt://127.0.0.1:$port/arm" status
    fails 2 hidmotor -q -l "mqtts://127.0.0.1:$port/arm?cafile=nothing" status
    has "$why" "cafile: nothing: No such file"
}

@test "an access list under which one user may command, and others look on" {
    for user in robot alice bob eve; do
        touch users && mosquitto_passwd -b users $user $user 2>/dev/null
    done
    # The list of docs/sharing.md.
    sed -n '/^```acl$/,/^```$/{/^```/d;p}' "$root/docs/sharing.md" >acl
    [ -s acl ]
    broker "password_file $D/users" "allow_anonymous false" "acl_file $D/acl"
    at=mqtt://robot@127.0.0.1:$port/arm
    ARMWIRE_MQTT_PASSWORD=robot shared
    at=mqtt://127.0.0.1:$port/arm
    export ARMWIRE_MQTT_USER=alice ARMWIRE_MQTT_PASSWORD=alice
    ok hidmotor -q -l "$at" move 0 10 0 --wait
    export ARMWIRE_MQTT_USER=bob ARMWIRE_MQTT_PASSWORD=bob
    fails 1 hidmotor -q -l "$at" move 0 10 0
    has "$why" "move: you may look on only"
    ok hidmotor -q -l "$at" status
    ok hidmotor -q -l "$at" watch -n 2 -j
    ok hidmotor -q -l "$at" stop # is anybody's
    export ARMWIRE_MQTT_USER=eve ARMWIRE_MQTT_PASSWORD=eve # of whom the list knows nothing
    fails 4 hidmotor -q -l "$at" status
    has "$why" "the broker refuses what is said there: Not authorized"
    has "$(sub -t arm/rx -C 1 -u bob -P bob)" '"dir":"rx"'
    has "$(sub -t arm/status -C 1 -u bob -P bob)" online
    mosquitto_pub -V 5 -p "$port" -u bob -P bob -t arm/status -r -q 1 -m '{"status":"offline"}' || true
    has "$(sub -t arm/status -C 1 -u bob -P bob)" online
}

@test "commander killed, stopped, cut off; broker killed, stopped; its way ended: the device stops" {
    timeout 120 python3 "$root/tests/cli/serve_kills.py" "$D" hidmotor "${SERVE_KILLS:-1}" --within "${WITHIN:-1000}" \
        mqtt-kill mqtt-stop mqtt-cut broker broker-stop gateway
}

@test "a broker that is killed in a motion and comes again: exit 7 for who moved, and all goes on" {
    broker
    shared
    hidmotor -q -l "$at" move 0 60 0 duration=20s --wait 2>mine &
    mover=$!
    becomes '"hidmotor"' sh -c "mosquitto_sub -V 5 -p $port -t arm/lease -C 1 | jq .commander.program"
    kill -9 "$broker"
    wait $mover && false || same "$?" 7
    matches "$(cat mine)" "*: the broker is gone — every motion by it is stopped"
    wait_for s "the broker is gone"
    fails 4 hidmotor -q -l "$at" status
    has "$why" "Connection refused"
    ok hidmotor -q status # on the server's machine
    broker
    wait_for s "ready: mqtt"
    ok hidmotor -q -l "$at" move 0 10 0 --wait
    # What was said before the server came is not kept for it.
    kill -9 "$server"
    wait "$server" || true
    becomes '"offline"' sh -c "mosquitto_sub -V 5 -p $port -t arm/status -C 1 | jq .status"
}

@test "the unit for systemd names the broker; a link by a broker in the config file; a signal stops" {
    ok hidmotor -l hid: serve --print-unit --mqtt mqtt://robot@hub/arm
    has "$output" '"--mqtt=mqtt://robot@hub/arm"'
    broker
    shared
    mkdir -p config/armwire
    printf '%s\n' '[link]' "arm = $at" >config/armwire/hidmotor.ini
    ok hidmotor -q -l @arm status
    hidmotor -q -l @arm move 0 60 0 duration=20s --wait 2>mine &
    mover=$!
    becomes '"hidmotor"' sh -c "mosquitto_sub -V 5 -p $port -t arm/lease -C 1 | jq .commander.program"
    kill "$mover"
    wait $mover && false || same "$?" 143
    ok hidmotor -q -l @arm move 0 10 0 --wait
}

@test "a client that is cut off while nothing moves: its place is free again" {
    broker
    shared
    mkfifo lines
    hidmotor -q -l "$at" <lines >mine 2>&1 3>&- &
    first=$!
    started+=("$first")
    exec 7>lines
    echo 'move 0 10 0 duration=100ms --wait' >&7
    until grep -q arrived mine; do sleep 0.05; done
    fails 1 hidmotor -q move 0 20 0
    way=$(cat /proc/$first/task/$first/children)
    # shellcheck disable=SC2086 # its armwire-mqtt, too
    kill -STOP $first $way
    becomes 0 sh -c 'hidmotor -q move 0 20 0 >/dev/null 2>&1; echo $?; sleep 0.1'
    # shellcheck disable=SC2086
    kill -KILL $first $way
    exec 7>&-
}
