/* The topics of help: texts of lib/shell/help/topics, the same in help, manual pages and docs, with
 * what the tables of a tool add to them. */
#ifndef AW_SHELL_HELP_TOPICS_H
#define AW_SHELL_HELP_TOPICS_H

#include "shell/help/page.h"

struct aw_topic {
    const char *name;
    const char *text; /* Markdown; its first line is "# name — summary" */
};

extern const struct aw_topic aw_topics[]; /* {0}-terminated */

const struct aw_topic *aw_topic_find(const char *name); /* or NULL */

/* What stands behind the — of the first line; size of out: 128. */
const char *aw_topic_summary(const struct aw_topic *topic, char *out);

/* The right side of the row about this word, in what the topic says about the tool, or about
 * experiments of every tool; "" if it says nothing. */
const char *aw_topic_row(const struct aw_topic *topic, const char *tool, const char *word,
                         char *out, size_t size);

/* May the result of this command have this key, as far as the topic about results says? */
bool aw_topic_has_key(const char *tool, const char *command, const char *key);

/* As this tool has it: what is about others is left out, what its tables say is added. */
void aw_topic_show(struct aw_page *page, const struct aw_topic *topic);

/* What only this tool's tables say: its options, its links, its fields, its keys of the config. */
void aw_topic_tables(struct aw_page *page, const struct aw_topic *topic);

/* Names of topics, for completion. */
aw_complete_fn aw_complete_topics;

/* Rows of options under a title; nothing for an empty table. */
void aw_page_options(struct aw_page *page, const char *title, const struct aw_option *table);

/* The same options as keys of [options] of the config file. */
void aw_page_option_keys(struct aw_page *page, const char *title, const struct aw_option *table);

#endif
