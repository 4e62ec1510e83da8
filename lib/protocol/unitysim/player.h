/* Plays a motion sequence: for each feedback it returns the joint to move, its direction and speed.
 * Pure: it uses no link and no clock.
 *
 *     struct aw_player player;
 *     aw_player_start(&player, &sequence, &bounds, 1);
 *     while (player.phase != AW_PLAYER_DONE) {
 *         …feedback into positions and moving…
 *         struct aw_player_order order = aw_player_step(&player, positions, moving, now_ns);
 *         …send it: all joints stop, but order.joint…
 *     }
 *
 * A motion has arrived when |position - goal| <= tolerance; then the player stops the joint. The
 * delay starts once feedback shows the joint at rest. Near the goal the joint slows down. A joint
 * that stopped outside its tolerance (after a late or lost stop) returns slowly. Goals are clamped
 * to the limits, speeds to their caps.
 *
 * Source: the motion sequencer of brachI/Oplexus (with its rule for slowing down). Waiting for rest
 * and returning are ours, because datagrams get lost.
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
    AW_PLAYER_STOPPING, /* within the tolerance, until the joint is at rest */
    AW_PLAYER_WAITING,  /* until the user has moved the joint to the goal */
    AW_PLAYER_RESTING,  /* the delay after a motion */
    AW_PLAYER_DONE,
};

/* Read-only for callers. */
struct aw_player {
    const struct aw_sequence *sequence; /* borrowed */
    struct aw_player_bounds bounds;
    enum aw_player_phase phase;
    size_t row;       /* the current one */
    uint64_t round;   /* completed repeats of the sequence */
    uint64_t repeats; /* 0: without end */
    int goal;         /* of the current row, within the limits */
    unsigned tries;   /* how often the joint had to return */
    int64_t since_ns; /* start of the current row, by the clock of the steps */
    int64_t until_ns; /* RESTING: end of the delay */
    bool begun;
};

/* joint -1: no joint moves. direction +1: the ticks increase, -1: they decrease. */
struct aw_player_order {
    int joint, direction, velocity;
};

/* Starts a sequence and copies the bounds. An empty sequence is done at once. */
void aw_player_start(struct aw_player *player, const struct aw_sequence *sequence,
                     const struct aw_player_bounds *bounds, uint64_t repeats);

/* Runs one step. Per joint: positions in ticks, and moving (the velocity in the feedback is not
 * 0). now_ns must not decrease. */
struct aw_player_order aw_player_step(struct aw_player *player,
                                      const int positions[AW_UNITYSIM_JOINTS],
                                      const bool moving[AW_UNITYSIM_JOINTS], int64_t now_ns);

/* Returns the row being played, or NULL at the end. */
const struct aw_sequence_row *aw_player_row(const struct aw_player *player);

#endif
