/* Balances the pole of the scene cart-pole: a force on the cart in every step of the simulation.
 *
 *     cc -o balance balance.c $(pkg-config --cflags --libs armwire)
 *     ezphys sim --scene cart-pole --listen 5000 &
 *     ./balance tcp:127.0.0.1:5000 100
 *
 * Prints where cart and pole are after so many steps. docs/controllers.md has the same in Python,
 * through a pipe, with the same gains.
 */
#include <stdio.h>
#include <stdlib.h>

#include <protocol/ezphys/client.h>
#include <protocol/ezphys/wire.h>

#include "link/open.h"

enum { RAIL = 1, PIVOT = 2 }; /* ezphys-sim --names cart-pole */

static int fail(const char *what, const struct aw_error *err)
{
    fprintf(stderr, "balance: %s: %s\n", what, err->text);
    return err->status;
}

static struct aw_ezphys_axis axis_of(const struct aw_ezphys *ez, const char *joint)
{
    const struct aw_ezphys_joint *found = aw_ezphys_state_find_joint(&ez->state, joint);
    return found ? found->axes[0] : (struct aw_ezphys_axis){0};
}

/* One message of the simulation, and the force that is its answer. */
static enum aw_status balance(struct aw_ezphys *ez, int64_t deadline, struct aw_error *err)
{
    static const struct aw_ezphys_target rail = {.id = RAIL};
    enum aw_status status = aw_ezphys_receive(ez, deadline, NULL, err);
    struct aw_ezphys_axis cart = axis_of(ez, "1"), pole = axis_of(ez, "2");
    double force[AW_EZPHYS_AXES] = {9.4 * cart.displacement + 12.9 * cart.velocity +
                                    106 * pole.displacement + 25.8 * pole.velocity};
    if (status == AW_OK)
        status = aw_ezphys_force(ez, &rail, force, err);
    return status == AW_OK ? aw_ezphys_answer(ez, err) : status;
}

int main(int argc, char **argv)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    const struct aw_link_options options = {.clock = &clock.base, .protocol = &aw_ezphys_protocol};
    static struct aw_ezphys ez; /* large: not for the stack */
    struct aw_link *link;
    struct aw_error err;

    if (argc != 3)
        return fprintf(stderr, "usage: balance LINK STEPS\n"), 2;
    if (aw_link_open(&link, argv[1], &options, &err) != AW_OK)
        return fail("open", &err);
    enum aw_status status = aw_ezphys_init(&ez, NULL, NULL, &err);
    if (status == AW_OK)
        aw_ezphys_attach(&ez, link);
    for (int i = 0; i < atoi(argv[2]) && status == AW_OK; i++)
        status = balance(&ez, aw_clock_now(&clock.base) + 5 * AW_SECOND, &err);
    if (status == AW_OK)
        status = aw_ezphys_receive(&ez, aw_clock_now(&clock.base) + 5 * AW_SECOND, NULL, &err);
    if (status == AW_OK)
        printf("step %lld: cart at %.4f m, pole at %.4f rad\n", (long long)ez.state.step,
               axis_of(&ez, "1").displacement, axis_of(&ez, "2").displacement);
    aw_ezphys_free(&ez);
    aw_link_close(link);
    return status == AW_OK ? 0 : fail("balance", &err);
}
