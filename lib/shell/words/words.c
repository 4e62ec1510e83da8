/* Splits a line into tokens at blanks, handling quotes and comments. */
#include "shell/words/words.h"

#include <string.h>

struct splitter {
    const char *line, *at;
    char *out;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static enum aw_status copy_quoted(struct splitter *s, struct aw_error *err)
{
    char quote = *s->at;
    unsigned column = (unsigned)(s->at - s->line) + 1;
    for (s->at++; *s->at && *s->at != quote; s->at++) {
        if (*s->at == '\\' && quote == '"' && s->at[1])
            s->at++;
        *s->out++ = *s->at;
    }
    if (!*s->at)
        return aw_fail(err, AW_USAGE, "column %u: unterminated quote %c — close it", column, quote);
    s->at++;
    return AW_OK;
}

static enum aw_status copy_token(struct splitter *s, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    while (*s->at && *s->at != ';' && !is_blank(*s->at) && status == AW_OK) {
        if (*s->at == '"' || *s->at == '\'') {
            status = copy_quoted(s, err);
            continue;
        }
        if (*s->at == '\\' && s->at[1])
            s->at++;
        *s->out++ = *s->at++;
    }
    *s->out++ = '\0';
    return status;
}

/* Returns true for shell characters such as pipes and redirections. Users try these from habit, and
 * as tokens they would silently match nothing. */
static bool is_shell_syntax(const char *at)
{
    bool isolated = !at[1] || is_blank(at[1]);
    return *at == '|' || *at == '>' || ((*at == '<' || *at == '&') && isolated);
}

enum aw_status aw_tokens_split(struct aw_tokens *tokens, const char *line, struct aw_error *err)
{
    return aw_tokens_split_at(tokens, line, 0, err);
}

enum aw_status aw_tokens_split_at(struct aw_tokens *tokens, const char *line, size_t start,
                                  struct aw_error *err)
{
    struct splitter s = {line, line + start, tokens->text};
    enum aw_status status = AW_OK;
    tokens->n = 0;
    tokens->next = 0;
    tokens->json = tokens->has_options = tokens->is_message = tokens->raw = false;
    if (strlen(line) >= AW_LINE_MAX)
        return aw_fail(err, AW_USAGE, "the line is longer than %d characters — split it",
                       AW_LINE_MAX - 1);
    while (is_blank(*s.at))
        s.at++;
    if (*s.at == '{')
        return aw_tokens_from_json(tokens, s.at, err);
    while (status == AW_OK && *s.at && *s.at != '#' && *s.at != ';') {
        if (tokens->n == AW_TOKENS_MAX)
            return aw_fail(err, AW_USAGE, "too many arguments in a line (max %d) — split it",
                           AW_TOKENS_MAX);
        if (is_shell_syntax(s.at))
            return aw_fail(err, AW_USAGE,
                           "column %zu: '%c' not supported in commands — run TOOL COMMAND %c … in "
                           "the shell, or quote it",
                           (size_t)(s.at - line) + 1, *s.at, *s.at);
        tokens->column[tokens->n] = (unsigned)(s.at - line) + 1;
        tokens->token[tokens->n++] = s.out;
        status = copy_token(&s, err);
        while (is_blank(*s.at))
            s.at++;
    }
    if (*s.at == ';')
        tokens->next = (size_t)(s.at - line) + 1;
    return status;
}

enum aw_status aw_tokens_split_last(struct aw_tokens *tokens, const char *line)
{
    enum aw_status status = aw_tokens_split(tokens, line, NULL);
    while (status == AW_OK && tokens->next)
        status = aw_tokens_split_at(tokens, line, tokens->next, NULL);
    return status;
}

enum aw_status aw_tokens_from_argv(struct aw_tokens *tokens, int argc, char **argv,
                                   struct aw_error *err)
{
    tokens->n = tokens->next = 0;
    tokens->json = tokens->has_options = tokens->is_message = tokens->raw = false;
    if (argc > AW_TOKENS_MAX + 1)
        return aw_fail(err, AW_USAGE,
                       "too many arguments (max %d) — use a script, or pass fewer files",
                       AW_TOKENS_MAX);
    for (int i = 1; i < argc; i++) {
        tokens->column[tokens->n] = 0;
        tokens->token[tokens->n++] = argv[i];
    }
    return AW_OK;
}
