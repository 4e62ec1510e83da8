/* gains of joints that packet files describe. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "shell/commands/common.h"
#include "shell/commands/gains.h"
#include "shell/commands/own_gains.h"
#include "shell/core/dry.h"
#include "shell/core/own_parts.h"

#define PLACES ((size_t)AW_OWN_JOINTS * AW_JOINT_GAINS)
#define LAW    "pid"

/* ---- The file ---- */

static size_t find_joint(const struct aw_own_arm *arm, const char *name)
{
    size_t i = 0;
    while (i < arm->n && strcmp(arm->joints[i].row->name, name) != 0 &&
           !(arm->joints[i].row->alias && strcmp(arm->joints[i].row->alias, name) == 0))
        i++;
    return i;
}

static enum aw_status find_place(const struct aw_own_arm *arm, const char *joint, const char *gain,
                                 size_t *place, struct aw_error *err)
{
    size_t i = find_joint(arm, joint), k = 0;
    while (k < AW_JOINT_GAINS && strcmp(aw_own_gain_names[k], gain) != 0)
        k++;
    if (i == arm->n)
        return aw_fail(err, AW_USAGE, "'%.40s' is no joint of the packet file", joint);
    if (k == AW_JOINT_GAINS)
        return aw_fail(err, AW_USAGE, "'%.40s' is no gain — use kp, ki or kd", gain);
    if (!arm->joints[i].gain_set[k].message)
        return aw_fail(err, AW_USAGE,
                       "%s has no %s — '%s = PACKET.FIELD' in its [joint] says what sets it",
                       arm->joints[i].row->name, aw_own_gain_names[k], aw_own_gain_names[k]);
    *place = i * AW_JOINT_GAINS + k;
    return AW_OK;
}

static enum aw_status find(const void *context, char *const words[AW_GAIN_WORDS], size_t *place,
                           struct aw_error *err)
{
    if (strcmp(words[1], LAW) != 0)
        return aw_fail(err, AW_USAGE, "'%.40s' is no controller — use " LAW, words[1]);
    return find_place(context, words[0], words[2], place, err);
}

static void name(const void *context, size_t place, char *out, size_t size)
{
    const struct aw_own_arm *arm = context;
    snprintf(out, size, "%s " LAW " %s", arm->joints[place / AW_JOINT_GAINS].row->name,
             aw_own_gain_names[place % AW_JOINT_GAINS]);
}

/* Its range is that of its field, where it is sent. */
static enum aw_status check(size_t place, double value, const char *text, struct aw_error *err)
{
    (void)place;
    return isfinite((float)value)
               ? AW_OK
               : aw_fail(err, AW_LIMIT, "%.40s is more than a packet can carry", text);
}

static const struct aw_gain_file own_file = {
    .places = PLACES,
    .heading = "joint controller gain value",
    .example = "m1 pid kp 0.1",
    .find = find,
    .name = name,
    .check = check,
};

enum aw_status aw_own_load_gains(struct aw_session *session, const char *path)
{
    struct aw_gain gains[PLACES];
    struct aw_own_arm *arm = aw_own_arm(session);
    enum aw_status status = aw_gain_file_read(&own_file, arm, gains, NULL, path, &session->err);
    for (size_t i = 0; i < PLACES && status == AW_OK; i++)
        if (gains[i].known)
            arm->joints[i / AW_JOINT_GAINS].gains[i % AW_JOINT_GAINS] = (double)gains[i].value;
    return status;
}

/* ---- The command ---- */

static const void *context(const struct aw_session *session)
{
    return aw_own_arm(session);
}

static enum aw_status open(struct aw_session *session)
{
    struct aw_joint_list list;
    enum aw_status status = aw_joints_begin(session, &list);
    aw_joints_free(&list);
    return status == AW_OK ? aw_own_read_gains(session) : status;
}

static enum aw_status read_all(struct aw_session *session, struct aw_gain *gains,
                               const struct aw_gain **now)
{
    const struct aw_own_arm *arm = aw_own_arm(session);
    enum aw_status status = open(session);
    (void)now;
    for (size_t i = 0; i < arm->n * AW_JOINT_GAINS && status == AW_OK; i++) {
        double value = arm->joints[i / AW_JOINT_GAINS].gains[i % AW_JOINT_GAINS];
        gains[i] = (struct aw_gain){!isnan(value), isnan(value) ? 0 : (float)value, 0};
    }
    return status;
}

static enum aw_status take_word(struct aw_session *session, const char *word, const char *value,
                                struct aw_gain *wanted)
{
    char joint[64];
    const char *dot = strrchr(word, '.');
    double number;
    size_t place;
    struct aw_error why;
    if (!dot)
        return aw_fail(&session->err, AW_USAGE, "gains set: '%.40s' — write JOINT.kp=VALUE", word);
    snprintf(joint, sizeof joint, "%.*s", (int)(dot - word), word);
    enum aw_status status = find_place(aw_own_arm(session), joint, dot + 1, &place, &session->err);
    if (status != AW_OK)
        return status;
    status = aw_number_parse(value, &number, &why);
    if (status != AW_OK)
        return aw_fail(&session->err, status, "%.40s: %.200s", word, why.text);
    wanted[place] = (struct aw_gain){true, (float)number, 0};
    return check(place, number, value, &session->err);
}

static enum aw_status send(struct aw_session *session, const struct aw_gain *wanted, size_t *n)
{
    double values[AW_OWN_JOINTS][AW_JOINT_GAINS];
    bool dry = aw_flag(session, "dry-run");
    for (size_t i = 0; i < PLACES; i++) {
        values[i / AW_JOINT_GAINS][i % AW_JOINT_GAINS] =
            wanted[i].known ? (double)wanted[i].value : (double)NAN;
        *n += wanted[i].known;
    }
    enum aw_status status = dry ? AW_OK : open(session);
    if (status == AW_OK)
        status = aw_own_set_gains(session, values);
    if (dry && status == AW_USAGE)
        return aw_dry_depends(session, "the other gains of the device");
    *n = status == AW_OK ? *n : 0;
    return status;
}

/* Confirmed is what is read back. */
static bool are_told(const struct aw_own_arm *arm, bool *any)
{
    bool all = true;
    *any = false;
    for (size_t i = 0; i < arm->n * AW_JOINT_GAINS; i++) {
        const struct aw_own_joint *joint = &arm->joints[i / AW_JOINT_GAINS];
        bool set = joint->gain_set[i % AW_JOINT_GAINS].message;
        *any = *any || set;
        all = all && (!set || joint->gain_told[i % AW_JOINT_GAINS].message);
    }
    return all;
}

enum aw_status aw_run_own_gains(struct aw_session *session, const struct aw_args *args)
{
    bool any, all = are_told(aw_own_arm(session), &any);
    const struct aw_gain_hooks hooks = {
        .file = &own_file,
        .joint = "joint",
        .sent = all ? "confirmed" : "sent",
        .none = "the firmware tells none, and none were sent in this session — 'kp = SETS TELLS' "
                "in a [joint] says which packet's field tells it",
        .context = context,
        .read = read_all,
        .word = take_word,
        .send = send};
    if (!any)
        return aw_fail(&session->err, AW_USAGE,
                       "gains: no joint of the packet file has any — 'kp = PACKET.FIELD' in its "
                       "[joint] says what sets it");
    return aw_gains_run(session, args, &hooks);
}
