/* Reads and sends the board's gains: all of them for the command "gains", and those of the active
 * controller for "tune". */
#include "shell/settings/gains.h"

#include <stdio.h>

#include "protocol/hidmotor/gains.h"
#include "shell/safety/controller.h"
#include "shell/settings/settings.h"
#include "state.h"

/* Returns the gains of all motors, which share one packet per controller. */
static struct aw_device_setting *get_settings(struct aw_session *session)
{
    static const struct {
        const char *set, *reported;
    } packets[AW_HIDMOTOR_CONTROLLERS] = {
        [AW_HIDMOTOR_PID] = {"set_pid_gains", "pid_gains"},
        [AW_HIDMOTOR_VELOCITY] = {"set_velocity_gains", "velocity_gains"}};
    struct hidmotor_state *state = hidmotor_state(session);
    if (state->gains_protocol == session->wire->protocol)
        return state->gains;
    state->gains_protocol = session->wire->protocol;
    for (size_t i = 0; i < AW_HIDMOTOR_GAIN_COUNT; i++) {
        char gain[AW_GAIN_TEXT], set[AW_GAIN_TEXT + 24], reported[AW_GAIN_TEXT + 24];
        enum aw_hidmotor_controller controller = aw_hidmotor_gain_controller(i);
        aw_gain_file_name(&aw_hidmotor_gain_file, NULL, i, gain);
        snprintf(set, sizeof set, "%s.%s", packets[controller].set, gain);
        snprintf(reported, sizeof reported, "%s.%s", packets[controller].reported, gain);
        state->gains[i] = aw_device_setting_find(session, set, reported);
    }
    return state->gains;
}

/* Gains that the board does not report stay unknown. */
static void read_gains(struct aw_session *session, size_t kp, struct aw_gain_list *gains)
{
    struct aw_error saved_err = session->err;
    struct aw_gain_list list = {0};
    aw_settings_list(session, kp, &list);
    aw_settings_read(session, &list);
    aw_settings_list(session, kp, gains);
    session->err = saved_err;
}

const struct aw_controller hidmotor_gain_access = {
    .file = &aw_hidmotor_gain_file,
    .read = read_gains,
    .send = aw_settings_send,
    .error_start = "the joint is held, but its",
    .settings = get_settings,
    .needs_all = true,
    .set = aw_transmit,
};

/* Reads the gains of the board's motors; a packet has room for more. */
static enum aw_status read_board_gains(struct aw_session *session, struct aw_gain *gains,
                                       const struct aw_gain **now)
{
    struct aw_hidmotor_status status_now = {0};
    enum aw_status status = aw_gains_read(session, gains, now);
    if (status == AW_OK)
        status = aw_hidmotor_read_positions(hidmotor_arm(session), &status_now, &session->err);
    for (size_t i = 0; i < AW_HIDMOTOR_GAIN_COUNT && status == AW_OK; i++)
        if (aw_hidmotor_gain_motor(i) >= status_now.n)
            gains[i] = (struct aw_gain){.known = false};
    return status;
}

enum aw_status run_gains(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_gain_hooks hooks = {
        .sent_result = "confirmed",
        .read = read_board_gains,
        .assignment = "elbow.kp=0.02",
        .controller = hidmotor_command_given(session)->is_velocity ? "velocity" : "pid",
        .send = aw_gains_send};
    return aw_gains_run(session, args, &hooks);
}
