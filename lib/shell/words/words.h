/* A command line as tokens: from argv, from a line of a script or of the prompt, or from a JSON
 * object. */
#ifndef AW_SHELL_WORDS_WORDS_H
#define AW_SHELL_WORDS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

#define AW_LINE_MAX   4096 /* max length of a line; longer ones are rejected */
#define AW_TOKENS_MAX 256

struct aw_tokens {
    size_t n;
    const char *token[AW_TOKENS_MAX];
    unsigned column[AW_TOKENS_MAX]; /* column where the token starts, from 1; 0: unknown */
    bool json;        /* from a JSON object: all tokens but the first are name=value */
    bool has_options; /* the object had "options": their tokens begin with "--" */
    /* the object was a record: its fields that the command sets by itself are ignored */
    bool is_message;
    bool raw;    /* values are wire numbers, see aw_tokens_from_raw */
    size_t next; /* start of the command after a ';' in the line; 0: no further command */
    /* characters of the tokens; the pointers above point here or into argv */
    char text[AW_LINE_MAX * 2];
};

/* Splits a line into tokens. Blanks separate tokens, "…" and '…' quote, \ escapes the next
 * character, # starts a comment. A ; ends the command; the next one begins at tokens->next. A line
 * that starts with { is a JSON object. n is 0 for an empty line. AW_USAGE, with the column, on
 * errors, and for pipes and redirections, which only a shell supports. */
enum aw_status aw_tokens_split(struct aw_tokens *tokens, const char *line, struct aw_error *err);

/* Splits the command that begins at this offset of the line, as given by tokens->next. */
enum aw_status aw_tokens_split_at(struct aw_tokens *tokens, const char *line, size_t start,
                                  struct aw_error *err);

/* Splits the last command of a line, the one being typed. */
enum aw_status aw_tokens_split_last(struct aw_tokens *tokens, const char *line);

/* AW_USAGE if there are more than AW_TOKENS_MAX. */
enum aw_status aw_tokens_from_argv(struct aw_tokens *tokens, int argc, char **argv,
                                   struct aw_error *err);

/* {"cmd":"deg","joint":1} becomes deg joint=1. Keys of nested objects are joined by dots. {"msg":…}
 * is a record. */
enum aw_status aw_tokens_from_json(struct aw_tokens *tokens, const char *line,
                                   struct aw_error *err);

#endif
