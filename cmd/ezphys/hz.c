/* hz and ping: rate, jitter and losses. */
#include "control/samples.h"
#include "shell/source/ping.h"
#include "state.h"

struct meter {
    struct aw_session *session;
    struct aw_samples intervals; /* ms of the wall clock between messages */
    struct aw_samples strides;   /* simulation steps between messages */
    int64_t first_ns, last_ns, last_step;
    uint64_t messages, stalls, restarts, bytes;
    uint64_t stall_ns;
    double step_size;
    bool is_timed;
    uint64_t epoch;
};

static void meter_add_message(struct meter *m)
{
    const struct aw_ezphys *ez = ezphys_client(m->session);
    const struct aw_ezphys_state *state = &ez->state;
    bool continues = m->messages > 0 && state->epoch == m->epoch;
    if (continues) {
        int64_t interval = ez->lockstep.received_ns - m->last_ns;
        aw_samples_add(&m->intervals, (double)interval / 1e6);
        m->stalls += (uint64_t)interval > m->stall_ns;
    }
    if (continues && m->is_timed && state->step > m->last_step)
        aw_samples_add(&m->strides, (double)(state->step - m->last_step));
    m->restarts += m->messages > 0 && !continues;
    if (m->messages++ == 0)
        m->first_ns = ez->lockstep.received_ns;
    m->epoch = state->epoch;
    m->is_timed = state->is_timed;
    m->last_step = state->step;
    m->step_size = state->step_size;
    m->last_ns = ez->lockstep.received_ns;
}

static enum aw_status measure(struct meter *m, int64_t deadline, uint64_t limit)
{
    struct aw_session *session = m->session;
    struct aw_ezphys *ez = ezphys_client(session);
    uint64_t bytes = 0;
    enum aw_status status = AW_OK;
    while (status == AW_OK && (!limit || m->messages < limit) &&
           (m->messages == 0 || aw_clock_now(session->clock) < deadline)) {
        aw_session_show_progress(session, "hz %.0f s, %llu messages", aw_session_seconds(session),
                                 (unsigned long long)m->messages);
        status = ezphys_receive(session, deadline, EZ_RECONNECT);
        if (status == AW_OK)
            status = aw_ezphys_answer(ez, &session->err);
        if (status == AW_OK && m->messages == 0)
            bytes = ez->counters.bytes;
        if (status == AW_OK)
            meter_add_message(m);
    }
    m->bytes = ez->counters.bytes - bytes;
    return status;
}

static enum aw_status run_meter(struct meter *m)
{
    struct aw_session *session = m->session;
    static const double window_s = 5;
    double seconds = session->options.run.for_s;
    uint64_t limit = (uint64_t)session->options.run.count;
    enum aw_status status = ezphys_open(session);
    if (status != AW_OK)
        return status;
    m->stall_ns = (uint64_t)(ezphys_read_given(session)->stall_s * 1e9);
    seconds = seconds > 0 ? seconds : limit ? 1e9 : window_s;
    status = measure(m, aw_clock_now(session->clock) + (int64_t)(seconds * 1e9), limit);
    if (m->messages == 0 && (status == AW_TIMEOUT || status == AW_OK))
        return ezphys_fail_no_message(session);
    if (status == AW_TIMEOUT && (uint64_t)(aw_clock_now(session->clock) - m->last_ns) > m->stall_ns)
        m->stalls++; /* the last stall did not end */
    struct aw_object *o = &m->session->result;
    struct aw_ezphys *ez = ezphys_client(m->session);
    double wall_s = (double)(m->last_ns - m->first_ns) / 1e9;
    struct aw_stats s = aw_samples_stats(&m->intervals), strides = aw_samples_stats(&m->strides);
    double simulated = strides.mean * (double)strides.n * m->step_size;
    aw_object_start(o, "hz");
    aw_object_add_count(o, "messages", m->messages);
    aw_object_add_number(o, "rate", wall_s > 0 ? (double)m->intervals.n / wall_s : 0, 1, "Hz");
    if (simulated > 0) {
        aw_object_add_number(o, "sim_rate", (double)m->intervals.n / simulated, 1, "Hz");
        aw_object_add_number(o, "sim_time", simulated, 6, "s");
        aw_object_add_number(o, "real_time_factor", wall_s > 0 ? simulated / wall_s : 0, 3, NULL);
        aw_object_add_number(o, "steps_per_message", strides.p50, 0, NULL);
    }
    aw_object_add_stats_ms(o, NULL, &s);
    aw_object_add_number(o, "bandwidth", wall_s > 0 ? (double)m->bytes / wall_s / 1e6 : 0, 3,
                         "MB/s");
    aw_object_add_count(o, "lost", aw_ping_count_missing(&m->strides, strides.p50));
    aw_object_add_count(o, "stalls", m->stalls);
    aw_object_add_count(o, "damaged", ez->counters.malformed);
    if (m->restarts)
        aw_object_add_count(o, "restarts", m->restarts);
    return status == AW_TIMEOUT ? AW_OK : status;
}

enum aw_status run_hz(struct aw_session *session, const struct aw_args *args)
{
    struct meter m = {.session = session};
    (void)args;
    enum aw_status status = run_meter(&m);
    aw_samples_free(&m.intervals);
    aw_samples_free(&m.strides);
    return status;
}

/* Measures from the answer to the next message: one simulator step and the round trip. */
enum aw_status ezphys_ping(struct aw_session *session, double *ms)
{
    int64_t start = aw_clock_now(session->clock);
    enum aw_status status = ezphys_exchange(session);
    *ms = (double)(aw_clock_now(session->clock) - start) / 1e6;
    return status;
}

enum aw_status ezphys_report_ping(struct aw_session *session, enum aw_status status)
{
    return status == AW_OK ? aw_ezphys_answer(ezphys_client(session), &session->err) : status;
}
