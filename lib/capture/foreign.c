/* Recognises logs of other programs by their first bytes. */
#include "capture/foreign.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

#define CAN   "python3 -m can.logconvert"
#define SAVVY "open it in SavvyCAN and save it as Candump/Kayak (*.log)"

static const struct kind {
    const char *start, *ending; /* extension with its dot; NULL: any */
    const char *what;           /* name of the format; NULL: remedy contains it */
    /* new_extension: of the converted file; NULL: remedy is not a command */
    const char *how, *becomes;
} kinds[] = {
    {"LOGG", NULL, "a Vector BLF log", CAN, "log"},
    {";$FILEVERSION=", NULL, "a PEAK TRC log", CAN, "log"},
    {";###", NULL, "a PEAK TRC log", CAN, "log"},
    {";", ".trc", "a PEAK TRC log", CAN, "log"},
    {"***BUSMASTER", NULL, "a BUSMASTER log", SAVVY, NULL},
    {"Time Stamp,ID,Extended,", NULL, "a SavvyCAN GVRET log", SAVVY, NULL},
    {"ID,Data Bytes", NULL, "a SavvyCAN CSV log", SAVVY, NULL},
    {"timestamp,arbitration_id,", NULL, "a CSV log of python-can", CAN, "log"},
    {"SQLite format 3", ".db3", "a ROS 2 bag in SQLite", "mcap convert", "mcap"},
    {"SQLite format 3", NULL, "an SQLite log of python-can", CAN, "log"},
    {"PK\x03\x04", NULL, "a spreadsheet or an archive", "save it as CSV", NULL},
    {"\x89MCAP0\r\n", NULL, "an MCAP file",
     "rename it to end in .mcap, or pipe it through 'armwire-mcap read -'", NULL},
    {"\xFF\xFE", NULL, NULL, AW_UTF16_ADVICE, NULL},
    {"\xFE\xFF", NULL, NULL, AW_UTF16_ADVICE, NULL},
};

static bool is_one(const struct kind *kind, struct aw_span start, const char *name)
{
    size_t length = strlen(kind->start);
    const char *dot = strrchr(name, '.');
    return start.size >= length && memcmp(start.data, kind->start, length) == 0 &&
           (!kind->ending || (dot && strcmp(dot, kind->ending) == 0));
}

/* Suggests a command that converts the file. The output file gets another extension; a pipe has no
 * file name. */
static void advise(const struct kind *kind, const char *name, struct aw_error *err)
{
    if (!kind->becomes) {
        aw_fail(err, AW_USAGE, "%.100s is %s%s%s", name, kind->what ? kind->what : "",
                kind->what ? " — " : "", kind->how);
        return;
    }
    const char *dot = strrchr(name, '.');
    char from[400], to[400], other[400];
    bool named = dot && dot > name && !strchr(dot, '/') && strlen(name) < sizeof other / 2;
    snprintf(other, sizeof other, "%.*s.%s", named ? (int)(dot - name) : 0, name, kind->becomes);
    if (named)
        aw_fail(err, AW_USAGE, "%.100s is %s — convert it first: %s %s %s", name, kind->what,
                kind->how, aw_shell_word(from, sizeof from, name),
                aw_shell_word(to, sizeof to, other));
    else
        aw_fail(err, AW_USAGE, "%.100s is %s — convert it first: %s FILE OUT.%s", name, kind->what,
                kind->how, kind->becomes);
}

bool aw_log_is_foreign(struct aw_span start, const char *name, struct aw_error *err)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_one(&kinds[i], start, name)) {
            advise(&kinds[i], name, err);
            return true;
        }
    return false;
}
