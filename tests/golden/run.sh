#!/bin/sh
# Runs the golden cases through the programs: run.sh [BIN] [TOOL...]. Prints differences; exit status 1 if
# there are any. Compares records as text, character by character.
set -u
here=$(cd "$(dirname "$0")" && pwd)
bin=${1:-$here/../../build/bin}
[ $# -gt 0 ] && shift
# shellcheck disable=SC2046 # names without blanks
[ $# -gt 0 ] || set -- $("$here/../tools.sh")
cases=0 bad=0

differs() { # why CASE EXPECTED GOT
    bad=$((bad + 1))
    printf '%s:%d: %s: %s\n  expected %s\n  got      %s\n' "$file" "$line" "$command" "$1" "$2" "$3"
}

# Options before the message, without --dir: they choose the wire in both directions.
wire_options() {
    options=
    shift
    while [ $# -gt 1 ]; do
        case $1 in
        --dir) shift 2 ;;
        --*) options="$options $1 $2" && shift 2 ;;
        *) break ;;
        esac
    done
}

check_refusal() {
    case $command in
    encode*) got=$("$bin/$tool" $command 2>&1 >/dev/null </dev/null) ;;
    *) got=$("$bin/$tool" $command "$bytes" 2>&1 >/dev/null </dev/null) ;;
    esac
    status=$?
    if [ "exit $status" != "$record" ] || [ "$(printf '%s\n' "$got" | wc -l)" != 1 ]; then
        differs refusal "$record, one line" "exit $status: $got"
    fi
}

check_case() {
    case $command in
    encode*)
        got=$("$bin/$tool" $command 2>&1 </dev/null)
        [ "$got" = "$bytes" ] || differs bytes "$bytes" "$got"
        ;;
    esac
    dir=${record#*\"dir\":\"}
    got=$("$bin/$tool" --json --time none decode $options --dir "${dir%%\"*}" "$bytes" 2>&1 </dev/null)
    [ "$got" = "$record" ] || differs record "$record" "$got"
}

check_file() { # arguments of $tool
    file=$1 line=0
    while IFS= read -r command; do
        line=$((line + 1))
        case $command in '' | \#*) continue ;; esac
        IFS= read -r bytes
        IFS= read -r record
        cases=$((cases + 1))
        wire_options $command
        case $record in
        exit*) check_refusal ;;
        *) check_case ;;
        esac
        line=$((line + 2))
    done <"$1"
}

for tool; do
    check_file "$here/$tool.txt"
    # Adds packet files, which must not change the tool's own messages.
    variable=$(echo "$tool" | tr '[:lower:]' '[:upper:]')_PACKETS
    export "$variable=$here/packets/$tool.packets"
    check_file "$here/$tool.txt"
    check_file "$here/packets/$tool.txt"
    unset "$variable"
done
echo "$cases golden cases, $bad differences"
[ "$cases" -gt 0 ] && [ "$bad" -eq 0 ]
