/* Reads the gain file of the board's controllers, and finds what differs between two. */
#include "protocol/hidmotor/gains.h"

#include <math.h>
#include <strings.h>

#define PLACES (AW_HIDMOTOR_JOINTS * AW_HIDMOTOR_CONTROLLERS * AW_HIDMOTOR_GAINS)

static const char *const controllers[AW_HIDMOTOR_CONTROLLERS] = {"pid", "velocity"};
static const char *const names[AW_HIDMOTOR_GAINS] = {"kp", "ki", "kd"};

const char *aw_hidmotor_controller_name(enum aw_hidmotor_controller controller)
{
    return controllers[controller];
}

const char *aw_hidmotor_gain_name(enum aw_hidmotor_gain gain)
{
    return names[gain];
}

static struct aw_hidmotor_gain_at place_of(size_t i)
{
    return (struct aw_hidmotor_gain_at){
        .motor = (int)(i / (AW_HIDMOTOR_CONTROLLERS * AW_HIDMOTOR_GAINS)),
        .controller =
            (enum aw_hidmotor_controller)(i / AW_HIDMOTOR_GAINS % AW_HIDMOTOR_CONTROLLERS),
        .gain = (enum aw_hidmotor_gain)(i % AW_HIDMOTOR_GAINS),
    };
}

static size_t number_of(const struct aw_hidmotor_gain_at *at)
{
    return ((size_t)at->motor * AW_HIDMOTOR_CONTROLLERS + at->controller) * AW_HIDMOTOR_GAINS +
           at->gain;
}

/* The file */

static int find_motor(const char *word)
{
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        if (strcasecmp(word, aw_hidmotor_joint(i).name) == 0 ||
            strcasecmp(word, aw_hidmotor_joint(i).alias) == 0)
            return i;
    return -1;
}

static int find_word(const char *word, const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (strcasecmp(word, words[i]) == 0)
            return i;
    return -1;
}

static enum aw_status find(const void *context, char *const words[AW_GAIN_WORDS], size_t *place,
                           struct aw_error *err)
{
    (void)context;
    int motor = find_motor(words[0]);
    if (motor < 0)
        return aw_fail(err, AW_USAGE, "'%.40s' is no motor — use m1, m2 or m3", words[0]);
    int controller = find_word(words[1], controllers, AW_HIDMOTOR_CONTROLLERS);
    if (controller < 0)
        return aw_fail(err, AW_USAGE, "'%.40s' is no controller — use pid or velocity", words[1]);
    int gain = find_word(words[2], names, AW_HIDMOTOR_GAINS);
    if (gain < 0)
        return aw_fail(err, AW_USAGE, "'%.40s' is no gain — use kp, ki or kd", words[2]);
    *place = number_of(&(struct aw_hidmotor_gain_at){motor, (enum aw_hidmotor_controller)controller,
                                                     (enum aw_hidmotor_gain)gain, 0});
    return AW_OK;
}

static void name(const void *context, size_t place, char *out, size_t size)
{
    struct aw_hidmotor_gain_at at = place_of(place);
    (void)context;
    snprintf(out, size, "%s %s %s", aw_hidmotor_joint(at.motor).name, controllers[at.controller],
             names[at.gain]);
}

static enum aw_status check(size_t place, double value, const char *text, struct aw_error *err)
{
    struct aw_hidmotor_gain_at at = place_of(place);
    if (!isfinite((float)value))
        return aw_fail(err, AW_LIMIT, "%.40s is more than a packet can carry", text);
    if (at.controller == AW_HIDMOTOR_VELOCITY && at.gain == AW_HIDMOTOR_KI &&
        (value < 0 || value > 0))
        return aw_fail(err, AW_LIMIT,
                       "velocity ki is kept at 0 by the board — write 0, or leave the line out");
    return AW_OK;
}

static const struct aw_gain_file file_of_gains = {
    .places = PLACES,
    .heading = "motor controller gain value",
    .example = "m1 pid kp 0.1",
    .find = find,
    .name = name,
    .check = check,
};

static struct aw_gain *all(struct aw_hidmotor_gains *gains)
{
    return (struct aw_gain *)gains->of;
}

static const struct aw_gain *each(const struct aw_hidmotor_gains *gains)
{
    return (const struct aw_gain *)gains->of;
}

enum aw_status aw_hidmotor_gains_read(struct aw_hidmotor_gains *gains, FILE *file,
                                      const char *file_name, struct aw_error *err)
{
    return aw_gain_file_read(&file_of_gains, NULL, all(gains), file, file_name, err);
}

void aw_hidmotor_gains_write(const struct aw_hidmotor_gains *gains, FILE *file)
{
    aw_gain_file_write(&file_of_gains, NULL, each(gains), file);
}

enum aw_status aw_hidmotor_gains_save(const struct aw_hidmotor_gains *gains, const char *path,
                                      struct aw_error *err)
{
    return aw_gain_file_save(&file_of_gains, NULL, each(gains), path, err);
}

void aw_hidmotor_gain_text(const struct aw_hidmotor_gain_at *at, char out[AW_GAIN_TEXT])
{
    aw_gain_file_text(&file_of_gains, NULL, number_of(at), at->value, out);
}

/* In memory */

bool aw_hidmotor_gains_next(const struct aw_hidmotor_gains *gains, size_t *i,
                            struct aw_hidmotor_gain_at *at)
{
    size_t place;
    if (!aw_gain_file_next(&file_of_gains, each(gains), i, &place))
        return false;
    *at = place_of(place);
    at->value = (double)each(gains)[place].value;
    return true;
}

void aw_hidmotor_gains_over(struct aw_hidmotor_gains *gains, const struct aw_hidmotor_gains *top)
{
    for (size_t i = 0; i < PLACES; i++)
        if (each(top)[i].known)
            all(gains)[i] = each(top)[i];
}

size_t aw_hidmotor_gains_diff(const struct aw_hidmotor_gains *from,
                              const struct aw_hidmotor_gains *to, aw_hidmotor_gain_change_fn *fn,
                              void *context)
{
    size_t n = 0;
    for (size_t i = 0; i < PLACES; i++) {
        const struct aw_gain *a = &each(from)[i], *b = &each(to)[i];
        if (!aw_gain_differs(a, b))
            continue;
        struct aw_hidmotor_gain_change change = {.at = place_of(i),
                                                 .has_from = a->known,
                                                 .has_to = b->known,
                                                 .from = (double)a->value,
                                                 .to = (double)b->value};
        change.at.value = b->known ? change.to : change.from;
        n++;
        if (fn)
            fn(context, &change);
    }
    return n;
}

/* Packets */

/* "m1.kp", as the packets call it. */
static void field_of(const struct aw_hidmotor_gain_at *at, char out[16])
{
    snprintf(out, 16, "%s.%s", aw_hidmotor_joint(at->motor).name, names[at->gain]);
}

void aw_hidmotor_gains_from_record(struct aw_hidmotor_gains *gains,
                                   enum aw_hidmotor_controller controller,
                                   const struct aw_record *record)
{
    for (size_t i = 0; i < PLACES; i++) {
        struct aw_hidmotor_gain_at at = place_of(i);
        char field[16];
        field_of(&at, field);
        double value = aw_record_get(record, field);
        if (at.controller == controller && isfinite(value))
            all(gains)[i] = (struct aw_gain){true, (float)value, 0};
    }
}

enum aw_status aw_hidmotor_gains_to_record(const struct aw_hidmotor_gains *gains,
                                           enum aw_hidmotor_controller controller,
                                           struct aw_record *record, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < PLACES && status == AW_OK; i++) {
        struct aw_hidmotor_gain_at at = place_of(i);
        const struct aw_gain *gain = &each(gains)[i];
        char field[16];
        field_of(&at, field);
        if (at.controller == controller && !gain->known)
            return aw_fail(err, AW_USAGE, "%s %s: not known — read the board's gains first", field,
                           controllers[controller]);
        if (at.controller == controller)
            status = aw_record_set(record, field, (double)gain->value, err);
    }
    return status;
}
