/* The search for gains, and the assessment of proposals. */
#include "tuning/design.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/task.h"
#include "tuning/predict.h"

#define STEP   0.02
#define LIVELY 0.01 /* max output at rest without a dead band, as a share of full scale */
/* max duration of a prediction, as a multiple of the slowest time constant */
#define SETTLE       12
#define COARSE       0.8  /* factor between two trial gains */
#define SMALLEST     1e-4 /* smallest gain to try, as a share of the ultimate gain */
#define PATIENCE     60   /* max moves of a search */
#define FINEST       0.01
#define PLACES       3    /* number of dead times to check if the model's is uncertain */
#define NO_OVERSHOOT 1e-4 /* a smaller share counts as no overshoot */
#define STEEP        20   /* penalty factor for overshoot above the limit */

const char *const aw_form_names[AW_FORMS + 1] = {"pid", "pd", "pi", "p"};

static double period_of(double omega)
{
    return 2 * M_PI / omega;
}

/* The process to control, with a positive gain and the longest dead time of the interval. */
struct subject {
    struct aw_process process;
    double sign;
    /* ultimate frequency and gain, including the hold's delay of half a control period */
    double omega, ku;
};

static enum aw_status subject_of(const struct aw_process *process, const struct aw_driver *driver,
                                 double late_s, struct subject *s, struct aw_error *err)
{
    *s = (struct subject){.process = *process, .sign = process->gain < 0 ? -1 : 1};
    s->process.dead_time_s += fmax(late_s, 0);
    s->process.gain = fabs(process->gain);
    struct aw_process held = s->process;
    held.dead_time_s += driver->tick_s / 2;
    if (!(held.gain > 0) || !isfinite(held.gain) || !(driver->tick_s > 0) ||
        !aw_process_ultimate(&held, &s->omega, &s->ku))
        return aw_fail(err, AW_USAGE, "design: gain %g or control period %g s is out of range",
                       process->gain, driver->tick_s);
    return AW_OK;
}

static void free_loops(struct aw_loop *loops[PLACES])
{
    for (size_t i = 0; i < PLACES; i++)
        aw_loop_free(loops[i]);
}

/* Creates loops for the longest, the model's and the shortest dead time, or one loop if the dead
 * time is certain. */
static enum aw_status make_loops(const struct aw_process *process, const struct aw_driver *driver,
                                 const struct aw_design_options *o, struct aw_loop *loops[PLACES],
                                 struct aw_error *err)
{
    double late_s = fmax(o->late_s, 0);
    for (size_t i = 0; i < (late_s > 0 ? PLACES : 1); i++) {
        struct aw_process at = *process;
        at.dead_time_s = fmax(0, at.dead_time_s + (1 - (double)i) * late_s);
        loops[i] = aw_loop_new(&at, driver->tick_s, err);
        if (!loops[i]) {
            free_loops(loops);
            return AW_NO_MEMORY;
        }
    }
    return AW_OK;
}

struct quest {
    const struct subject *subject;
    const struct aw_driver *driver;
    struct aw_loop *loops[PLACES];  /* for the longest, the model's and the shortest dead time */
    double ms, activity, overshoot; /* limits; overshoot INFINITY: no limit */
    bool calm;                      /* minimises the overshoot, not the error */
    enum aw_form form;
    struct aw_gains best;
    double least;
};

/* Ratios of the gains: log(Ti) and Td, with both times in control periods. */
struct shape {
    double log_ti, td;
};

static struct aw_gains sized(const struct quest *q, const struct shape *shape, double kp)
{
    bool integral = q->form == AW_FORM_PI || q->form == AW_FORM_PID;
    bool derivative = q->form == AW_FORM_PD || q->form == AW_FORM_PID;
    return (struct aw_gains){kp, integral ? kp / exp(shape->log_ti) : 0,
                             derivative ? kp * shape->td : 0};
}

/* Returns the largest Ms of all loops. Stops early once it exceeds limit. */
static double largest_ms(struct aw_loop *const loops[PLACES], const struct aw_gains *g,
                         double enough)
{
    double ms = 0;
    for (size_t i = 0; i < PLACES && loops[i] && ms <= enough; i++)
        ms = fmax(ms, aw_loop_ms(loops[i], g));
    return ms;
}

static bool allowed(const struct quest *q, const struct aw_gains *g)
{
    double most = q->driver->gain_max;
    return (most <= 0 || (g->kp <= most && g->ki <= most && g->kd <= most)) &&
           aw_driver_activity(q->driver, g) <= q->activity &&
           largest_ms(q->loops, g, q->ms) <= q->ms;
}

/* Returns the largest permitted gains with these ratios, or kp 0 if none are permitted. */
static struct aw_gains greatest(const struct quest *q, const struct shape *shape)
{
    double low = 2 * q->subject->ku, high;
    struct aw_gains g = sized(q, shape, low);
    do {
        high = low;
        low *= COARSE;
        g = sized(q, shape, low);
        if (low < SMALLEST * q->subject->ku)
            return (struct aw_gains){0};
    } while (!allowed(q, &g));
    for (int i = 0; i < 7; i++) {
        double middle = sqrt(low * high);
        g = sized(q, shape, middle);
        *(allowed(q, &g) ? &low : &high) = middle;
    }
    return sized(q, shape, low);
}

static double try_shape(struct quest *q, const struct shape *shape)
{
    if (aw_task_is_abandoned())
        return INFINITY;
    struct aw_gains g = greatest(q, shape);
    double iae = INFINITY;
    if (g.kp > 0 && g.ki > 0)
        iae = aw_predict_load_iae(&q->subject->process, q->driver->tick_s, &g);
    else if (g.kp > 0)
        iae = 1 / g.kp;
    double over = INFINITY;
    if (g.kp > 0 && (q->calm || isfinite(q->overshoot)))
        over = aw_predict_overshoot(&q->subject->process, q->driver->tick_s, &g);
    if (q->calm)
        iae = over;
    else if (isfinite(q->overshoot) && over > q->overshoot + NO_OVERSHOOT)
        /* the penalty leads the search back to the limit */
        return iae * (1 + STEEP * (over - q->overshoot));
    if (iae < q->least) {
        q->least = iae;
        q->best = g;
    }
    return iae;
}

/* Compass search: moves to the best of four neighbours, or refines the step. */
static void search_from(struct quest *q, struct shape at)
{
    double here = try_shape(q, &at), step = 0.5, tick = q->driver->tick_s;
    double period = period_of(q->subject->omega) / tick;
    for (int i = 0; i < PATIENCE && step > FINEST; i++) {
        struct shape best = at;
        double least = here;
        for (int way = 0; way < 4; way++) {
            double by = way % 2 ? step : -step;
            struct shape to = at;
            if (way < 2)
                to.log_ti += by;
            else
                to.td = fmax(0, at.td + by * period / 10);
            double iae = try_shape(q, &to);
            if (iae < least) {
                least = iae;
                best = to;
            }
        }
        if (least < here * (1 - 1e-4)) {
            here = least;
            at = best;
        } else {
            step /= 2;
        }
    }
}

/* Searches from the two best points of a coarse grid. */
static void search(struct quest *q, double period)
{
    struct shape best[2] = {{0}};
    double least[2] = {INFINITY, INFINITY};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++) {
            struct shape at = {log(period / 8 * pow(3, i)), period * k / 12};
            double iae = try_shape(q, &at);
            int place = iae < least[0] ? 0 : 1;
            if (iae >= least[1])
                continue;
            if (place == 0) {
                best[1] = best[0];
                least[1] = least[0];
            }
            best[place] = at;
            least[place] = iae;
        }
    for (int i = 0; i < 2; i++)
        if (isfinite(least[i]))
            search_from(q, best[i]);
}

/* Finds the lowest possible overshoot. Fails if it exceeds the limit, as with an almost double
 * integrator. */
static enum aw_status least_overshoot(struct quest *q, double period, double *least,
                                      struct aw_error *err)
{
    q->calm = true;
    search(q, period);
    if (!isfinite(q->least))
        return aw_fail(err, AW_LIMIT,
                       "design: no gains found with Ms below %g and this --noise — raise --ms or "
                       "--noise, or use another --form",
                       q->ms);
    if (q->least <= q->overshoot + NO_OVERSHOOT)
        return AW_OK;
    *least = q->least;
    return aw_fail(err, AW_LIMIT,
                   "design: no gains found: with Ms below %g the smallest overshoot is %.3g %%, "
                   "above %.3g %% — give --overshoot %.0f%%, or try --form pd",
                   q->ms, 100 * q->least, 100 * q->overshoot, ceil(100 * q->least + 0.1));
}

static enum aw_status find_gains(const struct subject *s, const struct aw_driver *driver,
                                 const struct aw_design_options *o, struct aw_proposal *p,
                                 struct aw_error *err)
{
    struct aw_process plain = s->process;
    struct quest q = {.subject = s,
                      .driver = driver,
                      .ms = o->ms,
                      .activity = o->activity,
                      .overshoot = o->bounded ? o->overshoot : INFINITY,
                      .form = p->form,
                      .least = INFINITY};
    double period = period_of(s->omega) / driver->tick_s;
    plain.dead_time_s -= fmax(o->late_s, 0);
    enum aw_status status = make_loops(&plain, driver, o, q.loops, err);
    if (status != AW_OK)
        return status;
    search(&q, period);
    if (!isfinite(q.least))
        status = least_overshoot(&q, period, &p->least_overshoot, err);
    free_loops(q.loops);
    p->per_tick = q.best;
    return status;
}

static struct aw_design_options completed(const struct aw_design_options *options,
                                          const struct aw_driver *driver)
{
    struct aw_design_options o = *options;
    o.ms = o.ms > 0 ? o.ms : AW_DESIGN_MS;
    o.step = fabs(o.step) > 0 ? o.step : STEP;
    if (!(o.activity > 0))
        o.activity = driver->dead_band > 0 ? driver->dead_band : LIVELY;
    return o;
}

static enum aw_status predict(const struct aw_process *process, const struct aw_driver *driver,
                              const struct aw_design_options *o, struct aw_proposal *p,
                              struct aw_error *err)
{
    size_t n;
    double slow = isnan(p->margins.crossover) ? 1 : 1 / p->margins.crossover;
    double ti =
        fabs(p->per_tick.ki) > 0 ? fabs(p->per_tick.kp / p->per_tick.ki) * driver->tick_s : 0;
    p->rest = o->rest;
    p->duration_s =
        fmax(SETTLE * (slow + process->dead_time_s + driver->tick_s + fmin(ti, 4 * slow)),
             o->duration_s);
    struct aw_scene scene = {
        .to = o->step, .rest = o->rest, .duration_s = p->duration_s, .full = true};
    struct aw_sample *samples = aw_predict(process, driver, &p->per_tick, &scene, &n, err);
    if (!samples)
        return err->status;
    struct aw_step step = {.to = o->step};
    enum aw_status status = aw_response(samples, n, &step, &p->step, err);
    free(samples);
    return status;
}

static enum aw_status refuse(const struct aw_driver *driver, const struct aw_design_options *o,
                             struct aw_proposal *p, struct aw_error *err)
{
    char *out = p->refusal;
    size_t size = sizeof p->refusal;
    if (!p->margins.stable)
        snprintf(out, size, "the loop would be unstable");
    else if (p->limited)
        snprintf(out, size, "a gain exceeds the driver's limit of %g", driver->gain_max);
    else if (p->activity > o->activity * (1 + 1e-9))
        snprintf(out, size, "the output noise at rest would be %.2g %%, above %.2g %% (--noise)",
                 100 * p->activity, 100 * o->activity);
    else if (p->ms > AW_DESIGN_MS_MOST * (1 + 1e-6) && !o->unproven)
        snprintf(out, size, "Ms would be %.2f, above %g", p->ms, AW_DESIGN_MS_MOST);
    else
        return AW_OK;
    return aw_fail(err, AW_LIMIT, "design: %s — use another --form", out);
}

enum aw_status aw_design_judge(const struct aw_process *process, const struct aw_driver *driver,
                               const struct aw_design_options *options, struct aw_proposal *p,
                               struct aw_error *err)
{
    struct aw_design_options o = completed(options, driver);
    p->refusal[0] = '\0';
    struct aw_loop *loops[PLACES] = {NULL};
    if (make_loops(process, driver, &o, loops, err) != AW_OK)
        return AW_NO_MEMORY;
    p->margins = aw_loop_margins(loops[loops[1] ? 1 : 0], &p->per_tick);
    p->ms = largest_ms(loops, &p->per_tick, INFINITY);
    free_loops(loops);
    const struct aw_gains *g = &p->per_tick;
    double largest = fmax(fabs(g->kp), fmax(fabs(g->ki), fabs(g->kd)));
    p->limited = driver->gain_max > 0 && largest > driver->gain_max;
    p->activity = aw_driver_activity(driver, g);
    p->load_iae = aw_predict_load_iae(process, driver->tick_s, &p->per_tick);
    for (int m = 0; m < AW_METRICS; m++)
        p->step.value[m] = NAN;
    enum aw_status status = p->margins.stable ? predict(process, driver, &o, p, err) : AW_OK;
    return status == AW_OK ? refuse(driver, &o, p, err) : status;
}

enum aw_status aw_design(const struct aw_process *process, const struct aw_driver *driver,
                         const struct aw_design_options *options, struct aw_proposal *p,
                         struct aw_error *err)
{
    struct subject s;
    struct aw_design_options o = completed(options, driver);
    *p = (struct aw_proposal){.form = o.form};
    enum aw_status status = subject_of(process, driver, o.late_s, &s, err);
    if (status == AW_OK)
        status = find_gains(&s, driver, &o, p, err);
    if (status != AW_OK)
        return status;
    p->per_tick.kp *= s.sign;
    p->per_tick.ki *= s.sign;
    p->per_tick.kd *= s.sign;
    return aw_design_judge(process, driver, &o, p, err);
}
