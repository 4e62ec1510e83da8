/* Messages named on the command line. */
#ifndef AW_SHELL_CORE_MESSAGE_H
#define AW_SHELL_CORE_MESSAGE_H

#include "shell/core/session.h"

/* AW_USAGE with a suggestion if there is no such message in this direction. */
enum aw_status aw_find_message(struct aw_session *session, const char *name, enum aw_dir dir,
                               const struct aw_codec **codec);

#endif
