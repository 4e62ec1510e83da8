/* Turns one joint of a handler arm and says what came of it.
 *
 *     cc -o turn turn.c $(pkg-config --cflags --libs armwire)
 *     armctl sim --listen unix-listen:/tmp/arm &
 *     ./turn unix:/tmp/arm 1 90
 */
#include <stdio.h>
#include <stdlib.h>

#include <protocol/armctl/client.h>
#include <protocol/armctl/wire.h>

#include "link/open.h"

static int fail(const char *what, const struct aw_error *err)
{
    fprintf(stderr, "turn: %s: %s\n", what, err->text);
    return err->status;
}

int main(int argc, char **argv)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    const struct aw_link_options link_options = {.clock = &clock.base,
                                                 .protocol = &aw_armctl_protocol};
    const struct aw_armctl_options options = aw_armctl_defaults();
    static struct aw_armctl arm; /* large: not for the stack */
    struct aw_link *link;
    struct aw_record command;
    struct aw_armctl_outcome outcome;
    struct aw_error err;

    if (argc != 4)
        return fprintf(stderr, "usage: turn LINK JOINT DEGREES\n"), 2;
    if (aw_link_open(&link, argv[1], &link_options, &err) != AW_OK)
        return fail("open", &err);

    aw_armctl_init(&arm, link, &options, NULL);
    aw_record_init(&command, aw_wire_codec(&arm.wire, "deg", AW_TX), AW_TX);
    enum aw_status status = aw_record_set(&command, "joint", atof(argv[2]), &err);
    if (status == AW_OK)
        status = aw_record_set(&command, "angle", atof(argv[3]), &err);
    if (status == AW_OK)
        status = aw_armctl_command(&arm, &command, &outcome, &err);
    aw_link_close(link);

    if (status != AW_OK)
        return fail("deg", &err);
    printf("%s: %s\n", outcome.answer, aw_armctl_result_name(outcome.result));
    return 0;
}
