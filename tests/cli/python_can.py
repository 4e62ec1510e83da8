"""Checks python-can as another program on the bus. python_can.py PATH: opens the slcan adapter at PATH, sends the
left knee the setpoint 22.5 deg (position), and reads until telemetry shows it and every board has sent its three
packets. Prints the result; exit status 1 on timeout."""
import struct
import sys
import time

import can

KNEE, SETPOINT, PID = 0x40, 4, 29
FULL_SCALE_DEG = 360


def main():
    wanted = {board + packet for board in range(0x20, 0xE0, 0x20) for packet in (29, 30, 31)}
    seen, shown, frames = set(), False, 0
    deadline = time.monotonic() + 20
    bus = can.Bus(interface="slcan", channel=sys.argv[1], bitrate=1000000, sleep_after_open=0)
    value = 22.5 / FULL_SCALE_DEG
    bus.send(can.Message(arbitration_id=KNEE + SETPOINT, is_extended_id=False,
                         data=struct.pack("<fBB", value, 0, 0)))
    while time.monotonic() < deadline and not (shown and wanted <= seen):
        message = bus.recv(timeout=1)
        if message is None:
            continue
        frames += 1
        seen.add(message.arbitration_id)
        if message.dlc != 6 or message.arbitration_id not in wanted:
            print("strange:", message)
            sys.exit(1)
        if message.arbitration_id == KNEE + PID:
            shown = shown or struct.unpack_from("<h", message.data)[0] == round(value * 32768)
    bus.shutdown()
    print(f"setpoint shown: {shown}; {len(seen)} of {len(wanted)} packets; {frames} frames")
    sys.exit(0 if shown and wanted <= seen else 1)


if __name__ == "__main__":
    main()
