/* What a board, or anything that says it is one, can send to hidmotor: the input is cut into
 * reports that answer whatever is asked. And the list of faults and the state of the simulated
 * board, as a user writes them. The first byte chooses.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "hidmotor/client.h"
#include "hidmotor/device.h"
#include "hidmotor/motion.h"

struct script {
    struct aw_link base;
    struct aw_virtual_clock clock;
    const uint8_t *data;
    size_t size;
    uint8_t id[4]; /* of the last request */
};

/* One byte says how long the report is and whether it begins like the request. */
static enum aw_status script_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                  int64_t deadline, struct aw_error *err)
{
    struct script *script = (struct script *)link;
    (void)err;
    *got = 0;
    if (script->size == 0 || deadline <= script->clock.time_ns) {
        if (deadline > script->clock.time_ns)
            script->clock.time_ns = deadline;
        return AW_TIMEOUT;
    }
    uint8_t head = *script->data++;
    size_t wanted = head & 1 ? AW_HIDMOTOR_REPORT : head / 2 % (cap + 1);
    script->size--;
    *got = wanted;
    size_t there = wanted < script->size ? wanted : script->size;
    memset(buf, 0, cap);
    memcpy(buf, script->data, there);
    if (head & 2 && cap >= 4)
        memcpy(buf, script->id, 4);
    script->data += there;
    script->size -= there;
    script->clock.time_ns += AW_MILLISECOND;
    return AW_OK;
}

static enum aw_status script_write(struct aw_link *link, const void *buf, size_t size,
                                   struct aw_error *err)
{
    struct script *script = (struct script *)link;
    (void)err;
    MUST(size == AW_HIDMOTOR_REPORT);
    memcpy(script->id, buf, 4);
    return AW_OK;
}

static void must_be_sound(const struct aw_hidmotor_status *status)
{
    MUST(status->n >= 1 && status->n <= AW_HIDMOTOR_MOTORS);
    for (int i = 0; i < status->n; i++)
        MUST(isfinite(status->setpoint[i]) && isfinite(status->position[i]));
    MUST(status->n_velocity <= 4);
    for (int i = 0; i < status->n_velocity; i++)
        MUST(isfinite(status->velocity[i]) && isfinite(status->effort[i]));
}

static void must_stay_inside(const struct aw_hidmotor_stopped *stopped)
{
    struct aw_error err;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS && stopped->attempts; i++)
        MUST(aw_hidmotor_check(i, stopped->deg[i], false, &err) == AW_OK);
}

static void try_board(const uint8_t *data, size_t size)
{
    static const struct aw_link_ops ops = {.read = script_read, .write = script_write};
    struct script script = {.clock = aw_virtual_clock(), .data = data, .size = size};
    struct aw_hidmotor_options options = aw_hidmotor_defaults();
    struct aw_hidmotor arm;
    struct aw_hidmotor_status status;
    struct aw_hidmotor_stopped stopped;
    struct aw_hidmotor_plan plan;
    struct aw_hidmotor_target target = {.given = {true}, .duration_ms = 100};
    struct aw_error err;
    script.base = (struct aw_link){.ops = &ops, .clock = &script.clock.base, .datagrams = true};
    aw_hidmotor_init(&arm, &script.base, &options);
    if (aw_hidmotor_status(&arm, &status, &err) == AW_OK)
        must_be_sound(&status);
    if (aw_hidmotor_plan(&arm, &target, &plan, &err) == AW_OK &&
        aw_hidmotor_move(&arm, &plan, NULL, &err) == AW_OK)
        aw_hidmotor_wait(&arm, &plan, AW_HIDMOTOR_TOLERANCE, 10 * AW_SECOND, NULL, NULL, &err);
    aw_hidmotor_stop(&arm, &stopped, &err);
    must_stay_inside(&stopped);
}

static void try_faults(const uint8_t *data, size_t size)
{
    struct aw_hidmotor_faults faults;
    enum aw_hidmotor_state state;
    struct aw_error err = {0};
    char text[256];
    if (size >= sizeof text)
        size = sizeof text - 1;
    memcpy(text, data, size);
    text[size] = '\0';
    if (aw_hidmotor_faults_parse(text, &faults, &err) != AW_OK)
        MUST(*err.text);
    else
        for (int i = 0; i < AW_HIDMOTOR_FAULTS; i++)
            MUST(faults.share[i] >= 0 && faults.share[i] <= 1);
    if (aw_hidmotor_state_parse(text, &state, &err) == AW_OK)
        MUST(strcmp(aw_hidmotor_state_names()[state], text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] & 1)
        try_faults(data + 1, size - 1);
    else
        try_board(data + 1, size - 1);
    return 0;
}
