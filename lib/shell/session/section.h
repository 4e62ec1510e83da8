/* The header of a recording: facts about the session that readers need. */
#ifndef AW_SHELL_SESSION_SECTION_H
#define AW_SHELL_SESSION_SECTION_H

#include "capture/pcapng.h"
#include "shell/session/session.h"

/* Allocates a pcapng section header with its interface, *size bytes long. Its program is "hidmotor
 * 0.1.0"; its comments are
 *
 *     wire NAME
 *     link URL
 *     subject FIELD NUMBER NAME      lines of it, see struct aw_name_hooks
 *     config file: NAME              and the text of the file behind that line, up to 32 KiB
 *
 * *names is the position in names.keep after the included names. NULL: out of memory. */
uint8_t *aw_section_make(struct aw_session *session, const char *url, enum aw_linktype linktype,
                         uint64_t *names, size_t *size);

#endif
