/* The topics of help: the files in lib/shell/help/topics, shared by help, manual pages and docs,
 * plus tables of the tool. */
#ifndef AW_SHELL_HELP_TOPICS_H
#define AW_SHELL_HELP_TOPICS_H

#include "shell/help/page.h"

struct aw_topic {
    const char *name;
    const char *text; /* Markdown; its first line is "# name — summary" */
};

extern const struct aw_topic aw_topics[]; /* {0}-terminated */

const struct aw_topic *aw_find_topic(const char *name); /* Returns NULL if not found. */

/* Writes the part of the first line after the "—" to out, which has 128 bytes, and returns out. */
const char *aw_write_topic_summary(const struct aw_topic *topic, char *out);

/* Copies the second column of the row named key to out, truncated to size - 1 characters, and
 * returns out; "" if there is no such row. Prefers rows for this tool over the rows of the section
 * Experiments. */
const char *aw_find_topic_row(const struct aw_topic *topic, const char *tool, const char *key,
                              char *out, size_t size);

/* Returns true if the topic about results lists this key for this command. */
bool aw_topic_has_key(const char *tool, const char *command, const char *key);

/* Shows a topic for this tool: skips sections of other tools, adds its own tables. */
void aw_show_topic(struct aw_page *page, const struct aw_topic *topic);

/* Shows only this tool's tables: its options, links, fields and config keys. */
void aw_show_topic_tables(struct aw_page *page, const struct aw_topic *topic);

/* Completes the names of topics, except those that are also names of commands. */
aw_complete_fn aw_complete_topics;

/* Prints rows of options under a title; nothing for an empty table. */
void aw_page_add_options(struct aw_page *page, const char *title, const struct aw_option *table);

/* Prints those options that the config file accepts, as keys of [options]. Prints nothing for an
 * empty table. */
void aw_page_add_option_keys(struct aw_page *page, const char *title,
                             const struct aw_option *table);

#endif
