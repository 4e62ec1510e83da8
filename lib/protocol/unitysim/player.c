/* Steps through the rows of a motion sequence and detects each motion's end. */
#include "protocol/unitysim/player.h"

#include <stdlib.h>

#include "base/clamp.h"
#include "protocol/unitysim/client.h"

const struct aw_sequence_row *aw_player_row(const struct aw_player *player)
{
    return player->phase == AW_PLAYER_DONE ? NULL : &player->sequence->rows[player->row];
}

static void begin_row(struct aw_player *player, int64_t now_ns)
{
    const struct aw_sequence_row *row = &player->sequence->rows[player->row];
    const struct aw_unitysim_limit *limit = &player->bounds.limits.joint[row->joint];
    player->phase = row->kind == AW_SEQUENCE_AUTO ? AW_PLAYER_MOVING : AW_PLAYER_WAITING;
    player->goal = (int)aw_clamp(row->position, limit->min, limit->max);
    player->tries = 0;
    player->since_ns = now_ns;
}

void aw_player_start(struct aw_player *player, const struct aw_sequence *sequence,
                     const struct aw_player_bounds *bounds, uint64_t repeats)
{
    *player = (struct aw_player){.sequence = sequence, .bounds = *bounds, .repeats = repeats};
    if (sequence->n == 0)
        player->phase = AW_PLAYER_DONE;
    else
        begin_row(player, 0);
}

static void judge(struct aw_player *player, const struct aw_sequence_row *row, int position,
                  bool moving, int64_t now_ns)
{
    bool inside = abs(player->goal - position) <= row->tolerance;
    if (player->phase == AW_PLAYER_MOVING && inside)
        player->phase = AW_PLAYER_STOPPING;
    if (player->phase == AW_PLAYER_STOPPING && !moving && !inside) {
        player->tries++;
        player->phase = AW_PLAYER_MOVING;
    }
    bool arrived = inside && ((player->phase == AW_PLAYER_STOPPING && !moving) ||
                              player->phase == AW_PLAYER_WAITING);
    if (arrived) {
        player->phase = AW_PLAYER_RESTING;
        player->until_ns = now_ns + (int64_t)row->delay_ms * 1000000;
    }
}

struct aw_player_order aw_player_step(struct aw_player *player,
                                      const int positions[AW_UNITYSIM_JOINTS],
                                      const bool moving[AW_UNITYSIM_JOINTS], int64_t now_ns)
{
    static const struct aw_player_order none = {.joint = -1};
    if (!player->begun)
        player->since_ns = now_ns;
    player->begun = true;
    if (player->phase == AW_PLAYER_RESTING && now_ns >= player->until_ns) {
        if (++player->row == player->sequence->n) {
            player->row = 0;
            player->round++;
        }
        if (player->repeats > 0 && player->round == player->repeats)
            player->phase = AW_PLAYER_DONE;
        else
            begin_row(player, now_ns);
    }
    const struct aw_sequence_row *row = aw_player_row(player);
    if (!row)
        return none;
    int position = positions[row->joint];
    judge(player, row, position, moving[row->joint], now_ns);
    if (player->phase != AW_PLAYER_MOVING)
        return none;
    int cap = player->bounds.velocity[row->joint];
    int velocity = row->velocity < cap ? row->velocity : cap;
    if (player->tries > 0 && velocity > AW_UNITYSIM_SLOWEST)
        velocity = AW_UNITYSIM_SLOWEST;
    int distance = abs(player->goal - position);
    return (struct aw_player_order){
        .joint = row->joint,
        .direction = player->goal > position ? 1 : -1,
        .velocity = aw_unitysim_approach(velocity, row->tolerance, distance),
    };
}
