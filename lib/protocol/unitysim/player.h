/* Plays a motion sequence: says, each time feedback has come, which joint is to move, which way and
 * how fast. Pure: it knows no link and no clock.
 *
 *     struct aw_player player;
 *     aw_player_start(&player, &sequence, &bounds, 1);
 *     while (player.phase != AW_PLAYER_DONE) {
 *         …feedback into positions and moving…
 *         struct aw_player_order order = aw_player_step(&player, positions, moving, now_ns);
 *         …send it: all joints stop, but order.joint…
 *     }
 *
 * A motion has arrived when |position - goal| <= tolerance; then the joint is stopped, and once the
 * feedback says that it stands, the delay passes. Near the goal the joint slows down. A joint that
 * stopped outside of its tolerance (the stop was late, or lost) goes back, slowly. Goals are moved
 * to the limits, speeds to their caps.
 *
 * Source: the motion sequencer of brachI/Oplexus (its rule for slowing down included); waiting for
 * the stand and going back are ours, because datagrams get lost.
 */
#ifndef AW_PROTOCOL_UNITYSIM_PLAYER_H
#define AW_PROTOCOL_UNITYSIM_PLAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol/unitysim/arm.h"
#include "protocol/unitysim/sequence.h"

struct aw_player_bounds {
    struct aw_unitysim_limits limits;
    int velocity[AW_UNITYSIM_JOINTS]; /* the caps */
};

enum aw_player_phase {
    AW_PLAYER_MOVING,
    AW_PLAYER_STOPPING, /* inside of the tolerance, until the joint stands */
    AW_PLAYER_WAITING,  /* until the user has moved the joint there */
    AW_PLAYER_RESTING,  /* the delay after a motion */
    AW_PLAYER_DONE,
};

/* Read it, but do not change it. */
struct aw_player {
    const struct aw_sequence *sequence; /* not owned */
    struct aw_player_bounds bounds;
    enum aw_player_phase phase;
    size_t row;       /* the current one */
    uint64_t round;   /* how many times all was played */
    uint64_t repeats; /* 0: for ever */
    int goal;         /* of the current row, within the limits */
    unsigned tries;   /* how often the joint had to go back */
    int64_t since_ns; /* when the current row began, by the clock of the steps */
    int64_t until_ns; /* RESTING: its end */
    bool begun;
};

/* joint -1: none moves. direction +1: the ticks increase, -1: they decrease. */
struct aw_player_order {
    int joint, direction, velocity;
};

/* Copies the bounds. An empty sequence is done at once. */
void aw_player_start(struct aw_player *player, const struct aw_sequence *sequence,
                     const struct aw_player_bounds *bounds, uint64_t repeats);

/* positions in ticks and moving (the velocity in the feedback is not 0), per joint; now_ns never
 * falls. */
struct aw_player_order aw_player_step(struct aw_player *player,
                                      const int positions[AW_UNITYSIM_JOINTS],
                                      const bool moving[AW_UNITYSIM_JOINTS], int64_t now_ns);

/* The row being played, or NULL when all is done. */
const struct aw_sequence_row *aw_player_row(const struct aw_player *player);

#endif
