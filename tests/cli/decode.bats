#!/usr/bin/env bats
# Files that decode reads: logs and captures of any size, in each of their dialects.
load common.bash

@test "a log of many blocks loses no line" {
    python3 "$root/tests/cli/frames.py" 20000 >big.log
    ok canpid decode -j big.log
    same "${#lines[@]}" 20000
    same "$stderr" ""
    canpid decode -j <big.log | diff -q - <(canpid decode -j big.log)
}

@test "every dialect of a log says the same" {
    python3 "$root/tests/cli/frames.py" 100 >plain.log
    canpid decode -j plain.log >records
    sed 's/$/ R/' plain.log | canpid decode -j - | diff - records
    sed 's/$/\r/' plain.log | canpid decode -j - | diff - records
    sed 's/)/000)/' plain.log | canpid decode -j - | diff - records
    sed '1i # a comment' plain.log | canpid decode -j - | diff - records
    tr ABCDEF abcdef <plain.log | canpid decode -j - | diff - records
    sed 's/#\(..\)/#\1./' plain.log | canpid decode -j - | diff - records
    awk '{ split($3, f, "#"); d = f[2]; gsub(/../, " &", d)
           printf " %s  %s  %s   [6] %s\n", $1, $2, f[1], d }' plain.log |
        canpid decode -j - | diff - records
    cut -d ' ' -f 3 plain.log | canpid decode -j - | diff - <(canpid decode -j --time none plain.log)
}

@test "a damaged line is told, the others are decoded" {
    python3 "$root/tests/cli/frames.py" 5 | sed '3s/#../#X/' >bad.log
    run -5 --separate-stderr canpid decode bad.log
    same "${#lines[@]}" 4
    has "$stderr" "bad.log, line 3: "
}

@test "captures of another port need --port" {
    ezphys encode axis_force id=7 axis1=0.5 | sed 's/^/> /' |
        "$BIN/../tests/unit/test_pcapng" write ezphys one.pcapng
    ok ezphys decode one.pcapng
    matches "$output" "-> axis_force id=7 *"
    ok ezphys decode --port 47002 one.pcapng
    same "$output" ""
    fails 6 ezphys decode --port 70000 one.pcapng
}
