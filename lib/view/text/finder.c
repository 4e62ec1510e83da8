/* Caches which scalars of a message match the patterns of a selection. */
#include "view/text/finder.h"

#include <ctype.h>
#include <string.h>

#define SLOTS_TRIED 16 /* consecutive slots to search */

void aw_finder_init(struct aw_finder *finder, const struct aw_names *names,
                    const struct aw_select *select, enum aw_subjects subjects)
{
    finder->names = names;
    finder->select = select;
    finder->any_subject = aw_select_is_fields_only(select, names->wire, subjects);
    finder->has_numbers = false;
    for (size_t i = 0; i < select->n; i++)
        finder->has_numbers |= isdigit((unsigned char)*select->pattern[i]) != 0;
    for (size_t i = 0; i < AW_FINDER_SLOTS; i++)
        finder->cache[i].codec = NULL;
}

static void fill_slot(const struct aw_finder *finder, const struct aw_record *record,
                      struct aw_finder_slot *slot)
{
    struct aw_record complete = *record;
    struct aw_point points[AW_MAX_SCALARS];
    complete.present = UINT64_MAX;
    size_t n = aw_record_points(finder->names, &complete, slot->subject, points, AW_MAX_SCALARS);
    for (size_t i = 0; i < finder->select->n; i++) {
        const struct aw_select single = {.n = 1, .pattern = {finder->select->pattern[i]}};
        slot->scalars[i] = 0;
        for (size_t k = 0; k < n; k++)
            if (aw_select_match(&single, &points[k]) == 0)
                slot->scalars[i] |= UINT64_C(1) << points[k].scalar;
    }
}

static bool is_kind(const struct aw_finder_slot *slot, const struct aw_record *record,
                    const char *subject)
{
    return slot->codec == record->codec && slot->dir == record->dir &&
           strncmp(slot->subject, subject, AW_POINT_NAME - 1) == 0;
}

/* Returns the slot of this kind and sets *found, or a free slot. If all are in use, returns the
 * first one. */
static struct aw_finder_slot *find_slot(struct aw_finder *finder, const struct aw_record *record,
                                        const char *subject, bool *found)
{
    size_t first =
        (size_t)(record->codec - finder->names->wire->codecs) * 2 + (record->dir == AW_TX);
    for (const char *c = subject; *c; c++)
        first = first * 31 + (unsigned char)*c;
    for (size_t i = 0; i < SLOTS_TRIED; i++) {
        struct aw_finder_slot *slot = &finder->cache[(first + i) % AW_FINDER_SLOTS];
        *found = is_kind(slot, record, subject);
        if (*found || !slot->codec)
            return slot;
    }
    return &finder->cache[first % AW_FINDER_SLOTS];
}

const uint64_t *aw_finder_match(struct aw_finder *finder, const struct aw_record *record,
                                const char *subject)
{
    if (finder->select->n == 0)
        return finder->cache->scalars;
    bool found;
    if (finder->any_subject)
        subject = "";
    struct aw_finder_slot *slot = find_slot(finder, record, subject, &found);
    if (finder->has_numbers || !found) {
        slot->codec = record->codec;
        slot->dir = record->dir;
        size_t length = strnlen(subject, AW_POINT_NAME - 1);
        memcpy(slot->subject, subject, length);
        slot->subject[length] = '\0';
        fill_slot(finder, record, slot);
    }
    return slot->scalars;
}
