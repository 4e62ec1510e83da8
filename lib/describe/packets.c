/* Prints an example packet file for a protocol. */
#include "describe/parts.h"

static const char head[] =
    "# Packets of your own firmware, for --packets: see docs/packets.md. A line is\n"
    "# FIELD = TYPE [UNIT] [KEY=VALUE…], one field behind the other.\n\n";

static const char report[] =
    "[packet team_status]          # sent without values, answered with these\n"
    "id       = 42\n"
    "help     = joint positions and velocities\n"
    "ask      = yes\n"
    "rate     = 50Hz                # how often watch asks\n"
    "repeat   = m1 m2 m3            # the fields below once for each\n"
    "position = f32 ticks scale=360/4096deg\n"
    "velocity = f32 ticks/s\n"
    "torque   = f32 Nm no_data=-1\n"
    "\n"
    "[packet team_go]               # answered with the fields of that one\n"
    "id       = 37\n"
    "moves    = yes                 # a motion: it has limits, and [stop] ends it\n"
    "answer   = team_status\n"
    "repeat   = m1 m2 m3\n"
    "setpoint = f32 deg min=-90 max=90\n"
    "velocity = f32 0               # 0 where nothing is said\n"
    "\n"
    "# [packet team_set_gains]      # with these, and the lines below, gains and tune work, too\n"
    "# id     = 65\n"
    "# repeat = m1 m2 m3\n"
    "# kp     = f32 min=0 max=10\n"
    "# ki     = f32\n"
    "# kd     = f32\n"
    "# [packet team_gains]          # sent without values, answered with them\n"
    "# id     = 66\n"
    "# ask    = yes\n"
    "# repeat = m1 m2 m3\n"
    "# kp     = f32\n"
    "# ki     = f32\n"
    "# kd     = f32\n"
    "\n"
    "[joint m1]                     # with these status, move, play and stop speak to it\n"
    "setpoint = team_go.m1.setpoint\n"
    "position = team_status.m1.position\n"
    "# kp = team_set_gains.m1.kp team_gains.m1.kp   # what sets it, and what tells it\n"
    "# ki = team_set_gains.m1.ki team_gains.m1.ki\n"
    "# kd = team_set_gains.m1.kd team_gains.m1.kd\n"
    "# tick = 1ms                   # how often the firmware's law runs, for tune\n"
    "[joint m2]\n"
    "setpoint = team_go.m2.setpoint\n"
    "position = team_status.m2.position\n"
    "[joint m3]\n"
    "setpoint = team_go.m3.setpoint\n"
    "position = team_status.m3.position\n"
    "\n"
    "[stop]\n"
    "packet = team_go hold          # with the measured positions\n";

static const char frame[] = "[packet battery]              # comes by itself\n"
                            "id      = 0x640\n"
                            "help    = the pack's own report\n"
                            "voltage = u16 V scale=0.01\n"
                            "current = s16 A scale=0.1 no_data=-32768\n"
                            "state   = bits:2 values=off:0,on:1,fault:3\n"
                            "alarm   = bits:1\n"
                            "\n"
                            "[packet fan]\n"
                            "id      = 0x642\n"
                            "dir     = tx                   # to it\n"
                            "speed   = u8 % min=0 max=100\n";

static const char line[] = "[packet GRIP]                 # 0GRIP2,050 and the end of a line\n"
                           "help    = opens the fingers\n"
                           "finger  = digits:1 min=0 max=4\n"
                           "opening = digits:3 % min=0 max=100\n";

static const char datagram[] =
    "[packet battery]              # a type that the tool does not know\n"
    "id      = 40\n"
    "help    = the supply of the arm\n"
    "dir     = rx\n"
    "voltage = u16 V scale=0.01\n"
    "current = s16 A scale=0.1 no_data=-32768\n"
    "\n"
    "[packet lamp]\n"
    "id      = 41\n"
    "dir     = tx                   # to it\n"
    "hue     = f32 deg min=0 max=360\n";

void aw_describe_packets(FILE *out, const struct aw_protocol *protocol)
{
    const char *first = protocol->can                       ? frame
                        : protocol->ascii                   ? line
                        : protocol->medium == AW_MEDIUM_HID ? report
                                                            : datagram;
    fprintf(out, "%s%s", head, first);
}
