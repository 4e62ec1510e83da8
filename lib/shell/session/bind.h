/* Parses tokens into a command with its arguments and options. */
#ifndef AW_SHELL_SESSION_BIND_H
#define AW_SHELL_SESSION_BIND_H

#include "shell/session/session.h"

/* Parses the tokens: sets options in session->options for this command, and binds the other tokens
 * by the command's table. args->command is NULL if the tokens have no command. On failure
 * *bad_token is the index of the wrong token, or tokens->n if something is missing. */
enum aw_status aw_bind(struct aw_session *session, const struct aw_tokens *tokens,
                       struct aw_args *args, size_t *bad_token);

/* Sets the option in tokens->token[*at]; advances *at to the option's last token. command: NULL if
 * the option stands before the command. */
enum aw_status aw_bind_option(struct aw_session *session, const struct aw_command *command,
                              const struct aw_tokens *tokens, size_t *at);

/* Converts a record with wire numbers ("raw":true) in place to the normal form. AW_USAGE or
 * AW_LIMIT if the wire cannot carry the message; leaves unknown messages unchanged. */
enum aw_status aw_tokens_from_raw(struct aw_session *session, struct aw_tokens *tokens);

/* Returns true for an option, false for a negative number. */
bool aw_is_option(const char *token);

/* Finds the option of --name, --name=value, -n or -nvalue; NULL: unknown. *attached is the attached
 * value, or NULL. */
struct aw_option_value *aw_option_of_token(struct aw_options *options, const char *token,
                                           const char **attached);

/* Writes the usage line: "deg JOINT ANGLE [JOINT ANGLE …]". */
void aw_write_usage(const struct aw_command *command, char *out, size_t size);

/* Returns true if the argument is valid for this choice of the first argument. See aw_arg.with. */
bool aw_arg_fits(const struct aw_arg *arg, const char *choice);

/* Returns true if name=value sets this argument, by its name or by its field's alias in the wire
 * table. The name is the first length bytes of token. */
bool aw_arg_matches(struct aw_session *session, const struct aw_arg *arg, const char *token,
                    size_t length);

/* Help, unit and range of an argument, from its row or from the wire table. */
struct aw_arg_info {
    const char *help, *unit;
    const char *alias; /* the alias that name=value accepts; or NULL */
    const struct aw_name *names;
    double min, max; /* both 0: no range to display */
};
struct aw_arg_info aw_arg_info(struct aw_session *session, const struct aw_arg *arg);

/* Writes "-40 to 100 mm" to out; "" if the range is not worth showing: no range, the
 * range of the number's type, or all values have names. */
const char *aw_write_range(const struct aw_arg_info *info, char *out, size_t size);

/* Writes the help text: "target angle (0 to 180 deg)", "duration (s)". */
const char *aw_write_arg_help(const struct aw_arg_info *info, char *out, size_t size);

/* Fails with "unknown command 'dge' — did you mean 'deg'?". */
enum aw_status aw_fail_unknown_command(struct aw_session *session, const char *token);

#endif
