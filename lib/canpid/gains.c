#include "canpid/gains.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"

#define PLACES (AW_PID_BOARDS * AW_PID_CONTROLLERS * AW_PID_GAINS)
#define WORDS  4

static struct aw_pid_gain_at place_of(size_t i)
{
    return (struct aw_pid_gain_at){
        .board = (unsigned)(i / (AW_PID_CONTROLLERS * AW_PID_GAINS)) * 32,
        .controller = (int)(i / AW_PID_GAINS % AW_PID_CONTROLLERS),
        .gain = (enum aw_pid_gain)(i % AW_PID_GAINS),
    };
}

static const struct aw_pid_gain_value *value_at(const struct aw_pid_gains *gains,
                                                const struct aw_pid_gain_at *at)
{
    return &gains->of[at->board / 32][at->controller][at->gain];
}

static bool exists(const struct aw_pid_gain_at *at)
{
    return at->board / 32 < AW_PID_BOARDS && at->controller >= 0 &&
           at->controller < AW_PID_CONTROLLERS && at->gain < AW_PID_GAINS;
}

void aw_pid_gains_note(struct aw_pid_gains *gains, const struct aw_pid_gain_at *at)
{
    if (exists(at))
        gains->of[at->board / 32][at->controller][at->gain] =
            (struct aw_pid_gain_value){true, (float)at->value};
}

bool aw_pid_gains_next(const struct aw_pid_gains *gains, size_t *i, struct aw_pid_gain_at *at)
{
    while (*i < PLACES) {
        *at = place_of((*i)++);
        const struct aw_pid_gain_value *value = value_at(gains, at);
        at->value = (double)value->value;
        if (value->known)
            return true;
    }
    return false;
}

/* Reading */

/* Cuts a line into blank-separated words; one more than fits tells that there are too many. */
static int cut(char *line, char *words[WORDS + 1])
{
    int n = 0;
    char *next = NULL;
    line[strcspn(line, "#")] = '\0';
    for (char *word = strtok_r(line, " \t\r\n", &next); word && n <= WORDS;
         word = strtok_r(NULL, " \t\r\n", &next))
        words[n++] = word;
    return n;
}

static enum aw_status parse_place(char *words[], const struct aw_variant *variant,
                                  struct aw_pid_gain_at *at, struct aw_error *err)
{
    int board = aw_pid_board_find(variant, words[0]);
    if (board < 0)
        return aw_fail(err, AW_USAGE, "'%.40s' is no board — use a name or a multiple of 32",
                       words[0]);
    at->board = (unsigned)board;
    at->controller = aw_pid_controller_find(words[1]);
    if (at->controller < 0)
        return aw_fail(err, AW_USAGE, "'%.40s' is no controller — use pos, lvl, tor or tl",
                       words[1]);
    int gain = aw_pid_gain_find(words[2]);
    if (gain < 0)
        return aw_fail(err, AW_USAGE, "'%.40s' is no gain — use kp, ki or kd", words[2]);
    at->gain = (enum aw_pid_gain)gain;
    return AW_OK;
}

static enum aw_status parse(char *words[], const struct aw_variant *variant,
                            struct aw_pid_gain_at *at, struct aw_error *err)
{
    enum aw_status status = parse_place(words, variant, at, err);
    if (status == AW_OK)
        status = aw_number_parse(words[3], &at->value, err);
    if (status == AW_OK && fabs(at->value) > AW_PID_GAIN_MAX)
        return aw_fail(err, AW_LIMIT, "%s is outside -100 to 100, to which the driver clamps it",
                       words[3]);
    return status;
}

static enum aw_status read_line(struct aw_pid_gains *gains, char *line,
                                const struct aw_variant *variant, struct aw_error *err)
{
    char *words[WORDS + 1];
    struct aw_pid_gain_at at;
    int n = cut(line, words);
    if (n == 0)
        return AW_OK;
    if (n != WORDS)
        return aw_fail(err, AW_USAGE, "not a gain — write it like 'lknee pos kp 3'");
    enum aw_status status = parse(words, variant, &at, err);
    if (status != AW_OK)
        return status;
    if (value_at(gains, &at)->known)
        return aw_fail(err, AW_USAGE, "%s %s %s is there twice — remove one", words[0], words[1],
                       words[2]);
    aw_pid_gains_note(gains, &at);
    return AW_OK;
}

enum aw_status aw_pid_gains_read(struct aw_pid_gains *gains, FILE *file, const char *name,
                                 const struct aw_variant *variant, struct aw_error *err)
{
    char line[256];
    struct aw_error why = {0};
    enum aw_status status = AW_OK;
    int number = 0;
    *gains = (struct aw_pid_gains){0};
    while (status == AW_OK && fgets(line, sizeof line, file)) {
        number++;
        status = read_line(gains, line, variant, &why);
    }
    if (status == AW_OK && ferror(file))
        status = aw_fail(&why, AW_USAGE, "%s", strerror(errno));
    if (status == AW_OK)
        return AW_OK;
    *gains = (struct aw_pid_gains){0};
    return aw_fail(err, status, "%s:%d: %s", name, number, why.text);
}

enum aw_status aw_pid_gains_load(struct aw_pid_gains *gains, const char *path,
                                 const struct aw_variant *variant, struct aw_error *err)
{
    *gains = (struct aw_pid_gains){0};
    FILE *file = fopen(path, "re");
    if (!file)
        return aw_fail(err, AW_USAGE, "%s: %s", path, strerror(errno));
    enum aw_status status = aw_pid_gains_read(gains, file, path, variant, err);
    fclose(file);
    return status;
}

/* Writing */

void aw_pid_gain_text(const struct aw_pid_gain_at *at, const struct aw_variant *variant,
                      char out[AW_PID_GAIN_TEXT])
{
    char board[AW_PID_NAME_MAX], number[AW_NUMBER_MAX + 1];
    *aw_print_float32(number, (float)at->value) = '\0';
    snprintf(out, AW_PID_GAIN_TEXT, "%s %s %s %s", aw_pid_board_name(variant, at->board, board),
             aw_pid_controller_name(at->controller), aw_pid_gain_name(at->gain), number);
}

void aw_pid_gains_write(const struct aw_pid_gains *gains, FILE *file,
                        const struct aw_variant *variant)
{
    struct aw_pid_gain_at at;
    char text[AW_PID_GAIN_TEXT];
    fprintf(file, "# board controller gain value, as sent\n");
    for (size_t i = 0; aw_pid_gains_next(gains, &i, &at);) {
        aw_pid_gain_text(&at, variant, text);
        fprintf(file, "%s\n", text);
    }
}

static bool write_file(const struct aw_pid_gains *gains, const char *path,
                       const struct aw_variant *variant)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return false;
    aw_pid_gains_write(gains, file, variant);
    bool good = !ferror(file);
    return fclose(file) == 0 && good;
}

enum aw_status aw_pid_gains_save(const struct aw_pid_gains *gains, const char *path,
                                 const struct aw_variant *variant, struct aw_error *err)
{
    char fresh[PATH_MAX];
    int length = snprintf(fresh, sizeof fresh, "%s.%ld", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof fresh)
        return aw_fail(err, AW_USAGE, "%.40s…: the path is too long", path);
    if (write_file(gains, fresh, variant) && rename(fresh, path) == 0)
        return AW_OK;
    int why = errno;
    unlink(fresh);
    return aw_fail(err, AW_REFUSED, "%s: the gains could not be saved: %s", path, strerror(why));
}

/* Comparing */

static bool differ(const struct aw_pid_gain_value *a, const struct aw_pid_gain_value *b)
{
    if (!a->known || !b->known)
        return a->known != b->known;
    return a->value < b->value || a->value > b->value;
}

size_t aw_pid_gains_diff(const struct aw_pid_gains *from, const struct aw_pid_gains *to,
                         aw_pid_gain_change_fn *fn, void *context)
{
    size_t n = 0;
    for (size_t i = 0; i < PLACES; i++) {
        struct aw_pid_gain_at at = place_of(i);
        const struct aw_pid_gain_value *a = value_at(from, &at), *b = value_at(to, &at);
        if (!differ(a, b))
            continue;
        n++;
        at.value = (double)(b->known ? b->value : a->value);
        struct aw_pid_gain_change change = {.at = at,
                                            .has_from = a->known,
                                            .has_to = b->known,
                                            .from = (double)a->value,
                                            .to = (double)b->value};
        if (fn)
            fn(context, &change);
    }
    return n;
}
