/* Names the values of aw_status, and formats error messages. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

enum aw_status(aw_fail)(struct aw_error *err, enum aw_status status, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        aw_utf8_clean(err->text);
        err->status = status;
    }
    return status;
}

enum aw_status aw_fail_about(struct aw_error *err, enum aw_status status, const char *subject)
{
    if (status == AW_OK || status == AW_NO_MEMORY || !err)
        return status;
    const struct aw_error problem = *err;
    return aw_fail(err, status, "%s: %s", subject, problem.text);
}

enum aw_status(aw_no_memory)(struct aw_error *err)
{
    return aw_fail(err, AW_NO_MEMORY, "out of memory");
}

const char *aw_status_name(enum aw_status status)
{
    static const char *const names[] = {
        [AW_OK] = "ok",           [AW_REFUSED] = "refused",
        [AW_USAGE] = "usage",     [AW_TIMEOUT] = "timeout",
        [AW_NO_LINK] = "no_link", [AW_MALFORMED] = "malformed",
        [AW_LIMIT] = "limit",     [AW_LOST] = "lost",
        [AW_STOPPED] = "stopped", [AW_NO_MEMORY] = "no_memory",
        [AW_MORE] = "more",       [AW_END] = "end",
        [AW_ENOUGH] = "enough",   [AW_EVENT] = "event",
    };
    return names[status];
}
