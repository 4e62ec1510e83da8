#!/usr/bin/env bats
# The config file, environment variables and their precedence.
load common.bash

@test "config path and config show work with relative XDG variables and without HOME" {
    gives "$D/config/armwire/armctl.ini" armctl config path
    gives "" armctl config show
    has "$stderr" "no settings — use 'config show --all' to show the defaults"
    ok armctl config show --all
    matches "$(grep ^ack-timeout <<<"$output")" "ack-timeout * 2s * default"
    ok armctl -j config show --all
    jq -se 'all(has("option") and has("value") and has("from"))' <<<"$output"
    for variable in relative ./relative ''; do
        XDG_CONFIG_HOME=$variable gives "$D/.config/armwire/armctl.ini" armctl config path
    done
    XDG_STATE_HOME=relative ok unitysim -q -l 'sim:?time=virtual' limits set elbow 1800 2400
    XDG_CONFIG_HOME=relative fails 2 unitysim -l sim: camera use nowhere
    [ ! -e relative ]
    run -0 env -i PATH="$PATH" armctl -q -l "$fast" deg 1 90
    run -0 env -i PATH="$PATH" armctl config show
}

@test "config show prints set options with their source and the tool's sections" {
    printf '[link]\ndesk = sim:\n[options]\ntimeout = 2s\n' >all.ini
    printf '[teleop mine]\nenable = rightshoulder\n' >>all.ini
    for tool in $tools; do
        cp all.ini $tool.ini
        case $tool in
            armctl) printf '[joint base]\nindex = 1\n' >>$tool.ini ;;
            canpid) printf '[board wrist]\nid = 0x100\n' >>$tool.ini ;;
        esac
        ok $tool --config $tool.ini config show
        same "$(grep -cE "^(timeout|@desk|config|\[teleop mine\] enable) .*$tool.ini|command line$" <<<"$output")" 4
        same "$(wc -l <<<"$output")" "$(($([[ $tool =~ arm|can ]] && echo 5 || echo 4)))"
    done
    has "$(armctl --config armctl.ini config show)" "[joint base] index 1"
}

@test "the last value of a repeated option applies" {
    printf '[options]\ntimeout = 1s\n[link]\nx = sim:?nonsense=1\n' >first.ini
    printf '[options]\ntimeout = 2s\ntimeout = 3s\n[link]\nx = sim:?nonsense=1\nx = sim:\n' >last.ini
    for tool in $tools; do
        ok "$tool" --config first.ini config show --config=last.ini
        matches "$(grep ^timeout <<<"$output")" "timeout * 3s * last.ini"
        ok "$tool" --timeout 4s config show --timeout 5s
        matches "$(grep ^timeout <<<"$output")" "timeout * 5s * command line"
        prints "$(printf '@x\tsim:')" "$tool" --config first.ini complete -- --config last.ini -l @
        hasnt "$output" nonsense
    done
    fails 2 canpid --config first.ini encode kp -- --config last.ini # arguments after -- are not options
    has "$why" "'--config' has no value"
}

# Contains \e[31m, a window title, a carriage return and the eight-bit CSI.
evil=$'\e[31m\e]0;owned\a\r\xc2\x9b2J'

@test "control characters from files and devices never reach the terminal" {
    printf '[link]\nx = sim:%s\n[options]\nrecord = %s\n' "$evil" "$evil" >evil.ini
    # Without the carriage return, because line-based files that contain one are rejected.
    printf 't,m1,m2,m3\n0,0,0,%s\n' "${evil/$'\r'/}" >path.csv
    printf 'Joint,Motion Type,Position,Velocity,Tolerance,Delay (ms)\n%s,Auto,2135,45,10,0,\n' "${evil/$'\r'/}" >seq.csv
    printf '%s, 1, 2, 3, 4, 5, 6\n' "${evil/$'\r'/}" >views.csv
    printf '"%s"\n' "${evil/$'\r'/}" >commands # quoted, because an unquoted ; ends the command
    while read -r command; do
        run --separate-stderr $command
        echo "# $command: $stderr"
        has "$output$stderr" owned # proves that the file was read and printed
        hasnt "$output$stderr" $'\e' $'\a' $'\r' $'\xc2\x9b'
    done <<'END'
armctl --config evil.ini config show
armctl --config evil.ini -l @x ping
unitysim camera views --views views.csv
unitysim -l sim: play seq.csv
hidmotor -l sim: play path.csv
armctl run commands
END
}

# bats test_tags=long
@test "a named pipe without a writer is rejected in place of a file" {
    mkfifo pipe
    while read -r command; do
        echo "# $command"
        fails_with 2 "name a file, or a pipe whose other end is open" timeout -k 1 20 $command
    done <<'END'
hidmotor -q -l sim: play pipe
hidmotor -q -l sim: --packets pipe status
hidmotor -q -l sim: gains apply pipe
canpid -q -l sim: gains apply pipe
unitysim -q -l sim: play pipe
unitysim -q -l sim: --limits pipe move elbow=2300
unitysim -q -l sim: --views pipe camera views
unitysim -q -l sim: limits save pipe
ezphys -q -l sim: play pipe
ezphys --names pipe -q -l sim: status
END
    hidmotor -q -l sim: gains save gains
    ok hidmotor -q -l sim: gains apply <(sleep 0.1; cat gains) # the pipe has a writer
    ok unitysim -q limits save limits
    ok unitysim -q limits save >(cat >copy)
    becomes "$(cat limits)" cat copy
    mkdir -p state/armwire/armctl
    mkfifo state/armwire/armctl/history
    terminal <<<"
        launch armctl -l $fast; want {armctl/history is not a regular file} {armctl> }
        ask {deg 1 90} confirmed {armctl> }
        type \004; ends 0"
}

@test "a named joint can have its own limits" {
    config armctl '[options]' "link = $fast" \
        '[joint elbow]' 'index = 2' 'kind = rotate' 'min = -45' 'max = 90' 'signed = yes' \
        'home = 10'
    gives_json '[.joint,.angle,.result]' '[2,45,"confirmed"]' armctl -j deg elbow 45
    gives_json .angle -45 armctl -j deg 2 -45
    fails_with 6 "elbow" armctl deg elbow 91
    has "$why" 90
    fails 6 armctl deg elbow -46
    ok armctl --force deg elbow 91 --dry-run
    fails 2 armctl deg ebow 45
    fails 2 armctl pos elbow 45
    gives_json .angle 10 armctl -j home
}

@test "an invalid config line gives a warning and fails only commands that need it" {
    warns() { # warns LINE TEXT
        for words in help list 'config show' 'encode deg joint=1 angle=90' \
            'decode 30444547312C3039300D0A' "-q -l $fast stop" "-q -l $fast ping"; do
            ok armctl $words
            why=$(grep -v 'no serial port' <<<"$stderr")
            same "$(wc -l <<<"$why")" 1
            has "$why" "armctl: $D/config/armwire/armctl.ini:$1:1: " "$2"
        done
    }
    config armctl '[options]' 'retries = many'
    warns 2 "--retries"
    config armctl '[options]' '' 'colour = never'
    warns 3 "did you mean '--color'"
    config armctl '[options]' 'json = perhaps'
    warns 2 json
    ok armctl -q -l "$fast" deg 1 90 # the joints are still valid
    while IFS='|' read -r line text section key; do
        config armctl "$section" "$key"
        warns "$line" "$text"
        fails_with 2 "deg: $D/config/armwire/armctl.ini:$line:1: " armctl -q -l "$fast" deg 1 90
        ok armctl -q -l "$fast" --config /dev/null deg 1 90
    done <<'END'
2|rotate, translate or pulse|[joint elbow]|kind = slide
2|eleven|[joint elbow]|index = eleven
2|frobs|[joint elbow]|frobs = 2
2|use [link], [options], [teleop NAME] or [joint NAME]|[nonsense]|a = 1
2|invalid line — write [section]|[joint elbow]|just words
END
    config armctl '[options]' 'colour = never' 'json = yes' '[link]' "arm = $fast"
    run -0 --separate-stderr armctl -q -l @arm deg 1 90 # the rest of the file is used
    matches "$output" '{*"ok":true*'
}

@test "an invalid config value never prevents a stop and fails only commands that need it" {
    while IFS='|' read -r tool setting needs; do
        config "$tool" '[options]' '' "$setting"
        for words in "-q -l sim: stop" help list 'config show'; do
            remarks "$tool: $D/config/armwire/$tool.ini:3:1: " "$tool" $words
        done
        [ -z "$needs" ] && continue
        fails_with 2 "$D/config/armwire/$tool.ini:3:1: " "$tool" -q $needs
        rm "config/armwire/$tool.ini"
    done <<'END'
canpid|board = lkne|-l sim: setpoint 1 -c pos
canpid|board = lhip,lkne|-l sim: status
canpid|controller = posi|
canpid|sensors-layout = fx|encode joint board=lknee
unitysim|wire = specc|-l sim: status
unitysim|limits = /nope|-l sim: move elbow=2100
unitysim|views = /nope|
ezphys|wire = be322|-l sim: status
ezphys|wire = specc|decode 00
ezphys|names = /nope|-l sim: advance 1
ezphys|scene = nope|-l sim: advance 1
armctl|seq = 7|
armctl|version = yes|
hidmotor|help = yes|
hidmotor|timeout = 5x|
END
    # An option on the command line overrides the file. An invalid recording never prevents a stop.
    config canpid '[options]' 'board = lkne'
    ok canpid -q -l sim: -b lknee status
    ok canpid -q -l sim: encode setpoint board=lknee controller=pos value=1
    config canpid '[options]' 'record = /nope/x.pcapng'
    remarks "canpid.ini:2:1: --record: /nope/x.pcapng: No such file or directory" canpid -q -l sim: stop
    fails_with 2 "canpid.ini:2:1: --record: " canpid -q -l sim: status
    config canpid '[options]' 'link = @nope'
    fails_with 2 "canpid.ini:2:1: unknown alias '@nope'" canpid stop
    # Invalid output options (fields, format) do not affect help, list and config.
    config canpid '[options]' 'fields = zebra' 'format = %{'
    for words in help list 'config show'; do
        ok canpid $words
    done
    has "$output" "zebra"
}

@test "contradictory limits fail only commands that send them" {
    printf '[joint elbow]\nmin = 3000\nmax = 1000\n' >bad.ini
    for command in stop status; do
        run -0 --separate-stderr unitysim -q -l sim: --config bad.ini "$command"
    done
    fails 6 unitysim -q -l "$fast" --config bad.ini scene basic
}

@test "--config reads another file, but not in a script; if it is missing, deg fails and stop works" {
    printf '[options]\njson = yes\n' >other.ini
    prints_like "{*" armctl --config other.ini decode 30444547312C3039300D0A
    gives_json .path '"other.ini"' armctl --config=other.ini config path
    remarks "none.ini: No such file" armctl --config none.ini config path
    fails 2 armctl -q --config none.ini -l "$fast" deg 1 90
    remarks "none.ini: No such file" hidmotor -q --config none.ini -l "$fast" stop
    printf '[options]\ntimeout = 1s\n' >first.ini
    exits 2 canpid -q --config first.ini <<<'config show --config last.ini'
    has "$stderr" "--config is read only when canpid starts — give it on the command line"
    ok canpid -q --config first.ini <<<'config show --config first.ini'
}

@test "config example prints comments that are valid as a whole and key by key" {
    for tool in $tools; do
        ok $tool config example
        printf '%s\n' "$output" >example.ini
        same "$(grep -v '^#' example.ini | grep .)" $'[link]\n[options]'
        silent $tool --config example.ini config show
        # Uses every section except those with placeholders such as FILE.
        sed -nE 's/^# (\[[a-z]+ .*\]|[a-z0-9]+ = [^A-Z].*)$/\1/p; /^\[/p' example.ini >whole.ini
        silent $tool --config whole.ini config show
        while IFS= read -r key; do
            { sed -n '/^\[link\]/,/^\[options\]/p' example.ini && echo "$key"; } >one.ini
            silent $tool --config one.ini config show
        done < <(sed -n '/^\[options\]/,/^# \[/s/^# \([a-z-]* = [^A-Z].*\)/\1/p' example.ini)
    done
    armctl config example | sed -n '/\[joint/,/^# signed/s/^# \([[a-z].*\]\|[a-z]* = .*\)$/\1/p' >arm.ini
    ok armctl -q --config arm.ini -l "$fast" deg base 90
    fails 6 armctl -q --config arm.ini -l "$fast" deg base 181
    unitysim config example | sed -n '/\[joint/,/^# max/s/^# \([[a-z].*\]\|[a-z]* = .*\)$/\1/p' >bento.ini
    fails 6 unitysim -q --config bento.ini -l "$fast" move elbow=2600
}

@test "an endless or too long file is refused by --packets and --dbc, and ignored with a warning by --config" {
    head -c 17000000 /dev/zero | tr '\0' '\n' >long.ini
    for file in /dev/zero /dev/full long.ini; do
        for option in packets dbc; do
            fails 2 timeout "$patience" canpid -q --$option "$file" -l "$fast" status
            has "$why" "$file: not a regular file of at most 16 MiB"
        done
        exits 0 timeout "$patience" canpid -q --config "$file" -l "$fast" status
        has "$stderr" "$file: not a regular file of at most 16 MiB"
    done
    ok canpid -q --config /dev/null -l "$fast" status
}
