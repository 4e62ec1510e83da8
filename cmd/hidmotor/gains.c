/* hidmotor gains: the board's packets for showing, setting and sending gains. */
#include "protocol/hidmotor/gains.h"
#include "shell/joints/gains.h"
#include "shell/safety/safety.h"
#include "state.h"

static enum aw_status read_all(struct aw_session *session, struct aw_gain *gains)
{
    enum aw_status status = hidmotor_ready(session);
    for (int i = 0; i < AW_HIDMOTOR_CONTROLLERS && status == AW_OK; i++)
        status = hidmotor_read_gains(session, (enum aw_hidmotor_controller)i, gains);
    return status;
}

/* Reads the gains of the board's motors; a packet has room for more. */
static enum aw_status read_own(struct aw_session *session, struct aw_gain *gains,
                               const struct aw_gain **now)
{
    struct aw_hidmotor_status there = {0};
    enum aw_status status = read_all(session, gains);
    (void)now;
    if (status == AW_OK)
        status = aw_hidmotor_positions(hidmotor_arm(session), &there, &session->err);
    for (size_t i = 0; i < AW_HIDMOTOR_GAIN_PLACES && status == AW_OK; i++)
        if (aw_hidmotor_gain_motor(i) >= there.n)
            gains[i] = (struct aw_gain){.known = false};
    return status;
}

/* A packet contains the gains of all motors, so this merges the new values into the board's. */
static enum aw_status send_packets(struct aw_session *session, const struct aw_gain *wanted,
                                   size_t *n)
{
    struct aw_gain gains[AW_HIDMOTOR_GAIN_PLACES] = {{.known = false}};
    size_t named[AW_HIDMOTOR_CONTROLLERS] = {0};
    bool dry = session->options.run.dry_run;
    enum aw_status status = dry ? AW_OK : read_all(session, gains);
    for (size_t i = 0; i < AW_HIDMOTOR_GAIN_PLACES; i++)
        if (wanted[i].known) {
            gains[i] = wanted[i];
            named[aw_hidmotor_gain_controller(i)]++;
        }
    for (int i = 0; i < AW_HIDMOTOR_CONTROLLERS && status == AW_OK; i++) {
        struct aw_record request;
        if (!named[i])
            continue;
        status = hidmotor_gains_packet(session, (enum aw_hidmotor_controller)i, gains, &request);
        if (status == AW_USAGE && dry)
            return aw_dry_depends(session, "the other gains of the board");
        if (status == AW_OK)
            status = hidmotor_set(session, &request);
        *n += status == AW_OK ? named[i] : 0;
    }
    return status;
}

enum aw_status run_gains(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_gain_hooks hooks = {
        .sent = "confirmed",
        .read = read_own,
        .controller = hidmotor_command_given(session)->velocity ? "velocity" : "pid",
        .send = send_packets};
    return aw_gains_run(session, args, &hooks);
}
