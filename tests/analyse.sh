#!/bin/bash
# Analyses lib/ and cmd/ with cppcheck and clang-tidy. The enabled checks and the reasons are in .clang-tidy,
# for cppcheck below. Prints TAP.
#
#   tests/analyse.sh [FILE…]      default: all
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck disable=SC2046 # a list of files
[ $# -gt 0 ] || set -- $(git ls-files 'lib/*.c' 'cmd/*.c')
flags=(-D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Ilib -Ibuild/gen '-DAW_VERSION="0"')

# False positives of cppcheck, with the reason:
suppressions=(
    --suppress=missingIncludeSystem
    # out parameters that a called function fills entirely
    --suppress=uninitvar:lib/wire/encode.c
    # p ? p : old keeps the pointer whichever it is
    --suppress=memleak:lib/shell/look/plot_file.c
    # text[n] && n < MAX, where the text ends before the array does
    --suppress=arrayIndexThenCheck
)
cppcheck --quiet --std=c11 -j "$(nproc)" --enable=warning,performance,portability --inline-suppr \
    --error-exitcode=1 "${suppressions[@]}" "${flags[@]}" "$@" 2>&1 | sed 's/^/# /'
[ "${PIPESTATUS[0]}" = 0 ] && echo "ok 1 - cppcheck of $# files" || echo "not ok 1 - cppcheck"

make build/gen/scenes.inc build/gen/topics.inc build/gen/dissector.inc >/dev/null 2>&1
printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -I FILE sh -c '
    found=$(clang-tidy --quiet FILE -- -std=c11 "$@" 2>/dev/null | grep -vE "^[0-9]+ warnings")
    [ ! "$found" ] || { printf "%s\n" "$found" | sed "s/^/# /"; exit 1; }' sh "${flags[@]}"
[ $? = 0 ] && echo "ok 2 - clang-tidy of $# files" || echo "not ok 2 - clang-tidy"
echo 1..2
