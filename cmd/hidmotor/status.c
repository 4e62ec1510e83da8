/* hidmotor status and limits: where the joints are and are to be, and what they may be sent. */
#include <math.h>
#include <stdio.h>

#include "shell/commands/limits.h"
#include "shell/commands/status.h"
#include "state.h"

static const char *const motors[AW_HIDMOTOR_MOTORS] = {"m1", "m2", "m3", "m4", "m5", "m6", "m7"};

static void print_joint(struct aw_session *session, const struct aw_hidmotor_status *s, int i)
{
    char label[32];
    bool moves = i < s->n_velocity;
    snprintf(label, sizeof label, "%s %s", motors[i], /* the board's other motors have no joint */
             i < AW_HIDMOTOR_JOINTS ? aw_hidmotor_joint(i).alias : "");
    const struct aw_status_value more[] = {
        {"velocity", moves ? s->velocity[i] : (double)NAN, 2, "deg/s"},
        {"effort", moves ? s->effort[i] : (double)NAN, 0, NULL},
        {0},
    };
    aw_status_joint(session, &(struct aw_status_joint){
                                 .name = motors[i],
                                 .label = label,
                                 .target = s->setpoint[i],
                                 .actual = s->position[i],
                                 .decimals = 2,
                                 .unit = "deg",
                                 .age_s = (double)(aw_clock_now(session->clock) - s->time_ns) / 1e9,
                                 .more = more,
                             });
}

enum aw_status run_status(struct aw_session *session, const struct aw_args *args)
{
    struct aw_hidmotor_status now;
    (void)args;
    enum aw_status status = motor_ready(session);
    if (status == AW_OK)
        status = aw_hidmotor_status(motor_arm(session), &now, &session->err);
    if (status != AW_OK)
        return status;
    aw_status_begin(session, (const char *const[]){"velocity", "effort", NULL});
    for (int i = 0; i < now.n && i < AW_HIDMOTOR_MOTORS; i++)
        print_joint(session, &now, i);
    if (now.maybe_stale && aw_session_text(session))
        aw_session_notice(session, "an answer may be that to an earlier question");
    else if (now.maybe_stale)
        aw_object_truth(&session->result, "maybe_stale", true);
    return AW_OK;
}

enum aw_status run_limits(struct aw_session *session, const struct aw_args *args)
{
    struct aw_limit limits[AW_HIDMOTOR_JOINTS + 1];
    size_t n = 0;
    for (; n < AW_HIDMOTOR_JOINTS; n++) {
        struct aw_hidmotor_joint joint = aw_hidmotor_joint((int)n);
        limits[n] = (struct aw_limit){
            .joint = joint.name,
            .alias = joint.alias,
            .of = "angle",
            .min = joint.min,
            .max = joint.max,
            .unit = "deg",
            .from = "table",
        };
    }
    limits[n++] = (struct aw_limit){"gripper", NULL, "opening", 0, 180, "", "table", false};
    return aw_limits_show(session, aw_arg(args, "joint", 0), limits, n);
}
