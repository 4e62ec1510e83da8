/* What an input device of the kernel (evdev) has: who it is, its keys, its axes with their ranges.
 *
 * Filled from a device by pad.c and from a recording by evemu.c; everything that gives controls
 * their names (controls.h) works on it, so that it can be tried without a device.
 */
#ifndef AW_INPUT_CAPS_H
#define AW_INPUT_CAPS_H

#include <linux/input.h>
#include <stdbool.h>
#include <stdint.h>

struct aw_caps_axis {
    int32_t min, max;
    int32_t value; /* when the device was opened */
};

struct aw_caps {
    uint16_t bus, vendor, product, version; /* BUS_USB, … */
    char name[80];
    uint8_t keys[KEY_CNT / 8], held[KEY_CNT / 8]; /* held: when the device was opened */
    uint8_t axes[ABS_CNT / 8];
    struct aw_caps_axis axis[ABS_CNT];
    bool motion; /* the kernel says that it is a motion sensor */
};

static inline bool aw_caps_bit(const uint8_t *bits, unsigned code)
{
    return bits[code / 8] >> (code % 8) & 1;
}

static inline void aw_caps_set(uint8_t *bits, unsigned code)
{
    bits[code / 8] |= (uint8_t)(1u << (code % 8));
}

static inline bool aw_caps_key(const struct aw_caps *caps, unsigned code)
{
    return aw_caps_bit(caps->keys, code);
}

static inline bool aw_caps_abs(const struct aw_caps *caps, unsigned code)
{
    return aw_caps_bit(caps->axes, code);
}

enum aw_caps_kind {
    AW_CAPS_OTHER,  /* keyboards, mice, touchpads, lids, … */
    AW_CAPS_PAD,    /* gamepads, joysticks, wheels: what is taken where no device is named */
    AW_CAPS_MOTION, /* an accelerometer or gyroscope, perhaps of a pad */
};

enum aw_caps_kind aw_caps_guess(const struct aw_caps *caps);

#endif
