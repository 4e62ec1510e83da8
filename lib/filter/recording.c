/* Reads the header of a recording, and makes topics of its packets. */
#include "filter/recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/log.h"
#include "packets/carried.h"
#include "protocol/canpid/names.h"
#include "protocol/ezphys/framing.h"
#include "protocols.h"
#include "wire/rows.h"

#define HEAD_ROWS 8
#define NAMES_MAX 1024

/* "subject board 64 lknee" */
struct name {
    struct name *next;
    char field[16], text[AW_TOPICS_NAME];
    unsigned number;
};

struct aw_recording {
    struct aw_recording_about about;
    struct aw_topics_sink sink;
    struct aw_log *log;
    struct aw_carried carried;
    struct aw_packets *packets; /* NULL: none */
    struct aw_topics *topics;   /* NULL: not begun */
    struct name *names;
    size_t n_names;
    uint64_t boards; /* canpid: those with a name, a bit each */
    /* The variant refers to these. */
    struct aw_ezphys_framing framing;
    struct aw_field head[HEAD_ROWS];
    struct aw_name *values;
};

/* ---- Names ---- */

static const struct name *find_name(const struct aw_recording *r, const char *field, double number)
{
    const struct name *name = r->names;
    while (name && (name->number != number || strcmp(name->field, field) != 0))
        name = name->next;
    return name;
}

/* The first name of a number stays. */
static void add_name(struct aw_recording *r, const char *line)
{
    struct name name = {.next = r->names}, *own;
    if (sscanf(line, "subject %15s %u %159s", name.field, &name.number, name.text) != 3 ||
        find_name(r, name.field, name.number) || r->n_names == NAMES_MAX ||
        !(own = malloc(sizeof *own)))
        return;
    *own = name;
    r->names = own;
    r->n_names++;
    if (strcmp(name.field, "board") == 0)
        r->boards |= AW_CANPID_BIT(name.number);
}

static bool take_names(struct aw_recording *r, const char *text)
{
    if (strncmp(text, "subject ", strlen("subject ")) != 0)
        return false;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        add_name(r, line);
    return true;
}

static const char *name_board(void *context, const struct aw_record *record, char *out, size_t size)
{
    const struct aw_recording *r = context;
    double board = aw_record_get(record, "board");
    if (!(board >= 0))
        return "";
    const struct name *name = find_name(r, "board", board);
    snprintf(out, size, "0x%02X", (unsigned)board);
    return name ? name->text : out;
}

/* A body or joint of ezphys. */
static const char *name_object(void *context, const struct aw_record *record, char *out,
                               size_t size)
{
    const struct aw_recording *r = context;
    const char *message = record->codec->message->name;
    bool joint = strncmp(message, "joint_", strlen("joint_")) == 0;
    const char *field = joint ? "joint" : "body";
    double id = aw_record_get(record, "id");
    if (record->dir != AW_RX || (!joint && strcmp(message, "limb") != 0))
        return "";
    if (isnan(id))
        return record->text;
    const struct name *name = find_name(r, field, id);
    snprintf(out, size, "%s%.0f", field, id);
    return name ? name->text : out;
}

/* ---- The header ---- */

static void take_program(struct aw_recording *r, const char *program)
{
    size_t length = strcspn(program, " ");
    for (size_t i = 0; i < N_PROTOCOLS && !r->about.protocol; i++)
        if (strlen(protocols[i]->name) == length &&
            strncmp(program, protocols[i]->name, length) == 0)
            r->about.protocol = protocols[i];
    snprintf(r->about.version, sizeof r->about.version, "%s",
             program[length] ? program + length + 1 : "");
}

static bool take_fact(const char *text, const char *key, char *out, size_t size)
{
    size_t length = strlen(key);
    if (strncmp(text, key, length) != 0)
        return false;
    snprintf(out, size, "%s", text + length);
    return true;
}

static void take_about(void *context, const char *program, const char *comment, size_t length)
{
    struct aw_recording *r = context;
    char *text = strndup(comment, length);
    if (!r->about.protocol)
        take_program(r, program);
    if (text && !take_fact(text, "wire ", r->about.wire, sizeof r->about.wire) &&
        !take_fact(text, "link ", r->about.link, sizeof r->about.link))
        take_names(r, text);
    free(text);
}

/* Names of boards become those of the field's values, where they are more than a number. */
static bool name_values(struct aw_recording *r, struct aw_variant *variant)
{
    size_t n = 0, rows = 0;
    r->values = calloc(r->n_names + 1, sizeof *r->values);
    for (const struct name *name = r->names; name && r->values; name = name->next)
        if (strcmp(name->field, "board") == 0 && name->text[0] != '0')
            r->values[n++] = (struct aw_name){(int32_t)name->number, name->text};
    if (!n)
        return r->values;
    for (; variant->head[rows].type != AW_ROWS_END && rows < HEAD_ROWS - 1; rows++) {
        r->head[rows] = variant->head[rows];
        if (strcmp(r->head[rows].name, "board") == 0)
            r->head[rows].names = r->values;
    }
    variant->head = r->head;
    return true;
}

static enum aw_status find_variant(struct aw_recording *r, struct aw_variant *variant,
                                   struct aw_error *err)
{
    const struct aw_protocol *protocol = r->about.protocol;
    if (protocol == &aw_ezphys_protocol) {
        enum aw_status status = aw_ezphys_framing_parse(&r->framing, r->about.wire, NULL, err);
        *variant = r->framing.variant;
        return status;
    }
    const struct aw_variant *named = aw_protocol_variant(protocol, r->about.wire);
    if (!named)
        return aw_fail(err, AW_USAGE, "wire '%.60s' of %s not found — is the tool newer than this?",
                       r->about.wire, protocol->name);
    *variant = *named;
    if (protocol != &aw_canpid_protocol)
        return AW_OK;
    variant->known = &r->boards;
    return name_values(r, variant) ? AW_OK : aw_no_memory(err);
}

static void describe(struct aw_recording *r, struct aw_topics_about *about)
{
    const char *link = r->about.link;
    link += strncmp(link, "can:", 4) == 0 ? 4 : 0;
    *about = (struct aw_topics_about){.tool = r->about.protocol->name, .context = r};
    snprintf(about->link, sizeof about->link, "%.*s", (int)strcspn(link, ":?/"), link);
    if (r->about.protocol == &aw_canpid_protocol)
        about->subject = name_board;
    else if (r->about.protocol == &aw_ezphys_protocol)
        about->subject = name_object;
}

/* The packet files come before the first frame. */
static enum aw_status begin_topics(struct aw_recording *r, struct aw_error *err)
{
    struct aw_topics_about about;
    const struct aw_protocol *protocol = r->about.protocol;
    struct aw_wire *wire = malloc(sizeof *wire);
    struct aw_variant variant;
    enum aw_status status = wire ? find_variant(r, &variant, err) : aw_no_memory(err);
    if (status == AW_OK)
        status = aw_carried_read(&r->carried, protocol, "the recording", &r->packets, err);
    if (status == AW_OK) {
        describe(r, &about);
        aw_wire_init(wire, r->packets ? aw_packets_protocol(r->packets) : protocol, &variant,
                     false);
        r->topics = aw_topics_new(&about, wire, &r->sink);
        status = r->topics ? AW_OK : aw_no_memory(err);
    }
    free(wire);
    return status == AW_NO_MEMORY || status == AW_OK ? status : AW_USAGE;
}

/* ---- Packets ---- */

enum aw_status aw_recording_open(struct aw_recording **recording, const char *path,
                                 const struct aw_topics_sink *sink, struct aw_error *err)
{
    struct aw_recording *r = calloc(1, sizeof *r);
    *recording = NULL;
    if (!r)
        return aw_no_memory(err);
    r->sink = *sink;
    struct aw_log_options options = {.about = take_about, .context = r};
    enum aw_status status = aw_log_open(&r->log, path, &options, err);
    if (status == AW_OK)
        *recording = r;
    else
        aw_recording_close(r);
    return status;
}

static enum aw_status take_comment(struct aw_recording *r, const struct aw_log_entry *entry,
                                   struct aw_error *err)
{
    const char *text;
    enum aw_carried_kind kind = aw_carried_kind(entry->comment, &text);
    if (kind != AW_CARRIED_NOTHING) {
        enum aw_status status = r->topics ? AW_OK : aw_carried_add(&r->carried, kind, text);
        return status == AW_OK ? AW_OK : aw_no_memory(err);
    }
    if (!*entry->comment || take_names(r, entry->comment))
        return AW_OK;
    enum aw_status status = r->topics ? AW_OK : begin_topics(r, err);
    if (status == AW_OK && !aw_topics_mark(r->topics, entry->time_ns, entry->comment))
        status = aw_fail(err, AW_LOST, "cannot write a mark");
    return status;
}

enum aw_status aw_recording_next(struct aw_recording *r, struct aw_error *err)
{
    struct aw_log_entry entry;
    enum aw_status status = aw_log_next(r->log, &entry, err);
    if ((status == AW_OK || status == AW_END) && !r->about.protocol)
        return aw_fail(
            err, AW_USAGE,
            "these packets are of another program — give it the output of TOOL record -");
    if (status == AW_OK)
        status = take_comment(r, &entry, err);
    if (status != AW_OK || !entry.data.size)
        return status;
    if (!r->topics)
        status = begin_topics(r, err);
    if (status == AW_OK && !aw_topics_add(r->topics, entry.dir, entry.time_ns, entry.data))
        status = aw_fail(err, AW_LOST, "cannot write a message");
    return status;
}

const struct aw_recording_about *aw_recording_about(const struct aw_recording *r)
{
    return &r->about;
}

const struct aw_topics *aw_recording_topics(const struct aw_recording *r)
{
    return r->topics;
}

void aw_recording_close(struct aw_recording *r)
{
    if (!r)
        return;
    aw_topics_free(r->topics);
    aw_packets_free(r->packets);
    aw_carried_free(&r->carried);
    aw_log_close(r->log);
    for (struct name *next; r->names; r->names = next) {
        next = r->names->next;
        free(r->names);
    }
    free(r->values);
    free(r);
}
