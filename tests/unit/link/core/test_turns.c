/* Tests how programs that share an open device take turns. */
#include "link_helper.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "link/core/turns.h"

/* The link of one program. Each program opens the device itself, because locks belong to open file
 * descriptions. */
struct program {
    struct aw_link link;
    struct aw_turns turns;
};

static char node[40];

static void open_node(struct program *program, struct aw_clock *clock)
{
    *program = (struct program){
        .link = {.clock = clock, .turns = &program->turns},
        .turns = {.fd = open(node, O_RDWR | O_CLOEXEC)},
    };
    assert_true(program->turns.fd >= 0);
}

static void begin(void)
{
    snprintf(node, sizeof node, "/tmp/aw-turns-XXXXXX");
    int fd = mkstemp(node);
    assert_true(fd >= 0);
    close(fd);
}

static void end(void)
{
    assert_int_equal(unlink(node), 0);
}

/* When a program ends, its descriptor is closed, which releases the turn. */
TEST_WITH(begin, end, only_one_program_at_a_time_has_the_turn)
{
    struct program first, second;
    char other[96];
    open_node(&first, usual_clock());
    open_node(&second, usual_clock());
    assert_true(aw_link_start_turn(&first.link, now()));
    assert_false(aw_link_start_turn(&first.link, now())); /* the program already has the turn */
    assert_false(aw_link_start_turn(&second.link, now() + AW_MILLISECOND));
    aw_link_end_turn(&first.link);
    assert_true(aw_link_start_turn(&second.link, now()));
    assert_false(aw_link_start_turn(&first.link, now()));
    close(second.turns.fd);
    assert_true(aw_link_start_turn(&first.link, now()));
    assert_false(aw_link_find_sharer(&first.link, other, sizeof other)); /* only this process */
    close(first.turns.fd);
}

TEST_WITH(begin, end, waiting_program_gets_the_next_turn)
{
    struct program returning, waiting;
    struct flock head = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    open_node(&returning, usual_clock());
    open_node(&waiting, usual_clock());
    assert_int_equal(fcntl(waiting.turns.fd, F_OFD_SETLK, &head), 0); /* it is in the queue */
    assert_false(aw_link_start_turn(&returning.link, now() + AW_MILLISECOND));
    assert_true(aw_link_start_turn(&waiting.link, now()));
    close(waiting.turns.fd);
    close(returning.turns.fd);
}

/* A clock whose waits end the holder's turn. */
struct turning_clock {
    struct aw_real_clock real;
    struct aw_link *has; /* NULL: no holder */
};

static enum aw_status end_turn_meanwhile(struct aw_clock *clock, int fd, short events,
                                         int64_t deadline)
{
    struct turning_clock *self = (struct turning_clock *)clock;
    if (self->has)
        aw_link_end_turn(self->has);
    self->has = NULL;
    return aw_clock_wait(usual_clock(), fd, events, deadline);
}

TEST_WITH(begin, end, program_waits_for_its_turn)
{
    struct turning_clock clock = {.real = aw_real_clock(-1)};
    struct program first, second;
    open_node(&first, &clock.real.base);
    open_node(&second, &clock.real.base);
    assert_true(aw_link_start_turn(&first.link, now()));
    clock.real.base.wait = end_turn_meanwhile;
    clock.has = &first.link;
    assert_true(aw_link_start_turn(&second.link, now() + 10 * AW_SECOND));
    assert_null(clock.has);
    close(first.turns.fd);
    close(second.turns.fd);
}

TEST(links_without_turns_do_not_wait)
{
    struct program program = {.link = {.clock = usual_clock()}};
    assert_false(aw_link_start_turn(&program.link, AW_NEVER));
    program.link.turns = &program.turns;
    program.turns.fd = -1;
    assert_false(aw_link_start_turn(&program.link, AW_NEVER));
}
