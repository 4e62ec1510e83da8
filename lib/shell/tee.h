/* --record FILE: everything that passes the link goes into a capture file as well. */
#ifndef AW_SHELL_TEE_H
#define AW_SHELL_TEE_H

#include <stdio.h>

#include "capture/packet.h"
#include "shell/session.h"

/* Owns the file; {0} records nothing. */
struct aw_tee {
    FILE *file;
    struct aw_wrapper wrapper;
};

/* Creates the file. AW_USAGE unless it ends in .pcapng, AW_REFUSED if it cannot be written. */
enum aw_status aw_tee_open(struct aw_tee *tee, struct aw_session *session, const char *path,
                           const char *interface);

/* Adds one message and writes it out at once: a killed program leaves a file that can be read.
 * False (once) when that fails, with errno; the file ends there. */
bool aw_tee_add(struct aw_tee *tee, enum aw_dir dir, int64_t time_ns, struct aw_span bytes);

void aw_tee_close(struct aw_tee *tee);

#endif
