/* unitysim scene: loads a scene with camera and limits, and reports the sent values. */
#include <stdio.h>
#include <string.h>

#include "protocol/unitysim/fields.h"
#include "state.h"

static enum aw_status load_scene(struct aw_session *session, int scene,
                                 const struct aw_unitysim_camera *camera)
{
    struct aw_unitysim *unity = unitysim_client(session);
    struct aw_record record;
    int64_t wait_ns = (int64_t)(unitysim_scene_given(session)->wait_s * 1e9);
    aw_unitysim_build_scene(unity, scene, camera, &record);
    if (session->options.run.dry_run)
        return unitysim_dry_run(session, &record);
    enum aw_status status = aw_unitysim_scene_load(unity, scene, camera, wait_ns, &session->err);
    unitysim_notice_last_news(session);
    if (status != AW_OK)
        return status;
    unitysim_save_limits(session, &unity->options.limits);
    const struct aw_unitysim_scene *builtin = aw_unitysim_scene(scene);
    aw_object_start(&session->result, "scene");
    aw_object_add_number(&session->result, "scene", scene, 0, NULL);
    if (builtin)
        aw_object_add_text(&session->result, "name", aw_unitysim_scene_name(scene));
    aw_object_add_text(&session->result, "result", wait_ns > 0 ? "loaded" : "sent");
    if (builtin)
        aw_session_print_notice(session, "%s: %s", builtin->title, builtin->instruction);
    else
        aw_session_print_notice(session, "scene %d is not one of the six built-in scenes", scene);
    return AW_OK;
}

/* Reads frame rate, camera and limits from arguments named like a record's fields. */
static enum aw_status read_fields(struct aw_session *session, const struct aw_args *args, int scene,
                                  struct aw_unitysim_camera *camera)
{
    struct aw_unitysim_options *options = &unitysim_client(session)->options;
    struct aw_record record;
    aw_unitysim_build_scene(unitysim_client(session), scene, camera, &record);
    enum aw_status status = unitysim_read_fields(session, args, &record);
    if (status != AW_OK)
        return status;
    *camera = aw_unitysim_get_camera(&record);
    options->limits = aw_unitysim_get_limits(&record);
    options->frame_rate = (int)aw_record_get(&record, "frame_rate");
    return aw_unitysim_limits_check(&options->limits, &session->err);
}

enum aw_status run_scene(struct aw_session *session, const struct aw_args *args)
{
    struct aw_unitysim_camera camera = {0};
    struct aw_unitysim_limits limits;
    const char *view = unitysim_scene_given(session)->camera;
    int scene;
    enum aw_status status =
        aw_unitysim_scene_parse(aw_arg(args, "scene", 0), &scene, &session->err);
    if (status == AW_OK && view)
        status = unitysim_find_view(session, view, &camera);
    if (status == AW_OK)
        status = unitysim_open_for_send(session);
    if (status == AW_OK)
        status = unitysim_find_scene_limits(session, &limits);
    if (status != AW_OK)
        return status;
    unitysim_client(session)->options.limits = limits;
    unitysim_client(session)->options.frame_rate = (int)unitysim_scene_given(session)->fps;
    status = read_fields(session, args, scene, &camera);
    return status == AW_OK ? load_scene(session, scene, &camera) : status;
}
