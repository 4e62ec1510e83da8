/* The conversation with a client: when the world steps, and when its state is sent.
 *
 * A new client first receives the current state. Then
 *   - in lock-step, each of its messages advances the world by a number of steps and is answered
 *     by the new state. Without a message nothing moves. A wait beyond the timeout is reported, and
 *     the next message continues.
 *   - in real time, the world follows the wall clock and its state is sent at an interval.
 *
 * A reset is answered by the state of step 0. Without a client the world stands still, motors
 * included, until the next client connects.
 */
#ifndef AW_CMD_EZPHYS_SIM_SIMULATOR_H
#define AW_CMD_EZPHYS_SIM_SIMULATOR_H

#include "encoder.h"
#include "link/core/link.h"
#include "listener.h"

struct settings {
    bool real_time;
    unsigned steps_per_message; /* steps per message in lock-step mode */
    int64_t interval_ns, timeout_ns;
    struct world_options world;
};

struct simulator {
    const struct settings *settings;
    const struct aw_scene *scene;
    struct world *world;
    struct custom custom;
    struct encoder encoder;
    struct listener listener;
    struct aw_link *link;
    bool connected; /* a client is connected */
    struct {
        bool timeout_reported;
        bool slow_reported; /* the simulation was reported as slow */
        int64_t reported_step;
        uint64_t n_reported;
    } reports;
    int64_t answer_due_ns; /* lock-step: when a missing answer is reported as late, link's clock */
    int64_t next_ns;       /* real time: when to send the state, link's clock */
    int64_t start_ns;      /* real time: time of start_step, link's clock */
    int64_t start_step;
};

/* Initialises everything except sim->link, which each conversation sets. Borrows scene,
 * settings and wire. */
enum aw_status simulator_init(struct simulator *sim, const struct settings *settings,
                              const struct aw_scene *scene, struct aw_wire *wire,
                              struct aw_error *err);
void simulator_free(struct simulator *sim);

/* Runs until the link is lost (AW_LOST) or a signal arrives (AW_STOPPED). */
enum aw_status simulator_serve(struct simulator *sim, struct aw_link *link, struct aw_error *err);

#endif
