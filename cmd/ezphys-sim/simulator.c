/* Steps a world for its client, in lock-step or real time, and sends its state. */
#include "simulator.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "log.h"

#define DELAY_MAX      (AW_SECOND / 4) /* a larger delay is skipped */
#define CHECK_INTERVAL AW_SECOND       /* interval of checks that a silent client still exists */
#define TURN_MAX       (20 * AW_MILLISECOND) /* max time of physics between reads */

enum aw_status simulator_init(struct simulator *sim, const struct settings *settings,
                              const struct aw_scene *scene, struct aw_wire *wire,
                              struct aw_error *err)
{
    memset(sim, 0, sizeof *sim);
    sim->settings = settings;
    sim->scene = scene;
    sim->world = world_new(scene, &settings->world);
    if (!sim->world)
        return aw_no_memory(err);
    enum aw_status status = encoder_init(&sim->encoder, wire, scene, err);
    if (status == AW_OK)
        status = custom_init(&sim->custom, wire, scene, sim->world, err);
    return status == AW_OK
               ? listener_init(&sim->listener, wire, scene, sim->world, &sim->custom, err)
               : status;
}

void simulator_free(struct simulator *sim)
{
    listener_free(&sim->listener);
    encoder_free(&sim->encoder);
    custom_free(&sim->custom);
    world_free(sim->world);
}

/* Restarts the real-time clock. */
static void start_clock(struct simulator *sim, int64_t now)
{
    sim->start_ns = now;
    sim->start_step = world_steps(sim->world);
}

static bool step_world(struct simulator *sim)
{
    custom_drive(&sim->custom);
    return world_step(sim->world);
}

static void restart_unstable(struct simulator *sim)
{
    print_log("ezphys-sim: simulation unstable at step %" PRId64
              "; scene restarted — use gentler commands or a smaller --step-size\n",
              world_steps(sim->world));
    world_reset(sim->world);
    custom_release_all(&sim->custom);
    start_clock(sim, aw_clock_now(sim->link->clock));
}

/* If the client has disconnected, the next read reports it. */
static void send_state(struct simulator *sim)
{
    struct aw_span message;
    struct aw_error err;
    if (encoder_encode(&sim->encoder, sim->world, &sim->custom, &message, &err) != AW_OK) {
        restart_unstable(sim);
        encoder_encode(&sim->encoder, sim->world, &sim->custom, &message, NULL);
    }
    aw_link_write(sim->link, message.data, message.size, NULL);
    world_clear_forces(sim->world);
    sim->reports.reported_step = world_steps(sim->world);
    sim->reports.n_reported++;
}

static void greet_client(struct simulator *sim, int64_t now)
{
    listener_restart(&sim->listener);
    start_clock(sim, now);
    sim->connected = true;
    sim->reports.timeout_reported = false;
    sim->next_ns = now + sim->settings->interval_ns;
    sim->answer_due_ns = now + sim->settings->timeout_ns;
    send_state(sim);
}

/* ---- Lock-step ------------------------------------------------------------------------------- */

static void step_many(struct simulator *sim)
{
    for (unsigned i = 0; i < sim->settings->steps_per_message; i++)
        if (!step_world(sim)) {
            restart_unstable(sim);
            return;
        }
}

static void run_lock_step(struct simulator *sim)
{
    unsigned n, answers = 0;
    while ((n = listener_read(&sim->listener)) > 0)
        for (answers += n; n > 0; n--) {
            if (!sim->listener.was_reset)
                step_many(sim);
            sim->listener.was_reset = false;
            send_state(sim);
        }
    int64_t now = aw_clock_now(sim->link->clock);
    if (answers > 0) {
        sim->answer_due_ns = now + sim->settings->timeout_ns;
        if (sim->reports.timeout_reported)
            print_log("ezphys-sim: client reconnected, simulation resumed\n");
        sim->reports.timeout_reported = false;
    }
    if (sim->reports.timeout_reported || !sim->connected || now < sim->answer_due_ns)
        return;
    print_log("ezphys-sim: no answer to step %" PRId64
              " for %g s, simulation paused — answer every message (an empty answer suffices)\n",
              world_steps(sim->world), (double)sim->settings->timeout_ns / AW_SECOND);
    sim->reports.timeout_reported = true;
}

/* ---- Real time ------------------------------------------------------------------------------- */

static int64_t get_step_time(const struct simulator *sim, int64_t steps)
{
    return sim->start_ns +
           llround((double)(steps - sim->start_step) * world_step_size(sim->world) * AW_SECOND);
}

static void catch_up(struct simulator *sim, int64_t now)
{
    int64_t until = now + TURN_MAX, clock = now;
    while (clock < until && get_step_time(sim, world_steps(sim->world) + 1) <= now) {
        if (!step_world(sim)) {
            restart_unstable(sim);
            return;
        }
        clock = aw_clock_now(sim->link->clock);
    }
    if (clock - get_step_time(sim, world_steps(sim->world)) > DELAY_MAX) {
        if (!sim->reports.slow_reported)
            print_log("ezphys-sim: simulation slower than real time — use --quick or a larger "
                      "--step-size\n");
        sim->reports.slow_reported = true;
        start_clock(sim, clock);
    }
}

static void run_real_time(struct simulator *sim)
{
    while (listener_read(&sim->listener) > 0)
        continue;
    int64_t now = aw_clock_now(sim->link->clock);
    if (sim->listener.was_reset) {
        sim->listener.was_reset = false;
        start_clock(sim, now);
        send_state(sim);
    }
    if (!sim->connected)
        return;
    catch_up(sim, now);
    if (now < sim->next_ns || world_steps(sim->world) == sim->reports.reported_step)
        return;
    send_state(sim);
    sim->next_ns += sim->settings->interval_ns;
    if (sim->next_ns < now)
        sim->next_ns = now + sim->settings->interval_ns;
}

/* ---- Both ------------------------------------------------------------------------------------ */

static int64_t get_next_event(const struct simulator *sim)
{
    if (!sim->connected)
        return AW_NEVER;
    if (sim->settings->real_time)
        return get_step_time(sim, world_steps(sim->world) + 1);
    return sim->reports.timeout_reported ? aw_clock_now(sim->link->clock) + CHECK_INTERVAL
                                         : sim->answer_due_ns;
}

static enum aw_status run_once(struct simulator *sim, struct aw_error *err)
{
    size_t cap, got = 0;
    uint8_t *room = listener_space(&sim->listener, &cap);
    enum aw_status status = aw_link_read(sim->link, room, cap, &got, get_next_event(sim), err);
    if (status != AW_OK && status != AW_TIMEOUT && status != AW_EVENT)
        return status;
    if (sim->connected && (sim->link->no_client || status == AW_EVENT)) {
        print_log("ezphys-sim: client disconnected at step %" PRId64
                  ", simulation paused until the next client connects\n",
                  world_steps(sim->world));
        sim->connected = false;
    }
    if (status == AW_EVENT)
        greet_client(sim, aw_clock_now(sim->link->clock));
    listener_commit(&sim->listener, got);
    if (sim->settings->real_time)
        run_real_time(sim);
    else
        run_lock_step(sim);
    return AW_OK;
}

enum aw_status simulator_serve(struct simulator *sim, struct aw_link *link, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    sim->link = link;
    if (!link->no_client)
        greet_client(sim, aw_clock_now(link->clock));
    while (status == AW_OK)
        status = run_once(sim, err);
    if (status == AW_LOST)
        sim->connected = false;
    return status;
}
