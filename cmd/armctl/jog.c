/* armctl jog: one joint by an amount, or in steps with the keys. */
#include "shell/commands/jog.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "shell/core/dry.h"
#include "state.h"

struct joint {
    int index;
    enum aw_armctl_kind kind;
    char name[24];
};

static enum aw_status go(struct aw_jog *jog, double change)
{
    const struct joint *joint = jog->context;
    struct aw_record command;
    aw_session_command(jog->session, aw_armctl_kind_message(joint->kind), &command);
    aw_record_set(&command, "joint", joint->index, NULL);
    aw_record_set(&command, aw_armctl_kind_field(joint->kind), jog->value + change, NULL);
    return arm_move(jog->session, &command);
}

static enum aw_status find_joint(struct aw_session *session, const char *text, struct joint *joint)
{
    const struct aw_armctl_profile *profile;
    char number[16];
    enum aw_status status = arm_joint_number(session, text, number);
    if (status == AW_OK)
        status = arm_profile(session, &profile);
    if (status != AW_OK)
        return status;
    if (!isdigit((unsigned char)number[0]) || number[1])
        return aw_fail(&session->err, AW_USAGE, "jog: '%s' is no joint", number);
    joint->index = number[0] - '0';
    const struct aw_armctl_joint *known = aw_armctl_profile_joint(profile, joint->index);
    snprintf(joint->name, sizeof joint->name, known ? "%.23s" : "joint %.1s",
             known ? known->name : number);
    return AW_OK;
}

/* It goes on from where it was confirmed last, in the way that it was moved then. */
static enum aw_status find_start(struct aw_session *session, struct joint *joint, double *value)
{
    const struct aw_armctl_profile *profile = &arm_state(session)->profile;
    const struct aw_armctl_joint *known = aw_armctl_profile_joint(profile, joint->index);
    const struct aw_armctl_place *place = &arm_state(session)->arm.memory.places[joint->index];
    if (!place->known || (known && place->kind != known->kind))
        return aw_fail(&session->err, AW_USAGE,
                       "jog: where %s stands is not known — move it once with deg or pos",
                       joint->name);
    joint->kind = place->kind;
    *value = place->value;
    return AW_OK;
}

enum aw_status run_jog(struct aw_session *session, const struct aw_args *args)
{
    struct joint joint;
    struct aw_jog jog = {.session = session, .step = 5, .least = 1, .most = 100, .go = go};
    double amount = NAN;
    enum aw_status status = find_joint(session, aw_arg(args, "joint", 0), &joint);
    if (status == AW_OK && aw_flag(session, "dry-run"))
        return aw_dry_depends(session, "where the joint stands");
    if (status == AW_OK)
        status = arm_ready(session);
    if (status == AW_OK)
        status = find_start(session, &joint, &jog.value);
    jog.name = joint.name;
    jog.context = &joint;
    jog.unit = status == AW_OK ? aw_armctl_kind_unit(joint.kind) : "";
    if (status == AW_OK)
        status = aw_jog_amount(session, aw_arg(args, "amount", 0), jog.unit, &amount);
    if (status != AW_OK)
        return status;
    return isnan(amount) ? aw_jog_keys(&jog) : go(&jog, amount);
}
