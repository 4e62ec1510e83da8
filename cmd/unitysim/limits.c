/* unitysim limits: the sent limits, saved for each simulator, and files of limits. */
#include "protocol/unitysim/limits.h"

#include <stdio.h>
#include <string.h>

#include "shell/joints/joints.h"
#include "shell/joints/verbs.h"
#include "shell/safety/safety.h"
#include "shell/session/config.h"
#include "state.h"

static struct aw_unitysim_limits *get_defaults(struct aw_session *session)
{
    struct unitysim_state *state = session->state;
    if (!state->limits.has_defaults)
        state->limits.defaults = aw_unitysim_limits_default();
    state->limits.has_defaults = true;
    return &state->limits.defaults;
}

enum aw_status unitysim_configure(struct aw_session *session, const char *section, const char *key,
                                  const char *value, struct aw_error *err)
{
    struct aw_unitysim_limits *limits = get_defaults(session);
    struct aw_error problem;
    int joint, ticks = 0;
    bool is_min = strcmp(key, "min") == 0;
    if (strncmp(section, "joint ", 6) != 0 || (!is_min && strcmp(key, "max") != 0))
        return aw_fail(err, AW_USAGE,
                       "[%.40s] %.40s: unknown key — write min and max in [joint NAME]", section,
                       key);
    enum aw_status status = aw_unitysim_joint_parse(section + 6, &joint, &problem);
    if (status == AW_OK)
        status = aw_unitysim_limits_parse_bound(joint, value, limits, &ticks, &problem);
    if (status != AW_OK)
        return aw_fail(err, status, "[%.40s] %s: %s", section, key, problem.text);
    *(is_min ? &limits->joint[joint].min : &limits->joint[joint].max) = ticks;
    return AW_OK;
}

/* ---- Sent limits ------------------------------------------------------------------------------
 * The simulator cannot report its limits, and an update contains all of them.
 */

void unitysim_save_limits(struct aw_session *session, const struct aw_unitysim_limits *limits)
{
    struct unitysim_state *state = session->state;
    char path[512];
    state->limits.sent = *limits;
    state->limits.has_sent = true;
    aw_write_link_state_path(session, "limits", path, sizeof path);
    if (*path)
        aw_unitysim_limits_save(limits, path, NULL);
}

enum aw_status unitysim_find_scene_limits(struct aw_session *session,
                                          struct aw_unitysim_limits *limits)
{
    const char *profile = unitysim_given(session)->limits;
    *limits = *get_defaults(session);
    enum aw_status status =
        profile ? aw_unitysim_limits_read(limits, NULL, profile, &session->err) : AW_OK;
    return status == AW_OK ? aw_unitysim_limits_check(limits, &session->err) : status;
}

enum aw_status unitysim_get_limits(struct aw_session *session, struct aw_unitysim_limits *limits)
{
    struct unitysim_state *state = session->state;
    enum aw_status status = AW_OK;
    char path[512];
    aw_write_link_state_path(session, "limits", path, sizeof path);
    if (!state->limits.has_sent && *path) {
        state->limits.sent = *get_defaults(session);
        state->limits.has_sent =
            aw_unitysim_limits_read(&state->limits.sent, NULL, path, NULL) == AW_OK;
    }
    *limits = state->limits.sent;
    if (unitysim_given(session)->limits || !state->limits.has_sent)
        status = unitysim_find_scene_limits(session, limits);
    if (status == AW_OK || !session->run.command || session->run.command->safety != AW_READ)
        return status;
    if (!state->limits.warned)
        aw_session_print_notice(session, "using the default limits: %s", session->err.text);
    state->limits.warned = true;
    session->err = (struct aw_error){.status = AW_OK}; /* stop and status do not need limits */
    *limits = aw_unitysim_limits_default();
    return AW_OK;
}

/* ---- The command ---- */

/* Returns the source of a limit: a file, the last sent one, the config file or the protocol. */
static const char *get_origin(struct aw_session *session, int joint, bool is_min)
{
    const struct unitysim_state *state = unitysim_state(session);
    const struct aw_unitysim_limits defaults = aw_unitysim_limits_default();
    const struct aw_unitysim_limit *configured = &get_defaults(session)->joint[joint];
    const struct aw_unitysim_limit *table = &defaults.joint[joint];
    if (unitysim_given(session)->limits)
        return unitysim_given(session)->limits;
    if (state->limits.has_sent)
        return "device";
    return (is_min ? configured->min == table->min : configured->max == table->max) ? "table"
                                                                                    : "config";
}

size_t unitysim_joint_limits(struct aw_session *session, const struct aw_joint *joint,
                             struct aw_joint_limit rows[AW_JOINT_LIMITS])
{
    const struct aw_unitysim_limit *limit =
        &unitysim_state(session)->limits.listed.joint[joint->id];
    int i = (int)joint->id;
    const char *min = get_origin(session, i, true), *max = get_origin(session, i, false);
    bool is_same = strcmp(min, max) == 0;
    rows[0] = (struct aw_joint_limit){.quantity = "position", .unit = "tick"};
    rows[0].min = limit->min;
    rows[0].max = limit->max;
    snprintf(rows[0].source, sizeof rows[0].source, "%s%s%s", min, is_same ? "" : ", ",
             is_same ? "" : max);
    rows[1] = rows[0];
    rows[1].quantity = "angle";
    rows[1].unit = "deg";
    rows[1].min = aw_unitysim_ticks_to_deg(limit->min);
    rows[1].max = aw_unitysim_ticks_to_deg(limit->max);
    rows[2] = (struct aw_joint_limit){
        .quantity = "velocity", .max = aw_unitysim_velocity_cap(i), .unit = "", .source = "table"};
    return 3;
}

static enum aw_status send_limits(struct aw_session *session,
                                  const struct aw_unitysim_limits *limits)
{
    struct aw_unitysim *unity = unitysim_client(session);
    struct aw_record record;
    unity->options.limits = *limits;
    if (session->options.run.dry_run) {
        aw_session_print_notice(session,
                                "--dry-run cannot request the camera, so the packet contains the "
                                "view of the scene");
        aw_unitysim_build_update(unity, NULL, &record);
        return unitysim_dry_run(session, &record);
    }
    enum aw_status status = unitysim_await_feedback(session);
    if (status == AW_OK)
        status = aw_unitysim_update(unity, NULL, unitysim_timeout_ns(session, 2), &session->err);
    if (status != AW_OK)
        return status;
    unitysim_save_limits(session, limits);
    aw_object_start(&session->result, "limits");
    aw_object_add_text(&session->result, "result", "sent");
    return AW_OK;
}

static enum aw_status set_limits(struct aw_session *session, const struct aw_args *args,
                                 struct aw_unitysim_limits *limits)
{
    const char *name = aw_arg(args, "joint", 0), *min = aw_arg(args, "min", 0);
    const char *max = aw_arg(args, "max", 0);
    int joint;
    if (!name || !min || !max)
        return aw_fail(&session->err, AW_USAGE,
                       "limits set: wrong arguments — give a joint and two positions: limits set "
                       "elbow 1700 2570");
    enum aw_status status = aw_unitysim_joint_parse(name, &joint, &session->err);
    if (status == AW_OK)
        status = aw_unitysim_limit_parse(limits, joint, min, max, &session->err);
    return status == AW_OK ? send_limits(session, limits) : status;
}

static enum aw_status load_or_save(struct aw_session *session, const struct aw_args *args,
                                   struct aw_unitysim_limits *limits, bool loads)
{
    const char *path = aw_arg(args, "file", 0);
    if (!path)
        return aw_fail(&session->err, AW_USAGE, "limits %s: no file given — add a file name",
                       loads ? "load" : "save");
    enum aw_status status = loads ? aw_unitysim_limits_read(limits, NULL, path, &session->err)
                                  : aw_dry_run_check(session);
    if (status != AW_OK)
        return status;
    return loads ? send_limits(session, limits)
                 : aw_unitysim_limits_save(limits, path, &session->err);
}

enum aw_status run_limits(struct aw_session *session, const struct aw_args *args)
{
    const char *action = aw_arg(args, "action", 0);
    struct aw_unitysim_limits limits;
    bool changes = action && (strcmp(action, "set") == 0 || strcmp(action, "load") == 0);
    enum aw_status status = unitysim_open_for_send(session);
    if (status == AW_NO_LINK && !changes) {
        /* Showing and saving work without a link; with one, they use that simulator's limits. */
        session->err = (struct aw_error){0};
        status = AW_OK;
    }
    if (status == AW_OK)
        status = unitysim_get_limits(session, &limits);
    if (status != AW_OK)
        return status;
    if (action && strcmp(action, "set") == 0)
        return set_limits(session, args, &limits);
    if (changes || (action && strcmp(action, "save") == 0))
        return load_or_save(session, args, &limits, changes);
    bool shows_all = !action || strcmp(action, "show") == 0;
    return aw_limits_show(session, shows_all ? NULL : action);
}
