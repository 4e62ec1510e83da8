/* Reads recordings of evemu-record. */
#include "input/evemu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"

struct reader {
    struct aw_evemu *evemu;
    unsigned line, property;
    unsigned bytes[EV_CNT]; /* of the bits of each type, read so far */
    int64_t first_ns, last_ns;
    struct aw_error *err;
};

static bool read_name(struct reader *r, const char *text)
{
    snprintf(r->evemu->caps.name, sizeof r->evemu->caps.name, "%s", text);
    return true;
}

static bool read_id(struct reader *r, const char *text)
{
    struct aw_caps *caps = &r->evemu->caps;
    return sscanf(text, "%" SCNx16 " %" SCNx16 " %" SCNx16 " %" SCNx16, &caps->bus, &caps->vendor,
                  &caps->product, &caps->version) == 4;
}

/* The next byte of a list of them, in hexadecimal. */
static bool next_byte(const char **text, unsigned *byte)
{
    int n = 0;
    if (sscanf(*text, "%x%n", byte, &n) != 1 || *byte > 0xFF)
        return false;
    *text += n;
    return true;
}

static bool read_properties(struct reader *r, const char *text)
{
    unsigned byte;
    for (; next_byte(&text, &byte); r->property += 8)
        if (r->property <= INPUT_PROP_ACCELEROMETER &&
            byte >> (INPUT_PROP_ACCELEROMETER - r->property) & 1 &&
            INPUT_PROP_ACCELEROMETER - r->property < 8)
            r->evemu->caps.motion = true;
    return true;
}

static bool read_bits(struct reader *r, const char *text)
{
    struct aw_caps *caps = &r->evemu->caps;
    unsigned type, byte;
    if (!next_byte(&text, &type) || type >= EV_CNT)
        return false;
    while (next_byte(&text, &byte)) {
        unsigned at = r->bytes[type]++;
        if (type == EV_KEY && at < sizeof caps->keys)
            caps->keys[at] = (uint8_t)byte;
        if (type == EV_ABS && at < sizeof caps->axes)
            caps->axes[at] = (uint8_t)byte;
    }
    return true;
}

static bool read_axis(struct reader *r, const char *text)
{
    unsigned code;
    int32_t min, max;
    if (sscanf(text, "%x %" SCNd32 " %" SCNd32, &code, &min, &max) != 3 || code >= ABS_CNT ||
        min > max)
        return false;
    int32_t rest = min < 0 ? 0 : (int32_t)(((int64_t)min + max + 1) / 2);
    bool trigger = code == ABS_Z || code == ABS_RZ || code == ABS_GAS || code == ABS_BRAKE ||
                   code == ABS_HAT2X || code == ABS_HAT2Y;
    r->evemu->caps.axis[code] =
        (struct aw_caps_axis){.min = min, .max = max, .value = trigger && min >= 0 ? min : rest};
    return true;
}

static bool read_event(struct reader *r, const char *text)
{
    struct aw_evemu *evemu = r->evemu;
    struct aw_evemu_event event;
    int64_t seconds;
    char digits[7] = "";
    if (sscanf(text, "%" SCNd64 ".%6[0-9] %" SCNx16 " %" SCNx16 " %" SCNd32, &seconds, digits,
               &event.type, &event.code, &event.value) != 5 ||
        seconds < 0 || seconds > INT64_MAX / AW_SECOND / 2)
        return false;
    int64_t time_ns = seconds * AW_SECOND, place = AW_SECOND / 10;
    for (const char *d = digits; *d; d++, place /= 10)
        time_ns += (*d - '0') * place;
    r->first_ns = evemu->n ? r->first_ns : time_ns;
    if (evemu->n && time_ns < r->last_ns)
        time_ns = r->last_ns;
    r->last_ns = time_ns;
    event.time_ns = time_ns - r->first_ns;
    struct aw_evemu_event *events =
        aw_grow(evemu->events, &evemu->room, evemu->n + 1, sizeof *events);
    if (!events) {
        aw_no_memory(r->err);
        return false;
    }
    evemu->events = events;
    events[evemu->n++] = event;
    return true;
}

static bool read_line(struct reader *r, char *line)
{
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == 'N' && line[1] == ':')
        return read_name(r, line + 2 + strspn(line + 2, " "));
    char *comment = strchr(line, '#');
    if (comment)
        *comment = '\0';
    if (!line[strspn(line, " \t")])
        return true;
    if (line[1] != ':')
        return false;
    switch (line[0]) {
    case 'I':
        return read_id(r, line + 2);
    case 'P':
        return read_properties(r, line + 2);
    case 'B':
        return read_bits(r, line + 2);
    case 'A':
        return read_axis(r, line + 2);
    case 'E':
        return read_event(r, line + 2);
    default: /* lamps, switches: of no use here */
        return line[0] >= 'A' && line[0] <= 'Z';
    }
}

enum aw_status aw_evemu_read(struct aw_evemu *evemu, FILE *file, const char *path,
                             struct aw_error *err)
{
    struct aw_error none = {0};
    struct reader r = {.evemu = evemu, .err = err ? err : &none};
    char line[4096];
    FILE *in = file ? file : fopen(path, "re");
    enum aw_status status = AW_OK;
    *evemu = (struct aw_evemu){0};
    if (!in)
        return aw_fail(err, AW_NO_LINK, "%.200s: %s", path, strerror(errno));
    r.err->status = AW_OK;
    while (status == AW_OK && fgets(line, sizeof line, in)) {
        r.line++;
        if (!read_line(&r, line))
            status =
                r.err->status == AW_NO_MEMORY
                    ? AW_NO_MEMORY
                    : aw_fail(err, AW_MALFORMED,
                              "%.200s:%u:1: no line of a recording of evemu-record", path, r.line);
    }
    if (status == AW_OK && (!evemu->n || !evemu->caps.name[0]))
        status = aw_fail(err, AW_MALFORMED,
                         "%.200s: no recording of evemu-record — it needs a name (N:) and events "
                         "(E:)",
                         path);
    if (!file)
        fclose(in);
    if (status != AW_OK)
        aw_evemu_free(evemu);
    return status;
}

void aw_evemu_free(struct aw_evemu *evemu)
{
    free(evemu->events);
    *evemu = (struct aw_evemu){0};
}
