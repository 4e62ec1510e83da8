/* Motion sequences in the format of brachI/Oplexus: one motion of one joint per row.
 *
 *     Joint,Motion Type,Position,Velocity,Tolerance,Delay (ms)
 *     Elbow,Auto,2135,45,10,0,
 *     Hand,User,2650,90,10,500,
 *
 * Auto: the player drives the joint to the position. User: the player waits until the user has
 * moved it there. Position is in ticks, velocity in units of 0.684 deg/s.
 *
 *     struct aw_sequence sequence = {0};
 *     if (aw_sequence_read(NULL, "grasp.csv", &sequence, &err) == AW_OK)
 *         for (size_t i = 0; i < sequence.n; i++) use(&sequence.rows[i]);
 *     aw_sequence_free(&sequence);
 *
 * Source: the sequences shipped with the program, and its code.
 */
#ifndef AW_PROTOCOL_UNITYSIM_SEQUENCE_H
#define AW_PROTOCOL_UNITYSIM_SEQUENCE_H

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

#define AW_SEQUENCE_ROWS 10000 /* max number of rows in a file */

enum aw_sequence_kind { AW_SEQUENCE_AUTO, AW_SEQUENCE_USER };

struct aw_sequence_row {
    int joint;     /* in wire order, from 0 */
    int kind;      /* enum aw_sequence_kind */
    int position;  /* ticks, 0..4096 */
    int velocity;  /* 1..1023 */
    int tolerance; /* ticks, 5..1000 */
    int delay_ms;  /* delay after the motion, 0..3600000 */
    unsigned line; /* line in the file; 0: not from a file */
};

/* Owns its rows. {0} is empty. */
struct aw_sequence {
    size_t n, capacity;
    struct aw_sequence_row *rows;
};

/* Reads a whole file (NULL: the file named name). Accepts blanks around cells, CRLF, blank lines,
 * '#' comments, a byte order mark, letters of either case, and rows with or without the last
 * comma. AW_MALFORMED names file, line and column ("grasp.csv:7:12: Position: …"). AW_LIMIT: a
 * number out of its range, with the same details. AW_LOST: a read error. The sequence is empty
 * after an error. */
enum aw_status aw_sequence_read(FILE *file, const char *name, struct aw_sequence *sequence,
                                struct aw_error *err);

/* Adds a row. AW_LIMIT: its values are not valid in a file, or the sequence is full. */
enum aw_status aw_sequence_add(struct aw_sequence *sequence, const struct aw_sequence_row *row,
                               struct aw_error *err);

/* Writes header and rows in the published program's format. AW_LOST: a write error. */
enum aw_status aw_sequence_write(FILE *file, const struct aw_sequence *sequence,
                                 struct aw_error *err);

void aw_sequence_free(struct aw_sequence *sequence);

#endif
