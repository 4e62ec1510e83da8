/* The keys of 'jog' without an amount, the same in every tool: arrows move one joint in steps, page
 * keys change the step, q quits.
 *
 *     struct aw_jog jog = {.session = session, .name = "elbow", .unit = "deg", .value = 30,
 *                          .step = 5, .least = 1, .most = 100, .go = go, .context = &mine};
 *     return aw_jog_keys(&jog);
 */
#ifndef AW_SHELL_COMMANDS_JOG_H
#define AW_SHELL_COMMANDS_JOG_H

#include "shell/core/session.h"

struct aw_jog {
    struct aw_session *session;
    const char *name, *unit;
    double value;             /* where the joint is commanded to be; kept by aw_jog_keys */
    double step, least, most; /* of one key */
    /* Moves it by so much, and comes back when it may be moved again. What is outside its limits
     * (AW_LIMIT) is told and not done. */
    enum aw_status (*go)(struct aw_jog *jog, double change);
    void *context;
    bool keys; /* it is driven by keys, and not by one amount */
    bool done; /* of aw_jog_keys */
};

/* Until q, the end of input, a request to stop or a failure. AW_USAGE where standard input is no
 * terminal. */
enum aw_status aw_jog_keys(struct aw_jog *jog);

#endif
