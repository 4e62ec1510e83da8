/* Names of controls: by SDL's lines, by the kernel's rules, by codes; of 83 real devices. */
#include <stdio.h>
#include <string.h>

#include "picture_helper.h"

#include <libevdev-1.0/libevdev/libevdev.h>

#include "input/controls.h"

static struct aw_controls names;

static void ranges(const char *text, uint8_t *bits)
{
    unsigned from, to;
    int n;
    while (sscanf(text, "%x%n", &from, &n) == 1) {
        text += n;
        to = from;
        if (sscanf(text, "-%x%n", &to, &n) == 1)
            text += n;
        for (unsigned code = from; code <= to; code++)
            aw_caps_set(bits, code);
        if (*text++ != ',')
            return; /* " abs" begins like a number */
    }
}

/* Ranges as drivers have them: hats of -1 to 1, triggers from 0, sticks around 0. */
static struct aw_caps caps_of(const char *line)
{
    struct aw_caps caps = {0};
    const char *keys = strstr(line, " key "), *axes = strstr(line, " abs "),
               *name = strchr(line, '#');
    assert_int_equal(
        sscanf(line, "%hx:%hx:%hx:%hx", &caps.bus, &caps.vendor, &caps.product, &caps.version), 4);
    if (keys && keys < name)
        ranges(keys + 5, caps.keys);
    if (axes && axes < name)
        ranges(axes + 5, caps.axes);
    snprintf(caps.name, sizeof caps.name, "%.*s", (int)strcspn(name + 2, "\n"), name + 2);
    for (unsigned code = 0; code < ABS_CNT; code++) {
        bool hat = code >= ABS_HAT0X && code <= ABS_HAT3Y,
             trigger = code == ABS_Z || code == ABS_RZ;
        caps.axis[code] = hat       ? (struct aw_caps_axis){-1, 1, 0}
                          : trigger ? (struct aw_caps_axis){0, 255, 0}
                                    : (struct aw_caps_axis){-32768, 32767, 0};
    }
    return caps;
}

static struct aw_caps device(const char *with)
{
    FILE *file = fopen("tests/golden/devices.txt", "r");
    char line[400];
    bool found = false;
    assert_non_null(file);
    while (!found && fgets(line, sizeof line, file))
        found = strstr(line, with) != NULL;
    fclose(file);
    assert_true(found);
    return caps_of(line);
}

static double value(const struct aw_caps *caps, const char *name)
{
    int control = aw_controls_find(&names, caps, name);
    assert_true(control >= 0);
    return names.controls[control].value;
}

static void draw_device(FILE *out, const struct aw_caps *caps)
{
    static const char *const kinds[] = {"other", "pad", "motion"};
    static const char *const from[] = {"raw", "kernel", "sdl"};
    aw_controls_make(&names, caps, NULL);
    fprintf(out, "%s: %s, %s\n", caps->name, kinds[aw_caps_guess(caps)], from[names.from]);
    for (size_t i = 0; i < names.n; i++) {
        fprintf(out, "%s%s", i % 4 ? ", " : i ? "\n    " : "    ", names.controls[i].name);
        for (size_t b = 0; b < names.n_bindings; b++)
            if (names.bindings[b].control == (int)i)
                fprintf(
                    out, " %s%s",
                    libevdev_event_code_get_name(names.bindings[b].type, names.bindings[b].code),
                    names.bindings[b].least < 0 ? "±" : "");
    }
    fputs(names.n ? "\n" : "", out);
}

static void test_devices(void **state)
{
    (void)state;
    FILE *file = fopen("tests/golden/devices.txt", "r");
    char line[400], *text;
    size_t size, n = 0, pads = 0, named = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (*line == '#')
            continue;
        struct aw_caps caps = caps_of(line);
        draw_device(out, &caps);
        n++;
        pads += aw_caps_guess(&caps) == AW_CAPS_PAD;
        named += names.from == AW_CONTROLS_KERNEL;
    }
    fclose(file);
    fprintf(out, "%zu devices, %zu pads, %zu named by the kernel's rules\n", n, pads, named);
    fclose(out);
    expect_picture("devices.txt", text);
    free(text);
    assert_int_equal(n, 83);
}

static const char lines[] =
    "# a comment\n"
    "030000006d04000016c2000010010000,Logitech,a:b1,b:b2,dpup:h0.1,dpleft:h0.8,leftx:a0,lefty:a1~,"
    "lefttrigger:b6,rightx:a2,righttrigger:+a3,platform:Linux,\n"
    "030000006d04000016c2000011010000,of another version,a:b9,leftx:a1,platform:Linux,\n"
    "030000006d04000016c2000010010000,of another system,a:b9,platform:Windows,\n"
    "030000006d04000016c2000010016800,of another driver,a:b9,platform:Linux,\r\n";

static void test_line(void **state)
{
    (void)state;
    struct aw_caps caps = device("Logitech Dual Action");
    aw_controls_make(&names, &caps, lines);
    assert_int_equal(names.from, AW_CONTROLS_SDL);
    aw_controls_event(&names, EV_KEY, BTN_JOYSTICK + 1, 1);
    assert_true(value(&caps, "a") == 1);
    aw_controls_event(&names, EV_ABS, ABS_HAT0Y, -1);
    assert_true(value(&caps, "dpup") == 1);
    aw_controls_event(&names, EV_ABS, ABS_HAT0X, 1);
    assert_true(value(&caps, "dpleft") == 0);
    aw_controls_event(&names, EV_ABS, ABS_X, 32767);
    assert_true(value(&caps, "leftx") == 1);
    aw_controls_event(&names, EV_ABS, ABS_Y, 32767);
    assert_true(value(&caps, "lefty") == -1);
    aw_controls_event(&names, EV_ABS, ABS_RZ, 0);
    assert_true(value(&caps, "righttrigger") == 0);
    aw_controls_event(&names, EV_ABS, ABS_RZ, 255);
    assert_true(value(&caps, "righttrigger") == 1);
    assert_false(aw_controls_event(&names, EV_KEY, BTN_JOYSTICK, 1));
}

/* Another version of the pad is nearer than none. */
static void test_version(void **state)
{
    (void)state;
    struct aw_caps caps = device("Logitech Dual Action");
    caps.version = 0x0999;
    aw_controls_make(&names, &caps, lines);
    assert_int_equal(names.from, AW_CONTROLS_SDL);
    caps.bus = BUS_BLUETOOTH;
    aw_controls_make(&names, &caps, lines);
    assert_int_equal(names.from, AW_CONTROLS_RAW);
}

/* A pad without numbers is known by its name; directions of a cross make an axis. */
static void test_by_name(void **state)
{
    (void)state;
    struct aw_caps caps = device("Retro Power");
    caps.vendor = caps.product = 0;
    snprintf(caps.name, sizeof caps.name, "SNES pad");
    aw_controls_make(
        &names, &caps,
        "03000000534e45532070616400000000,SNES pad,+leftx:b0,-leftx:b1,a:b2,nonsense:b1,b:,:b1,x,"
        "lefty:a7,y:h3.1,back:h0.3\n");
    assert_int_equal(names.from, AW_CONTROLS_SDL);
    aw_controls_event(&names, EV_KEY, BTN_JOYSTICK + 1, 1);
    assert_true(value(&caps, "leftx") == -1);
    aw_controls_event(&names, EV_KEY, BTN_JOYSTICK, 1);
    assert_true(value(&caps, "leftx") == 0);
    assert_int_equal(aw_controls_find(&names, &caps, "b"), -1);
    assert_int_equal(aw_controls_find(&names, &caps, "lefty"), -1);
}

static void test_raw(void **state)
{
    (void)state;
    struct aw_caps caps = device("Logitech Extreme 3D");
    caps.axis[ABS_THROTTLE].value = 32767;
    aw_controls_make(&names, &caps, NULL);
    assert_int_equal(names.from, AW_CONTROLS_RAW);
    assert_true(value(&caps, "ABS_THROTTLE") == 1); /* as it was when it began */
    assert_true(value(&caps, "BTN_TRIGGER") == 0);
    assert_int_equal(aw_controls_find(&names, &caps, "ABS_RX"), -1);
    assert_int_equal(aw_controls_find(&names, &caps, "leftx"), -1);
    assert_int_equal(aw_controls_find(&names, &caps, ""), -1);
}

/* All that a device has can be asked for: what has no other name has the kernel's. */
static void test_rest(void **state)
{
    (void)state;
    struct aw_caps caps = device("Logitech Dual Action");
    aw_controls_make(&names, &caps, NULL);
    aw_controls_add_rest(&names, &caps);
    assert_int_equal(names.n, 4 + 2 + 12);
    assert_int_equal(names.n_bindings, names.n);
    caps = device("Xbox 360");
    aw_controls_make(&names, &caps, NULL);
    size_t before = names.n;
    aw_controls_add_rest(&names, &caps);
    assert_int_equal(names.n, before); /* the kernel's rules know all of it */
    memset(caps.keys, 0xFF, sizeof caps.keys);
    aw_controls_add_rest(&names, &caps);
    assert_int_equal(names.n, AW_CONTROLS_MAX);
}

/* No line makes it fall over. */
static void test_noise(void **state)
{
    (void)state;
    struct aw_caps caps = device("Xbox 360");
    char line[300];
    unsigned seed = 1;
    for (int round = 0; round < 3000; round++) {
        size_t n = (size_t)snprintf(line, sizeof line, "030000005e0400008e02000014010000,x,");
        while (n < sizeof line - 1)
            line[n++] =
                "abxyleftrigh:,+-~0123456789.h\n"[(seed = seed * 1103515245u + 12345) >> 16 & 0x1F &
                                                  30];
        line[n] = '\0';
        aw_controls_make(&names, &caps, line);
        for (size_t i = 0; i < names.n; i++)
            assert_true(names.controls[i].value >= -1 && names.controls[i].value <= 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_devices), cmocka_unit_test(test_line), cmocka_unit_test(test_version),
        cmocka_unit_test(test_by_name), cmocka_unit_test(test_raw),  cmocka_unit_test(test_rest),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
