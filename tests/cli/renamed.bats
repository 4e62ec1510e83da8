#!/usr/bin/env bats
# The words that had other names: an old one is refused and says the new one.

load common

# The rows of docs/CHANGES.md: tool, what was typed, what is typed now.
rows() {
    sed -n '/^### Words that are/,/^### Words that mean/p' "$root/docs/CHANGES.md" |
        sed -nE 's/^\| `([^`]*)` \| `([^`]*)`.* \| `([^`]*)`.* \|$/\1|\2|\3/p'
}

@test "every old word of docs/CHANGES.md says the new one" {
    while IFS='|' read -r tool old now; do
        # shellcheck disable=SC2086 # words
        fails 2 "$tool" -l sim: $old
        word=$now
        [[ $old == *--* ]] && word=--${now#*--}
        has "$why" "it is '${word%% *}' now"
        n=$((${n:-0} + 1))
    done < <(rows)
    same "$n" "$(sed -n '/^### Words that are/,/^### Words that mean/p' "$root/docs/CHANGES.md" | grep -c '^| `')"
}

@test "docs/CHANGES.md has every word that a tool's table has" {
    for tool in $tools; do
        while IFS='"' read -r _ old _ now _; do
            rows | grep -q "^$tool|.*$old.*|.*$now" || { echo "$tool: $old" && false; }
        done < <(sed -n '/struct aw_renamed renamed/,/{0}/p' "$root/cmd/$tool/tool.c" | grep '{"')
    done
}
