/* Prints records on a second processor, in the order in which they come: while one decodes, the
 * other prints what it has decoded.
 *
 *     struct aw_printer *printer = aw_printer_start(session, view);    NULL: there is no other
 *     struct aw_record *record = aw_printer_put(printer);              the first place
 *     while (record && decode(record))
 *         record = aw_printer_put(printer);                            is printed some time
 *     aw_printer_end(printer);
 *
 * Between start and end the output, the view and the tool's notice are the printer's, but right
 * after it was drained. It has 2048 places, whatever comes: 1.2 MB.
 */
#ifndef AW_SHELL_COMMANDS_PRINTER_H
#define AW_SHELL_COMMANDS_PRINTER_H

#include "shell/core/session.h"

struct aw_printer;

/* NULL: there is one processor only, or no memory. */
struct aw_printer *aw_printer_start(struct aw_session *session, struct aw_view *view);

/* Takes the record that stands in the place given last, if one was, and returns the place of the
 * next. NULL: the output is gone, session->out.error says why once the printer has ended. */
struct aw_record *aw_printer_put(struct aw_printer *printer);

/* What has been put is printed without waiting for more. drain: it is printed on return, and the
 * output is at rest until the next call. Returns the place of the record that is being made, which
 * has gone along. */
struct aw_record *aw_printer_hurry(struct aw_printer *printer, bool drain);

void aw_printer_end(struct aw_printer *printer); /* drains before; NULL is fine */

/* What the printer does with each record, here and now. */
void aw_print_record(struct aw_session *session, struct aw_view *view,
                     const struct aw_record *record);

#endif
