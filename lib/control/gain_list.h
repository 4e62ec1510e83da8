/* Some of the gains that a device has, by their places in its gain file (gain_file.h). */
#ifndef AW_CONTROL_GAIN_LIST_H
#define AW_CONTROL_GAIN_LIST_H

#include <stddef.h>
#include <stdint.h>

#define AW_GAIN_LIST 48

/* Plain data; {0}: none. */
struct aw_gain_list {
    uint32_t n, places; /* so many; of so many that there are, 0: that is not said */
    struct aw_listed_gain {
        uint64_t place;
        double value; /* NaN: not known */
    } of[AW_GAIN_LIST];
};

/* One more, if there is room. */
static inline void aw_gain_list_add(struct aw_gain_list *list, size_t place, double value)
{
    if (list->n < AW_GAIN_LIST)
        list->of[list->n++] = (struct aw_listed_gain){place, value};
}

#endif
