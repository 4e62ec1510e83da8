/* Prints an example packet file for a protocol. */
#include "describe/parts.h"

static const char head[] =
    "# Packets of your own firmware, for --packets (docs/packets.md). Fields are in the order of\n"
    "# the bytes: FIELD = TYPE [UNIT] [KEY=VALUE…].\n\n";

static const char report[] =
    "[packet team_status]          # the request is empty, the answer has these fields\n"
    "id       = 42\n"
    "help     = joint positions and velocities\n"
    "ask      = yes\n"
    "rate     = 50Hz                # how often watch requests it\n"
    "repeat   = m1 m2 m3            # repeats the fields below for each name\n"
    "position = f32 ticks scale=360/4096deg\n"
    "velocity = f32 ticks/s\n"
    "torque   = f32 Nm no_data=-1\n"
    "\n"
    "[packet team_go]               # the answer has the fields of team_status\n"
    "id       = 37\n"
    "moves    = yes                 # moves the arm: limits apply, [stop] stops it\n"
    "answer   = team_status\n"
    "repeat   = m1 m2 m3\n"
    "setpoint = f32 deg min=-90 max=90\n"
    "velocity = f32 0               # default 0\n"
    "\n"
    "# [packet team_set_gains]      # optional, for the command gains\n"
    "# id     = 65\n"
    "# repeat = m1 m2 m3\n"
    "# kp     = f32 min=0 max=10\n"
    "# ki     = f32\n"
    "# kd     = f32\n"
    "# [packet team_gains]          # the request is empty, the answer has these fields\n"
    "# id     = 66\n"
    "# ask    = yes\n"
    "# repeat = m1 m2 m3\n"
    "# kp     = f32\n"
    "# ki     = f32\n"
    "# kd     = f32\n"
    "\n"
    "[joint m1]                     # for status, move, play and stop\n"
    "setpoint = team_go.m1.setpoint\n"
    "position = team_status.m1.position\n"
    "# kp = team_set_gains.m1.kp team_gains.m1.kp   # the field that sets it, the field that "
    "reports it\n"
    "# ki = team_set_gains.m1.ki team_gains.m1.ki\n"
    "# kd = team_set_gains.m1.kd team_gains.m1.kd\n"
    "[joint m2]\n"
    "setpoint = team_go.m2.setpoint\n"
    "position = team_status.m2.position\n"
    "# kp = team_set_gains.m2.kp team_gains.m2.kp\n"
    "# ki = team_set_gains.m2.ki team_gains.m2.ki\n"
    "# kd = team_set_gains.m2.kd team_gains.m2.kd\n"
    "[joint m3]\n"
    "setpoint = team_go.m3.setpoint\n"
    "position = team_status.m3.position\n"
    "# kp = team_set_gains.m3.kp team_gains.m3.kp\n"
    "# ki = team_set_gains.m3.ki team_gains.m3.ki\n"
    "# kd = team_set_gains.m3.kd team_gains.m3.kd\n"
    "\n"
    "[stop]\n"
    "packet = team_go hold          # sends the measured positions as setpoints\n";

static const char frame[] = "[packet battery]              # unsolicited\n"
                            "id      = 0x640\n"
                            "help    = state of the battery\n"
                            "voltage = u16 V scale=0.01\n"
                            "current = s16 A scale=0.1 no_data=-32768\n"
                            "state   = bits:2 values=off:0,on:1,fault:3\n"
                            "alarm   = bits:1\n"
                            "\n"
                            "[packet fan]\n"
                            "id      = 0x642\n"
                            "dir     = tx                   # to the device\n"
                            "speed   = u8 % min=0 max=100\n";

static const char line[] = "[packet GRIP]                 # 0GRIP2,050 and the end of a line\n"
                           "help    = opens the fingers\n"
                           "finger  = digits:1 min=0 max=4\n"
                           "opening = digits:3 % min=0 max=100\n";

static const char datagram[] = "[packet battery]              # a packet type unknown to the tool\n"
                               "id      = 40\n"
                               "help    = power supply of the arm\n"
                               "dir     = rx\n"
                               "voltage = u16 V scale=0.01\n"
                               "current = s16 A scale=0.1 no_data=-32768\n"
                               "\n"
                               "[packet lamp]\n"
                               "id      = 41\n"
                               "dir     = tx                   # to the device\n"
                               "hue     = f32 deg min=0 max=360\n";

void aw_describe_packets(FILE *out, const struct aw_protocol *protocol)
{
    const char *first = protocol->frames.is_can             ? frame
                        : protocol->frames.ascii            ? line
                        : protocol->medium == AW_MEDIUM_HID ? report
                                                            : datagram;
    fprintf(out, "%s%s", head, first);
}
