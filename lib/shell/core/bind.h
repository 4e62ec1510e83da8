/* From words to a command with its arguments and options. */
#ifndef AW_SHELL_CORE_BIND_H
#define AW_SHELL_CORE_BIND_H

#include "shell/core/session.h"

/* What stands in the words: options are set in session->options (for this command), the rest is
 * bound to the table of the command. command is NULL if there was none. AW_USAGE otherwise; *bad is
 * the index of the word that is wrong, words->n if something is missing. */
enum aw_status aw_bind(struct aw_session *session, const struct aw_words *words,
                       struct aw_args *args, size_t *bad);

/* Sets the option that words->word[*at] is; *at becomes the last word that belongs to it. */
enum aw_status aw_bind_option(struct aw_session *session, const struct aw_words *words, size_t *at);

/* A record with wire numbers ("raw":true), in place, as the record that means the same. AW_USAGE or
 * AW_LIMIT if it is no message that the wire can carry; no message of this name: left as it is. */
enum aw_status aw_words_from_raw(struct aw_session *session, struct aw_words *words);

/* Is this word an option and not a negative number? */
bool aw_is_option(const char *word);

/* --name, --name=value, -n, -nvalue: the option, or NULL, and what is attached to it, or NULL. */
struct aw_option_value *aw_option_word(struct aw_options *options, const char *word,
                                       const char **attached);

/* "deg JOINT ANGLE [JOINT ANGLE …]" */
void aw_usage_line(const struct aw_command *command, char *out, size_t size);

/* Does the argument go with this choice of the first one? See aw_arg.with. */
bool aw_arg_goes(const struct aw_arg *arg, const char *choice);

/* Does name=value mean this argument, by its name or by the other one that the wire table has for
 * its field? The name are the first length bytes of word. */
bool aw_arg_is_called(struct aw_session *session, const struct aw_arg *arg, const char *word,
                      size_t length);

/* Help, unit and range of an argument, from its own row or from the wire table. */
struct aw_arg_info {
    const char *help, *unit;
    const char *alias; /* the other name that name=value may have; or NULL */
    const struct aw_name *names;
    double min, max; /* both 0: no range to show */
};
struct aw_arg_info aw_arg_info(struct aw_session *session, const struct aw_arg *arg);

/* Writes "-40 to 100 mm" to out; "" if the range does not help a person: no range, the range of the
 * number's type, or names for all values. */
const char *aw_range_text(const struct aw_arg_info *info, char *out, size_t size);

/* What help says of it: "the angle, 0 to 180 deg", "how long, in s". */
const char *aw_info_text(const struct aw_arg_info *info, char *out, size_t size);

/* Fails with "no command 'dge' — did you mean 'deg'?". */
enum aw_status aw_unknown_command(struct aw_session *session, const char *word);

#endif
