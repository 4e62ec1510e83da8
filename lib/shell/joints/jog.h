/* Keys of the interactive 'jog' (without an amount), in every tool: arrows step one joint, page
 * keys change the step, q quits.
 *
 *     struct aw_jog jog = {.session = session, .name = "elbow", .unit = "deg", .value = 30,
 *                          .step = 5, .min_step = 1, .max_step = 100, .move_by = move_by,
 *                          .context = &mine};
 *     return aw_jog_keys(&jog);
 */
#ifndef AW_SHELL_JOINTS_JOG_H
#define AW_SHELL_JOINTS_JOG_H

#include "shell/session/session.h"

struct aw_jog {
    struct aw_session *session;
    const char *name, *unit;
    double value;                    /* commanded position of the joint; updated by aw_jog_keys */
    double step, min_step, max_step; /* current, min and max step of one key */
    /* Moves the joint by this change. Returns once the joint may move again. Reports a target
     * outside the limits and does not send it (AW_LIMIT). */
    enum aw_status (*move_by)(struct aw_jog *jog, double change);
    void *context;
    bool by_keys; /* driven by keys instead of a single amount */
    bool ended;   /* set to end aw_jog_keys */
};

/* Runs until q, the end of input, a request to stop or a failure. AW_USAGE if standard input is not
 * a terminal. */
enum aw_status aw_jog_keys(struct aw_jog *jog);

#endif
