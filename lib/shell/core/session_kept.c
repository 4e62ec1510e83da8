/* Packets of files in recordings: what is read by them carries them, so that it is read elsewhere.
 */
#include "shell/core/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/text.h"
#include "capture/log.h"
#include "packets/packets.h"

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

bool aw_session_is_note(const char *comment)
{
    return mark_of(comment) < MARKS ||
           strncmp(comment, AW_SUBJECT_LINE, strlen(AW_SUBJECT_LINE)) == 0;
}

void aw_session_about(void *context, const char *program, const char *comment, size_t length)
{
    struct aw_session *session = context;
    char text[AW_LOG_COMMENT];
    (void)program;
    if (!session->tool->names.take)
        return;
    snprintf(text, sizeof text, "%.*s", (int)length, comment);
    session->tool->names.take(session, text);
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

static const struct aw_packets *packets_of(const struct aw_session *session)
{
    return session->device.own.packets ? session->device.own.packets : session->device.carried;
}

bool aw_session_keep_packets(const struct aw_session *session, size_t *at, char *out, size_t size)
{
    const struct aw_packets *packets = packets_of(session);
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

static void write_remarks(FILE *file, const char *mark, const char *text)
{
    fprintf(file, "# %s", mark);
    for (size_t length; *text; text += length + (text[length] != '\0')) {
        length = strcspn(text, "\n");
        fprintf(file, "# %.*s\n", (int)length, text);
    }
}

void aw_session_write_packets(const struct aw_session *session, FILE *file)
{
    const struct aw_packets *packets = packets_of(session);
    const char *text = packets ? aw_packets_text(packets) : "";
    if (*text)
        write_remarks(file, marks[OF_PACKETS], text);
    for (size_t i = 0; packets && (text = aw_packets_dbc(packets, i)); i++)
        write_remarks(file, marks[OF_DBC], text);
}

/* ---- Reading ---- */

struct text {
    char *chars;
    size_t n, room;
};

/* What a recording carries: of packet files, and of DBC files, with a NUL in front of each. No
 * stream of memory: one that has no room at its end is closed without an error. */
struct kept {
    struct text packets, dbc;
};

static enum aw_status append(struct text *text, const char *more, size_t length)
{
    char *chars = aw_grow(text->chars, &text->room, text->n + length + 1, 1);
    if (!chars)
        return AW_NO_MEMORY;
    text->chars = chars;
    memcpy(chars + text->n, more, length);
    text->n += length;
    return AW_OK;
}

/* A piece with one of the marks goes to its text. */
static enum aw_status keep_piece(struct kept *kept, int mark, const char *piece)
{
    struct text *text = mark == OF_PACKETS ? &kept->packets : &kept->dbc;
    enum aw_status status = mark == OF_DBC ? append(text, "", 1) : AW_OK;
    return status == AW_OK ? append(text, piece, strlen(piece)) : status;
}

/* They stand before its first message. AW_NO_MEMORY; what else is wrong with the file, its reader
 * says. */
static enum aw_status read_comments(struct aw_session *session, const char *path, struct kept *kept)
{
    struct aw_log *log;
    struct aw_log_entry entry;
    struct aw_log_options options = {.medium = &session->tool->protocol->medium};
    enum aw_status status = aw_log_open(&log, path, &options, NULL);
    if (status != AW_OK)
        return status;
    while (status == AW_OK && (status = aw_log_next(log, &entry, NULL)) == AW_OK &&
           !entry.data.size) {
        int mark = mark_of(entry.comment);
        if (mark < MARKS)
            status = keep_piece(kept, mark, entry.comment + strlen(marks[mark]));
    }
    aw_log_close(log);
    return status;
}

/* The remarks of a table, up to the first line that is none. *mark: of the text that they are. */
static enum aw_status read_remark(struct kept *kept, const char *line, int *mark)
{
    int begins = mark_of(line);
    if (begins < MARKS)
        *mark = begins;
    if (begins < MARKS)
        return keep_piece(kept, begins, "");
    return *mark < MARKS ? keep_piece(kept, *mark == OF_DBC ? OF_DBC_STILL : *mark, line) : AW_OK;
}

static enum aw_status read_remarks(FILE *file, struct kept *kept)
{
    char *line = NULL;
    size_t room = 0;
    int mark = MARKS;
    enum aw_status status = AW_OK;
    errno = 0;
    while (status == AW_OK && getline(&line, &room, file) > 0 && strncmp(line, "# ", 2) == 0)
        status = read_remark(kept, line + 2, &mark);
    if (status == AW_OK && errno == ENOMEM)
        status = AW_NO_MEMORY;
    free(line);
    return status;
}

static enum aw_status kept_in(struct aw_session *session, const char *path, struct kept *kept)
{
    FILE *file = aw_file_open(path);
    if (!file)
        return errno == ENOMEM ? aw_no_memory(&session->err) : AW_OK;
    int first = fgetc(file), second = fgetc(file);
    bool table = first == '#' && second == ' ' && fseek(file, 0, SEEK_SET) == 0;
    enum aw_status status = table ? read_remarks(file, kept) : AW_OK;
    fclose(file);
    if (!table)
        status = read_comments(session, path, kept);
    return status == AW_NO_MEMORY ? aw_no_memory(&session->err) : AW_OK;
}

typedef enum aw_status read_kept_fn(struct aw_session *session, FILE *file, const char *path,
                                    struct aw_packets *packets);

static enum aw_status read_kept_packets(struct aw_session *session, FILE *file, const char *path,
                                        struct aw_packets *packets)
{
    struct aw_lines lines = {.name = path, .file = file};
    return aw_packets_read(packets, &lines, &session->err);
}

static enum aw_status read_kept_dbc(struct aw_session *session, FILE *file, const char *path,
                                    struct aw_packets *packets)
{
    char notice[480];
    return aw_packets_read_dbc(packets, file, path, notice, sizeof notice, &session->err);
}

static enum aw_status read_text(struct aw_session *session, char *text, size_t length,
                                const char *path, struct aw_packets *packets, read_kept_fn *read)
{
    if (!length)
        return AW_OK;
    FILE *file = fmemopen(text, length, "r");
    if (!file)
        return aw_no_memory(&session->err);
    enum aw_status status = read(session, file, path, packets);
    fclose(file);
    return status;
}

static enum aw_status read_kept(struct aw_session *session, const struct kept *kept,
                                const char *path, struct aw_packets *packets)
{
    const struct text *dbc = &kept->dbc;
    enum aw_status status =
        read_text(session, kept->packets.chars, kept->packets.n, path, packets, read_kept_packets);
    for (size_t at = 0, length; status == AW_OK && at < dbc->n; at += length) {
        at++;
        length = strnlen(dbc->chars + at, dbc->n - at);
        status = read_text(session, dbc->chars + at, length, path, packets, read_kept_dbc);
    }
    return status;
}

static enum aw_status take_kept(struct aw_session *session, const struct kept *kept,
                                const char *path)
{
    if (!kept->packets.n && !kept->dbc.n)
        return AW_OK;
    struct aw_packets *packets = aw_packets_new(session->tool->protocol);
    enum aw_status status =
        packets ? read_kept(session, kept, path, packets) : aw_no_memory(&session->err);
    if (status == AW_OK) {
        session->device.carried = packets;
        return AW_OK;
    }
    aw_packets_free(packets);
    if (status == AW_NO_MEMORY)
        return status;
    struct aw_error why = session->err;
    return aw_fail(&session->err, AW_MALFORMED, "packets in %.280s — give --packets FILE%s",
                   why.text, kept->dbc.n ? " or --dbc FILE" : "");
}

static enum aw_status take(struct aw_session *session, const char *path)
{
    struct stat about;
    struct kept kept = {.packets = {.n = 0}};
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return AW_OK;
    enum aw_status status = kept_in(session, path, &kept);
    if (status == AW_OK)
        status = take_kept(session, &kept, path);
    free(kept.packets.chars);
    free(kept.dbc.chars);
    return status;
}

/* Nothing refers to them between two commands. */
static void forget(struct aw_session *session)
{
    if (!session->device.carried)
        return;
    free(session->device.decoding);
    session->device.decoding = NULL;
    aw_packets_free(session->device.carried);
    session->device.carried = NULL;
}

/* The recording that the command reads, or that is its link. */
static enum aw_status take_first(struct aw_session *session, const struct aw_args *args)
{
    static const char *const readers[] = {"decode", "info", "plot", "replay", NULL};
    const char *link = aw_option(session, "link");
    enum aw_status status = AW_OK;
    bool reads = aw_is_one_of(readers, args->command->name);
    for (size_t i = 0; reads && i < args->n && status == AW_OK && !session->device.carried; i++)
        status = take(session, args->bound[i].text);
    if (status != AW_OK || session->device.carried || !link || strncmp(link, "log:", 4) != 0)
        return status;
    char path[512];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(link + 4, "?"), link + 4);
    return take(session, path);
}

enum aw_status aw_session_take_packets(struct aw_session *session, const struct aw_args *args)
{
    forget(session);
    if (aw_option(session, "packets") || aw_option(session, "dbc") || !session->tool->protocol->own)
        return AW_OK;
    enum aw_status status = take_first(session, args);
    if (status != AW_MALFORMED || args->command->safety == AW_READ)
        return status;
    session->err = (struct aw_error){.status = AW_OK};
    return AW_OK;
}
