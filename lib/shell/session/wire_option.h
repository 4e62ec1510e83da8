/* Selects the wire's variant by name, for tools whose devices have more than one. */
#ifndef AW_SHELL_SESSION_WIRE_OPTION_H
#define AW_SHELL_SESSION_WIRE_OPTION_H

#include "shell/session/session.h"

/* Copies the variant that text names; AW_USAGE with the available names. text NULL: leaves *variant
 * unchanged. */
enum aw_status aw_wire_option(struct aw_session *session, const char *text,
                              struct aw_variant *variant, struct aw_error *err);

/* Completes the names of all variants. */
aw_complete_fn aw_wire_complete;

#endif
