/* armctl status and limits: what was confirmed last and when, and what the joints may be sent. */
#include <math.h>
#include <stdio.h>

#include "shell/commands/limits.h"
#include "shell/commands/status.h"
#include "state.h"

static const char digits[AW_ARMCTL_JOINTS][2] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};

const char *arm_joint_name(const struct aw_armctl_profile *profile, int index)
{
    const struct aw_armctl_joint *joint = aw_armctl_profile_joint(profile, index);
    return joint ? joint->name : digits[index];
}

/* The handler reports nothing by itself: what it confirmed is all that is known. */
static void print_joint(struct aw_session *session, int index, const struct aw_armctl_joint *joint)
{
    struct aw_armctl *arm = &arm_state(session)->arm;
    const struct aw_armctl_place *place = &arm->memory.places[index];
    double wanted = aw_armctl_target(arm, index);
    double value = place->known ? (double)place->value : (double)NAN;
    char label[32];
    snprintf(label, sizeof label, "joint %d", index);
    aw_status_joint(
        session,
        &(struct aw_status_joint){
            .name = joint ? joint->name : digits[index],
            .label = joint ? joint->name : label,
            .target = isnan(wanted) ? value : wanted,
            .actual = value,
            .unit = aw_armctl_kind_unit(joint && !place->known ? joint->kind : place->kind),
            .fault = isnan(wanted) ? NULL : "unconfirmed",
            .age_s = place->known && place->time_ns
                         ? (double)(aw_session_time(session) - place->time_ns) / 1e9
                         : NAN,
        });
}

enum aw_status run_status(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_armctl_profile *profile;
    const struct aw_armctl_memory *memory = &arm_state(session)->arm.memory;
    int rows = 0, confirmed = 0;
    (void)args;
    enum aw_status status = arm_profile(session, &profile);
    if (status == AW_OK)
        status = arm_ready(session);
    if (status != AW_OK)
        return status;
    aw_status_begin(session, NULL);
    for (int i = 0; i < AW_ARMCTL_JOINTS; i++) {
        const struct aw_armctl_joint *joint = aw_armctl_profile_joint(profile, i);
        if (!joint && !memory->places[i].known &&
            isnan(aw_armctl_target(&arm_state(session)->arm, i)))
            continue;
        print_joint(session, i, joint);
        rows++;
        confirmed += memory->places[i].known;
    }
    if (rows == 0)
        aw_session_notice(session, "nothing has been confirmed on this link yet");
    if (*memory->motor)
        aw_session_notice(session, "a motor was set going and not stopped: %s", memory->motor);
    if (!aw_session_text(session)) {
        aw_object_number(&session->result, "confirmed", confirmed, 0, NULL);
        aw_object_text(&session->result, "motor", *memory->motor ? memory->motor : NULL);
    }
    return AW_OK;
}

/* A joint that the config file describes has one row; what it does not describe, one a kind. */
enum aw_status run_limits(struct aw_session *session, const struct aw_args *args)
{
    static const char *const of[] = {"angle", "position", "pulse"};
    const struct aw_armctl_profile *profile;
    struct aw_limit limits[AW_ARMCTL_JOINTS + AW_ARMCTL_KINDS];
    const char *wanted = aw_arg(args, "joint", 0);
    bool negatives = aw_flag(session, "signed");
    size_t n = 0;
    enum aw_status status = arm_profile(session, &profile);
    if (status != AW_OK)
        return status;
    for (; n < profile->n; n++) {
        const struct aw_armctl_joint *joint = &profile->joints[n];
        bool min = aw_armctl_joint_gives(joint, "min"), max = aw_armctl_joint_gives(joint, "max");
        limits[n] = (struct aw_limit){
            .joint = joint->name,
            .alias = digits[joint->index],
            .of = of[joint->kind],
            .min = joint->min,
            .max = joint->max,
            .unit = aw_armctl_kind_unit(joint->kind),
            .from = min && max   ? "config"
                    : min || max ? "config, table"
                                 : "table",
        };
    }
    bool other = wanted && wanted[0] >= '0' && wanted[0] <= '9' && !wanted[1] &&
                 !aw_armctl_profile_find(profile, wanted);
    for (int i = 0; i < AW_ARMCTL_KINDS; i++)
        limits[n++] = (struct aw_limit){
            .joint = profile->n ? "others" : "all",
            .alias = other ? wanted : NULL,
            .of = of[i],
            .min = aw_armctl_kind_least((enum aw_armctl_kind)i, negatives),
            .max = aw_armctl_kind_most((enum aw_armctl_kind)i),
            .unit = aw_armctl_kind_unit((enum aw_armctl_kind)i),
            .from = negatives ? "table, --signed" : "table",
        };
    return aw_limits_show(session, wanted, limits, n);
}
