/* Writes text to XML and HTML. */
#ifndef AW_BASE_XML_H
#define AW_BASE_XML_H

#include <stdio.h>

/* Escapes a text for XML, also within quotes: spells out & < > ". Control characters and malformed
 * UTF-8, which XML forbids, become '?'. */
void aw_xml_print(FILE *file, const char *text);

#endif
