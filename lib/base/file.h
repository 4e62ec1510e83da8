/* Opens, creates and saves files, with the same error messages everywhere.
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

/* Reports errno. Returns AW_LOST if the disk is full or broken, else AW_USAGE, because the name is
 * wrong. what ("--record") precedes the message; NULL: nothing. */
enum aw_status aw_file_fail(struct aw_error *err, const char *what, const char *path);

/* Returns what errno number means for a file. */
const char *aw_file_reason(int number);

/* Checks that the file can be created or overwritten, without changing anything. Use it before a
 * long calculation or a motion whose result is saved. */
enum aw_status aw_file_check(const char *path, struct aw_error *err);

/* Opens a file for reading with these extra open(2) flags. "-" duplicates standard input. Returns
 * -1 with errno. */
int aw_file_descriptor(const char *path, int flags);
/* Returns the name for messages: "stdin" for "-". */
const char *aw_file_name(const char *path);

/* Opens a file for reading, like fopen(3); "-" is standard input. Does not wait forever for a named
 * pipe: fails with ENXIO if no writer opens it within two seconds. Returns NULL with errno. */
FILE *aw_file_open(const char *path);

/* Opens a file that is read whole, such as a configuration. Reading more than AW_FILE_TEXT_MAX and
 * opening a device such as /dev/zero fail with EOVERFLOW. */
#define AW_FILE_TEXT_MAX (16l << 20)
FILE *aw_file_open_text(const char *path);
FILE *aw_file_create(const char *path);

/* Returns false with errno if any write failed, now or before. */
bool aw_file_close(FILE *file);

/* Saves a file atomically: writes a temporary file beside it and renames that at the end, so
 * readers see either the old or the new content. Overwrites other files in place: pipes, devices,
 * symbolic links, and files in a folder that is not writable.
 *
 *     struct aw_saving saving;
 *     if (aw_file_begin(&saving, path))
 *         fprintf(saving.file, …);
 *     if (!aw_file_end(&saving))
 *         return aw_file_fail(err, "cannot save the gains", path);
 */
struct aw_saving {
    FILE *file;
    const char *path;
    char fresh[PATH_MAX]; /* temporary file; "" if path itself is written */
};

/* Returns false with errno; call aw_file_end all the same. path must stay valid until then. */
bool aw_file_begin(struct aw_saving *saving, const char *path);
/* Returns false with errno if any write failed; the old file is then unchanged. */
bool aw_file_end(struct aw_saving *saving);

/* Creates missing parent folders of a file, as far as permissions allow. */
void aw_file_make_folders(const char *path, mode_t mode);

/* Saves these bytes atomically. */
enum aw_status aw_file_write(const char *path, const void *bytes, size_t size,
                             struct aw_error *err);

#endif
