#!/usr/bin/env bats
# One suite, one language: what holds for records, texts and errors of all five tools alike.

load common

@test "a place in a file is FILE:LINE:COLUMN, in scripts, pipes, recordings and tables" {
    printf '\n  nonsense\n' >moves
    for tool in $tools; do
        fails 2 $tool -q -l "$fast" run moves
        has "$why" "$tool: moves:2:3: no command 'nonsense'"
        fails 2 bash -c "$tool -q -l '$fast' <moves"
        has "$why" "$tool: stdin:2:3: no command 'nonsense'"
        run -2 --separate-stderr bash -c "$tool -q -j -l '$fast' <moves"
        matches "$(json .why)" "\"stdin:2:3: no command*"
        mkdir -p config/armwire
        printf '[options]\nnonsense = 1\n' >config/armwire/$tool.ini
        run -0 --separate-stderr $tool config show
        has "$stderr" "$tool.ini:2:1: no option '--nonsense'"
        rm config/armwire/$tool.ini
    done
    fails 2 bash -c "armctl -q -l '$fast' <<<'deg 1 frob'"
    has "$why" "stdin:1:7: angle: 'frob'"
    printf '041#9A99193F0200\n041#9A99Z93F0200\n' >bytes
    run -5 --separate-stderr canpid decode bytes
    has "$stderr" "bytes:2:9: 'Z' is no hex digit"
    printf '(1.0) can0 044#CDCC4C3D0200\n(1.1) can0 044#XX\n' >bad.log
    run -5 --separate-stderr canpid decode bad.log
    has "$stderr" "bad.log:2:16: 'X' is no hex digit"
    fails 5 canpid -l "$fast" replay bad.log
    has "$why" "bad.log:2:16: 'X' is no hex digit"
}

@test "describe -j is one object in one line" {
    for tool in $tools; do
        ok $tool -j describe
        same "${#lines[@]}" 1
        same "$(json .protocol)" "\"$tool\""
    done
}

@test "in a locale without UTF-8 every text is ASCII" {
    for locale in C POSIX; do
        for tool in $tools; do
            for words in help 'help watch' 'help decode' describe list 'config show' nonsense \
                "-l $fast --color perhaps list" 'plot' '-l nowhere: watch'; do
                # shellcheck disable=SC2086 # words
                LC_ALL=$locale $tool $words >text 2>&1 </dev/null || true
                [ -s text ]
                same "$(LC_ALL=C grep -n '[^ -~	]' text | head -n 1 || true)" ""
            done
        done
    done
}
