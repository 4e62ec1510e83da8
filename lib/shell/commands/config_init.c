/* config init: asks, or takes words, and writes a config file with comments that is right. */
#include "shell/commands/common.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/ready.h"
#include "link/open.h"
#include "shell/core/ask.h"
#include "shell/core/config.h"

#define ENTRIES_MAX 256
#define KEYS_MAX    32

struct entry {
    char section[64], key[64], value[256];
};

struct init {
    struct aw_session *session;
    size_t n;
    struct entry entries[ENTRIES_MAX];
};

/* ---- Is it right? ---- */

/* A link must be one that -l takes, or an alias of the file. */
static enum aw_status check_link(struct aw_session *scratch, const char *url)
{
    if (*url != '@')
        return aw_link_check(url, scratch->tool->sim, &scratch->err);
    if (aw_config_alias(scratch, url + 1))
        return AW_OK;
    return aw_fail(&scratch->err, AW_USAGE, "no alias '%.60s' — give it with %.60s=URL", url, url);
}

static enum aw_status check_links(struct aw_session *scratch)
{
    const struct aw_config *config = scratch->config;
    const char *usual = aw_option(scratch, "link");
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < config->n_aliases && status == AW_OK; i++)
        status = check_link(scratch, config->aliases[i].url);
    return status == AW_OK && usual ? check_link(scratch, usual) : status;
}

/* All entries so far, read as the config file would be, in a session that nobody uses. whole: they
 * are all there are, and must fit each other. */
static enum aw_status check(struct init *init, bool whole)
{
    struct aw_session *session = init->session, *scratch = aw_session_new(session->tool);
    enum aw_status status = AW_OK;
    if (!scratch)
        return aw_no_memory(&session->err);
    for (size_t i = 0; i < init->n && status == AW_OK; i++)
        status = aw_config_entry(scratch, init->entries[i].section, init->entries[i].key,
                                 init->entries[i].value);
    if (status == AW_OK)
        status = check_links(scratch);
    if (status == AW_OK && whole && session->tool->configured)
        status = session->tool->configured(scratch);
    session->err = scratch->err;
    aw_session_free(scratch);
    return status;
}

static bool has_control(const char *text)
{
    while (*text && !iscntrl((unsigned char)*text))
        text++;
    return *text;
}

/* What a joint is called has to be a word for commands and shells. */
static enum aw_status check_name(struct aw_session *session, const char *name, size_t length)
{
    static const char others[] = "_-.";
    bool good = length > 0;
    for (size_t i = 0; i < length; i++)
        good = good && (isalnum((unsigned char)name[i]) || strchr(others, name[i]) ||
                        (unsigned char)name[i] >= 0x80);
    return good ? AW_OK
                : aw_fail(&session->err, AW_USAGE,
                          "'%.*s' is no name — it has letters, digits, _, - and .",
                          (int)(length < 40 ? length : 40), name);
}

/* Adds it if it is right by itself. */
static enum aw_status add(struct init *init, const char *section, const char *key,
                          const char *value)
{
    struct entry *entry = &init->entries[init->n];
    struct aw_error *err = &init->session->err;
    if (init->n == ENTRIES_MAX)
        return aw_fail(err, AW_USAGE, "more than %d entries", ENTRIES_MAX);
    if (strlen(section) >= sizeof entry->section || strlen(key) >= sizeof entry->key ||
        strlen(value) >= sizeof entry->value)
        return aw_fail(err, AW_USAGE, "%.40s: too long for a line of the config file", key);
    if (strpbrk(value, ";") || strpbrk(section, "];") || strpbrk(key, "=:;") ||
        has_control(value) || has_control(section) || has_control(key))
        return aw_fail(err, AW_USAGE, "%.40s = %.80s: the config file has no way to write this",
                       key, value);
    snprintf(entry->section, sizeof entry->section, "%s", section);
    snprintf(entry->key, sizeof entry->key, "%s", key);
    snprintf(entry->value, sizeof entry->value, "%s", value);
    init->n++;
    enum aw_status status = check(init, false);
    init->n -= status != AW_OK;
    return status;
}

/* "joint elbow" of "joint NAME". */
static void section_of(const struct aw_config_section *section, const char *name, int length,
                       char *out, size_t size)
{
    snprintf(out, size, "%.*s%.*s", (int)strcspn(section->name, " ") + 1, section->name, length,
             name);
}

/* link=URL, retries=3: an option; @arm=URL: an alias; elbow.min=20: a key of [joint elbow]. */
static enum aw_status add_word(struct init *init, const char *word)
{
    const struct aw_tool *tool = init->session->tool;
    const char *equals = strchr(word, '='), *dot = equals ? strchr(word, '.') : NULL;
    char key[64], section[64] = "options";
    if (!equals || equals == word)
        return aw_fail(&init->session->err, AW_USAGE,
                       "'%.60s': give link=URL, OPTION=VALUE, @ALIAS=URL%s", word,
                       tool->sections ? " or NAME.KEY=VALUE" : "");
    bool named = dot && dot < equals && *word != '@';
    if (named && !tool->sections)
        return aw_fail(&init->session->err, AW_USAGE, "'%.60s': %s has no sections of names", word,
                       tool->name);
    if (named && check_name(init->session, word, (size_t)(dot - word)) != AW_OK)
        return AW_USAGE;
    const char *from = named ? dot + 1 : word + (*word == '@');
    snprintf(key, sizeof key, "%.*s", (int)(equals - from), from);
    if (named)
        section_of(tool->sections, word, (int)(dot - word), section, sizeof section);
    else if (*word == '@')
        snprintf(section, sizeof section, "link");
    return add(init, section, key, equals + 1);
}

/* ---- Asking ---- */

static const char *value_of(const struct init *init, const char *section, const char *key)
{
    for (size_t i = init->n; i-- > 0;)
        if (strcmp(init->entries[i].section, section) == 0 &&
            strcmp(init->entries[i].key, key) == 0)
            return init->entries[i].value;
    return NULL;
}

/* A line that is typed, without blanks around it. AW_END: no more comes. AW_EVENT: one question
 * back. */
static enum aw_status ask(struct init *init, char *answer, size_t size, const char *question,
                          const char *about)
{
    struct aw_session *session = init->session;
    aw_session_report(session, "%s%s%s%s: ", question, *about ? " (" : "", about,
                      *about ? ")" : "");
    enum aw_status status = aw_session_wait_input(session, STDIN_FILENO, AW_NEVER);
    ssize_t n = status == AW_OK ? aw_read_ready(STDIN_FILENO, answer, size - 1) : -1;
    if (status != AW_OK)
        return aw_fail(&session->err, status, "config init: stopped — nothing was written");
    if (n <= 0) {
        aw_session_report(session, "\n");
        return AW_END;
    }
    answer[n] = '\0';
    for (; n > 0 && strchr(" \t\r\n", answer[n - 1]); n--)
        answer[n - 1] = '\0';
    size_t blanks = strspn(answer, " \t");
    memmove(answer, answer + blanks, strlen(answer + blanks) + 1);
    return strcmp(answer, "<") == 0 ? AW_EVENT : AW_OK;
}

static void complain(struct init *init)
{
    aw_session_report(init->session, "  %s\n", init->session->err.text);
}

/* Until the answer is right or empty. */
static enum aw_status ask_key(struct init *init, const char *section, const char *key,
                              const char *question, const char *about, const char *example)
{
    char answer[256];
    for (;;) {
        enum aw_status status = ask(init, answer, sizeof answer, question, about);
        if (status == AW_OK && strcmp(answer, "?") == 0) {
            aw_session_report(init->session, "  for example %s; Enter leaves it out\n", example);
            continue;
        }
        if (status != AW_OK || !*answer || add(init, section, key, answer) == AW_OK)
            return status;
        complain(init);
    }
}

static bool is_asked(const struct init *init, const struct aw_config_section *table,
                     const char *section, const char *key)
{
    char name[32], other[32], value[32];
    if (!table->unless || sscanf(table->unless, "%31s %31[^=]=%31s", name, other, value) != 3 ||
        strcmp(name, key) != 0)
        return true;
    const char *said = value_of(init, section, other);
    return !said || strcmp(said, value) != 0;
}

/* The keys of one joint, one after the other, or one back. AW_EVENT: back behind the first. */
static enum aw_status ask_each(struct init *init, const struct aw_config_section *table,
                               const char *section)
{
    size_t marks[KEYS_MAX], asked = 0, at[KEYS_MAX];
    enum aw_status status = AW_OK;
    for (size_t k = 0; table->keys[k].name && status == AW_OK; k++) {
        const struct aw_config_key *key = &table->keys[k];
        char question[192];
        if (!is_asked(init, table, section, key->name) || asked == KEYS_MAX)
            continue;
        marks[asked] = init->n;
        at[asked++] = k;
        snprintf(question, sizeof question, "  %s — %s", key->name, key->help);
        status = ask_key(init, section, key->name, question, key->value, key->example);
        if (status != AW_EVENT || asked < 2)
            continue;
        asked -= 2;
        init->n = marks[asked];
        k = at[asked] -
            1; /* the loop goes on to it; before the first this wraps round, as it may */
        status = AW_OK;
    }
    return status;
}

/* All keys of one joint; again if they do not fit each other. What was said before the end of the
 * input stays if it is right. */
static enum aw_status ask_keys(struct init *init, const struct aw_config_section *table,
                               const char *section)
{
    size_t before = init->n;
    for (;;) {
        enum aw_status status = ask_each(init, table, section);
        if (status == AW_EVENT || status == AW_STOPPED) {
            init->n = before;
            return status;
        }
        if (check(init, true) == AW_OK)
            return status;
        complain(init);
        init->n = before;
        if (status == AW_END)
            return status;
    }
}

/* A link that cannot be opened now may be right all the same. */
static void try_link(struct init *init)
{
    struct aw_session *session = init->session;
    const char *url = value_of(init, "options", "link");
    struct aw_link_options options = {.clock = &session->time.real.base,
                                      .extra = session->tool->sim,
                                      .context = session,
                                      .protocol = session->tool->protocol};
    struct aw_link *link = NULL;
    struct aw_error why;
    if (!url || *url == '@')
        return;
    if (aw_link_open(&link, url, &options, &why) == AW_OK)
        aw_session_report(session, "  tried: it is there\n");
    else
        aw_session_report(session, "  tried, and kept: %s\n", why.text);
    aw_link_close(link);
}

static enum aw_status ask_link(struct init *init)
{
    char question[192];
    snprintf(question, sizeof question, "link — the device, as -l takes it; '%s list' shows some",
             init->session->tool->name);
    enum aw_status status =
        ask_key(init, "options", "link", question, "Enter: none", "sim: or /dev/ttyUSB0");
    if (status == AW_OK)
        try_link(init);
    return status;
}

static enum aw_status ask_all(struct init *init)
{
    const struct aw_config_section *table = init->session->tool->sections;
    char question[192], name[64], section[80];
    aw_session_report(init->session,
                      "Enter leaves out, ? explains, < goes back, Ctrl-D writes what was "
                      "said so far.\n");
    enum aw_status status = ask_link(init);
    while ((status == AW_OK || status == AW_EVENT) && table && table->name) {
        snprintf(question, sizeof question, "NAME of a [%s]", table->name);
        status = ask(init, name, sizeof name, question, "Enter: no more");
        if (status == AW_EVENT && init->n <= 1) {
            init->n = 0;
            status = ask_link(init);
            continue;
        }
        if (status != AW_OK || !*name)
            break;
        if (check_name(init->session, name, strlen(name)) != AW_OK) {
            complain(init);
            continue;
        }
        section_of(table, name, (int)strlen(name), section, sizeof section);
        status = ask_keys(init, table, section);
    }
    if (status == AW_EVENT)
        status = AW_OK;
    return status != AW_END ? status
           : init->n > 0    ? AW_OK
                            : aw_fail(&init->session->err, AW_USAGE,
                                      "config init: ended before anything was said — nothing was "
                                         "written");
}

/* ---- Writing ---- */

/* Of a section without keys of its own: one line each, or an example. */
static void write_plain(const struct init *init, FILE *file, const char *section,
                        const char *example)
{
    size_t written = 0;
    for (size_t i = 0; i < init->n; i++)
        if (strcmp(init->entries[i].section, section) == 0)
            written += fprintf(file, "%s = %s\n", init->entries[i].key, init->entries[i].value) > 0;
    if (written == 0)
        fprintf(file, "# %s\n", example);
}

static void write_section(const struct init *init, FILE *file,
                          const struct aw_config_section *table, const char *section, bool example)
{
    const char *mark = example ? "# " : "";
    fprintf(file, "\n%s[%s]\n", mark, section);
    for (const struct aw_config_key *key = table->keys; key->name; key++) {
        const char *value = value_of(init, section, key->name);
        fprintf(file, "# %s (%s)\n", key->help, key->value);
        fprintf(file, "%s%s = %s\n", value ? "" : "# ", key->name, value ? value : key->example);
    }
}

static void write_text(const struct init *init, FILE *file)
{
    const struct aw_tool *tool = init->session->tool;
    const struct aw_config_section *table = tool->sections;
    bool any = false;
    fprintf(file,
            "# Config file of %s. 'help config', 'help options' and man 5 armwire explain it,\n"
            "# '%s config show' says what holds.\n\n[link]\n# Aliases: -l @NAME\n",
            tool->name, tool->name);
    write_plain(init, file, "link", "desk = sim:");
    fprintf(file, "\n[options]\n# Any option by its long name; link is the usual device.\n");
    write_plain(init, file, "options", "link = @desk");
    if (!table || !table->name)
        return;
    fprintf(file, "\n# %s\n", table->help);
    for (size_t i = 0; i < init->n; i++) {
        const char *section = init->entries[i].section;
        bool first = strchr(section, ' ') != NULL;
        for (size_t k = 0; k < i; k++)
            first = first && strcmp(init->entries[k].section, section) != 0;
        if (first)
            write_section(init, file, table, section, false);
        any = any || first;
    }
    char section[80];
    section_of(table, table->instance, (int)strlen(table->instance), section, sizeof section);
    if (!any)
        write_section(init, file, table, section, true);
}

/* A file that is there is not replaced without a yes. */
static enum aw_status save(struct init *init, char *text, size_t size)
{
    struct aw_session *session = init->session;
    const char *path = session->config->path;
    char question[640];
    if (aw_flag(session, "dry-run")) {
        for (char *line = strsep(&text, "\n"); text; line = strsep(&text, "\n"))
            if (*line || aw_session_text(session)) /* a row has a value */
                aw_session_row_text(session, "line", line);
        return AW_OK;
    }
    if (!*path)
        return aw_fail(&session->err, AW_USAGE, "config init: no home — name a file with --config");
    snprintf(question, sizeof question, "%s is there — replace it?", path);
    if (access(path, F_OK) == 0 && !aw_session_agrees(session, question))
        return aw_fail(&session->err, AW_USAGE, "%.200s is there — --yes replaces it", path);
    aw_file_make_folders(path, 0700);
    enum aw_status status = aw_file_write(path, text, size, &session->err);
    if (status != AW_OK)
        return status;
    aw_object_start(&session->result, "config");
    aw_object_text(&session->result, "result", "written");
    aw_object_text(&session->result, "path", path);
    return AW_OK;
}

static enum aw_status write_all(struct init *init)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return aw_no_memory(&init->session->err);
    write_text(init, file);
    bool failed = ferror(file) | (fclose(file) != 0);
    enum aw_status status =
        failed || !text ? aw_no_memory(&init->session->err) : save(init, text, size);
    free(text);
    return status;
}

enum aw_status aw_config_init(struct aw_session *session, const struct aw_args *args)
{
    struct init *init = calloc(1, sizeof *init);
    enum aw_status status = AW_OK;
    if (!init)
        return aw_no_memory(&session->err);
    init->session = session;
    const struct aw_option_value *link = aw_options_find(&session->options, "link");
    if (link->origin == AW_FROM_COMMAND_LINE && *link->text != '@')
        status = add(init, "options", "link", link->text);
    bool asks = isatty(STDIN_FILENO) && !aw_flag(session, "no-input") && args->n == 1 &&
                link->origin != AW_FROM_COMMAND_LINE;
    if (asks)
        status = ask_all(init);
    /* Aliases first, which links may name. */
    for (int aliases = 1; aliases >= 0; aliases--)
        for (size_t i = 1; i < args->n && status == AW_OK; i++)
            if ((*args->bound[i].text == '@') == aliases)
                status = add_word(init, args->bound[i].text);
    if (status == AW_OK)
        status = check(init, true);
    if (status == AW_OK)
        status = write_all(init);
    free(init);
    return status;
}
