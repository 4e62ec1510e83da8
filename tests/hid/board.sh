#!/bin/bash
# board.sh DIRECTORY hidrawN VID:PID SERIAL PRODUCT [INTERFACE [PAGE [PORT]]]: a USB device with a
# HID interface as sysfs shows it, for umockdev's library (UMOCKDEV_DIRECTORY=… LD_PRELOAD=…).
# INTERFACE and PAGE (usage page) are 2 and FF00 if not given, PORT (of the USB bus) is N + 1.
# Interfaces of the same device have the same PORT.
set -eu
directory=$1 name=$2 id=${3^^} serial=$4 product=$5 interface=${6:-2} page=${7:-FF00}
number=${name#hidraw}
port=1-${8:-$((number + 1))}
usb=$directory/sys/devices/pci0000:00/0000:00:14.0/usb1/$port
hid=$usb/$port:1.$interface/0003:${id}.000$number
node=$hid/hidraw/$name

bytes() { printf "$(printf '\\x%s' "$@")"; }

mkdir -p "$node" "$directory/dev" "$directory/sys/class/hidraw" "$directory"/sys/bus/{usb,hid}
printf 'DEVTYPE=usb_device\n' >"$usb/uevent"
printf '%s\n' "${id%:*}" >"$usb/idVendor"
printf '%s\n' "${id#*:}" >"$usb/idProduct"
printf '0100\n' >"$usb/bcdDevice"
printf '%s\n' "$serial" >"$usb/serial"
printf 'Adafruit\n' >"$usb/manufacturer"
printf '%s\n' "$product" >"$usb/product"
printf 'DEVTYPE=usb_interface\n' >"$usb/$port:1.$interface/uevent"
printf '%02x\n' "$interface" >"$usb/$port:1.$interface/bInterfaceNumber"
printf 'HID_ID=0003:0000%s:0000%s\nHID_NAME=Adafruit %s\nHID_PHYS=usb/%s\nHID_UNIQ=%s\n' \
    "${id%:*}" "${id#*:}" "$product" "$port" "$serial" >"$hid/uevent"
bytes 06 "${page:2}" "${page:0:2}" 09 01 A1 01 09 02 15 00 26 FF 00 75 08 95 40 81 02 \
    09 03 15 00 26 FF 00 75 08 95 40 91 02 C0 >"$hid/report_descriptor"
printf 'MAJOR=240\nMINOR=%s\nDEVNAME=%s\n' "$number" "$name" >"$node/uevent"
printf '240:%s\n' "$number" >"$node/dev"
ln -rsfn "$directory/sys/bus/usb" "$usb/subsystem"
ln -rsfn "$directory/sys/bus/usb" "$usb/$port:1.$interface/subsystem"
ln -rsfn "$directory/sys/bus/hid" "$hid/subsystem"
ln -rsfn "$directory/sys/class/hidraw" "$node/subsystem"
ln -rsfn "$hid" "$node/device"
ln -rsfn "$node" "$directory/sys/class/hidraw/$name"
