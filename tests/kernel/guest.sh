#!/bin/bash
# Runs in the VM: runs the tests listed in /run/out/tests and writes their results to
# /run/out/results. Exit status: the number of failed tests, at most 99.
set -u
here=$(dirname "$0")
cd /run || exit 99
echo "kernel $(uname -r)"

# The kernel patches its network code when the first socket asks for timestamps and after the last one
# is closed. On qemu's other processor that patch may end in a panic, so one such socket stays open.
python3 -c 'import signal, socket
SO_TIMESTAMP = 29
holder = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
holder.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMP, 1)
signal.pause()' &
while read -r test; do
    echo "== $test"
    bash "$here/$test.sh" </dev/null
    ended=$?
    [ $ended -lt 128 ] || echo "not ok - $test: ended by signal $((ended - 128))" | tee -a out/results
done <out/tests
failed=$(grep -c '^not ok - ' out/results)
exit $((failed > 99 ? 99 : failed))
