/* Names of controls from SDL's lines, from the kernel's rules for gamepads, from codes. */
#include "input/controls.h"

#include <libevdev-1.0/libevdev/libevdev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/text.h"

#define SONY 0x054c

static const char *const known_names[] = {
    "a",
    "b",
    "x",
    "y",
    "back",
    "guide",
    "start",
    "leftstick",
    "rightstick",
    "leftshoulder",
    "rightshoulder",
    "dpup",
    "dpdown",
    "dpleft",
    "dpright",
    "leftx",
    "lefty",
    "rightx",
    "righty",
    "misc1",
    "lefttrigger",
    "righttrigger",
    "touchpad",
    "paddle1",
    "paddle2",
    "paddle3",
    "paddle4",
    "misc2",
    "misc3",
    "misc4",
};

static bool is_axis(const char *name)
{
    return strcmp(name, "leftx") == 0 || strcmp(name, "lefty") == 0 ||
           strcmp(name, "rightx") == 0 || strcmp(name, "righty") == 0;
}

static int control(struct aw_controls *names, const char *name, bool axis)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->controls[i].name, name) == 0)
            return (int)i;
    if (names->n == AW_CONTROLS_MAX)
        return -1;
    struct aw_control *made = &names->controls[names->n];
    snprintf(made->name, sizeof made->name, "%s", name);
    made->axis = axis;
    return (int)names->n++;
}

static void bind(struct aw_controls *names, struct aw_binding binding)
{
    if (binding.control >= 0 && names->n_bindings < AW_BINDINGS)
        names->bindings[names->n_bindings++] = binding;
}

static void bind_key(struct aw_controls *names, const char *name, unsigned code, double weight)
{
    bind(names, (struct aw_binding){.control = control(names, name, is_axis(name)),
                                    .type = EV_KEY,
                                    .code = (uint16_t)code,
                                    .one = 1,
                                    .weight = weight});
}

/* part '+', '-': that half of the axis; 0: all of it. */
static void bind_abs(struct aw_controls *names, const struct aw_caps *caps, const char *name,
                     unsigned code, char part, bool invert, double weight)
{
    const struct aw_caps_axis *axis = &caps->axis[code];
    double low = axis->min, high = axis->max, middle = (low + high) / 2;
    bool both = is_axis(name) && !part && weight > 0;
    struct aw_binding binding = {.control = control(names, name, is_axis(name)),
                                 .type = EV_ABS,
                                 .code = (uint16_t)code,
                                 .zero = both || part ? middle : low,
                                 .one = part == '-' ? low : high,
                                 .least = both ? -1 : 0,
                                 .weight = weight};
    if (invert && both)
        binding.one = low;
    else if (invert) {
        double one = binding.one;
        binding.one = binding.zero;
        binding.zero = one;
    }
    bind(names, binding);
}

/* ---- SDL's lines -------------------------------------------------------------------------------
 */

static bool is_hat(unsigned code)
{
    return code >= ABS_HAT0X && code <= ABS_HAT3Y;
}

/* A pair of axes that knows nothing but -1, 0 and 1. */
static bool digital_hat(const struct aw_caps *caps, unsigned hat)
{
    unsigned x = ABS_HAT0X + 2 * hat;
    return aw_caps_abs(caps, x) && aw_caps_abs(caps, x + 1) && caps->axis[x].min == -1 &&
           caps->axis[x].max == 1 && caps->axis[x + 1].min == -1 && caps->axis[x + 1].max == 1;
}

static int sdl_button(const struct aw_caps *caps, long number)
{
    for (unsigned i = 0; i < KEY_CNT; i++) {
        unsigned code = (i + BTN_JOYSTICK) % KEY_CNT;
        if (aw_caps_key(caps, code) && number-- == 0)
            return (int)code;
    }
    return -1;
}

static int sdl_axis(const struct aw_caps *caps, long number)
{
    for (unsigned code = 0; code < ABS_CNT; code++)
        if (aw_caps_abs(caps, code) &&
            !(is_hat(code) && digital_hat(caps, (code - ABS_HAT0X) / 2)) && number-- == 0)
            return (int)code;
    return -1;
}

static int sdl_hat(const struct aw_caps *caps, long number)
{
    for (unsigned hat = 0; hat < 4; hat++)
        if (digital_hat(caps, hat) && number-- == 0)
            return (int)(ABS_HAT0X + 2 * hat);
    return -1;
}

static void bind_hat(struct aw_controls *names, const struct aw_caps *caps, const char *name,
                     const char *text, double weight)
{
    char *end;
    int x = sdl_hat(caps, strtol(text, &end, 10));
    long way = *end == '.' ? strtol(end + 1, NULL, 10) : 0; /* 1 up, 2 right, 4 down, 8 left */
    if (x < 0 || (way != 1 && way != 2 && way != 4 && way != 8))
        return;
    bool vertical = way == 1 || way == 4, positive = way == 2 || way == 4;
    bind_abs(names, caps, name, (unsigned)(vertical ? x + 1 : x), positive ? '+' : '-', false,
             weight);
}

/* "a2", "+a2", "a1~", "b0" or "h0.1" behind a name; sign: which half of that is meant, or 0. */
static void bind_to(struct aw_controls *names, const struct aw_caps *caps, const char *name,
                    char sign, const char *to)
{
    double weight = sign == '-' ? -1 : 1;
    char part = *to == '+' || *to == '-' ? *to++ : '\0';
    int code;
    if (*to == 'b' && (code = sdl_button(caps, strtol(to + 1, NULL, 10))) >= 0)
        bind_key(names, name, (unsigned)code, weight);
    else if (*to == 'a' && (code = sdl_axis(caps, strtol(to + 1, NULL, 10))) >= 0)
        bind_abs(names, caps, name, (unsigned)code, part ? part : sign, strchr(to, '~') != NULL,
                 weight);
    else if (*to == 'h')
        bind_hat(names, caps, name, to + 1, weight);
}

/* One of "leftx:a0", "+leftx:b3", "lefty:a1~", "righttrigger:+a2", "dpup:h0.1". */
static void bind_pair(struct aw_controls *names, const struct aw_caps *caps, char *pair)
{
    char *to = strchr(pair, ':');
    if (!to)
        return;
    *to++ = '\0';
    char sign = *pair == '+' || *pair == '-' ? *pair++ : '\0';
    if (aw_find_word(known_names, sizeof known_names / sizeof *known_names, pair) >= 0)
        bind_to(names, caps, pair, sign, to);
}

static unsigned pair_of_bytes(const uint8_t *guid, size_t at)
{
    return guid[at] | (unsigned)guid[at + 1] << 8;
}

/* Is the line about this pad? 2: this very version; 1: another version of it; 0: no. */
static int line_fits(const struct aw_caps *caps, const char *line)
{
    uint8_t guid[16];
    for (size_t i = 0; i < sizeof guid; i++) {
        unsigned byte;
        int n = 0;
        if (sscanf(line + 2 * i, "%2x%n", &byte, &n) != 1 || n != 2)
            return 0;
        guid[i] = (uint8_t)byte;
    }
    const char *platform = strstr(line, "platform:");
    if (line[32] != ',' || (platform && strncmp(platform + 9, "Linux", 5) != 0) ||
        pair_of_bytes(guid, 0) != caps->bus)
        return 0;
    if (caps->vendor == 0)
        return strncmp((const char *)guid + 4, caps->name, 11) == 0 ? 2 : 0;
    if (guid[14] || pair_of_bytes(guid, 4) != caps->vendor ||
        pair_of_bytes(guid, 8) != caps->product)
        return 0;
    return pair_of_bytes(guid, 12) == caps->version ? 2 : 1;
}

static bool use_sdl(struct aw_controls *names, const struct aw_caps *caps, const char *lines)
{
    char best[1024] = "", *rest = best, *pair;
    int fits = 0;
    while (lines && *lines) {
        size_t length = strcspn(lines, "\r\n");
        char line[sizeof best];
        snprintf(line, sizeof line, "%.*s", (int)aw_min((int)length, (int)sizeof line - 1), lines);
        int now = line_fits(caps, line);
        if (now && now >= fits) {
            fits = now;
            memcpy(best, line, sizeof best);
        }
        lines += length + (lines[length] != '\0');
    }
    if (!fits)
        return false;
    strtok_r(best, ",", &rest); /* the GUID */
    strtok_r(NULL, ",", &rest); /* its name */
    while ((pair = strtok_r(NULL, ",", &rest)))
        bind_pair(names, caps, pair);
    return names->n > 0;
}

/* ---- The kernel's rules ------------------------------------------------------------------------
 */

static bool key_if(struct aw_controls *names, const struct aw_caps *caps, const char *name,
                   unsigned code)
{
    bool there = aw_caps_key(caps, code);
    if (there)
        bind_key(names, name, code, 1);
    return there;
}

static bool abs_if(struct aw_controls *names, const struct aw_caps *caps, const char *name,
                   unsigned code, char part)
{
    bool there = aw_caps_abs(caps, code);
    if (there)
        bind_abs(names, caps, name, code, part, false, 1);
    return there;
}

static void kernel_buttons(struct aw_controls *names, const struct aw_caps *caps)
{
    bool by_place = caps->vendor == SONY;
    static const struct {
        const char *name;
        unsigned code;
    } buttons[] = {
        {"a", BTN_SOUTH},         {"b", BTN_EAST},           {"back", BTN_SELECT},
        {"start", BTN_START},     {"guide", BTN_MODE},       {"leftstick", BTN_THUMBL},
        {"leftshoulder", BTN_TL}, {"rightshoulder", BTN_TR}, {"rightstick", BTN_THUMBR},
    };
    for (size_t i = 0; i < sizeof buttons / sizeof *buttons; i++)
        key_if(names, caps, buttons[i].name, buttons[i].code);
    key_if(names, caps, "x", by_place ? BTN_WEST : BTN_X);
    key_if(names, caps, "y", by_place ? BTN_NORTH : BTN_Y);
}

static void kernel_dpad(struct aw_controls *names, const struct aw_caps *caps)
{
    static const struct {
        const char *name;
        unsigned key, axis;
        char part;
    } ways[] = {{"dpup", BTN_DPAD_UP, ABS_HAT0Y, '-'},
                {"dpdown", BTN_DPAD_DOWN, ABS_HAT0Y, '+'},
                {"dpleft", BTN_DPAD_LEFT, ABS_HAT0X, '-'},
                {"dpright", BTN_DPAD_RIGHT, ABS_HAT0X, '+'}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (!key_if(names, caps, ways[i].name, ways[i].key))
            abs_if(names, caps, ways[i].name, ways[i].axis, ways[i].part);
}

static void kernel_trigger(struct aw_controls *names, const struct aw_caps *caps, const char *name,
                           const unsigned axes[3], unsigned key, bool both_sticks)
{
    for (int i = 0; i < 3; i++) /* ABS_Z and ABS_RZ are the right stick where it has no other */
        if ((i < 2 || both_sticks) && abs_if(names, caps, name, axes[i], '\0'))
            return;
    key_if(names, caps, name, key);
}

static bool use_kernel(struct aw_controls *names, const struct aw_caps *caps)
{
    if (!aw_caps_key(caps, BTN_GAMEPAD))
        return false;
    bool both_sticks = aw_caps_abs(caps, ABS_RX) && aw_caps_abs(caps, ABS_RY);
    bool z_sticks = !both_sticks && aw_caps_abs(caps, ABS_Z) && aw_caps_abs(caps, ABS_RZ);
    kernel_buttons(names, caps);
    kernel_dpad(names, caps);
    abs_if(names, caps, "leftx", ABS_X, '\0');
    abs_if(names, caps, "lefty", ABS_Y, '\0');
    if (both_sticks || z_sticks) {
        abs_if(names, caps, "rightx", z_sticks ? ABS_Z : ABS_RX, '\0');
        abs_if(names, caps, "righty", z_sticks ? ABS_RZ : ABS_RY, '\0');
    }
    kernel_trigger(names, caps, "lefttrigger", (unsigned[]){ABS_HAT2Y, ABS_BRAKE, ABS_Z}, BTN_TL2,
                   both_sticks);
    kernel_trigger(names, caps, "righttrigger", (unsigned[]){ABS_HAT2X, ABS_GAS, ABS_RZ}, BTN_TR2,
                   both_sticks);
    return true;
}

/* ---- */

void aw_controls_make(struct aw_controls *names, const struct aw_caps *caps, const char *lines)
{
    *names = (struct aw_controls){.from = AW_CONTROLS_RAW};
    if (use_sdl(names, caps, lines))
        names->from = AW_CONTROLS_SDL;
    else if (use_kernel(names, caps))
        names->from = AW_CONTROLS_KERNEL;
    aw_controls_begin(names, caps);
}

static void bind_raw(struct aw_controls *names, const struct aw_caps *caps, const char *name,
                     unsigned type, unsigned code)
{
    int made = control(names, name, type == EV_ABS);
    const struct aw_caps_axis *axis = &caps->axis[code < ABS_CNT ? code : 0];
    struct aw_binding binding = {
        .control = made, .type = (uint16_t)type, .code = (uint16_t)code, .one = 1, .weight = 1};
    if (type == EV_ABS) {
        binding.zero = ((double)axis->min + axis->max) / 2;
        binding.one = axis->max;
        binding.least = -1;
    }
    bind(names, binding);
    aw_controls_begin(names, caps);
}

int aw_controls_find(struct aw_controls *names, const struct aw_caps *caps, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->controls[i].name, name) == 0)
            return (int)i;
    unsigned type = strncmp(name, "ABS_", 4) == 0 ? EV_ABS : EV_KEY;
    int code = libevdev_event_code_from_name(type, name);
    bool there = code >= 0 && (type == EV_ABS ? aw_caps_abs(caps, (unsigned)code)
                                              : aw_caps_key(caps, (unsigned)code));
    if (!there || names->n == AW_CONTROLS_MAX || names->n_bindings == AW_BINDINGS)
        return -1;
    bind_raw(names, caps, name, type, (unsigned)code);
    return (int)names->n - 1;
}

static bool is_bound(const struct aw_controls *names, unsigned type, unsigned code)
{
    size_t i = 0;
    while (i < names->n_bindings &&
           !(names->bindings[i].type == type && names->bindings[i].code == code))
        i++;
    return i < names->n_bindings;
}

void aw_controls_add_rest(struct aw_controls *names, const struct aw_caps *caps)
{
    for (unsigned i = 0; i < KEY_CNT + ABS_CNT; i++) {
        unsigned type = i < ABS_CNT ? EV_ABS : EV_KEY, code = i < ABS_CNT ? i : i - ABS_CNT;
        bool there = type == EV_ABS ? aw_caps_abs(caps, code) : aw_caps_key(caps, code);
        const char *name = there ? libevdev_event_code_get_name(type, code) : NULL;
        if (name && strlen(name) < sizeof names->controls[0].name && !is_bound(names, type, code))
            aw_controls_find(names, caps, name);
    }
}

static void sum_up(struct aw_controls *names, int number)
{
    double sum = 0;
    struct aw_control *control = &names->controls[number];
    for (size_t i = 0; i < names->n_bindings; i++)
        if (names->bindings[i].control == number)
            sum += names->bindings[i].present;
    control->value = aw_clamp(sum, control->axis ? -1 : 0, 1);
}

bool aw_controls_event(struct aw_controls *names, unsigned type, unsigned code, int32_t value)
{
    bool found = false;
    for (size_t i = 0; i < names->n_bindings; i++) {
        struct aw_binding *b = &names->bindings[i];
        if (b->type != type || b->code != code)
            continue;
        double way = b->one - b->zero;
        double share = type == EV_KEY ? value != 0 : way != 0 ? (value - b->zero) / way : 0;
        b->present = b->weight * aw_clamp(share, b->least, 1);
        sum_up(names, b->control);
        found = true;
    }
    return found;
}

void aw_controls_begin(struct aw_controls *names, const struct aw_caps *caps)
{
    for (size_t i = 0; i < names->n_bindings; i++) {
        unsigned code = names->bindings[i].code;
        int32_t value = names->bindings[i].type == EV_ABS ? caps->axis[code].value
                                                          : aw_caps_bit(caps->held, code);
        aw_controls_event(names, names->bindings[i].type, code, value);
    }
}
