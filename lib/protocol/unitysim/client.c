/* Maintains the control stream, receives feedback, and moves joints to targets. */
#include "protocol/unitysim/client.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/text.h"
#include "link/core/url.h"
#include "protocol/unitysim/fields.h"
#include "protocol/unitysim/wire.h"

#define STALE_NS    (200 * AW_MILLISECOND)
#define SAMPLES_MAX 1000000
#define FRAME_RATE  30
/* time after which feedback must show our commands */
#define SETTLE_NS (500 * AW_MILLISECOND)
/* number of consecutive feedback messages with other commands */
#define MAX_CONFLICTS   5
#define SILENCE_NS      AW_SECOND
#define REPORT_AGAIN_NS (5 * AW_SECOND)
#define DRAIN_MAX       100000
#define SCENE_AGAIN_NS  (500 * AW_MILLISECOND)
#define CAMERA_AGAIN_NS (250 * AW_MILLISECOND)
#define START_TOLERANCE 30 /* ticks */
#define UPDATES         3
#define STOPS_MIN       5
#define STOPS_MAX       20
#define QUIET_MESSAGES  3 /* number of consecutive feedback messages without a driven joint */
#define MOVE_NS         (10 * AW_SECOND)
#define TOLERANCE       10
/* number of consecutive feedback messages: a stopped joint coasts for a step */
#define SETTLED_MESSAGES 3
/* number of feedback messages within the tolerance after which the joint will not come closer */
#define MAX_WAIT 20

/* Approximate time until the next, better informed command takes effect. */
#define HORIZON_S 0.12
/* speed in ticks/s per unit of velocity */
#define TICKS_S     (AW_UNITYSIM_DEG_S * AW_UNITYSIM_TURN / 360)
#define BRAKE_TICKS (TICKS_S * HORIZON_S)

struct aw_unitysim_options aw_unitysim_defaults(void)
{
    return (struct aw_unitysim_options){.limits = aw_unitysim_limits_default(),
                                        .frame_rate = FRAME_RATE,
                                        .stale_ns = STALE_NS,
                                        .samples_max = SAMPLES_MAX};
}

void aw_unitysim_init(struct aw_unitysim *unity, struct aw_link *link,
                      const struct aw_variant *variant, const struct aw_unitysim_options *options)
{
    memset(unity, 0, offsetof(struct aw_unitysim, wire));
    unity->link = link;
    unity->options = *options;
    unity->feedback.time_ns = AW_NO_TIME;
    unity->reported_ns = INT64_MIN;
    aw_wire_init(&unity->wire, options->protocol ? options->protocol : &aw_unitysim_protocol,
                 variant, false);
    unity->layout.control = aw_wire_codec(&unity->wire, "control", AW_TX);
    unity->layout.feedback_codec = aw_wire_codec(&unity->wire, "feedback", AW_RX);
    unity->layout.camera_codec = aw_wire_codec(&unity->wire, "camera", AW_RX);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        unity->layout.velocity_scalar[i] =
            (int8_t)aw_unitysim_find_scalar(unity->layout.control, i, "velocity");
        unity->layout.state_scalar[i] =
            (int8_t)aw_unitysim_find_scalar(unity->layout.control, i, "state");
        unity->layout.position_scalar[i] =
            (int8_t)aw_unitysim_find_scalar(unity->layout.feedback_codec, i, "position");
        unity->layout.echo_scalar[i] =
            (int8_t)aw_unitysim_find_scalar(unity->layout.feedback_codec, i, "velocity");
    }
}

void aw_unitysim_free(struct aw_unitysim *unity)
{
    aw_samples_free(&unity->stream.cadence_ms);
}

enum aw_status aw_unitysim_parse_variant(const char *url, struct aw_variant *variant,
                                         struct aw_error *err)
{
    struct aw_url parts;
    enum aw_status status = aw_url_parse(&parts, url, err);
    const char *compat = status == AW_OK ? aw_url_get(&parts, "compat") : NULL;
    if (!compat || strcmp(compat, "40") == 0)
        return status;
    if (strcmp(compat, "38") != 0)
        return aw_fail(err, AW_USAGE,
                       "link key compat=%.20s: not supported — use 38 (length byte as in "
                       "brachI/Oplexus) or 40 (as documented)",
                       compat);
    *variant = *aw_protocol_variant(&aw_unitysim_protocol, "compat38");
    return AW_OK;
}

static int64_t get_now_ns(const struct aw_unitysim *unity)
{
    return aw_clock_now(unity->link->clock);
}

/* ---- Sending ---- */

static enum aw_status send_record(struct aw_unitysim *unity, const struct aw_record *record,
                                  struct aw_error *err)
{
    uint8_t bytes[AW_UNITYSIM_FRAME_MAX];
    size_t size;
    enum aw_status status =
        aw_encode(record, unity->options.force, bytes, sizeof bytes, &size, err);
    if (status == AW_OK)
        status = aw_link_write(unity->link, bytes, size, err);
    unity->counters.sent += status == AW_OK;
    return status;
}

void aw_unitysim_build_control(struct aw_unitysim *unity, struct aw_record *record)
{
    aw_record_init(record, unity->layout.control, AW_TX);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        record->v[unity->layout.velocity_scalar[i]] = unity->drive[i].velocity;
        record->v[unity->layout.state_scalar[i]] = unity->drive[i].state;
    }
    record->present = unity->layout.control->masks.values;
}

void aw_unitysim_last_stop(struct aw_unitysim *unity, aw_frame_fn *add, void *context)
{
    struct aw_record record;
    uint8_t bytes[AW_UNITYSIM_FRAME_MAX];
    size_t size;
    aw_record_init(&record, unity->layout.control,
                   AW_TX); /* joints without a command are not driven */
    if (aw_encode(&record, false, bytes, sizeof bytes, &size, NULL) == AW_OK)
        add(context, bytes, size);
}

static enum aw_status send_control(struct aw_unitysim *unity, struct aw_error *err)
{
    struct aw_record record;
    aw_unitysim_build_control(unity, &record);
    return send_record(unity, &record, err);
}

static enum aw_status send_if_due(struct aw_unitysim *unity, struct aw_error *err)
{
    int64_t now = get_now_ns(unity);
    if (!unity->stream.streaming || now < unity->stream.next_tick_ns)
        return AW_OK;
    bool is_first = unity->stream.last_tick_ns == AW_NEVER;
    if (!is_first && (int64_t)unity->stream.cadence_ms.n < unity->options.samples_max)
        aw_samples_add(&unity->stream.cadence_ms, (double)(now - unity->stream.last_tick_ns) / 1e6);
    unity->stream.last_tick_ns = now;
    /* The next period stays on the grid; missed periods are skipped. */
    unity->stream.next_tick_ns += AW_UNITYSIM_CADENCE_NS;
    if (unity->stream.next_tick_ns <= now) {
        int64_t missed = (now - unity->stream.next_tick_ns) / AW_UNITYSIM_CADENCE_NS + 1;
        unity->counters.late += (uint64_t)missed;
        unity->stream.next_tick_ns += missed * AW_UNITYSIM_CADENCE_NS;
    }
    unity->counters.ticks++;
    return send_control(unity, err);
}

static void latch(struct aw_unitysim *unity, int joint, struct aw_unitysim_drive drive)
{
    struct aw_unitysim_drive *old = &unity->drive[joint];
    int max = unity->options.force ? AW_UNITYSIM_VELOCITY_MAX : aw_unitysim_velocity_cap(joint);
    if (drive.velocity > max)
        drive.velocity = max;
    if (old->state != drive.state || old->velocity != drive.velocity)
        unity->changed_ns[joint] = get_now_ns(unity);
    *old = drive;
}

void aw_unitysim_drive(struct aw_unitysim *unity, int joint, struct aw_unitysim_drive drive)
{
    latch(unity, joint, drive);
    if (unity->stream.streaming)
        return;
    unity->stream.streaming = true;
    unity->stream.next_tick_ns = get_now_ns(unity);
    unity->stream.last_tick_ns = AW_NEVER;
}

/* ---- Listening ---- */

static bool shows_other_command(const struct aw_unitysim *unity, int joint, int64_t now)
{
    const struct aw_unitysim_drive *drive = &unity->drive[joint];
    int wanted = aw_unitysim_is_driven(drive) ? drive->velocity : 0;
    return unity->stream.streaming && drive->state != AW_UNITYSIM_KEEP &&
           now - unity->changed_ns[joint] > SETTLE_NS &&
           abs(unity->feedback.velocity[joint] - wanted) > 1;
}

/* Detects another program's stream, because feedback repeats the velocities that were sent last.
 * Reports it after MAX_CONFLICTS consecutive messages. */
static void detect_conflict(struct aw_unitysim *unity, int64_t now)
{
    int joint = 0;
    while (joint < AW_UNITYSIM_JOINTS && !shows_other_command(unity, joint, now))
        joint++;
    unity->n_conflicts = joint < AW_UNITYSIM_JOINTS ? unity->n_conflicts + 1 : 0;
    if (unity->n_conflicts == 0)
        unity->reports.conflict[0] = '\0';
    if (unity->n_conflicts < MAX_CONFLICTS)
        return;
    const struct aw_unitysim_drive *drive = &unity->drive[joint];
    snprintf(unity->reports.conflict, sizeof unity->reports.conflict,
             "%s is driven with velocity %d, not our %d: another client commands the arm — end it "
             "(such as brachI/Oplexus)",
             aw_unitysim_joint_name(joint), unity->feedback.velocity[joint],
             aw_unitysim_is_driven(drive) ? drive->velocity : 0);
}

/* Stops joints that are driven further beyond our limits, unless options.force is set, and sets
 * received->notice. The simulator enforces only the limits that it received, which may be wider. */
static void stop_at_limits(struct aw_unitysim *unity, struct aw_received *received)
{
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        const struct aw_unitysim_limit *limit = &unity->options.limits.joint[i];
        int position = unity->feedback.position[i];
        bool increasing = unity->drive[i].state == AW_UNITYSIM_INCREASE;
        bool beyond = increasing ? position > limit->max : position < limit->min;
        if (!beyond || !aw_unitysim_is_driven(&unity->drive[i]) || unity->options.force)
            continue;
        latch(unity, i, (struct aw_unitysim_drive){.state = AW_UNITYSIM_STOP});
        snprintf(unity->reports.limit_news, sizeof unity->reports.limit_news,
                 "%s: stopped at %d ticks, its limit is %d", aw_unitysim_joint_name(i), position,
                 increasing ? limit->max : limit->min);
        received->notice = unity->reports.limit_news;
    }
}

static void handle_feedback(struct aw_unitysim *unity, struct aw_received *received)
{
    struct aw_unitysim_feedback *feedback = &unity->feedback;
    const struct aw_link *link = unity->link;
    int64_t now = get_now_ns(unity),
            waited_ns = link->rx.time_ns ? aw_wall_time() - link->rx.time_ns : 0;
    int64_t arrived_ns = waited_ns > 0 && waited_ns < AW_SECOND * 60 ? now - waited_ns : now;
    int64_t gap_ns = arrived_ns - feedback->received_ns;
    if (unity->stream.listening && gap_ns > AW_UNITYSIM_CADENCE_NS * 3 / 2 && gap_ns < SILENCE_NS)
        unity->counters.lost +=
            (uint64_t)((gap_ns + AW_UNITYSIM_CADENCE_NS / 2) / AW_UNITYSIM_CADENCE_NS - 1);
    unity->stream.listening = true;
    feedback->count = ++unity->counters.feedback;
    feedback->received_ns = arrived_ns;
    feedback->time_ns = received->time_ns;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        feedback->position[i] = (int)received->record->v[unity->layout.position_scalar[i]];
        feedback->velocity[i] = (int)received->record->v[unity->layout.echo_scalar[i]];
    }
    stop_at_limits(unity, received);
    detect_conflict(unity, now);
    if (unity->reports.conflict[0] &&
        (unity->reported_ns == INT64_MIN || now - unity->reported_ns >= REPORT_AGAIN_NS)) {
        unity->reported_ns = now;
        received->notice = unity->reports.conflict;
    }
}

static enum aw_status handle_datagram(struct aw_unitysim *unity, struct aw_received *received,
                                      struct aw_error *err)
{
    struct aw_error reason;
    struct aw_record *record = &unity->record;
    unity->reports.link_news[0] = '\0';
    enum aw_status status = aw_wire_decode(&unity->wire, AW_RX, received->frame, record, &reason);
    if (status != AW_OK) {
        unity->counters.malformed++;
        snprintf(unity->reports.malformed_reason, sizeof unity->reports.malformed_reason, "%.150s",
                 reason.text);
        return aw_fail(err, status, "%s", reason.text);
    }
    record->time_ns = received->time_ns;
    received->record = record;
    received->dir = record->dir;
    if (record->codec == unity->layout.feedback_codec) {
        handle_feedback(unity, received);
    } else if (record->codec == unity->layout.camera_codec) {
        unity->camera = aw_unitysim_get_camera(record);
        unity->counters.camera++;
    } else if (record->dir == AW_TX && unity->counters.foreign++ == 0) {
        received->notice = "receiving another client's commands — swap its send and receive ports";
    }
    return AW_OK;
}

enum aw_status aw_unitysim_receive(struct aw_unitysim *unity, int64_t deadline,
                                   struct aw_received *received, struct aw_error *err)
{
    struct aw_link *link = unity->link;
    enum aw_status status;
    size_t size;
    do {
        *received = (struct aw_received){.dir = AW_RX, .time_ns = AW_NO_TIME};
        status = send_if_due(unity, err);
        if (status != AW_OK)
            return status;
        int64_t until =
            unity->stream.streaming ? aw_min_time(unity->stream.next_tick_ns, deadline) : deadline;
        status = aw_link_read(link, unity->frame, sizeof unity->frame, &size, until, err);
    } while (status == AW_TIMEOUT && get_now_ns(unity) < deadline);
    if (status == AW_EVENT && link->rx.event[0]) {
        snprintf(unity->reports.link_news, sizeof unity->reports.link_news, "%s", link->rx.event);
        received->notice = unity->reports.link_news;
    }
    if (status == AW_OK) {
        received->frame = (struct aw_span){unity->frame, size};
        received->time_ns = link->rx.time_ns ? link->rx.time_ns : AW_NO_TIME;
        status = handle_datagram(unity, received, err);
    }
    if (received->notice)
        snprintf(unity->reports.news, sizeof unity->reports.news, "%s", received->notice);
    return status;
}

/* Returns true if a wait continues. Lost and damaged feedback does not end it; a link or server
 * that refuses a command does. */
static bool can_continue(enum aw_status status)
{
    return status == AW_OK || status == AW_TIMEOUT || status == AW_EVENT || status == AW_MALFORMED;
}

static bool is_reportable(enum aw_status status, const struct aw_received *received)
{
    return status == AW_OK || (status == AW_EVENT && received->notice);
}

enum aw_status aw_unitysim_idle(struct aw_unitysim *unity, int64_t deadline, aw_received_fn *fn,
                                void *context, struct aw_error *err)
{
    /* A peer that is never silent must not delay the deadline. */
    while (get_now_ns(unity) <= deadline) {
        struct aw_received received;
        enum aw_status status = aw_unitysim_receive(unity, deadline, &received, err);
        if (!can_continue(status))
            return status;
        if (status == AW_TIMEOUT ||
            (is_reportable(status, &received) && fn && !fn(context, &received)))
            break;
    }
    return AW_OK;
}

enum aw_status aw_unitysim_poll(struct aw_unitysim *unity, struct aw_error *err)
{
    struct aw_received received;
    enum aw_status status = AW_OK;
    for (int i = 0; i < DRAIN_MAX && status != AW_TIMEOUT; i++) {
        status = aw_unitysim_receive(unity, get_now_ns(unity), &received, err);
        if (!can_continue(status))
            return status;
    }
    unity->stream.listening = false;
    return AW_OK;
}

int64_t aw_unitysim_age_ns(const struct aw_unitysim *unity)
{
    return unity->feedback.count ? get_now_ns(unity) - unity->feedback.received_ns : AW_NEVER;
}

bool aw_unitysim_is_stale(const struct aw_unitysim *unity)
{
    return aw_unitysim_age_ns(unity) > unity->options.stale_ns;
}

/* Reports why no data arrives: the link's news, or advice. */
static enum aw_status fail_no_data(const struct aw_unitysim *unity, const char *problem,
                                   int64_t wait_ns, const char *advice, struct aw_error *err)
{
    bool has_news = unity->reports.link_news[0];
    return aw_fail(err, AW_TIMEOUT, "%s within %.9g s%s%s", problem, (double)wait_ns / 1e9,
                   has_news ? ": " : " — ", has_news ? unity->reports.link_news : advice);
}

/* ---- Stopping ---- */

void aw_unitysim_end_stream(struct aw_unitysim *unity)
{
    unity->stream.streaming = false;
}

enum aw_status aw_unitysim_send_stop(struct aw_unitysim *unity, struct aw_error *err)
{
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        latch(unity, i, (struct aw_unitysim_drive){.state = AW_UNITYSIM_STOP});
    return send_control(unity, err);
}

static int find_first_driven(const struct aw_unitysim *unity)
{
    int joint = 0;
    while (joint < AW_UNITYSIM_JOINTS && unity->feedback.velocity[joint] == 0)
        joint++;
    return joint;
}

struct stopping {
    struct aw_unitysim *unity;
    uint64_t seen_count; /* number of feedback messages */
    int n_quiet;
};

static bool watch_stop(void *context, const struct aw_received *received)
{
    struct stopping *stopping = context;
    struct aw_unitysim *unity = stopping->unity;
    (void)received;
    if (unity->feedback.count == stopping->seen_count)
        return true;
    stopping->seen_count = unity->feedback.count;
    stopping->n_quiet = find_first_driven(unity) == AW_UNITYSIM_JOINTS ? stopping->n_quiet + 1 : 0;
    return true;
}

static enum aw_status repeat_stop(struct stopping *stopping, struct aw_error *err)
{
    struct aw_unitysim *unity = stopping->unity;
    uint64_t count_before = stopping->seen_count;
    enum aw_status status = AW_OK;
    for (int sent = 1; status == AW_OK; sent++) {
        /* Sends even if the clock refuses to wait. */
        aw_unitysim_idle(unity, get_now_ns(unity) + AW_UNITYSIM_CADENCE_NS, watch_stop, stopping,
                         NULL);
        bool no_feedback = stopping->seen_count == count_before && aw_unitysim_is_stale(unity);
        bool enough = no_feedback || stopping->n_quiet >= QUIET_MESSAGES;
        if (sent >= (enough ? STOPS_MIN : STOPS_MAX))
            break;
        status = send_control(unity, err);
    }
    return status;
}

enum aw_status aw_unitysim_stop(struct aw_unitysim *unity, struct aw_error *err)
{
    enum aw_status status = aw_unitysim_send_stop(unity, err);
    unity->stream.streaming = unity->stream.stop_confirmed = false;
    if (status == AW_OK)
        aw_unitysim_poll(unity, NULL); /* the loop below detects lost or refused datagrams */
    struct stopping stopping = {.unity = unity, .seen_count = unity->feedback.count};
    uint64_t count_before = stopping.seen_count;
    if (status == AW_OK)
        status = repeat_stop(&stopping, err);
    unity->stream.stop_confirmed = status == AW_OK && stopping.n_quiet > 0;
    if (status != AW_OK || stopping.seen_count == count_before || stopping.n_quiet > 0)
        return status;
    int joint = find_first_driven(unity);
    return aw_fail(
        err, AW_REFUSED,
        "%s is still moving at velocity %d — check whether another client commands the arm",
        aw_unitysim_joint_name(joint), unity->feedback.velocity[joint]);
}

/* ---- Scenes, camera, limits ---- */

static const struct aw_unitysim_camera scene_view;

void aw_unitysim_build_scene(struct aw_unitysim *unity, int scene,
                             const struct aw_unitysim_camera *camera, struct aw_record *record)
{
    aw_record_init(record, aw_wire_codec(&unity->wire, "scene", AW_TX), AW_TX);
    aw_record_set(record, "scene", scene, NULL);
    aw_record_set(record, "frame_rate", unity->options.frame_rate, NULL);
    aw_unitysim_put_camera(record, camera ? camera : &scene_view);
    aw_unitysim_put_limits(record, &unity->options.limits);
}

void aw_unitysim_build_update(struct aw_unitysim *unity, const struct aw_unitysim_camera *camera,
                              struct aw_record *record)
{
    aw_record_init(record, aw_wire_codec(&unity->wire, "update", AW_TX), AW_TX);
    aw_unitysim_put_camera(record, camera ? camera : &scene_view);
    aw_unitysim_put_limits(record, &unity->options.limits);
}

/* A request that is repeated until its condition holds. */
struct request {
    struct aw_unitysim *unity;
    const struct aw_record *record;
    int64_t interval_ns;
    bool (*is_answered)(const struct request *request);
    uint64_t count_before; /* number of such messages before the request */
    int sent, min_sent;
    bool done;
};

static bool watch_request(void *context, const struct aw_received *received)
{
    struct request *request = context;
    (void)received;
    request->done = request->sent >= request->min_sent && request->is_answered(request);
    return !request->done;
}

static enum aw_status repeat_request(struct request *request, int64_t wait_ns, struct aw_error *err)
{
    struct aw_unitysim *unity = request->unity;
    int64_t now = get_now_ns(unity), deadline = now + wait_ns;
    enum aw_status status = AW_OK;
    while (status == AW_OK && !request->done) {
        status = send_record(unity, request->record, err);
        request->sent++;
        if (status == AW_OK && wait_ns > 0)
            status = aw_unitysim_idle(
                unity, aw_min_time(get_now_ns(unity) + request->interval_ns, deadline),
                watch_request, request, err);
        if (get_now_ns(unity) >= deadline)
            break;
    }
    return status;
}

static bool is_at_start(const struct aw_unitysim *unity)
{
    bool all_at_start = true;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        const struct aw_unitysim_limit *limit = &unity->options.limits.joint[i];
        int start = (int)aw_clamp(AW_UNITYSIM_CENTRE, limit->min, limit->max);
        all_at_start = all_at_start &&
                       abs(unity->feedback.position[i] - start) <= START_TOLERANCE &&
                       unity->feedback.velocity[i] == 0;
    }
    return all_at_start;
}

static bool is_scene_loaded(const struct request *request)
{
    return request->unity->counters.feedback > request->count_before && is_at_start(request->unity);
}

enum aw_status aw_unitysim_scene_load(struct aw_unitysim *unity, int scene,
                                      const struct aw_unitysim_camera *camera, int64_t wait_ns,
                                      struct aw_error *err)
{
    struct aw_record record;
    enum aw_status status = aw_unitysim_limits_check(&unity->options.limits, err);
    if (status == AW_OK)
        status = aw_unitysim_poll(unity, err);
    if (status != AW_OK)
        return status;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        latch(unity, i, (struct aw_unitysim_drive){.state = AW_UNITYSIM_STOP});
    aw_unitysim_build_scene(unity, scene, camera, &record);
    /* Feedback of an arm that is at its start does not confirm the first request. */
    bool ambiguous = !aw_unitysim_is_stale(unity) && is_at_start(unity);
    struct request request = {.unity = unity,
                              .record = &record,
                              .interval_ns = SCENE_AGAIN_NS,
                              .is_answered = is_scene_loaded,
                              .count_before = unity->counters.feedback,
                              .min_sent = ambiguous ? 2 : 1};
    status = repeat_request(&request, wait_ns, err);
    if (status != AW_OK || request.done || wait_ns == 0)
        return status;
    if (unity->counters.feedback > request.count_before)
        return aw_fail(
            err, AW_TIMEOUT,
            "scene %d: arm does not move to its start position — check that the simulator has "
            "this scene, and that no other client drives the arm",
            scene);
    return fail_no_data(unity, "scene: no feedback", wait_ns,
                        "check that the simulator runs and sends to this port", err);
}

static bool has_camera_arrived(const struct request *request)
{
    return request->unity->counters.camera > request->count_before;
}

enum aw_status aw_unitysim_camera_get(struct aw_unitysim *unity, struct aw_unitysim_camera *camera,
                                      int64_t wait_ns, struct aw_error *err)
{
    struct aw_record record;
    enum aw_status status = aw_unitysim_poll(unity, err);
    if (status != AW_OK)
        return status;
    aw_record_init(&record, aw_wire_codec(&unity->wire, "camera_request", AW_TX), AW_TX);
    struct request request = {.unity = unity,
                              .record = &record,
                              .interval_ns = CAMERA_AGAIN_NS,
                              .is_answered = has_camera_arrived,
                              .count_before = unity->counters.camera};
    status = repeat_request(&request, wait_ns, err);
    if (status != AW_OK)
        return status;
    if (!request.done)
        return fail_no_data(unity, "camera: no answer", wait_ns,
                            "load a scene first: the simulator sends nothing without one", err);
    *camera = unity->camera;
    return AW_OK;
}

enum aw_status aw_unitysim_update(struct aw_unitysim *unity,
                                  const struct aw_unitysim_camera *camera, int64_t wait_ns,
                                  struct aw_error *err)
{
    struct aw_record record;
    struct aw_unitysim_camera current;
    enum aw_status status = aw_unitysim_limits_check(&unity->options.limits, err);
    if (status == AW_OK && !camera) {
        status = aw_unitysim_camera_get(unity, &current, wait_ns, err);
        camera = &current;
    }
    if (status == AW_OK)
        aw_unitysim_build_update(unity, camera, &record);
    for (int i = 0; i < UPDATES && status == AW_OK; i++) {
        status = send_record(unity, &record, err);
        if (status == AW_OK)
            status = aw_unitysim_idle(unity, get_now_ns(unity) + AW_UNITYSIM_CADENCE_NS, NULL, NULL,
                                      err);
    }
    return status;
}

/* ---- Moving ---- */

int aw_unitysim_approach_speed(int velocity, int tolerance, int distance)
{
    if (distance >= velocity * AW_UNITYSIM_SLOWEST / tolerance)
        return velocity;
    int gain = velocity / (tolerance * 5);
    int approach = velocity - velocity * gain * tolerance / distance;
    approach = approach < AW_UNITYSIM_SLOWEST ? AW_UNITYSIM_SLOWEST : approach;
    return approach < velocity ? approach : velocity;
}

void aw_unitysim_set_goal(struct aw_unitysim_move *move, int joint, int position)
{
    move->goals[joint].wanted = true;
    move->goals[joint].position = position;
}

enum aw_status aw_unitysim_move_check(const struct aw_unitysim *unity,
                                      const struct aw_unitysim_move *move, struct aw_error *err)
{
    bool force = unity->options.force;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        const struct aw_unitysim_goal *goal = &move->goals[i];
        const struct aw_unitysim_limit *limit = &unity->options.limits.joint[i];
        const char *name = aw_unitysim_joint_name(i);
        int cap = force ? AW_UNITYSIM_VELOCITY_MAX : aw_unitysim_velocity_cap(i);
        if (!goal->wanted)
            continue;
        if (!force && (goal->position < limit->min || goal->position > limit->max))
            return aw_fail(
                err, AW_LIMIT,
                "%s: %d ticks (%.1f deg) is out of range (%d to %d ticks, %.1f to %.1f deg) — "
                "give --force to override",
                name, goal->position, aw_unitysim_ticks_to_deg(goal->position), limit->min,
                limit->max, aw_unitysim_ticks_to_deg(limit->min),
                aw_unitysim_ticks_to_deg(limit->max));
        if (goal->velocity < 0 || goal->velocity > cap)
            return aw_fail(err, AW_LIMIT, "%s: velocity %d is out of range (1 to %d)%s", name,
                           goal->velocity, cap,
                           goal->velocity > cap && goal->velocity <= AW_UNITYSIM_VELOCITY_MAX
                               ? " — give --force to override"
                               : "");
        if (goal->tolerance < 0)
            return aw_fail(err, AW_LIMIT, "%s: tolerance %d is below 1 — give 1 or more", name,
                           goal->tolerance);
    }
    return AW_OK;
}

struct moving {
    struct aw_unitysim *unity;
    struct aw_unitysim_move move; /* with all defaults filled in */
    int64_t remaining_ns;         /* remaining part of the timeout */
    uint64_t seen_count;
    int n_settled;
    /* number of consecutive feedback messages within the tolerance */
    int n_inside[AW_UNITYSIM_JOINTS];
};

static int get_distance(const struct moving *moving, int joint)
{
    return moving->move.goals[joint].position - moving->unity->feedback.position[joint];
}

static bool is_at_goal(const struct moving *moving, int joint)
{
    const struct aw_unitysim_goal *goal = &moving->move.goals[joint];
    return !goal->wanted || abs(get_distance(moving, joint)) <= goal->tolerance;
}

static double get_speed(const struct moving *moving)
{
    return moving->move.speed ? *moving->move.speed : 1;
}

/* Returns the velocity of a joint at the current playback speed, from 1 to its cap; with
 * options.force to AW_UNITYSIM_VELOCITY_MAX. */
static int get_velocity(const struct moving *moving, int joint)
{
    bool force = moving->unity->options.force;
    int cap = force ? AW_UNITYSIM_VELOCITY_MAX : aw_unitysim_velocity_cap(joint);
    return (int)aw_clamp(round(moving->move.goals[joint].velocity * get_speed(moving)), 1, cap);
}

static struct aw_unitysim_drive drive_towards(const struct moving *moving, int joint)
{
    const struct aw_unitysim_goal *goal = &moving->move.goals[joint];
    int delta = get_distance(moving, joint), remaining = abs(delta);
    if (remaining <= (goal->tolerance + 1) / 2 || moving->n_inside[joint] > MAX_WAIT ||
        !(get_speed(moving) > 0))
        return (struct aw_unitysim_drive){.state = AW_UNITYSIM_STOP};
    int velocity =
        aw_unitysim_approach_speed(get_velocity(moving, joint), goal->tolerance, remaining);
    int max_velocity = (int)(remaining / BRAKE_TICKS) + 1;
    return (struct aw_unitysim_drive){
        .velocity = velocity < max_velocity ? velocity : max_velocity,
        .state = delta > 0 ? AW_UNITYSIM_INCREASE : AW_UNITYSIM_DECREASE,
    };
}

static void steer(struct moving *moving)
{
    struct aw_unitysim *unity = moving->unity;
    static const struct aw_unitysim_drive stop = {.state = AW_UNITYSIM_STOP};
    bool is_stale = aw_unitysim_is_stale(unity), all_settled = true;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        if (moving->move.goals[i].wanted)
            aw_unitysim_drive(unity, i, is_stale ? stop : drive_towards(moving, i));
    if (unity->feedback.count == moving->seen_count)
        return;
    moving->seen_count = unity->feedback.count;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        bool at_goal = is_at_goal(moving, i);
        bool resting = !moving->move.goals[i].wanted || unity->feedback.velocity[i] == 0;
        moving->n_inside[i] = at_goal ? moving->n_inside[i] + 1 : 0;
        all_settled = all_settled && at_goal && resting;
    }
    moving->n_settled = all_settled ? moving->n_settled + 1 : 0;
}

static enum aw_status fail_unreached(const struct moving *moving, struct aw_error *err)
{
    char list[200] = "";
    double seconds = (double)moving->move.timeout_ns / 1e9;
    if (aw_unitysim_is_stale(moving->unity))
        return fail_no_data(
            moving->unity, "no feedback", moving->unity->options.stale_ns,
            "check that the simulator runs, and load a scene (unitysim scene basic)", err);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        if (!is_at_goal(moving, i))
            aw_append(list, sizeof list, ", ", "%s at %d, target %d ticks",
                      aw_unitysim_joint_name(i), moving->unity->feedback.position[i],
                      moving->move.goals[i].position);
    return aw_fail(err, AW_TIMEOUT,
                   "timed out after %.9g s: %s — check the scene for joint limits and obstacles",
                   seconds, *list ? list : "the joints are not at rest");
}

/* Runs until all joints are at rest at their goals, fn returns false (AW_ENOUGH), the time is up
 * (AW_TIMEOUT), or an error occurs. */
static enum aw_status run_move(struct moving *moving, aw_received_fn *fn, void *context,
                               struct aw_error *err)
{
    struct aw_unitysim *unity = moving->unity;
    while (moving->n_settled < SETTLED_MESSAGES) {
        struct aw_received received;
        int64_t now = get_now_ns(unity);
        steer(moving);
        int64_t until = now + aw_min_time(AW_UNITYSIM_CADENCE_NS, moving->remaining_ns);
        enum aw_status status = aw_unitysim_receive(unity, until, &received, err);
        if (!can_continue(status))
            return status;
        if (is_reportable(status, &received) && fn && !fn(context, &received))
            return AW_ENOUGH;
        moving->remaining_ns -=
            (int64_t)((double)(get_now_ns(unity) - now) * fmin(1, get_speed(moving)));
        if (moving->remaining_ns <= 0)
            return fail_unreached(moving, err);
    }
    return AW_OK;
}

enum aw_status aw_unitysim_move(struct aw_unitysim *unity, const struct aw_unitysim_move *move,
                                aw_received_fn *fn, void *context, struct aw_error *err)
{
    enum aw_status status = aw_unitysim_move_check(unity, move, err);
    if (status == AW_OK)
        status = aw_unitysim_poll(unity, err);
    if (status != AW_OK)
        return status;
    struct moving moving = {.unity = unity, .move = *move, .seen_count = unity->feedback.count};
    if (moving.move.timeout_ns == 0)
        moving.move.timeout_ns = MOVE_NS;
    moving.remaining_ns = moving.move.timeout_ns;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        struct aw_unitysim_goal *goal = &moving.move.goals[i];
        goal->velocity = goal->velocity ? goal->velocity : aw_unitysim_velocity_cap(i);
        goal->tolerance = goal->tolerance ? goal->tolerance : TOLERANCE;
    }
    status = run_move(&moving, fn, context, err);
    if (status == AW_OK)
        return status;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        if (move->goals[i].wanted)
            latch(unity, i, (struct aw_unitysim_drive){.state = AW_UNITYSIM_STOP});
    send_control(unity, NULL);
    return status == AW_ENOUGH ? AW_OK : status;
}
