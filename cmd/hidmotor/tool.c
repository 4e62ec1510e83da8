#include "hidmotor.h"
#include "hidmotor/wire.h"

static const char *const examples[] = {
    "encode set_setpoints duration=1000 mode=sinusoidal m1=0 m2=45 m3=-30",
    "encode gripper value=180",
    "encode --dir rx error id=4660",
    "describe positions",
    NULL,
};

const struct aw_tool hidmotor_tool = {
    .name = "hidmotor",
    .summary = "setpoints and velocities of the RBE3001 arm over USB HID",
    .protocol = &aw_hidmotor_protocol,
    .examples = examples,
};
