/* Finds the candidates for the token under the cursor, and the hint after it. */
#include "shell/prompt/prompt.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "link/open.h"
#include "link/stream/ports.h"
#include "shell/custom/custom_joints.h"
#include "shell/session/bind.h"
#include "shell/session/config.h"
#include "shell/source/source.h"

struct completion {
    struct aw_session *session;
    const char *head; /* the token's part before partial: "mode=", "--color=" */
    size_t head_length;
    const char *partial;
    aw_candidate_fn *add;
    void *context;
    const char **files;
    struct aw_options options; /* options of all tools, of the tool and of the command */
    const struct aw_command *command;
    bool unknown;        /* the command is unknown */
    size_t position;     /* number of positional arguments so far */
    const char *choice;  /* value of the first argument */
    const char *first;   /* first argument of the last repetition of the argument list */
    const char *message; /* message named for encode, or NULL */
};

static void offer(struct completion *c, const char *candidate, const char *help)
{
    char token[256];
    if (strncmp(candidate, c->partial, strlen(c->partial)) != 0)
        return;
    snprintf(token, sizeof token, "%.*s%s", (int)c->head_length, c->head, candidate);
    c->add(c->context, c->head_length ? token : candidate, help);
}

/* Completes only value: the part of the token after the prefix. */
static void skip_prefix(struct completion *c, const char *value)
{
    c->head = c->partial;
    c->head_length = (size_t)(value - c->partial);
    c->partial = value;
}

static void offer_filtered(void *context, const char *candidate, const char *help)
{
    offer(context, candidate, help);
}

static void offer_list(struct completion *c, const char *const *list)
{
    for (; list && *list; list++)
        offer(c, *list, NULL);
}

static void offer_command(const struct aw_command *command, void *context)
{
    if (!command->hidden)
        offer(context, command->name, command->summary);
}

static void offer_names(struct completion *c, const char *prefix, const struct aw_name *names)
{
    for (; names && names->name; names++) {
        char candidate[128];
        snprintf(candidate, sizeof candidate, "%s%s", prefix, names->name);
        offer(c, candidate, NULL);
    }
}

/* Returns the codec of the named message, or NULL. */
static const struct aw_codec *find_codec(const struct completion *c)
{
    return c->message ? aw_wire_codec(c->session->wire, c->message, AW_BOTH) : NULL;
}

/* Offers field= for each field of the message; after the =, the named values of the field. */
static void offer_fields(struct completion *c)
{
    const struct aw_codec *codec = find_codec(c);
    for (int i = 0; codec && i < codec->n_scalars; i++) {
        char name[64];
        if (!codec->scalars[i].has_value)
            continue;
        size_t length = aw_scalar_name(&codec->scalars[i], name, sizeof name - 1);
        memcpy(name + length, "=", 2);
        if (strchr(c->partial, '='))
            offer_names(c, name, codec->scalars[i].field->names);
        else
            offer(c, name, codec->scalars[i].field->help);
    }
}

static void offer_links(struct completion *c)
{
    struct aw_port ports[32];
    const size_t room = sizeof ports / sizeof *ports, n = aw_link_list_serial(ports, room);
    const struct aw_config *config = c->session->config;
    if (c->session->tool->device.sim)
        offer(c, "sim:", c->session->tool->device.sim->help);
    for (size_t i = 0; i < n && i < room; i++)
        offer(c, ports[i].path, ports[i].description);
    for (size_t i = 0; i < config->n_lines; i++) {
        char candidate[128];
        snprintf(candidate, sizeof candidate, "@%s", config->lines[i].key);
        if (aw_config_is_alias(&config->lines[i]))
            offer(c, candidate, config->lines[i].value);
    }
    for (const struct aw_transport *t = aw_link_transports(); t->scheme; t++) {
        char candidate[64];
        snprintf(candidate, sizeof candidate, "%s:", t->scheme);
        offer(c, candidate, t->help);
    }
    *c->files = "";
}

/* Calls the completer with the options and the command of the line. */
static void call_completer(struct completion *c, aw_complete_fn *complete, aw_candidate_fn *add,
                           void *context)
{
    struct aw_options saved_options = c->session->options;
    const struct aw_command *command = c->session->run.command;
    c->session->options = c->options;
    c->session->run.command = c->command;
    complete(c->session, add, context);
    c->session->options = saved_options;
    c->session->run.command = command;
}

static void call_default_completer(struct completion *c, aw_complete_fn *complete)
{
    call_completer(c, complete, offer_filtered, c);
}

static void offer_argument(struct completion *c, const struct aw_arg *arg)
{
    const struct aw_protocol *protocol = c->session->wire->protocol;
    if (arg->complete)
        call_default_completer(c, arg->complete);
    offer_list(c, arg->choices);
    offer_names(c, "", aw_arg_info(c->session, arg).names);
    switch (arg->kind) {
    case AW_ARG_FILE:
    case AW_ARG_REST:
        *c->files = arg->endings ? arg->endings : "";
        break;
    case AW_ARG_LINK:
        offer_links(c);
        break;
    case AW_ARG_COMMAND:
        aw_session_each_command(c->session, offer_command, c);
        break;
    case AW_ARG_MESSAGE:
        for (size_t i = 0; i < protocol->n_messages; i++)
            offer(c, protocol->messages[i].name, protocol->messages[i].help);
        break;
    case AW_ARG_PAIRS:
        offer_fields(c);
        break;
    default:
        break;
    }
}

static void offer_value(struct completion *c, const struct aw_option *option)
{
    if (strcmp(option->name, "link") == 0 || strcmp(option->name, "listen") == 0)
        offer_links(c);
    else if (option->complete)
        call_default_completer(c, option->complete);
    else if (option->choices || option->candidates)
        offer_list(c, option->choices ? option->choices : option->candidates);
    else if (strcmp(option->name, "fields") == 0 || strcmp(option->name, "where") == 0) {
        /* Completes the last name in the list. */
        const char *comma = strrchr(c->partial, ',');
        if (comma) {
            size_t before = c->head_length;
            c->head = before ? c->head : c->partial;
            c->head_length = before + (size_t)(comma + 1 - c->partial);
            c->partial = comma + 1;
        }
        call_default_completer(c, aw_complete_fields);
    } else if (strcmp(option->value, "FILE") == 0)
        *c->files = option->endings ? option->endings : "";
}

/* Returns the option if the next token is its value; stores an attached value for completers. */
static const struct aw_option *parse_option(struct completion *c, const char *token)
{
    const char *attached;
    struct aw_option_value *value = aw_option_of_token(&c->options, token, &attached);
    if (!value)
        return NULL;
    const struct aw_option *option = value->option;
    if (option->value && attached)
        aw_options_set(&c->options, option->name, attached, AW_FROM_COMMAND_LINE, NULL);
    return option->value && !option->bare_value && !attached ? option : NULL;
}

/* Returns true for arguments that take any number of tokens. */
static bool takes_rest(const struct aw_arg *arg)
{
    return arg->kind == AW_ARG_PAIRS || arg->kind == AW_ARG_REST;
}

static size_t count_valid(const struct completion *c)
{
    size_t n = 0;
    for (const struct aw_arg *arg = c->command->args; arg && arg->name; arg++)
        n += aw_arg_fits(arg, c->choice);
    return n;
}

static const struct aw_arg *find_current_argument(const struct completion *c)
{
    const struct aw_arg *last = NULL, *valid[AW_TOKENS_MAX];
    size_t n = 0, at = c->position;
    for (const struct aw_arg *arg = c->command->args; arg && arg->name && n < AW_TOKENS_MAX; arg++)
        if (aw_arg_fits(arg, c->choice))
            last = valid[n++] = arg;
    if (n > 0 && c->command->repeats)
        at %= n;
    return at < n ? valid[at] : last && takes_rest(last) ? last : NULL;
}

static bool is_named(struct completion *c, const struct aw_arg *arg, const char *token)
{
    return aw_arg_matches(c->session, arg, token, strcspn(token, "="));
}

/* Reads packet files named in the line, to complete their messages. */
static void follow_packets(struct completion *c)
{
    struct aw_options saved_options = c->session->options;
    bool named = false;
    for (size_t i = 0; i < 2; i++) {
        const struct aw_option_value *files = aw_options_find(&c->options, i ? "dbc" : "packets");
        named = named || (files && files->origin == AW_FROM_COMMAND_LINE);
    }
    if (!named)
        return;
    c->session->options = c->options;
    aw_options_set(&c->session->options, "quiet", "yes", AW_FROM_COMMAND_LINE, NULL);
    c->session->run.packet_error.status = AW_OK;
    if (aw_session_prepare_wire(c->session) == AW_OK)
        aw_custom_joints_begin(c->session);
    c->session->options = saved_options;
}

/* Parses the earlier tokens; returns an option that still needs its value, or NULL. */
static const struct aw_option *parse_earlier(struct completion *c, const char *const *before,
                                             size_t n)
{
    const struct aw_option *waiting = NULL;
    for (size_t i = 0; i < n; i++) {
        if (waiting) {
            aw_options_set(&c->options, waiting->name, before[i], AW_FROM_COMMAND_LINE, NULL);
            waiting = NULL;
        } else if (aw_is_option(before[i])) {
            waiting = parse_option(c, before[i]);
        } else if (!c->command) {
            c->command = aw_session_find_command(c->session, before[i]);
            c->unknown = !c->command;
            if (c->unknown)
                return NULL;
            aw_options_add_command(&c->options, c->command);
        } else {
            if (c->position == 0)
                c->message = c->choice = before[i];
            size_t repetition = count_valid(c);
            if (repetition && c->position % repetition == 0)
                c->first = before[i];
            const struct aw_arg *due =
                find_current_argument(c); /* joint=1 also counts as positional */
            c->position += strchr(before[i], '=') == NULL ||
                           (due && aw_name_equals(due->name, before[i], strcspn(before[i], "=")));
        }
    }
    follow_packets(c);
    return waiting;
}

/* Offers the values of --color=… or -bl…; otherwise all options. */
static void offer_options(struct completion *c)
{
    const char *attached;
    struct aw_option_value *value = aw_option_of_token(&c->options, c->partial, &attached);
    if (value && attached) {
        skip_prefix(c, attached);
        if (value->option->value)
            offer_value(c, value->option);
        return;
    }
    for (size_t i = 0; i < c->options.n; i++) {
        char candidate[64];
        snprintf(candidate, sizeof candidate, "--%s", c->options.values[i].option->name);
        offer(c, candidate, c->options.values[i].option->help);
    }
}

/* Offers the values of mode=…; otherwise those of the next argument, and all names. */
static void offer_arguments(struct completion *c)
{
    const struct aw_arg *args = c->command->args, *due = find_current_argument(c);
    for (const struct aw_arg *arg = args; strchr(c->partial, '=') && arg && arg->name; arg++)
        if (is_named(c, arg, c->partial) && !takes_rest(arg)) {
            skip_prefix(c, strchr(c->partial, '=') + 1);
            offer_argument(c, arg);
            return;
        }
    if (due)
        offer_argument(c, due);
    for (const struct aw_arg *arg = args; due && *c->partial && arg && arg->name; arg++) {
        char candidate[64];
        struct aw_arg_info info = aw_arg_info(c->session, arg);
        if (!aw_arg_fits(arg, c->choice) || takes_rest(arg))
            continue;
        snprintf(candidate, sizeof candidate, "%s=", arg->name);
        offer(c, candidate, info.help);
        snprintf(candidate, sizeof candidate, "%s=", info.alias ? info.alias : "");
        if (info.alias)
            offer(c, candidate, info.help);
    }
}

void aw_complete_token(struct aw_session *session, const char *const *before, size_t n,
                       const char *partial, aw_candidate_fn *add, void *context, const char **files)
{
    struct completion c = {.session = session,
                           .partial = partial,
                           .add = add,
                           .context = context,
                           .files = files,
                           .options = session->options};
    *files = NULL;
    const struct aw_option *option = parse_earlier(&c, before, n);
    if (option)
        offer_value(&c, option);
    else if (*partial == '-')
        offer_options(&c);
    else if (c.command)
        offer_arguments(&c);
    else if (!c.unknown)
        aw_session_each_command(session, offer_command, &c);
    if (c.head_length)
        *files = NULL; /* shells complete file names only as whole tokens */
}

/* Writes the choices of an argument: "low|high"; "" without choices. */
static void join_choices(const struct aw_arg_info *info, const struct aw_arg *arg, char *out,
                         size_t size)
{
    *out = '\0';
    for (const struct aw_name *n = info->names; n && n->name && strlen(out) + 36 < size; n++)
        aw_append(out, size, "|", "%s", n->name);
    for (const char *const *candidate = arg->choices;
         candidate && *candidate && strlen(out) + 36 < size; candidate++)
        aw_append(out, size, "|", "%s", *candidate);
}

static void write_argument_hint(struct completion *c, const struct aw_arg *arg, char *out,
                                size_t size)
{
    struct aw_session *session = c->session;
    struct aw_arg_info info = aw_arg_info(session, arg);
    char text[95];
    if (session->tool->state.fill_range)
        session->tool->state.fill_range(session, c->command, c->first ? c->first : "", arg, &info);
    if (!*aw_write_range(&info, text, sizeof text))
        join_choices(&info, arg, text, sizeof text);
    const char *detail = *text || !info.unit ? text : info.unit;
    snprintf(out, size, arg->optional ? "[%s%s%s]" : "<%s%s%s>", arg->name, *detail ? " " : "",
             detail);
}

/* Writes the fields of the message: joint= angle= [seq=]. */
static void write_fields_hint(struct completion *c, char *out, size_t size)
{
    const struct aw_codec *codec = find_codec(c);
    for (int i = 0; codec && i < codec->n_scalars && strlen(out) + 64 < size; i++) {
        char name[64];
        if (!codec->scalars[i].has_value)
            continue;
        aw_scalar_name(&codec->scalars[i], name, sizeof name);
        aw_append(out, size, " ", codec->scalars[i].field->optional ? "[%s=]" : "%s=", name);
    }
}

static void write_field_hint(struct completion *c, const char *token, char *out, size_t size)
{
    const struct aw_codec *codec = find_codec(c);
    const char *equals = strchr(token, '=');
    char name[64];
    if (!codec || !equals || equals[1])
        return;
    snprintf(name, sizeof name, "%.*s", (int)(equals - token), token);
    int scalar = aw_codec_find(codec, name);
    if (scalar < 0)
        return;
    struct aw_range range = aw_scalar_range(codec, scalar, NULL);
    struct aw_arg_info info = {.unit = range.unit, .min = range.min, .max = range.max};
    char text[96];
    if (*aw_write_range(&info, text, sizeof text))
        snprintf(out, size, "<%s>", text);
    else if (range.unit)
        snprintf(out, size, "<%s>", range.unit);
}

/* The hint for name=: its range, or the completer's help, as for "elbow=" in unitysim. */
struct named_hint {
    const char *token;
    char *out;
    size_t size;
};

static void store_help(void *context, const char *candidate, const char *help)
{
    struct named_hint *hint = context;
    if (help && strcmp(candidate, hint->token) == 0)
        snprintf(hint->out, hint->size, "<%s>", help);
}

static void write_named_hint(struct completion *c, const char *token, char *out, size_t size)
{
    struct named_hint hint = {token, out, size};
    size_t length = strlen(token);
    if (length < 2 || token[length - 1] != '=')
        return;
    for (const struct aw_arg *arg = c->command->args; arg && arg->name && !*out; arg++) {
        struct aw_arg_info info = aw_arg_info(c->session, arg);
        char text[96];
        if (arg->kind == AW_ARG_PAIRS && arg->complete)
            call_completer(c, arg->complete, store_help, &hint);
        else if (is_named(c, arg, token) && *aw_write_range(&info, text, sizeof text))
            snprintf(out, size, "<%s>", text);
    }
}

void aw_write_hint(struct aw_session *session, const char *line, char *out, size_t size)
{
    struct aw_tokens tokens;
    size_t length = strlen(line);
    bool blank = length > 0 && line[length - 1] == ' ';
    *out = '\0';
    if (aw_tokens_split_last(&tokens, line) != AW_OK || tokens.n == 0 || tokens.json)
        return;
    struct completion c = {.session = session, .partial = "", .options = session->options};
    size_t before = blank ? tokens.n : tokens.n - 1;
    const struct aw_option *option = parse_earlier(&c, tokens.token, before);
    if (!c.command)
        return;
    if (!blank) {
        write_field_hint(&c, tokens.token[tokens.n - 1], out, size);
        if (!*out)
            write_named_hint(&c, tokens.token[tokens.n - 1], out, size);
        return;
    }
    const struct aw_arg *arg = find_current_argument(&c);
    if (option)
        snprintf(out, size, "<%s>", option->value);
    else if (arg && arg->kind == AW_ARG_PAIRS)
        write_fields_hint(&c, out, size);
    else if (arg)
        write_argument_hint(&c, arg, out, size);
}
