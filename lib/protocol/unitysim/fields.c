/* Copies camera, limits and joints between plain structs and the scalars of records. */
#include "protocol/unitysim/fields.h"

#include <math.h>
#include <stdio.h>

static void put_scalar(struct aw_record *record, int scalar, double value)
{
    record->v[scalar] = value;
    record->present |= UINT64_C(1) << scalar;
}

void aw_unitysim_put_camera(struct aw_record *record, const struct aw_unitysim_camera *camera)
{
    const int values[] = {camera->x, camera->y, camera->z, camera->rx, camera->ry, camera->rz};
    int first = aw_codec_find(record->codec, "camera.x");
    for (int i = 0; i < 6; i++)
        put_scalar(record, first + i, values[i]);
}

struct aw_unitysim_camera aw_unitysim_get_camera(const struct aw_record *record)
{
    const double *v = &record->v[aw_codec_find(record->codec, "camera.x")];
    return (struct aw_unitysim_camera){(int)v[0], (int)v[1], (int)v[2],
                                       (int)v[3], (int)v[4], (int)v[5]};
}

int aw_unitysim_find_scalar(const struct aw_codec *codec, int joint, const char *field)
{
    char name[48];
    snprintf(name, sizeof name, "%s.%s", aw_unitysim_joint_name(joint), field);
    return aw_codec_find(codec, name);
}

double aw_unitysim_get(const struct aw_record *record, int joint, const char *field)
{
    int scalar = aw_unitysim_find_scalar(record->codec, joint, field);
    return scalar >= 0 && record->present >> scalar & 1 ? record->v[scalar] : (double)NAN;
}

void aw_unitysim_put_limits(struct aw_record *record, const struct aw_unitysim_limits *limits)
{
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        put_scalar(record, aw_unitysim_find_scalar(record->codec, i, "min"), limits->joint[i].min);
        put_scalar(record, aw_unitysim_find_scalar(record->codec, i, "max"), limits->joint[i].max);
    }
}

struct aw_unitysim_limits aw_unitysim_get_limits(const struct aw_record *record)
{
    struct aw_unitysim_limits limits;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        limits.joint[i].min = (int)aw_unitysim_get(record, i, "min");
        limits.joint[i].max = (int)aw_unitysim_get(record, i, "max");
    }
    return limits;
}
