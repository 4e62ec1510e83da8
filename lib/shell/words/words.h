/* A command line as words: from argv, from a line of a script or the REPL, or from a JSON object.
 */
#ifndef AW_SHELL_WORDS_WORDS_H
#define AW_SHELL_WORDS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

#define AW_LINE_MAX  4096 /* characters of a line; longer ones are refused */
#define AW_WORDS_MAX 256

struct aw_words {
    size_t n;
    const char *word[AW_WORDS_MAX];
    unsigned column[AW_WORDS_MAX]; /* where the word starts in its line, from 1; 0: unknown */
    bool json;                     /* from an object: all but the first are name=value */
    bool options;                  /* the object had "options": their words begin with "--" */
    bool message; /* the object was a record: what the command fills in by itself is left out */
    bool raw;     /* with wire numbers, see aw_words_from_raw */
    size_t next;  /* where the command behind a ';' begins in the line; 0: no further command */
    char text[AW_LINE_MAX * 2]; /* the words themselves; pointers above point here or into argv */
};

/* Splits a line: blanks separate, "…" and '…' keep blanks, \ takes the next character, # starts a
 * comment, ; ends the command: the next one begins at words->next. A line starting with { is a JSON
 * object. No words: n is 0. AW_USAGE with the column on errors, and for pipes and redirections,
 * which are the shell's. */
enum aw_status aw_words_split(struct aw_words *words, const char *line, struct aw_error *err);

/* The same for the command that begins at this place of the line, as words->next had it. */
enum aw_status aw_words_split_at(struct aw_words *words, const char *line, size_t start,
                                 struct aw_error *err);

/* The last command of a line, the one that is being typed. */
enum aw_status aw_words_split_last(struct aw_words *words, const char *line);

/* AW_USAGE if there are more than AW_WORDS_MAX. */
enum aw_status aw_words_from_argv(struct aw_words *words, int argc, char **argv,
                                  struct aw_error *err);

/* {"cmd":"deg","joint":1} becomes deg joint=1; nested objects are joined by dots; {"msg":…} is a
 * record. */
enum aw_status aw_words_from_json(struct aw_words *words, const char *line, struct aw_error *err);

#endif
