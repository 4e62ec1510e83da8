/* Recognises logs of other programs by their first bytes. */
#include "capture/foreign.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

#define CAN             "python3 -m can.logconvert"
#define SAVVYCAN_ADVICE "open it in SavvyCAN and save it as Candump/Kayak (*.log)"

static const struct file_format {
    const char *start, *extension; /* extension with its dot; NULL: any */
    const char *name;              /* name of the format; NULL: remedy contains it */
    /* new_extension: of the converted file; NULL: remedy is not a command */
    const char *remedy, *new_extension;
} formats[] = {
    {"LOGG", NULL, "a Vector BLF log", CAN, "log"},
    {";$FILEVERSION=", NULL, "a PEAK TRC log", CAN, "log"},
    {";###", NULL, "a PEAK TRC log", CAN, "log"},
    {";", ".trc", "a PEAK TRC log", CAN, "log"},
    {"***BUSMASTER", NULL, "a BUSMASTER log", SAVVYCAN_ADVICE, NULL},
    {"Time Stamp,ID,Extended,", NULL, "a SavvyCAN GVRET log", SAVVYCAN_ADVICE, NULL},
    {"ID,Data Bytes", NULL, "a SavvyCAN CSV log", SAVVYCAN_ADVICE, NULL},
    {"timestamp,arbitration_id,", NULL, "a CSV log of python-can", CAN, "log"},
    {"SQLite format 3", ".db3", "a ROS 2 bag in SQLite", "mcap convert", "mcap"},
    {"SQLite format 3", NULL, "an SQLite log of python-can", CAN, "log"},
    {"PK\x03\x04", NULL, "a spreadsheet or an archive", "save it as CSV", NULL},
    {"\x89MCAP0\r\n", NULL, "an MCAP file",
     "rename it to end in .mcap, or pipe it through 'armwire-mcap read -'", NULL},
    {"\xFF\xFE", NULL, NULL, AW_UTF16_ADVICE, NULL},
    {"\xFE\xFF", NULL, NULL, AW_UTF16_ADVICE, NULL},
};

static bool matches_format(const struct file_format *format, struct aw_span start, const char *name)
{
    size_t length = strlen(format->start);
    const char *dot = strrchr(name, '.');
    return start.size >= length && memcmp(start.data, format->start, length) == 0 &&
           (!format->extension || (dot && strcmp(dot, format->extension) == 0));
}

/* Suggests a command that converts the file. The output file gets another extension; a pipe has no
 * file name. */
static void suggest_conversion(const struct file_format *format, const char *name,
                               struct aw_error *err)
{
    if (!format->new_extension) {
        aw_fail(err, AW_USAGE, "%.100s is %s%s%s", name, format->name ? format->name : "",
                format->name ? " — " : "", format->remedy);
        return;
    }
    const char *dot = strrchr(name, '.');
    char from[400], to[400], output[400];
    bool has_name = dot && dot > name && !strchr(dot, '/') && strlen(name) < sizeof output / 2;
    snprintf(output, sizeof output, "%.*s.%s", has_name ? (int)(dot - name) : 0, name,
             format->new_extension);
    if (has_name)
        aw_fail(err, AW_USAGE, "%.100s is %s — convert it first: %s %s %s", name, format->name,
                format->remedy, aw_shell_quote(from, sizeof from, name),
                aw_shell_quote(to, sizeof to, output));
    else
        aw_fail(err, AW_USAGE, "%.100s is %s — convert it first: %s FILE OUT.%s", name,
                format->name, format->remedy, format->new_extension);
}

bool aw_log_is_foreign(struct aw_span start, const char *name, struct aw_error *err)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (matches_format(&formats[i], start, name)) {
            suggest_conversion(&formats[i], name, err);
            return true;
        }
    return false;
}
