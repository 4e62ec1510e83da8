/* What to say about files that cannot be opened or made, the same everywhere.
 *
 *     FILE *file = aw_file_open(path);
 *     if (!file)
 *         return aw_file_fail(err, NULL, path);
 *
 *     run.csv: No such file or directory — check the name
 */
#ifndef AW_BASE_FILE_H
#define AW_BASE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/status.h"

/* By errno: AW_LOST where the disk is full or broken, else AW_USAGE: it is the name that is wrong.
 * what ("--record") goes in front; NULL: nothing. */
enum aw_status aw_file_fail(struct aw_error *err, const char *what, const char *path);

/* Could this file be made or written over? Makes and changes nothing; for those who will write
 * after something that takes long or moves. */
enum aw_status aw_file_check(const char *path, struct aw_error *err);

/* A file that is read: "-" is standard input, as a descriptor of its own. open(2) with these flags
 * beside; -1 with errno. */
int aw_file_descriptor(const char *path, int flags);
/* What messages call it: "stdin" for "-". */
const char *aw_file_name(const char *path);

/* Like fopen(3) for reading ("-" is standard input), and for creating or overwriting. Does not wait
 * forever for a named pipe: ENXIO if no writer opens it within two seconds, or if it has no reader.
 * NULL with errno. */
FILE *aw_file_open(const char *path);

/* The same for text that is read whole, such as configuration and packet files: reading more than
 * AW_FILE_TEXT_MAX fails with EOVERFLOW, so that a device without an end is no endless file. */
#define AW_FILE_TEXT_MAX (16l << 20)
FILE *aw_file_open_text(const char *path);
FILE *aw_file_create(const char *path);

/* False with errno if anything was not written, now or before. */
bool aw_file_close(FILE *file);

/* Saves a file atomically: writes a temporary file beside it and renames that at the end, so
 * readers see either the old or the new content. Overwrites in place what is not a regular file (a
 * pipe, a device, a symbolic link), and files in a folder that is not writable.
 *
 *     struct aw_saving saving;
 *     if (aw_file_begin(&saving, path))
 *         fprintf(saving.file, …);
 *     if (!aw_file_end(&saving))
 *         return aw_file_fail(err, "the gains could not be saved", path);
 */
struct aw_saving {
    FILE *file;
    const char *path;
    char fresh[PATH_MAX]; /* "": path itself is written */
};

/* False with errno; aw_file_end is called all the same. path must stay as long. */
bool aw_file_begin(struct aw_saving *saving, const char *path);
/* False with errno if anything was not written: then the file is as it was. */
bool aw_file_end(struct aw_saving *saving);

/* Makes the folders on the way to a file that are not there, as far as that is permitted. */
void aw_file_make_folders(const char *path, mode_t mode);

/* Saves these bytes so. */
enum aw_status aw_file_write(const char *path, const void *bytes, size_t size,
                             struct aw_error *err);

#endif
