#!/usr/bin/env bats
# Runs the golden cases as a script of lines and as a script of JSON objects. tests/golden/run.sh runs them as single
# commands, and prompt.bats types some at the prompt.
load common.bash

# golden TOOL: requires the same bytes in the same order, and one line for each refused command.
golden() {
    local refused
    refused=$(awk '/^encode/ {
            command = $0; getline
            print command > "script"
            if (/^exit/) { refused++; next }
            print > "bytes"
            if (command !~ / -/) { print command > "plain"; print > "plain.bytes" }
        }
        END { print refused }' "$root/tests/golden/$1.txt")
    [ "$(wc -l <plain)" -ge 9 ]
    [ "$refused" -gt 0 ]
    "$1" --keep-going <script >out 2>err && false || true
    diff bytes out
    same "$(wc -l <err)" "$refused"
    # Prints {"cmd":"encode","message":"deg","joint":"1",…} for each command without options.
    jq_itself -Rc 'split(" ") | {cmd: .[0], message: .[1]} +
        ([.[2:][] | index("=") as $i | {(.[:$i]): .[$i+1:]}] | add)' plain >objects
    "$1" <objects >out 2>err
    diff plain.bytes out
    same "$(<err)" ""
}

@test "armctl gives the golden bytes for scripts of lines and JSON objects" { golden armctl; }
@test "hidmotor gives the golden bytes for scripts of lines and JSON objects" { golden hidmotor; }
@test "canpid gives the golden bytes for scripts of lines and JSON objects" { golden canpid; }
@test "unitysim gives the golden bytes for scripts of lines and JSON objects" { golden unitysim; }
@test "ezphys gives the golden bytes for scripts of lines and JSON objects" { golden ezphys; }
