/* The command gains for custom joints. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shell/custom/custom.h"
#include "shell/custom/custom_parts.h"
#include "shell/joints/gains.h"
#include "shell/safety/safety.h"

/* ---- The command ---- */

static enum aw_status open(struct aw_session *session)
{
    struct aw_joint_list list;
    enum aw_status status = aw_joints_begin(session, &list);
    aw_joints_free(&list);
    return status == AW_OK ? aw_custom_read_gains(session) : status;
}

static enum aw_status read_all(struct aw_session *session, struct aw_gain *gains,
                               const struct aw_gain **now)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    enum aw_status status = open(session);
    (void)now;
    for (size_t i = 0; i < arm->n * AW_JOINT_GAINS && status == AW_OK; i++) {
        double value = arm->joints[i / AW_JOINT_GAINS].gains[i % AW_JOINT_GAINS];
        gains[i] = (struct aw_gain){!isnan(value), isnan(value) ? 0 : (float)value, 0};
    }
    return status;
}

static enum aw_status send(struct aw_session *session, const struct aw_gain *wanted, size_t *n)
{
    struct aw_gain_list values = {0};
    bool dry = session->options.run.dry_run;
    size_t place;
    for (size_t i = 0; aw_gain_file_next(aw_custom_law.file, wanted, &i, &place);)
        aw_gain_list_add(&values, place, (double)wanted[place].value);
    *n = values.n;
    enum aw_status status = dry ? AW_OK : open(session);
    if (status == AW_OK)
        status = aw_custom_set_gains(session, &values);
    if (dry && status == AW_USAGE)
        return aw_dry_depends(session, "the other gains of the device");
    *n = status == AW_OK ? *n : 0;
    return status;
}

/* Returns true if the device reports every gain that can be set, so that sent gains can be
 * confirmed. */
static bool are_told(const struct aw_custom_arm *arm, bool *any)
{
    bool all = true;
    *any = false;
    for (size_t i = 0; i < arm->n * AW_JOINT_GAINS; i++) {
        const struct aw_custom_joint *joint = &arm->joints[i / AW_JOINT_GAINS];
        bool set = joint->gain_set[i % AW_JOINT_GAINS].message;
        *any = *any || set;
        all = all && (!set || joint->gain_told[i % AW_JOINT_GAINS].message);
    }
    return all;
}

static enum aw_status run_custom_gains(struct aw_session *session, const struct aw_args *args)
{
    bool any, all = are_told(aw_custom_arm(session), &any);
    const struct aw_gain_hooks hooks = {
        .sent = all ? "confirmed" : "sent",
        .none =
            "the firmware reports no gains, and none were sent in this session — write 'kp = "
            "PACKET.FIELD PACKET.FIELD' in a [joint] section; the second field reports the gain",
        .read = read_all,
        .controller = "pid",
        .send = send};
    if (!any)
        return aw_fail(&session->err, AW_USAGE,
                       "gains: no joint of the packet file has gains — add 'kp = PACKET.FIELD' to "
                       "a [joint] section");
    return aw_gains_run(session, args, &hooks);
}

/* clang-format off */
const struct aw_command aw_custom_gains_command = {
    .name = "gains", .from_file = true,
    .summary = "show, set, save, apply or compare the gains of a packet file's joints",
    .args = aw_gains_args, .safety = AW_WRITE, .run = run_custom_gains,
    .details = "In a [joint] of the packet file kp, ki and kd name the fields that set a gain and "
        "report it. A gain is read back\nafter it is set, if the device reports it. diff ends "
        "with exit code 1 if the gains differ."};
/* clang-format on */
