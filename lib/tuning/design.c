/* The search for gains, and the assessment of proposals. */
#include "tuning/design.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/task.h"
#include "tuning/predict.h"

#define STEP         0.02
#define MAX_ACTIVITY 0.01 /* max output at rest without a dead band, as a share of full scale */
/* max duration of a prediction, as a multiple of the slowest time constant */
#define MAX_SETTLING        12
#define GAIN_FACTOR         0.8  /* factor between two trial gains */
#define MIN_GAIN            1e-4 /* smallest gain to try, as a share of the ultimate gain */
#define MAX_MOVES           60   /* max moves of a search */
#define MIN_STEP            0.01
#define DEAD_TIMES          3    /* number of dead times to check if the model's is uncertain */
#define OVERSHOOT_TOLERANCE 1e-4 /* permitted excess over the overshoot limit */
#define PENALTY             20   /* penalty factor for overshoot above the limit */

const char *const aw_form_names[AW_FORMS + 1] = {"pid", "pd", "pi", "p"};

static double find_period(double omega)
{
    return 2 * M_PI / omega;
}

/* The process to control, with a positive gain and the longest dead time of the interval. */
struct target {
    struct aw_process process;
    double sign;
    /* ultimate frequency (rad/s) and gain, including the hold's delay of half a control period */
    double omega, ku;
};

static enum aw_status init_target(const struct aw_process *process, const struct aw_driver *driver,
                                  double late_s, struct target *s, struct aw_error *err)
{
    *s = (struct target){.process = *process, .sign = process->gain < 0 ? -1 : 1};
    s->process.dead_time_s += fmax(late_s, 0);
    s->process.gain = fabs(process->gain);
    struct aw_process with_hold = s->process;
    with_hold.dead_time_s += driver->tick_s / 2;
    if (!(with_hold.gain > 0) || !isfinite(with_hold.gain))
        return aw_fail(err, AW_USAGE,
                       "design: gain %g of the model must be finite and not 0 — identify the "
                       "joint again",
                       process->gain);
    if (!(driver->tick_s > 0) || !aw_process_ultimate(&with_hold, &s->omega, &s->ku))
        return aw_fail(err, AW_USAGE,
                       "design: control period %g s is out of range — give another --tick",
                       driver->tick_s);
    return AW_OK;
}

static void free_loops(struct aw_loop *loops[DEAD_TIMES])
{
    for (size_t i = 0; i < DEAD_TIMES; i++)
        aw_loop_free(loops[i]);
}

/* Creates loops for the longest, the model's and the shortest dead time, or one loop if the dead
 * time is certain. */
static enum aw_status make_loops(const struct aw_process *process, const struct aw_driver *driver,
                                 const struct aw_design_options *o,
                                 struct aw_loop *loops[DEAD_TIMES], struct aw_error *err)
{
    double late_s = fmax(o->dead_time_half_s, 0);
    for (size_t i = 0; i < (late_s > 0 ? DEAD_TIMES : 1); i++) {
        struct aw_process shifted = *process;
        shifted.dead_time_s = fmax(0, shifted.dead_time_s + (1 - (double)i) * late_s);
        loops[i] = aw_loop_new(&shifted, driver->tick_s, err);
        if (!loops[i]) {
            free_loops(loops);
            return AW_NO_MEMORY;
        }
    }
    return AW_OK;
}

struct gain_search {
    const struct target *target;
    const struct aw_driver *driver;
    struct aw_loop *loops[DEAD_TIMES]; /* for the longest, the model's and the shortest dead time */
    double ms, activity, overshoot;    /* limits; overshoot INFINITY: no limit */
    bool overshoot_only;               /* minimises the overshoot, not the error */
    enum aw_form form;
    struct aw_gains best;
    double lowest;
};

/* Ratios of the gains: log(Ti) and Td, with both times in control periods. */
struct shape {
    double log_ti, td;
};

static struct aw_gains make_gains(const struct gain_search *q, const struct shape *shape, double kp)
{
    bool has_integral = q->form == AW_FORM_PI || q->form == AW_FORM_PID;
    bool has_derivative = q->form == AW_FORM_PD || q->form == AW_FORM_PID;
    return (struct aw_gains){kp, has_integral ? kp / exp(shape->log_ti) : 0,
                             has_derivative ? kp * shape->td : 0};
}

/* Returns the largest Ms of all loops. Stops early once it exceeds limit. */
static double get_largest_ms(struct aw_loop *const loops[DEAD_TIMES], const struct aw_gains *g,
                             double limit)
{
    double ms = 0;
    for (size_t i = 0; i < DEAD_TIMES && loops[i] && ms <= limit; i++)
        ms = fmax(ms, aw_loop_ms(loops[i], g));
    return ms;
}

static bool are_allowed(const struct gain_search *q, const struct aw_gains *g)
{
    double max = q->driver->gain_max;
    return (max <= 0 || (g->kp <= max && g->ki <= max && g->kd <= max)) &&
           aw_driver_activity(q->driver, g) <= q->activity &&
           get_largest_ms(q->loops, g, q->ms) <= q->ms;
}

/* Returns the largest permitted gains with these ratios, or kp 0 if none are permitted. */
static struct aw_gains find_largest(const struct gain_search *q, const struct shape *shape)
{
    double low = 2 * q->target->ku, high;
    struct aw_gains g = make_gains(q, shape, low);
    do {
        high = low;
        low *= GAIN_FACTOR;
        g = make_gains(q, shape, low);
        if (low < MIN_GAIN * q->target->ku)
            return (struct aw_gains){0};
    } while (!are_allowed(q, &g));
    for (int i = 0; i < 7; i++) {
        double middle = sqrt(low * high);
        g = make_gains(q, shape, middle);
        *(are_allowed(q, &g) ? &low : &high) = middle;
    }
    return make_gains(q, shape, low);
}

static double try_shape(struct gain_search *q, const struct shape *shape)
{
    if (aw_task_is_abandoned())
        return INFINITY;
    struct aw_gains g = find_largest(q, shape);
    double iae = INFINITY;
    if (g.kp > 0 && g.ki > 0)
        iae = aw_predict_load_iae(&q->target->process, q->driver->tick_s, &g);
    else if (g.kp > 0)
        iae = 1 / g.kp;
    double overshoot = INFINITY;
    if (g.kp > 0 && (q->overshoot_only || isfinite(q->overshoot)))
        overshoot = aw_predict_overshoot(&q->target->process, q->driver->tick_s, &g);
    if (q->overshoot_only)
        iae = overshoot;
    else if (isfinite(q->overshoot) && overshoot > q->overshoot + OVERSHOOT_TOLERANCE)
        /* the penalty leads the search back to the limit */
        return iae * (1 + PENALTY * (overshoot - q->overshoot));
    if (iae < q->lowest) {
        q->lowest = iae;
        q->best = g;
    }
    return iae;
}

/* Compass search: moves to the best of four neighbours, or refines the step. */
static void search_from(struct gain_search *q, struct shape at)
{
    double current = try_shape(q, &at), step = 0.5, tick = q->driver->tick_s;
    double period = find_period(q->target->omega) / tick;
    for (int i = 0; i < MAX_MOVES && step > MIN_STEP; i++) {
        struct shape best = at;
        double best_cost = current;
        for (int direction = 0; direction < 4; direction++) {
            double delta = direction % 2 ? step : -step;
            struct shape next = at;
            if (direction < 2)
                next.log_ti += delta;
            else
                next.td = fmax(0, at.td + delta * period / 10);
            double iae = try_shape(q, &next);
            if (iae < best_cost) {
                best_cost = iae;
                best = next;
            }
        }
        if (best_cost < current * (1 - 1e-4)) {
            current = best_cost;
            at = best;
        } else {
            step /= 2;
        }
    }
}

/* Searches from the two best points of a coarse grid. */
static void search_gains(struct gain_search *q, double period)
{
    struct shape best[2] = {{0}};
    double lowest[2] = {INFINITY, INFINITY};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++) {
            struct shape at = {log(period / 8 * pow(3, i)), period * k / 12};
            double iae = try_shape(q, &at);
            int rank = iae < lowest[0] ? 0 : 1;
            if (iae >= lowest[1])
                continue;
            if (rank == 0) {
                best[1] = best[0];
                lowest[1] = lowest[0];
            }
            best[rank] = at;
            lowest[rank] = iae;
        }
    for (int i = 0; i < 2; i++)
        if (isfinite(lowest[i]))
            search_from(q, best[i]);
}

/* Finds the lowest possible overshoot. Fails if it exceeds the limit, as with an almost double
 * integrator, or if no gains meet the other limits. */
static enum aw_status find_min_overshoot(struct gain_search *q, double period, double *lowest,
                                         struct aw_error *err)
{
    q->overshoot_only = true;
    search_gains(q, period);
    if (!isfinite(q->lowest))
        return aw_fail(err, AW_LIMIT,
                       "design: no gains found with Ms below %g and this --noise — raise --ms or "
                       "--noise, or use another --form",
                       q->ms);
    if (q->lowest <= q->overshoot + OVERSHOOT_TOLERANCE)
        return AW_OK;
    *lowest = q->lowest;
    return aw_fail(err, AW_LIMIT,
                   "design: no gains found: with Ms below %g the smallest overshoot is %.3g %%, "
                   "above %.3g %% — give --overshoot %.0f%%, or try --form pd",
                   q->ms, 100 * q->lowest, 100 * q->overshoot, ceil(100 * q->lowest + 0.1));
}

static enum aw_status find_gains(const struct target *s, const struct aw_driver *driver,
                                 const struct aw_design_options *o, struct aw_proposal *p,
                                 struct aw_error *err)
{
    struct aw_process nominal = s->process;
    struct gain_search q = {.target = s,
                            .driver = driver,
                            .ms = o->ms,
                            .activity = o->activity,
                            .overshoot = o->limits_overshoot ? o->overshoot : INFINITY,
                            .form = p->form,
                            .lowest = INFINITY};
    double period = find_period(s->omega) / driver->tick_s;
    nominal.dead_time_s -= fmax(o->dead_time_half_s, 0);
    enum aw_status status = make_loops(&nominal, driver, o, q.loops, err);
    if (status != AW_OK)
        return status;
    search_gains(&q, period);
    if (!isfinite(q.lowest))
        status = find_min_overshoot(&q, period, &p->min_overshoot, err);
    free_loops(q.loops);
    p->per_tick = q.best;
    return status;
}

static struct aw_design_options fill_defaults(const struct aw_design_options *options,
                                              const struct aw_driver *driver)
{
    struct aw_design_options o = *options;
    o.ms = o.ms > 0 ? o.ms : AW_DESIGN_MS;
    o.step = fabs(o.step) > 0 ? o.step : STEP;
    if (!(o.activity > 0))
        o.activity = driver->dead_band > 0 ? driver->dead_band : MAX_ACTIVITY;
    return o;
}

static enum aw_status predict(const struct aw_process *process, const struct aw_driver *driver,
                              const struct aw_design_options *o, struct aw_proposal *p,
                              struct aw_error *err)
{
    size_t n;
    double time_constant = isnan(p->margins.crossover) ? 1 : 1 / p->margins.crossover;
    double ti =
        fabs(p->per_tick.ki) > 0 ? fabs(p->per_tick.kp / p->per_tick.ki) * driver->tick_s : 0;
    p->rest = o->rest;
    p->duration_s = fmax(MAX_SETTLING * (time_constant + process->dead_time_s + driver->tick_s +
                                         fmin(ti, 4 * time_constant)),
                         o->min_duration_s);
    struct aw_scene scene = {.step = o->step, .rest = o->rest, .duration_s = p->duration_s};
    struct aw_sample *samples = aw_predict(process, driver, &p->per_tick, &scene, &n, err);
    if (!samples)
        return err->status;
    struct aw_step step = {.to = o->step};
    enum aw_status status = aw_response(samples, n, &step, &p->step, err);
    free(samples);
    return status;
}

static enum aw_status check_proposal(const struct aw_driver *driver,
                                     const struct aw_design_options *o, struct aw_proposal *p,
                                     struct aw_error *err)
{
    const char *remedy = "use another --form";
    char *out = p->refusal;
    size_t size = sizeof p->refusal;
    if (!p->margins.stable)
        snprintf(out, size, "the loop would be unstable");
    else if (p->out_of_range)
        snprintf(out, size, "a gain exceeds the driver's limit of %g", driver->gain_max);
    else if (p->activity > o->activity * (1 + 1e-9)) {
        snprintf(out, size, "the output noise at rest would be %.2g %%, above %.2g %%",
                 100 * p->activity, 100 * o->activity);
        remedy = "raise --noise, or use another --form";
    } else if (p->ms > AW_DESIGN_MS_MAX * (1 + 1e-6) && !o->allow_high_ms) {
        snprintf(out, size, "Ms would be %.2f, above %g", p->ms, AW_DESIGN_MS_MAX);
        remedy = "use another --form, or --force to accept it";
    } else
        return AW_OK;
    return aw_fail(err, AW_LIMIT, "design: %s — %s", out, remedy);
}

enum aw_status aw_design_assess(const struct aw_process *process, const struct aw_driver *driver,
                                const struct aw_design_options *options, struct aw_proposal *p,
                                struct aw_error *err)
{
    struct aw_design_options o = fill_defaults(options, driver);
    p->refusal[0] = '\0';
    struct aw_loop *loops[DEAD_TIMES] = {NULL};
    if (make_loops(process, driver, &o, loops, err) != AW_OK)
        return AW_NO_MEMORY;
    p->margins = aw_loop_margins(loops[loops[1] ? 1 : 0], &p->per_tick);
    p->ms = get_largest_ms(loops, &p->per_tick, INFINITY);
    free_loops(loops);
    const struct aw_gains *g = &p->per_tick;
    double largest = fmax(fabs(g->kp), fmax(fabs(g->ki), fabs(g->kd)));
    p->out_of_range = driver->gain_max > 0 && largest > driver->gain_max;
    p->activity = aw_driver_activity(driver, g);
    p->load_iae = aw_predict_load_iae(process, driver->tick_s, &p->per_tick);
    for (int m = 0; m < AW_METRICS; m++)
        p->step.value[m] = NAN;
    enum aw_status status = p->margins.stable ? predict(process, driver, &o, p, err) : AW_OK;
    return status == AW_OK ? check_proposal(driver, &o, p, err) : status;
}

enum aw_status aw_design(const struct aw_process *process, const struct aw_driver *driver,
                         const struct aw_design_options *options, struct aw_proposal *p,
                         struct aw_error *err)
{
    struct target s;
    struct aw_design_options o = fill_defaults(options, driver);
    *p = (struct aw_proposal){.form = o.form};
    enum aw_status status = init_target(process, driver, o.dead_time_half_s, &s, err);
    if (status == AW_OK)
        status = find_gains(&s, driver, &o, p, err);
    if (status != AW_OK)
        return status;
    p->per_tick.kp *= s.sign;
    p->per_tick.ki *= s.sign;
    p->per_tick.kd *= s.sign;
    return aw_design_assess(process, driver, &o, p, err);
}
