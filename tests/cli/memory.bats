#!/usr/bin/env bats
# bats file_tags=long
# Makes each allocation of a command fail; memory.py lists the commands. Runs without sanitizers, which have their own
# allocator.
load common.bash

# runs NAME…: tries every failure of each command, in a directory with a capture.
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

@test "encode survives running out of memory" { runs encode encode-json; }
@test "decode and info survive running out of memory" { runs decode decode-json decode-csv decode-where info info-csv; }
@test "opening a link survives running out of memory" { runs open open-board open-faults open-capture; }
@test "watch and plot survive running out of memory" { runs watch watch-json plot plot-file; }
@test "record and replay survive running out of memory" { runs record replay; }
@test "custom packets in recordings and simulators survive running out of memory" {
    printf 'BO_ 1600 Battery: 2 BMS\n SG_ Voltage : 7|16@0+ (0.01,0) [0|600] "V" VCU\n' >bms.dbc
    printf '[packet mood]\nid = 42\nask = yes\nhue = f32 rad\n' >own.packets
    ok canpid -q -l "$fast" --dbc bms.dbc record own.pcapng --for 0.1s
    ok canpid -q -l "$fast" --dbc bms.dbc record own.csv --for 0.1s
    runs own-record own-send own-decode own-decode-table
}
@test "running out of memory stops a motion" { runs speed move drive step; }
