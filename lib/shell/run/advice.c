/* Prints a suggestion for the next command. */
#include "shell/run/run.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* Returns true for a recording without messages. */
static bool is_empty(const struct aw_object *result)
{
    char text[AW_OBJECT_TEXT];
    aw_object_print(
        result, &(struct aw_object_form){.style = AW_STYLE_FORMAT, .format = "%{messages}"}, text);
    return strncmp(text, "0\n", 2) == 0;
}

static bool is_wanted(struct aw_session *session)
{
    const struct aw_session_mode *mode = &session->mode;
    return (mode->one_shot || mode->interactive) && mode->scripts == 0 && !mode->gave_advice &&
           !session->out.sink && !session->options.print.quiet && !session->options.run.dry_run &&
           !is_empty(&session->result) && !aw_session_is_formatted(session) &&
           isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);
}

/* Returns the file named by an argument or option if it is regular and not empty. */
static const char *find_file(struct aw_session *session, const struct aw_args *args,
                             const char *name)
{
    const char *path = aw_arg(args, name, 0);
    const struct aw_option_value *value = path ? NULL : aw_options_find(&session->options, name);
    struct stat about;
    if (value && value->origin == AW_FROM_COMMAND_LINE)
        path = value->text;
    bool readable = path && stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0;
    return readable ? path : NULL;
}

/* Returns false for models and gains, which plot cannot draw. */
static bool is_drawn(const char *path)
{
    static const char *const endings[] = {".csv", ".ndjson", ".pcapng", ".mcap", ".log", NULL};
    const char *ending = strrchr(path, '.');
    return ending && aw_is_one_of(endings, ending);
}

/* Replaces {NAME} in "plot {NAME}" by the value of that argument or option. Returns false if plot
 * cannot draw this file. */
static bool fill_in_file(struct aw_session *session, const struct aw_args *args, const char *next,
                         char *out, size_t size)
{
    const char *open = strchr(next, '{'), *close = open ? strchr(open, '}') : NULL;
    char name[32], quoted[512];
    if (!close)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(close - open - 1), open + 1);
    const char *path = find_file(session, args, name);
    if (!path || (strncmp(next, "plot ", 5) == 0 && !is_drawn(path)))
        return false;
    aw_shell_quote(quoted, sizeof quoted, path);
    snprintf(out, size, "%.*s%s%s", (int)(open - next), next, quoted, close + 1);
    return true;
}

void aw_advise(struct aw_session *session, const struct aw_args *args)
{
    static const struct aw_next saved = {"plot {save}", "draws it"};
    static const struct aw_next recorded = {"plot {record}", "draws what was recorded"};
    const struct aw_next *steps[] = {&args->command->next, &saved, &recorded};
    char line[640];
    bool prompt = session->mode.interactive;
    for (size_t i = 0; i < 3 && is_wanted(session); i++) {
        if (!steps[i]->line || !fill_in_file(session, args, steps[i]->line, line, sizeof line))
            continue;
        aw_output_flush(&session->out, NULL);
        aw_session_report(session, "next: %s%s%s  %s\n", prompt ? "" : session->tool->name,
                          prompt ? "" : " ", line, steps[i]->effect);
        session->mode.gave_advice = true;
    }
}
