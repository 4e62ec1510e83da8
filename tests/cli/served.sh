#!/bin/bash
# Puts a server between a tool and its simulator: replaces the tool if the suite runs with SERVED=TOOL. Starts a server
# for a command with "-l sim:…", and replaces the link by the server's; passes other commands unchanged. The server also
# gets options that describe the device, such as its wire.
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
    --force) about+=(--force) ;; # options that the server needs, too
    --wire | --sensors-layout) about+=("${words[i]}" "${words[i + 1]:-}") ;;
    -l | --link) [[ $at = -1 && ${words[i + 1]:-} == sim:* ]] && at=$((i + 1)) ;;
    esac
done
if [ "$at" -lt 0 ]; then exec "$program" "${words[@]}"; fi
url=${words[at]/time=virtual&/} # a server runs in real time
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
