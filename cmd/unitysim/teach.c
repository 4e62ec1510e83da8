/* unitysim teach: records points of the hand-driven arm into a motion sequence. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/ready.h"
#include "protocol/unitysim/sequence.h"
#include "state.h"

struct teach {
    struct aw_session *session;
    struct aw_sequence sequence;
    int last_positions[AW_UNITYSIM_JOINTS]; /* positions of the last point */
    bool has_point;                         /* a point exists */
    int velocity, tolerance;                /* velocity 0: each joint's maximum */
    int64_t every_ns, next_ns;              /* every_ns 0: a point for each line typed */
    int64_t deadline;
    char first_char; /* first character of the current line */
    bool done;
};

/* Adds a row for each joint that has moved since the last point. */
static enum aw_status add_point(struct teach *teach)
{
    const struct aw_unitysim_feedback *feedback = &unitysim_client(teach->session)->feedback;
    enum aw_status status = AW_OK;
    size_t before = teach->sequence.n;
    for (int i = 0; i < AW_UNITYSIM_JOINTS && status == AW_OK; i++) {
        int position = feedback->position[i];
        if (teach->has_point && abs(position - teach->last_positions[i]) <= teach->tolerance)
            continue;
        teach->last_positions[i] = position;
        int cap = aw_unitysim_velocity_cap(i), max = AW_UNITYSIM_TURN;
        struct aw_sequence_row row = {
            .joint = i,
            .position = position < 0     ? 0
                        : position > max ? max
                                         : position,
            .velocity = teach->velocity && teach->velocity < cap ? teach->velocity : cap,
            .tolerance = teach->tolerance,
        };
        status = aw_sequence_add(&teach->sequence, &row, &teach->session->err);
    }
    teach->has_point = true;
    if (status == AW_OK && teach->every_ns == 0)
        aw_session_print_notice(teach->session, "%zu row%s added, %zu in total",
                                teach->sequence.n - before,
                                teach->sequence.n - before == 1 ? "" : "s", teach->sequence.n);
    return status;
}

/* Reads one pending line: adds a point; q or end of input finishes. */
static enum aw_status read_line(struct teach *teach)
{
    char c = 0;
    ssize_t n_read;
    while ((n_read = aw_read_ready(STDIN_FILENO, &c, 1)) == 1 && c != '\n')
        teach->first_char = teach->first_char ? teach->first_char : c;
    if (n_read < 0 && errno == EAGAIN)
        return AW_OK;
    teach->done = n_read != 1 || teach->first_char == 'q';
    teach->first_char = '\0';
    return teach->done ? AW_OK : add_point(teach);
}

static enum aw_status run_recording(struct teach *teach)
{
    static const int64_t slice_ns = 30 * AW_MILLISECOND;
    struct aw_session *session = teach->session;
    enum aw_status status = AW_OK;
    while (status == AW_OK && !teach->done) {
        int64_t now = aw_clock_now(session->clock), next = now + slice_ns;
        if (teach->every_ns && teach->next_ns < next)
            next = teach->next_ns;
        status = unitysim_run(session, aw_min_time(next, teach->deadline));
        now = aw_clock_now(session->clock);
        teach->done = now >= teach->deadline;
        if (status == AW_OK && teach->every_ns == 0)
            status = read_line(teach);
        if (status == AW_OK && teach->every_ns && now >= teach->next_ns) {
            teach->next_ns += teach->every_ns;
            status = add_point(teach);
        }
    }
    return status;
}

/* Ctrl-C keeps the recorded points. */
static enum aw_status record_points(struct teach *teach, const char *path)
{
    struct aw_session *session = teach->session;
    FILE *file;
    teach->next_ns = aw_clock_now(session->clock);
    teach->deadline = aw_session_end_time(session);
    if (teach->every_ns == 0)
        aw_session_print_notice(
            session, "move the arm to a position and press Enter; to finish, type q and press "
                     "Enter");
    enum aw_status status = run_recording(teach);
    if (teach->sequence.n == 0 && status == AW_OK)
        return aw_fail(
            &session->err, AW_USAGE,
            "teach: no positions recorded — press Enter for each position, or use --every 500ms");
    if (teach->sequence.n == 0 || (status != AW_OK && status != AW_STOPPED))
        return status;
    enum aw_status save_status = aw_session_create_file(session, NULL, path, &file);
    if (save_status != AW_OK)
        return save_status;
    save_status = aw_sequence_write(file, &teach->sequence, &session->err);
    if (!aw_file_close(file) && (save_status == AW_OK || save_status == AW_LOST))
        save_status = aw_file_fail(&session->err, NULL, path);
    aw_object_start(&session->result, "teach");
    aw_object_add_text(&session->result, "file", path);
    aw_object_add_count(&session->result, "rows", teach->sequence.n);
    return save_status == AW_OK ? status : save_status;
}

enum aw_status run_teach(struct aw_session *session, const struct aw_args *args)
{
    struct teach teach = {
        .session = session,
        .velocity = (int)unitysim_teach_given(session)->velocity,
        .tolerance = (int)unitysim_teach_given(session)->tolerance,
        .every_ns = (int64_t)(unitysim_teach_given(session)->every_s * 1e9),
    };
    enum aw_status status = aw_file_check(aw_arg(args, "file", 0), &session->err);
    if (status == AW_OK && teach.every_ns == 0)
        status = aw_session_check_input(session);
    if (status == AW_OK)
        status = unitysim_open_with_feedback(session);
    if (status == AW_OK)
        status = record_points(&teach, aw_arg(args, "file", 0));
    aw_sequence_free(&teach.sequence);
    return status;
}
