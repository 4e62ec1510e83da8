/* Gains of custom joints, and the command gains for them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shell/custom/custom.h"
#include "shell/custom/custom_parts.h"
#include "shell/settings/gains.h"

/* ---- Gain file ---- */

static const struct aw_joint_row *get_rows(const struct aw_wire *wire)
{
    return wire->protocol->custom.joints;
}

static int find_joint(const void *wire, const char *name)
{
    const struct aw_joint_row *row = get_rows(wire);
    for (int i = 0; i < AW_CUSTOM_JOINTS && row->name; i++, row++)
        if (strcmp(row->name, name) == 0 || (row->alias && strcmp(row->alias, name) == 0))
            return i;
    return -1;
}

static void write_joint_name(const void *wire, size_t joint, char *out, size_t size)
{
    snprintf(out, size, "%s", get_rows(wire)[joint].name);
}

/* Only checks that the value fits a float; encoding checks the field's range. */
static enum aw_status check_value(const void *wire, size_t index, double value, const char *text,
                                  struct aw_error *err)
{
    const struct aw_joint_row *row = &get_rows(wire)[index / AW_JOINT_GAINS];
    const char *gain = aw_gain_names[index % AW_JOINT_GAINS];
    if (!row->gain_set[index % AW_JOINT_GAINS])
        return aw_fail(err, AW_USAGE,
                       "no packet sets this gain — add '%s = PACKET.FIELD' to [joint %s]", gain,
                       row->name);
    return isfinite((float)value)
               ? AW_OK
               : aw_fail(err, AW_LIMIT,
                         "%.40s is out of range for a 32-bit float — use a smaller value", text);
}

static const struct aw_gain_file gain_file = {
    .n_gains = AW_CUSTOM_GAINS,
    .heading = "joint controller gain value",
    .example = "m1 pid kp 0.1",
    .joint_term = "joint",
    .joint_list = "a joint of the packet file",
    .controllers = (const char *const[]){"pid", NULL},
    .gains = aw_gain_names,
    .find_joint = find_joint,
    .write_joint = write_joint_name,
    .check_value = check_value,
};

static struct aw_device_setting *get_gains(struct aw_session *session)
{
    return aw_custom_arm(session)->gains;
}

const struct aw_controller aw_custom_controller = {
    .file = &gain_file,
    .send = aw_settings_send,
    .error_start = "the joints are held, but their",
    .settings = get_gains,
    .retries = 2,
};

/* ---- The command ---- */

/* Returns true if the device reports every gain that can be set, so that sent gains can be
 * confirmed. */
static bool are_reported(const struct aw_custom_arm *arm, bool *any_reported)
{
    bool all_reported = true;
    *any_reported = false;
    for (size_t i = 0; i < AW_CUSTOM_GAINS; i++) {
        *any_reported = *any_reported || arm->gains[i].set.message;
        all_reported =
            all_reported && (!arm->gains[i].set.message || arm->gains[i].reported.message);
    }
    return all_reported;
}

static enum aw_status run_custom_gains(struct aw_session *session, const struct aw_args *args)
{
    bool any_reported, all_reported = are_reported(aw_custom_arm(session), &any_reported);
    const struct aw_gain_hooks hooks = {
        .sent_result = all_reported ? "confirmed" : "sent",
        .none_reason =
            "the firmware reports no gains, and none were sent in this session — write 'kp = "
            "PACKET.FIELD PACKET.FIELD' in a [joint] section; the second field reports the gain",
        .read = aw_gains_read,
        .assignment = "JOINT.kp=0.02",
        .controller = "pid",
        .send = aw_gains_send};
    if (!any_reported)
        return aw_fail(&session->err, AW_USAGE,
                       "gains: no joint in the packet file has gains — add 'kp = PACKET.FIELD' to "
                       "a [joint] section");
    enum aw_status status = aw_settings_check_queries(session, NULL);
    return status == AW_OK ? aw_gains_run(session, args, &hooks) : status;
}

/* clang-format off */
const struct aw_command aw_custom_gains_command = {
    .name = "gains", .for_custom = true,
    .summary = "show, set, save, apply or compare the gains of a packet file's joints",
    .args = aw_gains_args, .safety = AW_WRITE, .run = run_custom_gains,
    .details = "In a [joint] section of the packet file, kp, ki and kd name the fields that set "
        "and report a gain. The tool reads a gain back after setting it, if the device reports "
        "it. diff ends with exit code 1 if the gains differ."};
/* clang-format on */
