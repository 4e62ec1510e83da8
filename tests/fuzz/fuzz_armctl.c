/* Fuzzes the inputs of armctl: lines at both ends of the handler's link, the file of remembered
 * digits, and the joints of a config file. The first byte selects the part.
 *
 * The simulator must send only lines of the protocol and keep its joints within their limits. The
 * client must send only its command, stops of that joint and ACKs, and must finish.
 */
#include <math.h>
#include <unistd.h>

#include "peer.h"
#include "protocol/armctl/client.h"
#include "protocol/armctl/device.h"

/* Appends a valid line end. */
static void mend(struct peer *peer, struct segment *segment)
{
    (void)peer;
    memcpy(segment->data + segment->size, "\r\n", 2);
    segment->size += 2;
}

static struct aw_armctl_profile arm(void)
{
    struct aw_armctl_profile profile = {0};
    MUST(aw_armctl_profile_set(&profile, "elbow", "index", "1", NULL) == AW_OK);
    MUST(aw_armctl_profile_set(&profile, "elbow", "max", "180", NULL) == AW_OK);
    MUST(aw_armctl_profile_finish(&profile, NULL) == AW_OK);
    return profile;
}

/* ---- Simulator ---- */

static void check_simulator(struct aw_device *device, int64_t now)
{
    must_send_messages(device, &aw_armctl_protocol, NULL);
    for (int i = 0; i < AW_ARMCTL_JOINTS; i++) {
        double angle = aw_armctl_device_position(device, AW_ARMCTL_ROTATE, i, now);
        MUST(angle >= 0 && angle <= (i == 1 ? 180 : 360));
    }
}

static void simulate(const uint8_t *data, size_t size, unsigned quirks)
{
    struct aw_armctl_profile profile = arm();
    struct aw_armctl_device_options options = aw_armctl_device_defaults();
    options.quirks = quirks;
    options.profile = &profile;
    feed_device(aw_armctl_device_new(&options), data, size, mend, check_simulator);
}

static void try_simulator(const uint8_t *data, size_t size)
{
    simulate(data, size, 0);
}

static void try_quirks(const uint8_t *data, size_t size)
{
    simulate(data, size, AW_ARMCTL_NO_REACK | AW_ARMCTL_BARE_CONFIRM | AW_ARMCTL_ACK_INVALID);
}

/* ---- Client ---- */

/* Allows the command, a stop of its joint at any position that the handler reported, and lines
 * without motion. */
static void check_heard(struct peer *peer, struct aw_span bytes)
{
    struct aw_record record;
    (void)peer;
    MUST(bytes.data[0] == '0' || bytes.data[0] == '1');
    if (memcmp(bytes.data + 1, "PNG\r\n", 5) == 0)
        return;
    MUST(aw_wire_decode(&peer->wire, AW_TX, bytes, &record, NULL) == AW_OK);
    bool deg = strcmp(record.codec->message->name, "deg") == 0;
    MUST(deg || strcmp(record.codec->message->name, "ack") == 0);
    MUST(!deg || aw_record_get(&record, "joint") == 1);
}

static void try_client(const uint8_t *data, size_t size)
{
    static struct peer peer = {.mend = mend, .received = check_heard};
    static struct aw_armctl arm;
    static const struct aw_armctl_memory memory = {
        .known = true, .tx = 1, .rx = 3, .positions[1] = {true, AW_ARMCTL_ROTATE, 45, 0}};
    struct aw_armctl_options options = aw_armctl_defaults();
    struct aw_armctl_outcome outcome;
    struct aw_error err;
    peer_init(&peer, &aw_armctl_protocol, &aw_armctl_protocol.variants[0], data, size);
    aw_armctl_init(&arm, &peer.base, &options, size % 2 ? &memory : NULL);
    aw_armctl_ping(&arm, &outcome, &err);
    enum aw_status status = aw_armctl_command_line(&arm, "DEG1,090", &outcome, &err);
    MUST((status == AW_OK) == (outcome.result == AW_ARMCTL_CONFIRMED));
    MUST(outcome.retries >= 0 && outcome.total_ns >= 0);
    aw_armctl_idle(&arm, peer.clock.time_ns + AW_SECOND, &err);
    aw_armctl_stop(&arm, true, &outcome, &err);
    MUST(peer.clock.time_ns < 600 * AW_SECOND);
}

/* ---- Files ---- */

static char dir[] = "/tmp/fuzz-armctl-XXXXXX", path[PATH_MAX];

static void tidy(void)
{
    unlink(path);
    rmdir(dir);
}

static bool same_memory(const struct aw_armctl_memory *a, const struct aw_armctl_memory *b)
{
    return a->tx == b->tx && a->rx == b->rx && a->agreed == b->agreed && a->pings == b->pings &&
           a->n_awaited == b->n_awaited && memcmp(a->awaited, b->awaited, sizeof a->awaited) == 0 &&
           strcmp(a->motor, b->motor) == 0 && strcmp(a->received, b->received) == 0 &&
           strcmp(a->pending, b->pending) == 0 && strcmp(a->confirmed, b->confirmed) == 0 &&
           memcmp(a->positions, b->positions, sizeof a->positions) == 0;
}

static void try_memory(const uint8_t *data, size_t size)
{
    struct aw_armctl_memory memory, again;
    if (!*path)
        MUST(mkdtemp(dir) && atexit(tidy) == 0 &&
             aw_armctl_state_path(dir, "fuzz", path, sizeof path, NULL) == AW_OK);
    FILE *file = fopen(path, "w");
    MUST(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
    if (!aw_armctl_state_load(dir, "fuzz", &memory))
        return;
    MUST(memory.known && memory.tx <= 1 && (memory.rx == 0 || memory.rx / 2 == 1));
    MUST(aw_armctl_state_save(dir, "fuzz", &memory, NULL) == AW_OK);
    MUST(aw_armctl_state_load(dir, "fuzz", &again));
    MUST(same_memory(&memory, &again));
}

/* Requires that a command accepted by the check stays within the joint's limits. */
static void check_limits(const struct aw_armctl_profile *profile,
                         const struct aw_armctl_joint *joint)
{
    static struct aw_wire wire;
    struct aw_record record;
    struct aw_error err;
    if (!wire.protocol)
        aw_wire_init(&wire, &aw_armctl_protocol, NULL, false);
    const char *message = aw_armctl_kind_message(joint->kind),
               *field = aw_armctl_kind_field(joint->kind);
    for (int value = -999; value <= 999; value += 111) {
        aw_record_init(&record, aw_wire_codec(&wire, message, AW_TX), AW_TX);
        MUST(aw_record_set(&record, "joint", joint->index, &err) == AW_OK);
        MUST(aw_record_set(&record, field, value, &err) == AW_OK);
        if (aw_armctl_profile_check(profile, false, &record, &err) == AW_OK)
            MUST(value >= joint->min && value <= joint->max && (value >= 0 || joint->is_signed));
        MUST(aw_armctl_profile_max_ms(profile, &record) >= 0);
    }
}

/* Parses lines of "joint key value". */
TEXT_PART(try_profile)
{
    struct aw_armctl_profile profile = {0};
    struct aw_error err = {.text = ""};
    char *rest = text, *line;
    while ((line = strsep(&rest, "\n"))) {
        char *joint = strsep(&line, " "), *key = strsep(&line, " ");
        if (key && line && aw_armctl_profile_set(&profile, joint, key, line, &err) != AW_OK)
            MUST(*err.text);
    }
    if (aw_armctl_profile_finish(&profile, &err) != AW_OK)
        return;
    for (size_t i = 0; i < profile.n; i++) {
        const struct aw_armctl_joint *joint = &profile.joints[i];
        MUST(joint->index >= 0 && joint->index < AW_ARMCTL_JOINTS);
        MUST(joint->min <= joint->home && joint->home <= joint->max && isfinite(joint->speed));
        MUST(aw_armctl_profile_joint(&profile, joint->index) == joint);
        MUST(aw_armctl_profile_find(&profile, joint->name) != NULL);
        check_limits(&profile, joint);
    }
}

PARTS(try_simulator, try_quirks, try_client, try_memory, try_profile)
