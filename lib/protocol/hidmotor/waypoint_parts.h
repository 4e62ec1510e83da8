/* Internal to waypoint*.c: how a file of waypoints is read, asked about, and left out of. */
#ifndef AW_PROTOCOL_HIDMOTOR_WAYPOINT_PARTS_H
#define AW_PROTOCOL_HIDMOTOR_WAYPOINT_PARTS_H

#include "capture/times.h"
#include "protocol/hidmotor/waypoints.h"

#define AW_WAYPOINT_JUMP_DEG_S 600.0 /* what is as fast as this was no motion */
#define AW_WAYPOINT_RECORDING  50    /* rows: nobody writes so many by hand */

/* Which column of the table holds what. */
struct aw_waypoint_layout {
    int t, deg[AW_HIDMOTOR_JOINTS]; /* t -1: no column of times */
    struct aw_time_column time;
    bool guessed;                   /* that the time is what it is taken for */
    bool ours;                      /* the names are those of our own recordings */
    double step_s;                  /* the median; 0 with less than two rows */
    enum aw_hidmotor_angles angles; /* as the names say */
};

/* One more for the person, if there is room. */
void aw_waypoint_notice(struct aw_hidmotor_waypoints *way, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The command that plays the file like this, to be copied. Returns out. */
#define AW_WAYPOINT_COMMAND 800
char *aw_waypoint_command(const struct aw_hidmotor_waypoints *way,
                          const struct aw_hidmotor_file *how, char out[AW_WAYPOINT_COMMAND]);

/* waypoint_guess.c: finds the time in a file without a header; AW_MALFORMED with the question. */
enum aw_status aw_waypoint_guess(struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                                 struct aw_waypoint_layout *layout, struct aw_error *err);
/* No column is called as times are, and nobody has said how far apart the rows are: asks for the
 * time, which is the column that rises most evenly of those that are no joint's. */
enum aw_status aw_waypoint_which_time(const struct aw_hidmotor_waypoints *way,
                                      const struct aw_table *table,
                                      const struct aw_waypoint_layout *layout,
                                      struct aw_error *err);
/* What --columns should call the time of a table with a header: "t_s" or "t_ms", by its name or its
 * steps. */
const char *aw_waypoint_time_name(const struct aw_table *table);
/* Is the unit of the time, and that of the angles, what it seems to be? */
enum aw_status aw_waypoint_check_unit(const struct aw_hidmotor_waypoints *way,
                                      const struct aw_table *table,
                                      const struct aw_waypoint_layout *layout,
                                      struct aw_error *err);
enum aw_status aw_waypoint_check_angles(struct aw_hidmotor_waypoints *way,
                                        const struct aw_table *table,
                                        const struct aw_waypoint_layout *layout,
                                        struct aw_error *err);

/* waypoint_rows.c: the rows of the recording that is meant, without what is none. */
enum aw_status aw_waypoint_rows(struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                                const struct aw_waypoint_layout *layout, struct aw_error *err);
/* The median of the steps from row to row, where the time does not start again. */
double aw_waypoint_step(const struct aw_table *table, int column);

#endif
