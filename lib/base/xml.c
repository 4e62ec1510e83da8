/* Writes texts as XML. */
#include "base/xml.h"

#include <string.h>

void aw_xml_print(FILE *file, const char *text)
{
    static const char specials[] = "&<>\"";
    static const char *const instead[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    for (; *text; text++) {
        const char *special = strchr(specials, *text);
        if (special)
            fputs(instead[special - specials], file);
        else
            fputc((unsigned char)*text < ' ' && *text != '\n' && *text != '\t' ? '?' : *text, file);
    }
}
