/* The gains of the board's controllers: their file, and the packets that have them. */
#include "protocol/hidmotor/gains.h"

#include <math.h>
#include <strings.h>

enum { KP, KI, KD, GAINS };

static const char *const controllers[AW_HIDMOTOR_CONTROLLERS] = {"pid", "velocity"};
static const char *const names[GAINS] = {"kp", "ki", "kd"};

const double aw_hidmotor_power_up[AW_HIDMOTOR_JOINTS][GAINS] = {
    {0.1, 0.4, 30}, {0.015, 0, 0}, {0.015, 0, 0}};

_Static_assert(AW_HIDMOTOR_GAIN_PLACES == AW_HIDMOTOR_JOINTS * AW_HIDMOTOR_CONTROLLERS * GAINS,
               "every gain has a place");

size_t aw_hidmotor_gain_place(int motor, enum aw_hidmotor_controller controller)
{
    return (size_t)(motor * AW_HIDMOTOR_CONTROLLERS + (int)controller) * GAINS;
}

int aw_hidmotor_gain_motor(size_t place)
{
    return (int)(place / (AW_HIDMOTOR_CONTROLLERS * GAINS));
}

enum aw_hidmotor_controller aw_hidmotor_gain_controller(size_t place)
{
    return (enum aw_hidmotor_controller)(place / GAINS % AW_HIDMOTOR_CONTROLLERS);
}

double aw_hidmotor_dead_band(int motor)
{
    return motor == 0 ? 126 : 44;
}

double aw_hidmotor_output_of(int motor, double effort)
{
    double dead = aw_hidmotor_dead_band(motor);
    double over = fabs(effort) - dead;
    return over > 0 ? copysign(over / (AW_HIDMOTOR_FULL_EFFORT - dead), effort) : 0;
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
        return aw_fail(err, AW_USAGE, "unknown motor '%.40s' — use m1, m2 or m3", words[0]);
    int controller = find_word(words[1], controllers, AW_HIDMOTOR_CONTROLLERS);
    if (controller < 0)
        return aw_fail(err, AW_USAGE, "unknown controller '%.40s' — use pid or velocity", words[1]);
    int gain = find_word(words[2], names, GAINS);
    if (gain < 0)
        return aw_fail(err, AW_USAGE, "unknown gain '%.40s' — use kp, ki or kd", words[2]);
    *place = aw_hidmotor_gain_place(motor, (enum aw_hidmotor_controller)controller) + (size_t)gain;
    return AW_OK;
}

static void name(const void *context, size_t place, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "%s %s %s", aw_hidmotor_joint(aw_hidmotor_gain_motor(place)).name,
             controllers[aw_hidmotor_gain_controller(place)], names[place % GAINS]);
}

static enum aw_status check(size_t place, double value, const char *text, struct aw_error *err)
{
    if (!isfinite((float)value))
        return aw_fail(err, AW_LIMIT, "%.40s is more than a packet can carry", text);
    if (aw_hidmotor_gain_controller(place) == AW_HIDMOTOR_VELOCITY && place % GAINS == KI &&
        (value < 0 || value > 0))
        return aw_fail(err, AW_LIMIT,
                       "velocity ki is kept at 0 by the board — write 0, or leave the line out");
    return AW_OK;
}

const struct aw_gain_file aw_hidmotor_gain_file = {
    .places = AW_HIDMOTOR_GAIN_PLACES,
    .heading = "motor controller gain value",
    .example = "m1 pid kp 0.1",
    .find = find,
    .name = name,
    .check = check,
};

/* Packets */

/* Writes the packets' name of a gain, "m1.kp". */
static void field_of(size_t place, char out[16])
{
    snprintf(out, 16, "%s.%s", aw_hidmotor_joint(aw_hidmotor_gain_motor(place)).name,
             names[place % GAINS]);
}

void aw_hidmotor_gains_from_record(struct aw_gain *gains, enum aw_hidmotor_controller controller,
                                   const struct aw_record *record)
{
    for (size_t i = 0; i < AW_HIDMOTOR_GAIN_PLACES; i++) {
        char field[16];
        field_of(i, field);
        double value = aw_record_get(record, field);
        if (aw_hidmotor_gain_controller(i) == controller && isfinite(value))
            gains[i] = (struct aw_gain){true, (float)value, 0};
    }
}

enum aw_status aw_hidmotor_gains_to_record(const struct aw_gain *gains,
                                           enum aw_hidmotor_controller controller,
                                           struct aw_record *record, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < AW_HIDMOTOR_GAIN_PLACES && status == AW_OK; i++) {
        char field[16];
        if (aw_hidmotor_gain_controller(i) != controller)
            continue;
        field_of(i, field);
        status = gains[i].known
                     ? aw_record_set(record, field, (double)gains[i].value, err)
                     : aw_fail(err, AW_USAGE, "%s %s: not known — read the board's gains first",
                               field, controllers[controller]);
    }
    return status;
}
