/* Option values and where they came from: defaults, config file, environment, command line, in this
 * order of rank.
 */
#ifndef AW_SHELL_CORE_OPTIONS_H
#define AW_SHELL_CORE_OPTIONS_H

#include "shell/core/tool.h"
#include "view/text/view.h"

#define AW_OPTIONS_MAX 64

enum aw_origin {
    AW_FROM_DEFAULT,
    AW_FROM_CONFIG,
    AW_FROM_ENVIRONMENT,
    AW_FROM_COMMAND_LINE,
};

struct aw_option_value {
    const struct aw_option *option;
    const char *text; /* NULL: not set; not owned */
    enum aw_origin origin;
};

/* Plain data, copied to remember and restore it around one command. */
struct aw_options {
    size_t n;
    struct aw_option_value values[AW_OPTIONS_MAX];
};

/* The options that every tool has. */
extern const struct aw_option aw_global_options[];

/* The name of the option that asks for this style; NULL: none, for text. */
const char *aw_option_of_style(enum aw_style style);

/* Adds a table of options with their defaults; one that the line around it has set has its value:
 * run FILE --approach 10deg/s is said for all lines of the file. */
void aw_options_add(struct aw_options *options, const struct aw_option *table);

struct aw_option_value *aw_options_find(struct aw_options *options, const char *name);
struct aw_option_value *aw_options_find_letter(struct aw_options *options, char letter);

/* Checks and sets a value unless one of higher rank is there. The text is not copied. */
enum aw_status aw_options_set(struct aw_options *options, const char *name, const char *text,
                              enum aw_origin origin, struct aw_error *err);

/* Takes NAME_OPTION for every option from the environment, for instance ARMCTL_LINK. An empty one
 * is unset. */
enum aw_status aw_options_from_environment(struct aw_options *options, const char *tool,
                                           struct aw_error *err);

/* Appends what the option takes, for help: " VALUE", "[=VALUE]", or nothing. */
void aw_option_value_text(const struct aw_option *option, char *out, size_t size);

/* A number in a unit ("" or NULL: a bare one), in a range if not both ends are 0. */
struct aw_number_rule {
    const char *unit;
    double min, max;
    bool whole;
};

/* Reads one. AW_USAGE or AW_LIMIT says what it is about: "--for: …", or with colon "" and what
 * "move: joint": "move: joint 9 is outside …". */
enum aw_status aw_number_check(const char *what, const char *colon, const char *text,
                               const struct aw_number_rule *rule, double *value,
                               struct aw_error *err);

/* AW_USAGE: "--color: no 'nver' — did you mean 'never'?", what being "--color: no". choices end
 * with NULL. */
enum aw_status aw_choice_unknown(const char *what, const char *text, const char *const *choices,
                                 struct aw_error *err);

/* "ARMCTL_ACK_TIMEOUT" for ack-timeout. */
void aw_option_variable(const char *tool, const char *option, char *out, size_t size);

#endif
