#!/bin/bash
# Compares recordings with the format authors' libraries. Run by hand, because it installs npm packages. Reads
# recordings of all tools with @mcap/core and @foxglove/rosmsg2-serialization and compares each field; shows devices
# with the client of @foxglove/ws-protocol. The last line is "N passed, N failed".
#
#   tests/mcap/npm.sh [COUNT [FILE.mcap…]]     COUNT messages from each device, by default 100000. Also compares the
#                                              values of info for other programs' bags (ros2/rosbag2 has twenty)
bags=()
for bag in "${@:2}"; do bags+=("$(realpath "$bag")"); done
cd "$(dirname "$0")/../.." || exit 1
count=${1:-100000} passed=0 failed=0 modules=build/npm
mkdir -p $modules && cp tests/mcap/*.mjs $modules && cd $modules || exit 1
[ -d node_modules/@foxglove/ws-protocol ] || {
    echo '{"private":true}' >package.json
    npm install --silent --ignore-scripts @mcap/core @mcap/support @foxglove/rosmsg @foxglove/rosmsg2-serialization \
        @foxglove/ws-protocol ws || exit 1
}
for tool in $(../../tests/tools.sh); do
    rm -f "$tool.mcap"
    if ../tests/mcap/make_frames "$tool" "$tool.pcapng" "$count" >"$tool.expected" &&
        ../bin/"$tool" -q -l "log:$tool.pcapng?speed=max" record "$tool.mcap" &&
        node read.mjs "$tool.mcap" "$tool.expected"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
    rm -f "$tool.pcapng" "$tool.expected" "$tool.mcap"
done
if [ ${#bags[@]} != 0 ]; then
    node bags.mjs ../bin/hidmotor "${bags[@]}" | tee bags.log
    passed=$((passed + $(grep -c '^ok' bags.log))) failed=$((failed + $(grep -c '^not ok' bags.log)))
fi
# One tool that sends unrequested, and one that answers.
for tool in canpid hidmotor; do
    : >said
    ../bin/"$tool" -q -l sim: serve --listen "unix:$PWD/socket" 2>served &
    server=$!
    until grep -qs ready: served; do sleep 0.05; done
    ../bin/"$tool" -q -l "serve:$PWD/socket" record - > >(
        exec ../bin/armwire-foxglove --port 0 --stop "../bin/$tool -q -l serve:$PWD/socket stop" 2>said) &
    recorder=$!
    for ((tries = 200; tries > 0; tries--)); do
        url=$(sed -n 's/^ready: \(ws:.*\)/\1/p' said)
        [ -z "$url" ] || break
        sleep 0.05
    done
    if node foxglove.mjs "$url" 200; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    kill $recorder $server
    wait
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
