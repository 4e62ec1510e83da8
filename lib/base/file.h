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

/* Fills err with the reason in errno. Returns AW_NO_MEMORY for ENOMEM, AW_LOST if writing fails
 * (disk full or broken, size limit, reader of a pipe gone), else AW_USAGE. prefix ("--record")
 * precedes the message; NULL: no prefix. */
enum aw_status aw_file_fail(struct aw_error *err, const char *prefix, const char *path);

/* Returns a description of this errno value for a file. */
const char *aw_file_reason(int error);

/* Checks that the file can be created or overwritten, without changing anything. Use it before a
 * long calculation or a motion whose result is saved. Errors as of aw_file_fail. */
enum aw_status aw_file_check(const char *path, struct aw_error *err);

/* Opens a file for reading with additional open(2) flags; "-" duplicates standard input. Returns a
 * descriptor that the caller closes, or -1 with errno. */
int aw_file_open_fd(const char *path, int flags);
/* Returns the file's name for messages: "stdin" for "-". */
const char *aw_file_name(const char *path);

/* Opens a file for reading, like fopen(3); "-" is standard input. Fails with ENXIO if no writer
 * opens a named pipe within two seconds. Returns NULL with errno on failure. */
FILE *aw_file_open(const char *path);

/* Opens a file that the caller reads completely, such as a configuration. Opening a device such as
 * /dev/zero fails with EOVERFLOW. So does reading more than AW_FILE_TEXT_MAX bytes. */
#define AW_FILE_TEXT_MAX (16l << 20)
FILE *aw_file_open_text(const char *path);
/* Creates a file or overwrites an existing one. Returns NULL with errno on failure. */
FILE *aw_file_create(const char *path);

/* Closes a file. Returns false with errno if any write failed, now or before. */
bool aw_file_close(FILE *file);

/* Saves a file atomically: writes a temporary file in the same folder and renames it at the end, so
 * that readers see either the old or the new content. Overwrites pipes, devices, symbolic links,
 * and files in a read-only folder in place.
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
    char temp_path[PATH_MAX]; /* temporary file; "" if path is written in place */
};

/* Starts saving. On failure returns false with errno; the caller must still call aw_file_end. path
 * must remain valid until then. */
bool aw_file_begin(struct aw_saving *saving, const char *path);
/* Completes saving. Returns false with errno if aw_file_begin or a write failed. The old file is
 * then unchanged, unless it was overwritten in place. */
bool aw_file_end(struct aw_saving *saving);

/* Creates the missing parent folders of a file with this mode. Ignores errors: opening the file
 * reports them. */
void aw_file_make_folders(const char *path, mode_t mode);

/* Saves size bytes as a file, atomically. Errors as of aw_file_fail. */
enum aw_status aw_file_write(const char *path, const void *bytes, size_t size,
                             struct aw_error *err);

#endif
