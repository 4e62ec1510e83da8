/* The commands that every tool has. */
#ifndef AW_SHELL_COMMANDS_COMMON_H
#define AW_SHELL_COMMANDS_COMMON_H

#include "shell/core/session.h"

extern const struct aw_command aw_common_commands[]; /* {0}-terminated */

enum aw_status aw_run_encode(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_decode(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_describe(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_config(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_serve(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_release(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_watch(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_record(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_replay(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_info(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_plot(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_completion(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_commands(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_complete(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_quit(struct aw_session *session, const struct aw_args *args);

#endif
