/* An identified model as a file: JSON that a person can read and write (docs/model.schema.json).
 *
 *     struct aw_model model;
 *     if (aw_model_load(&model, "knee.json", &err) == AW_OK)
 *         … model.fit.process …
 *
 * Reading needs kind, gain and dead_time; all else has a default. Unknown keys are passed over.
 */
#ifndef AW_CONTROL_MODEL_H
#define AW_CONTROL_MODEL_H

#include <stdio.h>

#include "control/fit.h"
#include "control/loop.h"
#include "control/spectrum.h"
#include "control/tick.h"

#define AW_MODEL_FORMAT "armwire-model-1"
#define AW_MODEL_TEXT   128

struct aw_model {
    struct aw_fit fit;
    struct aw_grain grain;   /* of what was measured */
    struct aw_driver driver; /* quantum and noise are those of grain */
    struct aw_tick tick;     /* the driver's, and where it comes from */
    char board[32], controller[16], unit[16];
    double full_scale;                    /* a measured share of 1 in that unit */
    char source[AW_MODEL_TEXT], made[32]; /* what it was identified from, and when */
    size_t n_points;
    struct aw_spectrum_point points[AW_SPECTRUM_POINTS];
};

/* One that knows nothing: full scale 1, driver {0}, confidences NaN. */
void aw_model_init(struct aw_model *model);

/* The driver's, too. */
void aw_model_set_tick(struct aw_model *model, const struct aw_tick *tick);

void aw_model_write(FILE *file, const struct aw_model *model);

/* In one step; as aw_file_fail says (base/file.h). */
enum aw_status aw_model_save(const struct aw_model *model, const char *path, struct aw_error *err);

/* AW_USAGE: it cannot be read; AW_MALFORMED: no such model, with the place or the key. */
enum aw_status aw_model_load(struct aw_model *model, const char *path, struct aw_error *err);
enum aw_status aw_model_read(struct aw_model *model, const char *text, const char *name,
                             struct aw_error *err);

#endif
