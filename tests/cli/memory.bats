#!/usr/bin/env bats
# bats file_tags=long
# Out of memory at any allocation of a command: memory.py has the commands. (The sanitizers have an
# allocator of their own, so this is for ordinary programs.)
load common.bash

# runs NAME…: each of them through all its failures, in a folder with a capture.
runs() {
    local name
    ok canpid -l "$fast" record capture.pcapng --for 0.2s
    printf '0,1,2\n1,2,3\n' >run.csv
    for name; do
        run python3 "$root/tests/cli/memory.py" "${BIN%/bin}/tests/memory" "$D" "$name"
        [ "$status" = 0 ] || { echo "$output" && false; }
        printf '# %s\n' "${lines[@]: -1}"
    done
}

@test "out of memory: encode" { runs encode encode-json; }
@test "out of memory: decode and info" { runs decode decode-json decode-csv decode-where info info-csv; }
@test "out of memory: opening a link" { runs open open-board open-faults open-capture; }
@test "out of memory: watch and plot" { runs watch watch-json plot plot-file; }
@test "out of memory: record and replay" { runs record replay; }
@test "out of memory: packets of files, in recordings and simulators" {
    printf 'BO_ 1600 Battery: 2 BMS\n SG_ Voltage : 7|16@0+ (0.01,0) [0|600] "V" VCU\n' >bms.dbc
    printf '[packet mood]\nid = 42\nask = yes\nhue = f32 rad\n' >own.packets
    ok canpid -q -l "$fast" --dbc bms.dbc record own.pcapng --for 0.1s
    ok canpid -q -l "$fast" --dbc bms.dbc record own.csv --for 0.1s
    runs own-record own-send own-decode own-decode-table
}
@test "out of memory: what moves is stopped" { runs speed move drive step; }
