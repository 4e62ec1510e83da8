/* Moves the elbow of the simulated Bento Arm to a place, and stops it whatever comes of that.
 *
 *     cc -o lift lift.c $(pkg-config --cflags --libs armwire)
 *     unitysim sim --listen unix-listen:/tmp/bento &
 *     ./lift unix:/tmp/bento 2500         # the one of brachI/Oplexus: ./lift udp: 2500
 */
#include <stdio.h>
#include <stdlib.h>

#include <armwire.h>

int main(int argc, char **argv)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    const struct aw_link_options link_options = {.clock = &clock.base,
                                                 .protocol = &aw_unitysim_protocol};
    const struct aw_unitysim_options options = aw_unitysim_defaults();
    static struct aw_unitysim unity; /* large: not for the stack */
    struct aw_unitysim_move move = {0};
    struct aw_link *link;
    struct aw_error err, stop_err;

    if (argc != 3)
        return fprintf(stderr, "usage: lift LINK TICKS\n"), 2;
    enum aw_status status = aw_link_open(&link, argv[1], &link_options, &err);
    if (status == AW_OK) {
        aw_unitysim_init(&unity, link, NULL, &options);
        status = aw_unitysim_scene_load(&unity, 1, NULL, 5 * AW_SECOND, &err);
        aw_unitysim_set_goal(&move, AW_UNITYSIM_ELBOW, atoi(argv[2]));
        if (status == AW_OK)
            status = aw_unitysim_move(&unity, &move, NULL, NULL, &err);
        enum aw_status stopped = aw_unitysim_stop(&unity, &stop_err);
        if (status == AW_OK && stopped != AW_OK)
            status = stopped, err = stop_err;
        int from_there = abs(unity.feedback.position[AW_UNITYSIM_ELBOW] - atoi(argv[2]));
        if (status == AW_OK)
            printf("elbow is %s\n", from_there <= 10 ? "there" : "elsewhere");
        aw_unitysim_free(&unity);
        aw_link_close(link);
    }
    if (status != AW_OK)
        fprintf(stderr, "lift: %s\n", err.text);
    return (int)status;
}
