/* Exchanges commands with the handler: sends until acknowledged, waits until confirmed. */
#include "protocol/armctl/client.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SHORT_TIMEOUT_MS 300 /* more than a round trip over Bluetooth */
#define LF_MS            100 /* max delay of an LF after its CR */
#define SILENT_COPIES    3   /* copies without an ACK before the handler counts as silent */

/* How well a packet of the handler matches a command that waits for its confirmation. */
enum fit {
    FIT_NONE, /* another type, or another joint */
    FIT_EXACT,
    FIT_BARE,  /* the same type, but without values */
    FIT_OTHER, /* the same type with other values */
};

/* A command in progress. */
struct exchange {
    struct aw_armctl *arm;
    struct aw_armctl_outcome *outcome;
    struct aw_error *err;
    struct {
        struct aw_record record; /* the decoded command, if it can be decoded */
        bool decoded;
        bool repeatable;    /* an absolute command, which may be carried out twice */
        bool known_type;    /* the table has the command's type */
        bool is_custom;     /* a custom packet: does not move the arm's joints */
        bool may_run_twice; /* a stop: the handler may carry out both digits */
        bool is_stop;       /* a stop: its values may equal those of the last confirmation */
    } command;
    struct {
        bool resent;
        bool acked;             /* the current transmission was acknowledged */
        unsigned expected_acks; /* bits of the digits whose ACK counts */
        unsigned acks;          /* bits of the acknowledged digits */
    } ack;
    bool answered;
    /* an answer that is held, because it may confirm an earlier command */
    struct {
        bool pending;                  /* an answer is held */
        char line[AW_ARMCTL_LINE_MAX]; /* the held packet, with its digit */
        /* the held packet is ours once the handler has certainly carried out the command */
        bool is_exact;
        bool before_ack;   /* the held packet arrived before the ACK */
        bool doubtful;     /* the held packet is not ours if the ACK still arrives */
        int64_t accept_ns; /* time at which the packet is accepted if no other one arrives */
    } hold;
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
    if (link->n_connections) {
        /* Both ends start over with a new connection. */
        arm->memory.tx = arm->memory.rx = arm->memory.n_awaited = 0;
        arm->memory.agreed = false;
        arm->memory.received[0] = '\0';
    }
    /* a simulated handler starts together with its link */
    arm->tx_agreed = arm->rx_agreed = link->is_simulated;
    bool received = arm->memory.rx >= 2;
    arm->receiver = (struct aw_armctl_receiver){received ? arm->memory.rx : 2, !received};
    if (options->seq != AW_ARMCTL_SEQ_AUTO) {
        arm->memory.tx = (uint8_t)options->seq;
        arm->receiver.accept_any = true;
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
    arm->memory.rx = arm->receiver.accept_any ? 0 : arm->receiver.expected;
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

/* ---- Receiving ---- */

static int64_t get_now_ns(const struct aw_armctl *arm)
{
    return aw_clock_now(arm->link->clock);
}

/* Reads once. A peer that sends without pause must not delay the timeout. AW_MALFORMED: the first
 * line has no LF yet. */
static enum aw_status read_more(struct aw_armctl *arm, int64_t deadline, struct aw_error *err)
{
    int64_t now = get_now_ns(arm), lf_ns = now + LF_MS * AW_MILLISECOND;
    if (now > deadline)
        return AW_TIMEOUT;
    bool awaits_lf =
        !arm->reader.n_partial && aw_armctl_reader_lacks_lf(&arm->reader) && lf_ns < deadline;
    size_t cap, got = 0;
    uint8_t *space = aw_armctl_reader_space(&arm->reader, &cap);
    enum aw_status status =
        aw_link_read(arm->link, space, cap, &got, awaits_lf ? lf_ns : deadline, err);
    aw_armctl_reader_commit(&arm->reader, got);
    if (status == AW_TIMEOUT && awaits_lf) {
        arm->reader.n_partial = 1;
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
            arm->counters.overlong = arm->reader.framer.n_overlong;
            report_event(arm, AW_ARMCTL_GARBAGE, "", 0);
            if (arm->reader.partial_end && arm->reader.n_partial > 0)
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
static enum fit compare_records(const struct aw_record *command, const struct aw_record *answer)
{
    int seq = aw_codec_find(answer->codec, "seq"), joint = aw_codec_find(answer->codec, "joint");
    uint64_t common = command->present & answer->present & ~(UINT64_C(1) << seq);
    if (!common)
        return FIT_BARE;
    for (; common; common &= common - 1) {
        int scalar = __builtin_ctzll(common);
        double difference = command->v[scalar] - answer->v[scalar];
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
static bool is_custom_answer(const struct aw_record *command, const struct aw_record *answer)
{
    const struct aw_message *sent = command->codec->message, *received = answer->codec->message;
    return sent->dir == AW_TX && received->dir == AW_RX && strcmp(sent->word, received->word) == 0;
}

/* Compares a packet with the command that was sent. command: its record, or NULL. */
static enum fit compare_line(const char *sent, const struct aw_record *command,
                             const struct aw_armctl_line *line)
{
    if (!aw_armctl_is_same_type(line->body, sent)) /* "DEGG1,010": damaged */
        return line->known_type && !line->decoded && strncmp(line->body, sent, 3) == 0 ? FIT_OTHER
                                                                                       : FIT_NONE;
    if (command && line->decoded && is_custom_answer(command, &line->record))
        return FIT_EXACT;
    if (!line->known_type || strcmp(line->body, sent) == 0)
        return FIT_EXACT;
    if (aw_armctl_is_bare(line->body))
        return FIT_BARE;
    if (command && line->decoded && command->codec == line->record.codec)
        return compare_records(command, &line->record);
    return FIT_OTHER;
}

static enum fit compare_with(const struct exchange *exchange, const struct aw_armctl_line *line)
{
    return compare_line(exchange->outcome->sent,
                        exchange->command.decoded ? &exchange->command.record : NULL, line);
}

/* Sets *index to the oldest pending command that this packet fits exactly, otherwise to the oldest
 * one that it fits at all. */
static enum fit find_pending(struct aw_armctl *arm, int *index)
{
    enum fit best = FIT_NONE;
    for (int i = 0; i < arm->memory.n_awaited && best != FIT_EXACT; i++) {
        struct aw_record record;
        bool decoded = decode_body(arm, arm->memory.awaited[i], &record);
        enum fit fit = compare_line(arm->memory.awaited[i], decoded ? &record : NULL, &arm->line);
        if (fit == FIT_EXACT || (fit != FIT_NONE && best == FIT_NONE)) {
            best = fit;
            *index = i;
        }
    }
    return best;
}

static void handle_answer(struct exchange *exchange)
{
    const struct aw_armctl_line *line = &exchange->arm->line;
    copy_body(exchange->outcome->answer, line->body);
    exchange->outcome->has_record = line->decoded;
    exchange->outcome->record = line->record;
}

static void accept_answer(struct exchange *exchange)
{
    handle_answer(exchange);
    exchange->answered = true;
}

/* Returns a time longer than the interval at which the handler repeats a pending packet. */
static int repeat_wait_ms(const struct aw_armctl *arm)
{
    return arm->options.ack_timeout_ms + SHORT_TIMEOUT_MS;
}

/* Holds a confirmation that may be ours. It counts as ours if no better one arrives within
 * accept_after_ms; 0: it never counts by time. */
static void hold_answer(struct exchange *exchange, int accept_after_ms)
{
    handle_answer(exchange);
    snprintf(exchange->hold.line, sizeof exchange->hold.line, "%s", exchange->arm->line.text);
    exchange->hold.pending = true;
    exchange->hold.is_exact = exchange->hold.before_ack = false;
    exchange->hold.accept_ns =
        accept_after_ms ? get_now_ns(exchange->arm) + accept_after_ms * AW_MILLISECOND : AW_NEVER;
}

static void note_late(struct aw_armctl *arm)
{
    arm->counters.late++;
    report_event(arm, AW_ARMCTL_LATE, arm->line.text, 0);
}

/* Gives up the held confirmation: it belongs to an earlier command. */
static void release_held(struct exchange *exchange)
{
    exchange->hold.pending = exchange->hold.before_ack = false;
    exchange->outcome->answer[0] = '\0';
    exchange->arm->counters.late++;
    report_event(exchange->arm, AW_ARMCTL_LATE, exchange->hold.line, 0);
}

/* Returns true if the command was carried out. If both digits were sent, one of them is new to the
 * handler. A stop repeats the last confirmed values, so its confirmation looks like an earlier one.
 * It therefore needs both ACKs, or one ACK with agreed digits and no pending confirmation. */
static bool is_carried_out(const struct exchange *exchange)
{
    const struct aw_armctl_memory *memory = &exchange->arm->memory;
    if (!exchange->command.is_stop || exchange->ack.acks == 3)
        return exchange->ack.acked;
    return memory->agreed && !memory->n_awaited &&
           exchange->ack.acks >> exchange->outcome->digit & 1;
}

static void hold_exact(struct exchange *exchange)
{
    hold_answer(exchange, 0);
    exchange->hold.is_exact = true;
}

static void handle_exact(struct exchange *exchange)
{
    int index;
    bool doubtful = exchange->command.is_stop || find_pending(exchange->arm, &index) == FIT_EXACT;
    if (!doubtful || is_carried_out(exchange))
        accept_answer(exchange);
    else
        hold_exact(exchange);
}

/* Holds a confirmation that arrived before the ACK. The handler acknowledges a command before it
 * confirms it, so this packet confirms an earlier command, unless the ACK was lost. If a
 * confirmation is pending, waiting cannot decide that. */
static void hold_before_ack(struct exchange *exchange, bool doubtful)
{
    hold_answer(exchange, 0);
    exchange->hold.before_ack = true;
    exchange->hold.doubtful = doubtful || exchange->command.is_stop;
    if (!exchange->hold.doubtful)
        exchange->hold.accept_ns =
            exchange->sent_ns + exchange->arm->options.ack_timeout_ms * AW_MILLISECOND;
}

/* Returns true if the command was sent only once and nothing shows yet that the handler received
 * it. */
static bool is_early(const struct exchange *exchange)
{
    return !exchange->ack.acks && !exchange->ack.resent && !exchange->outcome->flipped;
}

static void handle_bare(struct exchange *exchange)
{
    struct aw_armctl *arm = exchange->arm;
    int index;
    bool doubtful = find_pending(arm, &index) != FIT_NONE;
    bool early = is_early(exchange), carried_out = is_carried_out(exchange);
    if (doubtful)
        aw_armctl_memory_remove(&arm->memory, index);
    if (carried_out && (!doubtful || exchange->hold.pending))
        accept_answer(exchange);
    else if (early && !(doubtful && exchange->command.is_stop))
        hold_before_ack(exchange, doubtful);
    else if (!early && (!exchange->command.is_stop || carried_out))
        hold_answer(exchange, exchange->ack.acks || !doubtful ? repeat_wait_ms(arm) : 0);
    else if (doubtful)
        note_late(arm);
    else
        hold_exact(exchange);
}

/* Returns true if the packet repeats the last received packet or the last confirmed command. A stop
 * sent with both digits may be confirmed twice; the second confirmation may reach the next
 * program. */
static bool is_repetition(const struct aw_armctl *arm)
{
    return strcmp(arm->line.body, arm->memory.received) == 0 ||
           strcmp(arm->line.body, arm->memory.confirmed) == 0;
}

/* Returns the assumed max duration of a motion, ms: until the other digit is tried, or the
 * confirmation times out. */
static int get_max_motion_ms(const struct aw_armctl *arm)
{
    const struct aw_armctl_options *options = &arm->options;
    bool limited = options->flip_after_ms && options->flip_after_ms < options->confirm_timeout_ms;
    return limited ? options->flip_after_ms : options->confirm_timeout_ms;
}

static void handle_other(struct exchange *exchange)
{
    struct aw_armctl *arm = exchange->arm;
    int index;
    enum fit fit = find_pending(arm, &index);
    if (fit != FIT_NONE)
        aw_armctl_memory_remove(&arm->memory, index);
    if (fit == FIT_EXACT || (fit != FIT_NONE && !exchange->outcome->acked)) {
        note_late(arm);
    } else if (fit == FIT_NONE && !exchange->outcome->flipped && !is_repetition(arm)) {
        accept_answer(exchange);
    } else {
        /* May confirm an earlier motion, or the first copy, which the second one interrupted. */
        hold_answer(exchange, fit == FIT_NONE && !exchange->outcome->flipped
                                  ? get_max_motion_ms(arm)
                                  : arm->options.confirm_timeout_ms);
        note_late(arm);
    }
}

static void deliver_packet(struct aw_armctl *arm, struct exchange *exchange)
{
    enum fit fit = exchange ? compare_with(exchange, &arm->line) : FIT_NONE;
    int index;
    arm->counters.delivered++;
    if (fit == FIT_EXACT)
        handle_exact(exchange);
    else if (fit == FIT_BARE)
        handle_bare(exchange);
    else if (fit == FIT_OTHER)
        handle_other(exchange);
    else if (find_pending(arm, &index) != FIT_NONE)
        aw_armctl_memory_remove(&arm->memory, index);
    if (fit == FIT_NONE)
        note_late(arm);
    if (exchange && exchange->answered)
        report_event(arm, AW_ARMCTL_CONFIRMATION, arm->line.text, 0);
}

/* A restarted handler starts at 2 again. Until a restart is ruled out, its packet counts as a
 * duplicate only if it equals the last one. An equal packet with the other digit is new only if it
 * can answer this command. */
static enum aw_armctl_verdict classify_packet(const struct aw_armctl *arm,
                                              const struct exchange *exchange)
{
    enum aw_armctl_verdict verdict = aw_armctl_classify(&arm->receiver, arm->line.digit);
    bool received = strcmp(arm->line.body, arm->memory.received) == 0;
    if (verdict == AW_ARMCTL_DUPLICATE && !arm->rx_agreed && !received)
        return AW_ARMCTL_NEW;
    bool repeated =
        verdict == AW_ARMCTL_NEW && received && arm->line.digit != arm->receiver.expected;
    return repeated && !(exchange && is_carried_out(exchange)) ? AW_ARMCTL_DUPLICATE : verdict;
}

static enum aw_status receive_packet(struct aw_armctl *arm, struct exchange *exchange,
                                     struct aw_error *err)
{
    enum aw_armctl_verdict verdict = classify_packet(arm, exchange);
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
    aw_armctl_note_handled(&arm->receiver, arm->line.digit);
    deliver_packet(arm, exchange);
    copy_body(arm->memory.received, arm->line.body);
    return status;
}

static void receive_ack(struct aw_armctl *arm, struct exchange *exchange)
{
    int digit = aw_armctl_ack_digit(&arm->line);
    if (!exchange || digit < 0 ||
        !(exchange->ack.expected_acks & ~exchange->ack.acks & 1u << digit)) {
        arm->counters.acks_ignored++;
        report_event(arm, AW_ARMCTL_ACK_IGNORED, arm->line.text, 0);
        return;
    }
    exchange->ack.acks |= 1u << digit;
    exchange->ack.acked =
        (exchange->ack.acks & exchange->ack.expected_acks) == exchange->ack.expected_acks;
    exchange->outcome->acked = true;
    exchange->outcome->ack_ns = get_now_ns(arm) - exchange->sent_ns;
    arm->memory.tx = (uint8_t)(digit ^ 1);
    report_event(arm, AW_ARMCTL_ACKED, arm->line.text, 0);
    if (exchange->hold.before_ack && exchange->hold.doubtful) {
        release_held(exchange);
        /* the ACK of a second copy: ours, unless a better match arrives */
    } else if (exchange->hold.before_ack) {
        exchange->hold.before_ack = false;
        exchange->hold.accept_ns = AW_NEVER;
    } else if (exchange->hold.is_exact && is_carried_out(exchange)) {
        exchange->answered = true;
    } else if (exchange->hold.pending && exchange->hold.accept_ns == AW_NEVER &&
               !exchange->command.is_stop) {
        exchange->hold.accept_ns = get_now_ns(arm) + repeat_wait_ms(arm) * AW_MILLISECOND;
    }
}

static enum aw_status receive(struct aw_armctl *arm, struct exchange *exchange,
                              struct aw_error *err)
{
    if (!aw_armctl_is_ack(&arm->line))
        return receive_packet(arm, exchange, err);
    receive_ack(arm, exchange);
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

/* ---- Sending ---- */

/* Waits for the flag or the confirmation. Accepts a held confirmation at its time. Returns
 * AW_TIMEOUT at the end, or for a line with an incomplete end. */
static enum aw_status wait_for(struct exchange *exchange, const bool *flag, int timeout_ms)
{
    struct aw_armctl *arm = exchange->arm;
    int64_t deadline = get_now_ns(arm) + timeout_ms * AW_MILLISECOND;
    enum aw_status status = AW_OK;
    while (status == AW_OK && !*flag && !exchange->answered) {
        bool accept_due = exchange->hold.pending && exchange->hold.accept_ns <= deadline;
        status = read_line(arm, accept_due ? exchange->hold.accept_ns : deadline, exchange->err);
        if (status == AW_OK)
            status = receive(arm, exchange, exchange->err);
        else if (status == AW_TIMEOUT && accept_due) {
            exchange->answered = true;
            status = AW_OK;
        }
    }
    return status == AW_MALFORMED ? AW_TIMEOUT : status;
}

/* Returns true if lines arrive, but none ends with CR LF; retries are then useless. */
static bool has_only_partial_lines(const struct aw_armctl *arm)
{
    return arm->reader.n_partial > 1;
}

static enum aw_status transmit(struct exchange *exchange, int attempt)
{
    struct aw_armctl *arm = exchange->arm;
    uint8_t bytes[AW_ARMCTL_LINE_MAX];
    size_t size = aw_armctl_line_write(bytes, exchange->outcome->digit, exchange->outcome->sent);
    char text[AW_ARMCTL_LINE_MAX];
    snprintf(text, sizeof text, "%.*s", (int)size - 2, (const char *)bytes);
    exchange->sent_ns = get_now_ns(arm);
    if (exchange->first_ns < 0)
        exchange->first_ns = exchange->sent_ns;
    arm->counters.sent += attempt == 0;
    arm->counters.resent += attempt > 0;
    exchange->ack.resent = attempt > 0;
    exchange->hold.before_ack = false; /* the next ACK may be for an earlier copy */
    exchange->ack.expected_acks |= 1u << exchange->outcome->digit;
    exchange->ack.acks &= ~(1u << exchange->outcome->digit);
    report_event(arm, attempt ? AW_ARMCTL_RESENT : AW_ARMCTL_SENT, text, attempt);
    return write_bytes(arm, bytes, size, exchange->err);
}

/* Sends until an ACK arrives, or a confirmation, which implies the ACK. */
static enum aw_status send_until_acked(struct exchange *exchange, int retries)
{
    enum aw_status status = AW_TIMEOUT;
    exchange->ack.acked = false;
    exchange->ack.expected_acks = 0;
    for (int attempt = 0; attempt <= retries && status == AW_TIMEOUT; attempt++) {
        exchange->outcome->retries += attempt > 0;
        status = transmit(exchange, attempt);
        if (status == AW_OK)
            status =
                wait_for(exchange, &exchange->ack.acked, exchange->arm->options.ack_timeout_ms);
        if (has_only_partial_lines(exchange->arm))
            break;
    }
    return status;
}

static void use_digit(struct exchange *exchange, uint8_t digit)
{
    struct aw_armctl *arm = exchange->arm;
    exchange->outcome->digit = digit;
    exchange->outcome->flipped = true;
    arm->receiver.accept_any = true;
    arm->counters.flips++;
    report_event(arm, AW_ARMCTL_FLIPPED, exchange->outcome->sent, 0);
}

static bool can_flip(const struct exchange *exchange)
{
    return exchange->arm->options.seq == AW_ARMCTL_SEQ_AUTO && exchange->command.repeatable &&
           !exchange->outcome->flipped && !has_only_partial_lines(exchange->arm);
}

/* The published firmware does not acknowledge a digit that it does not expect, nor a duplicate. If
 * the digits agreed before, a confirmation without an ACK means a duplicate. */
static enum aw_status send_with_either_digit(struct exchange *exchange)
{
    enum aw_status status = send_until_acked(exchange, exchange->arm->options.retries);
    if (status == AW_TIMEOUT && exchange->hold.pending && exchange->arm->memory.agreed) {
        exchange->answered = true;
        return AW_OK;
    }
    if (status != AW_TIMEOUT || !can_flip(exchange))
        return status;
    uint8_t digit = exchange->outcome->digit;
    use_digit(exchange, digit ^ 1u);
    status = send_until_acked(exchange, 0);
    if (status == AW_TIMEOUT)
        exchange->outcome->digit = digit;
    return status;
}

static enum aw_status try_other_digit(struct exchange *exchange)
{
    use_digit(exchange, exchange->arm->memory.tx);
    enum aw_status status = send_until_acked(exchange, exchange->arm->options.retries);
    if (status == AW_OK)
        status = wait_for(exchange, &exchange->answered, exchange->arm->options.confirm_timeout_ms);
    return status;
}

/* Sends a copy of the command, which the handler never carries out. Sets *answered if the handler
 * acknowledges it. Only such a handler may acknowledge a command without carrying it out. */
static enum aw_status send_copy(struct exchange *exchange, bool *answered)
{
    struct aw_armctl *arm = exchange->arm;
    uint8_t bytes[AW_ARMCTL_LINE_MAX];
    size_t size = aw_armctl_line_write(bytes, exchange->outcome->digit, exchange->outcome->sent);
    int64_t ack_ns = exchange->outcome->ack_ns;
    enum aw_status status = AW_TIMEOUT;
    for (int i = 0; i < SILENT_COPIES && status == AW_TIMEOUT; i++) {
        exchange->ack.acked = false;
        exchange->ack.acks &= ~(1u << exchange->outcome->digit);
        arm->counters.resent++;
        status = write_bytes(arm, bytes, size, exchange->err);
        if (status == AW_OK)
            status = wait_for(exchange, &exchange->ack.acked, SHORT_TIMEOUT_MS);
    }
    *answered = exchange->ack.acked;
    exchange->ack.acked = true;
    exchange->outcome->ack_ns = ack_ns;
    return status == AW_OK && !exchange->answered ? AW_TIMEOUT : status;
}

/* Called while it is unknown whether the digits agree. Sends the other digit to a handler that
 * acknowledges duplicates. Any other handler has already executed the command, so this function
 * waits extra_ms longer. */
static enum aw_status retry_unconfirmed(struct exchange *exchange, int extra_ms)
{
    bool reacked = false;
    enum aw_status status = send_copy(exchange, &reacked);
    if (status == AW_TIMEOUT && reacked)
        return try_other_digit(exchange);
    return status == AW_TIMEOUT && extra_ms > 0 ? wait_for(exchange, &exchange->answered, extra_ms)
                                                : status;
}

/* Returns true if the other digit should be tried after *after_ms, which may be changed. */
static bool is_flip_due(const struct exchange *exchange, int *after_ms)
{
    const struct aw_armctl_options *options = &exchange->arm->options;
    bool flips = can_flip(exchange), agreed = exchange->arm->tx_agreed;
    if (flips && options->flip_after_ms && !agreed)
        *after_ms = options->flip_after_ms;
    /* With agreed digits the confirmation may still arrive. */
    return flips && !(agreed && options->flip_after_ms > options->confirm_timeout_ms);
}

static enum aw_status await_confirmation(struct exchange *exchange)
{
    int timeout_ms = exchange->arm->options.confirm_timeout_ms, first_ms = timeout_ms;
    bool flips = is_flip_due(exchange, &first_ms);
    enum aw_status status = wait_for(exchange, &exchange->answered, first_ms);
    if (status == AW_TIMEOUT && exchange->hold.pending &&
        first_ms != timeout_ms) /* the handler answers */
        status = wait_for(exchange, &exchange->answered, timeout_ms);
    else if (status == AW_TIMEOUT && !exchange->hold.pending && flips)
        status = retry_unconfirmed(exchange, timeout_ms - first_ms);
    if (status == AW_TIMEOUT && exchange->hold.pending && exchange->outcome->acked &&
        !exchange->command.is_stop)
        status = AW_OK;
    return status;
}

/* Waits for any confirmation. The handler does not confirm unknown types; one that does would
 * confirm at once. */
static enum aw_status await_any_answer(struct exchange *exchange)
{
    enum aw_status status = wait_for(exchange, &exchange->answered, SHORT_TIMEOUT_MS);
    return status == AW_TIMEOUT ? AW_OK : status;
}

/* ---- Results ---- */

static bool is_motor(const struct aw_record *record)
{
    return strcmp(record->codec->message->name, "duty") == 0;
}

static bool is_vehicle(const struct aw_record *record)
{
    return strcmp(record->codec->message->name, "spd") == 0;
}

/* Records the active motor command; one is enough, because the firmware stops both motors before it
 * starts one. */
static void note_motor(struct aw_armctl_memory *memory, const struct aw_record *record,
                       const char *body, bool confirmed)
{
    bool is_duty = is_motor(record);
    if (!is_duty && !is_vehicle(record))
        return;
    double value = aw_record_get(record, is_duty ? "duty" : "speed");
    bool is_same_kind = is_duty == (strchr(memory->motor, ',') != NULL);
    if (value < 0 || value > 0)
        copy_body(memory->motor, body);
    else if (confirmed && is_same_kind)
        memory->motor[0] = '\0';
}

static bool is_same_joint(const char *body, const char *other)
{
    return strncmp(body, other, strncmp(body, "ARM", 3) == 0 ? 3 : 4) == 0;
}

/* Records the joint positions and the confirmed command. */
static void note_positions(struct exchange *exchange, enum fit fit)
{
    struct aw_armctl *arm = exchange->arm;
    bool has_values = exchange->outcome->has_record && fit != FIT_BARE;
    const struct aw_record *record =
        has_values ? &exchange->outcome->record : &exchange->command.record;
    for (int i = 0; i < record->codec->n_scalars; i++) {
        int joint;
        enum aw_armctl_kind kind;
        if (record->present >> i & 1 &&
            aw_armctl_scalar_joint(arm->options.profile, record, i, &joint, &kind))
            arm->memory.positions[joint] = (struct aw_armctl_position){
                true, kind, (int)record->v[i], get_now_ns(arm) + arm->options.wall_ns};
    }
    copy_body(arm->memory.confirmed, exchange->outcome->sent);
}

static void note_confirmed(struct exchange *exchange, enum fit fit)
{
    struct aw_armctl *arm = exchange->arm;
    struct aw_armctl_memory *memory = &arm->memory;
    bool may_repeat = exchange->outcome->flipped || fit == FIT_OTHER || exchange->hold.is_exact;
    arm->tx_agreed = arm->rx_agreed = memory->agreed = true;
    memory->tx = exchange->outcome->digit ^ 1u; /* the ACK may have been lost */
    if (!exchange->command.is_custom)
        memory->pending[0] = '\0';
    if (exchange->command.decoded)
        note_motor(memory, &exchange->command.record, exchange->outcome->sent, true);
    /* The handler confirms the motions of a joint in order. */
    for (int i = memory->n_awaited - 1; i >= 0; i--)
        if (is_same_joint(memory->awaited[i], exchange->outcome->sent))
            aw_armctl_memory_remove(memory, i);
    if (may_repeat) /* a second confirmation may follow */
        aw_armctl_memory_await(memory, exchange->outcome->sent);
    if (exchange->command.decoded && !exchange->command.is_custom &&
        (fit != FIT_OTHER || exchange->outcome->has_record))
        note_positions(exchange, fit);
}

static void note_unconfirmed(struct exchange *exchange)
{
    struct aw_armctl *arm = exchange->arm;
    arm->tx_agreed = arm->rx_agreed = false;
    arm->memory.agreed = exchange->ack.acked;
    aw_armctl_memory_await(&arm->memory, exchange->outcome->sent);
    if (exchange->command.may_run_twice)
        aw_armctl_memory_await(&arm->memory, exchange->outcome->sent);
    if (exchange->command.decoded)
        note_motor(&arm->memory, &exchange->command.record, exchange->outcome->sent, false);
    if (exchange->command.decoded && !exchange->command.is_custom)
        copy_body(arm->memory.pending, exchange->outcome->sent);
}

static enum aw_status finish_confirmed(struct exchange *exchange)
{
    struct aw_armctl_outcome *outcome = exchange->outcome;
    struct aw_armctl_line line = {.known_type = exchange->command.known_type,
                                  .decoded = outcome->has_record};
    line.record = outcome->record;
    copy_body(line.body, outcome->answer);
    enum fit fit = compare_with(exchange, &line);
    note_confirmed(exchange, fit);
    outcome->result = fit == FIT_OTHER ? AW_ARMCTL_CONFIRMED_OTHER : AW_ARMCTL_CONFIRMED;
    outcome->bare = fit == FIT_BARE;
    outcome->custom_answer = exchange->command.decoded && outcome->has_record &&
                             is_custom_answer(&exchange->command.record, &outcome->record);
    if (fit != FIT_OTHER)
        return AW_OK;
    if (!outcome->has_record) {
        outcome->result = AW_ARMCTL_CONFIRMED_DAMAGED;
        return aw_fail(exchange->err, AW_MALFORMED,
                       "%s: confirmed by a damaged line (%s), so it was executed with unknown "
                       "values — send it again",
                       outcome->sent, outcome->answer);
    }
    return aw_fail(exchange->err, AW_REFUSED,
                   "%s: the handler confirmed %s instead — check its limits, and whether another "
                   "program sends commands",
                   outcome->sent, outcome->answer);
}

static enum aw_status fail_not_confirmed(struct exchange *exchange)
{
    struct aw_armctl_outcome *outcome = exchange->outcome;
    const struct aw_armctl_options *options = &exchange->arm->options;
    const char *advice = options->seq != AW_ARMCTL_SEQ_AUTO
                             ? "the handler may have ignored it as a duplicate: try --seq auto"
                         : !exchange->command.repeatable
                             ? "not resent, to avoid executing it twice: run ping to agree on the "
                               "digits without motion"
                             : "check whether it moved, or give a longer --confirm-timeout";
    outcome->result = AW_ARMCTL_ACKED_NOT_CONFIRMED;
    return aw_fail(exchange->err, AW_TIMEOUT, "%s: ACKed, but not confirmed within %g s%s — %s",
                   outcome->sent, options->confirm_timeout_ms / 1000.0,
                   outcome->flipped ? ", with either digit" : "", advice);
}

static const char *get_no_answer_hint(const struct exchange *exchange)
{
    const struct aw_armctl *arm = exchange->arm;
    const struct aw_armctl_counters *received = &arm->counters;
    bool no_flip = arm->options.seq != AW_ARMCTL_SEQ_AUTO || !exchange->command.repeatable;
    if (received->foreign)
        return "received its own lines: check for a local echo or crossed wires";
    if (received->delivered || received->duplicates || received->acks_ignored)
        return no_flip
                   ? "the handler responds, but does not ACK this digit: it may expect the other "
                     "one, try --seq auto or ping"
                   : "the handler responds, but ACKs neither digit: it may not know this command";
    if (arm->reader.partial_end)
        return arm->reader.partial_end == '\n'
                   ? "the handler ends lines with LF only: make it send CR LF"
                   : "the handler ends lines with CR only: make it send CR LF";
    if (received->garbage || received->overlong)
        return "only garbage received: check the speed (9600 8N1)";
    return no_flip ? "check power, port and speed (9600 8N1); if the handler expects the other "
                     "digit, try --seq auto or ping"
                   : "check power, port and speed (9600 8N1)";
}

static enum aw_status fail_not_acked(struct exchange *exchange)
{
    struct aw_armctl_outcome *outcome = exchange->outcome;
    outcome->result = AW_ARMCTL_NOT_ACKED;
    return aw_fail(exchange->err, AW_TIMEOUT, "%s: no ACK after %d tries with digit %d%s — %s",
                   outcome->sent, outcome->retries + 1, outcome->digit,
                   outcome->flipped ? " and one with the other" : "", get_no_answer_hint(exchange));
}

static enum aw_status fail_ended(struct exchange *exchange, enum aw_status status)
{
    bool stopped = status == AW_STOPPED;
    exchange->outcome->result = stopped ? AW_ARMCTL_STOPPED : AW_ARMCTL_LINK_LOST;
    /* a server that owns the port refused it */
    bool refused = status == AW_LIMIT || status == AW_REFUSED;
    if (!stopped)
        return refused || status == AW_NO_MEMORY ? status : AW_LOST;
    return aw_fail(exchange->err, AW_STOPPED,
                   "%s: interrupted while waiting for the %s; not resent", exchange->outcome->sent,
                   exchange->outcome->acked ? "confirmation" : "ACK");
}

static enum aw_status finish_exchange(struct exchange *exchange, enum aw_status status)
{
    exchange->arm->in_progress[0] = '\0';
    exchange->outcome->total_ns =
        exchange->first_ns < 0 ? 0 : get_now_ns(exchange->arm) - exchange->first_ns;
    if (status == AW_OK && (exchange->answered || exchange->hold.pending))
        return finish_confirmed(exchange);
    if (status == AW_OK) {
        exchange->outcome->result = AW_ARMCTL_ARRIVED;
        return AW_OK;
    }
    if (exchange->first_ns >= 0)
        note_unconfirmed(exchange);
    exchange->outcome->answer[0] = '\0';
    exchange->outcome->has_record = false;
    if (status != AW_TIMEOUT)
        return fail_ended(exchange, status);
    return exchange->outcome->acked ? fail_not_confirmed(exchange) : fail_not_acked(exchange);
}

/* ---- Commands ---- */

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

static void begin_exchange(struct exchange *exchange, struct aw_armctl *arm, const char *body,
                           struct aw_armctl_outcome *outcome, struct aw_error *err)
{
    *outcome = (struct aw_armctl_outcome){.digit = arm->memory.tx, .ack_ns = -1};
    copy_body(outcome->sent, body);
    *exchange = (struct exchange){.arm = arm, .outcome = outcome, .err = err, .first_ns = -1};
    exchange->command.decoded = decode_body(arm, body, &exchange->command.record);
    exchange->command.known_type = aw_armctl_is_known_type(arm->wire.protocol, body);
    exchange->command.is_custom =
        exchange->command.decoded && is_custom(arm, &exchange->command.record);
    exchange->command.repeatable = exchange->command.is_custom
                                       ? exchange->command.record.codec->message->reads
                                       : is_repeatable(body);
    if (err)
        err->text[0] = '\0';
}

/* Formats the TYPE and parameters of a record for a line. */
static enum aw_status format_body(const struct aw_record *record, char *body, struct aw_error *err)
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
    enum aw_status status = format_body(command, body, err);
    return status == AW_OK ? aw_armctl_command_line(arm, body, outcome, err) : status;
}

void aw_armctl_announce(struct aw_armctl *arm, const char *body)
{
    if (aw_armctl_is_valid_body(body))
        copy_body(arm->in_progress, body);
}

struct aw_armctl_memory aw_armctl_memory_before_send(struct aw_armctl *arm)
{
    struct aw_armctl_memory ahead = *aw_armctl_memory(arm);
    struct aw_record record;
    if (!*arm->in_progress)
        return ahead;
    ahead.agreed = false;
    aw_armctl_memory_await(&ahead, arm->in_progress);
    if (decode_body(arm, arm->in_progress, &record) && !is_custom(arm, &record)) {
        note_motor(&ahead, &record, arm->in_progress, false);
        copy_body(ahead.pending, arm->in_progress);
    }
    return ahead;
}

enum aw_status aw_armctl_check_line(const char *body, struct aw_error *err)
{
    if (!aw_armctl_is_valid_body(body))
        return aw_fail(
            err, AW_USAGE,
            "'%.40s': invalid packet — write three capital letters, then at most 28 printable "
            "ASCII characters without spaces",
            body);
    if (strncmp(body, "ACK", 3) == 0)
        return aw_fail(err, AW_USAGE,
                       "%s: an ACK cannot be a command — armctl sends ACKs by itself", body);
    return AW_OK;
}

enum aw_status aw_armctl_command_line(struct aw_armctl *arm, const char *body,
                                      struct aw_armctl_outcome *outcome, struct aw_error *err)
{
    struct exchange exchange;
    *outcome = (struct aw_armctl_outcome){.result = AW_ARMCTL_NOT_SENT, .ack_ns = -1};
    enum aw_status status = aw_armctl_check_line(body, err);
    if (status != AW_OK)
        return status;
    begin_exchange(&exchange, arm, body, outcome, err);
    aw_armctl_announce(arm, body);
    status = aw_armctl_idle(arm, get_now_ns(arm), err);
    if (status == AW_OK)
        status = send_with_either_digit(&exchange);
    if (status == AW_OK)
        status =
            exchange.command.decoded ? await_confirmation(&exchange) : await_any_answer(&exchange);
    return finish_exchange(&exchange, status);
}

/* ---- Ping and stop ---- */

enum aw_status aw_armctl_ping(struct aw_armctl *arm, struct aw_armctl_outcome *outcome,
                              struct aw_error *err)
{
    struct exchange exchange;
    struct aw_armctl_options saved = arm->options;
    uint8_t next = arm->memory.tx;
    begin_exchange(&exchange, arm, "PNG", outcome, err);
    enum aw_status status = aw_armctl_idle(arm, get_now_ns(arm), err);
    bool link_works = status == AW_OK;
    outcome->digit = arm->memory.pings == AW_ARMCTL_PINGS_NEXT ? next ^ 1u : next;
    if (arm->memory.pings == AW_ARMCTL_PINGS_UNKNOWN && saved.ack_timeout_ms > SHORT_TIMEOUT_MS)
        arm->options.ack_timeout_ms = SHORT_TIMEOUT_MS;
    for (int i = 0; i <= saved.retries && link_works && !exchange.ack.acked; i++) {
        outcome->digit ^= 1u;
        outcome->retries = i;
        status = send_until_acked(&exchange, 0);
        link_works = status == AW_TIMEOUT || status == AW_OK;
        arm->options = saved;
        if (has_only_partial_lines(arm))
            break;
    }
    outcome->total_ns = get_now_ns(arm) - exchange.first_ns;
    if (!link_works)
        return fail_ended(&exchange, status);
    if (!exchange.ack.acked)
        return fail_not_acked(&exchange);
    /* Later pings first try the digit that worked. */
    if (arm->memory.agreed)
        arm->memory.pings =
            outcome->digit == next ? AW_ARMCTL_PINGS_NEXT : AW_ARMCTL_PINGS_DUPLICATE;
    arm->memory.agreed = true;
    arm->tx_agreed = true;
    outcome->result = AW_ARMCTL_CONFIRMED;
    return AW_OK;
}

double aw_armctl_pending_target(struct aw_armctl *arm, int joint)
{
    struct aw_record command;
    int index;
    enum aw_armctl_kind kind;
    if (!*arm->memory.pending || !decode_body(arm, arm->memory.pending, &command))
        return NAN;
    for (int i = 0; i < command.codec->n_scalars; i++)
        if (command.present >> i & 1 &&
            aw_armctl_scalar_joint(arm->options.profile, &command, i, &index, &kind) &&
            index == joint)
            return command.v[i];
    return NAN;
}

bool aw_armctl_build_return(struct aw_armctl *arm, const struct aw_record *command,
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
        const struct aw_armctl_position *position = &arm->memory.positions[joint];
        if (!position->known || position->kind != kind)
            return false;
        back->v[i] = position->value;
        moves = true;
    }
    return moves;
}

/* Formats the stop for the last command; a motor would never stop by itself, so it has priority.
 * Returns false if there is nothing to stop. */
static bool format_stop(struct aw_armctl *arm, char *body)
{
    const struct aw_armctl_memory *memory = &arm->memory;
    const char *last_body = *memory->motor      ? memory->motor
                            : *arm->in_progress ? arm->in_progress
                            : *memory->pending  ? memory->pending
                                                : memory->confirmed;
    struct aw_record command, back;
    return *last_body && decode_body(arm, last_body, &command) &&
           aw_armctl_build_return(arm, &command, &back) && format_body(&back, body, NULL) == AW_OK;
}

/* Sends both digits, starting with the handler's last one: that is a duplicate, and the other one
 * is carried out once. If the handler expects the first one, it carries out both. */
static enum aw_status transmit_both(struct exchange *exchange, int attempt)
{
    uint8_t digit = exchange->outcome->digit;
    exchange->outcome->digit = digit ^ 1u;
    enum aw_status status = transmit(exchange, attempt);
    exchange->outcome->digit = digit;
    return status == AW_OK ? transmit(exchange, attempt) : status;
}

/* After it acknowledges one digit, the handler expects the other. So it certainly carries out the
 * second of two. */
static enum aw_status send_stop_until_acked(struct exchange *exchange)
{
    enum aw_status status = AW_TIMEOUT;
    for (int i = 0; i <= exchange->arm->options.retries && status == AW_TIMEOUT; i++) {
        exchange->outcome->retries += i > 0;
        status = transmit_both(exchange, i);
        if (status == AW_OK)
            status =
                wait_for(exchange, &exchange->ack.acked, exchange->arm->options.ack_timeout_ms);
        if (status == AW_TIMEOUT && is_carried_out(exchange))
            status = AW_OK;
        if (has_only_partial_lines(exchange->arm))
            break;
    }
    if (status == AW_OK)
        status = wait_for(exchange, &exchange->answered, exchange->arm->options.confirm_timeout_ms);
    return status;
}

/* Sends the stop once, for signal handling, without waiting for the motion back. */
static enum aw_status send_stop_once(struct exchange *exchange)
{
    struct aw_armctl_outcome *outcome = exchange->outcome;
    enum aw_status status = transmit_both(exchange, 0);
    if (status == AW_OK)
        status = wait_for(exchange, &exchange->ack.acked, AW_ARMCTL_STOP_WAIT_MS);
    if (status == AW_TIMEOUT && is_carried_out(exchange))
        status = AW_OK;
    if (status == AW_OK && exchange->answered)
        return finish_exchange(exchange, status);
    note_unconfirmed(exchange);
    exchange->arm->memory.tx = outcome->digit ^ 1u;
    outcome->result = AW_ARMCTL_STOPPED;
    if (status == AW_TIMEOUT)
        return aw_fail(exchange->err, status, "%s: no ACK within %d ms", outcome->sent,
                       AW_ARMCTL_STOP_WAIT_MS);
    if (status != AW_OK && status != AW_STOPPED)
        outcome->result = AW_ARMCTL_LINK_LOST;
    return status;
}

enum aw_status aw_armctl_stop(struct aw_armctl *arm, bool wait, struct aw_armctl_outcome *outcome,
                              struct aw_error *err)
{
    char body[AW_ARMCTL_BODY_MAX + 1];
    *outcome = (struct aw_armctl_outcome){.result = AW_ARMCTL_NOT_SENT, .ack_ns = -1};
    if (!format_stop(arm, body))
        return AW_OK;
    bool was_in_progress = *arm->in_progress;
    if (was_in_progress) { /* by another program: the handler may still confirm it */
        aw_armctl_memory_await(&arm->memory, arm->in_progress);
        copy_body(arm->memory.pending, arm->in_progress);
        arm->in_progress[0] = '\0';
    }
    struct exchange exchange;
    begin_exchange(&exchange, arm, body, outcome, err);
    exchange.command.is_stop = true;
    exchange.command.may_run_twice = !arm->memory.agreed || was_in_progress;
    if (wait) {
        enum aw_status status = aw_armctl_idle(arm, get_now_ns(arm), err);
        return finish_exchange(&exchange,
                               status == AW_OK ? send_stop_until_acked(&exchange) : status);
    }
    return send_stop_once(&exchange);
}

void aw_armctl_last_stop(struct aw_armctl *arm, aw_frame_fn *add, void *context)
{
    char body[AW_ARMCTL_BODY_MAX + 1];
    uint8_t lines[2 * AW_ARMCTL_LINE_MAX];
    if (!format_stop(arm, body))
        return;
    size_t size = aw_armctl_line_write(lines, arm->memory.tx ^ 1u, body);
    size += aw_armctl_line_write(lines + size, arm->memory.tx, body);
    add(context, lines, size);
}
