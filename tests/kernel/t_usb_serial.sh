#!/bin/bash
# A USB serial port (CDC ACM): the kernel's gadget on a virtual USB bus. /dev/ttyACM0 is the host's end; /dev/ttyGS0, a
# terminal without modem lines, is the device's end.
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
load configfs libcomposite dummy_hcd usb_f_acm cdc_acm

gadget=/sys/kernel/config/usb_gadget/arm
mount -t configfs none /sys/kernel/config
mkdir $gadget $gadget/strings/0x409 $gadget/functions/acm.0 $gadget/configs/c.1
echo 0x16c0 >$gadget/idVendor
echo 0x0483 >$gadget/idProduct
echo ARM0001 >$gadget/strings/0x409/serialnumber
echo "Test arm" >$gadget/strings/0x409/product
ln -s $gadget/functions/acm.0 $gadget/configs/c.1/
echo dummy_udc.0 >$gadget/UDC
for ((tries = 100; tries > 0; tries--)); do # there is no udev to wait for
    [ -e /dev/ttyACM0 ] && break
    sleep 0.1
done

check "USB serial links pass lines both ways, lock the port and set the modem lines" \
    timeout 100 "${programs:?}/serial_roundtrip" /dev/ttyACM0 /dev/ttyGS0 500 cdc_acm

"$programs/serial_roundtrip" --read /dev/ttyACM0 >unplug.log &
reader=$!
wait_for "^open" unplug.log
echo >$gadget/UDC
wait $reader
status=$?
cat unplug.log
check "a reader of an unplugged USB port exits 7" [ $status -eq 7 ]
check "a reader of an unplugged USB port reports the lost connection" grep -q "^/dev/ttyACM0: connection lost" unplug.log
check_fails 4 "port not found" "opening an unplugged USB port fails with 'port not found'" "$programs/serial_roundtrip" --open /dev/ttyACM0
