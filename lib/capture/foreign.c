/* Tells the logs of other CAN programs by their first bytes. */
#include "capture/foreign.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const struct {
    const char *start, *what;
} kinds[] = {
    {"LOGG", "a Vector BLF log"},
    {"date ", "a Vector ASC log"},
    {";$FILEVERSION=", "a PEAK TRC log"},
    {"timestamp,arbitration_id,", "a CSV log of python-can"},
    {"SQLite format 3", "an SQLite log of python-can"},
};

/* A name with an ending becomes one that ends in .log; a pipe has none. */
static void advise(const char *name, const char *what, struct aw_error *err)
{
    static const char how[] = "convert it first: python3 -m can.logconvert";
    const char *dot = strrchr(name, '.');
    char from[400], to[400], other[400];
    bool named = dot && dot > name && !strchr(dot, '/') && strlen(name) < sizeof other / 2;
    snprintf(other, sizeof other, "%.*s.log", named ? (int)(dot - name) : 0, name);
    if (named)
        aw_fail(err, AW_USAGE, "%.100s is %s — %s %s %s", name, what, how,
                aw_shell_word(from, sizeof from, name), aw_shell_word(to, sizeof to, other));
    else
        aw_fail(err, AW_USAGE, "%.100s is %s — %s FILE OUT.log", name, what, how);
}

bool aw_log_is_foreign(struct aw_span start, const char *name, struct aw_error *err)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].start);
        if (start.size < length || memcmp(start.data, kinds[i].start, length) != 0)
            continue;
        advise(name, kinds[i].what, err);
        return true;
    }
    return false;
}
