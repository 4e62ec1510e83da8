# The help, the manual pages and the README agree with each other and with the tools.
load common

# Removes markup, so that help and manual page can be compared.
bare() { sed -e 's/\\f[BR]//g; s/\\-/-/g; s/\\&//g; s/\\e/\\/g' -e "s/['\`]//g; s/ *$//"; }

@test "the manual page contains the whole help text" {
    for tool in $tools; do
        $tool help --as man >page
        matches "$(head -n 1 page)" ".TH ${tool^^} 1 *armwire*"
        sed 's/^\.[A-Z]* //' page | bare >bare
        for subject in $($tool complete -- help '' | cut -f 1); do
            title=${subject/exit-codes/exit-status} # the order of sections in man-pages(7)
            ok grep -qix "\.S[SH] ${title//-/[- ]}" page
            $tool help "$subject" | sed "/^[^ ]* — /d; s/^ *//; s/   */\n/" | bare | sed "s/^/$subject /"
        done >told
        LC_ALL=C awk -v tool="$tool" 'NR == FNR { page = page $0 "\n"; next }
            !index(page, substr($0, index($0, " ") + 1)) { print "man " tool " lacks text of a help topic: " $0; bad = 1 }
            END { exit bad || NR < 1000 }' bare told
        same "$(grep -c '^\.EX$' page)" "$(grep -c '^\.EE$' page)"
    done
    # Lines must not begin with a dot or quote, which would be a macro.
    ok armctl help --as man
    same "$(grep -v '^\.[A-Z][A-Z]*\>\|^\.br$' <<<"$output" | grep -c "^[.']")" 0
}

@test "every tool prints each help topic; docs/ and the man pages contain the same text for the topics they include" {
    for tool in $tools; do
        for topic in options links exit-codes units numbers fields records scripts config joints limits prompt views; do
            prints_like "*$topic — *" $tool help $topic
        done
        ok $tool help fields # each unit appears once
        same "$(grep -E 'in ([^ ]+), in \1$' <<<"$output")" ""
    done
    for topic in config records; do
        has "$(armctl help $topic --as md)" "# $topic — "
        # The page has another title, and links the page that the help names.
        has "$(sed -E 's/\[((safety|teleop)\.md)\]\([^)]*\)/`docs\/\1`/' "$root/docs/$topic.md")" \
            "$(armctl help $topic --as md | tail -n +2)"
    done
    for topic in records results fields units numbers exit-codes scripts; do
        has "$(<"$root/docs/man/armwire.7")" "$(armctl help $topic --as man)"
    done
    for tool in $tools; do
        has "$(<"$root/docs/man/armwire.5")" "$($tool help config --as man --tables)"
    done
}

@test "help shows examples, meaningful ranges and the tool's own links" {
    prints_no e+38 hidmotor help velocity
    prints "0 to 4294967295" hidmotor help send
    prints "target: linear, sinusoidal" hidmotor help move
    prints "advance [COUNT]" ezphys help advance
    prints "canpid decode -j '05F#80F8730806FF'" canpid help decode
    prints "hid:[VID:PID" hidmotor --help-all
    hasnt "$output" slcan
    fails_with 2 "'ack' is a message — see 'describe ack'" armctl help ack
    prints slcan hidmotor help links
    fails_with 2 "unknown option '--man'" hidmotor help --man
    fails_with 2 "did you mean 'watch'" hidmotor help watc
}

# bats test_tags=long
@test "help results lists the keys of every command's result, and --format accepts them" {
    for tool in $tools; do
        ok python3 "$BATS_TEST_DIRNAME/results.py" $tool
    done
    prints "x, y, z in mm" hidmotor help tip
}

@test "help --json is complete enough to generate the man page's usage of every command" {
    for tool in $tools; do
        ok python3 "$BATS_TEST_DIRNAME/help_json.py" $tool "$root/docs/man/$tool.1"
    done
    fails 2 armctl help config --json --csv
    gives_json '[.topic, (.text | startswith("# units"))]' '["units",true]' armctl help units -j
}

@test "the README command for the first motion of each tool succeeds" {
    while IFS='|' read -r command result; do
        has "$(<"$root/README.md")" "\$ $command"
        prints "$result" bash -c "$command"
    done <<'END'
armctl -q -l sim: deg 1 90|result=confirmed
hidmotor -q -l sim: move 0 45 -30 duration=500ms --wait|result=arrived
canpid -q -l sim: setpoint 10deg -b lknee -c pos --approach 10deg/s --verify|result=verified
unitysim -q -l 'sim:?time=virtual' move elbow=2300 hand=30deg|result=arrived
ezphys -q -l 'sim:?scene=pendulum' motor hinge 2 1000 --for 1s|velocity=2
END
}

@test "manual pages follow the section order of man-pages(7), and armwire(5) lists every key of [options]" {
    for tool in $tools; do
        same "$(grep -E '^\.SH (NAME|SYNOPSIS|OPTIONS|EXIT STATUS|FILES|EXAMPLES|SEE ALSO)$' "$root/docs/man/$tool.1" | xargs)" \
            ".SH NAME .SH SYNOPSIS .SH OPTIONS .SH EXIT STATUS .SH FILES .SH EXAMPLES .SH SEE ALSO"
    done
    for tool in $tools; do
        for key in $("$tool" help options | grep -o -- '--[a-z-]*' | sort -u | sed 's/^--//'); do
            config "$tool" '[options]' "$key = "
            run "$tool" list
            [[ $output == *"unknown option"* || $output == *"only on the command line"* ]] ||
                grep -qF ".B ${key//-/\\-} = " "$root/docs/man/armwire.5" || { echo "$tool: $key" && false; }
        done
    done
}

# screen COMMAND: prints the output on a terminal of 80 columns and 24 lines.
screen() { TERM=xterm script -qec "stty cols 80 rows 24; $1" /dev/null | tr -d '\r' | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g'; }

@test "--help fits one terminal page in every tool, and longer help goes through a pager" {
    for tool in $tools; do
        screen "$tool --help" >page
        [ "$(wc -l <page)" -le 24 ] || { cat page && false; }
        same "$(awk 'length > 80' page)" ""
        has "$(<page)" "$tool -l sim:"
        for command in $($tool complete -- help '' | cut -f 1); do
            ok grep -qw -- "$command" page
        done
        has "$(PAGER='sed s/^/paged:/' screen "$tool --help-all")" "paged:Exit codes"
        has "$(PAGER='sed s/^/paged:/' screen "$tool help watch")" "paged:Usage"
        has "$(PAGER='head -n 1' screen "$tool --help-all; echo ended with \$?")" "ended with 0"
        hasnt "$(PAGER='sed s/^/paged:/' screen "$tool --help-all | cat")" paged
    done
}
