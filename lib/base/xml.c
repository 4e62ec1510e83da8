/* Escapes text for XML. */
#include "base/xml.h"

#include <string.h>

#include "base/utf8.h"

void aw_xml_print(FILE *file, const char *text)
{
    static const char specials[] = "&<>\"";
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    for (size_t n; *text; text += n ? n : 1) {
        const char *special = strchr(specials, *text);
        n = aw_utf8_size(text);
        if (special)
            fputs(entities[special - specials], file);
        else if (n || *text == '\n' || *text == '\t')
            fwrite(text, 1, n ? n : 1, file);
        else
            fputc('?', file);
    }
}
