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

# Splits a command into the options of the wire and the rest: a message with its fields, or bytes.
split() {
    options='' dir=''
    shift
    while :; do
        case $1 in
        --dir) dir="--dir $2" ;;
        --*) options="$options $1 $2" ;;
        *) break ;;
        esac
        shift 2
    done
    rest=$*
}

check_refusal() {
    case $command in
    encode*) got=$("$bin/$tool" $command 2>&1 >/dev/null </dev/null) ;;
    *) got=$("$bin/$tool" decode $options $dir "$rest" 2>&1 >/dev/null </dev/null) ;;
    esac
    status=$?
    if [ "exit $status" != "$result" ] || [ "$(printf '%s\n' "$got" | wc -l)" != 1 ]; then
        differs refusal "$result, one line" "exit $status: $got"
    fi
}

check_bytes() {
    got=$("$bin/$tool" $command 2>&1 </dev/null)
    [ "$got" = "$result" ] || differs bytes "$result" "$got"
}

check_record() { # BYTES RECORD
    dir=${2#*\"dir\":\"}
    got=$("$bin/$tool" --json --time none decode $options --dir "${dir%%\"*}" "$1" 2>&1 </dev/null)
    [ "$got" = "$2" ] || differs record "$2" "$got"
}

check_file() { # arguments of $tool
    file=$1 number=0
    while IFS= read -r command; do
        number=$((number + 1)) line=$number
        case $command in '' | \#*) continue ;; esac
        IFS= read -r result
        number=$((number + 1)) cases=$((cases + 1))
        split $command
        case $command:$result in
        *:exit\ *) check_refusal ;;
        encode*)
            check_bytes
            IFS= read -r record
            number=$((number + 1))
            check_record "$result" "$record"
            ;;
        *) check_record "$rest" "$result" ;;
        esac
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
