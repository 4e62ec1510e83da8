/* Parses the messages of a DBC file and their signals: BO_ and SG_. */
#include <string.h>

#include "base/grow.h"
#include "packets/dbc_parser.h"
#include "packets/dbc_words.h"

enum { UNIT_MAX = 24 };

enum aw_status aw_dbc_read_message(struct aw_dbc_parser *p)
{
    struct aw_dbc *dbc = p->dbc;
    struct aw_dbc_message message = {0};
    unsigned line, id;
    enum aw_status status = aw_dbc_parse_count(p, &id, UINT32_MAX, "the identifier of a message");
    if (status == AW_OK)
        status = aw_dbc_parse_name(p, &message.name, "the name of a message");
    if (status == AW_OK)
        status = aw_dbc_parse_sign(p, ':', "':'");
    line = p->scan.token.line;
    if (status == AW_OK)
        status = aw_dbc_parse_count(p, &message.size, 65535, "the size of the message in bytes");
    if (status == AW_OK && p->scan.token.line == line && aw_dbc_is_name(&p->scan.token))
        status = aw_dbc_parse_name(p, &message.sender, "a node");
    if (status != AW_OK)
        return status;
    if (message.sender && strcmp(message.sender, AW_DBC_NO_NODE) == 0)
        message.sender = NULL;
    struct aw_dbc_message *messages =
        aw_grow(dbc->messages, &dbc->room, dbc->n + 1, sizeof *messages);
    if (!messages)
        return aw_no_memory(p->err);
    dbc->messages = messages;
    message.id = id;
    messages[dbc->n++] = message;
    return AW_OK;
}

/* Parses the multiplexing mark of a signal: M, m3 or m3M. */
static enum aw_status read_mux_mark(struct aw_dbc_parser *p, struct aw_dbc_signal *signal)
{
    const struct aw_dbc_token *token = &p->scan.token;
    if (aw_dbc_is_sign(token, ':'))
        return AW_OK;
    size_t digits = 0;
    bool good = aw_dbc_is_name(token);
    if (good && *token->at == 'm') {
        while (digits < token->length - 1 && digits < 10 && token->at[1 + digits] >= '0' &&
               token->at[1 + digits] <= '9')
            signal->mux.chooser_value =
                signal->mux.chooser_value * 10 + (token->at[1 + digits++] - '0');
        signal->mux.multiplexed = true; /* some files have an m without a number */
        digits++;
    }
    signal->mux.multiplexor = good && digits + 1 == token->length && token->at[digits] == 'M';
    if (!good || digits + signal->mux.multiplexor != token->length)
        return aw_dbc_fail(p, "':', or M, or m with the number of a multiplexed signal");
    aw_dbc_next_token(&p->scan);
    return AW_OK;
}

/* Parses position, byte order and sign: 7|16@0-. */
static enum aw_status read_position(struct aw_dbc_parser *p, struct aw_dbc_signal *signal)
{
    unsigned byte_order = 0;
    enum aw_status status = aw_dbc_parse_sign(p, ':', "':'");
    if (status == AW_OK)
        status = aw_dbc_parse_count(p, &signal->start, 65535, "the first bit of the signal");
    if (status == AW_OK)
        status = aw_dbc_parse_sign(p, '|', "'|'");
    if (status == AW_OK)
        status = aw_dbc_parse_count(p, &signal->length, 65535, "the number of its bits");
    if (status == AW_OK)
        status = aw_dbc_parse_sign(p, '@', "'@'");
    if (status == AW_OK)
        status =
            aw_dbc_parse_count(p, &byte_order, 1, "0 (the highest byte first) or 1 (the lowest)");
    signal->big_endian = byte_order == 0;
    signal->is_signed = aw_dbc_is_sign(&p->scan.token, '-');
    if (status == AW_OK && !signal->is_signed && !aw_dbc_is_sign(&p->scan.token, '+'))
        status = aw_dbc_fail(p, "+ or - (with a sign)");
    if (status == AW_OK)
        aw_dbc_next_token(&p->scan);
    return status;
}

/* Parses factor and offset: (0.1,-40). */
static enum aw_status read_scale(struct aw_dbc_parser *p, struct aw_dbc_signal *signal)
{
    enum aw_status status = aw_dbc_parse_sign(p, '(', "'('");
    if (status == AW_OK)
        status = aw_dbc_parse_number(p, &signal->scaling.factor, "the factor");
    if (status == AW_OK)
        status = aw_dbc_parse_sign(p, ',', "','");
    if (status == AW_OK)
        status = aw_dbc_parse_number(p, &signal->scaling.offset, "the offset");
    return status == AW_OK ? aw_dbc_parse_sign(p, ')', "')'") : status;
}

/* Parses the range [0|100]. Ignores a range that is empty or not two numbers. */
static enum aw_status read_range(struct aw_dbc_parser *p, struct aw_dbc_signal *signal)
{
    double limits[2] = {0, 0};
    bool valid = true;
    enum aw_status status = aw_dbc_parse_sign(p, '[', "'['");
    for (int i = 0; i < 2 && status == AW_OK; i++) {
        if (p->scan.token.kind == AW_DBC_WORD || p->scan.token.kind == AW_DBC_NUMBER) {
            valid = aw_dbc_token_number(&p->scan.token, &limits[i]) && valid;
            aw_dbc_next_token(&p->scan);
        } else {
            status = aw_dbc_fail(p, "a limit");
        }
        if (status == AW_OK)
            status = i == 0 ? aw_dbc_parse_sign(p, '|', "'|'") : aw_dbc_parse_sign(p, ']', "']'");
    }
    if (valid && limits[0] < limits[1]) {
        signal->scaling.min = limits[0];
        signal->scaling.max = limits[1];
    }
    return status;
}

/* Skips the receivers of a signal, which are on its line or separated by commas. */
static void skip_receivers(struct aw_dbc_parser *p, unsigned line)
{
    bool comma = true;
    while ((aw_dbc_is_name(&p->scan.token) && (comma || p->scan.token.line == line)) ||
           aw_dbc_is_sign(&p->scan.token, ',')) {
        if (comma && p->scan.token.line != line && aw_dbc_is_word(&p->scan.token, "SG_"))
            break;
        comma = aw_dbc_is_sign(&p->scan.token, ',');
        aw_dbc_next_token(&p->scan);
    }
}

enum aw_status aw_dbc_read_signal(struct aw_dbc_parser *p)
{
    struct aw_dbc_signal signal = {.mux.chooser_index = -1};
    unsigned line = p->scan.token.line;
    if (p->dbc->n == 0)
        return aw_dbc_fail(p, "a message (BO_) before its signals");
    enum aw_status status = aw_dbc_parse_name(p, &signal.name, "the name of a signal");
    if (status == AW_OK)
        status = read_mux_mark(p, &signal);
    if (status == AW_OK)
        status = read_position(p, &signal);
    if (status == AW_OK)
        status = read_scale(p, &signal);
    if (status == AW_OK)
        status = read_range(p, &signal);
    if (status == AW_OK)
        status = aw_dbc_parse_text(p, &signal.unit, UNIT_MAX, true);
    if (status != AW_OK)
        return status;
    if (p->scan.token.line == line)
        skip_receivers(p, line);
    struct aw_dbc_message *message = &p->dbc->messages[p->dbc->n - 1];
    struct aw_dbc_signal *signals =
        aw_grow(message->signals, &message->room, message->n + 1, sizeof *signals);
    if (!signals)
        return aw_no_memory(p->err);
    message->signals = signals;
    signals[message->n++] = signal;
    return AW_OK;
}
