/* Any text as a motion sequence: read, or refused with the place. What is read is what the wire can
 * carry, reads back the same when it is written, and can be played to an end.
 */
#include <string.h>

#include "fuzz.h"
#include "unitysim/player.h"

static void write_and_read(const struct aw_sequence *sequence)
{
    struct aw_error err;
    struct aw_sequence again = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    MUST(out && aw_sequence_write(out, sequence, &err) == AW_OK && fclose(out) == 0);
    FILE *in = fmemopen(text, size, "r");
    MUST(in && aw_sequence_read(in, "again", &again, &err) == AW_OK);
    fclose(in);
    MUST(again.n == sequence->n);
    for (size_t i = 0; i < again.n; i++) {
        again.rows[i].line = sequence->rows[i].line;
        MUST(memcmp(&again.rows[i], &sequence->rows[i], sizeof again.rows[i]) == 0);
    }
    aw_sequence_free(&again);
    free(text);
}

/* By an arm that is one step later where it was sent. */
static void play(const struct aw_sequence *sequence)
{
    struct aw_player_bounds bounds = {aw_unity_limits_default(), {67, 45, 90, 67, 90}};
    struct aw_player player;
    int positions[AW_UNITY_JOINTS] = {2048, 2048, 2048, 2048, 2048};
    bool moving[AW_UNITY_JOINTS] = {false};
    int64_t now = 0;
    aw_player_start(&player, sequence, &bounds, 1);
    for (size_t steps = 0; player.phase != AW_PLAYER_DONE; steps++) {
        MUST(steps < sequence->n * 8 + 8);
        const struct aw_sequence_row *row = aw_player_row(&player);
        struct aw_player_order order = aw_player_step(&player, positions, moving, now);
        now += 3600 * AW_SECOND;
        MUST(order.joint < AW_UNITY_JOINTS);
        MUST(order.joint < 0 ||
             (order.velocity > 0 && order.velocity <= bounds.velocity[order.joint]));
        if (row && player.phase != AW_PLAYER_DONE)
            positions[aw_player_row(&player)->joint] = player.goal;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct aw_error err = {0};
    struct aw_sequence sequence = {0};
    if (size == 0)
        return 0;
    FILE *in = fmemopen((void *)(uintptr_t)data, size, "r");
    MUST(in);
    if (aw_sequence_read(in, "fuzz", &sequence, &err) == AW_OK) {
        MUST(sequence.n > 0 && sequence.n <= AW_SEQUENCE_ROWS);
        write_and_read(&sequence);
        play(&sequence);
    } else {
        MUST(strncmp(err.text, "fuzz:", 5) == 0 && sequence.n == 0);
    }
    fclose(in);
    aw_sequence_free(&sequence);
    return 0;
}
