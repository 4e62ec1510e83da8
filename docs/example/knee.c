/* Turns a joint of the exoskeleton, prints for a second what its board reports, and lets go.
 *
 *     cc -o knee knee.c $(pkg-config --cflags --libs armwire)
 *     canpid sim --listen slcan:pty:/tmp/bus &
 *     ./knee slcan:/tmp/bus lknee 20               # on the robot: ./knee can:can0 lknee 20
 */
#include <stdio.h>
#include <stdlib.h>

#include <armwire.h>

static enum aw_status turn(struct aw_canpid *bus, unsigned board, double degrees,
                           struct aw_error *err)
{
    struct aw_canpid_sent sent;
    double share = degrees / aw_canpid_full_scale(AW_CANPID_POS);
    enum aw_status status = aw_canpid_send_setpoint(bus, board, AW_CANPID_POS, share, &sent, err);
    if (status == AW_OK) {
        int64_t deadline = aw_clock_now(bus->link->clock) + AW_SECOND;
        status = aw_canpid_verify(bus, &sent, deadline, NULL, NULL, err);
    }
    for (int i = 0; i < 5 && status == AW_OK; i++) {
        int64_t next = aw_clock_now(bus->link->clock) + AW_SECOND / 5;
        status = aw_canpid_idle(bus, next, NULL, NULL, err);
        const struct aw_canpid_board *now = aw_canpid_board(bus, board);
        printf("setpoint %.1f deg, joint %.1f deg, torque %.1f Nm\n",
               aw_canpid_from_percent(AW_CANPID_POS, now->setpoint), now->fix_link_angle,
               now->torque);
    }
    return status;
}

int main(int argc, char **argv)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    const struct aw_link_options link_options = {.clock = &clock.base,
                                                 .protocol = &aw_canpid_protocol};
    const struct aw_canpid_options options = aw_canpid_defaults();
    static struct aw_canpid bus; /* large: not for the stack */
    struct aw_link *link;
    struct aw_error err, stop_err;

    int board = argc == 4 ? aw_canpid_board_find(NULL, argv[2]) : -1;
    if (board < 0)
        return fprintf(stderr, "usage: knee LINK BOARD DEGREES\n"), 2;
    enum aw_status status = aw_link_open(&link, argv[1], &link_options, &err);
    if (status == AW_OK) {
        aw_canpid_init(&bus, link, NULL, &options);
        status = turn(&bus, (unsigned)board, atof(argv[3]), &err);
        /* Disables the driver after success and after failure. */
        enum aw_status stopped =
            aw_canpid_stop(&bus, AW_CANPID_BIT(board), AW_CANPID_LAST, NULL, &stop_err);
        aw_link_close(link);
        if (status == AW_OK && stopped != AW_OK)
            status = stopped, err = stop_err;
    }
    if (status != AW_OK)
        fprintf(stderr, "knee: %s\n", err.text);
    return (int)status;
}
