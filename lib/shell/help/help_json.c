/* The tables of a tool as one JSON object, for programs that drive it: help --json. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe/describe.h"
#include "shell/help/help.h"
#include "shell/help/topics.h"
#include "shell/session/bind.h"

/* version of the object; increment it when a member changes or disappears */
#define FORMAT_VERSION 1

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text && *text)
        json_object_set_new(object, key, json_string(text));
}

static void set_true(json_t *object, const char *key, bool value)
{
    if (value)
        json_object_set_new(object, key, json_true());
}

static void set_range(json_t *object, double min, double max)
{
    if (min == 0 && max == 0)
        return;
    json_object_set_new(object, "min", json_real(min));
    json_object_set_new(object, "max", json_real(max));
}

static void set_list(json_t *object, const char *key, const char *const *list)
{
    if (!list)
        return;
    json_t *array = json_array();
    for (; *list; list++)
        json_array_append_new(array, json_string(*list));
    json_object_set_new(object, key, array);
}

static json_t *describe_argument(struct aw_session *session, const struct aw_arg *arg)
{
    static const char *const kinds[] = {
        [AW_ARG_STRING] = "word",     [AW_ARG_NUMBER] = "number", [AW_ARG_CHOICE] = "choice",
        [AW_ARG_FILE] = "file",       [AW_ARG_LINK] = "link",     [AW_ARG_COMMAND] = "command",
        [AW_ARG_MESSAGE] = "message", [AW_ARG_PAIRS] = "pairs",   [AW_ARG_REST] = "rest",
    };
    struct aw_arg_info info = aw_arg_info(session, arg);
    json_t *object = json_object();
    set_text(object, "name", arg->name);
    set_text(object, "alias", info.alias);
    set_text(object, "kind", kinds[arg->kind]);
    set_text(object, "help", info.help);
    set_text(object, "unit", info.unit);
    set_range(object, info.min, info.max);
    set_true(object, "whole", arg->is_integer);
    set_true(object, "optional", arg->optional);
    set_list(object, "choices", arg->choices);
    set_list(object, "with", arg->with);
    set_text(object, "field", arg->field);
    if (info.names) {
        json_t *names = json_array();
        for (const struct aw_name *name = info.names; name->name; name++)
            json_array_append_new(names, json_string(name->name));
        json_object_set_new(object, "names", names);
    }
    return object;
}

static json_t *describe_options(const struct aw_tool *tool, const struct aw_option *option)
{
    json_t *array = json_array();
    for (; option && option->name; option++) {
        char letter[2] = {option->letter, '\0'};
        json_t *object = json_object();
        set_text(object, "name", option->name);
        set_text(object, "letter", letter);
        set_text(object, "value", option->value);
        set_text(object, "help", option->help);
        set_text(object, "bare", option->bare_value);
        set_text(object, "default", aw_option_default(tool, option));
        set_text(object, "unit", option->unit);
        set_range(object, option->min, option->max);
        set_true(object, "whole", option->is_integer);
        set_list(object, "choices", option->choices);
        json_array_append_new(array, object);
    }
    return array;
}

struct examples {
    json_t *list;
    const char *tool;
};

/* Adds an example without the tool's name; other shell lines keep their "$ ". */
static void add_example(void *context, const char *line)
{
    struct examples *examples = context;
    size_t length = strlen(examples->tool);
    char text[328];
    if (strncmp(line, examples->tool, length) == 0 && line[length] == ' ')
        snprintf(text, sizeof text, "%s", line + length + 1);
    else
        snprintf(text, sizeof text, "$ %s", line);
    json_array_append_new(examples->list, json_string(text));
}

static json_t *describe_command(struct aw_session *session, const struct aw_command *command)
{
    static const char *const safety[] = {[AW_READ] = "reads",
                                         [AW_WRITE] = "writes",
                                         [AW_MOTION] = "moves",
                                         [AW_DANGEROUS] = "dangerous"};
    char usage[256], keys[512];
    json_t *object = json_object(), *args = json_array();
    struct examples examples = {json_array(), session->tool->name};
    aw_write_usage(command, usage, sizeof usage);
    set_text(object, "name", command->name);
    set_text(object, "summary", command->summary);
    set_text(object, "usage", usage);
    set_text(object, "details", command->details);
    set_text(object, "safety", safety[command->safety]);
    set_true(object, "offline", command->offline);
    set_true(object, "message", command->group == AW_GROUP_MESSAGES);
    set_true(object, "repeats", command->repeats);
    set_text(object, "prints", command->prints);
    for (const struct aw_arg *arg = command->args; arg && arg->name; arg++)
        json_array_append_new(args, describe_argument(session, arg));
    json_object_set_new(object, "args", args);
    json_object_set_new(object, "options", describe_options(session->tool, command->options));
    aw_each_example(session->tool, command, add_example, &examples);
    if (json_array_size(examples.list) > 0)
        json_object_set(object, "examples", examples.list);
    json_decref(examples.list);
    set_text(object, "keys",
             aw_find_topic_row(aw_find_topic("results"), session->tool->name, command->name, keys,
                               sizeof keys));
    return object;
}

struct listing {
    struct aw_session *session;
    json_t *commands;
};

static void add_command(const struct aw_command *command, void *context)
{
    struct listing *listing = context;
    if (!command->hidden)
        json_array_append_new(listing->commands, describe_command(listing->session, command));
}

/* Adds the messages as 'describe --as json' prints them, because jansson does not print the
 * shortest decimal of a number. The caller frees the result. */
static char *add_messages(struct aw_session *session, const char *object)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return NULL;
    fprintf(memory, "%.*s,\"protocol\":", (int)strlen(object) - 1, object);
    aw_describe(memory, session->wire, NULL, AW_DESCRIBE_JSON);
    if (fclose(memory) != 0 || size == 0) {
        free(text);
        return NULL;
    }
    text[size - 1] = '}'; /* replaces the newline */
    return text;
}

static json_t *describe_tool(struct aw_session *session)
{
    const struct aw_tool *tool = session->tool;
    struct listing listing = {session, json_array()};
    json_t *object = json_object(), *topics = json_array(),
           *options = describe_options(tool, aw_global_options);
    json_t *tool_options = describe_options(tool, tool->options);
    json_array_extend(options, tool_options);
    json_decref(tool_options);
    aw_session_each_command(session, add_command, &listing);
    for (const struct aw_topic *topic = aw_topics; topic->name; topic++)
        json_array_append_new(topics, json_string(topic->name));
    json_object_set_new(object, "form", json_integer(FORMAT_VERSION));
    set_text(object, "tool", tool->name);
    set_text(object, "version", AW_VERSION);
    set_text(object, "summary", tool->summary);
    json_object_set_new(object, "options", options);
    json_object_set_new(object, "commands", listing.commands);
    json_object_set_new(object, "topics", topics);
    return object;
}

/* Returns the topic's Markdown. */
static json_t *describe_topic(const struct aw_topic *topic)
{
    json_t *object = json_object();
    set_text(object, "topic", topic->name);
    set_text(object, "text", topic->text);
    return object;
}

enum aw_status aw_print_help_json(struct aw_session *session, const struct aw_command *command,
                                  const struct aw_topic *topic)
{
    json_t *object = command ? describe_command(session, command)
                     : topic ? describe_topic(topic)
                             : describe_tool(session);
    char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(object);
    if (text && !command && !topic) {
        char *complete = add_messages(session, text);
        free(text);
        text = complete;
    }
    if (!text)
        return aw_no_memory(&session->err);
    aw_output_write(&session->out, text, strlen(text));
    aw_output_write(&session->out, "\n", 1);
    free(text);
    return AW_OK;
}
