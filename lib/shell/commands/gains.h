/* The command gains, the same in every tool that has gains: its actions, what it prints of a gain,
 * and what differs between two sets of them.
 *
 *     lknee pos kp 3              {"board":"lknee","controller":"pos","gain":"kp","value":3,
 *                                  "sent":1795333883,"known":true}
 *     lknee pos kp 3   sent 2026-11-22 07:51:23, not known now
 *     ~ lknee pos kp 3 (was 4)    {"board":"lknee","controller":"pos","gain":"kp","from":4,"to":3}
 *     + lknee pos kp 3            …"from":null,"to":3}
 *     - lknee pos kp 4            …"from":4,"to":null}
 */
#ifndef AW_SHELL_COMMANDS_GAINS_H
#define AW_SHELL_COMMANDS_GAINS_H

#include "control/gain_file.h"
#include "shell/core/session.h"

/* What each action does; path is its file, NULL for show and set. Every tool has all of them. */
struct aw_gain_actions {
    enum aw_status (*show)(struct aw_session *session, const struct aw_args *args);
    enum aw_status (*set)(struct aw_session *session, const struct aw_args *args);
    enum aw_status (*save)(struct aw_session *session, const char *path);
    enum aw_status (*apply)(struct aw_session *session, const char *path);
    enum aw_status (*diff)(struct aw_session *session, const char *path);
};

/* Those words of the command, and its arguments: action, words (for set), file. */
extern const struct aw_arg aw_gains_args[];

/* Does what the arguments say. */
enum aw_status aw_gains_run(struct aw_session *session, const struct aw_args *args,
                            const struct aw_gain_actions *actions);

/* The words of set, one call each: name ("elbow.kp") and value of "elbow.kp=0.02". AW_USAGE where
 * there is none, or one of another form. */
enum aw_status aw_gains_each_word(struct aw_session *session, const struct aw_args *args,
                                  enum aw_status (*take)(struct aw_session *session, void *context,
                                                         const char *name, const char *value),
                                  void *context);

struct aw_gain_line {
    const char *text;     /* "lknee pos kp 3", as in a file of gains */
    const char *kind;     /* key of the first word: "board", "motor" */
    const char *words[3]; /* "lknee", "pos", "kp" */
};

/* A gain: what the device has, or, if known is false, what it was sent at gain->sent_ns. */
void aw_session_gain(struct aw_session *session, const struct aw_gain_line *line,
                     const struct aw_gain *gain, bool known);

/* A gain of {0} is not there. */
void aw_session_gain_change(struct aw_session *session, const struct aw_gain_line *line,
                            struct aw_gain from, struct aw_gain to);

/* The end of diff: AW_OK if none differ, else AW_REFUSED, so that the exit code is that of diff(1).
 */
enum aw_status aw_gains_differ(struct aw_session *session, size_t n);

/* The result of save, apply and set: a word, and how many gains it is about. */
void aw_gains_result(struct aw_session *session, const char *result, size_t n);

#endif
