#!/bin/bash
# Runs the golden cases with the programs in directory $1 as single commands, as a script of lines and as a script
# of JSON objects. The directory may be followed by tool names. prompt.bats types the cases at the prompt. Prints
# TAP.
set -u
cd "$(dirname "$0")/../golden" || exit 1
bin=$1
shift
# shellcheck disable=SC2046 # names without blanks
[ $# != 0 ] || set -- $(../tools.sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0 failed=0

verdict() { # STATUS NAME: prints one TAP line, with details from $work/why
    count=$((count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $count - $2"
    else
        failed=$((failed + 1))
        echo "not ok $count - $2"
        sed 's/^/# /' "$work/why"
    fi
}

# Splits FILE.txt into commands, bytes and records, one per line.
cases() {
    awk -v work="$work" '/^#/ || !NF { next }
        BEGIN { split("commands bytes records", name) }
        { print > (work "/" name[n++ % 3 + 1]) }
        END { exit n % 3 }' "$1"
}

# Prints the options of a command that decode needs, too.
decode_options() {
    local word previous='' options=()
    for word in $1; do
        case $previous in --wire | --sensors-layout) options+=("$previous" "$word") ;; esac
        previous=$word
    done
    echo "${options[@]}"
}

one_by_one() {
    local tool=$1 command bytes record dir found status
    while IFS=$'\t' read -r command bytes record; do
        read -r -a words <<<"$command"
        if [[ $record == "exit "* ]]; then
            if [[ ${words[0]} != encode ]]; then
                read -r -a frame <<<"$bytes"
                words+=("${frame[@]}")
            fi
            "$bin/$tool" "${words[@]}" >"$work/out" 2>"$work/err"
            status=$?
            echo "$command: exit $status, not ${record#exit }" >"$work/why"
            cat "$work/out" "$work/err" >>"$work/why"
            [ "$status" = "${record#exit }" ] && [ "$(wc -l <"$work/err")" = 1 ]
            verdict $? "$tool $command: $record"
            continue
        fi
        if [ "${words[0]}" = encode ]; then
            found=$("$bin/$tool" "${words[@]}" 2>&1)
            printf '%s\n%s\n' "$found" "$bytes" >"$work/why"
            [ "$found" = "$bytes" ]
            verdict $? "$tool $command"
        fi
        dir=rx
        [[ $record != '{"dir":"tx"'* ]] || dir=tx
        # shellcheck disable=SC2046 # lists of words
        "$bin/$tool" $(decode_options "$command") decode -j --dir $dir $bytes >>"$work/decoded" 2>&1
        printf '%s\n' "$record" >>"$work/expected"
    done < <(paste "$work/commands" "$work/bytes" "$work/records")
}

# Compares the records of all cases as JSON values, regardless of key order and number format.
compare_records() {
    jq -cS 'del(.t)' "$work/decoded" >"$work/found.sorted" 2>"$work/why"
    jq -cS . "$work/expected" >"$work/expected.sorted"
    diff "$work/expected.sorted" "$work/found.sorted" >>"$work/why"
    verdict $? "$1: $(wc -l <"$work/expected") records"
}

# Runs all encoding commands as one script and compares bytes, order and exit status.
as_script() {
    local tool=$1
    paste "$work/commands" "$work/bytes" "$work/records" | grep '^encode' >"$work/encodes"
    cut -f1 "$work/encodes" >"$work/script"
    awk -F'\t' '$3 !~ /^exit/ { print $2 }' "$work/encodes" >"$work/expected.bytes"
    "$bin/$tool" --keep-going <"$work/script" >"$work/out" 2>"$work/err"
    diff "$work/expected.bytes" "$work/out" >"$work/why"
    verdict $? "$tool: a script of $(wc -l <"$work/script") lines"
    same=$(grep -c "$(printf '\t')exit " "$work/encodes")
    wc -l "$work/err" >"$work/why"
    [ "$(wc -l <"$work/err")" = "$same" ]
    verdict $? "$tool: $same of them refused, one line each"
}

# Prints {"cmd":"encode","message":"deg","joint":"1",…} for each command without options.
as_json() {
    local tool=$1
    awk -F'\t' '$1 !~ / -/ && $3 !~ /^exit/' "$work/encodes" >"$work/plain"
    cut -f1 "$work/plain" | jq -Rc 'split(" ") | {cmd: .[0], message: .[1]} +
        ([.[2:][] | index("=") as $i | {(.[:$i]): .[$i+1:]}] | add)' >"$work/script"
    cut -f2 "$work/plain" >"$work/expected.bytes"
    "$bin/$tool" <"$work/script" >"$work/out" 2>"$work/err"
    { diff "$work/expected.bytes" "$work/out" && cmp "$work/err" /dev/null; } >"$work/why"
    verdict $? "$tool: a script of $(wc -l <"$work/script") JSON objects"
}

for tool in "$@"; do
    file=$tool.txt
    rm -f "$work"/*
    if ! cases "$file"; then
        echo "$file: not three lines a case" >"$work/why"
        verdict 1 "$tool"
        continue
    fi
    touch "$work/decoded" "$work/expected"
    one_by_one "$tool"
    compare_records "$tool"
    as_script "$tool"
    as_json "$tool"
done
echo "1..$count"
[ $failed = 0 ]
