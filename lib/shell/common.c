/* The commands that every tool has, in the order in which help lists them. */
#include "shell/custom/custom.h"
#include "shell/help/help.h"
#include "shell/joints/play.h"
#include "shell/joints/verbs.h"
#include "shell/lead/follower.h"
#include "shell/lead/replay.h"
#include "shell/lead/teleop.h"
#include "shell/look/look.h"
#include "shell/main.h"
#include "shell/prompt/prompt.h"
#include "shell/run/run.h"
#include "shell/serve/serve.h"
#include "shell/source/source.h"
#include "tuning/verbs/verbs.h"

/* clang-format off */
const struct aw_command *const aw_common_commands[] = {
    &aw_status_command, &aw_limits_command, &aw_custom_move_command, &aw_custom_home_command,
    &aw_custom_jog_command, &aw_custom_step_command, &aw_custom_sweep_command,
    &aw_custom_identify_command, &aw_custom_verify_command, &aw_custom_gains_command,
    &aw_custom_stop_command, &aw_move_command, &aw_jog_command,
    &aw_stop_command, &aw_play_command, &aw_teleop_command, &aw_follow_command, &aw_watch_command,
    &aw_plot_command, &aw_wait_command, &aw_pause_command, &aw_expect_command, &aw_encode_command,
    &aw_decode_command, &aw_record_command, &aw_replay_command, &aw_info_command,
    &aw_describe_command, &aw_send_command, &aw_serve_command,
    &aw_speed_command, &aw_run_command, &aw_list_command, &aw_config_command,
    &aw_completion_command, &aw_complete_command, &aw_commands_command, &aw_help_command,
    &aw_question_command, &aw_quit_command, &aw_exit_command, NULL};
/* clang-format on */
