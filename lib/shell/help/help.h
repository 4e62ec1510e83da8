/* Help generated from the tables: examples first. */
#ifndef AW_SHELL_HELP_HELP_H
#define AW_SHELL_HELP_HELP_H

#include "shell/session/session.h"

/* Prints the help of a command; NULL: a short page, or with --help-all a page with all options and
 * links. Returns AW_OK. */
enum aw_status aw_print_help(struct aw_session *session, const struct aw_command *command);

/* Prints help as one JSON object, for programs. It describes the command, else the topic, else
 * (both NULL) the whole tool: options, commands, messages. The topic records describes its members.
 * AW_NO_MEMORY: out of memory. */
struct aw_topic;
enum aw_status aw_print_help_json(struct aw_session *session, const struct aw_command *command,
                                  const struct aw_topic *topic);

/* Prints the man page of the tool, in man(7) macros. */
void aw_print_man_page(struct aw_session *session);

/* Calls fn with the context and each example of a command, as the user types it: "armctl deg 1
 * 90". */
typedef void aw_example_fn(void *context, const char *line);
void aw_each_example(const struct aw_tool *tool, const struct aw_command *command,
                     aw_example_fn *fn, void *context);

extern const struct aw_command aw_help_command, aw_question_command;

#endif
