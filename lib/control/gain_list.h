/* A subset of a device's gains, by their indices in its gain file (gain_file.h). */
#ifndef AW_CONTROL_GAIN_LIST_H
#define AW_CONTROL_GAIN_LIST_H

#include <stddef.h>
#include <stdint.h>

#define AW_GAIN_LIST 48

/* Plain data; {0} is empty. */
struct aw_gain_list {
    uint32_t n, n_device; /* number of gains; total number in the device, 0: unknown */
    struct aw_listed_gain {
        uint64_t index;
        double value; /* NaN: unknown */
    } entries[AW_GAIN_LIST];
};

/* Adds a gain, unless the list is full. */
static inline void aw_gain_list_add(struct aw_gain_list *list, size_t index, double value)
{
    if (list->n < AW_GAIN_LIST)
        list->entries[list->n++] = (struct aw_listed_gain){index, value};
}

#endif
