/* Fuzzes the inputs of hidmotor: reports at both ends of the bus, faults and states of the
 * simulated board, and gain files. The first byte selects the part.
 *
 * The simulator must answer with whole reports and keep its arm within its limits. The client must
 * accept only finite numbers as a status and stop within the limits. Gains read from a file must
 * survive a round trip.
 */
#include <math.h>

#include "gains.h"
#include "peer.h"
#include "protocol/hidmotor/client.h"
#include "protocol/hidmotor/device.h"
#include "protocol/hidmotor/gains.h"
#include "protocol/hidmotor/motion.h"

/* ---- Simulator ---- */

/* Turns the input into a packet that the board supports. */
static void mend(struct peer *peer, struct segment *segment)
{
    (void)peer;
    const struct aw_protocol *protocol = &aw_hidmotor_protocol;
    uint32_t code = (uint32_t)protocol->messages[segment->data[0] % protocol->n_messages].code;
    memcpy(segment->data, &code, sizeof code);
    segment->size = AW_HIDMOTOR_REPORT;
}

static void check_simulator(struct aw_device *device, int64_t now)
{
    uint8_t report[AW_DEVICE_MESSAGE];
    struct aw_hidmotor_truth truth;
    size_t size;
    while ((size = device->ops->transmit(device, report, sizeof report)) > 0)
        MUST(size == AW_HIDMOTOR_REPORT);
    aw_hidmotor_device_get_truth(device, now, &truth);
    MUST(truth.gripper >= 0 && truth.gripper <= 180);
    for (int i = 0; i < AW_HIDMOTOR_DEVICE_MOTORS; i++)
        MUST(isfinite(truth.angle[i]) && isfinite(truth.speed[i]));
}

static void try_simulator(const uint8_t *data, size_t size)
{
    struct aw_hidmotor_device_options options = aw_hidmotor_device_defaults();
    feed_device(aw_hidmotor_device_new(&options), data, size, mend, check_simulator);
}

/* ---- Client ---- */

/* Completes the answer to the last request. */
static void mend_peer(struct peer *peer, struct segment *segment)
{
    memcpy(segment->data, peer->asked, sizeof peer->asked);
    segment->size = AW_HIDMOTOR_REPORT;
}

static void check_heard(struct peer *peer, struct aw_span report)
{
    (void)peer;
    MUST(report.size == AW_HIDMOTOR_REPORT);
}

static void must_be_sound(const struct aw_hidmotor_status *status)
{
    MUST(status->n >= 1 && status->n <= AW_HIDMOTOR_MOTORS);
    for (int i = 0; i < status->n; i++)
        MUST(isfinite(status->setpoint[i]) && isfinite(status->position[i]));
    MUST(status->n_velocity <= 4);
    for (int i = 0; i < status->n_velocity; i++)
        MUST(isfinite(status->velocity[i]) && isfinite(status->effort[i]));
}

static void must_stay_inside(const struct aw_hidmotor_stopped *stopped)
{
    struct aw_error err;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS && stopped->attempts; i++)
        MUST(aw_hidmotor_check_angle(i, stopped->deg[i], false, &err) == AW_OK);
}

static void try_client(const uint8_t *data, size_t size)
{
    static struct peer peer = {.mend = mend_peer, .received = check_heard};
    static struct aw_hidmotor arm;
    struct aw_hidmotor_options options = aw_hidmotor_defaults();
    struct aw_hidmotor_status status;
    struct aw_hidmotor_stopped stopped;
    struct aw_hidmotor_plan plan;
    struct aw_hidmotor_target target = {.given = {true}, .duration_ms = 100};
    struct aw_error err;
    peer_init(&peer, &aw_hidmotor_protocol, &aw_hidmotor_protocol.variants[0], data, size);
    peer.base.datagrams = true;
    aw_hidmotor_init(&arm, &peer.base, &options);
    if (aw_hidmotor_status(&arm, &status, &err) == AW_OK)
        must_be_sound(&status);
    if (aw_hidmotor_plan(&arm, &target, &plan, &err) == AW_OK &&
        aw_hidmotor_move(&arm, &plan, NULL, &err) == AW_OK)
        aw_hidmotor_wait(&arm, &plan, AW_HIDMOTOR_TOLERANCE, 10 * AW_SECOND, NULL, NULL, &err);
    aw_hidmotor_stop(&arm, &stopped, &err);
    must_stay_inside(&stopped);
    MUST(peer.clock.time_ns < 60 * AW_SECOND);
}

/* ---- Texts ---- */

TEXT_PART(try_faults)
{
    struct aw_hidmotor_faults faults;
    struct aw_error err = {.text = ""};
    if (aw_hidmotor_faults_parse(text, &faults, &err) != AW_OK)
        MUST(*err.text);
    else
        for (int i = 0; i < AW_HIDMOTOR_FAULTS; i++)
            MUST(faults.share[i] >= 0 && faults.share[i] <= 1);
}

static void try_gains(const uint8_t *data, size_t size)
{
    static struct aw_gain gains[AW_HIDMOTOR_GAIN_COUNT], again[AW_HIDMOTOR_GAIN_COUNT];
    try_gain_file(&aw_hidmotor_gain_file, gains, again, data, size);
}

PARTS(try_simulator, try_client, try_faults, try_gains)
