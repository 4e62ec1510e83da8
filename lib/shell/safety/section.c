/* Writes the session's link, names and config to the header of a recording. */
#include "shell/safety/tee.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/session/config.h"

#define SECTION_MAX 61440 /* bytes; readers accept blocks of up to 64 KiB */
#define CONFIG_MAX  32768
#define NAMES_MAX   500 /* max bytes of names in one comment: readers cut longer comments */
#define COMMENTS    64

struct comments {
    const char *list[COMMENTS];
    size_t n, used;
    char text[SECTION_MAX - 2 * AW_PCAPNG_BEGIN_MAX];
};

/* Skips comments that do not fit. */
static void __attribute__((format(printf, 2, 3)))
add_comment(struct comments *comments, const char *format, ...)
{
    va_list args;
    char *text = comments->text + comments->used;
    size_t room = sizeof comments->text - comments->used;
    va_start(args, format);
    int length = vsnprintf(text, room, format, args);
    va_end(args);
    if (comments->n == COMMENTS || (size_t)length >= room)
        return;
    comments->list[comments->n++] = text;
    comments->used += (size_t)length + 1;
}

static void add_wire(struct comments *comments, struct aw_session *session)
{
    char wire[512];
    const char *name = session->tool->records.names.write_wire
                           ? session->tool->records.names.write_wire(session, wire, sizeof wire)
                           : session->wire->variant.name;
    add_comment(comments, "wire %s", name);
}

static void add_names(struct comments *comments, struct aw_session *session, uint64_t *names_at)
{
    char text[NAMES_MAX];
    while (session->tool->records.names.write_lines && comments->n < COMMENTS - 1 &&
           session->tool->records.names.write_lines(session, names_at, text, sizeof text))
        add_comment(comments, "%s", text);
}

static void add_config(struct comments *comments, const struct aw_config *config)
{
    FILE *file = config && config->found ? fopen(config->path, "rbe") : NULL;
    char *text = file ? calloc(1, CONFIG_MAX + 1) : NULL;
    size_t size = text ? fread(text, 1, CONFIG_MAX + 1, file) : 0;
    const char *slash = strrchr(config ? config->path : "", '/');
    if (size && size <= CONFIG_MAX)
        add_comment(comments, "config file: %s\n%s", slash ? slash + 1 : config->path, text);
    free(text);
    if (file)
        fclose(file);
}

uint8_t *aw_section_make(struct aw_session *session, const char *url, enum aw_linktype linktype,
                         uint64_t *names_at, size_t *size)
{
    char program[AW_PCAP_PROGRAM];
    struct comments *comments = calloc(1, sizeof *comments);
    uint8_t *block = comments ? malloc(SECTION_MAX) : NULL;
    if (block) {
        snprintf(program, sizeof program, "%s " AW_VERSION, session->tool->name);
        add_wire(comments, session);
        add_comment(comments, "link %s", url);
        add_names(comments, session, names_at);
        add_config(comments, session->config);
        *size = aw_pcapng_section(block, SECTION_MAX - AW_PCAPNG_BEGIN_MAX, program, comments->list,
                                  comments->n);
        *size += aw_pcapng_interface(block + *size, linktype, url);
    }
    free(comments);
    return block;
}
