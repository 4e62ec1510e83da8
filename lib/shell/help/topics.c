/* Finds the topics of help and adds the tool's tables to them. */
#include "shell/help/topics.h"

#include <stdio.h>
#include <string.h>

#include "link/open.h"
#include "shell/session/bind.h"
#include "shell/session/config.h"
#include "topics.inc"

const struct aw_topic *aw_find_topic(const char *name)
{
    for (const struct aw_topic *topic = aw_topics; topic->name; topic++)
        if (strcmp(topic->name, name) == 0)
            return topic;
    return NULL;
}

const char *aw_write_topic_summary(const struct aw_topic *topic, char *out)
{
    static const char dash[] = " — ";
    const char *start = strstr(topic->text, dash);
    start = start ? start + sizeof dash - 1 : "";
    snprintf(out, 128, "%.*s", (int)strcspn(start, "\n"), start);
    return out;
}

static void find_row(const struct aw_topic *topic, const char *section, const char *word, char *out,
                     size_t size)
{
    char heading[64];
    size_t length = strlen(word);
    snprintf(heading, sizeof heading, "\n## %s\n", section);
    const char *row = strstr(topic->text, heading), *end = row ? strstr(row + 1, "\n## ") : NULL;
    while (row && (row = strstr(row, "\n| ")) != NULL && (!end || row < end)) {
        const char *bar = strstr(row += 3, " | ");
        for (const char *at = row; bar && at < bar; at += strcspn(at, ",|") + 2) {
            size_t word_length = strcspn(at, ", |");
            if (word_length == length && memcmp(at, word, length) == 0)
                snprintf(out, size, "%.*s", (int)strcspn(bar + 3, "|\n") - 1, bar + 3);
        }
    }
}

const char *aw_find_topic_row(const struct aw_topic *topic, const char *tool, const char *key,
                              char *out, size_t size)
{
    *out = '\0';
    find_row(topic, tool, key, out, size);
    if (!*out)
        find_row(topic, "Experiments", key, out, size);
    return out;
}

/* Matches whole names only: "m1.target" does not match "m1". */
static bool has_word(const char *text, size_t size, const char *word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";
    size_t length = strlen(word), n;
    for (size_t at = 0; at < size; at += n ? n : 1) {
        n = strspn(text + at, letters);
        size_t dots = n && text[at + n - 1] == '.' ? 1 : 0; /* the end of a sentence */
        if (n - dots == length && length && memcmp(text + at, word, length) == 0)
            return true;
    }
    return false;
}

bool aw_topic_has_key(const char *tool, const char *command, const char *key)
{
    const struct aw_topic *topic = aw_find_topic("results");
    const char *end = strstr(topic->text, "\n## "), *row = topic->text;
    char line[1024];
    while ((row = strstr(row, "\n| ")) != NULL && row < end) {
        const char *bar = strstr(row += 3, " | ");
        if (has_word(row, (size_t)(bar - row), key))
            return true;
    }
    aw_find_topic_row(topic, tool, command, line, sizeof line);
    return has_word(line, strlen(line), key);
}

void aw_complete_topics(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    for (const struct aw_topic *topic = aw_topics; topic->name; topic++) {
        char summary[128];
        if (!aw_find_command(session->tool, topic->name)) /* already offered as a command */
            add(context, topic->name, aw_write_topic_summary(topic, summary));
    }
}

void aw_page_add_options(struct aw_page *page, const char *title, const struct aw_option *table)
{
    if (!table || !table->name)
        return;
    aw_page_add_heading(page, title);
    for (const struct aw_option *o = table; o->name; o++) {
        char left[96], right[256], letter[8] = "    ";
        if (o->letter)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        else if (page->form != AW_PAGE_TEXT)
            *letter = '\0';
        snprintf(left, sizeof left, "%s--%s", letter, o->name);
        aw_append_option_value(o, left, sizeof left);
        aw_write_option_help(page->session->tool, o, right, sizeof right);
        aw_page_add_row(page, left, right);
    }
}

static void print_options(struct aw_page *page)
{
    const struct aw_tool *tool = page->session->tool;
    aw_page_add_options(page, tool->name, tool->options);
    aw_page_add_options(page, "Every tool", aw_global_options);
}

static void print_links(struct aw_page *page)
{
    const struct aw_transport *sim = page->session->tool->device.sim;
    if (sim)
        aw_page_add_row(page, sim->usage, sim->help);
    for (const struct aw_transport *t = aw_link_transports(); t->scheme; t++)
        aw_page_add_row(page, t->usage, t->help);
    aw_page_add_row(page, "@NAME", "an alias from the config file");
}

static void print_field(struct aw_page *page, const struct aw_codec *codec, int scalar)
{
    char left[96], right[256], name[64];
    const struct aw_field *field = codec->scalars[scalar].field;
    struct aw_range range = aw_scalar_range(codec, scalar, NULL);
    struct aw_arg_info info = {.help = field->help,
                               .unit = range.unit,
                               .names = field->names,
                               .min = range.min,
                               .max = range.max};
    aw_scalar_name(&codec->scalars[scalar], name, sizeof name);
    snprintf(left, sizeof left, "%s.%s", codec->message->name, name);
    aw_page_add_row(page, left, aw_write_arg_help(&info, right, sizeof right));
}

/* Lists only fields that the device sends, because users watch only those. */
static void print_fields(struct aw_page *page)
{
    aw_page_add_heading(page, "Fields that the device sends");
    for (struct aw_walk at = {0}; aw_walk_next(&at, page->session->wire, AW_RX);)
        print_field(page, at.codec, at.scalar);
}

void aw_page_add_option_keys(struct aw_page *page, const char *title, const struct aw_option *table)
{
    char left[128], right[256];
    if (!table || !table->name)
        return;
    aw_page_add_heading(page, title);
    for (const struct aw_option *o = table; o->name; o++) {
        if (!aw_config_allows(o->name))
            continue;
        snprintf(left, sizeof left, "%s = %s", o->name,
                 o->value     ? o->value
                 : o->choices ? o->choices[0]
                              : "yes");
        aw_write_option_help(page->session->tool, o, right, sizeof right);
        aw_page_add_row(page, left, right);
    }
}

static void print_config(struct aw_page *page)
{
    const struct aw_tool *tool = page->session->tool;
    char title[64];
    snprintf(title, sizeof title, "%s: [options]", tool->name);
    if (page->form != AW_PAGE_MARKDOWN) /* 'help options' prints them */
        aw_page_add_option_keys(page, title, tool->options);
    for (const struct aw_config_section *s = tool->state.sections; s && s->name; s++) {
        char text[160];
        snprintf(text, sizeof text, "%s: [%s]", tool->name, s->name);
        aw_page_add_heading(page, text);
        aw_page_add_text(page, s->help);
        for (const struct aw_config_key *key = s->keys; key->name; key++) {
            snprintf(text, sizeof text, "%s = %s", key->name, key->value);
            aw_page_add_row(page, text, key->help);
        }
        if (page->form == AW_PAGE_MARKDOWN) /* 'config example' prints it */
            continue;
        snprintf(text, sizeof text, s->instance ? "[%.*s%s]" : "[%.*s]",
                 (int)(s->instance ? strcspn(s->name, " ") + 1 : strlen(s->name)), s->name,
                 s->instance);
        aw_page_add_code(page, text);
        for (const struct aw_config_key *key = s->keys; key->name; key++) {
            snprintf(text, sizeof text, "%s = %s", key->name, key->example);
            aw_page_add_code(page, text);
        }
    }
}

void aw_show_topic_tables(struct aw_page *page, const struct aw_topic *topic)
{
    static const struct {
        const char *name;
        void (*write)(struct aw_page *page);
    } tables[] = {{"options", print_options},
                  {"links", print_links},
                  {"fields", print_fields},
                  {"config", print_config}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(tables[i].name, topic->name) == 0)
            tables[i].write(page);
}

void aw_show_topic(struct aw_page *page, const struct aw_topic *topic)
{
    aw_page_add_markdown(page, topic->text, page->session->tool->name);
    aw_show_topic_tables(page, topic);
}
