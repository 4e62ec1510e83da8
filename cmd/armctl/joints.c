/* The joints of armctl: their last confirmed targets with times, and their limits. */
#include "shell/joints/joints.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "state.h"

static const char digits[AW_ARMCTL_JOINTS][2] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};

const char *armctl_joint_name(const struct aw_armctl_profile *profile, int index)
{
    const struct aw_armctl_joint *joint = aw_armctl_profile_joint(profile, index);
    return joint ? joint->name : digits[index];
}

/* Writes the name of the record's joint, or "joint3", because a digit alone is not valid in ROS.
 * Returns out; NULL: the record has no joint. */
const char *armctl_write_subject(struct aw_session *session, const struct aw_record *record,
                                 char *out, size_t size)
{
    const struct aw_armctl_profile *profile = &armctl_state(session)->profile;
    double joint = aw_record_get(record, "joint");
    if (!(joint >= 0 && joint < AW_ARMCTL_JOINTS))
        return NULL;
    const struct aw_armctl_joint *described = aw_armctl_profile_joint(profile, (int)joint);
    if (described)
        snprintf(out, size, "%s", described->name);
    else
        snprintf(out, size, "joint%d", (int)joint);
    return out;
}

void armctl_complete_names(struct aw_session *session, const struct aw_message *message,
                           aw_candidate_fn *add, void *context)
{
    const struct aw_armctl_profile *profile = &armctl_state(session)->profile;
    for (const struct aw_field *field = message->fields; field->name; field++)
        for (size_t i = 0; i < profile->n && strcmp(field->name, "joint") == 0; i++)
            add(context, profile->joints[i].name, NULL);
}

static void describe(struct aw_joint *joint, const struct aw_armctl_joint *has_mode)
{
    snprintf(joint->alias, sizeof joint->alias, "%s", digits[has_mode->index]);
    snprintf(joint->label, sizeof joint->label, "%s", has_mode->name);
    joint->id = (uint32_t)has_mode->index;
    joint->unit[AW_JOINT_ACTUAL] = joint->unit[AW_JOINT_TARGET] =
        aw_armctl_kind_unit(has_mode->kind);
    joint->decimals = 0;
    joint->limits.min = has_mode->min;
    joint->limits.max = has_mode->max;
    joint->limits.max_speed = has_mode->speed > 0 ? has_mode->speed : (double)INFINITY;
    joint->home_target = has_mode->home;
    joint->flags.accepts = AW_JOINT_TAKES_TARGETS;
}

static void describe_other(struct aw_joint *joint, int index, enum aw_armctl_kind kind)
{
    snprintf(joint->label, sizeof joint->label, "joint %d", index);
    joint->id = (uint32_t)index;
    joint->unit[AW_JOINT_ACTUAL] = joint->unit[AW_JOINT_TARGET] = aw_armctl_kind_unit(kind);
    joint->decimals = 0;
    joint->flags.accepts = AW_JOINT_TAKES_TARGETS;
    joint->flags.undescribed = true;
}

/* Lists the joints of the config file in its order, then other joints with known positions. */
static enum aw_status list_joints(struct aw_session *session, struct aw_joint_list *list)
{
    const struct aw_armctl_profile *profile;
    struct aw_armctl *arm = &armctl_state(session)->arm;
    enum aw_status status = armctl_get_profile(session, &profile);
    for (size_t i = 0; status == AW_OK && i < profile->n; i++) {
        struct aw_joint *joint = aw_joints_add(session, list, profile->joints[i].name);
        if (!joint)
            return session->err.status;
        describe(joint, &profile->joints[i]);
    }
    for (int i = 0; status == AW_OK && session->device.link && i < AW_ARMCTL_JOINTS; i++) {
        const struct aw_armctl_position *position = &arm->memory.positions[i];
        if (aw_armctl_profile_joint(profile, i) ||
            (!position->known && isnan(aw_armctl_pending_target(arm, i))))
            continue;
        struct aw_joint *joint = aw_joints_add(session, list, digits[i]);
        if (!joint)
            return session->err.status;
        describe_other(joint, i, position->kind);
    }
    return status;
}

static bool find_other(struct aw_session *session, const char *text, struct aw_joint *joint)
{
    const struct aw_armctl_profile *profile = &armctl_state(session)->profile;
    if (text &&
        (text[0] < '0' || text[0] > '9' || text[1] || aw_armctl_profile_find(profile, text)))
        return false;
    describe_other(joint, text ? text[0] - '0' : 0, AW_ARMCTL_ROTATE);
    return true;
}

/* Returns one row for a joint of the config file, else one row for each kind of joint. */
static size_t list_limits(struct aw_session *session, const struct aw_joint *joint,
                          struct aw_joint_limit rows[AW_JOINT_LIMITS])
{
    static const char *const names[] = {"angle", "position", "pulse"};
    const struct aw_armctl_joint *described =
        aw_armctl_profile_joint(&armctl_state(session)->profile, (int)joint->id);
    bool negatives = armctl_given(session)->allow_negative;
    if (described && !joint->flags.undescribed) {
        bool has_min = aw_armctl_joint_has_key(described, "min");
        bool has_max = aw_armctl_joint_has_key(described, "max");
        const char *from = has_min && has_max   ? "config"
                           : has_min || has_max ? "config, table"
                                                : "table";
        rows[0] = (struct aw_joint_limit){.quantity = names[described->kind],
                                          .min = described->min,
                                          .max = described->max,
                                          .unit = aw_armctl_kind_unit(described->kind)};
        snprintf(rows[0].source, sizeof rows[0].source, "%s", from);
        return 1;
    }
    for (int i = 0; i < AW_ARMCTL_KINDS; i++) {
        enum aw_armctl_kind kind = (enum aw_armctl_kind)i;
        rows[i] = (struct aw_joint_limit){.quantity = names[i],
                                          .min = aw_armctl_kind_min(kind, negatives),
                                          .max = aw_armctl_kind_max(kind),
                                          .unit = aw_armctl_kind_unit(kind)};
        snprintf(rows[i].source, sizeof rows[i].source, negatives ? "table, --signed" : "table");
    }
    return AW_ARMCTL_KINDS;
}

/* The handler never reports positions. Uses the confirmed targets, which are saved with wall-clock
 * times between sessions. */
static enum aw_status read_joints(struct aw_session *session, struct aw_joint_list *list)
{
    struct aw_armctl *arm = &armctl_state(session)->arm;
    int64_t wall_ns = aw_session_time(session) - aw_clock_now(session->clock);
    for (size_t i = 0; i < list->n; i++) {
        struct aw_joint *joint = &list->joints[i];
        const struct aw_armctl_position *position = &arm->memory.positions[joint->id];
        double pending = aw_armctl_pending_target(arm, (int)joint->id);
        double value = position->known ? (double)position->value : (double)NAN;
        int64_t time_ns =
            position->known && position->time_ns ? position->time_ns - wall_ns : AW_NO_TIME;
        if (position->known)
            joint->unit[AW_JOINT_ACTUAL] = joint->unit[AW_JOINT_TARGET] =
                aw_armctl_kind_unit(position->kind);
        aw_joint_set_value(joint, AW_JOINT_ACTUAL, value, time_ns);
        aw_joint_set_value(joint, AW_JOINT_TARGET, isnan(pending) ? value : pending, time_ns);
        joint->state.fault = isnan(pending) ? NULL : "unconfirmed";
    }
    return AW_OK;
}

static enum aw_status open_unless_dry_run(struct aw_session *session)
{
    return session->options.run.dry_run ? AW_OK : armctl_open(session);
}

static enum aw_status report_state(struct aw_session *session, struct aw_joint_list *list,
                                   size_t index)
{
    const struct aw_armctl_memory *memory = &armctl_state(session)->arm.memory;
    int confirmed = 0;
    if (index != list->n)
        return AW_OK;
    for (size_t i = 0; i < list->n; i++)
        confirmed += memory->positions[list->joints[i].id].known;
    if (list->n == 0)
        aw_session_print_notice(session, "no position confirmed on this link yet");
    if (*memory->motor)
        aw_session_print_notice(session, "a motor is still running: %s — stop it with 'stop'",
                                memory->motor);
    if (!aw_session_is_text(session)) {
        aw_object_add_number(&session->result, "confirmed", confirmed, 0, NULL);
        aw_object_add_text(&session->result, "motor", *memory->motor ? memory->motor : NULL);
    }
    return AW_OK;
}

const struct aw_joints armctl_joints = {
    .traits.confirms = true,
    .traits.rate_hz = 10,
    .traits.max_hz = 10,
    .traits.jog_base = AW_JOINT_ACTUAL,
    .info.list = list_joints,
    .info.list_limits = list_limits,
    .info.find_other = find_other,
    .info.read = read_joints,
    .info.print_extra = report_state,
    .run.check = armctl_check_goals,
    .run.command = armctl_send_goals,
    .run.open = open_unless_dry_run,
};
