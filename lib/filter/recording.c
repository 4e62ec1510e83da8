/* Reads the header of a recording, and converts its packets to ROS topics. */
#include "filter/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/log.h"
#include "packets/carried.h"
#include "protocol/canpid/names.h"
#include "protocol/ezphys/framing.h"
#include "protocol/ezphys/names.h"
#include "protocols.h"

#define HEAD_ROWS 8

/* A board of canpid. */
struct board {
    unsigned number;
    char name[AW_CANPID_NAME_MAX];
};

/* A comment that is stored until the topics start. */
struct note {
    struct note *next;
    char text[];
};

struct aw_recording {
    struct aw_recording_info info;
    struct aw_topics_sink sink;
    aw_recording_note *note; /* NULL: drops comments */
    struct note *first, *last;
    struct aw_log *log;
    struct aw_carried carried;
    struct aw_packets *packets; /* NULL: no custom packets */
    struct aw_topics *topics;   /* NULL: not started yet */
    struct aw_ezphys_names objects;
    struct board boards[AW_CANPID_BOARDS];
    size_t n_boards;
    uint64_t known_boards; /* numbers of known boards, one bit each */
    /* the variant points to these members */
    struct {
        struct aw_ezphys_framing framing;
        struct aw_field head[HEAD_ROWS];
        struct aw_name board_names[AW_CANPID_BOARDS + 1];
    } wire;
};

/* ---- Names ---- */

static const struct board *find_board(const struct aw_recording *r, double number)
{
    for (size_t i = 0; i < r->n_boards; i++)
        if (r->boards[i].number == number)
            return &r->boards[i];
    return NULL;
}

/* Adds a board. If a number has several names, the first one wins. Boards without a name do not
 * become named values. */
static void add_board(struct aw_recording *r, const char *line)
{
    struct board board;
    size_t n_named = 0;
    if (sscanf(line, AW_SUBJECT_LINE "board %u %23s", &board.number, board.name) != 2 ||
        find_board(r, board.number) || r->n_boards == AW_CANPID_BOARDS)
        return;
    r->boards[r->n_boards] = board;
    r->known_boards |= AW_CANPID_BIT(board.number);
    while (r->wire.board_names[n_named].name)
        n_named++;
    if (*board.name != '0')
        r->wire.board_names[n_named] =
            (struct aw_name){(int32_t)board.number, r->boards[r->n_boards].name};
    r->n_boards++;
}

static bool read_names(struct aw_recording *r, const char *text)
{
    if (!aw_ezphys_names_restore(&r->objects, text))
        return false;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        add_board(r, line);
    return true;
}

static const char *name_board(void *context, const struct aw_record *record, char *out, size_t size)
{
    const struct aw_recording *r = context;
    double number = aw_record_get(record, "board");
    if (!(number >= 0))
        return "";
    const struct board *board = find_board(r, number);
    snprintf(out, size, "0x%02X", (unsigned)number);
    return board ? board->name : out;
}

static const struct aw_ezphys_name *find_object(void *context, enum aw_ezphys_kind kind,
                                                uint32_t id)
{
    const struct aw_recording *r = context;
    return aw_ezphys_names_find_id(&r->objects, kind, id);
}

static const char *name_object(void *context, const struct aw_record *record, char *out,
                               size_t size)
{
    *out = '\0';
    const char *name = aw_ezphys_write_subject(record, find_object, context, out, size);
    return name ? name : "";
}

/* ---- Notes ---- */

static bool send_note(struct aw_recording *r, int64_t time_ns, const char *text)
{
    return !r->note || r->note(r->sink.context, time_ns, text);
}

static bool store_note(struct aw_recording *r, const char *text)
{
    struct note *note = malloc(sizeof *note + strlen(text) + 1);
    if (!note)
        return false;
    note->next = NULL;
    strcpy(note->text, text);
    if (r->last)
        r->last->next = note;
    else
        r->first = note;
    r->last = note;
    return true;
}

static bool send_notes(struct aw_recording *r, int64_t time_ns)
{
    bool ok = true;
    for (struct note *note = r->first, *next; note; note = next) {
        next = note->next;
        ok = ok && send_note(r, time_ns, note->text);
        free(note);
    }
    r->first = r->last = NULL;
    return ok;
}

/* ---- The header ---- */

static void read_program(struct aw_recording *r, const char *program)
{
    size_t length = strcspn(program, " ");
    for (size_t i = 0; i < N_PROTOCOLS && !r->info.protocol; i++)
        if (strlen(protocols[i]->name) == length &&
            strncmp(program, protocols[i]->name, length) == 0)
            r->info.protocol = protocols[i];
    snprintf(r->info.version, sizeof r->info.version, "%s",
             program[length] ? program + length + 1 : "");
}

static bool read_value(const char *text, const char *key, char *out, size_t size)
{
    size_t length = strlen(key);
    if (strncmp(text, key, length) != 0)
        return false;
    snprintf(out, size, "%s", text + length);
    return true;
}

static bool read_config(struct aw_recording *r, const char *text)
{
    static const char head[] = "config file: ";
    if (strncmp(text, head, sizeof head - 1) != 0)
        return false;
    text += sizeof head - 1;
    size_t length = strcspn(text, "\n");
    snprintf(r->info.config_name, sizeof r->info.config_name, "%.*s", (int)length, text);
    free(r->info.config);
    r->info.config = text[length] ? strdup(text + length + 1) : NULL;
    return true;
}

static void read_about(void *context, const char *program, const char *comment, size_t length)
{
    struct aw_recording *r = context;
    char *text = strndup(comment, length);
    if (!r->info.protocol)
        read_program(r, program);
    if (text && !read_value(text, "wire ", r->info.wire, sizeof r->info.wire) &&
        !read_value(text, "link ", r->info.link, sizeof r->info.link) && !read_config(r, text) &&
        read_names(r, text))
        store_note(r, text);
    free(text);
}

static void name_values(struct aw_recording *r, struct aw_variant *variant)
{
    size_t rows = 0;
    variant->known_senders = &r->known_boards;
    if (!r->wire.board_names[0].name)
        return;
    for (; variant->head[rows].type != AW_ROWS_END && rows < HEAD_ROWS - 1; rows++) {
        r->wire.head[rows] = variant->head[rows];
        if (strcmp(r->wire.head[rows].name, "board") == 0)
            r->wire.head[rows].names = r->wire.board_names;
    }
    variant->head = r->wire.head;
}

static enum aw_status find_variant(struct aw_recording *r, struct aw_variant *variant,
                                   struct aw_error *err)
{
    const struct aw_protocol *protocol = r->info.protocol;
    if (protocol == &aw_ezphys_protocol) {
        enum aw_status status = aw_ezphys_framing_parse(&r->wire.framing, r->info.wire, NULL, err);
        *variant = r->wire.framing.variant;
        return status;
    }
    const struct aw_variant *named = aw_protocol_variant(protocol, r->info.wire);
    if (!named)
        return aw_fail(err, AW_USAGE, "unknown wire '%.60s' of %s — update this program",
                       r->info.wire, protocol->name);
    *variant = *named;
    if (protocol == &aw_canpid_protocol)
        name_values(r, variant);
    return AW_OK;
}

static void describe_topics(struct aw_recording *r, struct aw_topics_info *info)
{
    const char *link = r->info.link;
    link += strncmp(link, "serve:", 6) == 0 ? 6 : 0;
    link += strncmp(link, "can:", 4) == 0 ? 4 : 0;
    *info = (struct aw_topics_info){.tool = r->info.protocol->name, .context = r};
    snprintf(info->link, sizeof info->link, "%.*s", (int)strcspn(link, ":?/"), link);
    if (r->info.protocol == &aw_canpid_protocol)
        info->subject = name_board;
    else if (r->info.protocol == &aw_ezphys_protocol)
        info->subject = name_object;
}

/* Starts the topics. All packet files precede the first frame. */
static enum aw_status begin_topics(struct aw_recording *r, struct aw_error *err)
{
    struct aw_topics_info info;
    const struct aw_protocol *protocol = r->info.protocol;
    struct aw_wire *wire = malloc(sizeof *wire);
    struct aw_variant variant;
    enum aw_status status = wire ? find_variant(r, &variant, err) : aw_no_memory(err);
    if (status == AW_OK)
        status = aw_carried_read(&r->carried, protocol, "the recording", &r->packets, err);
    if (status == AW_OK) {
        describe_topics(r, &info);
        aw_wire_init(wire, r->packets ? aw_packets_protocol(r->packets) : protocol, &variant,
                     false);
        r->topics = aw_topics_new(&info, wire, &r->sink);
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
    struct aw_log_options options = {.on_comment = read_about, .context = r};
    enum aw_status status = aw_log_open(&r->log, path, &options, err);
    if (status == AW_OK)
        *recording = r;
    else
        aw_recording_close(r);
    return status;
}

void aw_recording_set_note_fn(struct aw_recording *r, aw_recording_note *note)
{
    r->note = note;
}

static enum aw_status fail_write(struct aw_error *err)
{
    return aw_fail(err, AW_LOST, "cannot write the output");
}

static enum aw_status fail_program(struct aw_error *err)
{
    return aw_fail(err, AW_USAGE,
                   "packets of another program — pipe in the output of TOOL record -");
}

enum aw_status aw_recording_begin(struct aw_recording *r, struct aw_error *err)
{
    if (r->topics)
        return AW_OK;
    return r->info.protocol ? begin_topics(r, err) : fail_program(err);
}

static enum aw_status begin_at(struct aw_recording *r, int64_t time_ns, struct aw_error *err)
{
    enum aw_status status = aw_recording_begin(r, err);
    return status != AW_OK || send_notes(r, time_ns) ? status : fail_write(err);
}

static enum aw_status read_note(struct aw_recording *r, const struct aw_log_entry *entry,
                                struct aw_error *err)
{
    if (r->topics)
        return send_note(r, entry->time_ns, entry->comment) ? AW_OK : fail_write(err);
    return store_note(r, entry->comment) ? AW_OK : aw_no_memory(err);
}

static enum aw_status read_comment(struct aw_recording *r, const struct aw_log_entry *entry,
                                   struct aw_error *err)
{
    const char *text;
    enum aw_carried_kind kind = aw_carried_kind(entry->comment, &text);
    bool is_carried = kind != AW_CARRIED_OTHER;
    if (is_carried && !r->topics && aw_carried_add(&r->carried, kind, text) != AW_OK)
        return aw_no_memory(err);
    if (is_carried || read_names(r, entry->comment))
        return read_note(r, entry, err);
    enum aw_status status = begin_at(r, entry->time_ns, err);
    if (status == AW_OK && !aw_topics_mark(r->topics, entry->time_ns, entry->comment))
        status = fail_write(err);
    return status;
}

enum aw_status aw_recording_next(struct aw_recording *r, struct aw_error *err)
{
    struct aw_log_entry entry;
    enum aw_status status = aw_log_next(r->log, &entry, err);
    if ((status == AW_OK || status == AW_END) && !r->info.protocol)
        return fail_program(err);
    if (status == AW_OK && *entry.comment)
        status = read_comment(r, &entry, err);
    if (status != AW_OK || !entry.data.size)
        return status;
    enum aw_dir dir = entry.dir == AW_TX ? AW_TX : AW_RX;
    status = begin_at(r, entry.time_ns, err);
    if (status == AW_OK && !aw_topics_add(r->topics, dir, entry.time_ns, entry.data))
        status = fail_write(err);
    return status;
}

const struct aw_recording_info *aw_recording_info(const struct aw_recording *r)
{
    return &r->info;
}

struct aw_topics *aw_recording_topics(const struct aw_recording *r)
{
    return r->topics;
}

void aw_recording_close(struct aw_recording *r)
{
    if (!r)
        return;
    r->note = NULL;
    send_notes(r, 0);
    aw_topics_free(r->topics);
    aw_packets_free(r->packets);
    aw_carried_free(&r->carried);
    aw_log_close(r->log);
    free(r->info.config);
    free(r);
}
