#!/bin/bash
# By hand, as it takes packages from npm's registry: recordings of all tools, read by @mcap/core with
# @foxglove/rosmsg2-serialization, equal field by field. The last line is "N passed, N failed".
#
#   tests/mcap/npm.sh [COUNT]     messages from each device, 100000
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
echo "$passed passed, $failed failed"
[ $failed = 0 ]
