/* Writes a line to standard error in the characters of the locale. */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"
#include "view/terminal/screen.h"

void say(const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!aw_screen_is_utf8())
        aw_utf8_to_ascii(text, sizeof text);
    fputs(text, stderr);
}
