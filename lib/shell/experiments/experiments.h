/* The experiments as commands, the same in every tool that has joints for the bench (joint.h). */
#ifndef AW_SHELL_EXPERIMENTS_EXPERIMENTS_H
#define AW_SHELL_EXPERIMENTS_EXPERIMENTS_H

#include "shell/core/session.h"

enum aw_status aw_run_step(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_sweep(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_identify(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_design(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_tune(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_verify(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_compare(struct aw_session *session, const struct aw_args *args);

#endif
