/* Reads and writes files of joint limits. */
#include "protocol/unitysim/limits.h"

#include <math.h>

#include "base/file.h"
#include "base/lines.h"

enum { JOINT, MIN, MAX, WORDS };

enum aw_status aw_unitysim_end_parse(int joint, const char *text,
                                     const struct aw_unitysim_limits *limits, int *end,
                                     struct aw_error *err)
{
    double ticks;
    enum aw_status status = aw_unitysim_position_parse(joint, text, limits, &ticks, err);
    if (status != AW_OK)
        return status;
    if (ticks < 0 || ticks > UINT16_MAX)
        return aw_fail(err, AW_LIMIT, "%s: %.0f ticks is out of range (0 to %d)",
                       aw_unitysim_joint_name(joint), ticks, UINT16_MAX);
    *end = (int)lround(ticks);
    return AW_OK;
}

enum aw_status aw_unitysim_limit_parse(struct aw_unitysim_limits *limits, int joint,
                                       const char *min, const char *max, struct aw_error *err)
{
    struct aw_unitysim_limits wanted = *limits;
    enum aw_status status =
        aw_unitysim_end_parse(joint, min, limits, &wanted.joint[joint].min, err);
    if (status == AW_OK)
        status = aw_unitysim_end_parse(joint, max, limits, &wanted.joint[joint].max, err);
    if (status == AW_OK)
        status = aw_unitysim_limits_check(&wanted, err);
    if (status == AW_OK)
        *limits = wanted;
    return status;
}

static enum aw_status read_line(struct aw_unitysim_limits *limits, unsigned *seen, char *line,
                                struct aw_error *err)
{
    char *words[WORDS + 1];
    int joint;
    if (aw_lines_words(line, words, WORDS + 1) != WORDS)
        return aw_fail(err, AW_USAGE, "invalid limits — write 'elbow 1700 2570'");
    enum aw_status status = aw_unitysim_joint_parse(words[JOINT], &joint, err);
    if (status != AW_OK)
        return status;
    if (*seen & 1u << joint)
        return aw_fail(err, AW_USAGE, "duplicate joint %s — remove one", words[JOINT]);
    *seen |= 1u << joint;
    return aw_unitysim_limit_parse(limits, joint, words[MIN], words[MAX], err);
}

enum aw_status aw_unitysim_limits_read(struct aw_unitysim_limits *limits, FILE *file,
                                       const char *name, struct aw_error *err)
{
    struct aw_unitysim_limits wanted = *limits;
    struct aw_lines lines = {.file = file, .name = name};
    enum aw_status status = AW_OK;
    unsigned seen = 0;
    while (status == AW_OK && (status = aw_lines_next(&lines, err)) == AW_OK)
        status = read_line(&wanted, &seen, lines.line, err);
    status = aw_lines_end(&lines, status, err);
    if (status == AW_OK)
        *limits = wanted;
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
