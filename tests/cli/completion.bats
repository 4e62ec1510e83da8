#!/usr/bin/env bats
# Completion: the command that the shells call, and the completion in each shell.
load common.bash

candidates() { armctl complete -- "$@" | cut -f 1 | xargs; }

@test "complete lists fields, wire variants, commands, and links with aliases, schemes and files" {
    same "$(canpid complete -- watch '' | cut -f 1 | sort | uniq -d)" ""
    same "$(canpid complete -- watch tor | cut -f 1 | xargs)" "torque ::files"
    same "$(canpid complete -- --sensors-layout '' | cut -f 1 | xargs)" "spec fw"
    same "$(unitysim complete -- --wire com | cut -f 1)" "compat38"
    same "$(canpid complete -- --nope reco | cut -f 1)" "record"
    fails_with 2 "--wire: unknown value 'long=8' — use spec or compat38" unitysim --wire long=8 encode camera_request
    config armctl '[link]' 'desk = sim:'
    has " $(candidates -l '') " " sim: "
    has " $(candidates -l '') " " @desk "
    has " $(candidates --link '') " " tcp: "
    same "$(candidates -l @)" "@desk ::files"
    prints "--board" canpid complete -- status -
    run -2 canpid -l "$fast" status -
}

@test "bash completes commands, arguments and option values" {
    armctl completion bash >armctl.bash
    bash -n armctl.bash
    cat >try <<'END'
for file in /usr/share/bash-completion/bash_completion; do [ ! -r $file ] || . $file; done
. ./armctl.bash
try() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMPREPLY=()
    _armctl armctl "${@: -1}" "${@: -2:1}" 2>/dev/null
    echo "${COMPREPLY[*]}"
}
try armctl de
try armctl encode deg jo
try armctl --time ''
try armctl -l si
complete -p armctl
END
    run -0 bash --norc -i try </dev/null
    same "$(grep -v -e '^bash:' -e job <<<"$output" | head -n 3)" \
        $'deg decode describe\njoint=\nnone abs rel delta iso'
    has "$output" "sim" "complete -F _armctl armctl"
}

@test "bash completes values after = and :, with and without the package bash-completion" {
    local package=/usr/share/bash-completion/bash_completion file
    for file in /dev/null "$package"; do
        [ -r "$file" ] || continue
        terminal <<<"
            launch bash --norc --noprofile -i
            type {PS1=REA''DY; . $file; for t in hidmotor canpid; do . <(\$t completion bash); done}
            type \r
            want READY
            type {hidmotor --color=al}; type \t; want {--color=always }
            type {-l si}; type \t; want {-l sim:}
            type { move mode=l}; type \t; want {mode=linear }
            type \025; type {canpid encode kp controller=to}; type \t; want {controller=tor }
            type {va}; type \t; want value=
            type {1 board=lknee}; type \r; want {041#} READY
            type exit\r; ends 0
            hasnt mode=mode; hasnt controller=controller; hasnt --color=--color; hasnt sim:sim:"
    done
}

@test "zsh completes commands, arguments, option values and files" {
    command -v zsh || skip "no zsh here"
    armctl completion zsh >_armctl
    zsh -n _armctl
    # The completion functions work only in zsh's line editor. These stubs print their arguments.
    cat >try <<'END'
compdef() { print -r -- "compdef $*" }
_describe() { print -rl -- "${(@)${(P)2}%%:*}" }
compadd() { shift 3; print -rl -- "$@" }
_files() { print files }
source ./_armctl
try() { words=("$@") CURRENT=$# _armctl }
try armctl de
try armctl encode deg jo
try armctl --time ''
try armctl run ''
END
    ok zsh -f try
    same "$(xargs <<<"$output")" \
        "compdef _armctl armctl deg decode describe joint= none abs rel delta iso files"
}

@test "fish completes commands, arguments and option values" {
    command -v fish || skip "no fish here"
    armctl completion fish >armctl.fish
    fish --no-execute armctl.fish
    ok fish --no-config -c 'source armctl.fish; complete -C "armctl de"
        complete -C "armctl encode deg jo"; complete -C "armctl --time "'
    same "$(cut -f 1 <<<"$output" | sort | xargs)" \
        "abs decode deg delta describe iso joint= none rel"
}

@test "completion prints a script with the tool's name for bash, zsh and fish, in every tool" {
    for tool in $tools; do
        for shell in bash zsh fish; do
            prints "$tool" $tool completion $shell
        done
    done
}

@test "complete offers joints, fields, named arguments and file types to the shells" {
    while IFS='|' read -r words want; do
        same "$words: $(${words%% *} complete -- ${words#* } | cut -f 1 | xargs)" "$words: $want"
    done <<'END'
hidmotor jog el|elbow
hidmotor gripper op|open
hidmotor move m|m1= m2= m3= mode=
canpid watch lknee.t|lknee.torque ::files
canpid -b lk|lknee
canpid setpoint 1deg --board rk|rknee
unitysim move el|elbow=
unitysim drive wrist|wrist_rotate= wrist_flex=
ezphys --scene humanoid motor left-k|left-knee
ezphys --scene pendulum watch hinge.d|hinge.displacement ::files
ezphys -l sim:humanoid --fields left-foot.position.|left-foot.position.x left-foot.position.y left-foot.position.z
armctl --fields an|angle
hidmotor watch --fields m1.position,m1.v|m1.position,m1.velocity
armctl help conf|config
armctl --config x|::files ini
armctl info x|::files pcapng mcap pcap log csv ndjson
armctl replay x|::files pcapng mcap pcap log asc
armctl run x|::files
armctl --record x|::files pcapng mcap
armctl plot --out x|::files svg png pdf gp
hidmotor play x|::files csv
armctl --format x|
END
}

@test "shells complete folders and files with the expected extension, or any file if none matches; the prompt completes any file" {
    mkdir -p here/folder
    touch here/a.csv here/b.csv here/c.txt
    hidmotor completion bash >hidmotor.bash
    cat >try <<'END'
. ./hidmotor.bash
try() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMPREPLY=()
    _hidmotor hidmotor "${@: -1}" "${@: -2:1}" 2>/dev/null
    echo "${COMPREPLY[*]}"
}
try hidmotor play here/
END
    run -0 bash --norc -i try </dev/null
    has "$output" "here/a.csv here/b.csv here/folder"
    hasnt "$output" c.txt
    terminal <<<'
        launch hidmotor -l sim:; want {sim:>}
        type {play here/}; type \t\t; want a.csv b.csv c.txt folder
        type \025; type {run here/c}; type \t; want c.txt
        type \025\004; ends 0'
    command -v zsh || return 0
    hidmotor completion zsh >_hidmotor
    cat >try <<'END'
compdef() { : }
_files() { print -r -- "files $@" }
source ./_hidmotor
words=(hidmotor play x) CURRENT=3 _hidmotor
words=(hidmotor run x) CURRENT=3 _hidmotor
END
    gives $'files -g *.(csv)\nfiles -g *' zsh -f try
    command -v fish || return 0
    hidmotor completion fish >hidmotor.fish
    ok fish --no-config -c 'source hidmotor.fish; complete -C "hidmotor play here/"'
    same "$(head -n 2 <<<"$output" | cut -f 1 | xargs)" "here/a.csv here/b.csv"
}
