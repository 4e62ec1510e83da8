/* Internal to lib/shell/share: bytes in lines of JSON, as hex digits, and what both sides say of a
 * conversation that goes on when another program commands. */
#ifndef AW_SHELL_SHARE_BYTES_H
#define AW_SHELL_SHARE_BYTES_H

#include <jansson.h>

#include "shell/core/session.h"

/* A new text; NULL: out of memory. */
json_t *aw_bytes_json(struct aw_span bytes);

/* False: no text of digits, nothing in it, or more than there is room for. */
bool aw_bytes_read(const json_t *text, uint8_t *out, size_t room, size_t *size);

/* What the session knows of the conversation with its device, as a new text; NULL: nothing is to be
 * known of it. Taken where it is "memory" of an object and sound. */
json_t *aw_memory_json(struct aw_session *session);
void aw_memory_take(struct aw_session *session, const json_t *object);

#endif
