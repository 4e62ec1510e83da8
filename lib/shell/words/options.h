/* Option values and their sources: defaults, config file, environment, command line. Later sources
 * override earlier ones. */
#ifndef AW_SHELL_WORDS_OPTIONS_H
#define AW_SHELL_WORDS_OPTIONS_H

#include <assert.h>
#include <math.h>

#include "shell/words/tool.h"
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

/* Options of the link and its recordings. Times in s. */
struct aw_options_link {
    const char *url, *record, *config, *packets, *dbc;
    const char *dir;             /* direction of the messages in a file: tx or rx */
    const char *listen;          /* address for serve and sim */
    double timeout_s, deadman_s; /* NAN: no timeout, or no deadman time given */
    bool take_over, no_attach, lenient;
    int64_t port; /* port of the device in a capture; 0: the default */
};

/* Options of the output. */
struct aw_options_print {
    const char *fields, *format;
    int time;  /* index of the choice; -1: not given */
    int color; /* index of the choice */
    bool json, csv, raw, verbose, quiet, help, help_all, version;
};

/* Options that control how a command runs and when it ends. */
struct aw_options_run {
    bool dry_run, yes, no_input, force, hold, keep_going;
    int64_t count; /* 0: no limit */
    double for_s;  /* 0: no limit */
};

/* Options of joint motion. Strings are in the joint's unit. Numbers are 0 if not given. */
struct aw_options_move {
    const char *max_jump, *approach, *max_lag, *max_speed, *max_deviation, *wait;
    double max_speed_value; /* value of --max-speed if it is a single number for all joints */
    double speed, rate;
    double kp; /* NAN: not given */
    bool fit, loop;
};

#define AW_OPTIONS_BLOCK 512

/* Plain data, copied to save and restore the options around one command. */
struct aw_options {
    size_t n;
    struct aw_option_value values[AW_OPTIONS_MAX];
    /* Options shared by all tools. */
    struct aw_options_link link;
    struct aw_options_print print;
    struct aw_options_run run;
    struct aw_options_move move;
    /* Blocks of the tool and of the command. */
    _Alignas(8) unsigned char tool[AW_OPTIONS_BLOCK];
    _Alignas(8) unsigned char command[AW_OPTIONS_BLOCK];
};

/* Options of every tool. */
extern const struct aw_option aw_global_options[];

/* Returns the name of the option for this style; NULL for text style. */
const char *aw_style_option(enum aw_style style);

/* Defines the function name(session), which returns the options of the running command or of the
 * tool. */
#define AW_GIVEN(home, block, name)                                                                \
    static inline const struct block *name(const struct aw_session *session)                       \
    {                                                                                              \
        static_assert(sizeof(struct block) <= AW_OPTIONS_BLOCK, "more room for options");          \
        return (const void *)session->options.home;                                                \
    }

/* Marks all options of a tool, including the shared ones, as not given. */
void aw_options_begin(struct aw_options *options, const struct aw_tool *tool);

/* Adds a table of options with their defaults. An option set by the enclosing line keeps its value:
 * run FILE --approach 10deg/s applies to all lines of the file. */
void aw_options_add(struct aw_options *options, const struct aw_option *table);

/* Adds the options of a command to an empty block. --fields and --format in the config file apply
 * only to commands that use messages or devices. */
void aw_options_add_command(struct aw_options *options, const struct aw_command *command);

/* Resets an option to its default. */
void aw_options_reset(struct aw_options *options, struct aw_option_value *value);

struct aw_option_value *aw_options_find(struct aw_options *options, const char *name);
struct aw_option_value *aw_options_find_letter(struct aw_options *options, char letter);

/* Fails with "unknown option '--jsno' — did you mean '--json'?", or with the advice. */
enum aw_status aw_fail_unknown_option(const struct aw_options *options, const char *name,
                                      const char *advice, struct aw_error *err);

/* Checks and sets a value, unless a source of higher rank has set one. The string is not copied. */
enum aw_status aw_options_set(struct aw_options *options, const char *name, const char *text,
                              enum aw_origin origin, struct aw_error *err);

/* Reads NAME_OPTION for every option from the environment, for instance ARMCTL_LINK. An empty
 * variable counts as unset. */
enum aw_status aw_options_from_environment(struct aw_options *options, const char *tool,
                                           struct aw_error *err);

/* Writes the help text with the default: "rate of requests (default: 50)". */
void aw_write_option_help(const struct aw_tool *tool, const struct aw_option *option, char *out,
                          size_t size);

/* Returns the default, or NULL. The default of --max-lag comes from the tool. */
const char *aw_option_default(const struct aw_tool *tool, const struct aw_option *option);

/* Appends the option's value for help: " VALUE", "[=VALUE]", or nothing. */
void aw_append_option_value(const struct aw_option *option, char *out, size_t size);

/* Rules for a number: its unit ("" or NULL: none), and its range unless both ends are 0. */
struct aw_number_rule {
    const char *unit;
    double min, max;
    bool is_integer;
};

/* Returns an optional value, or the default if it is NaN. */
static inline double aw_number_or(double value, double fallback)
{
    return isnan(value) ? fallback : value;
}

/* Parses a number and checks it against a rule. Error messages (AW_USAGE, AW_LIMIT) begin with
 * subject, followed by separator: "--for" and ":" give "--for: 5 s is out of range …"; "move:
 * joint" and "" give "move: joint 9 is out of range …". */
enum aw_status aw_check_number(const char *subject, const char *separator, const char *text,
                               const struct aw_number_rule *rule, double *value,
                               struct aw_error *err);

/* Fails with AW_USAGE: "--color: unknown value 'nver' — did you mean 'never'?", where problem is
 * "--color: unknown value". choices is NULL-terminated. */
enum aw_status aw_fail_unknown_choice(const char *problem, const char *text,
                                      const char *const *choices, struct aw_error *err);

/* Writes the environment variable of an option: "ARMCTL_ACK_TIMEOUT" for ack-timeout. */
void aw_write_option_variable(const char *tool, const char *option, char *out, size_t size);

#endif
