/* The commands that every tool has, but for those of sharing. */
#ifndef AW_SHELL_COMMANDS_COMMON_H
#define AW_SHELL_COMMANDS_COMMON_H

#include "shell/core/session.h"

/* The joints of the tool, from its struct aw_joints; it has one. */
enum aw_status aw_run_status(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_limits(struct aw_session *session, const struct aw_args *args);

/* The limits of one joint, or (NULL) of all. */
enum aw_status aw_limits_show(struct aw_session *session, const char *text);

/* Of joints that packet files describe. */
enum aw_status aw_run_own_stop(struct aw_session *session, const struct aw_args *args);

/* Single motions of them, see move.h. */
enum aw_status aw_run_move(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_jog(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_home(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_stop(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_play(struct aw_session *session, const struct aw_args *args);

enum aw_status aw_run_teleop(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_follow(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_encode(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_decode(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_describe(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_config(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_watch(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_wait(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_expect(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_test(struct aw_session *session, const struct aw_args *args);
/* Of joints a table, one row a time; record of a .csv does it where they are tabled. */
enum aw_status aw_run_record_joints(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_record(struct aw_session *session, const struct aw_args *args);

/* What comes of a recording that has ended: AW_OK where Ctrl-C did that, unless something moves or
 * a script has more to do. */
enum aw_status aw_record_ended(struct aw_session *session, enum aw_status status);
enum aw_status aw_run_packets(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_send(struct aw_session *session, const struct aw_args *args);
/* The packet of a file that goes to the device, by its name or its word; NULL: there is none. */
const struct aw_codec *aw_find_own(struct aw_session *session, const char *name);
/* What the device has answered, with the wire that the view is for: --raw shows wire numbers. */
enum aw_status aw_show_answer(struct aw_session *session, struct aw_span frame);
/* A packet of a file to the device, or with --dry-run to nobody; its answer is shown. */
enum aw_status aw_send_packet(struct aw_session *session, struct aw_record *packet);
/* Is the packet of send one that only asks? */
bool aw_send_only_reads(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_replay(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_info(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_plot(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_completion(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_commands(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_complete(struct aw_session *session, const struct aw_args *args);
enum aw_status aw_run_quit(struct aw_session *session, const struct aw_args *args);

/* The message of this name. AW_USAGE with a suggestion if there is none in this direction. */
enum aw_status aw_find_message(struct aw_session *session, const char *name, enum aw_dir dir,
                               const struct aw_codec **codec);

/* config init: asks on a terminal if args has no words but "init"; else takes these: link=URL,
 * OPTION=VALUE, @ALIAS=URL, NAME.KEY=VALUE. Writes the file of session->config, which is right
 * then: everything has been read as the file will be. AW_USAGE for what the file could not have. */
enum aw_status aw_config_init(struct aw_session *session, const struct aw_args *args);

/* info of a CSV or NDJSON file that a command of any tool wrote: each value by its name, how often
 * it comes, and from where to where it goes. AW_USAGE: it is no such file. */
enum aw_status aw_info_values(struct aw_session *session, const char *path);

#endif
