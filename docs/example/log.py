#!/usr/bin/env python3
"""Keeps a log of a motion: the recording of all that passed the link, and its positions as a table.

    log.py [LINK]          hidmotor's board, else the simulator
"""
import subprocess
import sys

import armwire

link = sys.argv[1] if len(sys.argv) > 1 else "sim:"
with armwire.open("hidmotor", link, record="motion.pcapng") as arm:
    for target in (30, -30, 0):
        result = arm.move(m1=0, m2=target, m3=0, duration="500ms", wait=True)
        print(f"shoulder {result.m2.target:g}: {result.m2.actual:g} deg after {result.ms:.0f} ms")
table = subprocess.run([arm.program, "decode", "--csv", "motion.pcapng"], stdout=subprocess.PIPE, check=True, text=True)
with open("motion.csv", "w", encoding="utf-8") as file:
    file.write(table.stdout)
print(f"{len(table.stdout.splitlines()) - 1} messages are in motion.csv")
