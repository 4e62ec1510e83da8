# Clients of a real MQTT broker (mosquitto) on this machine use a shared device.
load common

# broker [LINE…]: starts a broker with these configuration lines; sets $port and $broker (process id).
broker() {
    port=${port:-$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')}
    printf '%s\n' "listener $port 127.0.0.1" 'persistence false' "user $(id -un)" "${@:-allow_anonymous true}" >broker.conf
    background mosquitto -c broker.conf >>broker.log 2>&1
    broker=$client
    until python3 -c "import socket; socket.create_connection(('127.0.0.1', $port))" 2>/dev/null; do
        kill -0 "$broker" || { cat broker.log && false; }
        sleep 0.05
    done
}

# bridge [OPTION…]: starts armwire-mqtt for hidmotor with these options, at $at.
bridge() {
    at=${at:-mqtt://127.0.0.1:$port/arm}
    background armwire-mqtt "$at" -- hidmotor -q -l serve: "$@" 2>m.err
    bridge=$client
    says ready:
}

# says TEXT: waits until the bridge logs this text.
says() {
    local end=$((SECONDS + patience))
    while ((SECONDS < end)); do
        ! grep -qs -e "$1" m.err || return 0
        sleep 0.05
    done
    cat m.err && echo "never said: $1" && false
}

# shared [OPTION…]: starts a simulated board, its server and the bridge.
shared() {
    start s hidmotor serve -l sim:
    server=$pid
    bridge "$@"
}

# count TEXT: prints the number of answers that contain TEXT.
count() { grep -c -e "$1" me || true; }

pub() { mosquitto_pub -V 5 -p "$port" "$@"; }
sub() { exec mosquitto_sub -V 5 -p "$port" "$@"; } # call with &, so that $! is its process id

# send COMMAND [OPTION…]: publishes a command as the client $sender.
sender=me
send() { pub -t "arm/$sender/cmd" -q 2 -m "$@"; }

# alive: sends signs of life as the client $sender.
alive() {
    while sleep 0.1; do echo; done 3>&- | mosquitto_pub -V 5 -p "$port" -t "arm/$sender/cmd" -l 3>&- &
    started+=($!)
}

# listen [CLIENT]: saves the answers to CLIENT in the file CLIENT.
listen() {
    background sub -t "arm/${1:-me}/out" >>"${1:-me}"
    subscribes "${1:-me}" "arm/${1:-me}/out"
}

# subscribes FILE TOPIC [OPTION…]: waits until the subscriber that writes FILE receives messages on TOPIC.
subscribes() {
    until [ -s "$1" ]; do
        pub -t "$2" -m '{"heard":true}' "${@:3}"
        sleep 0.05
    done
}

m2() { hidmotor -q -j -l serve: status | jq '.m2.target'; }

# attended [OPTION…]: starts a broker, a simulated board, its server and the bridge, and listens to the answers.
attended() {
    broker
    shared "$@"
    listen
}

# moves: succeeds if the shoulder's setpoint changes. The measured velocity changes at rest, too.
moves() { [ "$(m2)" != "$(sleep 0.2; m2)" ]; }

@test "commands, results, records and the online status pass through the broker" {
    attended --deadman 5s
    same "$(sub -t arm/status -C 1)" '{"status":"online"}'
    has "$(sub -t arm/rx -C 1)" '"dir":"rx"'
    alive
    send 'move 0 45 -30 duration=1s --wait'
    sees '.cmd == "move" and .result == "arrived"' me
    send '{"cmd":"move","m1":0,"m2":200,"m3":0}'
    sees '.error == "limit" and .exit == 6' me
    sees '.done and .exit == 6' me
    : >me
    send limits
    sees '.joint == "gripper"' me
    sees '.done and .exit == 0' me
    end "$bridge" 2>/dev/null || true
    same "$(sub -t arm/status -C 1)" '{"status":"offline"}'
}

@test "a client's commands run in order, and each answer has its correlation data" {
    broker
    shared --deadman 5s
    background sub -t arm/me/out -F '%D %p' >me
    subscribes me arm/me/out
    alive
    for i in 1 2 3; do send "move 0 ${i}0 0 duration=200ms --wait" -D publish correlation-data "c$i"; done
    until grep -q '^c3 {"done"' me; do sleep 0.05; done
    held_up "$(<me)"
    same "$(grep -o '^c. {"done":true,"exit":.' me | tr '\n' ' ')" \
        'c1 {"done":true,"exit":0 c2 {"done":true,"exit":0 c3 {"done":true,"exit":0 '
    same "$(sed -n 's/^c2 //p' me | jq -r 'select(.cmd) | .m2.target')" 20
}

@test "retained, repeated, expired, surplus and invalid commands are rejected with a reason" {
    broker
    listen
    pub -t arm/me/cmd -q 2 -r -m 'gripper open' # published before the bridge starts
    shared --deadman 5s
    becomes 1 count 'retained command refused'
    pub -t arm/me/cmd -q 2 -r -m 'gripper open'
    becomes 2 count 'retained command refused'
    pub -t arm/me/stop -q 2 -r -m x
    becomes 3 count 'retained command refused'
    send 'gripper open' -q 1
    sees '.why | strings | test("QoS 1 may deliver a command twice")' me
    pub -t arm/me/cmd -q 1 -m 'gripper 10' -D publish correlation-data 7
    sees '.cmd == "gripper" and .ok' me
    pub -t arm/me/cmd -q 1 -m 'gripper close' -D publish correlation-data 7
    sees '.why | strings | test("duplicate command")' me
    send $'status\ngripper close'
    sees '.why | strings | test("one line of text")' me
    send "$(printf 'x%.0s' {1..4001})"
    sees '.why | strings | test("longer than 4000")' me
    send 'gripper close' -D publish correlation-data "$(printf 'x%.0s' {1..65})"
    sees '.why | strings | test("longer than 64")' me
    alive
    send 'move 0 10 0 duration=2500ms --wait'
    send 'gripper close' -D publish message-expiry-interval 1
    sees '.why | strings | test("expired")' me
    send 'move 0 20 0 duration=20s --wait'
    for _ in {1..33}; do echo 'gripper close'; done | pub -t arm/me/cmd -q 2 -l
    sees '.why | strings | test("too many pending commands")' me
    send stop
    becomes 32 count 'dropped by a stop'
    same "$(jq -s 'map(select(.cmd == "gripper" and .ok)) | length' me)" 1
}

@test "a stop from the client, another client or an observer overtakes the queue and empties it" {
    attended --deadman 5s
    listen bob
    alive
    for stop in own JSON bob tool; do
        : >me
        send 'move 0 60 0 duration=20s --wait'
        send 'move 0 80 0 duration=20s --wait'
        until moves; do
            held_up "$(<me)"
            sleep 0.05
        done
        case $stop in
            own) send stop ;;
            JSON) send '{ "cmd": "stop" }' -q 1 ;;
            bob) pub -t arm/bob/stop -q 1 -n ;;
            tool) hidmotor -q stop >/dev/null ;;
        esac
        sees '.why | strings | test("dropped by a stop")' me
        sees '.cmd == "move" and .exit == 3' me
        sleep 0.3
        not moves
    done
    sees '.cmd == "stop" and .ok' bob
}

@test "the motion of a silent client is stopped after --deadman, unless it sends empty messages" {
    attended --deadman 1s
    send 'move 0 60 0 duration=20s --wait'
    sees '.exit == 3 and (.why | test("no input for [1-9]"))' me
    until moves; do
        send 'move 0 60 0 duration=20s' # repeats it if a stall of this machine stopped the motion
    done
    while moves; do sleep 0.05; done
    same "$(m2 | jq '. < 50')" true
    : >me
    alive
    send 'move 0 0 0 duration=2500ms --wait'
    sees '.result == "arrived"' me
}

# bats test_tags=long
@test "a second client takes over with --take, and the lease is released after its motion" {
    attended --deadman 20s
    listen you
    send 'velocity 0 1 0'
    sees '.cmd == "velocity" and .ok' me
    sender=you
    send 'move 0 10 0'
    sees '.error and (.why | test("has held the lease for .* --take"))' you
    send 'move 0 10 0 --take --wait duration=100ms'
    sees '.result == "arrived"' you
    tools() { ps -o args= --ppid "$bridge" | grep -c -e " -k "; }
    becomes 0 tools # both clients have released the lease, so their tools have ended
    hidmotor -q move 0 20 0
}

# bats test_tags=long
@test "the device stops if the commander is silent, or the broker or armwire-mqtt is killed or suspended" {
    timeout 240 python3 "$root/tests/cli/serve_kills.py" "$D" hidmotor "${SERVE_KILLS:-1}" --within "${WITHIN:-1000}" \
        --queue 0,20 mqtt-silent broker broker-stop gateway gateway-stop
}

@test "armwire-mqtt stops a client's motion when it ends or loses the broker" {
    broker
    shared --deadman 60s
    for end in KILL TERM broker held; do
        until moves; do
            send 'move 0 60 0 duration=60s' # repeats it if a stall of this machine stopped the motion
        done
        case $end in
            broker) kill -KILL "$broker" ;;
            held) # armwire-mqtt detects the loss while it publishes
                kill -STOP "$bridge"
                kill -KILL "$broker"
                sleep 0.3
                kill -CONT "$bridge"
                ;;
            *) kill -s "$end" "$bridge" ;;
        esac
        while moves; do sleep 0.05; done
        same "$(m2 | jq '. < 50')" true
        case $end in
            broker | held)
                says "connection to the broker lost"
                broker
                becomes 2 grep -c ready: m.err
                ;;
            *) bridge --deadman 60s ;;
        esac
        [ $end != broker ] || { end "$bridge" || true; bridge --deadman 60s; }
    done
}

@test "a restarted server is reported offline and online, and then accepts commands" {
    attended
    background sub -t arm/status >>status
    sees '.status == "online"' status
    end "$server"
    sees '.status == "offline"' status
    : >status
    send 'gripper open'
    sees '.done and .exit == 4' me
    start again hidmotor serve -l sim:
    sees '.status == "online"' status
    send 'gripper open'
    sees '.cmd == "gripper" and .ok' me
}

# bats test_tags=long
@test "waiting for broker acknowledgements does not delay a stop of six drivers" {
    broker
    start can canpid serve -l sim:
    background armwire-mqtt "mqtt://127.0.0.1:$port/bus" -- canpid -q -l serve: 2>m.err
    says ready:
    background sub -t bus/me/out >me
    subscribes me bus/me/out
    pub -t bus/me/stop -n
    sees '.cmd == "stop" and .result == "disabled"' me
}

@test "the password comes from a file or the environment, never from the command line" {
    mosquitto_passwd -c -b users robot metal 2>/dev/null
    broker "password_file $D/users" "allow_anonymous false"
    start s hidmotor serve -l sim:
    (umask 077; echo metal >right; echo wrong >wrong)
    refused() {
        background armwire-mqtt "$1" -- hidmotor -l serve: 2>m.err
        says "$2"
        kill $!
    }
    refused "mqtt://127.0.0.1:$port/arm" "the broker refused the connection: Not authorized"
    refused "mqtt://robot@127.0.0.1:$port/arm?password=wrong" "Not authorized"
    at=mqtt://robot@127.0.0.1:$port/arm?password=right bridge
    at=mqtt://127.0.0.1:$port/arm ARMWIRE_MQTT_USER=robot ARMWIRE_MQTT_PASSWORD=metal bridge
    fails_with 2 "password in the URL is visible" armwire-mqtt "mqtt://robot:metal@127.0.0.1:$port/arm" -- hidmotor
    chmod 644 right
    fails_with 2 "readable by other users" armwire-mqtt "mqtt://robot@127.0.0.1:$port/arm?password=right" -- hidmotor
    (umask 077; echo >empty)
    fails_with 2 "first line is empty" armwire-mqtt "mqtt://robot@127.0.0.1:$port/arm?password=empty" -- hidmotor
}

@test "TLS works with a private CA and refuses missing certificates" {
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
    has "$(sub -h 127.0.0.1 -t arm/rx -C 1 --cafile ca.pem --cert arm.pem --key arm.key)" '"dir":"rx"'
    for url in "mqtts://127.0.0.1:$port/arm?cert=$D/arm.pem&key=$D/arm.key" "mqtts://127.0.0.1:$port/arm?cafile=$D/ca.pem" \
        "mqtt://127.0.0.1:$port/arm"; do
        timeout 2 armwire-mqtt "$url" -- hidmotor -q -l serve: 2>m.err 3>&- || true
        not grep ready: m.err
        [[ $url != *cert=* ]] || grep "certificate verify failed" m.err
    done
    fails_with 2 "cafile: nothing: No such file" armwire-mqtt "mqtts://127.0.0.1:$port/arm?cafile=nothing" -- hidmotor
}

@test "an access list lets one user command and others observe and stop" {
    for user in robot alice bob eve; do
        touch users && mosquitto_passwd -b users $user $user 2>/dev/null
    done
    # Checks the list in docs/mqtt.md.
    sed -n '/^```acl$/,/^```$/{/^```/d;p}' "$root/docs/mqtt.md" >acl
    [ -s acl ]
    broker "password_file $D/users" "allow_anonymous false" "acl_file $D/acl"
    ARMWIRE_MQTT_USER=robot ARMWIRE_MQTT_PASSWORD=robot shared --deadman 20s
    background sub -t 'arm/+/out' -u robot -P robot >all
    as() { local user=$1; shift; pub -q 2 -u "$user" -P "$user" "$@" || true; }
    subscribes all arm/me/out -u robot -P robot
    for who in 'bob bob' 'bob alice' 'eve eve' 'eve alice' 'alice bob'; do
        set -- $who
        as "$1" -t "arm/$2/cmd" -m 'move 0 80 0'
    done
    as eve -t arm/eve/stop -n
    as alice -t arm/alice/cmd -m 'move 0 40 0 duration=20s'
    sees '.cmd == "move" and .ok' all
    same "$(jq -s 'map(select(.cmd)) | length' all)" 1
    as bob -t arm/bob/stop -n
    sees '.cmd == "stop" and .ok' all
    same "$(m2 | jq '. < 40')" true
    has "$(sub -t arm/rx -C 1 -u bob -P bob)" '"dir":"rx"'
    pub -u bob -P bob -t arm/status -r -q 1 -m '{"status":"offline"}' || true
    same "$(sub -t arm/status -C 1 -u bob -P bob)" '{"status":"online"}'
}

@test "invalid command lines are rejected" {
    exits 2 armwire-mqtt
    exits 2 armwire-mqtt mqtt://localhost/arm hidmotor
    exits 2 armwire-mqtt mqtt://localhost/arm --
    for url in http://localhost/arm localhost/arm mqtt://localhost mqtt://localhost/ mqtt://localhost/arm/ 'mqtt://localhost/arm/+' \
        mqtt://localhost:0x/arm 'mqtt://localhost/arm?color=red'; do
        fails_with 2 "armwire-mqtt: $url: " armwire-mqtt "$url" -- hidmotor
    done
    fails_with 2 "nothing: not found" armwire-mqtt mqtt://localhost/arm -- nothing
    exits 0 armwire-mqtt --help
    exits 0 armwire-mqtt --version
}
