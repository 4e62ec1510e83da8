/* The command stop for custom joints. */
#include <stdio.h>

#include "shell/custom/custom.h"
#include "shell/joints/joints.h"
#include "shell/safety/safety.h"

/* Also stops the tool's own devices on a CAN bus. */
static enum aw_status stop_others(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_command *stop = aw_find_command(session->device.custom.base_tool, "stop");
    if (!session->tool->protocol->frames.is_can || !stop)
        return AW_OK;
    aw_session_print_result(session);
    return stop->run(session, args);
}

static enum aw_status run_custom_stop(struct aw_session *session, const struct aw_args *args)
{
    struct aw_joint_list list;
    char key[AW_JOINT_NAME];
    if (session->options.run.dry_run)
        return aw_dry_run_depends(session, "the position of the arm");
    enum aw_status status = aw_joints_begin(session, &list);
    if (status == AW_OK)
        status = session->tool->safety.stop(session);
    aw_joints_free(&list);
    if (status != AW_OK)
        return status;
    status = aw_joints_list(session, &list);
    aw_object_start(&session->result, "stop");
    aw_object_add_text(&session->result, "result", "confirmed");
    for (size_t i = 0; i < list.n; i++) {
        const struct aw_joint *joint = &list.joints[i];
        snprintf(key, sizeof key, "%.40s", joint->name);
        aw_object_add_number(&session->result, key, joint->state.value[AW_JOINT_ACTUAL],
                             joint->decimals, joint->unit[AW_JOINT_ACTUAL]);
    }
    aw_joints_free(&list);
    return status == AW_OK ? stop_others(session, args) : status;
}

/* clang-format off */
const struct aw_command aw_custom_stop_command = {
    .name = "stop", .group = AW_GROUP_MOVE, .for_custom = true, .safety = AW_READ,
    .summary = "stop the joints of a packet file", .run = run_custom_stop};
/* clang-format on */
