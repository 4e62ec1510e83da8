/* Binds tokens to a command's arguments and options, with units, limits and suggestions. */
#include "shell/session/bind.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"

struct binder {
    struct aw_session *session;
    const struct aw_tokens *tokens;
    struct aw_args *args;
    size_t at;   /* index of the current token */
    size_t next; /* the argument for the next token without a name */
    size_t repetition;
    bool only_arguments; /* after -- */
};

bool aw_is_option(const char *token)
{
    return token[0] == '-' && token[1] && !isdigit((unsigned char)token[1]) && token[1] != '.';
}

static size_t count_args(const struct aw_command *command)
{
    size_t n = 0;
    while (command->args && command->args[n].name)
        n++;
    return n;
}

static const char *find_chosen_action(const struct aw_args *args)
{
    const struct aw_arg *first = args->command->args;
    const char *text = NULL;
    for (size_t i = 0; i < args->n && !text; i++)
        if (args->bound[i].arg == first)
            text = args->bound[i].text;
    return text || !first || !first->choices ? text : first->choices[0];
}

bool aw_arg_fits(const struct aw_arg *arg, const char *choice)
{
    const char *const *with = arg->with;
    while (with && *with && !(choice && strcasecmp(*with, choice) == 0))
        with++;
    return !with || *with;
}

/* Appends the usage of the arguments. choice: value of the first argument, or NULL. */
static void add_usage_args(const struct aw_command *command, const char *choice, char *out,
                           size_t size)
{
    for (const struct aw_arg *arg = command->args; arg && arg->name && strlen(out) + 48 < size;
         arg++) {
        char name[32], *end = name;
        if (choice && arg == command->args)
            aw_append(out, size, "", " %.24s", choice);
        if (choice && (arg == command->args || !aw_arg_fits(arg, choice)))
            continue;
        for (const char *c = arg->name; *c && end < name + sizeof name - 8; c++)
            *end++ = (char)toupper((unsigned char)*c);
        bool pairs = arg->kind == AW_ARG_PAIRS;
        strcpy(end, pairs ? "=VALUE" : "");
        aw_append(out, size, "", arg->optional ? " [%s%s]" : " %s%s", name,
                  pairs || arg->kind == AW_ARG_REST ? "…" : "");
    }
}

void aw_write_usage(const struct aw_command *command, char *out, size_t size)
{
    snprintf(out, size, "%s", command->name);
    add_usage_args(command, NULL, out, size);
    size_t used = strlen(out);
    if (command->repeats && command->args->optional && count_args(command) == 1)
        memcpy(out + used - 1, "…]", sizeof "…]");
    else if (command->repeats && used + 64 < size) {
        char again[128] = "";
        add_usage_args(command, NULL, again, sizeof again);
        snprintf(out + used, size - used, " [%s …]", again + 1);
    }
}

/* The row of the wire table for "message.field". */
struct wire_field {
    const struct aw_field *row;
    const char *alias;
    struct aw_range range;
};

static struct wire_field find_wire_field(struct aw_session *session, const struct aw_arg *arg)
{
    char message[32];
    const char *dot = strchr(arg->field, '.');
    snprintf(message, sizeof message, "%.*s", (int)(dot - arg->field), arg->field);
    const struct aw_codec *codec = aw_wire_codec(session->wire, message, AW_TX);
    int scalar = aw_codec_find(codec, dot + 1);
    const struct aw_scalar *at = &codec->scalars[scalar];
    return (struct wire_field){at->field, at->label ? at->alias : at->field->alias,
                               aw_scalar_range(codec, scalar, NULL)};
}

struct aw_arg_info aw_arg_info(struct aw_session *session, const struct aw_arg *arg)
{
    struct aw_arg_info info = {arg->help, arg->unit, NULL, NULL, arg->min, arg->max};
    if (!arg->field)
        return info;
    struct wire_field field = find_wire_field(session, arg);
    bool has_range = arg->min != 0 || arg->max != 0;
    info.help = arg->help ? arg->help : field.row->help;
    info.unit = field.range.unit;
    info.alias = field.alias;
    info.names = field.row->names;
    info.min = has_range ? arg->min : field.range.min;
    info.max = has_range ? arg->max : field.range.max;
    return info;
}

#define MAX_LIMIT 1e30 /* a limit larger than this means none */

const char *aw_write_range(const struct aw_arg_info *info, char *out, size_t size)
{
    size_t n = 0;
    while (info->names && info->names[n].name)
        n++;
    bool all_named = n > 0 && info->max - info->min + 1 <= (double)n;
    *out = '\0';
    if ((info->min != 0 || info->max != 0) && info->max < MAX_LIMIT && !all_named)
        snprintf(out, size, "%.*g to %.*g%s%s", aw_digits_for(info->min), info->min,
                 aw_digits_for(info->max), info->max, info->unit && *info->unit ? " " : "",
                 info->unit ? info->unit : "");
    return out;
}

const char *aw_write_arg_help(const struct aw_arg_info *info, char *out, size_t size)
{
    char range[96];
    const char *help = info->help ? info->help : "";
    bool has_range = *aw_write_range(info, range, sizeof range) != '\0';
    if (!has_range && info->unit && *info->unit && !strstr(help, info->unit))
        snprintf(range, sizeof range, "%s", info->unit);
    if (*range && *help)
        snprintf(out, size, "%s (%s)", help, range);
    else
        snprintf(out, size, "%s%s", help, range);
    return out;
}

struct aw_option_value *aw_option_of_token(struct aw_options *options, const char *token,
                                           const char **attached)
{
    char name[64];
    *attached = NULL;
    if (!token[1])
        return NULL; /* "-" alone comes from completion */
    if (token[1] != '-') {
        if (token[2])
            *attached = token + 2 + (token[2] == '=');
        return aw_options_find_letter(options, token[1]);
    }
    size_t length = strcspn(token + 2, "=");
    snprintf(name, sizeof name, "%.*s", (int)length, token + 2);
    if (token[2 + length] == '=')
        *attached = token + 3 + length;
    return aw_options_find(options, name);
}

/* Fails with "deg: unknown option '--plot' — see 'help deg'". */
static enum aw_status fail_unknown_option(struct aw_session *session,
                                          const struct aw_command *command, const char *token)
{
    char name[64], advice[64] = "see 'help options'";
    if (session->tool->help.usage)
        snprintf(advice, sizeof advice, "see '--help'");
    else if (command)
        snprintf(advice, sizeof advice, "see 'help %s'", command->name);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(token, "="), token);
    if (token[1] == '-')
        aw_fail_unknown_option(&session->options, name + 2, advice, &session->err);
    else
        aw_fail(&session->err, AW_USAGE, "unknown option '%.8s' — %s", token, advice);
    return command ? aw_fail_about(&session->err, AW_USAGE, command->name) : AW_USAGE;
}

enum aw_status aw_bind_option(struct aw_session *session, const struct aw_command *command,
                              const struct aw_tokens *tokens, size_t *at)
{
    struct aw_error *err = &session->err;
    const char *token = tokens->token[*at], *text;
    struct aw_option_value *value = aw_option_of_token(&session->options, token, &text);
    if (!value)
        return fail_unknown_option(session, command, token);
    const struct aw_option *option = value->option;
    if (!option->value && text)
        return aw_fail(err, AW_USAGE, "--%s takes no value — remove it", option->name);
    if (!text)
        text = option->value ? option->bare_value : "1";
    if (!text && *at + 1 == tokens->n)
        return aw_fail(err, AW_USAGE, "--%s: value missing — write --%s %s", option->name,
                       option->name, option->value);
    if (!text)
        text = tokens->token[++*at];
    return aw_options_set(&session->options, option->name, text, AW_FROM_COMMAND_LINE, err);
}

static bool is_bound(const struct binder *b, const struct aw_arg *arg)
{
    for (size_t i = 0; i < b->args->n; i++)
        if (b->args->bound[i].arg == arg && b->args->bound[i].repetition == b->repetition)
            return true;
    return false;
}

/* Returns true if the field is already set. Pairs may repeat, but each field only once. */
static bool is_field_bound(const struct binder *b, const char *name)
{
    size_t length = strcspn(name, "=");
    for (size_t i = 0; i < b->args->n; i++) {
        const char *other = b->args->bound[i].name;
        if (other && strcspn(other, "=") == length && memcmp(other, name, length) == 0)
            return true;
    }
    return false;
}

static void begin_repetition(struct binder *b)
{
    b->repetition++;
    b->next = 0;
}

static enum aw_status bind_to(struct binder *b, const struct aw_arg *arg, const char *name,
                              const char *text)
{
    struct aw_error *err = &b->session->err;
    const char *command = b->args->command->name, *const *choice = arg->choices;
    char problem[96];
    if (is_bound(b, arg) && arg->kind != AW_ARG_PAIRS && arg->kind != AW_ARG_REST) {
        if (!b->args->command->repeats)
            return aw_fail(err, AW_USAGE, "%s: %s is given twice — remove one", command, arg->name);
        begin_repetition(b);
    }
    if (arg->kind == AW_ARG_PAIRS && name && is_field_bound(b, name))
        return aw_fail(err, AW_USAGE,
                       "%s: %.*s is given twice — remove "
                       "one",
                       command, (int)strcspn(name, "="), name);
    b->args->bound[b->args->n++] = (struct aw_bound){arg, name, text, b->repetition};
    if (arg->kind != AW_ARG_CHOICE)
        return AW_OK;
    while (*choice && strcasecmp(*choice, text) != 0)
        choice++;
    if (*choice) {
        b->args->bound[b->args->n - 1].text = *choice;
        return AW_OK;
    }
    snprintf(problem, sizeof problem, "%s: unknown %s", command, arg->name);
    return aw_fail_unknown_choice(problem, text, arg->choices, err);
}

/* Returns true if this is another name of the argument in records. If several are given, the first
 * one counts. */
static bool is_field_name(const struct binder *b, const struct aw_arg *arg, const char *token,
                          size_t length)
{
    const char *const *field = b->tokens->is_message ? arg->field_names : NULL;
    while (field && *field && !aw_name_equals(*field, token, length))
        field++;
    return field && *field && !is_bound(b, arg);
}

bool aw_arg_matches(struct aw_session *session, const struct aw_arg *arg, const char *token,
                    size_t length)
{
    const char *alias = arg->field ? find_wire_field(session, arg).alias : NULL;
    return aw_name_equals(arg->name, token, length) ||
           (alias && aw_name_equals(alias, token, length));
}

/* Returns the argument that name=value sets, or the one that accepts any pairs. */
static const struct aw_arg *find_named(const struct binder *b, const char *token, size_t length)
{
    const struct aw_arg *arg = b->args->command->args;
    for (; arg && arg->name; arg++)
        if (arg->kind == AW_ARG_PAIRS || aw_arg_matches(b->session, arg, token, length) ||
            is_field_name(b, arg, token, length))
            return arg;
    return NULL;
}

/* Returns the option that corresponds to a field of the tool's messages. */
static const struct aw_option *find_address(const struct binder *b, const char *token,
                                            size_t length)
{
    const struct aw_option *option = b->tokens->json ? b->session->tool->options : NULL;
    for (; option && option->name; option++)
        if (option->in_messages && aw_name_equals(option->name, token, length))
            return option;
    return NULL;
}

/* Returns the next missing argument. Pairs and rests accept any number of tokens. */
static const struct aw_arg *next_positional(struct binder *b)
{
    const struct aw_command *command = b->args->command;
    size_t n = count_args(command);
    for (;; b->next++) {
        if (b->next == n && command->repeats && n > 0)
            begin_repetition(b);
        if (b->next >= n)
            return NULL;
        const struct aw_arg *arg = &command->args[b->next];
        if (arg->kind == AW_ARG_PAIRS || !aw_arg_fits(arg, find_chosen_action(b->args)))
            continue;
        if (arg->kind == AW_ARG_REST || !is_bound(b, arg))
            return arg;
    }
}

/* Writes the usage of a command, for the given choice if later arguments depend on it. */
static void write_usage(const struct aw_args *args, char *out, size_t size)
{
    bool depends = false;
    for (const struct aw_arg *arg = args->command->args; arg && arg->name; arg++)
        depends = depends || arg->with;
    snprintf(out, size, "%s", args->command->name);
    if (depends)
        add_usage_args(args->command, find_chosen_action(args), out, size);
    else
        aw_write_usage(args->command, out, size);
}

static enum aw_status fail_too_many(struct binder *b, const char *token)
{
    const struct aw_command *command = b->args->command;
    size_t n = count_args(command);
    char usage[256];
    if (n && command->args[n - 1].kind == AW_ARG_PAIRS && !isdigit((unsigned char)*token))
        return aw_fail(&b->session->err, AW_USAGE, "%s: '%.40s' has no value — write %.40s=VALUE",
                       command->name, token, token);
    write_usage(b->args, usage, sizeof usage);
    return aw_fail(&b->session->err, AW_USAGE, "%s: unexpected argument '%.40s' — usage: %s",
                   command->name, token, usage);
}

/* Rejects arguments given by name=value that do not belong to the choice (aw_arg.with). */
static enum aw_status check_choices(struct binder *b)
{
    const struct aw_args *args = b->args;
    char usage[256];
    for (size_t i = 0; i < args->n; i++) {
        if (aw_arg_fits(args->bound[i].arg, find_chosen_action(args)))
            continue;
        write_usage(args, usage, sizeof usage);
        return aw_fail(&b->session->err, AW_USAGE, "%s %s: unknown argument '%s' — usage: %s",
                       args->command->name, find_chosen_action(args), args->bound[i].arg->name,
                       usage);
    }
    return AW_OK;
}

/* Returns the most similar argument name, or NULL. */
static const char *find_nearest_name(const struct binder *b, const char *name)
{
    const char *names[32];
    size_t n = 0;
    for (const struct aw_arg *arg = b->args->command->args; arg && arg->name && n < 31; arg++) {
        names[n++] = arg->name;
        names[n++] = arg->field ? find_wire_field(b->session, arg).alias : NULL;
    }
    return aw_suggest(name, names, n);
}

static enum aw_status fail_unknown_name(struct binder *b, const char *token, size_t length)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, token);
    const char *suggestion = find_nearest_name(b, name);
    char usage[256], advice[264];
    aw_write_usage(b->args->command, usage, sizeof usage);
    snprintf(advice, sizeof advice, "usage: %s", usage);
    return aw_fail_unknown(&b->session->err, suggestion, advice, "%s: unknown argument '%s'",
                           b->args->command->name, name);
}

/* Binds elbow=45 to a joint and its value. */
static enum aw_status bind_joint(struct binder *b, const struct aw_arg *arg, const char *token,
                                 size_t length)
{
    struct aw_args *args = b->args;
    char *name = args->joints[args->n_joints];
    if (args->n_joints == AW_JOINT_ARGS_MAX || length >= sizeof args->joints[0])
        return fail_unknown_name(b, token, length);
    snprintf(name, sizeof args->joints[0], "%.*s", (int)length, token);
    if (strcmp(arg->name, "joint") != 0 || !arg[1].name || find_nearest_name(b, name))
        return fail_unknown_name(b, token, length);
    args->n_joints++;
    enum aw_status status = bind_to(b, arg, NULL, name);
    const struct aw_arg *value = status == AW_OK ? next_positional(b) : NULL;
    return value ? bind_to(b, value, NULL, token + length + 1) : status;
}

/* Binds a token without a known name. An unknown name= may be a joint's name, or part of a file
 * name or of free text. */
static enum aw_status bind_positional(struct binder *b, const char *token, size_t name_length)
{
    const struct aw_arg *arg = next_positional(b);
    bool takes_equals =
        arg && (arg->kind == AW_ARG_FILE || arg->kind == AW_ARG_REST || arg->kind == AW_ARG_LINK);
    if (name_length && arg && !takes_equals && !b->tokens->json)
        return bind_joint(b, arg, token, name_length);
    if (name_length && !takes_equals)
        return fail_unknown_name(b, token, name_length);
    return arg ? bind_to(b, arg, NULL, token) : fail_too_many(b, token);
}

/* Returns true for a field that the command sets by itself: "seq". */
static bool is_own_field(const struct binder *b, const char *token, size_t length)
{
    const struct aw_codec *codec = aw_wire_codec(b->session->wire, b->args->command->name, AW_BOTH);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, token);
    return codec && aw_codec_find(codec, name) >= 0;
}

static enum aw_status bind_argument(struct binder *b)
{
    const char *token = b->tokens->token[b->at];
    size_t length = strcspn(token, "=");
    const char *next = b->at + 1 < b->tokens->n ? b->tokens->token[b->at + 1] : "";
    if (!token[length] && *next == '=' && find_named(b, token, length))
        return aw_fail(&b->session->err, AW_USAGE,
                       "%s: blanks around '=' — write %.24s=VALUE without blanks",
                       b->args->command->name, token);
    if (!token[length])
        return bind_positional(b, token, 0);
    const struct aw_arg *named = find_named(b, token, length);
    if (named)
        return bind_to(b, named, token, token + length + 1);
    const struct aw_option *address = find_address(b, token, length);
    if (address)
        return aw_options_set(&b->session->options, address->name, token + length + 1,
                              AW_FROM_COMMAND_LINE, &b->session->err);
    if (b->tokens->is_message && is_own_field(b, token, length))
        return AW_OK;
    return b->tokens->json ? fail_unknown_name(b, token, length)
                           : bind_positional(b, token, length);
}

static enum aw_status check_complete(struct binder *b)
{
    const struct aw_command *command = b->args->command;
    for (size_t repetition = 0; repetition <= b->repetition; repetition++)
        for (const struct aw_arg *arg = command->args; arg && arg->name; arg++) {
            if (arg->optional || arg->kind == AW_ARG_PAIRS ||
                aw_arg(b->args, arg->name, repetition))
                continue;
            char usage[256];
            aw_write_usage(command, usage, sizeof usage);
            return aw_fail(&b->session->err, AW_USAGE, "%s: missing argument '%s' — usage: %s",
                           command->name, arg->name, usage);
        }
    return AW_OK;
}

struct names {
    const char *list[64];
    size_t n;
};

static void collect_name(const struct aw_command *command, void *context)
{
    struct names *names = context;
    if (!command->hidden && names->n < 64)
        names->list[names->n++] = command->name;
}

enum aw_status aw_fail_unknown_command(struct aw_session *session, const char *token)
{
    struct names names = {.n = 0};
    aw_session_each_command(session, collect_name, &names);
    const char *tool = session->tool->name;
    char advice[40];
    /* "sleep" resembles "sweep", which moves the joint. */
    bool is_sleep = strcmp(token, "sleep") == 0;
    if (strcmp(token, tool) == 0)
        snprintf(advice, sizeof advice, "omit the name of the tool");
    else
        snprintf(advice, sizeof advice, "see '%s%shelp'", session->mode.interactive ? "" : tool,
                 session->mode.interactive ? "" : " ");
    return aw_fail_unknown(&session->err,
                           is_sleep ? "pause" : aw_suggest(token, names.list, names.n), advice,
                           "unknown command '%.40s'", token);
}

static enum aw_status bind_token(struct binder *b)
{
    const char *token = b->tokens->token[b->at];
    bool is_option =
        !b->only_arguments && (!b->tokens->json || b->tokens->has_options) && aw_is_option(token);
    if (is_option && strcmp(token, "--") == 0) {
        b->only_arguments = true;
        return AW_OK;
    }
    if (is_option)
        return aw_bind_option(b->session, b->args->command, b->tokens, &b->at);
    if (b->args->command)
        return bind_argument(b);
    b->args->command = aw_session_find_command(b->session, token);
    if (!b->args->command)
        return aw_fail_unknown_command(b->session, token);
    aw_options_add_command(&b->session->options, b->args->command);
    return AW_OK;
}

enum aw_status aw_bind(struct aw_session *session, const struct aw_tokens *tokens,
                       struct aw_args *args, size_t *bad_token)
{
    struct binder b = {.session = session, .tokens = tokens, .args = args};
    enum aw_status status = AW_OK;
    args->command = NULL;
    args->n = args->n_repeats = args->n_joints = 0;
    for (; b.at < tokens->n && status == AW_OK; b.at++) {
        *bad_token = b.at;
        status = bind_token(&b);
    }
    if (status != AW_OK)
        return status;
    *bad_token = tokens->n;
    args->n_repeats =
        args->command && args->command->repeats && args->n == 0 ? 0 : b.repetition + 1;
    bool wants_help = session->options.print.help || session->options.print.help_all;
    status = args->command && !wants_help ? check_complete(&b) : AW_OK;
    return status == AW_OK && args->command ? check_choices(&b) : status;
}

const char *aw_arg(const struct aw_args *args, const char *name, size_t repetition)
{
    for (size_t i = 0; i < args->n; i++)
        if (args->bound[i].repetition == repetition && strcmp(args->bound[i].arg->name, name) == 0)
            return args->bound[i].text;
    return NULL;
}

enum aw_status aw_arg_number(struct aw_session *session, const struct aw_args *args,
                             const char *name, double *value)
{
    const char *text = aw_arg(args, name, 0);
    const struct aw_arg *arg = args->command->args;
    char subject[96];
    if (!text)
        return AW_OK;
    while (strcmp(arg->name, name) != 0)
        arg++;
    struct aw_arg_info info = aw_arg_info(session, arg);
    bool unlimited = session->options.run.force && !arg->is_integer;
    struct aw_number_rule rule = {info.unit, unlimited ? 0 : info.min, unlimited ? 0 : info.max,
                                  arg->is_integer};
    snprintf(subject, sizeof subject, "%s: %s", args->command->name, name);
    return aw_check_number(subject, "", text, &rule, value, &session->err);
}

/* Returns true for a field that only occurs in printed records. */
static bool is_print_only(const struct aw_session *session, const struct aw_record *record,
                          const char *name)
{
    const char *const *label = session->tool->records.ordered.labels;
    while (label && *label && strcmp(*label, name) != 0)
        label++;
    return label && *label && aw_codec_find(record->codec, name) < 0;
}

enum aw_status aw_args_to_record(struct aw_session *session, const struct aw_args *args,
                                 size_t repetition, struct aw_record *record)
{
    struct aw_pair pairs[AW_TOKENS_MAX];
    char names[AW_TOKENS_MAX][64];
    size_t n = 0;
    for (size_t i = 0; i < args->n; i++) {
        const struct aw_bound *bound = &args->bound[i];
        const char *name = bound->arg->field ? strchr(bound->arg->field, '.') + 1 : bound->name;
        if (bound->repetition != repetition ||
            (!bound->arg->field && bound->arg->kind != AW_ARG_PAIRS))
            continue;
        snprintf(names[n], sizeof names[n], "%.*s", (int)strcspn(name, "="), name);
        if (is_print_only(session, record, names[n]))
            continue;
        pairs[n] = (struct aw_pair){names[n], bound->text};
        n++;
    }
    return aw_record_set_pairs(record, pairs, n, &session->err);
}
