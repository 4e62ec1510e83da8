/* Exchanges commands with the handler: sends until acknowledged, waits until confirmed. */
#include "protocol/armctl/client.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define QUICKLY_MS 300 /* more than a round trip over Bluetooth */
#define LF_MS      100 /* max delay of an LF after its CR */
#define COPIES     3   /* copies without an ACK before the handler counts as silent */

/* How well a packet of the handler matches a command that waits for its confirmation. */
enum fit {
    FIT_NONE, /* another type */
    FIT_EXACT,
    FIT_BARE, /* the same type, but without values */
    FIT_OTHER,
};

/* A command in progress. */
struct talk {
    struct aw_armctl *arm;
    struct aw_armctl_outcome *out;
    struct aw_error *err;
    struct aw_record record; /* the decoded command, if it can be decoded */
    bool decoded;
    bool repeatable;       /* an absolute command, which may be carried out twice */
    bool known;            /* the table has the command's type */
    bool own;              /* a custom packet: does not move the arm's joints */
    bool both_carried_out; /* a stop: the handler may carry out both digits */
    bool stopping;         /* a stop: its values may equal those of the last confirmation */
    bool resent;
    bool acked;      /* the current transmission was acknowledged */
    unsigned wanted; /* bits of the digits whose ACK counts */
    unsigned acks;   /* bits of the acknowledged digits */
    bool answered;
    /* the answer is held, because it may confirm an earlier command */
    bool held;
    char line[AW_ARMCTL_LINE_MAX]; /* the held packet, with its digit */
    /* the held packet is ours once the handler has certainly carried out the command */
    bool held_exact;
    bool before_ack;   /* the held packet arrived before the ACK */
    bool doubtful;     /* the held packet is not ours if the ACK still arrives */
    int64_t accept_at; /* time at which the packet is accepted if no other one arrives */
    int64_t sent_ns, first_ns;
};

struct aw_armctl_options aw_armctl_defaults(void)
{
    return (struct aw_armctl_options){.ack_timeout_ms = 2000,
                                      .confirm_timeout_ms = 10000,
                                      .retries = 5,
                                      .seq = AW_ARMCTL_SEQ_AUTO};
}

const char *aw_armctl_result_name(enum aw_armctl_result result)
{
    static const char *const names[] = {
        [AW_ARMCTL_NOT_SENT] = "not-sent",
        [AW_ARMCTL_CONFIRMED] = "confirmed",
        [AW_ARMCTL_CONFIRMED_OTHER] = "confirmed-other",
        [AW_ARMCTL_CONFIRMED_DAMAGED] = "confirmed-damaged",
        [AW_ARMCTL_ARRIVED] = "acked",
        [AW_ARMCTL_ACKED_NOT_CONFIRMED] = "acked-not-confirmed",
        [AW_ARMCTL_NOT_ACKED] = "not-acked",
        [AW_ARMCTL_LINK_LOST] = "link-lost",
        [AW_ARMCTL_STOPPED] = "stopped",
    };
    return names[result];
}

void aw_armctl_init(struct aw_armctl *arm, struct aw_link *link,
                    const struct aw_armctl_options *options, const struct aw_armctl_memory *memory)
{
    memset(arm, 0, offsetof(struct aw_armctl, wire));
    arm->link = link;
    arm->options = *options;
    aw_wire_init(&arm->wire, options->protocol ? options->protocol : &aw_armctl_protocol, NULL,
                 false);
    if (memory)
        arm->memory = *memory;
    if (link->connections) {
        /* Both ends start over with a new connection. */
        arm->memory.tx = arm->memory.rx = arm->memory.n_owed = 0;
        arm->memory.agreed = false;
        arm->memory.received[0] = '\0';
    }
    /* a simulated handler starts together with its link */
    arm->tx_sure = arm->rx_sure = link->simulated;
    bool received = arm->memory.rx >= 2;
    arm->receiver = (struct aw_armctl_receiver){received ? arm->memory.rx : 2, !received};
    if (options->seq != AW_ARMCTL_SEQ_AUTO) {
        arm->memory.tx = (uint8_t)options->seq;
        arm->receiver.any = true;
    }
}

void aw_armctl_on_event(struct aw_armctl *arm, aw_armctl_event_fn *event, void *context)
{
    arm->event = event;
    arm->context = context;
}

const struct aw_armctl_memory *aw_armctl_memory(struct aw_armctl *arm)
{
    arm->memory.known = true;
    arm->memory.rx = arm->receiver.any ? 0 : arm->receiver.expected;
    return &arm->memory;
}

static void report_event(struct aw_armctl *arm, enum aw_armctl_event_kind kind, const char *text,
                         int attempt)
{
    bool received = text == arm->line.text && arm->line.decoded;
    struct aw_armctl_event event = {kind, text, attempt, received ? &arm->line.record : NULL};
    if (arm->event)
        arm->event(arm->context, &event);
}

static void copy_body(char *to, const char *from)
{
    memmove(to, from, strlen(from) + 1);
}

/* Receiving */

static int64_t now_of(const struct aw_armctl *arm)
{
    return aw_clock_now(arm->link->clock);
}

/* Reads once. A peer that sends without pause must not delay the timeout. AW_MALFORMED: the first
 * line has no LF yet. */
static enum aw_status read_more(struct aw_armctl *arm, int64_t deadline, struct aw_error *err)
{
    int64_t now = now_of(arm), lf = now + LF_MS * AW_MILLISECOND;
    if (now > deadline)
        return AW_TIMEOUT;
    bool first =
        !arm->reader.half_lines && aw_armctl_reader_lacks_lf(&arm->reader) && lf < deadline;
    size_t cap, got = 0;
    uint8_t *room = aw_armctl_reader_room(&arm->reader, &cap);
    enum aw_status status = aw_link_read(arm->link, room, cap, &got, first ? lf : deadline, err);
    aw_armctl_reader_added(&arm->reader, got);
    if (status == AW_TIMEOUT && first) {
        arm->reader.half_lines = 1;
        return AW_MALFORMED;
    }
    return status == AW_EVENT ? AW_OK : status;
}

/* Reads the next packet into arm->line. AW_MALFORMED: its line end is incomplete, and no valid line
 * was received before. */
static enum aw_status read_line(struct aw_armctl *arm, int64_t deadline, struct aw_error *err)
{
    for (;;) {
        enum aw_status status = aw_armctl_reader_next(&arm->reader, &arm->wire, AW_RX, &arm->line);
        if (status == AW_OK)
            return AW_OK;
        if (status == AW_MALFORMED) {
            arm->counters.garbage = arm->reader.garbage;
            arm->counters.overlong = arm->reader.framer.overlong;
            report_event(arm, AW_ARMCTL_GARBAGE, "", 0);
            if (arm->reader.half_end && arm->reader.half_lines > 0)
                return AW_MALFORMED;
        } else if ((status = read_more(arm, deadline, err)) != AW_OK) {
            return status;
        }
    }
}

/* Writes to the link. A write that times out counts as a lost message. */
static enum aw_status write_bytes(struct aw_armctl *arm, const uint8_t *bytes, size_t size,
                                  struct aw_error *err)
{
    enum aw_status status = aw_link_write(arm->link, bytes, size, err);
    return status == AW_TIMEOUT ? AW_OK : status;
}

/* Compares the values that both records have, except the digit. A different joint means a different
 * command. */
static enum fit compare_records(const struct aw_record *asked, const struct aw_record *answer)
{
    int seq = aw_codec_find(answer->codec, "seq"), joint = aw_codec_find(answer->codec, "joint");
    uint64_t both = asked->present & answer->present & ~(UINT64_C(1) << seq);
    if (!both)
        return FIT_BARE;
    for (; both; both &= both - 1) {
        int scalar = __builtin_ctzll(both);
        double difference = asked->v[scalar] - answer->v[scalar];
        if (difference < 0 || difference > 0)
            return scalar == joint ? FIT_NONE : FIT_OTHER;
    }
    return FIT_EXACT;
}

static bool decode_body(struct aw_armctl *arm, const char *body, struct aw_record *record)
{
    uint8_t bytes[AW_ARMCTL_LINE_MAX];
    size_t size = aw_armctl_line_write(bytes, 0, body);
    return aw_wire_decode(&arm->wire, AW_TX, (struct aw_span){bytes, size}, record, NULL) == AW_OK;
}

/* Returns true if the packet answers a custom packet whose answer has other fields. */
static bool is_custom_answer(const struct aw_record *asked, const struct aw_record *answer)
{
    const struct aw_message *there = asked->codec->message, *back = answer->codec->message;
    return there->dir == AW_TX && back->dir == AW_RX && strcmp(there->word, back->word) == 0;
}

/* Compares a packet with the command that was sent. The second argument is its record, or NULL. */
static enum fit compare(const char *sent, const struct aw_record *asked,
                        const struct aw_armctl_line *line)
{
    if (!aw_armctl_same_type(line->body, sent)) /* "DEGG1,010": damaged */
        return line->known && !line->decoded && strncmp(line->body, sent, 3) == 0 ? FIT_OTHER
                                                                                  : FIT_NONE;
    if (asked && line->decoded && is_custom_answer(asked, &line->record))
        return FIT_EXACT;
    if (!line->known || strcmp(line->body, sent) == 0)
        return FIT_EXACT;
    if (aw_armctl_is_bare(line->body))
        return FIT_BARE;
    if (asked && line->decoded && asked->codec == line->record.codec)
        return compare_records(asked, &line->record);
    return FIT_OTHER;
}

static enum fit compare_with(const struct talk *talk, const struct aw_armctl_line *line)
{
    return compare(talk->out->sent, talk->decoded ? &talk->record : NULL, line);
}

/* Finds the pending command that this packet fits best; of equal ones, the oldest. */
static enum fit find_pending(struct aw_armctl *arm, int *index)
{
    enum fit best = FIT_NONE;
    for (int i = 0; i < arm->memory.n_owed && best != FIT_EXACT; i++) {
        struct aw_record record;
        bool decoded = decode_body(arm, arm->memory.owed[i], &record);
        enum fit fit = compare(arm->memory.owed[i], decoded ? &record : NULL, &arm->line);
        if (fit == FIT_EXACT || (fit != FIT_NONE && best == FIT_NONE)) {
            best = fit;
            *index = i;
        }
    }
    return best;
}

static void handle_answer(struct talk *talk)
{
    const struct aw_armctl_line *line = &talk->arm->line;
    copy_body(talk->out->answer, line->body);
    talk->out->has_record = line->decoded;
    talk->out->record = line->record;
}

static void accept(struct talk *talk)
{
    handle_answer(talk);
    talk->answered = true;
}

/* Returns a time longer than the interval at which the handler repeats a pending packet. */
static int until_repeated_ms(const struct aw_armctl *arm)
{
    return arm->options.ack_timeout_ms + QUICKLY_MS;
}

/* Holds a confirmation that may be ours. It counts as ours if no better one arrives within
 * accept_after_ms; 0: no time limit. */
static void hold(struct talk *talk, int for_ms)
{
    handle_answer(talk);
    snprintf(talk->line, sizeof talk->line, "%s", talk->arm->line.text);
    talk->held = true;
    talk->held_exact = talk->before_ack = false;
    talk->accept_at = for_ms ? now_of(talk->arm) + for_ms * AW_MILLISECOND : AW_NEVER;
}

static void belongs_elsewhere(struct aw_armctl *arm)
{
    arm->counters.late++;
    report_event(arm, AW_ARMCTL_LATE, arm->line.text, 0);
}

/* Gives up the held confirmation: it belongs to an earlier command. */
static void release_held(struct talk *talk)
{
    talk->held = talk->before_ack = false;
    talk->out->answer[0] = '\0';
    talk->arm->counters.late++;
    report_event(talk->arm, AW_ARMCTL_LATE, talk->line, 0);
}

/* Returns true if the command was carried out. If both digits were sent, one of them is new to the
 * handler. A stop repeats the last confirmed values, so its confirmation looks like an earlier one.
 * It therefore needs both ACKs, or one ACK with agreed digits and no pending confirmation. */
static bool is_carried_out(const struct talk *talk)
{
    const struct aw_armctl_memory *memory = &talk->arm->memory;
    if (!talk->stopping || talk->acks == 3)
        return talk->acked;
    return memory->agreed && !memory->n_owed && talk->acks >> talk->out->digit & 1;
}

static void hold_exact(struct talk *talk)
{
    hold(talk, 0);
    talk->held_exact = true;
}

static void sort_exact(struct talk *talk)
{
    int owed;
    bool doubtful = talk->stopping || find_pending(talk->arm, &owed) == FIT_EXACT;
    if (!doubtful || is_carried_out(talk))
        accept(talk);
    else
        hold_exact(talk);
}

/* Holds a confirmation that arrived before the ACK. The handler acknowledges a command before it
 * confirms it, so this packet confirms an earlier command, unless the ACK was lost. If a
 * confirmation is pending, waiting cannot decide that. */
static void hold_before_ack(struct talk *talk, bool doubtful)
{
    hold(talk, 0);
    talk->before_ack = true;
    talk->doubtful = doubtful || talk->stopping;
    if (!talk->doubtful)
        talk->accept_at = talk->sent_ns + talk->arm->options.ack_timeout_ms * AW_MILLISECOND;
}

/* Returns true if the command was sent only once and nothing shows yet that the handler received
 * it. */
static bool is_early(const struct talk *talk)
{
    return !talk->acks && !talk->resent && !talk->out->flipped;
}

static void sort_bare(struct talk *talk)
{
    struct aw_armctl *arm = talk->arm;
    int owed;
    bool doubtful = find_pending(arm, &owed) != FIT_NONE;
    bool early = is_early(talk), carried_out = is_carried_out(talk);
    if (doubtful)
        aw_armctl_memory_settle(&arm->memory, owed);
    if (carried_out && (!doubtful || talk->held))
        accept(talk);
    else if (early && !(doubtful && talk->stopping))
        hold_before_ack(talk, doubtful);
    else if (!early && (!talk->stopping || carried_out))
        hold(talk, talk->acks || !doubtful ? until_repeated_ms(arm) : 0);
    else if (doubtful)
        belongs_elsewhere(arm);
    else
        hold_exact(talk);
}

/* A stop sent with both digits may be confirmed twice; the second confirmation may reach the next
 * program. */
static bool may_be_repeated(const struct aw_armctl *arm)
{
    return strcmp(arm->line.body, arm->memory.received) == 0 ||
           strcmp(arm->line.body, arm->memory.confirmed) == 0;
}

/* Returns the max duration of a motion. */
static int longest_ms(const struct aw_armctl *arm)
{
    const struct aw_armctl_options *options = &arm->options;
    bool known = options->flip_after_ms && options->flip_after_ms < options->confirm_timeout_ms;
    return known ? options->flip_after_ms : options->confirm_timeout_ms;
}

static void sort_other(struct talk *talk)
{
    struct aw_armctl *arm = talk->arm;
    int owed;
    enum fit fit = find_pending(arm, &owed);
    if (fit != FIT_NONE)
        aw_armctl_memory_settle(&arm->memory, owed);
    if (fit == FIT_EXACT || (fit != FIT_NONE && !talk->out->acked)) {
        belongs_elsewhere(arm);
    } else if (fit == FIT_NONE && !talk->out->flipped && !may_be_repeated(arm)) {
        accept(talk);
    } else {
        /* May confirm an earlier motion, or the first copy, which the second one interrupted. */
        hold(talk, fit == FIT_NONE && !talk->out->flipped ? longest_ms(arm)
                                                          : arm->options.confirm_timeout_ms);
        belongs_elsewhere(arm);
    }
}

static void deliver_packet(struct aw_armctl *arm, struct talk *talk)
{
    enum fit fit = talk ? compare_with(talk, &arm->line) : FIT_NONE;
    int owed;
    arm->counters.delivered++;
    if (fit == FIT_EXACT)
        sort_exact(talk);
    else if (fit == FIT_BARE)
        sort_bare(talk);
    else if (fit == FIT_OTHER)
        sort_other(talk);
    else if (find_pending(arm, &owed) != FIT_NONE)
        aw_armctl_memory_settle(&arm->memory, owed);
    if (fit == FIT_NONE)
        belongs_elsewhere(arm);
    if (talk && talk->answered)
        report_event(arm, AW_ARMCTL_CONFIRMATION, arm->line.text, 0);
}

/* A restarted handler starts at 2 again. Until a restart is ruled out, its packet counts as a
 * duplicate only if it equals the last one. An equal packet with the other digit is new only if it
 * can answer this command. */
static enum aw_armctl_verdict classify_packet(const struct aw_armctl *arm, const struct talk *talk)
{
    enum aw_armctl_verdict verdict = aw_armctl_judge(&arm->receiver, arm->line.digit);
    bool received = strcmp(arm->line.body, arm->memory.received) == 0;
    if (verdict == AW_ARMCTL_DUPLICATE && !arm->rx_sure && !received)
        return AW_ARMCTL_NEW;
    bool again = verdict == AW_ARMCTL_NEW && received && arm->line.digit != arm->receiver.expected;
    return again && !(talk && is_carried_out(talk)) ? AW_ARMCTL_DUPLICATE : verdict;
}

static enum aw_status receive_packet(struct aw_armctl *arm, struct talk *talk, struct aw_error *err)
{
    enum aw_armctl_verdict verdict = classify_packet(arm, talk);
    if (verdict == AW_ARMCTL_FOREIGN) {
        arm->counters.foreign++;
        report_event(arm, AW_ARMCTL_OTHER_DIGIT, arm->line.text, 0);
        return AW_OK;
    }
    uint8_t ack[AW_ARMCTL_LINE_MAX];
    arm->counters.acks_sent++;
    enum aw_status status = write_bytes(arm, ack, aw_armctl_ack_write(ack, arm->line.digit), err);
    if (verdict == AW_ARMCTL_DUPLICATE) {
        arm->counters.duplicates++;
        report_event(arm, AW_ARMCTL_REPEATED, arm->line.text, 0);
        return status;
    }
    aw_armctl_handle(&arm->receiver, arm->line.digit);
    deliver_packet(arm, talk);
    copy_body(arm->memory.received, arm->line.body);
    return status;
}

static void receive_ack(struct aw_armctl *arm, struct talk *talk)
{
    int digit = aw_armctl_ack_digit(&arm->line);
    if (!talk || digit < 0 || !(talk->wanted & ~talk->acks & 1u << digit)) {
        arm->counters.acks_ignored++;
        report_event(arm, AW_ARMCTL_ACK_IGNORED, arm->line.text, 0);
        return;
    }
    talk->acks |= 1u << digit;
    talk->acked = (talk->acks & talk->wanted) == talk->wanted;
    talk->out->acked = true;
    talk->out->ack_ns = now_of(arm) - talk->sent_ns;
    arm->memory.tx = (uint8_t)(digit ^ 1);
    report_event(arm, AW_ARMCTL_ACKED, arm->line.text, 0);
    if (talk->before_ack && talk->doubtful) {
        release_held(talk);
        /* the ACK of a second copy: ours, unless a better match arrives */
    } else if (talk->before_ack) {
        talk->before_ack = false;
        talk->accept_at = AW_NEVER;
    } else if (talk->held_exact && is_carried_out(talk)) {
        talk->answered = true;
    } else if (talk->held && talk->accept_at == AW_NEVER && !talk->stopping) {
        talk->accept_at = now_of(arm) + until_repeated_ms(arm) * AW_MILLISECOND;
    }
}

static enum aw_status receive(struct aw_armctl *arm, struct talk *talk, struct aw_error *err)
{
    if (!aw_armctl_is_ack(&arm->line))
        return receive_packet(arm, talk, err);
    receive_ack(arm, talk);
    return AW_OK;
}

enum aw_status aw_armctl_idle(struct aw_armctl *arm, int64_t deadline, struct aw_error *err)
{
    for (;;) {
        enum aw_status status = read_line(arm, deadline, err);
        if (status == AW_OK)
            status = receive(arm, NULL, err);
        if (status != AW_OK && status != AW_MALFORMED)
            return status == AW_TIMEOUT ? AW_OK : status;
    }
}

/* Sending */

/* Waits for the flag or the confirmation. Accepts a held confirmation at its time. Returns
 * AW_TIMEOUT at the end, or for a line with an incomplete end. */
static enum aw_status wait_for(struct talk *talk, const bool *what, int timeout_ms)
{
    struct aw_armctl *arm = talk->arm;
    int64_t deadline = now_of(arm) + timeout_ms * AW_MILLISECOND;
    enum aw_status status = AW_OK;
    while (status == AW_OK && !*what && !talk->answered) {
        bool due = talk->held && talk->accept_at <= deadline;
        status = read_line(arm, due ? talk->accept_at : deadline, talk->err);
        if (status == AW_OK)
            status = receive(arm, talk, talk->err);
        else if (status == AW_TIMEOUT && due) {
            talk->answered = true;
            status = AW_OK;
        }
    }
    return status == AW_MALFORMED ? AW_TIMEOUT : status;
}

/* Returns true if lines arrive, but none ends with CR LF; retries are then useless. */
static bool only_half_lines(const struct aw_armctl *arm)
{
    return arm->reader.half_lines > 1;
}

static enum aw_status transmit(struct talk *talk, int attempt)
{
    struct aw_armctl *arm = talk->arm;
    uint8_t bytes[AW_ARMCTL_LINE_MAX];
    size_t size = aw_armctl_line_write(bytes, talk->out->digit, talk->out->sent);
    char text[AW_ARMCTL_LINE_MAX];
    snprintf(text, sizeof text, "%.*s", (int)size - 2, (const char *)bytes);
    talk->sent_ns = now_of(arm);
    if (talk->first_ns < 0)
        talk->first_ns = talk->sent_ns;
    arm->counters.sent += attempt == 0;
    arm->counters.resent += attempt > 0;
    talk->resent = attempt > 0;
    talk->before_ack = false; /* the next ACK may be for an earlier copy */
    talk->wanted |= 1u << talk->out->digit;
    talk->acks &= ~(1u << talk->out->digit);
    report_event(arm, attempt ? AW_ARMCTL_RESENT : AW_ARMCTL_SENT, text, attempt);
    return write_bytes(arm, bytes, size, talk->err);
}

/* Sends until an ACK arrives, or a confirmation, which implies the ACK. */
static enum aw_status deliver(struct talk *talk, int retries)
{
    enum aw_status status = AW_TIMEOUT;
    talk->acked = false;
    talk->wanted = 0;
    for (int attempt = 0; attempt <= retries && status == AW_TIMEOUT; attempt++) {
        talk->out->retries += attempt > 0;
        status = transmit(talk, attempt);
        if (status == AW_OK)
            status = wait_for(talk, &talk->acked, talk->arm->options.ack_timeout_ms);
        if (only_half_lines(talk->arm))
            break;
    }
    return status;
}

static void use_digit(struct talk *talk, uint8_t digit)
{
    struct aw_armctl *arm = talk->arm;
    talk->out->digit = digit;
    talk->out->flipped = true;
    arm->receiver.any = true;
    arm->counters.flips++;
    report_event(arm, AW_ARMCTL_FLIPPED, talk->out->sent, 0);
}

static bool may_flip(const struct talk *talk)
{
    return talk->arm->options.seq == AW_ARMCTL_SEQ_AUTO && talk->repeatable &&
           !talk->out->flipped && !only_half_lines(talk->arm);
}

/* The published firmware does not acknowledge a digit that it does not expect, nor a duplicate. If
 * the digits agreed before, a confirmation without an ACK means a duplicate. */
static enum aw_status deliver_somehow(struct talk *talk)
{
    enum aw_status status = deliver(talk, talk->arm->options.retries);
    if (status == AW_TIMEOUT && talk->held && talk->arm->memory.agreed) {
        talk->answered = true;
        return AW_OK;
    }
    if (status != AW_TIMEOUT || !may_flip(talk))
        return status;
    uint8_t digit = talk->out->digit;
    use_digit(talk, digit ^ 1u);
    status = deliver(talk, 0);
    if (status == AW_TIMEOUT)
        talk->out->digit = digit;
    return status;
}

static enum aw_status try_other_digit(struct talk *talk)
{
    use_digit(talk, talk->arm->memory.tx);
    enum aw_status status = deliver(talk, talk->arm->options.retries);
    if (status == AW_OK)
        status = wait_for(talk, &talk->answered, talk->arm->options.confirm_timeout_ms);
    return status;
}

/* Checks whether the handler acknowledges duplicates by sending a copy, which it never carries
 * out. Only such a handler may acknowledge a command without carrying it out. */
static enum aw_status send_copy(struct talk *talk, bool *acked)
{
    struct aw_armctl *arm = talk->arm;
    uint8_t bytes[AW_ARMCTL_LINE_MAX];
    size_t size = aw_armctl_line_write(bytes, talk->out->digit, talk->out->sent);
    int64_t ack_ns = talk->out->ack_ns;
    enum aw_status status = AW_TIMEOUT;
    for (int i = 0; i < COPIES && status == AW_TIMEOUT; i++) {
        talk->acked = false;
        talk->acks &= ~(1u << talk->out->digit);
        arm->counters.resent++;
        status = write_bytes(arm, bytes, size, talk->err);
        if (status == AW_OK)
            status = wait_for(talk, &talk->acked, QUICKLY_MS);
    }
    *acked = talk->acked;
    talk->acked = true;
    talk->out->ack_ns = ack_ns;
    return status == AW_OK && !talk->answered ? AW_TIMEOUT : status;
}

/* Called while it is unknown whether the digits agree. Sends the other digit to a handler that
 * acknowledges duplicates. Any other handler has carried out the command, so waits more_ms
 * longer. */
static enum aw_status try_again(struct talk *talk, int more_ms)
{
    bool again = false;
    enum aw_status status = send_copy(talk, &again);
    if (status == AW_TIMEOUT && again)
        return try_other_digit(talk);
    return status == AW_TIMEOUT && more_ms > 0 ? wait_for(talk, &talk->answered, more_ms) : status;
}

/* Returns true if the other digit should be tried after *after_ms. */
static bool is_to_flip(const struct talk *talk, int *after_ms)
{
    const struct aw_armctl_options *options = &talk->arm->options;
    bool flips = may_flip(talk), sure = talk->arm->tx_sure;
    if (flips && options->flip_after_ms && !sure)
        *after_ms = options->flip_after_ms;
    /* With agreed digits the confirmation may still arrive. */
    return flips && !(sure && options->flip_after_ms > options->confirm_timeout_ms);
}

static enum aw_status await_confirmation(struct talk *talk)
{
    int patience_ms = talk->arm->options.confirm_timeout_ms, first_ms = patience_ms;
    bool flips = is_to_flip(talk, &first_ms);
    enum aw_status status = wait_for(talk, &talk->answered, first_ms);
    if (status == AW_TIMEOUT && talk->held && first_ms != patience_ms) /* the handler answers */
        status = wait_for(talk, &talk->answered, patience_ms);
    else if (status == AW_TIMEOUT && !talk->held && flips)
        status = try_again(talk, patience_ms - first_ms);
    if (status == AW_TIMEOUT && talk->held && talk->out->acked && !talk->stopping)
        status = AW_OK;
    return status;
}

/* Waits for any confirmation. The handler does not confirm unknown types; one that does would
 * confirm at once. */
static enum aw_status await_any_answer(struct talk *talk)
{
    enum aw_status status = wait_for(talk, &talk->answered, QUICKLY_MS);
    return status == AW_TIMEOUT ? AW_OK : status;
}

/* Results */

static bool is_motor(const struct aw_record *record)
{
    return strcmp(record->codec->message->name, "duty") == 0;
}

static bool is_vehicle(const struct aw_record *record)
{
    return strcmp(record->codec->message->name, "spd") == 0;
}

/* The firmware stops both motors before it starts one. */
static void note_motor(struct aw_armctl_memory *memory, const struct aw_record *record,
                       const char *body, bool confirmed)
{
    bool motor = is_motor(record);
    if (!motor && !is_vehicle(record))
        return;
    double value = aw_record_get(record, motor ? "duty" : "speed");
    bool same = motor == (strchr(memory->motor, ',') != NULL);
    if (value < 0 || value > 0)
        copy_body(memory->motor, body);
    else if (confirmed && same)
        memory->motor[0] = '\0';
}

static bool same_joint(const char *body, const char *other)
{
    return strncmp(body, other, strncmp(body, "ARM", 3) == 0 ? 3 : 4) == 0;
}

/* Records the joint positions. */
static void note_places(struct talk *talk, enum fit fit)
{
    struct aw_armctl *arm = talk->arm;
    bool valued = talk->out->has_record && fit != FIT_BARE;
    const struct aw_record *record = valued ? &talk->out->record : &talk->record;
    for (int i = 0; i < record->codec->n_scalars; i++) {
        int joint;
        enum aw_armctl_kind kind;
        if (record->present >> i & 1 &&
            aw_armctl_scalar_joint(arm->options.profile, record, i, &joint, &kind))
            arm->memory.places[joint] = (struct aw_armctl_place){
                true, kind, (int)record->v[i], now_of(arm) + arm->options.wall_ns};
    }
    copy_body(arm->memory.confirmed, talk->out->sent);
}

static void note_confirmed(struct talk *talk, enum fit fit)
{
    struct aw_armctl *arm = talk->arm;
    struct aw_armctl_memory *memory = &arm->memory;
    bool twice = talk->out->flipped || fit == FIT_OTHER || talk->held_exact;
    arm->tx_sure = arm->rx_sure = memory->agreed = true;
    memory->tx = talk->out->digit ^ 1u; /* the ACK may have been lost */
    if (!talk->own)
        memory->pending[0] = '\0';
    if (talk->decoded)
        note_motor(memory, &talk->record, talk->out->sent, true);
    /* The handler confirms the motions of a joint in order. */
    for (int i = memory->n_owed - 1; i >= 0; i--)
        if (same_joint(memory->owed[i], talk->out->sent))
            aw_armctl_memory_settle(memory, i);
    if (twice) /* a second confirmation may follow */
        aw_armctl_memory_owe(memory, talk->out->sent);
    if (talk->decoded && !talk->own && (fit != FIT_OTHER || talk->out->has_record))
        note_places(talk, fit);
}

static void note_unconfirmed(struct talk *talk)
{
    struct aw_armctl *arm = talk->arm;
    arm->tx_sure = arm->rx_sure = false;
    arm->memory.agreed = talk->acked;
    aw_armctl_memory_owe(&arm->memory, talk->out->sent);
    if (talk->both_carried_out)
        aw_armctl_memory_owe(&arm->memory, talk->out->sent);
    if (talk->decoded)
        note_motor(&arm->memory, &talk->record, talk->out->sent, false);
    if (talk->decoded && !talk->own)
        copy_body(arm->memory.pending, talk->out->sent);
}

static enum aw_status conclude_confirmed(struct talk *talk)
{
    struct aw_armctl_outcome *out = talk->out;
    struct aw_armctl_line line = {.known = talk->known, .decoded = out->has_record};
    line.record = out->record;
    copy_body(line.body, out->answer);
    enum fit fit = compare_with(talk, &line);
    note_confirmed(talk, fit);
    out->result = fit == FIT_OTHER ? AW_ARMCTL_CONFIRMED_OTHER : AW_ARMCTL_CONFIRMED;
    out->bare = fit == FIT_BARE;
    out->answers =
        talk->decoded && out->has_record && is_custom_answer(&talk->record, &out->record);
    if (fit != FIT_OTHER)
        return AW_OK;
    if (!out->has_record) {
        out->result = AW_ARMCTL_CONFIRMED_DAMAGED;
        return aw_fail(talk->err, AW_MALFORMED,
                       "%s: confirmed by a damaged line, %s: executed, but its values are unknown "
                       "— send it again",
                       out->sent, out->answer);
    }
    return aw_fail(talk->err, AW_REFUSED,
                   "%s: the handler confirmed %s instead — check its limits, and whether another "
                   "program sends commands",
                   out->sent, out->answer);
}

static enum aw_status report_not_confirmed(struct talk *talk)
{
    struct aw_armctl_outcome *out = talk->out;
    const struct aw_armctl_options *options = &talk->arm->options;
    const char *advice = options->seq != AW_ARMCTL_SEQ_AUTO
                             ? "the handler may have ignored it as a duplicate: try --seq auto"
                         : !talk->repeatable
                             ? "not resent, to avoid executing it twice: run ping to agree on the "
                               "digits without motion"
                             : "check whether it moved, or give a longer --confirm-timeout";
    out->result = AW_ARMCTL_ACKED_NOT_CONFIRMED;
    return aw_fail(talk->err, AW_TIMEOUT, "%s: ACKed, but not confirmed within %g s%s — %s",
                   out->sent, options->confirm_timeout_ms / 1000.0,
                   out->flipped ? ", with either digit" : "", advice);
}

static const char *no_answer_hint(const struct talk *talk)
{
    const struct aw_armctl *arm = talk->arm;
    const struct aw_armctl_counters *received = &arm->counters;
    bool no_other = arm->options.seq != AW_ARMCTL_SEQ_AUTO || !talk->repeatable;
    if (received->foreign)
        return "our own lines come back: check for a local echo or crossed wires";
    if (received->delivered || received->duplicates || received->acks_ignored)
        return no_other
                   ? "the handler responds, but does not ACK this digit: it may expect the other "
                     "one, try --seq auto or ping"
                   : "the handler responds, but ACKs neither digit: it may not know this command";
    if (arm->reader.half_end)
        return arm->reader.half_end == '\n'
                   ? "its lines end with LF only: they must end with CR LF"
                   : "its lines end with CR only: they must end with CR LF";
    if (received->garbage || received->overlong)
        return "only garbage received: check the speed (9600 8N1)";
    return no_other ? "check power, port and speed (9600 8N1); if the handler expects the other "
                      "digit, try --seq auto or ping"
                    : "check power, port and speed (9600 8N1)";
}

static enum aw_status report_not_acked(struct talk *talk)
{
    struct aw_armctl_outcome *out = talk->out;
    out->result = AW_ARMCTL_NOT_ACKED;
    return aw_fail(talk->err, AW_TIMEOUT, "%s: no ACK after %d tries with digit %d%s — %s",
                   out->sent, out->retries + 1, out->digit,
                   out->flipped ? " and one with the other" : "", no_answer_hint(talk));
}

static enum aw_status report_ended(struct talk *talk, enum aw_status status)
{
    bool stopped = status == AW_STOPPED;
    talk->out->result = stopped ? AW_ARMCTL_STOPPED : AW_ARMCTL_LINK_LOST;
    /* a server that owns the port refused it */
    bool told = status == AW_LIMIT || status == AW_REFUSED;
    if (!stopped)
        return told || status == AW_NO_MEMORY ? status : AW_LOST;
    return aw_fail(talk->err, AW_STOPPED, "%s: stopped while waiting for the %s — not resent",
                   talk->out->sent, talk->out->acked ? "confirmation" : "ACK");
}

static enum aw_status conclude(struct talk *talk, enum aw_status status)
{
    talk->arm->under_way[0] = '\0';
    talk->out->total_ns = talk->first_ns < 0 ? 0 : now_of(talk->arm) - talk->first_ns;
    if (status == AW_OK && (talk->answered || talk->held))
        return conclude_confirmed(talk);
    if (status == AW_OK) {
        talk->out->result = AW_ARMCTL_ARRIVED;
        return AW_OK;
    }
    if (talk->first_ns >= 0)
        note_unconfirmed(talk);
    talk->out->answer[0] = '\0';
    talk->out->has_record = false;
    if (status != AW_TIMEOUT)
        return report_ended(talk, status);
    return talk->out->acked ? report_not_confirmed(talk) : report_not_acked(talk);
}

/* Commands */

/* Returns true for types that may be carried out twice. */
static bool is_repeatable(const char *body)
{
    static const char *const types[] = {"DEG", "POS", "ARM", "SPD"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strncmp(body, types[i], 3) == 0)
            return true;
    return false;
}

static bool is_custom(const struct aw_armctl *arm, const struct aw_record *record)
{
    return record->codec->message >= arm->wire.protocol->messages + aw_armctl_protocol.n_messages;
}

static void start(struct talk *talk, struct aw_armctl *arm, const char *body,
                  struct aw_armctl_outcome *out, struct aw_error *err)
{
    *out = (struct aw_armctl_outcome){.digit = arm->memory.tx, .ack_ns = -1};
    copy_body(out->sent, body);
    *talk = (struct talk){.arm = arm, .out = out, .err = err, .first_ns = -1};
    talk->decoded = decode_body(arm, body, &talk->record);
    talk->known = aw_armctl_type_known(arm->wire.protocol, body);
    talk->own = talk->decoded && is_custom(arm, &talk->record);
    talk->repeatable = talk->own ? talk->record.codec->message->reads : is_repeatable(body);
    if (err)
        err->text[0] = '\0';
}

/* Formats the TYPE and parameters of a record for a line. */
static enum aw_status body_of(const struct aw_record *record, char *body, struct aw_error *err)
{
    struct aw_record copy = *record;
    uint8_t bytes[AW_ARMCTL_LINE_MAX];
    size_t size;
    enum aw_status status = aw_record_set(&copy, "seq", 0, err);
    if (status == AW_OK)
        status = aw_encode(&copy, true, bytes, sizeof bytes, &size, err);
    if (status == AW_OK)
        snprintf(body, AW_ARMCTL_BODY_MAX + 1, "%.*s", (int)size - 3, (const char *)bytes + 1);
    return status;
}

enum aw_status aw_armctl_command(struct aw_armctl *arm, const struct aw_record *command,
                                 struct aw_armctl_outcome *outcome, struct aw_error *err)
{
    char body[AW_ARMCTL_BODY_MAX + 1];
    *outcome = (struct aw_armctl_outcome){.result = AW_ARMCTL_NOT_SENT, .ack_ns = -1};
    enum aw_status status = body_of(command, body, err);
    return status == AW_OK ? aw_armctl_command_line(arm, body, outcome, err) : status;
}

void aw_armctl_announce(struct aw_armctl *arm, const char *body)
{
    if (aw_armctl_body_valid(body))
        copy_body(arm->under_way, body);
}

struct aw_armctl_memory aw_armctl_memory_ahead(struct aw_armctl *arm)
{
    struct aw_armctl_memory ahead = *aw_armctl_memory(arm);
    struct aw_record record;
    if (!*arm->under_way)
        return ahead;
    ahead.agreed = false;
    aw_armctl_memory_owe(&ahead, arm->under_way);
    if (decode_body(arm, arm->under_way, &record) && !is_custom(arm, &record)) {
        note_motor(&ahead, &record, arm->under_way, false);
        copy_body(ahead.pending, arm->under_way);
    }
    return ahead;
}

enum aw_status aw_armctl_command_line(struct aw_armctl *arm, const char *body,
                                      struct aw_armctl_outcome *outcome, struct aw_error *err)
{
    *outcome = (struct aw_armctl_outcome){.result = AW_ARMCTL_NOT_SENT, .ack_ns = -1};
    if (!aw_armctl_body_valid(body))
        return aw_fail(err, AW_USAGE,
                       "'%.40s': not a packet — write three capitals, then at most 28 characters "
                       "without blanks",
                       body);
    if (strncmp(body, "ACK", 3) == 0)
        return aw_fail(err, AW_USAGE,
                       "%s: an ACK cannot be a command — armctl sends ACKs by itself", body);
    struct talk talk;
    start(&talk, arm, body, outcome, err);
    aw_armctl_announce(arm, body);
    enum aw_status status = aw_armctl_idle(arm, now_of(arm), err);
    if (status == AW_OK)
        status = deliver_somehow(&talk);
    if (status == AW_OK)
        status = talk.decoded ? await_confirmation(&talk) : await_any_answer(&talk);
    return conclude(&talk, status);
}

/* Ping and stop */

enum aw_status aw_armctl_ping(struct aw_armctl *arm, struct aw_armctl_outcome *outcome,
                              struct aw_error *err)
{
    struct talk talk;
    struct aw_armctl_options usual = arm->options;
    uint8_t next = arm->memory.tx;
    start(&talk, arm, "PNG", outcome, err);
    enum aw_status status = aw_armctl_idle(arm, now_of(arm), err);
    bool reached = status == AW_OK;
    outcome->digit = arm->memory.pings == AW_ARMCTL_PINGS_NEXT ? next ^ 1u : next;
    if (arm->memory.pings == AW_ARMCTL_PINGS_UNKNOWN && usual.ack_timeout_ms > QUICKLY_MS)
        arm->options.ack_timeout_ms = QUICKLY_MS;
    for (int i = 0; i <= usual.retries && reached && !talk.acked; i++) {
        outcome->digit ^= 1u;
        outcome->retries = i;
        status = deliver(&talk, 0);
        reached = status == AW_TIMEOUT || status == AW_OK;
        arm->options = usual;
        if (only_half_lines(arm))
            break;
    }
    outcome->total_ns = now_of(arm) - talk.first_ns;
    if (!reached)
        return report_ended(&talk, status);
    if (!talk.acked)
        return report_not_acked(&talk);
    /* Later pings first try the digit that worked. */
    if (arm->memory.agreed)
        arm->memory.pings =
            outcome->digit == next ? AW_ARMCTL_PINGS_NEXT : AW_ARMCTL_PINGS_DUPLICATE;
    arm->memory.agreed = true;
    arm->tx_sure = true;
    outcome->result = AW_ARMCTL_CONFIRMED;
    return AW_OK;
}

double aw_armctl_target(struct aw_armctl *arm, int joint)
{
    struct aw_record command;
    int moved;
    enum aw_armctl_kind kind;
    if (!*arm->memory.pending || !decode_body(arm, arm->memory.pending, &command))
        return NAN;
    for (int i = 0; i < command.codec->n_scalars; i++)
        if (command.present >> i & 1 &&
            aw_armctl_scalar_joint(arm->options.profile, &command, i, &moved, &kind) &&
            moved == joint)
            return command.v[i];
    return NAN;
}

bool aw_armctl_last_confirmed(struct aw_armctl *arm, const struct aw_record *command,
                              struct aw_record *back)
{
    const char *name = command->codec->message->name;
    *back = *command;
    if (strcmp(name, "mov") == 0 || is_vehicle(command)) {
        aw_record_init(back, aw_wire_codec(&arm->wire, "spd", AW_TX), AW_TX);
        return aw_record_set(back, "speed", 0, NULL) == AW_OK;
    }
    if (is_motor(command))
        return aw_record_set(back, "duty", 0, NULL) == AW_OK;
    bool moves = false;
    for (int i = 0; i < back->codec->n_scalars; i++) {
        int joint;
        enum aw_armctl_kind kind;
        if (!aw_armctl_scalar_joint(arm->options.profile, command, i, &joint, &kind))
            continue;
        const struct aw_armctl_place *place = &arm->memory.places[joint];
        if (!place->known || place->kind != kind)
            return false;
        back->v[i] = place->value;
        moves = true;
    }
    return moves;
}

/* A motor would never stop by itself, so it has priority. */
static bool stop_body(struct aw_armctl *arm, char *body)
{
    const struct aw_armctl_memory *memory = &arm->memory;
    const char *moving = *memory->motor     ? memory->motor
                         : *arm->under_way  ? arm->under_way
                         : *memory->pending ? memory->pending
                                            : memory->confirmed;
    struct aw_record command, back;
    return *moving && decode_body(arm, moving, &command) &&
           aw_armctl_last_confirmed(arm, &command, &back) && body_of(&back, body, NULL) == AW_OK;
}

/* Sends both digits, starting with the handler's last one: that is a duplicate, and the other one
 * is carried out once. If the handler expects the first one, it carries out both. */
static enum aw_status transmit_both(struct talk *talk, int attempt)
{
    uint8_t digit = talk->out->digit;
    talk->out->digit = digit ^ 1u;
    enum aw_status status = transmit(talk, attempt);
    talk->out->digit = digit;
    return status == AW_OK ? transmit(talk, attempt) : status;
}

/* After it acknowledges one digit, the handler expects the other. So it certainly carries out the
 * second of two. */
static enum aw_status deliver_surely(struct talk *talk)
{
    enum aw_status status = AW_TIMEOUT;
    for (int i = 0; i <= talk->arm->options.retries && status == AW_TIMEOUT; i++) {
        talk->out->retries += i > 0;
        status = transmit_both(talk, i);
        if (status == AW_OK)
            status = wait_for(talk, &talk->acked, talk->arm->options.ack_timeout_ms);
        if (status == AW_TIMEOUT && is_carried_out(talk))
            status = AW_OK;
        if (only_half_lines(talk->arm))
            break;
    }
    if (status == AW_OK)
        status = wait_for(talk, &talk->answered, talk->arm->options.confirm_timeout_ms);
    return status;
}

/* Sends the stop once, for signal handling, without waiting for the motion back. */
static enum aw_status stop_at_once(struct talk *talk)
{
    struct aw_armctl_outcome *out = talk->out;
    enum aw_status status = transmit_both(talk, 0);
    if (status == AW_OK)
        status = wait_for(talk, &talk->acked, AW_ARMCTL_STOP_WAIT_MS);
    if (status == AW_TIMEOUT && is_carried_out(talk))
        status = AW_OK;
    if (status == AW_OK && talk->answered)
        return conclude(talk, status);
    note_unconfirmed(talk);
    talk->arm->memory.tx = out->digit ^ 1u;
    out->result = AW_ARMCTL_STOPPED;
    if (status == AW_TIMEOUT)
        return aw_fail(talk->err, status, "%s: no ACK within %d ms", out->sent,
                       AW_ARMCTL_STOP_WAIT_MS);
    if (status != AW_OK && status != AW_STOPPED)
        out->result = AW_ARMCTL_LINK_LOST;
    return status;
}

enum aw_status aw_armctl_stop(struct aw_armctl *arm, bool wait, struct aw_armctl_outcome *outcome,
                              struct aw_error *err)
{
    char body[AW_ARMCTL_BODY_MAX + 1];
    *outcome = (struct aw_armctl_outcome){.result = AW_ARMCTL_NOT_SENT, .ack_ns = -1};
    if (!stop_body(arm, body))
        return AW_OK;
    bool was_under_way = *arm->under_way;
    if (was_under_way) { /* by another program: the handler may still confirm it */
        aw_armctl_memory_owe(&arm->memory, arm->under_way);
        copy_body(arm->memory.pending, arm->under_way);
        arm->under_way[0] = '\0';
    }
    struct talk talk;
    start(&talk, arm, body, outcome, err);
    talk.stopping = true;
    talk.both_carried_out = !arm->memory.agreed || was_under_way;
    if (wait) {
        enum aw_status status = aw_armctl_idle(arm, now_of(arm), err);
        return conclude(&talk, status == AW_OK ? deliver_surely(&talk) : status);
    }
    return stop_at_once(&talk);
}

void aw_armctl_last_stop(struct aw_armctl *arm, aw_frame_fn *add, void *context)
{
    char body[AW_ARMCTL_BODY_MAX + 1];
    uint8_t lines[2 * AW_ARMCTL_LINE_MAX];
    if (!stop_body(arm, body))
        return;
    size_t size = aw_armctl_line_write(lines, arm->memory.tx ^ 1u, body);
    size += aw_armctl_line_write(lines + size, arm->memory.tx, body);
    add(context, lines, size);
}
