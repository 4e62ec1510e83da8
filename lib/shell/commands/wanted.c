/* Takes the names out of --fields and --format, and looks for them in messages. */
#include "shell/commands/wanted.h"

#include <stdio.h>
#include <string.h>

static bool is_value(const char *name)
{
    return strcmp(name, "t") != 0 && strcmp(name, "dir") != 0 && strcmp(name, "msg") != 0;
}

enum aw_status aw_wanted_init(struct aw_wanted *wanted, struct aw_session *session)
{
    const char *fields = aw_option(session, "fields"), *format = aw_option(session, "format");
    enum aw_status status = AW_OK;
    char *at = wanted->text, *rest;
    *wanted = (struct aw_wanted){0};
    if (aw_session_json(session) || aw_session_csv(session))
        format = NULL;
    at += snprintf(at, 512, "%s", fields ? fields : "") + 1;
    at = at < wanted->text + 512 ? at : wanted->text + 512;
    for (char *name = strtok_r(wanted->text, ",", &rest); name && status == AW_OK;
         name = strtok_r(NULL, ",", &rest))
        status = is_value(name) ? aw_select_add(&wanted->any, name, &session->err) : AW_OK;
    while (status == AW_OK && format && (format = strstr(format, "%{"))) {
        int length = (int)strcspn(format += 2, "}");
        if (at + length >= wanted->text + sizeof wanted->text)
            break; /* the view says that it is too long */
        snprintf(at, (size_t)length + 1, "%s", format);
        if (is_value(at) && wanted->all.n < AW_SELECT_MAX)
            status = aw_select_add(&wanted->all, at, &session->err);
        at += length + 1;
    }
    return status;
}

static bool has(const char *pattern, const struct aw_point *points, size_t n)
{
    struct aw_select one = {.n = 1, .pattern = {pattern}};
    size_t i = 0;
    while (i < n && aw_select_match(&one, &points[i]) < 0)
        i++;
    return i < n;
}

bool aw_wanted_fits(const struct aw_wanted *wanted, const struct aw_point *points, size_t n)
{
    bool any = wanted->any.n == 0;
    for (size_t i = 0; i < wanted->any.n && !any; i++)
        any = has(wanted->any.pattern[i], points, n);
    for (size_t i = 0; i < wanted->all.n && any; i++)
        any = has(wanted->all.pattern[i], points, n);
    return any;
}

bool aw_wanted_has(const struct aw_wanted *wanted, uint64_t present, const uint64_t *any,
                   const uint64_t *all)
{
    bool fits = wanted->any.n == 0;
    for (size_t i = 0; i < wanted->any.n && !fits; i++)
        fits = any[i] & present;
    for (size_t i = 0; i < wanted->all.n && fits; i++)
        fits = all[i] & present;
    return fits;
}
