/* Log lines of ezphys-sim, in the character set of the locale. */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"
#include "view/terminal/screen.h"

void print_log(const char *format, ...)
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
