/* Fuzzes the inputs of canpid: frames at both ends of the bus, gain files, models, and the names of
 * boards, controllers and faults. The first byte selects the part.
 *
 * The simulator must send only valid frames of finite numbers and keep its joints between their
 * stops. The client must send only its setpoint and stops. Gains read from a file must survive a
 * round trip.
 */
#include <math.h>

#include "gains.h"
#include "peer.h"
#include "protocol/canpid/client.h"
#include "protocol/canpid/device.h"
#include "tuning/design.h"
#include "tuning/model.h"

enum { LKNEE = 0x40, ID_MAX = 0x7FF };

/* Addresses the frame to the board. */
static void mend(struct peer *peer, struct segment *segment)
{
    (void)peer;
    segment->data[0] = (uint8_t)(LKNEE | (segment->data[0] & 0x1F));
    segment->data[1] = 0;
    if (segment->size < 2)
        segment->size = 2;
}

/* ---- Simulator ---- */

static const char *sent_variant; /* of the simulator */

static void check_simulator(struct aw_device *device, int64_t now)
{
    struct aw_canpid_truth truth;
    struct aw_joint_model model = aw_joint_defaults();
    must_send_messages(device, &aw_canpid_protocol, sent_variant);
    MUST(aw_canpid_device_get_truth(device, LKNEE, now, &truth));
    MUST(fabs(truth.joint.lever) <= model.lever.stop_rad + 1e-9);
    MUST(fabs(truth.joint.link) <= model.link.stop_rad + 1e-9);
    MUST(isfinite(truth.joint.lever_speed) && isfinite(truth.joint.link_speed));
}

static void simulate(const uint8_t *data, size_t size, bool fw)
{
    struct aw_canpid_device_options options = aw_canpid_device_defaults();
    options.boards = AW_CANPID_BIT(LKNEE);
    options.act_on_arrival = !fw;
    options.fw = fw;
    sent_variant = fw ? "fw" : NULL;
    feed_device(aw_canpid_device_new(&options), data, size, mend, check_simulator);
}

static void try_simulator(const uint8_t *data, size_t size)
{
    simulate(data, size, false);
}

static void try_firmware(const uint8_t *data, size_t size)
{
    simulate(data, size, true);
}

/* ---- Client ---- */

static void check_heard(struct peer *peer, struct aw_span frame)
{
    struct aw_record record;
    MUST(aw_wire_decode(&peer->wire, AW_TX, frame, &record, NULL) == AW_OK);
    MUST(strcmp(record.codec->message->name, "setpoint") == 0);
    MUST(aw_record_get(&record, "board") == LKNEE);
}

static bool check_frame(void *context, const struct aw_received *received)
{
    struct aw_canpid *pid = context;
    MUST(received->frame.size <= AW_CANPID_FRAME_MAX);
    if (received->record)
        for (int i = 0; i < received->record->codec->n_scalars; i++)
            MUST(!isinf(received->record->v[i]));
    const struct aw_canpid_board *board = aw_canpid_board(pid, LKNEE);
    MUST(isfinite(board->setpoint) && isfinite(board->output) && isfinite(board->torque));
    MUST(board->controller >= AW_CANPID_LAST && board->controller < AW_CANPID_CONTROLLERS);
    return true;
}

static void try_client(const uint8_t *data, size_t size)
{
    static struct peer peer = {.mend = mend, .received = check_heard};
    static struct aw_canpid pid;
    const struct aw_variant *variant =
        &aw_canpid_protocol.variants[size % count_variants(&aw_canpid_protocol)];
    struct aw_canpid_options options = aw_canpid_defaults();
    struct aw_canpid_sent sent;
    struct aw_error err;
    peer_init(&peer, &aw_canpid_protocol, variant, data, size);
    peer.base.datagrams = true;
    aw_canpid_init(&pid, &peer.base, variant, &options);
    aw_canpid_idle(&pid, AW_SECOND, check_frame, &pid, &err);
    if (aw_canpid_send_setpoint(&pid, LKNEE, AW_CANPID_TOR, 0.1, &sent, &err) == AW_OK)
        aw_canpid_verify(&pid, &sent, peer.clock.time_ns + AW_SECOND, check_frame, &pid, &err);
    aw_canpid_stop(&pid, AW_CANPID_BIT(LKNEE), AW_CANPID_LAST, NULL, &err);
    MUST(peer.clock.time_ns < 60 * AW_SECOND);
}

/* ---- Texts ---- */

static void try_gains(const uint8_t *data, size_t size)
{
    static struct aw_gain gains[AW_CANPID_GAIN_COUNT], again[AW_CANPID_GAIN_COUNT];
    size_t place;
    try_gain_file(&aw_canpid_gain_file, gains, again, data, size);
    for (size_t next = 0; aw_gain_file_next_known(&aw_canpid_gain_file, gains, &next, &place);)
        MUST(fabs((double)gains[place].value) <= AW_CANPID_GAIN_MAX);
}

/* An accepted model must survive a round trip; gains proposed for it must be finite or refused. */
TEXT_PART(try_model)
{
    static struct aw_model model, again;
    struct copy copy;
    struct aw_error err = {.text = ""};
    enum aw_status status = aw_model_read(&model, text, "fuzz", &err);
    if (status != AW_OK) {
        MUST(strncmp(err.text, "fuzz:", 5) == 0);
        return;
    }
    aw_model_write(write_copy(&copy), &model);
    read_copy(&copy);
    MUST(aw_model_read(&again, copy.text, "again", &err) == AW_OK);
    end_copy(&copy);
    const struct aw_process *a = &model.fit.process, *b = &again.fit.process;
    MUST(aw_process_kind_of(a) == aw_process_kind_of(b) && a->dead_time_s >= 0 && a->a1 >= 0);
    struct aw_driver driver = {
        .tick_s = 0.004, .dead_band = 0.01, .friction = 0.01, .gain_max = 100};
    for (int form = 0; form < AW_FORMS; form++) {
        struct aw_design_options o = {.form = (enum aw_form)form};
        struct aw_proposal proposal;
        if (aw_design(a, &driver, &o, &proposal, &err) == AW_OK)
            MUST(isfinite(proposal.per_tick.kp) && proposal.margins.stable);
    }
}

TEXT_PART(try_names)
{
    char name[AW_CANPID_NAME_MAX];
    enum aw_canpid_error fault;
    struct aw_error err = {.text = ""};
    int board = aw_canpid_board_find(NULL, text);
    int controller = aw_canpid_controller_find(text);
    MUST(board <= ID_MAX && board % 32 <= 0 && board >= -1);
    if (board >= 0)
        MUST(aw_canpid_board_find(NULL, aw_canpid_board_name(NULL, (unsigned)board, name)) ==
             board);
    if (controller >= 0)
        MUST(aw_canpid_controller_find(aw_canpid_controller_name(controller)) == controller);
    MUST(aw_canpid_gain_find(text) < AW_CANPID_GAINS);
    if (aw_canpid_fault_parse(text, &fault, &err) != AW_OK)
        MUST(*err.text);
}

PARTS(try_simulator, try_firmware, try_client, try_gains, try_names, try_model)
