/* Prepares the session's wire: the tool's table with the packets of --packets behind it, and the
 * variant. */
#include "shell/core/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "capture/log.h"
#include "packets/packets.h"

/* The tool is itself again, see own_joints.h. */
static void forget_joints(struct aw_session *session)
{
    if (session->device.own.arm)
        session->tool = session->device.own.base;
    free(session->device.own.arm);
    session->device.own.arm = NULL;
}

void aw_session_free_packets(struct aw_session *session)
{
    forget_joints(session);
    aw_packets_free(session->device.own.packets);
    free(session->device.own.files);
    session->device.own = (struct aw_own){.packets = NULL};
}

bool aw_session_is_own(const struct aw_session *session, const struct aw_message *message)
{
    const struct aw_protocol *protocol = session->wire->protocol;
    return session->device.own.packets &&
           message >= protocol->messages + session->tool->protocol->n_messages &&
           message < protocol->messages + protocol->n_messages;
}

static enum aw_status read_packet_file(struct aw_session *session, struct aw_packets *packets,
                                       const char *name)
{
    struct aw_lines lines = {.name = name};
    return aw_packets_read(packets, &lines, &session->err);
}

static enum aw_status read_dbc_file(struct aw_session *session, struct aw_packets *packets,
                                    const char *name)
{
    char notice[480];
    enum aw_status status =
        aw_packets_read_dbc(packets, NULL, name, notice, sizeof notice, &session->err);
    if (status == AW_OK && *notice)
        aw_session_notice(session, "%s", notice);
    return status;
}

typedef enum aw_status read_fn(struct aw_session *session, struct aw_packets *packets,
                               const char *name);

/* files: A,B; NULL: none. */
static enum aw_status read_files(struct aw_session *session, struct aw_packets *packets,
                                 const char *files, read_fn *read)
{
    enum aw_status status = AW_OK;
    char *names = files ? strdup(files) : NULL, *rest = names, *name;
    if (files && !names)
        return aw_no_memory(&session->err);
    while (rest && status == AW_OK && (name = aw_next_name(&rest, ',')))
        status = read(session, packets, name);
    free(names);
    return status;
}

/* Nothing may refer to what goes. */
static void exchange(struct aw_session *session, const struct aw_own *own)
{
    aw_wire_init(session->wire, aw_packets_protocol(own->packets), &session->wire->variant, false);
    aw_session_free_packets(session);
    session->device.own = *own;
    session->run.printing.wire = session->wire;
}

static enum aw_status load(struct aw_session *session, const char *files)
{
    struct aw_own own = {.packets = aw_packets_new(session->tool->protocol),
                         .files = strdup(files)};
    enum aw_status status =
        own.packets && own.files
            ? read_files(session, own.packets, aw_option(session, "packets"), read_packet_file)
            : aw_no_memory(&session->err);
    if (status == AW_OK)
        status = read_files(session, own.packets, aw_option(session, "dbc"), read_dbc_file);
    if (status == AW_OK) {
        exchange(session, &own);
        return AW_OK;
    }
    aw_packets_free(own.packets);
    free(own.files);
    return status;
}

/* A stop, and what speaks of no messages, goes on without them. */
static bool can_do_without(const struct aw_session *session)
{
    const struct aw_command *command = session->run.command;
    return command && (aw_command_stops(command) || (command->offline && !command->messages));
}

/* Both options in one text; NULL: there is neither. */
static const char *named_files(const struct aw_session *session, char *out, size_t size)
{
    const char *packets = aw_option(session, "packets"), *dbc = aw_option(session, "dbc");
    snprintf(out, size, "%s\n%s", packets ? packets : "", dbc ? dbc : "");
    return packets || dbc ? out : NULL;
}

static enum aw_status load_named(struct aw_session *session, const char *files, size_t most)
{
    const char *before = session->device.own.files;
    if (!files || (before && strcmp(before, files) == 0))
        return AW_OK;
    if (strlen(files) == most)
        return aw_fail(&session->err, AW_USAGE, "--packets and --dbc: names of too many files");
    if (session->device.link)
        return aw_fail(&session->err, AW_USAGE,
                       "--%s: the link is open already — give it when %s starts",
                       aw_option(session, "packets") ? "packets" : "dbc", session->tool->name);
    return load(session, files);
}

/* The protocol as the options say it. Once a link is open it stays what it was. */
static enum aw_status read_packets(struct aw_session *session, const struct aw_protocol **protocol)
{
    char both[2048];
    const char *files = named_files(session, both, sizeof both);
    bool linked = session->device.link != NULL;
    enum aw_status status = load_named(session, files, sizeof both - 1);
    if (status != AW_OK && linked)
        return status;
    bool stays = session->device.own.packets && (files || linked);
    session->device.own.recorded = session->device.own.recorded && linked;
    *protocol = stays ? aw_packets_protocol(session->device.own.packets) : session->tool->protocol;
    if (status == AW_OK || !can_do_without(session))
        return status;
    if (aw_command_stops(session->run.command))
        aw_session_report(session, "%s: %s; the stop that is sent is the tool's own\n",
                          session->tool->name, session->err.text);
    session->err = (struct aw_error){.status = AW_OK};
    return AW_OK;
}

enum aw_status aw_session_prepare_wire(struct aw_session *session)
{
    struct aw_variant variant = session->tool->protocol->variants[0];
    const struct aw_protocol *protocol = session->wire->protocol;
    enum aw_status status = read_packets(session, &protocol);
    if (status == AW_OK && session->tool->variant)
        status = session->tool->variant(session, &variant, &session->err);
    if (status == AW_OK && (protocol != session->wire->protocol ||
                            memcmp(&variant, &session->wire->variant, sizeof variant) != 0))
        aw_wire_init(session->wire, protocol, &variant, false);
    if (status == AW_OK && protocol == session->tool->protocol)
        forget_joints(session);
    return status;
}

enum aw_status aw_session_check_wire(struct aw_session *session, const char *text)
{
    (void)text;
    return aw_session_prepare_wire(session);
}

uint32_t aw_session_packets_sum(const struct aw_session *session)
{
    uint32_t sum = 2166136261u; /* FNV-1a */
    if (!session->device.own.arm)
        return 0;
    for (const char *at = aw_packets_text(session->device.own.packets); *at; at++)
        sum = (sum ^ (uint8_t)*at) * 16777619u;
    return sum ? sum : 1;
}

/* ---- In recordings ---- */

/* In front of a piece of a packet file, of the first one of a DBC file, of another one. */
enum { OF_PACKETS, OF_DBC, OF_DBC_STILL, MARKS };
static const char *const marks[MARKS] = {"packets of files:\n", "DBC file:\n",
                                         "DBC file goes on:\n"};

static int mark_of(const char *comment)
{
    int i = 0;
    while (i < MARKS && strncmp(comment, marks[i], strlen(marks[i])) != 0)
        i++;
    return i;
}

bool aw_session_kept_packets(const char *comment)
{
    return mark_of(comment) < MARKS;
}

/* Up to the end of a line, if one fits; of a longer one so much as fits. */
static size_t piece(const char *text, size_t most)
{
    size_t length = strnlen(text, most), whole = length;
    if (!text[length])
        return length;
    while (whole > 0 && text[whole - 1] != '\n')
        whole--;
    while (whole == 0 && length > 1 && ((uint8_t)text[length] & 0xC0) == 0x80)
        length--; /* not within a character */
    return whole ? whole : length;
}

bool aw_session_keep_packets(const struct aw_session *session, size_t *at, char *out, size_t size)
{
    const struct aw_packets *packets = session->device.own.packets;
    const char *text = packets ? aw_packets_text(packets) : NULL;
    size_t before = 0; /* of the texts that are done with */
    for (size_t i = 0; text && *at >= before + strlen(text); i++) {
        before += strlen(text);
        text = aw_packets_dbc(packets, i);
    }
    if (!text)
        return false;
    bool dbc = text != aw_packets_text(packets);
    const char *mark = marks[!dbc ? OF_PACKETS : *at == before ? OF_DBC : OF_DBC_STILL];
    text += *at - before;
    size_t length = piece(text, size - strlen(mark) - 1);
    *at += length;
    snprintf(out, size, "%s%.*s", mark, (int)length, text);
    return true;
}

/* What a recording carries: of packet files, and of DBC files, with a NUL in front of each. */
struct kept {
    char *packets, *dbc;
    size_t n_packets, n_dbc;
};

/* A piece goes to its stream. False: there is no room for it. */
static bool keep_piece(const char *comment, FILE *packets, FILE *dbc)
{
    int mark = mark_of(comment);
    if (mark == MARKS)
        return true;
    bool good = mark != OF_DBC || fputc('\0', dbc) != EOF;
    return fputs(comment + strlen(marks[mark]), mark == OF_PACKETS ? packets : dbc) != EOF && good;
}

/* They stand before its first message. AW_NO_MEMORY; what else is wrong with the file, its reader
 * says. */
static enum aw_status read_comments(struct aw_session *session, const char *path, FILE *packets,
                                    FILE *dbc)
{
    struct aw_log *log;
    struct aw_log_entry entry;
    struct aw_log_options options = {.medium = &session->tool->protocol->medium};
    enum aw_status status = aw_log_open(&log, path, &options, NULL);
    if (status != AW_OK)
        return status;
    while ((status = aw_log_next(log, &entry, NULL)) == AW_OK && !entry.data.size)
        if (!keep_piece(entry.comment, packets, dbc)) {
            status = AW_NO_MEMORY;
            break;
        }
    aw_log_close(log);
    return status;
}

static enum aw_status kept_in(struct aw_session *session, const char *path, struct kept *kept)
{
    FILE *packets = open_memstream(&kept->packets, &kept->n_packets),
         *dbc = open_memstream(&kept->dbc, &kept->n_dbc);
    bool good = packets && dbc && read_comments(session, path, packets, dbc) != AW_NO_MEMORY;
    good = packets && fclose(packets) == 0 && good;
    good = dbc && fclose(dbc) == 0 && good;
    return good ? AW_OK : aw_no_memory(&session->err);
}

static enum aw_status read_kept(struct aw_session *session, const struct kept *kept,
                                const char *path, struct aw_packets *packets)
{
    char notice[480];
    struct aw_lines lines = {.name = path};
    enum aw_status status = AW_OK;
    if (kept->n_packets) {
        FILE *file = lines.file = fmemopen(kept->packets, kept->n_packets, "r");
        status =
            file ? aw_packets_read(packets, &lines, &session->err) : aw_no_memory(&session->err);
        if (file)
            fclose(file);
    }
    for (size_t at = 0; status == AW_OK && at + 1 < kept->n_dbc; at += strlen(kept->dbc + at)) {
        at++;
        FILE *file = fmemopen(kept->dbc + at, strlen(kept->dbc + at), "r");
        status =
            file ? aw_packets_read_dbc(packets, file, path, notice, sizeof notice, &session->err)
                 : aw_no_memory(&session->err);
        if (file)
            fclose(file);
    }
    return status;
}

static enum aw_status take_kept(struct aw_session *session, const struct kept *kept,
                                const char *path)
{
    struct aw_own own = {.recorded = true};
    if (!kept->n_packets && !kept->n_dbc)
        return AW_OK;
    own.packets = aw_packets_new(session->tool->protocol);
    enum aw_status status =
        own.packets ? read_kept(session, kept, path, own.packets) : aw_no_memory(&session->err);
    if (status == AW_OK) {
        exchange(session, &own);
        return AW_OK;
    }
    aw_packets_free(own.packets);
    if (status == AW_NO_MEMORY)
        return status;
    struct aw_error why = session->err;
    return aw_fail(&session->err, AW_MALFORMED, "packets in %.280s — give --packets FILE%s",
                   why.text, kept->n_dbc ? " or --dbc FILE" : "");
}

static enum aw_status take(struct aw_session *session, const char *path)
{
    struct stat about;
    struct kept kept = {.packets = NULL};
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return AW_OK;
    enum aw_status status = kept_in(session, path, &kept);
    if (status == AW_OK)
        status = take_kept(session, &kept, path);
    free(kept.packets);
    free(kept.dbc);
    return status;
}

enum aw_status aw_session_take_packets(struct aw_session *session, const struct aw_args *args)
{
    static const char *const readers[] = {"decode", "info", "plot", "replay", NULL};
    const char *link = aw_option(session, "link");
    enum aw_status status = AW_OK;
    if (aw_option(session, "packets") || aw_option(session, "dbc") || session->device.link ||
        !session->tool->protocol->own)
        return AW_OK;
    if (link && strncmp(link, "log:", 4) == 0) {
        char path[512];
        snprintf(path, sizeof path, "%.*s", (int)strcspn(link + 4, "?"), link + 4);
        return take(session, path);
    }
    for (size_t i = 0; i < args->n && status == AW_OK; i++)
        if (aw_is_one_of(readers, args->command->name) && !session->device.own.recorded)
            status = take(session, args->bound[i].text);
    return status;
}
