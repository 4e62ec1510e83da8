/* Converts a JSON object, in the form that the tools print, to the tokens of a command. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "shell/words/words.h"

struct builder {
    struct aw_tokens *tokens;
    size_t used;
};

static enum aw_status add_token(struct builder *b, const char *name, const char *value,
                                struct aw_error *err)
{
    struct aw_tokens *tokens = b->tokens;
    size_t room = sizeof tokens->text - b->used;
    int length = snprintf(tokens->text + b->used, room, "%s%s%s", name, value ? "=" : "",
                          value ? value : "");
    if (length < 0 || (size_t)length >= room || tokens->n == AW_TOKENS_MAX)
        return aw_fail(err, AW_USAGE,
                       "JSON object too large (max %zu bytes, %d values) — shorten it",
                       sizeof tokens->text, AW_TOKENS_MAX);
    tokens->column[tokens->n] = 0;
    tokens->token[tokens->n++] = tokens->text + b->used;
    b->used += (size_t)length + 1;
    return AW_OK;
}

/* Returns true for keys of a record that are not fields. */
static bool is_envelope(const char *key)
{
    return aw_is_one_of((const char *const[]){"cmd", "msg", "t", "dir", NULL}, key);
}

static enum aw_status add_scalar(struct builder *b, const char *name, const json_t *value,
                                 struct aw_error *err)
{
    static const char *const words[] = {
        [JSON_TRUE] = "true", [JSON_FALSE] = "false", [JSON_NULL] = "none"};
    char number[48];
    if (json_is_object(value) || json_is_array(value))
        return aw_fail(err, AW_USAGE, "'%.40s' is a list or object — give a number or a string",
                       name);
    if (json_is_string(value))
        return add_token(b, name, json_string_value(value), err);
    if (!json_is_number(value))
        return add_token(b, name, words[json_typeof(value)], err);
    if (json_is_integer(value))
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
    else
        snprintf(number, sizeof number, "%.17g", json_real_value(value));
    return add_token(b, name, number, err);
}

/* Adds options given as {"dry-run":true,"rate":"20Hz"}. */
static enum aw_status add_options(struct builder *b, json_t *object, struct aw_error *err)
{
    const char *key;
    json_t *value;
    enum aw_status status = AW_OK;
    json_object_foreach(object, key, value)
    {
        char name[128];
        snprintf(name, sizeof name, "--%s", key);
        if (json_is_true(value))
            status = add_token(b, name, NULL, err);
        else if (!json_is_false(value) && !json_is_null(value))
            status = add_scalar(b, name, value, err);
        if (status != AW_OK)
            break;
        b->tokens->has_options = true;
    }
    return status;
}

static enum aw_status add_object(struct builder *b, const char *prefix, json_t *object,
                                 struct aw_error *err)
{
    const char *key;
    json_t *value;
    enum aw_status status = AW_OK;
    json_object_foreach(object, key, value)
    {
        char name[128];
        if (!*prefix && is_envelope(key))
            continue;
        if (!*prefix && json_is_object(value) && strcmp(key, "options") == 0) {
            status = add_options(b, value, err);
            if (status != AW_OK)
                break;
            continue;
        }
        snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", key);
        if (json_is_object(value) && !*prefix)
            status = add_object(b, name, value, err);
        else
            status = add_scalar(b, name, value, err);
        if (status != AW_OK)
            break;
    }
    return status;
}

static enum aw_status convert(struct aw_tokens *tokens, json_t *root, struct aw_error *err)
{
    struct builder b = {tokens, 0};
    const char *cmd = json_string_value(json_object_get(root, "cmd"));
    const char *msg = json_string_value(json_object_get(root, "msg"));
    const char *dir = json_string_value(json_object_get(root, "dir"));
    if (json_object_get(root, "ok") || json_object_get(root, "dry_run"))
        return AW_OK; /* a result piped from another command: nothing to run */
    if (!cmd && !msg)
        return aw_fail(err, AW_USAGE, "no \"cmd\" in the JSON object — write {\"cmd\":\"help\"}");
    if (!cmd && dir && strcmp(dir, "rx") == 0)
        return aw_fail(err, AW_USAGE,
                       "%.40s was received (\"dir\":\"rx\"), and only sent messages can be sent "
                       "again — select those with \"dir\":\"tx\", or decode messages without a "
                       "direction with --dir tx",
                       msg);
    tokens->json = true;
    tokens->is_message = !cmd;
    tokens->raw = tokens->is_message && json_is_true(json_object_get(root, "raw"));
    if (tokens->is_message) {
        json_object_del(root, "raw");
        json_object_del(root, "anomaly"); /* binding refuses the invalid value itself */
    }
    enum aw_status status = add_token(&b, cmd ? cmd : msg, NULL, err);
    return status == AW_OK ? add_object(&b, "", root, err) : status;
}

enum aw_status aw_tokens_from_json(struct aw_tokens *tokens, const char *line, struct aw_error *err)
{
    json_error_t problem;
    json_t *root = json_loads(line, JSON_REJECT_DUPLICATES, &problem);
    if (!root)
        return aw_fail(err, AW_USAGE, "column %d: not JSON: %s", problem.column, problem.text);
    enum aw_status status =
        json_is_object(root)
            ? convert(tokens, root, err)
            : aw_fail(err, AW_USAGE, "a JSON command must be an object — write {\"cmd\":\"help\"}");
    json_decref(root);
    return status;
}
