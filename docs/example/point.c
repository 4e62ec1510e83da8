/* Moves the elbow of the teaching arm within a second, and says where it stands then.
 *
 *     cc -o point point.c $(pkg-config --cflags --libs armwire)
 *     hidmotor sim --listen unix-listen:/tmp/board &
 *     ./point unix:/tmp/board 30                   # the arm itself: ./point hid: 30
 */
#include <stdio.h>
#include <stdlib.h>

#include <armwire.h>

enum { ELBOW = 2 };

static enum aw_status point(struct aw_hidmotor *arm, double degrees, struct aw_error *err)
{
    const struct aw_hidmotor_target target = {.given = {[ELBOW] = true},
                                              .deg = {[ELBOW] = degrees},
                                              .duration_ms = 1000,
                                              .mode = AW_HIDMOTOR_SINUSOIDAL};
    struct aw_hidmotor_plan plan;
    enum aw_status status = aw_hidmotor_plan(arm, &target, &plan, err);
    if (status == AW_OK)
        status = aw_hidmotor_move(arm, &plan, NULL, err);
    int64_t deadline = aw_clock_now(arm->link->clock) + 3 * AW_SECOND;
    if (status == AW_OK)
        status = aw_hidmotor_wait(arm, &plan, AW_HIDMOTOR_TOLERANCE, deadline, NULL, NULL, err);
    if (status == AW_OK)
        printf("elbow %.0f of %.0f deg\n", arm->latest.position[ELBOW], degrees);
    return status;
}

int main(int argc, char **argv)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    const struct aw_link_options link_options = {.clock = &clock.base,
                                                 .protocol = &aw_hidmotor_protocol};
    const struct aw_hidmotor_options options = aw_hidmotor_defaults();
    static struct aw_hidmotor arm; /* large: not for the stack */
    struct aw_link *link;
    struct aw_error err, stop_err;

    if (argc != 3)
        return fprintf(stderr, "usage: point LINK DEGREES\n"), 2;
    enum aw_status status = aw_link_open(&link, argv[1], &link_options, &err);
    if (status == AW_OK) {
        aw_hidmotor_init(&arm, link, &options);
        status = point(&arm, atof(argv[2]), &err);
        /* After an error the arm is held where it is. */
        if (status != AW_OK)
            aw_hidmotor_stop(&arm, NULL, &stop_err);
        aw_link_close(link);
    }
    if (status != AW_OK)
        fprintf(stderr, "point: %s\n", err.text);
    return (int)status;
}
