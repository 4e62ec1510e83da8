/* Gains as a text file, one per line: joint, controller and gain, and the value.
 *
 *     lknee pos kp 3          # comment
 *
 * The protocol describes its gains in a struct aw_gain_file. Indices of gains count from 0 to
 * n_gains - 1: all gains of a joint's first controller, of its next one, of the next joint. This
 * module reads, saves and compares them for all protocols. */
#ifndef AW_CONTROL_GAIN_FILE_H
#define AW_CONTROL_GAIN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

/* A gain as sent over the wire; {0} is unknown. */
struct aw_gain {
    bool known;
    float value;
    int64_t sent_ns; /* time of sending, ns since 1970; 0: unknown */
};

#define AW_GAIN_NAMES 3  /* names of a gain: joint, controller, gain */
#define AW_GAIN_TEXT  96 /* bytes of a line, with its NUL */

/* Static description of a protocol's gains. context is passed to the functions. */
struct aw_gain_file {
    size_t n_gains;
    const char *heading;    /* first comment of a written file */
    const char *example;    /* example of a line, for messages */
    const char *joint_term; /* what the device calls a joint, in messages: "board" */
    const char *joint_list; /* known joints, in messages: "m1, m2 or m3" */
    const char *const *controllers, *const *gains; /* names, each list terminated by NULL */
    bool allow_numbers; /* a controller may also be named by its number, from 0 */
    /* Returns the index of a joint by its name; -1: unknown. */
    int (*find_joint)(const void *context, const char *name);
    /* Writes the name of a joint to out. */
    void (*write_joint)(const void *context, size_t joint, char *out, size_t size);
    /* Checks a value; text is the value as written. AW_LIMIT: the device would not accept it.
     * AW_USAGE: the joint does not have this gain. */
    enum aw_status (*check_value)(const void *context, size_t index, double value, const char *text,
                                  struct aw_error *err);
    bool has_times; /* the time of sending follows the value, in s since 1970 */
};

/* Finds the gain named by joint, controller and gain, in this order, and parses and checks its
 * value. Ignores case in the names of controllers and gains. AW_USAGE: "unknown board 'lknie' — …",
 * or as for check_value. */
enum aw_status aw_gain_parse(const struct aw_gain_file *kind, const void *context,
                             const char *const names[AW_GAIN_NAMES], const char *text,
                             size_t *index, double *value, struct aw_error *err);

/* Finds the next known gain, beginning at *next (initially 0), and sets *index. Returns false at
 * the end. */
bool aw_gain_file_next_known(const struct aw_gain_file *kind, const struct aw_gain *gains,
                             size_t *next, size_t *index);

/* Reads a file of up to kind->n_gains gains. file NULL: opens and closes the file called name;
 * otherwise the caller closes file. Errors name file and line. AW_USAGE: an invalid or duplicate
 * gain, or the file cannot be read. AW_LIMIT: kind->check_value rejects a value. Also the errors of
 * aw_lines_next. After an error, all gains are unknown. */
enum aw_status aw_gain_file_read(const struct aw_gain_file *kind, const void *context,
                                 struct aw_gain *gains, FILE *file, const char *name,
                                 struct aw_error *err);

/* Saves a file atomically (writes a new one and renames it). Errors are those of aw_file_fail
 * (base/file.h). */
enum aw_status aw_gain_file_save(const struct aw_gain_file *kind, const void *context,
                                 const struct aw_gain *gains, const char *path,
                                 struct aw_error *err);
/* Writes the heading and the lines of all known gains. The caller checks file for write errors. */
void aw_gain_file_write(const struct aw_gain_file *kind, const void *context,
                        const struct aw_gain *gains, FILE *file);

/* Writes the line of a gain, without a newline: "lknee pos kp 3". */
void aw_gain_file_line(const struct aw_gain_file *kind, const void *context, size_t index,
                       double value, char out[AW_GAIN_TEXT]);

/* Writes the joint and the gain: "lknee.kp". */
void aw_gain_file_name(const struct aw_gain_file *kind, const void *context, size_t index,
                       char out[AW_GAIN_TEXT]);

/* Returns the number of known gains. */
size_t aw_count_gains(const struct aw_gain_file *kind, const struct aw_gain *gains);

/* Returns true if only one of the two is known, or if their values differ. */
bool aw_gain_differs(const struct aw_gain *a, const struct aw_gain *b);

/* Remembers sent gains in a timed file, for devices that cannot report them. Adds the gains in the
 * file at path to known, then the gains in sent, and keeps the later value of each. Saves known to
 * the file if sent has changed it. Ignores a file that cannot be read or parsed, and replaces it
 * when it saves; path "": no file. Errors are those of aw_gain_file_save. */
enum aw_status aw_gain_remember(const struct aw_gain_file *kind, const void *context,
                                struct aw_gain *known, const struct aw_gain *sent, const char *path,
                                struct aw_error *err);

#endif
