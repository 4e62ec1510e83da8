/* Escapes text for XML and HTML. */
#ifndef AW_BASE_XML_H
#define AW_BASE_XML_H

#include <stdio.h>

/* Writes text for XML content or a quoted attribute: replaces & < > " by entities. Control
 * characters and malformed UTF-8, which XML forbids, become '?'. */
void aw_xml_print(FILE *file, const char *text);

#endif
