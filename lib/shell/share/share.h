/* Sharing a device, as the rest of the shell sees it: its hooks and its commands. */
#ifndef AW_SHELL_SHARE_SHARE_H
#define AW_SHELL_SHARE_SHARE_H

#include "shell/core/share.h"

extern const struct aw_sharing aw_sharing;

enum aw_status aw_run_serve(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_obey(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_release(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_speed(struct aw_session *session, const struct aw_args *args);

#endif
