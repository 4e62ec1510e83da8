/* The controls of a pad by the names that everybody uses for them, whatever codes it has.
 *
 * The names are those of SDL: a b x y, back guide start, leftstick rightstick (pressed),
 * leftshoulder rightshoulder, dpup dpdown dpleft dpright, leftx lefty rightx righty (-1 to 1, right
 * and down are positive), lefttrigger righttrigger (0 to 1), misc1, paddle1 to paddle4, touchpad.
 * a is the lower button of the four, b the right one, x the left one, y the upper one. What
 * code of the kernel is behind a name comes from the first of these that knows the pad:
 *
 *  1. A line of SDL's GameControllerDB ("GUID,name,a:b0,leftx:a0,dpup:h0.1,…,platform:Linux,"), as
 *     thousands are in circulation. Buttons and axes are counted there as SDL does on Linux: keys
 *     from BTN_JOYSTICK upwards, then those below; axes in the order of their codes without digital
 *     hats; hats apart. Lines for SDL's own HID drivers (15th byte of the GUID) count otherwise and
 *     are passed over.
 *  2. The kernel's rules for gamepads (Documentation/input/gamepad.rst), and what its drivers make
 *     of them: x and y are BTN_X and BTN_Y by their position (Sony) or by their letters (others);
 *     triggers are ABS_HAT2Y/X, ABS_BRAKE/GAS, ABS_Z/RZ beside ABS_RX/RY, or buttons.
 *  3. The kernel's own names, ABS_X or BTN_TRIGGER: these can be asked for of any device.
 *
 *     struct aw_controls names;
 *     aw_controls_make(&names, &caps, lines);
 *     int axis = aw_controls_find(&names, &caps, "leftx");
 *     … for each event: aw_controls_event(&names, type, code, value) …
 *     double x = names.controls[axis].value;
 */
#ifndef AW_INPUT_CONTROLS_H
#define AW_INPUT_CONTROLS_H

#include <stddef.h>

#include "input/caps.h"

#define AW_CONTROLS_MAX 64
#define AW_BINDINGS     96

enum aw_controls_from {
    AW_CONTROLS_RAW,    /* the kernel's names only */
    AW_CONTROLS_KERNEL, /* by its rules for gamepads */
    AW_CONTROLS_SDL,    /* by a line of the database */
};

struct aw_control {
    char name[24];
    double value;
    bool axis; /* rests at 0 and goes both ways; else from 0 to 1 */
};

/* A code of the kernel that a control follows: its value is the sum of those of its bindings. */
struct aw_binding {
    int control;
    uint16_t type, code;    /* EV_KEY or EV_ABS */
    double zero, one;       /* the code's value where the control is at 0 and at 1 */
    double least;           /* -1 or 0 */
    double weight, present; /* 1 or -1; what it contributes */
};

struct aw_controls {
    enum aw_controls_from from;
    size_t n, n_bindings;
    struct aw_control controls[AW_CONTROLS_MAX];
    struct aw_binding bindings[AW_BINDINGS];
};

/* lines: of the database, a line each, later ones count more; NULL: none. */
void aw_controls_make(struct aw_controls *names, const struct aw_caps *caps, const char *lines);

/* Number of a control; -1: the device has none of this name. The kernel's names are bound then. */
int aw_controls_find(struct aw_controls *names, const struct aw_caps *caps, const char *name);

/* Binds the kernel's names of all codes that have no other, as far as there is room. */
void aw_controls_add_rest(struct aw_controls *names, const struct aw_caps *caps);

/* An event, or the state at the beginning. True if a control follows that code. */
bool aw_controls_event(struct aw_controls *names, unsigned type, unsigned code, int32_t value);

/* The state at the beginning. */
void aw_controls_begin(struct aw_controls *names, const struct aw_caps *caps);

#endif
