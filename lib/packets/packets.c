/* Parses packet files, and adds their packets to the built-in messages of a protocol. */
#include "packets/packets.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "packets/parts.h"

/* A packet whose answer has the fields of another packet, which may follow later. */
struct pending {
    size_t message;
    const char *answer;
    unsigned line;
};

/* Section of the current line. */
enum section { NO_SECTION, PACKET, JOINT, STOP };

struct file_reader {
    struct aw_packets *packets;
    struct aw_lines *lines;
    enum section section;
    struct aw_packet packet;
    size_t n_earlier;                                    /* number of messages before this file */
    struct aw_packet_joint joints[AW_PACKET_JOINTS + 1]; /* the last joint may be incomplete */
    size_t n_joints;
    struct {
        /* lines of the stop's packets; 0: in another file */
        unsigned stop_lines[AW_PACKET_STOPS + 1];
        /* line of the first packet with moves = yes; 0: none */
        unsigned motion_line;
        const char *motion_name; /* name of that packet */
    } stop;
    struct key {
        const char *name; /* "[" for the start of a section */
        unsigned line;
    } * keys; /* all keys so far, so that later checks can report the line */
    size_t n_keys, room_keys;
    struct pending pending[AW_MAX_MESSAGES];
    size_t n_pending;
    struct aw_error *err;
};

struct aw_packets *aw_packets_new(const struct aw_protocol *protocol)
{
    struct aw_packets *packets = calloc(1, sizeof *packets);
    if (!packets)
        return NULL;
    packets->protocol = *protocol;
    packets->protocol.messages = packets->messages;
    packets->n_builtin = protocol->n_messages;
    memcpy(packets->messages, protocol->messages, protocol->n_messages * sizeof *packets->messages);
    return packets;
}

const struct aw_protocol *aw_packets_protocol(const struct aw_packets *packets)
{
    return &packets->protocol;
}

const char *aw_packets_text(const struct aw_packets *packets)
{
    return packets->file_text ? packets->file_text : "";
}

const char *aw_packets_dbc(const struct aw_packets *packets, size_t i)
{
    return i < packets->n_dbc ? packets->dbc[i] : NULL;
}

const char *aw_packets_notice(const struct aw_packets *packets)
{
    return packets->notice;
}

void aw_packets_free(struct aw_packets *packets)
{
    if (!packets)
        return;
    aw_store_free(&packets->store);
    for (size_t i = 0; i < packets->n_dbc; i++)
        free(packets->dbc[i]);
    free(packets->dbc);
    free(packets->file_text);
    free(packets);
}

static enum aw_status add_key(struct file_reader *r, const char *name)
{
    struct key *keys = aw_grow(r->keys, &r->room_keys, r->n_keys + 1, sizeof *keys);
    if (!keys)
        return aw_no_memory(r->err);
    r->keys = keys;
    keys[r->n_keys] = (struct key){aw_store_string(&r->packets->store, name), r->lines->number};
    return keys[r->n_keys++].name ? AW_OK : aw_no_memory(r->err);
}

/* Moves the position of an error to the section that starts at this line, or to its key if key is
 * not NULL. */
static enum aw_status locate_error(struct file_reader *r, unsigned line, const char *key,
                                   enum aw_status status)
{
    if (status != AW_OK) {
        unsigned section = 0;
        r->lines->number = line;
        for (size_t i = 0; i < r->n_keys; i++) {
            section = *r->keys[i].name == '[' ? r->keys[i].line : section;
            if (key && section == line && strcmp(r->keys[i].name, key) == 0)
                r->lines->number = r->keys[i].line;
        }
        r->lines->has_line = true;
        r->lines->at = NULL;
    }
    return status;
}

/* ---- End of a packet ---- */

/* Returns how a message affects the device. 0: it only reads. 1: it changes something. 2: it may
 * cause motion. */
static int get_effect(const struct aw_message *message)
{
    return message->reads ? 0 : message->moves || message->drives ? 2 : 1;
}

/* Rejects a packet that replaces one of the tool but claims a smaller effect. */
static enum aw_status check_effect(struct file_reader *r, const struct aw_message *message,
                                   const struct aw_message *builtin)
{
    if (!(message->dir & builtin->dir & AW_TX) || get_effect(message) >= get_effect(builtin))
        return AW_OK;
    if (builtin->drives)
        return aw_fail(r->err, AW_USAGE,
                       "packet %s: replaces '%s', which moves the device — %sadd 'moves = yes'",
                       message->name, builtin->name, message->reads ? "remove 'ask' and " : "");
    return aw_fail(r->err, AW_USAGE,
                   "packet %s: replaces '%s', which changes the device — remove 'ask'",
                   message->name, builtin->name);
}

static bool has_same_code(const struct aw_message *a, const struct aw_message *b)
{
    return b->word ? strcmp(a->word, b->word) == 0 : a->code == b->code && !a->head == !b->head;
}

static enum aw_status check_effects(struct file_reader *r, const struct aw_message *message)
{
    const struct aw_custom_packets *custom = r->packets->protocol.custom.custom;
    const struct aw_message *builtin;
    enum aw_status status = AW_OK;
    if (custom->find_conflict && custom->find_conflict(message->code, &builtin))
        status = check_effect(r, message, builtin);
    for (size_t i = 0; i < r->packets->n_builtin && status == AW_OK; i++)
        if (has_same_code(&r->packets->messages[i], message))
            status = check_effect(r, message, &r->packets->messages[i]);
    if (status != AW_OK)
        r->packet.parse.fault = "replace";
    return status;
}

static enum aw_status check_conflicts(struct file_reader *r, const struct aw_message *message)
{
    const struct aw_custom_packets *custom = r->packets->protocol.custom.custom;
    bool replace = r->packet.options.replace;
    const struct aw_message *builtin;
    const char *conflict =
        custom->find_conflict && !replace ? custom->find_conflict(message->code, &builtin) : NULL;
    for (size_t i = 0; i < r->packets->protocol.n_messages; i++) {
        struct aw_message *other = &r->packets->messages[i];
        bool same_dir = (other->dir & message->dir) != 0;
        if (same_dir && strcmp(other->name, message->name) == 0)
            return aw_fail(r->err, AW_USAGE, "packet %s: duplicate name — rename the packet",
                           message->name);
        if (!same_dir || !has_same_code(other, message))
            continue;
        if (replace && i < r->n_earlier)
            other->replaced = true;
        else if (!other->replaced)
            conflict = other->name;
    }
    if (!conflict)
        return replace ? check_effects(r, message) : AW_OK;
    if (message->word)
        return aw_fail(r->err, AW_USAGE,
                       "packet %s: type in use by '%s' — rename the packet, or add 'replace = yes'",
                       message->word, conflict);
    r->packet.parse.fault = "id";
    return aw_fail(r->err, AW_USAGE,
                   "packet %s: id %u in use by '%s' — give another id, or add 'replace = yes'",
                   message->name, (unsigned)message->code, conflict);
}

static enum aw_status check_layout(struct file_reader *r, const struct aw_message *message)
{
    struct aw_codec codec;
    for (const struct aw_variant *v = r->packets->protocol.variants; v->name; v++)
        if (aw_codec_init(&codec, &r->packets->protocol, v, message, false) != AW_OK)
            return aw_fail(r->err, AW_LIMIT,
                           "packet %s: more than %d values and gaps — split the packet",
                           message->name, AW_MAX_SCALARS - 4);
    return AW_OK;
}

static enum aw_status add_message(struct file_reader *r, const struct aw_message *message)
{
    struct aw_protocol *protocol = &r->packets->protocol;
    if (protocol->n_messages == AW_MAX_MESSAGES)
        return aw_fail(r->err, AW_LIMIT, "packet %s: more than %d messages — remove unused packets",
                       message->name, AW_MAX_MESSAGES);
    enum aw_status status = check_conflicts(r, message);
    if (status == AW_OK)
        status = check_layout(r, message);
    if (status == AW_OK)
        r->packets->messages[protocol->n_messages++] = *message;
    return status;
}

/* Checks the combination of keys. The keys themselves have been checked line by line. */
static enum aw_status check_packet(struct aw_packet *p, struct aw_error *err)
{
    if (!p->options.has_id && !p->word)
        return aw_fail(err, AW_USAGE, "packet %s: no id — add 'id = NUMBER'", p->name);
    p->parse.fault = "moves";
    if (p->options.moves && p->options.ask)
        return aw_fail(err, AW_USAGE, "packet %s: both ask and moves given — remove one", p->name);
    p->parse.fault = "answer";
    if (p->parse.in_answer && (p->options.ask || p->answer))
        return aw_fail(
            err, AW_USAGE,
            "packet %s: 'answer =' conflicts with 'ask' or another 'answer' — remove one", p->name);
    p->parse.fault = NULL;
    return aw_packet_check(p, err);
}

/* Adds a request and its answer. */
static enum aw_status add_request(struct file_reader *r, struct aw_message *answer)
{
    const struct aw_packet *p = &r->packet;
    struct aw_message request = *answer;
    request.dir = AW_TX;
    answer->dir = AW_RX;
    answer->moves = false;
    if (p->parse.in_answer) {
        request.fields = p->parse.request;
    } else if (p->options.ask) {
        request.fields = NULL;
        request.reads = true;
        request.rate = p->rate;
    } else {
        answer->fields = NULL;
        r->pending[r->n_pending++] =
            (struct pending){r->packets->protocol.n_messages + 1, p->answer, p->parse.line};
    }
    enum aw_status status = add_message(r, &request);
    return status == AW_OK ? add_message(r, answer) : status;
}

static enum aw_status add_packet(struct file_reader *r)
{
    struct aw_packet *p = &r->packet;
    const struct aw_custom_packets *custom = r->packets->protocol.custom.custom;
    struct aw_message message = {.name = p->name,
                                 .help = p->help ? p->help : "",
                                 .code = p->id,
                                 .word = p->word,
                                 .head = custom->head,
                                 .size = custom->size,
                                 .rate = p->rate,
                                 .timeout_s = p->timeout_s,
                                 .moves = p->options.moves,
                                 .dir = p->dir ? p->dir : custom->dir};
    enum aw_status status = check_packet(p, r->err);
    if (status != AW_OK)
        return status;
    if (p->options.moves && !r->stop.motion_name) {
        r->stop.motion_name = p->name;
        r->stop.motion_line = p->parse.line;
    }
    message.fields = aw_packet_end_rows(&r->packet, &r->packets->store, r->err);
    if (!message.fields)
        return r->err->status;
    return p->options.ask || p->answer || p->parse.in_answer ? add_request(r, &message)
                                                             : add_message(r, &message);
}

static enum aw_status add_joint(struct file_reader *r)
{
    const char *name = r->joints[r->n_joints].row.name;
    if (r->packets->n_joints + r->n_joints == AW_PACKET_JOINTS)
        return aw_fail(r->err, AW_LIMIT, "joint %s: more than %d joints — remove some", name,
                       AW_PACKET_JOINTS);
    for (size_t i = 0; i < r->packets->n_joints + r->n_joints; i++) {
        size_t n_earlier = r->packets->n_joints;
        const struct aw_joint_row *other =
            i < n_earlier ? &r->packets->joints[i] : &r->joints[i - n_earlier].row;
        if (strcmp(other->name, name) == 0)
            return aw_fail(r->err, AW_USAGE, "joint %s: duplicate name — rename one", name);
    }
    r->n_joints++;
    return AW_OK;
}

static enum aw_status end_section(struct file_reader *r)
{
    enum section section = r->section;
    enum aw_status status = AW_OK;
    r->section = NO_SECTION;
    if (section == PACKET) {
        status = add_packet(r);
        locate_error(r, r->packet.parse.line, r->packet.parse.fault, status);
    } else if (section == JOINT) {
        status = locate_error(r, r->joints[r->n_joints].line, NULL, add_joint(r));
    }
    return status;
}

/* Finds the message of this name that the device sends; NULL: none. */
static const struct aw_message *find_answer(const struct aw_protocol *protocol, const char *name)
{
    for (size_t i = 0; i < protocol->n_messages; i++)
        if (protocol->messages[i].dir & AW_RX && strcmp(protocol->messages[i].name, name) == 0)
            return &protocol->messages[i];
    return NULL;
}

static const struct pending *find_pending(const struct file_reader *r,
                                          const struct aw_message *message)
{
    for (size_t i = 0; i < r->n_pending; i++)
        if (&r->packets->messages[r->pending[i].message] == message)
            return &r->pending[i];
    return NULL;
}

/* Copies the fields of the answer, which may refer to the fields of yet another answer. */
static enum aw_status read_answer(const struct file_reader *r, const struct pending *pending)
{
    struct aw_message *message = &r->packets->messages[pending->message];
    for (size_t steps = 0; steps <= r->n_pending; steps++) {
        const struct aw_message *answer = find_answer(&r->packets->protocol, pending->answer);
        if (!answer)
            return aw_fail(r->err, AW_USAGE,
                           "packet %s: answer packet '%s' not found — add it to the file",
                           message->name, pending->answer);
        message->fields = answer->fields;
        pending = find_pending(r, answer);
        if (!pending)
            return AW_OK;
    }
    return aw_fail(r->err, AW_USAGE,
                   "packet %s: circular 'answer' — put the fields of the answer after 'answer ='",
                   message->name);
}

static enum aw_status find_answers(struct file_reader *r)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < r->n_pending && status == AW_OK; i++) {
        const struct pending *pending = &r->pending[i];
        struct aw_message *message = &r->packets->messages[pending->message];
        status = read_answer(r, pending);
        status = status == AW_OK ? check_layout(r, message) : status;
        locate_error(r, pending->line, "answer", status);
    }
    return status;
}

/* Checks joints and stops at the end of the file, because they may refer to packets further
 * down. */
static enum aw_status check_joints(struct file_reader *r)
{
    struct aw_packets *packets = r->packets;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < r->n_joints && status == AW_OK; i++) {
        struct aw_packet_joint *joint = &r->joints[i];
        const char *fault = NULL;
        status = aw_packet_check_joint(&packets->protocol, joint, &fault, r->err);
        locate_error(r, joint->line, fault, status);
        packets->joints[packets->n_joints++] = joint->row;
    }
    const struct aw_joint_row *joints = packets->joints + packets->n_joints - r->n_joints;
    packets->protocol.custom.joints = packets->n_joints ? packets->joints : NULL;
    packets->protocol.custom.stops = packets->n_stops ? packets->stops : NULL;
    for (size_t i = 0; i < r->n_joints && status == AW_OK; i++) {
        const char *fault = NULL;
        status = aw_packet_check_gains(&packets->protocol, &joints[i], &fault, r->err);
        locate_error(r, r->joints[i].line, fault, status);
    }
    for (size_t i = 0; i < packets->n_stops && status == AW_OK; i++) {
        if (!r->stop.stop_lines[i])
            continue;
        status = aw_packet_check_stop(&packets->protocol, &packets->stops[i], r->err);
        locate_error(r, r->stop.stop_lines[i], NULL, status);
    }
    if (status == AW_OK && r->stop.motion_name && packets->n_stops == 0)
        status = locate_error(
            r, r->stop.motion_line, "moves",
            aw_fail(
                r->err, AW_USAGE,
                "packet %s: moves = yes, but there is no stop — add [stop] with packet = %s hold",
                r->stop.motion_name, r->stop.motion_name));
    return status;
}

/* ---- Lines ---- */

static enum aw_status begin_packet(struct file_reader *r, char *name)
{
    bool ascii = r->packets->protocol.frames.ascii;
    const char *word = ascii ? aw_store_string(&r->packets->store, name) : NULL;
    if (ascii && !word)
        return aw_no_memory(r->err);
    enum aw_status status =
        ascii ? aw_packet_parse_word(name, r->err) : aw_packet_check_name(name, "a packet", r->err);
    if (status != AW_OK)
        return status;
    aw_packet_begin(&r->packet, &r->packets->protocol, r->lines->number);
    r->packet.name = aw_store_string(&r->packets->store, name);
    r->packet.word = word;
    r->section = PACKET;
    return r->packet.name ? AW_OK : aw_no_memory(r->err);
}

static enum aw_status begin_joint(struct file_reader *r, char *name)
{
    enum aw_status status = aw_packet_check_name(name, "a joint", r->err);
    if (status != AW_OK)
        return status;
    struct aw_packet_joint *joint = &r->joints[r->n_joints];
    *joint = (struct aw_packet_joint){.line = r->lines->number};
    joint->row.name = aw_store_string(&r->packets->store, name);
    r->section = JOINT;
    return joint->row.name ? AW_OK : aw_no_memory(r->err);
}

static enum aw_status read_stop(struct file_reader *r, const char *name, char *value)
{
    struct aw_packets *packets = r->packets;
    if (strcmp(name, "packet") != 0)
        return aw_fail(r->err, AW_USAGE, "unknown key '%.40s' in [stop] — use packet", name);
    if (packets->n_stops == AW_PACKET_STOPS)
        return aw_fail(r->err, AW_LIMIT, "more than %d stop packets — remove some",
                       AW_PACKET_STOPS);
    enum aw_status status =
        aw_packet_parse_stop(&packets->stops[packets->n_stops], &packets->store, value, r->err);
    r->stop.stop_lines[packets->n_stops] = r->lines->number;
    packets->n_stops += status == AW_OK;
    return status;
}

static enum aw_status fail_section(const struct file_reader *r)
{
    return aw_fail(r->err, AW_USAGE,
                   "invalid section — write only '[packet NAME]', '[joint NAME]' or '[stop]'");
}

static enum aw_status read_section(struct file_reader *r, char *line)
{
    char *words[4], *end = strchr(line, ']');
    if (!end || end[1 + strspn(end + 1, " \t")])
        return fail_section(r);
    *end = '\0';
    enum aw_status status = end_section(r);
    if (status == AW_OK)
        status = add_key(r, "[");
    if (status != AW_OK)
        return status;
    size_t n = aw_lines_split(line + 1, words, 4);
    if (n == 2 && strcmp(words[0], "packet") == 0)
        return begin_packet(r, words[1]);
    if (n == 2 && strcmp(words[0], "joint") == 0)
        return begin_joint(r, words[1]);
    if (n != 1 || strcmp(words[0], "stop") != 0)
        return fail_section(r);
    r->section = STOP;
    return AW_OK;
}

/* Removes a comment: a '#' after a blank, and the rest of the line. */
static void cut_comment(char *line)
{
    for (char *at = line; (at = strchr(at, '#')); at++)
        if (at == line || at[-1] == ' ' || at[-1] == '\t') {
            *at = '\0';
            return;
        }
}

static enum aw_status store_line(struct aw_packets *packets, const char *line, struct aw_error *err)
{
    size_t length = strlen(line);
    char *text = aw_grow(packets->file_text, &packets->room, packets->length + length + 2, 1);
    if (!text)
        return aw_no_memory(err);
    packets->file_text = text;
    memcpy(text + packets->length, line, length);
    memcpy(text + packets->length + length, "\n", 2);
    packets->length += length + 1;
    return AW_OK;
}

static enum aw_status read_line(struct file_reader *r)
{
    char *line = r->lines->line;
    cut_comment(line);
    line = aw_trim(line);
    enum aw_status status = store_line(r->packets, line, r->err);
    if (status != AW_OK)
        return status;
    if (*line == '[')
        return read_section(r, line);
    char *value = strchr(line, '=');
    if (!value)
        return aw_fail(r->err, AW_USAGE, "invalid line — write '[packet NAME]' or 'NAME = …'%s",
                       strchr(line, ':') ? "; padding needs a name, too: 'unused = pad:1'" : "");
    *value++ = '\0';
    const char *name = aw_trim(line);
    value = aw_trim(value);
    if (add_key(r, name) != AW_OK)
        return r->err->status;
    switch (r->section) {
    case PACKET:
        status = aw_packet_parse_line(&r->packet, &r->packets->store, name, value, r->err);
        return r->packet.parse.fault
                   ? locate_error(r, r->packet.parse.line, r->packet.parse.fault, status)
                   : status;
    case JOINT:
        return aw_packet_parse_joint(&r->joints[r->n_joints], &r->packets->store, name, value,
                                     r->err);
    case STOP:
        return read_stop(r, name, value);
    default:
        return aw_fail(r->err, AW_USAGE, "line outside a packet — start with '[packet NAME]'");
    }
}

enum aw_status aw_packets_read(struct aw_packets *packets, struct aw_lines *lines,
                               struct aw_error *err)
{
    struct file_reader r = {
        .packets = packets, .lines = lines, .err = err, .n_earlier = packets->protocol.n_messages};
    enum aw_status status = AW_OK;
    if (!packets->protocol.custom.custom)
        return aw_fail(err, AW_USAGE, "packet files are not supported by %s — remove --packets",
                       packets->protocol.name);
    while (status == AW_OK && (status = aw_lines_next(lines, err)) == AW_OK)
        status = read_line(&r);
    if (status == AW_END && (status = end_section(&r)) == AW_OK &&
        (status = find_answers(&r)) == AW_OK && (status = check_joints(&r)) == AW_OK)
        status = AW_END;
    free(r.keys);
    return aw_lines_end(lines, status, err);
}
