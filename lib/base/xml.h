/* Text in XML and HTML. */
#ifndef AW_BASE_XML_H
#define AW_BASE_XML_H

#include <stdio.h>

/* Writes a text so that it is one in XML, in quotes, too: & < > " are spelled out; control
 * characters and what is no UTF-8, which XML cannot have, become '?'. */
void aw_xml_print(FILE *file, const char *text);

#endif
