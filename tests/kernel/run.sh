#!/bin/bash
# Tests that need their own kernel: run.sh [TEST…] boots Debian's kernel in a VM, runs the tests
# t_TEST.sh (by default all) inside, and ends with "N passed, N failed".
#
#   ROUNDS=N              repetitions of random cases: t_teleop runs each 100 times with 25
#   BUILD=DIRECTORY       where libarmwire.a and bin/ are; build/ by default
#   ARMWIRE_KERNEL=skip   for machines without qemu support: reports that and succeeds
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$(realpath -m "${BUILD:-$top/build}")
export LC_ALL=C

give_up() {
    echo "check-kernel: $1" >&2
    echo "check-kernel: ARMWIRE_KERNEL=skip leaves these tests out" >&2
    echo "0 passed, 1 failed"
    exit 1
}

if [ "${ARMWIRE_KERNEL:-}" = skip ]; then
    echo "check-kernel: left out, because ARMWIRE_KERNEL=skip"
    echo "0 passed, 0 failed"
    exit 0
fi
[ -e "$build/libarmwire.a" ] || give_up "$build/libarmwire.a is not built: run make first"

# Builds their C programs. The VM sees the whole file system and runs them in place.
programs=$build/tests/kernel
mkdir -p "$programs" || give_up "cannot write $programs"
for source in "$here"/*.c; do
    "${CC:-cc}" -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -I"$top/lib" \
        -o "$programs/$(basename "$source" .c)" "$source" "$build/libarmwire.a" -Wl,--as-needed \
        -lserialport -lzstd -llz4 -lm ||
        give_up "$source does not compile"
done

out=$(mktemp -d) || give_up "no room for temporary files"
trap 'rm -rf "$out"' EXIT
[ $# -gt 0 ] || set -- "$here"/t_*.sh
for name; do
    name=$(basename "$name" .sh)
    [ -e "$here/t_${name#t_}.sh" ] || give_up "there is no test $name"
    echo "t_${name#t_}"
done >"$out/tests"
printf '%s\n' "$build/bin" "$programs" "${ROUNDS:-1}" >"$out/places"

"$here/boot.sh" "$here/guest.sh" "$out"
status=$?

passed=$(grep -c '^ok - ' "$out/results" 2>/dev/null)
failed=$(grep -c '^not ok - ' "$out/results" 2>/dev/null)
# The VM's exit status and the written results must agree.
if [ "$status" -ne 0 ] && [ "${failed:-0}" -eq 0 ]; then
    echo "check-kernel: the VM ended with status $status" >&2
    failed=1
fi
echo "${passed:-0} passed, ${failed:-0} failed"
[ "${failed:-0}" -eq 0 ] && [ "${passed:-0}" -gt 0 ]
