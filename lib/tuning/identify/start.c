/* Starting values: grids, shares of simpler models, a part of long records. */
#include "tuning/identify/start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/samples.h"

#define PART           2000
#define SAMPLES_BEFORE 100 /* samples taken before the input moves */
/* smallest change of the input that counts as motion, as a share of its range */
#define MIN_INPUT_CHANGE 0.05
#define START_TOLERANCE  1e-3 /* tolerance of starting values, which are refined later */
#define MAX_WEIGHINGS    3    /* max iterations of the weights */
#define MAX_ROUNDS       3    /* max rounds of weights and parameters */

/* Simple structures first: later ones start from their results. */
static const struct structure {
    enum aw_process_kind kind;
    bool third_lag;
    size_t from;
} structures[AW_STRUCTURES] = {
    {.kind = AW_PROCESS_FIRST},
    {.kind = AW_PROCESS_INTEGRATING},
    {.kind = AW_PROCESS_SECOND},
    {.kind = AW_PROCESS_INTEGRATING, .third_lag = true, .from = AW_PROCESS_INTEGRATING},
    {.kind = AW_PROCESS_THIRD, .third_lag = true, .from = AW_PROCESS_SECOND},
};

enum aw_process_kind aw_starts_get_kind(size_t structure)
{
    return structures[structure].kind;
}

void aw_starts_set_structure(struct aw_search *s, size_t structure, bool find_dead_band)
{
    const struct structure *row = &structures[structure];
    aw_search_set_structure(s, row->kind, row->third_lag, find_dead_band);
}

/* ---- Starting points ---- */

struct best {
    double at[AW_NONLINEAR], sum;
};

static void try_search(struct aw_search *s, struct best *best)
{
    double sum = aw_search_descend(s);
    if (sum < best->sum) {
        best->sum = sum;
        memcpy(best->at, s->params, sizeof best->at);
    }
}

/* Starts a second order from the first order, whose lag it splits in several ways, and from the
 * integrator, which it treats as a lag of the record's length. */
static void try_second(struct aw_search *s, const double *first, const double *integrating,
                       struct best *best)
{
    static const struct {
        double lag, ratio, dead_time;
    } splits[] = {{1, 0.05, 0.8}, {1, 0.25, 0.5}, {0.7, 0.5, 0.2}, {0.4, 1, 0.1}};
    for (size_t i = 0; i < 6; i++) {
        const double *start = i < 4 ? first : integrating;
        double lag = exp(start[AW_LAG]) + start[AW_DEAD_TIME];
        memcpy(s->params, start, sizeof s->params);
        s->params[AW_LAG] =
            i < 4 ? log(lag * splits[i].lag) : log(s->record_s * (i == 4 ? 1 : 0.1));
        s->params[AW_SECOND_LAG] =
            i < 4 ? log(lag * splits[i].lag * splits[i].ratio) : start[AW_LAG];
        s->params[AW_DEAD_TIME] = start[AW_DEAD_TIME] * (i < 4 ? splits[i].dead_time : 1);
        try_search(s, best);
    }
}

/* Starts a third lag as a part of the dead time; or as the slow lag, with the two fast lags as a
 * pair that may become complex. */
static void try_third(struct aw_search *s, const double *from, struct best *best)
{
    double dead_time = from[AW_DEAD_TIME], fast = dead_time + exp(from[AW_SECOND_LAG]);
    for (size_t i = 0; i < (s->is_free[AW_SECOND_LAG] ? 3 : 2); i++) {
        memcpy(s->params, from, sizeof s->params);
        s->params[AW_THIRD_LAG] = i < 2 ? log(dead_time * (i == 0 ? 0.5 : 1)) : from[AW_LAG];
        s->params[AW_DEAD_TIME] *= i == 0 ? 0.5 : 0.1;
        s->params[AW_LAG] = i < 2 ? from[AW_LAG] : log(fast);
        s->params[AW_SECOND_LAG] = i < 2 ? from[AW_SECOND_LAG] : log(fast / 2);
        try_search(s, best);
    }
}

/* Finds the starting points of all structures, with equal weights. */
static void find_starts(struct aw_search *s, const struct aw_fit_options *o,
                        double start[AW_STRUCTURES][AW_NONLINEAR])
{
    for (size_t i = 0; i < AW_STRUCTURES; i++) {
        const struct structure *row = &structures[i];
        struct best best = {.sum = INFINITY};
        aw_starts_set_structure(s, i, false);
        s->tolerance = START_TOLERANCE;
        memset(s->params, 0, sizeof s->params);
        s->params[AW_THIRD_LAG] = -INFINITY;
        if (row->third_lag) {
            try_third(s, start[row->from], &best);
        } else if (row->kind == AW_PROCESS_SECOND) {
            try_second(s, start[AW_PROCESS_FIRST], start[AW_PROCESS_INTEGRATING], &best);
        } else {
            aw_search_first_guess(s);
            try_search(s, &best);
        }
        memcpy(s->params, best.at, sizeof s->params);
        aw_starts_set_structure(s, i, o->find_dead_band);
        aw_search_descend(s);
        memcpy(start[i], s->params, sizeof s->params);
    }
    s->tolerance = 0;
}

/* ---- Weights ---- */

/* Repeats the weighting until the variance of a sample matches the weights. */
double aw_starts_weigh(struct aw_search *s, double sum, double scatter)
{
    double n = (double)s->weights.n_counted, min_variance = 1e-12 * sum / n;
    for (int i = 0; i < MAX_WEIGHINGS; i++) {
        double previous = sum;
        sum = aw_search_weigh(s, fmax(sum / n, min_variance), scatter);
        if (fabs(sum - previous) < 0.02 * previous)
            break;
    }
    return sum;
}

double aw_starts_refine(struct aw_search *s, double sum, double scatter)
{
    for (int i = 0; i < (s->trial->n > AW_LONG_RECORD ? MAX_ROUNDS - 1 : MAX_ROUNDS); i++) {
        double previous = sum;
        aw_starts_weigh(s, sum, scatter);
        if (!s->weights.uses_filter)
            break;
        sum = aw_search_descend(s);
        if (i > 0 && fabs(sum - previous) < 0.01 * previous)
            break;
    }
    return sum;
}

/* Finds the scatter of the jump times that best explains the record, with the current model. */
static double find_scatter(struct aw_search *s)
{
    static const double scatters[] = {0, 0.03, 0.1, 0.3, 0.6, 1};
    double n = (double)s->weights.n_counted, plain_sum = aw_search_evaluate(s), lowest = INFINITY,
           best = 0;
    for (size_t i = 0; i < sizeof scatters / sizeof *scatters; i++) {
        double sum = aw_starts_weigh(s, plain_sum, scatters[i]);
        double score = n * log(sum / n + 1e-30) + s->weights.log_det;
        if (score < lowest) {
            lowest = score;
            best = scatters[i];
        }
    }
    return best;
}

/* ---- A part of long records ---- */

/* Returns PART consecutive samples around the first motion of the input. Sets *first_sample to the
 * index of the first one. */
static struct aw_trial find_first_part(const struct aw_trial *trial, size_t *first_sample)
{
    double threshold = MIN_INPUT_CHANGE * aw_find_spread(trial->input, trial->n_inputs);
    struct aw_trial ratio = *trial;
    size_t k = 0, from = 0, first = 0;
    while (k + 1 < trial->n_inputs && fabs(trial->input[k] - trial->input[0]) <= threshold)
        k++;
    while (from < trial->n - PART && trial->t[from] < trial->input_t[k])
        from++;
    from = from > SAMPLES_BEFORE ? from - SAMPLES_BEFORE : 0;
    while (first + 1 < trial->n_inputs && trial->input_t[first + 1] <= trial->t[from])
        first++;
    ratio.input_t += first;
    ratio.input += first;
    ratio.n_inputs -= first;
    ratio.t += from;
    ratio.y += from;
    ratio.n = PART;
    *first_sample = from;
    return ratio;
}

/* Finds the structure that explains most, with a small penalty per parameter. */
static size_t find_likeliest(struct aw_search *s, const struct aw_fit_options *o,
                             double start[AW_STRUCTURES][AW_NONLINEAR])
{
    size_t best = 0;
    double lowest = INFINITY, n = (double)s->weights.n_counted;
    for (size_t i = 0; i < AW_STRUCTURES; i++) {
        size_t parameters[AW_PARAMETERS];
        aw_starts_set_structure(s, i, o->find_dead_band);
        memcpy(s->params, start[i], sizeof s->params);
        double score = n * log(aw_search_evaluate(s) + 1e-300) +
                       (double)aw_search_list_parameters(s, parameters) * log(n);
        if (score < lowest) {
            lowest = score;
            best = i;
        }
    }
    return best;
}

static void find_all(struct aw_starts *starts, struct aw_search *s, const struct aw_fit_options *o)
{
    find_starts(s, o, starts->params);
    starts->likeliest_structure = find_likeliest(s, o, starts->params);
    aw_starts_set_structure(s, starts->likeliest_structure, o->find_dead_band);
    memcpy(s->params, starts->params[starts->likeliest_structure], sizeof s->params);
    for (int i = 0; i < 2; i++) {
        starts->jump_scatter = find_scatter(s);
        aw_starts_refine(s, aw_search_descend(s), starts->jump_scatter);
    }
}

enum aw_status aw_starts_find(struct aw_starts *starts, const struct aw_trial *trial,
                              const bool *held_out, size_t piece,
                              const struct aw_fit_options *options, struct aw_error *err)
{
    bool is_long = trial->n > AW_LONG_RECORD;
    size_t from = 0;
    struct aw_trial ratio = is_long ? find_first_part(trial, &from) : *trial;
    struct aw_search s;
    *starts = (struct aw_starts){.jump_scatter = 0};
    enum aw_status status = aw_search_begin(&s, &ratio, held_out ? held_out + from : NULL, err);
    if (status == AW_OK) {
        s.zone = options->dead_zone;
        aw_search_reset_weights(&s, piece);
        find_all(starts, &s, options);
    }
    aw_search_end(&s);
    return status;
}
