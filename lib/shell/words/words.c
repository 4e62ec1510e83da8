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

static enum aw_status copy_word(struct splitter *s, struct aw_error *err)
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
static bool is_the_shells(const char *at)
{
    bool alone = !at[1] || is_blank(at[1]);
    return *at == '|' || *at == '>' || ((*at == '<' || *at == '&') && alone);
}

enum aw_status aw_words_split(struct aw_words *words, const char *line, struct aw_error *err)
{
    return aw_words_split_at(words, line, 0, err);
}

enum aw_status aw_words_split_at(struct aw_words *words, const char *line, size_t start,
                                 struct aw_error *err)
{
    struct splitter s = {line, line + start, words->text};
    enum aw_status status = AW_OK;
    words->n = 0;
    words->next = 0;
    words->json = words->options = words->message = words->raw = false;
    if (strlen(line) >= AW_LINE_MAX)
        return aw_fail(err, AW_USAGE, "the line is longer than %d characters — split it",
                       AW_LINE_MAX - 1);
    while (is_blank(*s.at))
        s.at++;
    if (*s.at == '{')
        return aw_words_from_json(words, s.at, err);
    while (status == AW_OK && *s.at && *s.at != '#' && *s.at != ';') {
        if (words->n == AW_WORDS_MAX)
            return aw_fail(err, AW_USAGE, "more than %d words in a line — split it", AW_WORDS_MAX);
        if (is_the_shells(s.at))
            return aw_fail(err, AW_USAGE,
                           "column %zu: '%c' not supported at the prompt — run TOOL COMMAND %c … "
                           "in the shell, or quote it",
                           (size_t)(s.at - line) + 1, *s.at, *s.at);
        words->column[words->n] = (unsigned)(s.at - line) + 1;
        words->word[words->n++] = s.out;
        status = copy_word(&s, err);
        while (is_blank(*s.at))
            s.at++;
    }
    if (*s.at == ';')
        words->next = (size_t)(s.at - line) + 1;
    return status;
}

enum aw_status aw_words_split_last(struct aw_words *words, const char *line)
{
    enum aw_status status = aw_words_split(words, line, NULL);
    while (status == AW_OK && words->next)
        status = aw_words_split_at(words, line, words->next, NULL);
    return status;
}

enum aw_status aw_words_from_argv(struct aw_words *words, int argc, char **argv,
                                  struct aw_error *err)
{
    words->n = words->next = 0;
    words->json = words->options = words->message = words->raw = false;
    if (argc > AW_WORDS_MAX + 1)
        return aw_fail(err, AW_USAGE,
                       "more than %d words on the command line — give them in a script, or files "
                       "one by one",
                       AW_WORDS_MAX);
    for (int i = 1; i < argc; i++) {
        words->column[words->n] = 0;
        words->word[words->n++] = argv[i];
    }
    return AW_OK;
}
