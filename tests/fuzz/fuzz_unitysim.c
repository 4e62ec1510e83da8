/* Fuzzes the inputs of unitysim: datagrams at both ends of the virtual arm, files of joint limits,
 * motion sequences and camera views. The first byte selects the part.
 *
 * The simulator must stay within its limits and send only valid datagrams. The client must not
 * exceed the maximum speed or move other joints. Values read from a file must fit the wire and
 * survive a round trip.
 */
#include <math.h>

#include "peer.h"
#include "protocol/unitysim/client.h"
#include "protocol/unitysim/device.h"
#include "protocol/unitysim/limits.h"
#include "protocol/unitysim/sequence.h"
#include "protocol/unitysim/views.h"

/* Corrects the checksum, the last byte of a datagram. */
static void mend(struct peer *peer, struct segment *segment)
{
    (void)peer;
    if (segment->size > 3)
        segment->data[segment->size - 1] =
            aw_unitysim_protocol.frames.checksum(segment->data, segment->size - 1);
}

/* ---- Simulator ---- */

static void check_simulator(struct aw_device *device, int64_t now)
{
    struct aw_unitysim_truth truth;
    must_send_messages(device, &aw_unitysim_protocol, NULL);
    aw_unitysim_device_get_truth(device, now, &truth);
    MUST(truth.counters.received == truth.counters.applied + truth.counters.empty +
                                        truth.counters.header + truth.counters.checksum +
                                        truth.counters.size + truth.counters.type);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        MUST(isfinite(truth.degrees[i]) && truth.degrees[i] >= -180 &&
             truth.degrees[i] <= aw_unitysim_ticks_to_deg(65535));
}

static void try_simulator(const uint8_t *data, size_t size)
{
    struct aw_unitysim_device_options options = aw_unitysim_device_defaults();
    options.scene = 1;
    feed_device(aw_unitysim_device_new(&options), data, size, mend, check_simulator);
}

/* ---- Client ---- */

static void check_heard(struct peer *peer, struct aw_span datagram)
{
    struct aw_record record;
    MUST(aw_wire_decode(&peer->wire, AW_TX, datagram, &record, NULL) == AW_OK);
    if (strcmp(record.codec->message->name, "control") != 0)
        return;
    MUST(aw_record_get(&record, "elbow.velocity") <= aw_unitysim_velocity_cap(AW_UNITYSIM_ELBOW));
    MUST(aw_record_get(&record, "shoulder.state") <= AW_UNITYSIM_STOP);
    MUST(aw_record_get(&record, "hand.state") <= AW_UNITYSIM_STOP);
}

static void try_client(const uint8_t *data, size_t size)
{
    static struct peer peer = {.mend = mend, .received = check_heard};
    static struct aw_unitysim unity;
    struct aw_unitysim_options options = aw_unitysim_defaults();
    struct aw_unitysim_move move = {.timeout_ns = AW_SECOND};
    peer_init(&peer, &aw_unitysim_protocol, &aw_unitysim_protocol.variants[0], data, size);
    peer.base.datagrams = true;
    options.samples_max = 0;
    aw_unitysim_init(&unity, &peer.base, NULL, &options);
    aw_unitysim_set_goal(&move, AW_UNITYSIM_ELBOW, 2500);
    aw_unitysim_move(&unity, &move, NULL, NULL, NULL);
    aw_unitysim_stop(&unity, NULL);
    MUST(peer.clock.time_ns < 60 * AW_SECOND);
    aw_unitysim_free(&unity);
}

/* ---- Limits ---- */

static void read_limits_again(const struct aw_unitysim_limits *limits)
{
    struct aw_error err;
    struct aw_unitysim_limits again = aw_unitysim_limits_default();
    struct copy copy;
    aw_unitysim_limits_write(limits, write_copy(&copy));
    MUST(aw_unitysim_limits_read(&again, read_copy(&copy), "again", &err) == AW_OK);
    MUST(memcmp(&again, limits, sizeof again) == 0);
    end_copy(&copy);
}

FILE_PART(try_limits)
{
    struct aw_error err = {.text = ""};
    struct aw_unitysim_limits usual = aw_unitysim_limits_default(), limits = usual;
    if (aw_unitysim_limits_read(&limits, in, "fuzz", &err) == AW_OK) {
        MUST(aw_unitysim_limits_check(&limits, &err) == AW_OK);
        read_limits_again(&limits);
    } else {
        MUST(strncmp(err.text, "fuzz:", 5) == 0);
        MUST(memcmp(&limits, &usual, sizeof limits) == 0);
    }
}

/* ---- Sequences ---- */

static void read_sequence_again(const struct aw_sequence *sequence)
{
    struct aw_error err;
    struct aw_sequence again = {0};
    struct copy copy;
    MUST(aw_sequence_write(write_copy(&copy), sequence, &err) == AW_OK);
    MUST(aw_sequence_read(read_copy(&copy), "again", &again, &err) == AW_OK);
    MUST(again.n == sequence->n);
    for (size_t i = 0; i < again.n; i++) {
        again.rows[i].line = sequence->rows[i].line;
        MUST(memcmp(&again.rows[i], &sequence->rows[i], sizeof again.rows[i]) == 0);
    }
    aw_sequence_free(&again);
    end_copy(&copy);
}

FILE_PART(try_sequence)
{
    struct aw_error err = {.text = ""};
    struct aw_sequence sequence = {0};
    if (aw_sequence_read(in, "fuzz", &sequence, &err) == AW_OK) {
        MUST(sequence.n > 0 && sequence.n <= AW_SEQUENCE_ROWS);
        read_sequence_again(&sequence);
    } else {
        MUST(strncmp(err.text, "fuzz:", 5) == 0 && sequence.n == 0);
    }
    aw_sequence_free(&sequence);
}

/* ---- Views ---- */

static void read_views_again(const struct aw_unitysim_views *views)
{
    struct aw_error err;
    struct aw_unitysim_views again = {0};
    struct copy copy;
    aw_unitysim_views_write(write_copy(&copy), views);
    MUST(aw_unitysim_views_read(read_copy(&copy), "again", &again, &err) == AW_OK);
    MUST(again.n == views->n);
    for (size_t i = 0; i < again.n; i++) {
        const struct aw_unitysim_view *a = &again.views[i], *b = &views->views[i];
        MUST(strcmp(a->name, b->name) == 0);
        MUST(memcmp(&a->camera, &b->camera, sizeof a->camera) == 0);
    }
    aw_unitysim_views_free(&again);
    end_copy(&copy);
}

FILE_PART(try_views)
{
    struct aw_error err = {.text = ""};
    struct aw_unitysim_views views = {0};
    if (aw_unitysim_views_read(in, "fuzz", &views, &err) == AW_OK) {
        for (size_t i = 0; i < views.n; i++)
            MUST(aw_unitysim_views_find(&views, views.views[i].name) == &views.views[i]);
        read_views_again(&views);
    } else {
        MUST(strncmp(err.text, "fuzz:", 5) == 0 && views.n == 0);
    }
    aw_unitysim_views_free(&views);
}

/* ---- Arguments: joints, positions, scenes and variants ---- */

TEXT_PART(try_words)
{
    const struct aw_unitysim_limits limits = aw_unitysim_limits_default();
    struct aw_variant variant = aw_unitysim_protocol.variants[0];
    struct aw_error err = {.text = ""};
    double ticks;
    int number;
    if (aw_unitysim_joint_parse(text, &number, &err) == AW_OK)
        MUST(number >= 0 && number < AW_UNITYSIM_JOINTS && aw_unitysim_joint_find(text) == number);
    if (aw_unitysim_position_parse(AW_UNITYSIM_ELBOW, text, &limits, &ticks, &err) == AW_OK)
        MUST(isfinite(ticks));
    if (aw_unitysim_scene_parse(text, &number, &err) == AW_OK)
        MUST(number >= 0 && number <= 255);
    if (aw_unitysim_parse_variant(text, &variant, &err) != AW_OK)
        MUST(*err.text);
}

PARTS(try_simulator, try_client, try_limits, try_sequence, try_views, try_words)
