/* Finds the values that a map names in the leader's records. */
#include "shell/lead/leader.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/suggest.h"
#include "base/text.h"

#define PEER_HZ    100 /* max rate of a server's records, and of its queries */
#define RANK_EXACT 0
/* rank of a match by the field's name alone, which other messages may have, too */
#define RANK_FIELD    15
#define RANK_GROUP    20  /* value of a group, except the measured one */
#define RESTART_GAP_S 0.1 /* additional gap before the records after a restart, s */

/* ---- Opening ---- */

static bool is_file(const char *source)
{
    struct stat info;
    int found = strcmp(source, "-") == 0 ? fstat(STDIN_FILENO, &info) : stat(source, &info);
    return found == 0 && S_ISREG(info.st_mode);
}

/* Returns true if the fields belong to this tool. A name without a group may belong to any tool. */
static bool has_tool_fields(struct aw_leader *l)
{
    bool accepts_any = aw_session_subjects(l->session) != AW_SUBJECTS_KNOWN;
    struct aw_error ignored;
    return aw_select_check(&l->select, aw_stream_names(l->stream),
                           accepts_any ? AW_SUBJECTS_BEFORE : AW_SUBJECTS_KNOWN, &ignored) == AW_OK;
}

enum aw_status aw_leader_reopen(struct aw_leader *l)
{
    struct aw_session *session = l->session;
    enum aw_status status = l->is_server ? aw_stream_open_peer(&l->stream, session, l->source,
                                                               &l->select, PEER_HZ, l->tool)
                                         : aw_stream_open(&l->stream, session, l->source);
    session->device.selects = NULL; /* -b selects the follower */
    return status;
}

enum aw_status aw_leader_open(struct aw_leader *l, struct aw_session *session, const char *source,
                              const struct aw_follow_map *map)
{
    *l = (struct aw_leader){.session = session, .map = map, .source = source};
    for (size_t i = 0; i < map->n; i++)
        l->select.pattern[l->select.n++] = map->rows[i].field;
    l->is_server = aw_stream_is_peer(source);
    enum aw_status status = aw_leader_reopen(l);
    if (status != AW_OK)
        return status;
    l->is_recording =
        !l->is_server && (is_file(source) || session->options.move.speed > 0 ||
                          session->options.move.fit || aw_session_is_virtual(session));
    l->same_kind = l->is_server ? strcmp(l->tool, session->tool->name) == 0 : has_tool_fields(l);
    return AW_OK;
}

void aw_leader_close(struct aw_leader *l)
{
    aw_stream_close(l->stream);
    l->stream = NULL;
    for (size_t i = 0; i < AW_FOLLOW_ROWS; i++)
        free(l->rows[i].samples);
    memset(l->rows, 0, sizeof l->rows);
}

/* ---- Finding a field ---- */

/* Ranks the fields that a bare group name may mean: its measured value has the lowest rank, which
 * wins. */
static int rank_measured(const char *field)
{
    static const char *const measured[] = {"position", "measured", "displacement",
                                           "actual",   "angle",    NULL};
    const char *last = strrchr(field, '.');
    for (int i = 0; measured[i]; i++)
        if (strcmp(last ? last + 1 : field, measured[i]) == 0)
            return i + 1;
    return RANK_GROUP;
}

/* Returns how well the value matches the pattern: 0 is best, -1 is no match. */
static int rank_value(const char *pattern, const struct aw_point *point, bool sent)
{
    const struct aw_select single = {.n = 1, .pattern = {pattern}};
    size_t message = strlen(point->message);
    bool named = message && strncmp(pattern, point->message, message) == 0 &&
                 (pattern[message] == '\0' || pattern[message] == '.');
    if ((sent && !named) || aw_select_match(&single, point) < 0)
        return -1;
    const char *rest = pattern + message + (named && pattern[message] == '.');
    if (named && strcmp(rest, point->field) == 0)
        return RANK_EXACT;
    bool is_same = strcmp(pattern, point->name) == 0 || strcmp(pattern, point->field) == 0;
    return is_same ? RANK_FIELD : rank_measured(point->field);
}

static enum aw_status fail_several(struct aw_leader *l, const char *pattern, const char *first,
                                   const char *second)
{
    return aw_fail(&l->session->err, AW_USAGE,
                   "follow: '%.60s' is ambiguous: %.60s or %.60s — name one of them", pattern,
                   first, second);
}

/* The best match in an item, and another one of the same rank, or NULL. */
struct found {
    const struct aw_point *point, *other;
    int rank;
};

static struct found find_match(const struct aw_item *item, const char *pattern)
{
    struct found match = {NULL, NULL, INT_MAX};
    for (size_t i = 0; i < item->n; i++) {
        const struct aw_point *point = &item->points[i];
        int rank = point->is_subject ? -1 : rank_value(pattern, point, item->received.dir == AW_TX);
        if (rank < 0 || rank > match.rank)
            continue;
        if (rank < match.rank)
            match = (struct found){point, NULL, rank};
        else if (!match.other)
            match.other = point;
    }
    return match;
}

/* Sets *value to the value of a row in the item, or NULL. The best match so far decides which field
 * the row uses. AW_USAGE: two fields match equally well. */
static enum aw_status find_row(struct aw_leader *l, const struct aw_item *item, size_t row,
                               const struct aw_point **value)
{
    const char *pattern = l->map->rows[row].field;
    struct aw_leader_row *state = &l->rows[row];
    struct found match = find_match(item, pattern);
    *value = NULL;
    if (!match.point || (match.other && match.rank == RANK_GROUP))
        return AW_OK;
    const char *name = match.point->name;
    bool is_same = strcmp(state->name, name) == 0;
    if (match.other)
        return fail_several(l, pattern, name, match.other->name);
    if (*state->name && !is_same && match.rank == state->rank && match.rank < RANK_GROUP)
        return fail_several(l, pattern, state->name, name);
    if (!*state->name || match.rank < state->rank) {
        snprintf(state->name, sizeof state->name, "%s", name);
        state->rank = match.rank;
        state->n = 0; /* earlier samples came from a worse match */
        is_same = true;
    }
    *value = is_same ? match.point : NULL;
    return AW_OK;
}

static void note_names(struct aw_leader *l, const struct aw_item *item)
{
    for (size_t i = 0; i < item->n && l->n_names < AW_LEADER_NAMES; i++) {
        size_t k = 0;
        while (k < l->n_names && strcmp(l->names[k], item->points[i].name) != 0)
            k++;
        if (k == l->n_names)
            snprintf(l->names[l->n_names++], AW_POINT_NAME, "%s", item->points[i].name);
    }
}

enum aw_status aw_leader_next(struct aw_leader *l, int64_t deadline,
                              struct aw_leader_record *record)
{
    struct aw_item item;
    record->n = 0;
    enum aw_status status = aw_stream_next(l->stream, deadline, &item);
    if (status == AW_MALFORMED) /* skip damaged lines */
        return AW_OK;
    if (status != AW_OK)
        return status;
    l->counts.records++;
    record->time_ns = item.time_ns;
    record->timed_locally = item.timed_locally;
    if (aw_leader_find_missing(l) < l->map->n)
        note_names(l, &item);
    for (size_t row = 0; row < l->map->n && status == AW_OK; row++) {
        const struct aw_point *point;
        status = find_row(l, &item, row, &point);
        if (status == AW_OK && point) {
            record->values[record->n].row = row;
            record->values[record->n++].value = point->text ? (double)NAN : point->value;
        }
    }
    return status;
}

size_t aw_leader_find_missing(const struct aw_leader *l)
{
    size_t row = 0;
    while (row < l->map->n && *l->rows[row].name)
        row++;
    return row;
}

enum aw_status aw_leader_fail_missing(struct aw_leader *l, size_t row)
{
    const char *names[AW_LEADER_NAMES], *field = l->map->rows[row].field;
    char list[200] = "";
    for (size_t i = 0; i < l->n_names; i++) {
        names[i] = l->names[i];
        aw_append(list, sizeof list, ", ", "%.60s", l->names[i]);
    }
    if (!l->n_names)
        return aw_fail(&l->session->err, AW_USAGE,
                       "follow: no values in %.200s — if another tool made it, convert it with "
                       "that tool's 'decode -j'",
                       l->source);
    char advice[240];
    snprintf(advice, sizeof advice, "available: %s", list);
    return aw_fail_unknown(&l->session->err, aw_suggest(field, names, l->n_names), advice,
                           "follow: the leader has no field '%.60s'", field);
}

uint64_t aw_leader_count_lost(struct aw_leader *l)
{
    const struct aw_stream_counters *counters = l->stream ? aw_stream_counters(l->stream) : NULL;
    return l->counts.lost_before + (counters ? counters->lost : 0);
}

/* ---- Recordings ---- */

static enum aw_status store_sample(struct aw_leader *l, size_t row, double t_s, double value)
{
    struct aw_leader_row *state = &l->rows[row];
    if (!isfinite(value)) {
        l->counts.ignored++;
        return AW_OK;
    }
    struct aw_leader_sample *samples =
        aw_grow(state->samples, &state->room, state->n + 1, sizeof *samples);
    if (!samples)
        return aw_no_memory(&l->session->err);
    state->samples = samples;
    state->samples[state->n++] = (struct aw_leader_sample){t_s, value};
    return AW_OK;
}

/* Finds the record's time in the recording. Returns false if the record is late. A restart
 * continues after a gap. */
static bool find_time(struct aw_leader *l, const struct aw_leader_record *record, double gap_s,
                      double *t_s)
{
    if (l->time.start_ns == AW_NO_TIME)
        l->time.start_ns = record->time_ns;
    *t_s = (double)(record->time_ns - l->time.start_ns) / 1e9 + l->time.shift_s;
    if (*t_s < l->time.length_s - gap_s) {
        l->time.shift_s += l->time.length_s + gap_s + RESTART_GAP_S - *t_s;
        *t_s = l->time.length_s + gap_s + RESTART_GAP_S;
    }
    bool is_late = *t_s < l->time.length_s;
    l->counts.late += is_late;
    return !is_late;
}

static enum aw_status store_record(struct aw_leader *l, const struct aw_leader_record *record,
                                   double gap_s)
{
    double t_s;
    enum aw_status status = AW_OK;
    if (record->n)
        status = aw_stream_check_time(l->stream);
    if (status != AW_OK)
        return status;
    if (record->n && (record->time_ns == AW_NO_TIME || record->timed_locally))
        return aw_fail(&l->session->err, AW_USAGE,
                       "follow: %.200s has no times — add a column t, or pipe it to standard input",
                       l->source);
    if (!record->n || !find_time(l, record, gap_s, &t_s))
        return AW_OK;
    l->time.length_s = t_s;
    for (size_t i = 0; i < record->n && status == AW_OK; i++)
        status = store_sample(l, record->values[i].row, t_s, record->values[i].value);
    return status;
}

enum aw_status aw_leader_load(struct aw_leader *l, double gap_s)
{
    struct aw_leader_record record;
    enum aw_status status = AW_OK;
    l->time.start_ns = AW_NO_TIME;
    while (status == AW_OK) {
        status = aw_leader_next(l, AW_NEVER, &record);
        if (status == AW_OK)
            status = store_record(l, &record, gap_s);
    }
    if (status != AW_END)
        return status;
    aw_stream_report_malformed(l->stream);
    size_t missing = aw_leader_find_missing(l);
    return missing < l->map->n ? aw_leader_fail_missing(l, missing) : AW_OK;
}
