/* A recording of evemu-record: an Xbox pad and what is appended to it. */
#ifndef AW_TESTS_EVEMU_HELPER_H
#define AW_TESTS_EVEMU_HELPER_H

#define XBOX                                                                                       \
    "# EVEMU 1.3\n# Input device name: \"Microsoft X-Box 360 pad\"\n"                              \
    "N: Microsoft X-Box 360 pad\nI: 0003 045e 028e 0110\n"                                         \
    "P: 00 00 00 00 00 00 00 00\n"                                                                 \
    "B: 00 0b 00 00 00 00 00 00 00\n"                                                              \
    "B: 01 00 00 00 00 00 00 00 00\nB: 01 00 00 00 00 00 00 00 00\n"                               \
    "B: 01 00 00 00 00 00 00 00 00\nB: 01 00 00 00 00 00 00 00 00\n"                               \
    "B: 01 00 00 00 00 00 00 db 7c\nB: 01 00 00 00 00 00 00 00 00\n"                               \
    "B: 03 3f 00 03 00 00 00 00 00\n"                                                              \
    "A: 00 -32768 32767 16 128 0\nA: 01 -32768 32767 16 128 0\nA: 02 0 255 0 0 0\n"                \
    "A: 03 -32768 32767 16 128 0\nA: 04 -32768 32767 16 128 0\nA: 05 0 255 0 0 0\n"                \
    "A: 10 -1 1 0 0 0\nA: 11 -1 1 0 0 0\n"

#endif
