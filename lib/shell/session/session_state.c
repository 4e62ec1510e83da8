/* Queries the session's options, time and continuing activity. */
#include <string.h>

#include "shell/session/session.h"

const char *aw_option(const struct aw_session *session, const char *name)
{
    struct aw_options *options = (struct aw_options *)&session->options;
    const struct aw_option_value *value = aw_options_find(options, name);
    return value ? value->text : NULL;
}

enum aw_style aw_session_style(const struct aw_session *session)
{
    const struct aw_options_print *print = &session->options.print;
    return print->json     ? AW_STYLE_JSON
           : print->csv    ? AW_STYLE_CSV
           : print->format ? AW_STYLE_FORMAT
                           : AW_STYLE_TEXT;
}

bool aw_session_is_json(const struct aw_session *session)
{
    return aw_session_style(session) == AW_STYLE_JSON;
}

bool aw_session_is_formatted(const struct aw_session *session)
{
    return aw_session_style(session) != AW_STYLE_TEXT;
}

bool aw_session_is_text(const struct aw_session *session)
{
    return !aw_session_is_formatted(session) && !session->options.print.fields;
}

bool aw_session_is_virtual(const struct aw_session *session)
{
    return session->clock == &session->time.virtual.base;
}

int64_t aw_session_time(const struct aw_session *session)
{
    return aw_session_is_virtual(session) ? session->time.virtual.time_ns : aw_wall_time();
}

int64_t aw_session_end_time(const struct aw_session *session)
{
    double seconds = session->options.run.for_s;
    return seconds > 0 ? aw_time_after(aw_clock_now(session->clock), seconds) : AW_NEVER;
}

bool aw_session_has_ongoing(const struct aw_session *session)
{
    return session->motion.ongoing == AW_ONGOING_RUNNING ||
           (session->motion.ongoing == AW_ONGOING_ENDING &&
            aw_clock_now(session->clock) < session->motion.end_ns);
}

void aw_session_set_end(struct aw_session *session, double seconds)
{
    session->motion.ongoing = AW_ONGOING_ENDING;
    session->motion.end_ns = aw_time_after(aw_clock_now(session->clock), seconds);
}

enum aw_status aw_session_check_input(struct aw_session *session)
{
    const struct aw_session_mode *mode = &session->mode;
    if (mode->one_shot || mode->interactive || mode->scripts > 0)
        return AW_OK;
    return aw_fail(&session->err, AW_USAGE,
                   "%s: standard input is already the script — put the script into a file ('run "
                   "FILE'), or run the command alone",
                   session->run.command->name);
}
