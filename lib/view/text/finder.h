/* Finds the values of a record that match the patterns of a selection. Caches them for each kind of
 * message and subject, because comparing names for every record would take longer than decoding it.
 *
 *     aw_finder_init(finder, &names, &select, AW_SUBJECTS_KNOWN);
 *     const uint64_t *found = aw_finder_match(finder, &record, "lknee");
 *     if (found[0] & record.present)            the record has a match of select.pattern[0]
 *
 * A struct aw_finder is plain data of about 25 kB. The arguments of aw_finder_init must outlive it.
 */
#ifndef AW_VIEW_TEXT_FINDER_H
#define AW_VIEW_TEXT_FINDER_H

#include "view/text/select.h"

/* cached pairs of message and subject; further pairs replace older ones */
#define AW_FINDER_SLOTS 64

struct aw_finder {
    const struct aw_names *names;
    const struct aw_select *select;
    bool has_numbers; /* a pattern may contain an id, which is a value of the record: no caching */
    bool any_subject; /* the patterns match the same fields for every subject */
    struct aw_finder_slot {
        const struct aw_codec *codec; /* NULL: unused */
        enum aw_dir dir;
        char subject[AW_POINT_NAME];
        uint64_t scalars[AW_SELECT_MAX]; /* by pattern: bit i is scalar i of the codec */
    } cache[AW_FINDER_SLOTS];
};

/* Initialises a finder. subjects: see select.h. */
void aw_finder_init(struct aw_finder *finder, const struct aw_names *names,
                    const struct aw_select *select, enum aw_subjects subjects);

/* Returns one set of matching scalars per pattern, whether the record contains them or not. Valid
 * until the next call. subject may be ""; it is ignored if finder->any_subject. */
const uint64_t *aw_finder_match(struct aw_finder *finder, const struct aw_record *record,
                                const char *subject);

#endif
