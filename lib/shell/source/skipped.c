/* Counts and reports valid frames that do not belong to the tool. */
#include "shell/source/skipped.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void aw_skip_frame(struct aw_skipped *skipped, struct aw_span frame)
{
    struct aw_can_id can = aw_can_id_of(frame.data);
    size_t i = 0;
    skipped->n_other++;
    while (i < skipped->n_ids && i < AW_SKIPPED_IDS &&
           (skipped->ids[i].id != can.id || skipped->ids[i].is_long != can.is_long))
        i++;
    if (i < skipped->n_ids)
        return;
    if (i < AW_SKIPPED_IDS)
        skipped->ids[i] = can;
    skipped->n_ids = i + 1;
}

/* Writes "0x700, 0x701", and "…" if there are more. */
static void list_ids(const struct aw_skipped *skipped, char *out, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < skipped->n_ids && i < AW_SKIPPED_IDS; i++) {
        const struct aw_can_id *can = &skipped->ids[i];
        length += (size_t)snprintf(out + length, size - length, "%s0x%0*X", i ? ", " : "",
                                   can->is_long ? 8 : 3, (unsigned)can->id);
    }
    if (skipped->n_ids > AW_SKIPPED_IDS)
        snprintf(out + length, size - length, " …");
}

static const char *get_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void report_lines(struct aw_session *session, const char *name,
                         const struct aw_candump_log *lines)
{
    static const char *const kinds[AW_CANDUMP_N_KINDS] = {NULL, "error frame", "remote frame",
                                                          "CAN FD frame"};
    char text[160] = "";
    for (size_t i = 1; i < AW_CANDUMP_N_KINDS; i++) {
        size_t length = strlen(text);
        uint64_t n = lines->n_entries[i];
        if (n)
            snprintf(text + length, sizeof text - length, "%s%" PRIu64 " %s%s", length ? ", " : "",
                     n, kinds[i], get_plural(n));
    }
    if (*text)
        aw_session_print_notice(session, "%s: skipped %s", name, text);
    if (*lines->interfaces[1])
        aw_session_print_notice(
            session, "%s: contains frames from interfaces %s and %s — select one: grep ' %s ' FILE",
            name, lines->interfaces[0], lines->interfaces[1], lines->interfaces[0]);
}

void aw_report_skipped(struct aw_session *session, const char *name,
                       const struct aw_skipped *skipped)
{
    char ids[80];
    report_lines(session, name, &skipped->lines);
    if (!skipped->n_other)
        return;
    list_ids(skipped, ids, sizeof ids);
    aw_session_print_notice(session,
                            "%s: skipped %" PRIu64
                            " frame%s of other nodes (%s) — name a board with -b, "
                            "packets with --packets or --dbc",
                            name, skipped->n_other, get_plural(skipped->n_other), ids);
}
