/* Parsing, completion, results and terminal keys for unitysim's joints. */
#include <stdio.h>
#include <string.h>

#include "state.h"

/* Writes the name of a pair to name[48]. */
static void copy_pair_name(const struct aw_bound *bound, char name[48])
{
    size_t length = strcspn(bound->name, "=");
    snprintf(name, 48, "%.*s", (int)(length < 47 ? length : 47), bound->name);
}

enum aw_status unitysim_parse_drive(struct aw_session *session, const struct aw_bound *bound,
                                    int *joint, struct aw_unitysim_drive *drive)
{
    char name[48];
    copy_pair_name(bound, name);
    enum aw_status status = aw_unitysim_joint_parse(name, joint, &session->err);
    if (status == AW_OK)
        status = aw_unitysim_drive_parse(*joint, bound->text, session->options.run.force, drive,
                                         &session->err);
    if (status != AW_LIMIT || !unitysim_given(session)->clamp)
        return status;
    unitysim_state(session)->clamped++;
    return AW_OK;
}

void unitysim_format_position(int ticks, char *out, size_t size)
{
    snprintf(out, size, "%d (%.1f deg)", ticks, aw_unitysim_ticks_to_deg(ticks));
}

void unitysim_report_ticks(struct aw_session *session, int joint, int ticks)
{
    char key[48];
    snprintf(key, sizeof key, "%s.ticks", aw_unitysim_joint_name(joint));
    aw_object_add_number(&session->result, key, ticks, 0, NULL);
}

void unitysim_report_joint(struct aw_session *session, int joint)
{
    const struct aw_unitysim_feedback *feedback = &unitysim_client(session)->feedback;
    char key[48];
    if (feedback->count == 0)
        return;
    int ticks = feedback->position[joint];
    unitysim_report_ticks(session, joint, ticks);
    snprintf(key, sizeof key, "%s.actual", aw_unitysim_joint_name(joint));
    aw_object_add_number(&session->result, key, aw_unitysim_ticks_to_deg(ticks), 2, "deg");
}

/* ---- Completion ---- */

static void add_pair(aw_candidate_fn *add, void *context, int joint, const char *value,
                     const char *help)
{
    char text[64];
    snprintf(text, sizeof text, "%s=%s", aw_unitysim_joint_name(joint), value);
    add(context, text, help);
}

static void add_pairs(struct aw_session *session, aw_candidate_fn *add, void *context,
                      const char *label)
{
    struct aw_unitysim_limits limits;
    char help[96];
    bool has_limits = unitysim_get_limits(session, &limits) == AW_OK;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        if (has_limits && *label == 'p')
            snprintf(help, sizeof help, "%s, %d to %d", label, limits.joint[i].min,
                     limits.joint[i].max);
        else
            snprintf(help, sizeof help, "%s, up to %d", label, aw_unitysim_velocity_cap(i));
        add_pair(add, context, i, "", help);
    }
    add_pair(add, context, AW_UNITYSIM_HAND, "open", "the fingers");
    add_pair(add, context, AW_UNITYSIM_HAND, "close", "the fingers");
}

void unitysim_complete_drives(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    add_pairs(session, add, context, "velocity, + increases the ticks");
}

void unitysim_complete_goals(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    add_pairs(session, add, context, "position in ticks or deg");
    add(context, "velocity=", "velocity of all named joints, in units of 0.684 deg/s");
    add(context, "tolerance=", "tolerance in ticks");
    add(context, "timeout=", "time limit");
}
