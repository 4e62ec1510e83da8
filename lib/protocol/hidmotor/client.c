/* Sends one request and waits for its reply, with repeats, timeouts and counters. */
#include "protocol/hidmotor/client.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "wire/rows.h"

/* max number of reports to drain; more are a flood, which must not block the program */
#define DRAIN_MAX 1024

struct aw_hidmotor_options aw_hidmotor_defaults(void)
{
    return (struct aw_hidmotor_options){
        .timeout_ms = 100, .retries = 2, .late_ms = 2000, .turn_ms = 100};
}

void aw_hidmotor_init(struct aw_hidmotor *arm, struct aw_link *link,
                      const struct aw_hidmotor_options *options)
{
    memset(arm, 0, offsetof(struct aw_hidmotor, wire));
    arm->link = link;
    arm->options = *options;
    arm->received.dir = AW_RX;
    arm->foreign_ns = INT64_MIN;
    aw_wire_init(&arm->wire, options->protocol ? options->protocol : &aw_hidmotor_protocol, NULL,
                 false);
    const struct aw_codec *positions = aw_wire_codec(&arm->wire, "positions", AW_RX);
    const struct aw_codec *velocities = aw_wire_codec(&arm->wire, "velocities", AW_RX);
    for (int i = 0; i < AW_HIDMOTOR_MOTORS; i++) {
        char name[32];
        snprintf(name, sizeof name, "m%d.setpoint", i + 1);
        arm->position_scalars[i] = (int8_t)aw_codec_find(positions, name);
        arm->velocity_scalars[i] = (int8_t)aw_codec_find(velocities, name);
    }
}

/* ---- Requests that went unanswered ---- */

static void drop_expired(struct aw_hidmotor_unanswered *unanswered, int64_t before)
{
    int n_expired = 0;
    while (n_expired < unanswered->n && unanswered->sent_ns[n_expired] < before)
        n_expired++;
    unanswered->n -= n_expired;
    unanswered->overflow = unanswered->overflow && unanswered->n > 0;
    memmove(unanswered->sent_ns, unanswered->sent_ns + n_expired,
            (size_t)unanswered->n * sizeof *unanswered->sent_ns);
}

static int64_t get_expiry_ns(const struct aw_hidmotor *arm)
{
    return aw_clock_now(arm->link->clock) - arm->options.late_ms * AW_MILLISECOND;
}

static struct aw_hidmotor_unanswered *find_unanswered(struct aw_hidmotor *arm, uint32_t id)
{
    for (int i = 0; i < AW_HIDMOTOR_KINDS; i++)
        if (arm->unanswered[i].id == id) {
            drop_expired(&arm->unanswered[i], get_expiry_ns(arm));
            return &arm->unanswered[i];
        }
    return NULL;
}

/* Returns the slot of this id; otherwise a free slot, or the least recently used one. */
static struct aw_hidmotor_unanswered *find_slot(struct aw_hidmotor *arm, uint32_t id)
{
    struct aw_hidmotor_unanswered *slot = find_unanswered(arm, id), *oldest = &arm->unanswered[0];
    for (int i = 0; i < AW_HIDMOTOR_KINDS && !slot; i++) {
        struct aw_hidmotor_unanswered *candidate = &arm->unanswered[i];
        if (candidate->n == 0)
            slot = candidate;
        else if (candidate->sent_ns[candidate->n - 1] < oldest->sent_ns[oldest->n - 1])
            oldest = candidate;
    }
    if (!slot)
        slot = oldest;
    if (slot->id != id)
        *slot = (struct aw_hidmotor_unanswered){.id = id};
    return slot;
}

static void note_unanswered(struct aw_hidmotor *arm, uint32_t id, int64_t sent_ns)
{
    struct aw_hidmotor_unanswered *unanswered = find_slot(arm, id);
    if (unanswered->n == AW_HIDMOTOR_UNANSWERED) {
        unanswered->overflow = true;
        unanswered->n--;
    }
    unanswered->sent_ns[unanswered->n++] = sent_ns;
}

/* Drops the oldest request, which this reply may answer. Does nothing after an overflow, because
 * the list is then incomplete. */
static void forget_oldest(struct aw_hidmotor_unanswered *unanswered)
{
    if (!unanswered->overflow)
        drop_expired(unanswered, unanswered->sent_ns[0] + 1);
}

/* Returns true if an unanswered request has this id, so that an unexpected reply may answer it.
 * Drops the oldest such request, unless the reply may be a duplicate or meant for another
 * program. */
static bool match_earlier(struct aw_hidmotor *arm, uint32_t id)
{
    struct aw_hidmotor_unanswered *unanswered = find_unanswered(arm, id);
    if (!unanswered || unanswered->n == 0)
        return false;
    if (!arm->repeated && arm->foreign_ns < get_expiry_ns(arm))
        forget_oldest(unanswered);
    return true;
}

/* Handles an answer. If requests of its kind are unanswered, it may answer the oldest of them; this
 * request then stays unanswered. Requests before the answered one get no more answers, because the
 * board keeps the order. */
static void settle_answered(struct aw_hidmotor *arm, uint32_t id, int64_t sent_ns)
{
    struct aw_hidmotor_unanswered *unanswered = find_unanswered(arm, id);
    int64_t oldest_ns = sent_ns;
    if (unanswered && unanswered->n > 0) {
        oldest_ns = unanswered->sent_ns[0];
        forget_oldest(unanswered);
        note_unanswered(arm, id, sent_ns);
    }
    for (int i = 0; i < AW_HIDMOTOR_KINDS; i++)
        if (arm->unanswered[i].id != id)
            drop_expired(&arm->unanswered[i], oldest_ns);
}

/* ---- Reports ---- */

static void note_other_report(struct aw_hidmotor *arm, const uint8_t *bytes, size_t size)
{
    if (size != AW_HIDMOTOR_REPORT) {
        arm->counters.truncated++;
        return;
    }
    bool is_error = aw_get_u32(bytes) == AW_HIDMOTOR_ERROR;
    bool is_late = match_earlier(arm, is_error ? aw_get_u32(bytes + 4) : aw_get_u32(bytes));
    if (is_error)
        arm->counters.errors++;
    else if (is_late)
        arm->counters.late++;
    else {
        arm->counters.foreign++;
        arm->foreign_ns = aw_clock_now(arm->link->clock);
    }
}

static enum aw_status read_report(struct aw_hidmotor *arm, int64_t deadline,
                                  uint8_t bytes[AW_HIDMOTOR_REPORT + 1], size_t *size,
                                  struct aw_error *err)
{
    enum aw_status status;
    do
        status = aw_link_read(arm->link, bytes, AW_HIDMOTOR_REPORT + 1, size, deadline, err);
    while (status == AW_EVENT && aw_clock_now(arm->link->clock) < deadline);
    if (status == AW_OK && *size == AW_HIDMOTOR_REPORT) {
        arm->repeated = memcmp(arm->previous, bytes, AW_HIDMOTOR_REPORT) == 0;
        memcpy(arm->previous, bytes, AW_HIDMOTOR_REPORT);
    }
    return status == AW_EVENT ? AW_TIMEOUT : status;
}

enum aw_status aw_hidmotor_poll(struct aw_hidmotor *arm, struct aw_error *err)
{
    uint8_t bytes[AW_HIDMOTOR_REPORT + 1];
    size_t size;
    for (int i = 0; i < DRAIN_MAX; i++) {
        enum aw_status status = read_report(arm, aw_clock_now(arm->link->clock), bytes, &size, err);
        if (status == AW_TIMEOUT)
            return AW_OK;
        if (status != AW_OK)
            return status;
        note_other_report(arm, bytes, size);
    }
    return AW_OK;
}

/* ---- A transaction ---- */

struct exchange {
    struct aw_hidmotor *arm;
    uint8_t request[AW_HIDMOTOR_REPORT];
    uint32_t id;
    const struct aw_message *message; /* NULL: not in the table */
    bool read_only;                   /* the request changes nothing */
    bool lenient;                     /* does not check the contents of the reply */
    struct aw_hidmotor_counters before;
    struct aw_hidmotor_reply *reply;
};

enum verdict {
    OTHER,
    ANSWER,
    UNKNOWN, /* the board does not know the packet */
};

static bool is_blank(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

/* Returns true for a custom packet. */
static bool is_custom(const struct aw_hidmotor *arm, const struct aw_message *message)
{
    return message >= arm->wire.protocol->messages + aw_hidmotor_protocol.n_messages;
}

/* Returns true if the reply repeats another request: it is late, or meant for another program. A
 * setter's reply repeats the request, or is meaningless on boards that do not repeat it. Answers to
 * custom packets depend on the firmware and are not checked. */
static bool repeats_other_request(const struct exchange *x, const uint8_t *bytes)
{
    return !x->read_only && x->message && !is_custom(x->arm, x->message) &&
           memcmp(bytes, x->request, AW_HIDMOTOR_REPORT) != 0 &&
           !is_blank(bytes + 4, AW_HIDMOTOR_PAYLOAD);
}

static enum verdict classify_report(const struct exchange *x, const uint8_t *bytes, size_t size)
{
    if (size != AW_HIDMOTOR_REPORT)
        return OTHER;
    if (aw_get_u32(bytes) == AW_HIDMOTOR_ERROR && aw_get_u32(bytes + 4) == x->id)
        return UNKNOWN;
    return aw_get_u32(bytes) == x->id && !repeats_other_request(x, bytes) ? ANSWER : OTHER;
}

static const char *name_of(const struct exchange *x, char out[32])
{
    if (x->message)
        return x->message->name;
    snprintf(out, 32, "packet %u", (unsigned)x->id);
    return out;
}

static enum aw_status handle_answer(struct exchange *x, const uint8_t *bytes, struct aw_error *err)
{
    struct aw_hidmotor *arm = x->arm;
    struct aw_hidmotor_reply *reply = x->reply;
    struct aw_error problem;
    enum aw_status status = AW_OK;
    arm->counters.replies++;
    arm->counters.maybe_stale += reply->maybe_stale;
    reply->received_ns = aw_clock_now(arm->link->clock);
    memcpy(reply->bytes, bytes, AW_HIDMOTOR_REPORT);
    memcpy(arm->received_bytes, bytes, AW_HIDMOTOR_REPORT);
    arm->received.frame = (struct aw_span){arm->received_bytes, AW_HIDMOTOR_REPORT};
    arm->received.time_ns =
        arm->link->rx.time_ns ? arm->link->rx.time_ns : reply->received_ns + arm->options.wall_ns;
    reply->record = (struct aw_record){.dir = AW_RX};
    if (x->message)
        status =
            aw_wire_decode(&arm->wire, AW_RX, (struct aw_span){reply->bytes, AW_HIDMOTOR_REPORT},
                           &reply->record, &problem);
    reply->record.dir = AW_RX;
    reply->record.time_ns = arm->received.time_ns;
    if (status == AW_OK || x->lenient || !x->read_only)
        return AW_OK;
    arm->counters.malformed++;
    return aw_fail(err, AW_MALFORMED, "%s", problem.text);
}

/* Returns true if custom packets are in use, but joints still use the table's packets. */
static bool lacks_custom_joints(const struct exchange *x)
{
    const struct aw_protocol *protocol = x->arm->wire.protocol;
    return protocol != &aw_hidmotor_protocol && !protocol->custom.joints;
}

/* Waits for a report. Sets *ended if a report ended the wait. */
static enum aw_status await_reply(struct exchange *x, int64_t deadline, bool *ended,
                                  struct aw_error *err)
{
    uint8_t bytes[AW_HIDMOTOR_REPORT + 1];
    size_t size;
    do {
        enum aw_status status = read_report(x->arm, deadline, bytes, &size, err);
        if (status != AW_OK)
            return status;
        enum verdict verdict = classify_report(x, bytes, size);
        *ended = verdict != OTHER;
        if (*ended)
            settle_answered(x->arm, x->id, x->reply->sent_ns);
        if (verdict == ANSWER)
            return handle_answer(x, bytes, err);
        if (verdict == UNKNOWN) {
            x->arm->counters.errors++;
            return aw_fail(
                err, AW_REFUSED,
                "the board does not support packet %u%s%s%s — check its firmware version%s",
                (unsigned)x->id, x->message ? " (" : "", x->message ? x->message->name : "",
                x->message ? ")" : "",
                lacks_custom_joints(x)
                    ? ", or describe its joints in [joint NAME] and [stop] sections of "
                      "the packet file"
                    : "");
        }
        note_other_report(x->arm, bytes, size);
    } while (aw_clock_now(x->arm->link->clock) < deadline);
    return AW_TIMEOUT;
}

static int reply_timeout_ms(const struct exchange *x)
{
    int packet_ms = x->message ? (int)(x->message->timeout_s * 1000) : 0;
    return packet_ms > x->arm->options.timeout_ms ? packet_ms : x->arm->options.timeout_ms;
}

/* Reports "3 foreign replies" and the possible meaning. */
static enum aw_status fail_no_answer(const struct exchange *x, struct aw_error *err)
{
    const struct aw_hidmotor_counters *now = &x->arm->counters, *before = &x->before;
    const struct {
        uint64_t n;
        const char *singular, *plural, *meaning;
    } reports[] = {
        {now->foreign - before->foreign, "foreign reply", "foreign replies",
         "check whether another program uses the board"},
        {now->late - before->late, "late reply", "late replies",
         "give a longer --timeout if the board is busy"},
        {now->truncated - before->truncated, "report that was not 64 bytes",
         "reports that were not 64 bytes", "check that this is the right interface of the board"},
        {now->errors - before->errors, "error packet about something else",
         "error packets about something else", "check whether another program uses the board"},
    };
    char name[32], other[96], attempts[48],
        hint[160] = "check that this is the right board, and that it is running";
    for (size_t i = sizeof reports / sizeof *reports; i-- > 0;)
        if (reports[i].n)
            snprintf(hint, sizeof hint, "%llu %s: %s", (unsigned long long)reports[i].n,
                     reports[i].n == 1 ? reports[i].singular : reports[i].plural,
                     reports[i].meaning);
    if (x->reply->retries)
        snprintf(attempts, sizeof attempts, "(%d attempts, %d ms each)", x->reply->retries + 1,
                 reply_timeout_ms(x));
    else
        snprintf(attempts, sizeof attempts, "within %d ms", reply_timeout_ms(x));
    x->arm->counters.timeouts++;
    if (aw_link_find_sharer(x->arm->link, other, sizeof other))
        snprintf(hint, sizeof hint, "%s also uses the board: end it, or try again", other);
    return aw_fail(err, AW_TIMEOUT, "no answer to %s %s — %s", name_of(x, name), attempts, hint);
}

/* Tries once. Sets *ended if another try would not help. */
static enum aw_status try_once(struct exchange *x, bool *ended, struct aw_error *err)
{
    struct aw_hidmotor *arm = x->arm;
    struct aw_hidmotor_reply *reply = x->reply;
    enum aw_status status = aw_hidmotor_poll(arm, err);
    reply->sent_ns = aw_clock_now(arm->link->clock);
    if (reply->retries == 0) {
        /* The unanswered requests determine how old an answer may be. */
        const struct aw_hidmotor_unanswered *unanswered = find_unanswered(arm, x->id);
        reply->maybe_stale = unanswered && unanswered->n > 0;
        reply->earliest_ns = reply->maybe_stale ? unanswered->sent_ns[0] : reply->sent_ns;
    }
    if (status == AW_OK)
        status = aw_link_write(arm->link, x->request, AW_HIDMOTOR_REPORT, err);
    *ended = status != AW_OK; /* no answer will arrive */
    if (*ended)
        return status;
    arm->counters.sent++;
    status = await_reply(x, reply->sent_ns + reply_timeout_ms(x) * AW_MILLISECOND, ended, err);
    if (!*ended)
        note_unanswered(arm, x->id, reply->sent_ns);
    return status;
}

/* Sends the request and waits for its reply, with retries. Takes a turn on the board for each try,
 * but continues without it after turn_ms, because its holder may be a suspended program. */
static enum aw_status run_exchange(struct exchange *x, struct aw_error *err)
{
    struct aw_hidmotor *arm = x->arm;
    struct aw_link *link = arm->link;
    int64_t max_wait_ns = arm->options.turn_ms * AW_MILLISECOND;
    int retries = x->read_only ? arm->options.retries : 0;
    for (;;) {
        bool ended = false;
        bool has_turn = aw_link_start_turn(link, aw_clock_now(link->clock) + max_wait_ns);
        enum aw_status status = try_once(x, &ended, err);
        if (has_turn)
            aw_link_end_turn(link);
        if (ended || status != AW_TIMEOUT)
            return status;
        if (x->reply->retries == retries)
            return fail_no_answer(x, err);
        x->reply->retries++;
        arm->counters.resent++;
    }
}

/* Returns the size of a message's packet id and fields. */
static size_t get_content_size(const struct aw_codec *codec)
{
    const struct aw_scalar *last = &codec->scalars[codec->n_scalars - 1];
    return (last->bit + last->bits) / 8U;
}

/* Returns true if the floats after the table's fields are finite; boards with more motors use
 * them. */
static bool has_finite_rest(const struct aw_codec *codec, const uint8_t *report)
{
    bool ends_with_floats = codec->scalars[codec->n_scalars - 1].field->type == AW_FLOAT;
    for (size_t at = get_content_size(codec); ends_with_floats && at < AW_HIDMOTOR_REPORT; at += 4)
        if (!isfinite(aw_get_f32(report + at)))
            return false;
    return true;
}

/* Checks a packet of the table, from any source: its values must be finite and, without
 * options.force, within the ranges. */
static enum aw_status check_request(const struct exchange *x, struct aw_error *err)
{
    struct aw_span frame = {x->request, AW_HIDMOTOR_REPORT};
    struct aw_record record;
    struct aw_error problem;
    uint8_t encoded[AW_HIDMOTOR_REPORT];
    size_t size;
    if (!x->message || !x->message->fields)
        return AW_OK;
    const struct aw_codec *codec = aw_wire_codec(&x->arm->wire, x->message->name, AW_TX);
    if (aw_decode(codec, frame, &record, &problem) != AW_OK)
        return aw_fail(err, AW_USAGE, "%s", problem.text);
    if (!has_finite_rest(codec, x->request))
        return aw_fail(err, AW_USAGE, "%s: a value is not a finite number — correct it",
                       x->message->name);
    return x->arm->options.force ? AW_OK
                                 : aw_encode(&record, false, encoded, sizeof encoded, &size, err);
}

static enum aw_status begin_exchange(struct exchange *x, struct aw_hidmotor *arm,
                                     struct aw_hidmotor_reply *reply, struct aw_error *err)
{
    x->arm = arm;
    x->id = aw_get_u32(x->request);
    x->message = aw_find_by_code(&arm->wire, AW_TX, x->id);
    x->read_only = x->message && x->message->reads;
    x->before = arm->counters;
    x->reply = reply;
    *reply = (struct aw_hidmotor_reply){.retries = 0};
    return check_request(x, err);
}

/* Sets *status from a valid answer to positions, also one to another program. */
static void handle_positions(struct aw_hidmotor *arm, struct aw_hidmotor_reply *reply,
                             struct aw_hidmotor_status *status)
{
    *status = (struct aw_hidmotor_status){
        .n = (int)aw_record_get(&reply->record, "count"),
        .maybe_stale = reply->maybe_stale,
        .earliest_ns = reply->earliest_ns,
        .time_ns = reply->received_ns,
        .wall_ns = reply->record.time_ns,
    };
    for (int i = 0; i < status->n; i++) {
        const double *v = reply->record.v + arm->position_scalars[i];
        status->setpoint[i] = v[0];
        status->position[i] = v[1];
    }
}

void aw_hidmotor_note_report(struct aw_hidmotor *arm, struct aw_span report)
{
    struct aw_hidmotor_reply reply = {.maybe_stale = false};
    reply.earliest_ns = reply.received_ns = aw_clock_now(arm->link->clock);
    if (aw_wire_decode(&arm->wire, AW_RX, report, &reply.record, NULL) == AW_OK &&
        reply.record.codec == aw_wire_codec(&arm->wire, "positions", AW_RX))
        handle_positions(arm, &reply, &arm->latest);
}

enum aw_status aw_hidmotor_encode(struct aw_hidmotor *arm, const struct aw_record *request,
                                  uint8_t report[AW_HIDMOTOR_REPORT], struct aw_error *err)
{
    size_t size;
    return aw_encode(request, arm->options.force, report, AW_HIDMOTOR_REPORT, &size, err);
}

/* Returns the number of the last motor that a request changes, from 1; 0: none. */
static int find_last_motor(const struct aw_record *request)
{
    int last = 0;
    for (int i = 0; i < request->codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &request->codec->scalars[i];
        const char *name = scalar->label ? scalar->label : scalar->field->name;
        bool wanted = request->present >> i & 1 && fabs(request->v[i]) > 0;
        if (wanted && name[0] == 'm' && name[1] >= '1' && name[1] <= '9' && !name[2])
            last = name[1] - '0';
    }
    return last;
}

/* Checks the motors, because a board also confirms requests for motors that it does not have. */
static enum aw_status check_motors(struct aw_hidmotor *arm, const struct aw_record *request,
                                   struct aw_error *err)
{
    struct aw_hidmotor_status now;
    int last = find_last_motor(request);
    enum aw_status status = AW_OK;
    if (last > 1 && arm->latest.n == 0)
        status = aw_hidmotor_read_positions(arm, &now, err);
    if (status != AW_OK || last < 2 || last <= arm->latest.n)
        return status;
    return aw_fail(err, AW_REFUSED,
                   "m%d: motor not found (the board has %d) — choose another joint", last,
                   arm->latest.n);
}

enum aw_status aw_hidmotor_command(struct aw_hidmotor *arm, const struct aw_record *request,
                                   struct aw_hidmotor_reply *reply, struct aw_error *err)
{
    struct aw_hidmotor_reply discarded;
    struct exchange x = {.lenient = false};
    enum aw_status status = aw_hidmotor_encode(arm, request, x.request, err);
    const struct aw_message *message =
        aw_find_by_code(&arm->wire, AW_TX, request->codec->message->code);
    if (status == AW_OK && !(message && is_custom(arm, message)))
        status = check_motors(arm, request, err);
    if (status == AW_OK)
        status = begin_exchange(&x, arm, reply ? reply : &discarded, err);
    if (status == AW_OK)
        status = run_exchange(&x, err);
    if (status == AW_OK && x.reply->record.codec == aw_wire_codec(&arm->wire, "positions", AW_RX))
        handle_positions(arm, x.reply, &arm->latest);
    return status;
}

enum aw_status aw_hidmotor_read(struct aw_hidmotor *arm, const char *message,
                                struct aw_hidmotor_reply *reply, struct aw_error *err)
{
    struct aw_record request;
    aw_record_init(&request, aw_wire_codec(&arm->wire, message, AW_TX), AW_TX);
    return aw_hidmotor_command(arm, &request, reply, err);
}

enum aw_status aw_hidmotor_read_positions(struct aw_hidmotor *arm,
                                          struct aw_hidmotor_status *status, struct aw_error *err)
{
    struct aw_hidmotor_reply reply;
    enum aw_status result = aw_hidmotor_read(arm, "positions", &reply, err);
    if (result == AW_OK)
        *status = arm->latest;
    return result;
}

enum aw_status aw_hidmotor_status(struct aw_hidmotor *arm, struct aw_hidmotor_status *status,
                                  struct aw_error *err)
{
    struct aw_hidmotor_reply reply;
    enum aw_status result = aw_hidmotor_read_positions(arm, status, err);
    if (result == AW_OK)
        result = aw_hidmotor_read(arm, "velocities", &reply, err);
    if (result == AW_OK) {
        status->n_velocity = (int)aw_record_get(&reply.record, "count");
        status->maybe_stale |= reply.maybe_stale;
        for (int i = 0; i < status->n_velocity; i++) {
            const double *v = reply.record.v + arm->velocity_scalars[i];
            status->velocity_setpoint[i] = v[0];
            status->velocity[i] = v[1];
            status->effort[i] = v[2];
        }
    }
    return result;
}

/* ---- Raw packets ---- */

/* Refuses a short set_setpoints, whose missing values would be 0. */
static enum aw_status check_length(struct aw_hidmotor *arm, uint32_t id, size_t size,
                                   struct aw_error *err)
{
    const struct aw_codec *codec = aw_wire_codec(&arm->wire, "set_setpoints", AW_TX);
    size_t wanted = get_content_size(codec) - 4;
    if (id != codec->message->code || size >= wanted || arm->options.force)
        return AW_OK;
    return aw_fail(err, AW_LIMIT,
                   "%s: only %zu of %zu bytes; the rest would be 0, and the joints would jump "
                   "there — give all bytes, or --force",
                   codec->message->name, size, wanted);
}

enum aw_status aw_hidmotor_send_raw(struct aw_hidmotor *arm, uint32_t id, struct aw_span payload,
                                    struct aw_hidmotor_reply *reply, struct aw_error *err)
{
    struct aw_hidmotor_reply discarded;
    struct exchange x = {.lenient = true};
    if (payload.size > AW_HIDMOTOR_PAYLOAD)
        return aw_fail(err, AW_LIMIT, "packet %u: %zu bytes do not fit (max %d) — give fewer bytes",
                       (unsigned)id, payload.size, AW_HIDMOTOR_PAYLOAD);
    aw_put_u32(x.request, id);
    if (payload.size)
        memcpy(x.request + 4, payload.data, payload.size);
    enum aw_status status = check_length(arm, id, payload.size, err);
    if (status == AW_OK)
        status = begin_exchange(&x, arm, reply ? reply : &discarded, err);
    return status == AW_OK ? run_exchange(&x, err) : status;
}

enum aw_status aw_hidmotor_encode_floats(const double *values, size_t n,
                                         uint8_t bytes[AW_HIDMOTOR_PAYLOAD],
                                         struct aw_span *payload, struct aw_error *err)
{
    if (n > AW_HIDMOTOR_PAYLOAD / 4)
        return aw_fail(err, AW_LIMIT, "%zu numbers do not fit (max %d) — give fewer", n,
                       AW_HIDMOTOR_PAYLOAD / 4);
    for (size_t i = 0; i < n; i++) {
        float value = (float)values[i];
        if (!isfinite(value))
            return aw_fail(err, AW_USAGE,
                           "number %zu is out of range for a 32-bit float — use a smaller value",
                           i + 1);
        aw_put_f32(bytes + 4 * i, value);
    }
    *payload = (struct aw_span){bytes, 4 * n};
    return AW_OK;
}
