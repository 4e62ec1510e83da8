/* What to say about files that cannot be opened or made, the same everywhere.
 *
 *     FILE *file = fopen(path, "re");
 *     if (!file)
 *         return aw_file_fail(err, NULL, path);
 *
 *     run.csv: No such file or directory — check the name
 */
#ifndef AW_BASE_FILE_H
#define AW_BASE_FILE_H

#include <stddef.h>

#include "base/status.h"

/* By errno: AW_LOST where the disk is full or broken, else AW_USAGE: it is the name that is wrong.
 * what ("--record") goes in front; NULL: nothing. */
enum aw_status aw_file_fail(struct aw_error *err, const char *what, const char *path);

/* Could this file be made or written over? Makes and changes nothing; for those who will write
 * after something that takes long or moves. */
enum aw_status aw_file_check(const char *path, struct aw_error *err);

/* Makes the file, or writes it over. */
enum aw_status aw_file_write(const char *path, const void *bytes, size_t size,
                             struct aw_error *err);

#endif
