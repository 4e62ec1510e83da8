/* limits: what the motors of the simulation may be sent. The protocol knows one, and
 * the simulation tells none: stops of its joints are its own affair. */
#include "shell/commands/limits.h"

#include <math.h>
#include <stdlib.h>

#include "state.h"

enum aw_status run_limits(struct aw_session *session, const struct aw_args *args)
{
    static const struct aw_limit kinds[] = {
        {.of = "velocity", .min = NAN, .max = NAN, .from = "none", .firm = true},
        {.of = "max_torque", .min = 0, .max = NAN, .from = "table", .firm = true},
        {.of = "torque", .min = NAN, .max = NAN, .from = "none", .firm = true},
    };
    const size_t n_kinds = sizeof kinds / sizeof *kinds;
    enum aw_status status = ez_begin(session);
    if (status != AW_OK)
        return status;
    const struct aw_ezphys_state *state = &ez_of(session)->state;
    struct aw_limit *rows = calloc(state->n_joints * n_kinds + 1, sizeof *rows);
    if (!rows)
        return aw_no_memory(&session->err);
    size_t n = 0;
    for (size_t i = 0; i < state->n_joints; i++)
        for (size_t k = 0; k < n_kinds; k++) {
            const char *joint = state->joints[i].object.name;
            struct ez_units units = ez_units(session, joint);
            rows[n] = kinds[k];
            rows[n].unit = k == 0 ? units.velocity : units.torque;
            rows[n++].joint = joint;
        }
    status = aw_limits_show(session, aw_arg(args, "joint", 0), rows, n);
    free(rows);
    return status;
}
