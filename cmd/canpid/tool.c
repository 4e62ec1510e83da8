#include "canpid.h"
#include "canpid/wire.h"
#include "shell/wire_option.h"

static const char *const examples[] = {
    "encode kp board=lknee controller=tor value=0.6",
    "encode setpoint board=lknee controller=tor value=-5Nm",
    "decode -j '05F#80F8730806FF'",
    "describe sensors",
    NULL,
};

static const struct aw_option options[] = {
    {.name = "sensors-layout",
     .value = "NAME",
     .help = "spec: as documented; fw: as the published firmware packs it",
     .fallback = "spec",
     .complete = aw_wire_complete},
    {0},
};

static enum aw_status choose_variant(struct aw_session *session, struct aw_variant *variant,
                                     struct aw_error *err)
{
    return aw_wire_option(session, aw_option(session, "sensors-layout"), variant, err);
}

const struct aw_tool canpid_tool = {
    .name = "canpid",
    .summary = "gains, setpoints and telemetry of joint drivers over CAN",
    .protocol = &aw_canpid_protocol,
    .examples = examples,
    .options = options,
    .variant = choose_variant,
};
