#include "shell/wire_option.h"
#include "unitysim.h"
#include "unitysim/wire.h"

static const char *const examples[] = {
    "encode camera_request",
    "encode control elbow.velocity=45 elbow.state=increase",
    "decode -j FF FF 05 12 B9 00 00 F4 01 01 00 00 01 42 00 01 0E 01 01 00 00 01 E4",
    "describe feedback",
    NULL,
};

static const struct aw_option options[] = {
    {.name = "wire",
     .value = "NAME",
     .help =
         "spec: as documented; compat38: length byte of a scene as the published client sends it",
     .fallback = "spec",
     .complete = aw_wire_complete},
    {0},
};

static enum aw_status choose_variant(struct aw_session *session, struct aw_variant *variant,
                                     struct aw_error *err)
{
    return aw_wire_option(session, aw_option(session, "wire"), variant, err);
}

const struct aw_tool unitysim_tool = {
    .name = "unitysim",
    .summary = "scenes, control and feedback of the virtual Bento Arm over UDP",
    .protocol = &aw_unitysim_protocol,
    .examples = examples,
    .options = options,
    .variant = choose_variant,
};
