/* The variant of the wire by name, for tools whose devices have more than one. */
#ifndef AW_SHELL_CORE_WIRE_OPTION_H
#define AW_SHELL_CORE_WIRE_OPTION_H

#include "shell/core/session.h"

/* Copies the variant that text names; AW_USAGE with the names there are. text NULL: none, and
 * *variant stays. */
enum aw_status aw_wire_option(struct aw_session *session, const char *text,
                              struct aw_variant *variant, struct aw_error *err);

/* Names of all variants, for completion. */
aw_complete_fn aw_wire_complete;

#endif
