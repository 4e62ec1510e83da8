/* Builds strings, and finds names in lists. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

void aw_join(char *out, size_t size, const char *separator, const char *const *names, size_t n)
{
    *out = '\0';
    for (size_t i = 0; i < n; i++)
        aw_append(out, size, separator, "%s", names[i]);
}

void aw_append(char *out, size_t size, const char *separator, const char *format, ...)
{
    size_t used = strlen(out);
    va_list args;
    if (used)
        used += (size_t)snprintf(out + used, size - used, "%s", separator);
    if (used >= size)
        return;
    va_start(args, format);
    vsnprintf(out + used, size - used, format, args);
    va_end(args);
}

bool aw_append_name(char *list, size_t size, const char *name)
{
    for (const char *at = list; *at; at += strspn(at, ", ")) {
        size_t length = strcspn(at, ",");
        if (aw_name_equals(name, at, length))
            return true;
        at += length;
    }
    if (strlen(list) + strlen(name) + sizeof ", " > size)
        return false;
    aw_append(list, size, ", ", "%s", name);
    return true;
}

char *aw_shell_quote(char *out, size_t size, const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_./:,@%+=-";
    bool quoted = !*text || text[strspn(text, safe)];
    size_t n = (size_t)snprintf(out, size, "%s", quoted ? "'" : "");
    for (const char *p = text; *p && n < size; p++)
        n += (size_t)snprintf(out + n, size - n, *p == '\'' ? "'\\''" : "%c", *p);
    if (quoted && n < size)
        n += (size_t)snprintf(out + n, size - n, "'");
    if (n >= size)
        snprintf(out, size, "FILE");
    return out;
}

char *aw_next_name(char **rest, char separator)
{
    char *from = *rest + strspn(*rest, (const char[]){separator, '\0'}), quote = *from;
    char *end = quote == '\'' || quote == '"' ? strchr(from + 1, quote) : NULL;
    bool quoted = end && (!end[1] || end[1] == separator);
    *rest = from;
    if (!*from)
        return NULL;
    if (!quoted)
        end = from + strcspn(from, (const char[]){separator, '\0'});
    *rest = end + (*end != '\0');
    *end = '\0';
    return from + quoted;
}

char *aw_trim(char *text)
{
    text += strspn(text, " \t\r\n\v\f");
    for (size_t n = strlen(text); n && strchr(" \t\r\n\v\f", text[n - 1]);)
        text[--n] = '\0';
    return text;
}

bool aw_is_one_of(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

int aw_find_name(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return (int)i;
    return -1;
}
