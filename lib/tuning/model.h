/* An identified model as a file: JSON that a person can read and write (docs/model.schema.json).
 *
 *     struct aw_model model;
 *     if (aw_model_load(&model, "knee.json", &err) == AW_OK)
 *         … model.fit.process …
 *
 * Reading requires kind, gain and dead_time; everything else has a default. Ignores unknown keys.
 */
#ifndef AW_TUNING_MODEL_H
#define AW_TUNING_MODEL_H

#include <stdio.h>

#include "tuning/identify/fit.h"
#include "tuning/identify/spectrum.h"
#include "tuning/identify/tick.h"
#include "tuning/loop.h"

#define AW_MODEL_FORMAT "armwire-model-1"
#define AW_MODEL_TEXT   128

struct aw_model {
    struct aw_fit fit;
    struct aw_grain grain;   /* noise and resolution of the measured values */
    struct aw_driver driver; /* quantum and noise are those of grain */
    struct aw_tick tick;     /* control period of the driver, and its origin */
    char board[32], controller[16], unit[16];
    double full_scale;                       /* measured value at full scale, in that unit */
    char source[AW_MODEL_TEXT], created[32]; /* source of the data, and date of creation */
    size_t n_points;
    struct aw_spectrum_point points[AW_SPECTRUM_POINTS];
};

/* Initialises an empty model: full scale 1, driver {0}, confidences NaN. */
void aw_model_init(struct aw_model *model);

/* Sets the tick of the model and of its driver. */
void aw_model_set_tick(struct aw_model *model, const struct aw_tick *tick);

void aw_model_write(FILE *file, const struct aw_model *model);

/* Saves atomically. Errors are those of aw_file_fail (base/file.h). */
enum aw_status aw_model_save(const struct aw_model *model, const char *path, struct aw_error *err);

/* Load a model from a file, or from text (name is for messages). AW_USAGE: the file cannot be read.
 * AW_MALFORMED: not a valid model; err names the line or the key. */
enum aw_status aw_model_load(struct aw_model *model, const char *path, struct aw_error *err);
enum aw_status aw_model_read(struct aw_model *model, const char *text, const char *name,
                             struct aw_error *err);

#endif
