/* unitysim camera and update: sets and reads the camera, and saves named views. */
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xdg.h"
#include "protocol/unitysim/fields.h"
#include "shell/safety/safety.h"
#include "state.h"

static const struct {
    const char *name, *unit;
    size_t offset;
} fields[] = {
    {"x", "mm", offsetof(struct aw_unitysim_camera, x)},
    {"y", "mm", offsetof(struct aw_unitysim_camera, y)},
    {"z", "mm", offsetof(struct aw_unitysim_camera, z)},
    {"rx", "deg", offsetof(struct aw_unitysim_camera, rx)},
    {"ry", "deg", offsetof(struct aw_unitysim_camera, ry)},
    {"rz", "deg", offsetof(struct aw_unitysim_camera, rz)},
};

enum { PARTS = sizeof fields / sizeof *fields };

/* ---- Saved views ---- */

/* Loads the saved views. Sets path to their file: of --views, else in the config directory. */
static enum aw_status load_views(struct aw_session *session, struct aw_unitysim_views *views,
                                 char path[PATH_MAX])
{
    const char *given_path = unitysim_given(session)->views;
    if (given_path)
        snprintf(path, PATH_MAX, "%s", given_path);
    else if (!aw_xdg_path(AW_XDG_CONFIG, "CameraViews.csv", path, PATH_MAX))
        return aw_fail(&session->err, AW_USAGE,
                       "camera views: HOME is not set — give --views FILE");
    return aw_unitysim_views_load(views, path, &session->err);
}

enum aw_status unitysim_find_view(struct aw_session *session, const char *name,
                                  struct aw_unitysim_camera *camera)
{
    struct aw_unitysim_views views;
    char path[PATH_MAX];
    *camera = (struct aw_unitysim_camera){0};
    if (strcmp(name, "default") == 0)
        return AW_OK;
    enum aw_status status = load_views(session, &views, path);
    if (status != AW_OK)
        return status;
    status = aw_unitysim_views_parse(&views, name, camera, &session->err);
    aw_unitysim_views_free(&views);
    return status;
}

void unitysim_complete_views(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    struct aw_unitysim_views views;
    char path[PATH_MAX];
    add(context, "default", "view of the scene");
    if (load_views(session, &views, path) != AW_OK)
        return;
    for (size_t i = 0; i < views.n; i++)
        add(context, views.views[i].name, NULL);
    aw_unitysim_views_free(&views);
}

static void add_camera(struct aw_object *object, const struct aw_unitysim_camera *camera)
{
    for (size_t i = 0; i < PARTS; i++)
        aw_object_add_number(object, fields[i].name,
                             *(const int *)((const char *)camera + fields[i].offset), 0,
                             fields[i].unit);
}

static enum aw_status list_views(struct aw_session *session)
{
    struct aw_unitysim_views views;
    char path[PATH_MAX];
    enum aw_status status = load_views(session, &views, path);
    if (status != AW_OK)
        return status;
    for (size_t i = 0; i < views.n; i++) {
        const struct aw_unitysim_camera *c = &views.views[i].camera;
        const char *name = views.views[i].name;
        struct aw_object row;
        aw_object_start(&row, NULL);
        aw_object_add_text(&row, "view", name);
        add_camera(&row, c);
        aw_session_print_row(session, &row, "%-32s %6d %6d %6d mm  %4d %4d %4d deg\n", name, c->x,
                             c->y, c->z, c->rx, c->ry, c->rz);
    }
    if (views.n == 0)
        aw_session_print_notice(session, "no saved views in %s — save one with 'camera save NAME'",
                                path);
    aw_unitysim_views_free(&views);
    return AW_OK;
}

/* ---- The camera ---- */

static void report_camera(struct aw_session *session, const char *result,
                          const struct aw_unitysim_camera *camera)
{
    struct aw_object *object = &session->result;
    aw_object_start(object, "camera");
    aw_object_add_text(object, "result", result);
    add_camera(object, camera);
}

static enum aw_status read_camera(struct aw_session *session, struct aw_unitysim_camera *camera)
{
    enum aw_status status = aw_unitysim_camera_get(unitysim_client(session), camera,
                                                   unitysim_timeout_ns(session, 2), &session->err);
    unitysim_notice_last_news(session);
    return status;
}

/* Sends the camera and reads its new position. */
static enum aw_status send_camera(struct aw_session *session,
                                  const struct aw_unitysim_camera *camera)
{
    struct aw_unitysim *unity = unitysim_client(session);
    struct aw_unitysim_camera now;
    struct aw_record record;
    if (session->options.run.dry_run) {
        aw_unitysim_build_update(unity, camera, &record);
        return unitysim_dry_run(session, &record);
    }
    enum aw_status status =
        aw_unitysim_update(unity, camera, unitysim_timeout_ns(session, 2), &session->err);
    if (status == AW_OK)
        unitysim_save_limits(session, &unity->options.limits);
    if (status == AW_OK)
        status = read_camera(session, &now);
    if (status == AW_OK)
        report_camera(session, camera->y == 0 ? "default" : "set", &now);
    return status;
}

/* Parses the camera's values, and sets *given to their number. Missing values are NaN. */
static enum aw_status parse_values(struct aw_session *session, const struct aw_args *args,
                                   double values[PARTS], size_t *given)
{
    enum aw_status status = AW_OK;
    *given = 0;
    for (size_t i = 0; i < PARTS && status == AW_OK; i++) {
        values[i] = NAN;
        status = aw_arg_number(session, args, fields[i].name, &values[i]);
        if (status == AW_OK && fabs(values[i]) > UINT16_MAX)
            return aw_fail(&session->err, AW_LIMIT,
                           "camera: %s %.9g %s is out of range (%d to %d %s)", fields[i].name,
                           values[i], fields[i].unit, -UINT16_MAX, UINT16_MAX, fields[i].unit);
        *given += isnan(values[i]) ? 0 : 1;
    }
    if (status == AW_OK && *given == 0)
        return aw_fail(&session->err, AW_USAGE,
                       "camera set: wrong arguments — give x y z rx ry rz, or some by name: camera "
                       "set y=500 rx=66");
    if (status == AW_OK && *given < PARTS && session->options.run.dry_run)
        return aw_dry_run_depends(session, "the position of the camera");
    return status;
}

/* Keeps values that are not given. */
static enum aw_status change_camera(struct aw_session *session, const struct aw_args *args)
{
    struct aw_unitysim_camera camera = {0};
    double values[PARTS];
    size_t n_given;
    enum aw_status status = parse_values(session, args, values, &n_given);
    if (status == AW_OK && n_given < PARTS)
        status = read_camera(session, &camera);
    if (status != AW_OK)
        return status;
    for (size_t i = 0; i < PARTS; i++)
        if (!isnan(values[i]))
            *(int *)((char *)&camera + fields[i].offset) = (int)lround(values[i]);
    if (camera.y == 0)
        aw_session_print_notice(session,
                                "y = 0 selects the view of the scene; other values are ignored");
    return send_camera(session, &camera);
}

static enum aw_status save_view(struct aw_session *session, const char *name)
{
    struct aw_unitysim_camera camera;
    struct aw_unitysim_views views;
    char path[PATH_MAX];
    if (strcmp(name, "default") == 0)
        return aw_fail(&session->err, AW_USAGE,
                       "'default' is reserved for the view of the scene — choose another name");
    enum aw_status status = read_camera(session, &camera);
    if (status == AW_OK)
        status = load_views(session, &views, path);
    if (status != AW_OK)
        return status;
    status = aw_unitysim_views_put(&views, name, &camera, &session->err);
    if (status == AW_OK)
        status = aw_unitysim_views_save(&views, path, &session->err);
    aw_unitysim_views_free(&views);
    if (status == AW_OK)
        report_camera(session, "saved", &camera);
    return status;
}

static enum aw_status show_camera(struct aw_session *session)
{
    struct aw_unitysim_camera camera;
    enum aw_status status = read_camera(session, &camera);
    if (status == AW_OK)
        report_camera(session, "got", &camera);
    return status;
}

enum aw_status run_camera_request(struct aw_session *session, const struct aw_args *args)
{
    struct aw_record request;
    enum aw_status status = unitysim_open_for_send(session);
    (void)args;
    aw_session_init_command(session, "camera_request", &request);
    if (status == AW_OK && session->options.run.dry_run)
        return unitysim_dry_run(session, &request);
    return status == AW_OK ? show_camera(session) : status;
}

enum aw_status run_camera(struct aw_session *session, const struct aw_args *args)
{
    const char *action = aw_arg(args, "action", 0), *name = aw_arg(args, "name", 0);
    struct aw_unitysim_camera camera = {0};
    action = action ? action : "get";
    if (strcmp(action, "views") == 0)
        return list_views(session);
    bool reads = strcmp(action, "get") == 0, saves = strcmp(action, "save") == 0;
    enum aw_status status =
        reads || saves ? unitysim_open(session) : unitysim_open_for_send(session);
    if (status != AW_OK)
        return status;
    if (reads)
        return show_camera(session);
    if (strcmp(action, "set") == 0)
        return change_camera(session, args);
    if (strcmp(action, "default") == 0)
        return send_camera(session, &camera);
    if (!name)
        return aw_fail(&session->err, AW_USAGE, "camera %s: no view given — add the name of a view",
                       action);
    if (saves)
        return save_view(session, name);
    status = unitysim_find_view(session, name, &camera);
    return status == AW_OK ? send_camera(session, &camera) : status;
}

/* Handles a record of an update, with camera and limits. */
enum aw_status run_update(struct aw_session *session, const struct aw_args *args)
{
    struct aw_record record;
    enum aw_status status = unitysim_open_for_send(session);
    if (status != AW_OK)
        return status;
    struct aw_unitysim *unity = unitysim_client(session);
    aw_unitysim_build_update(unity, NULL, &record);
    status = unitysim_read_fields(session, args, &record);
    if (status != AW_OK)
        return status;
    struct aw_unitysim_camera camera = aw_unitysim_get_camera(&record);
    unity->options.limits = aw_unitysim_get_limits(&record);
    status = aw_unitysim_limits_check(&unity->options.limits, &session->err);
    return status == AW_OK ? send_camera(session, &camera) : status;
}
