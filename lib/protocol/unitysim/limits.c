/* Reads and writes files of joint limits. */
#include "protocol/unitysim/limits.h"

#include <math.h>

#include "base/file.h"
#include "base/lines.h"

enum { JOINT, MIN, MAX, COLUMNS };

enum aw_status aw_unitysim_limits_parse_bound(int joint, const char *text,
                                              const struct aw_unitysim_limits *limits, int *ticks,
                                              struct aw_error *err)
{
    double value;
    enum aw_status status = aw_unitysim_position_parse(joint, text, limits, &value, err);
    if (status != AW_OK)
        return status;
    if (value < 0 || value > UINT16_MAX)
        return aw_fail(err, AW_LIMIT, "%.0f ticks is out of range (0 to %d)", value, UINT16_MAX);
    *ticks = (int)lround(value);
    return AW_OK;
}

enum aw_status aw_unitysim_limit_parse(struct aw_unitysim_limits *limits, int joint,
                                       const char *min, const char *max, struct aw_error *err)
{
    struct aw_unitysim_limits updated = *limits;
    enum aw_status status =
        aw_unitysim_limits_parse_bound(joint, min, limits, &updated.joint[joint].min, err);
    if (status == AW_OK)
        status = aw_unitysim_limits_parse_bound(joint, max, limits, &updated.joint[joint].max, err);
    if (status != AW_OK)
        return aw_fail_about(err, status, aw_unitysim_joint_name(joint));
    status = aw_unitysim_limits_check(&updated, err);
    if (status == AW_OK)
        *limits = updated;
    return status;
}

static enum aw_status read_line(struct aw_unitysim_limits *limits, unsigned *seen, char *line,
                                struct aw_error *err)
{
    char *tokens[COLUMNS + 1];
    int joint;
    if (aw_lines_split(line, tokens, COLUMNS + 1) != COLUMNS)
        return aw_fail(err, AW_USAGE, "invalid limits — write 'elbow 1700 2570'");
    enum aw_status status = aw_unitysim_joint_parse(tokens[JOINT], &joint, err);
    if (status != AW_OK)
        return status;
    if (*seen & 1u << joint)
        return aw_fail(err, AW_USAGE, "duplicate joint %s — remove one", tokens[JOINT]);
    *seen |= 1u << joint;
    return aw_unitysim_limit_parse(limits, joint, tokens[MIN], tokens[MAX], err);
}

enum aw_status aw_unitysim_limits_read(struct aw_unitysim_limits *limits, FILE *file,
                                       const char *name, struct aw_error *err)
{
    struct aw_unitysim_limits updated = *limits;
    struct aw_lines lines = {.file = file, .name = name};
    enum aw_status status = AW_OK;
    unsigned seen_joints = 0;
    while (status == AW_OK && (status = aw_lines_next(&lines, err)) == AW_OK)
        status = read_line(&updated, &seen_joints, lines.line, err);
    status = aw_lines_end(&lines, status, err);
    if (status == AW_OK)
        *limits = updated;
    return status;
}

void aw_unitysim_limits_write(const struct aw_unitysim_limits *limits, FILE *file)
{
    fprintf(file, "# joint min max, in ticks\n");
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        fprintf(file, "%s %d %d\n", aw_unitysim_joint_name(i), limits->joint[i].min,
                limits->joint[i].max);
}

enum aw_status aw_unitysim_limits_save(const struct aw_unitysim_limits *limits, const char *path,
                                       struct aw_error *err)
{
    struct aw_saving saving;
    if (aw_file_begin(&saving, path))
        aw_unitysim_limits_write(limits, saving.file);
    return aw_file_end(&saving) ? AW_OK : aw_file_fail(err, "cannot save the limits", path);
}
