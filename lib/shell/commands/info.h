/* Internal to the command info: files of values, as opposed to captures.
 */
#ifndef AW_SHELL_COMMANDS_INFO_H
#define AW_SHELL_COMMANDS_INFO_H

#include "shell/core/session.h"

/* What a CSV or NDJSON file holds, one that a command of any tool wrote: each value by its name,
 * how often it comes, and from where to where it goes. AW_USAGE: it is no such file. */
enum aw_status aw_info_values(struct aw_session *session, const char *path);

#endif
