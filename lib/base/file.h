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

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

/* By errno: AW_LOST where the disk is full or broken, else AW_USAGE: it is the name that is wrong.
 * what ("--record") goes in front; NULL: nothing. */
enum aw_status aw_file_fail(struct aw_error *err, const char *what, const char *path);

/* Could this file be made or written over? Makes and changes nothing; for those who will write
 * after something that takes long or moves. */
enum aw_status aw_file_check(const char *path, struct aw_error *err);

/* fopen(3) for reading, and for making or writing over, but for named pipes: one that nobody has
 * begun to write to within two seconds, or that nobody reads, is ENXIO; fopen would wait for ever.
 * NULL with errno. */
FILE *aw_file_open(const char *path);
FILE *aw_file_create(const char *path);

/* Makes the file, or writes it over. */
enum aw_status aw_file_write(const char *path, const void *bytes, size_t size,
                             struct aw_error *err);

#endif
