#include "ezphys.h"
#include "ezphys/wire.h"
#include "shell/wire_option.h"

static const char *const examples[] = {
    "encode axis_motor id=3 velocity1=2 max_torque1=1000",
    "encode --wire be32 timestamp step=100 step_size=0.01",
    "decode -j 1C 00 00 00 01 00 00 00 05 00 00 00 00 00 00 00 08 00 00 00 64 00 00 00 0A D7 23 3C",
    "describe limb",
    NULL,
};

static const struct aw_option options[] = {
    {.name = "wire",
     .value = "NAME",
     .help = "framing: le32, be32, packed8, stream, name32; add ,long=8 for 64-bit steps",
     .fallback = "le32",
     .complete = aw_wire_complete},
    {0},
};

static enum aw_status choose_variant(struct aw_session *session, struct aw_variant *variant,
                                     struct aw_error *err)
{
    return aw_wire_option(session, aw_option(session, "wire"), variant, err);
}

const struct aw_tool ezphys_tool = {
    .name = "ezphys",
    .summary = "read and drive an EZPhysics simulation over TCP",
    .protocol = &aw_ezphys_protocol,
    .examples = examples,
    .options = options,
    .variant = choose_variant,
};
