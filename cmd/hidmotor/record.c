/* hidmotor record: joint angles into a CSV that play reads; other files as every tool records
 * them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "capture/table.h"
#include "control/samples.h"
#include "shell/commands/common.h"
#include "shell/commands/stream.h"
#include "state.h"

#define FLUSH_NS (50 * AW_MILLISECOND)
#define REST_NS  (200 * AW_MILLISECOND) /* so long nothing may have changed to count as arrived */

/* t, then these of each joint, called as in records: without a header the first four columns are
 * what play reads. */
enum { POSITION, SETPOINT, VELOCITY, EFFORT, FIELDS };
#define COLUMNS          (1 + FIELDS * AW_HIDMOTOR_JOINTS)
#define AT(field, joint) (1 + (field)*AW_HIDMOTOR_JOINTS + (joint))

static const struct {
    const char *name, *message;
} fields[FIELDS] = {
    [POSITION] = {"position", "positions"},
    [SETPOINT] = {"setpoint", "positions"},
    [VELOCITY] = {"velocity", "velocities"},
    [EFFORT] = {"effort", "velocities"},
};

struct recorder {
    struct aw_session *session;
    const char *path;
    FILE *file;
    struct aw_table table; /* the columns that are written; rows go to the file as they come */
    int column[COLUMNS];   /* of the row, for each of them */
    bool velocities;       /* one of them comes by another request */
    struct aw_samples gaps_ms;
    int64_t first_ns, last_ns, flushed_ns, changed_ns;
    double row[COLUMNS];
    uint64_t rows, repeats, limit;
};

/* Is it one that --fields asks for? Marks the names that ask for it. */
static bool is_asked(struct recorder *r, int field, const char *name, bool *found)
{
    const struct aw_select *asked = &r->session->run.printing.wanted.any;
    const struct aw_codec *codec = aw_wire_codec(r->session->wire, fields[field].message, AW_RX);
    bool any = asked->n == 0;
    for (size_t i = 0; i < asked->n; i++)
        if (aw_select_field(asked->pattern[i], codec, aw_codec_find(codec, name)))
            any = found[i] = true;
    return any;
}

static enum aw_status choose_columns(struct recorder *r)
{
    struct aw_session *session = r->session;
    const struct aw_select *asked = &session->run.printing.wanted.any;
    bool found[AW_SELECT_MAX] = {false};
    char text[COLUMNS][32];
    const char *names[COLUMNS] = {"t"};
    size_t n = 1;
    session->run.printing.wanted.picks = false; /* they are columns, and not of the result */
    enum aw_status status = aw_stream_check(session, asked, NULL);
    for (int i = 1; i < COLUMNS && status == AW_OK; i++) {
        int joint = (i - 1) % AW_HIDMOTOR_JOINTS, field = (i - 1) / AW_HIDMOTOR_JOINTS;
        snprintf(text[n], sizeof *text, "%s.%s", aw_hidmotor_joint(joint).name, fields[field].name);
        if (!is_asked(r, field, text[n], found))
            continue;
        r->velocities = r->velocities || field >= VELOCITY;
        r->column[n] = i;
        names[n] = text[n];
        n++;
    }
    size_t missing = aw_select_missing(asked, found);
    if (status == AW_OK && missing < asked->n)
        return aw_fail(&session->err, AW_USAGE,
                       "record: '%.60s' is not recorded — there is position, setpoint, velocity, "
                       "effort of m1, m2, m3; .ndjson, .pcapng and .mcap take all messages",
                       asked->pattern[missing]);
    return status == AW_OK ? aw_table_init(&r->table, names, n, &session->err) : status;
}

static enum aw_status begin(struct recorder *r, const char *path)
{
    struct aw_session *session = r->session;
    enum aw_status status = choose_columns(r);
    if (status == AW_OK)
        status = motor_ready(session);
    if (status != AW_OK)
        return status;
    status = aw_session_create(session, NULL, path, &r->file);
    if (status == AW_OK && !aw_flag(session, "no-header"))
        status = aw_table_write_header(r->file, &r->table, &session->err);
    return status;
}

/* A killed recorder leaves all but the last moment. */
static enum aw_status flush(struct recorder *r, int64_t now)
{
    if (now - r->flushed_ns < FLUSH_NS)
        return AW_OK;
    r->flushed_ns = now;
    if (fflush(r->file) == 0)
        return AW_OK;
    return aw_file_fail(&r->session->err, "record", r->path);
}

/* What came as a 32-bit float is written as one: 0.72, not 0.7200000286102295. */
static double tidy(double value)
{
    char text[AW_NUMBER_MAX + 1];
    *aw_print_float32(text, (float)value) = '\0';
    return strtod(text, NULL);
}

static enum aw_status write_row(struct recorder *r)
{
    double cells[COLUMNS];
    for (size_t i = 0; i < r->table.n_columns; i++)
        cells[i] = r->row[r->column[i]];
    return aw_table_write_row(r->file, &r->table, cells, &r->session->err);
}

static enum aw_status add(struct recorder *r, const struct aw_hidmotor_status *now)
{
    double row[COLUMNS] = {0};
    enum aw_status status = AW_OK;
    if (!r->rows)
        r->first_ns = r->last_ns = r->changed_ns = now->time_ns;
    else
        aw_samples_add(&r->gaps_ms, (double)(now->time_ns - r->last_ns) / 1e6);
    r->last_ns = now->time_ns;
    row[0] = (double)(now->time_ns - r->first_ns) / 1e9;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++) {
        row[AT(POSITION, i)] = tidy(now->position[i]);
        row[AT(SETPOINT, i)] = tidy(now->setpoint[i]);
        row[AT(VELOCITY, i)] = tidy(now->velocity[i]);
        row[AT(EFFORT, i)] = tidy(now->effort[i]);
    }
    bool repeats = r->rows && memcmp(row + 1, r->row + 1, sizeof row - sizeof *row) == 0;
    if (!repeats)
        r->changed_ns = now->time_ns;
    memcpy(r->row, row, sizeof row);
    r->repeats += repeats;
    r->rows++;
    if (!repeats || !aw_flag(r->session, "changes"))
        status = write_row(r);
    return status == AW_OK ? flush(r, now->time_ns) : status;
}

static bool arrived(const struct recorder *r)
{
    if (!aw_flag(r->session, "until-arrived") || !r->rows || r->last_ns - r->changed_ns < REST_NS)
        return false;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        if (fabs(r->row[AT(POSITION, i)] - r->row[AT(SETPOINT, i)]) > AW_HIDMOTOR_TOLERANCE)
            return false;
    return true;
}

static enum aw_status sample(struct recorder *r, int64_t deadline)
{
    struct aw_session *session = r->session;
    struct aw_hidmotor_status now = {0};
    double hz = aw_option_number(session, "rate");
    int64_t next = aw_clock_now(session->clock), period = hz > 0 ? (int64_t)(1e9 / hz) : 0;
    enum aw_status status = AW_OK;
    while (status == AW_OK && !arrived(r) && !(r->limit && r->rows >= r->limit) &&
           aw_clock_now(session->clock) < deadline) {
        status = r->velocities ? aw_hidmotor_status(motor_arm(session), &now, &session->err)
                               : aw_hidmotor_positions(motor_arm(session), &now, &session->err);
        if (status == AW_OK)
            status = add(r, &now);
        next += period;
        if (status == AW_OK && period)
            status = aw_clock_sleep(session->clock, aw_sooner(next, deadline));
    }
    return status;
}

/* What is no CSV of joints is a recording as every tool makes it. */
enum aw_status run_record(struct aw_session *session, const struct aw_args *args)
{
    const char *path = aw_arg(args, "file", 0), *dot = strrchr(path, '.');
    if (!dot || strcmp(dot, ".csv") != 0)
        return aw_run_record(session, args);
    struct recorder r = {
        .session = session, .path = path, .limit = (uint64_t)aw_option_number(session, "count")};
    enum aw_status status = begin(&r, r.path);
    if (status == AW_OK) {
        status = aw_record_ended(session, sample(&r, aw_session_end(session)));
        struct aw_object *result = &r.session->result;
        struct aw_stats s = aw_samples_stats(&r.gaps_ms);
        aw_object_start(result, "record");
        aw_object_count(result, "samples", r.rows);
        aw_object_count(result, "repeats", r.repeats);
        aw_object_number(result, "duration", (double)(r.last_ns - r.first_ns) / 1e9, 3, "s");
        aw_object_stats_ms(result, "interval", &s);
    }
    if (status == AW_STOPPED && !aw_session_json(session))
        aw_session_print_result(session); /* it was ended as it should be */
    if (r.file && !aw_file_close(r.file) && (status == AW_OK || status == AW_STOPPED))
        status = aw_file_fail(&session->err, "record", r.path);
    aw_samples_free(&r.gaps_ms);
    aw_table_free(&r.table);
    return status;
}
