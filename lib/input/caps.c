/* Guesses what kind of device has these keys and axes. */
#include "input/caps.h"

static bool any_key(const struct aw_caps *caps, unsigned from, unsigned to)
{
    for (unsigned code = from; code <= to; code++)
        if (aw_caps_key(caps, code))
            return true;
    return false;
}

enum aw_caps_kind aw_caps_guess(const struct aw_caps *caps)
{
    static const unsigned most_motion = ABS_RZ;
    bool axes = false, further = false;
    for (unsigned code = 0; code < ABS_CNT; code++) {
        axes = axes || aw_caps_abs(caps, code);
        further = further || (code > most_motion && aw_caps_abs(caps, code));
    }
    if (any_key(caps, BTN_JOYSTICK, BTN_DIGI - 1) && (axes || aw_caps_key(caps, BTN_DPAD_UP)))
        return AW_CAPS_PAD;
    if (caps->motion || (axes && !further && !any_key(caps, 0, KEY_MAX)))
        return AW_CAPS_MOTION;
    return AW_CAPS_OTHER;
}
