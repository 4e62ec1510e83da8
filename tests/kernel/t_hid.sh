#!/bin/bash
# HID: boards made by uhid, which the kernel shows as /dev/hidraw nodes, under the real libhidapi;
# then hidmotor and its simulator on them.
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
hid_link=${programs:?}/hid_link
check_fails 4 "sudo modprobe uhid" "without the module it says what to do" "$hid_link" serve
load uhid hid-generic

# says WORDS COMMAND…: does its output have these words?
says() {
    local words=$1 text
    shift
    text=$("$@" 2>&1)
    [[ $text == *"$words"* ]] || { echo "# no \"$words\" in: $text" && false; }
}

# ended STATUS PID: did the background process end so?
ended() {
    wait "$2"
    local status=$?
    [ $status -eq "$1" ] || { echo "# exit $status instead of $1" && false; }
}

# start_board LOG KEYS: $board is its process, $url its link, $node its node.
start_board() {
    timeout 200 "$hid_link" serve "$2" >"$1" &
    board=$!
    wait_for "^ready" "$1"
    url=$(sed -n 's/^ready: //p' "$1")
    node=${url#hid:}
}

check_fails 4 "hid: no board found" "no board" "$hid_link" open hid:
start_board board.log "?serial=ARM0001"
check "uhid: makes a hidraw node" test -c "$node"
check "list shows it" says "$node hid:serial=ARM0001 16c0:0486 interface -1 page ff00" \
    "$hid_link" list
check "and that it is free" says "name 'Adafruit ItsyBitsy M4' holder '' ok" "$hid_link" list
check "it is chosen by itself" says "hid:16c0:0486:ARM0001" "$hid_link" open hid:
check "by its node" says "hid:16c0:0486:ARM0001" "$hid_link" open "$url"
check "by its serial number" says "hid:16c0:0486:ARM0001" "$hid_link" open hid:serial=ARM0001
check_fails 4 "there is: hid:serial=ARM0001" "and not by another" "$hid_link" open hid:serial=B
# Not root's right to everything, as for other users; without udev nobody changes the node.
plain=(setpriv --bounding-set=-dac_override,-dac_read_search "$hid_link")
chmod 0 "$node" /dev/uhid
check_fails 4 'KERNELS=="0003:16C0:0486.*", MODE="0660"' "not permitted: the rule for udev" \
    "${plain[@]}" open hid:
check "the list has it, too" says 'KERNELS=="0003:16C0:0486.*", MODE="0660"' "${plain[@]}" list
check_fails 4 "not permitted — run it with sudo" "uhid: not permitted" "${plain[@]}" serve
chmod 600 "$node" /dev/uhid
check "feature reports are refused" timeout 20 "$hid_link" feature "$node"
check "10000 transactions, none wrong, P50 and P99 within 1.5 of bare hidapi" \
    timeout 100 "$hid_link" compare 10000
first=$board
start_board second.log "?serial=ARM0002"
check_fails 4 "choose one: hid:serial=ARM0001, hid:serial=ARM0002" "two boards" \
    "$hid_link" open hid:
"$hid_link" read "$url" >read.log &
reader=$!
wait_for "^open" read.log
check "list shows who has it" says "holder 'hid_link (pid $reader)'" "$hid_link" list
kill $board
check "unplugging ends reading with 7" ended 7 $reader
check "and says so" grep -q "^hid:/dev/hidraw[0-9]*: the board is gone" read.log
check_fails 4 "no such device" "then it is gone" "$hid_link" open "$url"
kill $first
wait
