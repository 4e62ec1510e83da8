#!/bin/bash
# Runs in the VM: executes the tests listed in /run/out/tests and writes the results to /run/out/results. The exit
# status is the number of failed tests, at most 99.
set -u
here=$(dirname "$0")
cd /run || exit 99
echo "kernel $(uname -r)"

# Keeps a socket with timestamps open. The kernel patches its network code when the first such socket is opened
# and after the last one is closed; on qemu's other processor, this may cause a panic.
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
