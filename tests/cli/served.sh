#!/bin/bash
# A tool with a server between it and its simulator: stands in front of the tool where the suite is
# run with SERVED=TOOL. A command line with "-l sim:…" gets a server of that simulator of its own,
# and -l serve: in its place; all else goes to the tool as it is. Options that say what the device is
# (its wire) are told to the server, too.
#
#   served.sh PROGRAM [ARGUMENT…]
program=$1
shift
words=("$@")
about=()
at=-1
for ((i = 0; i < ${#words[@]}; i++)); do
    case ${words[i]} in
    serve | sim | -h | --help | --dry-run | list | config | complete | encode | decode | describe) at=-2 ;;
    --force) about+=(--force) ;; # what the server lets through is said to the server
    --wire | --sensors-layout) about+=("${words[i]}" "${words[i + 1]:-}") ;;
    -l | --link) [[ $at = -1 && ${words[i + 1]:-} == sim:* ]] && at=$((i + 1)) ;;
    esac
done
if [ "$at" -lt 0 ]; then exec "$program" "${words[@]}"; fi
url=${words[at]/time=virtual&/} # a server has real time
url=${url/[?&]time=virtual/}
place=$(mktemp -d "${TMPDIR:-/tmp}/served.XXXXXX")
mkfifo "$place/said"
"$program" serve -l "$url" "${about[@]}" --listen "unix:$place/s" >/dev/null 2>"$place/said" 3>&- 4>&- </dev/null &
server=$!
exec {said}<"$place/said"
until [[ ${line:-} == ready:* ]]; do
    if ! read -r line <&"$said"; then
        rm -rf "$place"
        exec "$program" "${words[@]}"
    fi
done
words[at]=serve:$place/s
trap '' INT TERM HUP
(trap - INT TERM HUP; exec "$program" "${words[@]}" {said}<&-) <&0
code=$?
kill $server
wait $server 2>/dev/null
rm -rf "$place"
exit $code
