/* Copies camera, limits and joints between plain structs and the scalars of records. */
#include "protocol/unitysim/fields.h"

#include <stdio.h>

static int get(const struct aw_record *record, const char *name)
{
    return (int)aw_record_get(record, name);
}

void aw_unitysim_put_camera(struct aw_record *record, const struct aw_unitysim_camera *camera)
{
    aw_record_set(record, "camera.x", camera->x, NULL);
    aw_record_set(record, "camera.y", camera->y, NULL);
    aw_record_set(record, "camera.z", camera->z, NULL);
    aw_record_set(record, "camera.rx", camera->rx, NULL);
    aw_record_set(record, "camera.ry", camera->ry, NULL);
    aw_record_set(record, "camera.rz", camera->rz, NULL);
}

struct aw_unitysim_camera aw_unitysim_get_camera(const struct aw_record *record)
{
    return (struct aw_unitysim_camera){
        .x = get(record, "camera.x"),
        .y = get(record, "camera.y"),
        .z = get(record, "camera.z"),
        .rx = get(record, "camera.rx"),
        .ry = get(record, "camera.ry"),
        .rz = get(record, "camera.rz"),
    };
}

int aw_unitysim_find_scalar(const struct aw_codec *codec, int joint, const char *field)
{
    char name[48];
    snprintf(name, sizeof name, "%s.%s", aw_unitysim_joint_name(joint), field);
    return aw_codec_find(codec, name);
}

static void put_scalar(struct aw_record *record, int scalar, double value)
{
    record->v[scalar] = value;
    record->present |= UINT64_C(1) << scalar;
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
        limits.joint[i].min = (int)record->v[aw_unitysim_find_scalar(record->codec, i, "min")];
        limits.joint[i].max = (int)record->v[aw_unitysim_find_scalar(record->codec, i, "max")];
    }
    return limits;
}
