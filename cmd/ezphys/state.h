/* What ezphys keeps at session->state, and what its commands share. */
#ifndef AW_CMD_EZPHYS_STATE_H
#define AW_CMD_EZPHYS_STATE_H

#include "ezphys/names.h"
#include "shell/session.h"

struct ez_state {
    /* Names of the simulation that is spoken to: those of the scene on sim: links, put here when
     * the link is opened, and those of --names. */
    struct aw_ez_names names;
};

static inline struct ez_state *ez_state(struct aw_session *session)
{
    return session->state;
}

/* sim: starts ezphys-sim and talks to it. Its open gets the session as context, and adds the names
 * of the scene's bodies and joints to ez_state(session)->names. */
extern const struct aw_transport ez_sim_transport;

/* "sim": runs ezphys-sim for other processes. */
enum aw_status run_sim(struct aw_session *session, const struct aw_args *args);

#endif
