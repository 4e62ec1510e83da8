/* Checks that the gains of a joint take effect. */
#include <string.h>

#include "shell/safety/safety.h"
#include "tuning/verbs/trials.h"

#define REST_S 0.2
#define ACTS_S 0.4 /* time in which a servo would move, s */
#define SHARE  0.3 /* share of the step that counts as a motion */
#define CALM_S 0.05

/* Fails because the gains have no effect. For a simulator, suggests another joint. */
static enum aw_status refuse(struct aw_bench *bench)
{
    struct aw_session *session = bench->session;
    const struct aw_tool *base = session->device.custom.base, *tool = base ? base : session->tool;
    const char *url, *acts = tool->bench ? tool->bench->acts : NULL;
    bool simulated = acts && aw_session_url(session, &url) == AW_OK && strncmp(url, "sim:", 4) == 0;
    return aw_fail(&session->err, AW_REFUSED,
                   "%s follows its setpoint even with gains of 0: its servo has its own control "
                   "loop — measure it with step or identify%s%s%s",
                   bench->joint.name, simulated ? ", or simulate another drive: -l '" : "",
                   simulated ? acts : "", simulated ? "'" : "");
}

/* Sends gains of 0 and a setpoint. A motor that obeys the gains does not move then; a servo with
 * its own control loop does. */
enum aw_status aw_bench_check_gains_act(struct aw_bench *bench)
{
    double scale = bench->joint.scale;
    aw_session_moves(bench->session); /* from now on, the end of the command restores the gains */
    enum aw_status status = aw_bench_gains(bench, (struct aw_gains){0});
    if (status == AW_OK)
        status = aw_bench_collect(bench, REST_S);
    double start = bench->last[AW_BENCH_MEASURED];
    double away = start / scale > 0 ? -bench->joint.step / 2 : bench->joint.step / 2;
    if (status == AW_OK)
        status = aw_bench_push(bench, start / scale + away);
    if (status == AW_OK)
        status = aw_bench_collect(bench, ACTS_S);
    double moved = (bench->last[AW_BENCH_MEASURED] - start) / scale / away;
    if (status == AW_OK && moved > SHARE)
        return refuse(bench);
    return status == AW_OK ? aw_bench_calm_gains(bench) : status;
}

/* Sends the setpoint before the gains, because otherwise kd would respond to the jump of the
 * setpoint. */
enum aw_status aw_bench_calm_gains(struct aw_bench *bench)
{
    enum aw_status status =
        aw_bench_push(bench, bench->last[AW_BENCH_MEASURED] / bench->joint.scale);
    if (status == AW_OK && bench->hooks->law != AW_BENCH_TOLD)
        status = aw_bench_collect(bench, CALM_S);
    return status == AW_OK ? aw_bench_gains(bench, bench->old) : status;
}
