/* The packets of the board's gains, and of the controller that drives its motors, for tune. */
#include <math.h>

#include "state.h"

#define LAST_TIMES 3

const struct hidmotor_gain_packets hidmotor_gain_packets[AW_HIDMOTOR_CONTROLLERS] = {
    [AW_HIDMOTOR_PID] = {"pid_gains", "set_pid_gains"},
    [AW_HIDMOTOR_VELOCITY] = {"velocity_gains", "set_velocity_gains"},
};

enum aw_status hidmotor_read_gains(struct aw_session *session, enum aw_hidmotor_controller i,
                                   struct aw_gain *gains)
{
    struct aw_hidmotor_reply reply;
    enum aw_status status = aw_hidmotor_read(hidmotor_arm(session), hidmotor_gain_packets[i].read,
                                             &reply, &session->err);
    if (status == AW_OK)
        aw_hidmotor_gains_from_record(gains, i, &reply.record);
    return status;
}

enum aw_status hidmotor_gains_packet(struct aw_session *session, enum aw_hidmotor_controller i,
                                     const struct aw_gain *gains, struct aw_record *request)
{
    aw_session_command(session, hidmotor_gain_packets[i].set, request);
    return aw_hidmotor_gains_to_record(gains, i, request, &session->err);
}

/* ---- The law ---- */

/* Reads a packet with the gains of all motors. */
static enum aw_status read_motors(struct aw_session *session, size_t kp, struct aw_gain_list *law)
{
    struct aw_gain gains[AW_HIDMOTOR_GAIN_PLACES] = {{.known = false}};
    enum aw_status status = hidmotor_read_gains(session, AW_HIDMOTOR_PID, gains);
    for (size_t i = 0; i < AW_HIDMOTOR_GAIN_PLACES; i++) {
        size_t place = (kp + i) % AW_HIDMOTOR_GAIN_PLACES;
        if (aw_hidmotor_gain_controller(place) == AW_HIDMOTOR_PID)
            aw_gain_list_add(law, place,
                             gains[place].known ? (double)gains[place].value : (double)NAN);
    }
    return status;
}

/* Gains that the board does not report stay unknown. */
static void read_law(struct aw_session *session, size_t kp, struct aw_gain_list *law)
{
    struct aw_error before = session->err;
    read_motors(session, kp, law);
    session->err = before;
}

static enum aw_status make_law(struct aw_session *session, const struct aw_gain_list *law,
                               struct aw_record *request)
{
    struct aw_gain gains[AW_HIDMOTOR_GAIN_PLACES] = {{.known = false}};
    for (size_t i = 0; i < law->n; i++)
        gains[law->of[i].place] =
            (struct aw_gain){.known = !isnan(law->of[i].value), .value = (float)law->of[i].value};
    return hidmotor_gains_packet(session, AW_HIDMOTOR_PID, gains, request);
}

static enum aw_status send_law(struct aw_session *session, const struct aw_gain_list *law)
{
    struct aw_gain_list there = {0};
    struct aw_record request;
    struct aw_error *err = &session->err;
    enum aw_status status = make_law(session, law, &request);
    if (status == AW_OK)
        status = aw_hidmotor_command(hidmotor_arm(session), &request, NULL, err);
    if (status == AW_OK)
        status = read_motors(session, (size_t)law->of[0].place, &there);
    for (size_t i = 0; i < law->n && status == AW_OK; i++) {
        float is = (float)there.of[i].value, sent = (float)law->of[i].value;
        if (is < sent || is > sent)
            status = aw_fail(err, AW_REFUSED, "gains not confirmed: the board reports %g, not %g",
                             (double)is, (double)sent);
    }
    return status;
}

const struct aw_law hidmotor_law = {
    .file = &aw_hidmotor_gain_file,
    .read = read_law,
    .send = send_law,
    .not_back = "the joint is held, but its",
};

/* Separates the frames by pauses, because the board buffers one report; one of the copies must
 * arrive. */
void hidmotor_last_law(struct aw_session *session, aw_frame_fn *add, void *context)
{
    struct aw_record request;
    uint8_t report[AW_HIDMOTOR_REPORT];
    const struct aw_gain_list *old = aw_law_kept(session);
    struct aw_error before = session->err;
    if (old && make_law(session, old, &request) == AW_OK &&
        aw_hidmotor_encode(hidmotor_arm(session), &request, report, &session->err) == AW_OK)
        for (int i = 0; i < LAST_TIMES; i++) {
            add(context, NULL, 0);
            add(context, report, sizeof report);
        }
    session->err = before;
}
