/* hidmotor status: the three joints as a table, or as one record. */
#include <math.h>
#include <stdio.h>

#include "protocol/hidmotor/wire.h"
#include "state.h"

static void set_motor(struct aw_record *record, int motor, const char *what, double value)
{
    char name[32];
    snprintf(name, sizeof name, "m%d.%s", motor + 1, what);
    aw_record_set(record, name, value, NULL);
}

static void make_record(struct aw_session *session, const struct aw_hidmotor_status *status,
                        struct aw_record *record)
{
    struct motor_state *state = motor_state(session);
    aw_wire_init(&state->shown, &aw_hidmotor_state_protocol, NULL, false);
    aw_record_init(record, aw_wire_codec(&state->shown, "status", AW_RX), AW_RX);
    record->time_ns = status->wall_ns;
    for (int i = 0; i < status->n && i < AW_HIDMOTOR_JOINTS; i++) {
        set_motor(record, i, "setpoint", status->setpoint[i]);
        set_motor(record, i, "position", status->position[i]);
        if (i >= status->n_velocity)
            continue;
        set_motor(record, i, "velocity", status->velocity[i]);
        set_motor(record, i, "effort", status->effort[i]);
    }
    if (status->maybe_stale)
        aw_record_set(record, "maybe_stale", 1, NULL);
    else
        record->present &= ~(UINT64_C(1) << aw_codec_find(record->codec, "maybe_stale"));
}

static void print_table(struct aw_session *session, const struct aw_hidmotor_status *s)
{
    struct aw_output *out = &session->out;
    const char *bold = out->color ? "\033[1m" : "", *plain = out->color ? "\033[0m" : "";
    aw_output_draw(out, "%s%-12s %10s %10s %12s %8s%s\n", bold, "joint", "setpoint", "position",
                   "velocity", "effort", plain);
    aw_output_print(out, "%-12s %10s %10s %12s\n", "", "deg", "deg", "deg/s");
    for (int i = 0; i < s->n; i++) {
        char name[32];
        snprintf(name, sizeof name, "m%d %s", i + 1,
                 i < AW_HIDMOTOR_JOINTS ? aw_hidmotor_joint(i).alias : "");
        aw_output_print(out, "%-12s %10.2f %10.2f", name, s->setpoint[i], s->position[i]);
        if (i < s->n_velocity)
            aw_output_print(out, " %12.2f %8.0f", s->velocity[i], s->effort[i]);
        aw_output_write(out, "\n", 1);
    }
    if (s->maybe_stale)
        aw_session_notice(session, "an answer may be that to an earlier question");
}

enum aw_status run_status(struct aw_session *session, const struct aw_args *args)
{
    struct aw_hidmotor_status now;
    struct aw_record record;
    (void)args;
    enum aw_status status = motor_ready(session);
    if (status == AW_OK)
        status = aw_hidmotor_status(motor_arm(session), &now, &session->err);
    if (status != AW_OK)
        return status;
    if (aw_session_text(session)) {
        print_table(session, &now);
        return AW_OK;
    }
    make_record(session, &now, &record);
    session->printing.wire = &motor_state(session)->shown;
    return aw_session_show(session, &record);
}
