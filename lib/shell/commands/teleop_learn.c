/* teleop --learn: asks to move each control, and makes a map of what was moved. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/file.h"
#include "base/ready.h"
#include "shell/commands/teleop.h"
#include "shell/core/ask.h"
#include "shell/core/config.h"

#define OUT     0.6 /* of the way from rest: it is meant */
#define BACK    0.3 /* and this near to rest again */
#define AT_END  0.5 /* what rests beyond this goes one way: a pedal, a raw trigger */
#define LOOK_NS (50 * AW_MILLISECOND)

/* What was moved; control -1: nothing, it is left out. */
struct move {
    int control;
    double rest, out; /* where it was before, and at its farthest */
};

struct learner {
    struct aw_hands *hands;
    struct aw_error *err;
    FILE *text; /* the section */
    struct termios before;
    bool keys;  /* of the terminal are read */
    bool ended; /* the recording has, or the pad is gone */
    bool left;  /* q */
    bool skip;  /* Enter */
    int64_t now_ns;
    int enable; /* pressed again it leaves a question out; -1: not known yet */
    unsigned number, all;
    double rest[AW_CONTROLS_MAX], out[AW_CONTROLS_MAX];
};

static const struct aw_control *control_of(const struct learner *l, int number)
{
    return &aw_pad_controls(l->hands->pad)->controls[number];
}

static size_t count(const struct learner *l)
{
    return aw_pad_controls(l->hands->pad)->n;
}

/* ---- Waiting -----------------------------------------------------------------------------------
 */

static void read_keys(struct learner *l)
{
    char text[16];
    ssize_t n = l->keys ? aw_read_ready(STDIN_FILENO, text, sizeof text) : 0;
    for (ssize_t i = 0; i < n; i++) {
        l->left = l->left || text[i] == 'q' || text[i] == 4;
        l->skip = l->skip || text[i] == '\n' || text[i] == '\r';
    }
}

/* A recording is gone through as fast as it can be. */
static enum aw_status wait_a_moment(struct learner *l)
{
    struct aw_session *session = l->hands->session;
    struct aw_clock *clock = &session->time.real.base;
    int fds[2] = {-1, -1};
    if (aw_pad_recorded(l->hands->pad)) {
        int64_t due = aw_pad_due(l->hands->pad);
        l->now_ns = due > l->now_ns && due != AW_NEVER ? due : l->now_ns + AW_SECOND;
        return AW_OK;
    }
    aw_pad_fds(l->hands->pad, fds);
    enum aw_status status = aw_clock_wait(clock, fds[0], POLLIN, aw_clock_now(clock) + LOOK_NS);
    l->now_ns = aw_clock_now(clock);
    return status == AW_TIMEOUT ? AW_OK : status;
}

static double away(const struct learner *l, size_t control)
{
    return aw_pad_value(l->hands->pad, (int)control) - l->rest[control];
}

/* The next report of the pad, and what it says of each control. */
static enum aw_status look(struct learner *l)
{
    struct aw_pad_event event;
    enum aw_status status = wait_a_moment(l);
    read_keys(l);
    while (status == AW_OK && aw_pad_next(l->hands->pad, l->now_ns, &event)) {
        l->ended = l->ended || event.what == AW_PAD_GONE;
        for (size_t i = 0; i < count(l); i++)
            if (fabs(away(l, i)) > fabs(l->out[i]))
                l->out[i] = away(l, i);
        if (event.what == AW_PAD_CHANGED)
            return AW_OK; /* one at a time */
    }
    return status;
}

/* The one that went farthest; of two that go together the first, which has a name. */
static int farthest(const struct learner *l)
{
    int best = -1;
    for (size_t i = 0; i < count(l); i++)
        if (fabs(l->out[i]) >= OUT && (best < 0 || fabs(l->out[i]) > fabs(l->out[best]) + 1e-9))
            best = (int)i;
    return best;
}

/* All of them, where they were or in the middle: one that came along must not answer the next
 * question when it is let go. */
static bool is_at_rest(const struct learner *l)
{
    for (size_t i = 0; i < count(l); i++)
        if (fabs(away(l, i)) > BACK && fabs(aw_pad_value(l->hands->pad, (int)i)) > BACK)
            return false;
    return true;
}

/* Until something has gone out and has come back. */
static enum aw_status watch(struct learner *l, struct move *move)
{
    enum aw_status status = AW_OK;
    *move = (struct move){.control = -1};
    l->skip = false;
    for (size_t i = 0; i < count(l); i++) {
        l->rest[i] = aw_pad_value(l->hands->pad, (int)i);
        l->out[i] = 0;
    }
    while (status == AW_OK && !l->ended && !l->left && !l->skip) {
        status = look(l);
        int moved = farthest(l);
        if (status != AW_OK || moved < 0 || !is_at_rest(l))
            continue;
        if (moved != l->enable)
            *move = (struct move){moved, l->rest[moved], l->out[moved]};
        return AW_OK;
    }
    return status;
}

/* ---- Questions ---------------------------------------------------------------------------------
 */

static enum aw_status ask(struct learner *l, const char *what, const char *how, struct move *move)
{
    struct aw_session *session = l->hands->session;
    l->number += l->number < l->all;
    if (l->ended || l->left) {
        *move = (struct move){.control = -1};
        return AW_OK;
    }
    aw_session_report(session, "%2u of %u  %s: %s\n", l->number, l->all, what, how);
    enum aw_status status = watch(l, move);
    if (status == AW_OK && !l->left)
        aw_session_report(session, "         %s\n",
                          move->control >= 0 ? control_of(l, move->control)->name : "nothing");
    return status;
}

/* Does it go one way only: a button, a trigger, or an axis that rests at one end? */
static bool goes_one_way(const struct learner *l, const struct move *move)
{
    return !control_of(l, move->control)->axis || fabs(move->rest) > AT_END;
}

static void write_velocity(struct learner *l, const struct aw_joint *joint, const struct move *move,
                           bool back)
{
    bool one_way = goes_one_way(l, move);
    bool known = isfinite(joint->speed) || l->hands->way->waits; /* whose steps are small */
    const char *rate = known ? "100%" : isfinite(joint->max - joint->min) ? "10%" : "1";
    bool minus = one_way ? back : move->out < 0;
    fprintf(l->text, "%s = %s velocity %s%s", control_of(l, move->control)->name,
            aw_joint_called(joint), minus ? "-" : "", rate);
    if (one_way && fabs(move->rest) > AT_END)
        fprintf(l->text, " min=%g max=%g", copysign(1, move->rest), -copysign(1, move->rest));
    fprintf(l->text, "\n");
}

static enum aw_status ask_joint(struct learner *l, const struct aw_joint *joint)
{
    const char *name = aw_joint_called(joint);
    char back[AW_JOINT_NAME + 16];
    struct move move;
    enum aw_status status = ask(l, name, "move its control in the positive direction", &move);
    if (status != AW_OK || move.control < 0)
        return status;
    write_velocity(l, joint, &move, false);
    if (!goes_one_way(l, &move))
        return AW_OK;
    snprintf(back, sizeof back, "%s, back", name);
    status = ask(l, back, "move the control for the other direction", &move);
    if (status == AW_OK && move.control >= 0)
        write_velocity(l, joint, &move, true);
    return status;
}

static enum aw_status ask_button(struct learner *l, const char *what, const char *line, bool last)
{
    struct move move;
    enum aw_status status = ask(l, what, "press a button", &move);
    if (status != AW_OK || move.control < 0)
        return status;
    if (last) /* "y = mark success" */
        fprintf(l->text, "%s = %s\n", control_of(l, move.control)->name, line);
    else
        fprintf(l->text, "%s = %s\n", line, control_of(l, move.control)->name);
    return AW_OK;
}

static enum aw_status ask_enable(struct learner *l)
{
    struct move move;
    enum aw_status status = ask(l, "to run", "press the button that you will hold", &move);
    if (status != AW_OK || l->left)
        return status;
    if (move.control < 0)
        return aw_fail(l->err, AW_USAGE,
                       "teleop --learn: no button was pressed, and nothing moves without one");
    l->enable = move.control;
    fprintf(l->text, "enable = %s\n", control_of(l, move.control)->name);
    if (l->keys || !l->ended)
        aw_session_report(l->hands->session, "         press it again%s to skip a question%s\n",
                          l->keys ? ", or Enter," : "", l->keys ? "; q ends without a map" : "");
    return AW_OK;
}

static bool is_asked_for(const struct aw_joint *joint)
{
    return joint->takes && !joint->other && !joint->left_out;
}

static enum aw_status ask_all(struct learner *l)
{
    static const struct {
        const char *what, *line;
        bool last;
    } buttons[] = {{"it went well", "mark success", true},
                   {"it went wrong", "mark failure", true},
                   {"recording on and off", "record toggle", true},
                   {"to leave", "quit", true}};
    const struct aw_joint_list *list = &l->hands->list;
    l->all = 2 + sizeof buttons / sizeof *buttons;
    for (size_t i = 0; i < list->n; i++)
        l->all += is_asked_for(&list->joints[i]);
    enum aw_status status = ask_enable(l);
    if (status == AW_OK)
        status = ask_button(l, "full speed", "full", false);
    for (size_t i = 0; i < list->n && status == AW_OK; i++)
        if (is_asked_for(&list->joints[i]))
            status = ask_joint(l, &list->joints[i]);
    for (size_t i = 0; i < sizeof buttons / sizeof *buttons && status == AW_OK; i++)
        status = ask_button(l, buttons[i].what, buttons[i].line, buttons[i].last);
    return status;
}

/* ---- The map -----------------------------------------------------------------------------------
 */

static enum aw_status check_name(struct aw_hands *h)
{
    const struct aw_config *config = h->session->config;
    for (size_t i = 0; i < config->n_hands; i++)
        if (strcmp(config->hands[i].section, h->map_name) == 0)
            return aw_fail(&h->session->err, AW_USAGE,
                           "teleop --learn: %.200s has a section [teleop %.40s] — name another "
                           "one: --map NAME",
                           config->path, h->map_name);
    if (!*config->path)
        return aw_fail(&h->session->err, AW_USAGE,
                       "teleop --learn: no home to write into — name a file with --config");
    return AW_OK;
}

static enum aw_status make_map(struct learner *l, char **text)
{
    struct aw_hands *h = l->hands;
    size_t size = 0;
    l->text = open_memstream(text, &size);
    if (!l->text)
        return aw_no_memory(l->err);
    l->keys =
        isatty(STDIN_FILENO) && !aw_flag(h->session, "no-input") && aw_terminal_keys(&l->before);
    enum aw_status status = ask_all(l);
    if (l->keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &l->before);
    bool written = fclose(l->text) == 0 && *text;
    if (status == AW_OK && !written)
        return aw_no_memory(l->err);
    if (status == AW_OK && l->ended && !aw_pad_recorded(h->pad))
        return aw_fail(l->err, AW_LOST, "teleop --learn: the pad is gone: nothing is written");
    if (status == AW_OK && l->left)
        return AW_ENOUGH;
    return status == AW_OK ? aw_teleop_map_read(&h->map, *text, l->err) : status;
}

enum aw_status aw_teleop_learn(struct aw_hands *hands, char **text)
{
    const char *name = aw_option(hands->session, "map");
    hands->map_name = name ? name : "mine";
    enum aw_status status = check_name(hands);
    struct learner *l = status == AW_OK ? calloc(1, sizeof *l) : NULL;
    if (!l)
        return status == AW_OK ? aw_no_memory(&hands->session->err) : status;
    l->hands = hands;
    l->err = &hands->session->err;
    l->enable = -1;
    aw_pad_find_all(hands->pad);
    status = make_map(l, text);
    if (status == AW_ENOUGH) {
        aw_object_start(&hands->session->result, "teleop");
        aw_object_text(&hands->session->result, "result", "left");
    }
    free(l);
    return status;
}

static void show(struct aw_session *session, const char *name, const char *text)
{
    char line[200];
    snprintf(line, sizeof line, "[teleop %s]", name);
    aw_session_row_text(session, "line", line);
    while (*text) {
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        aw_session_row_text(session, "line", line);
        text += length + (text[length] != '\0');
    }
}

/* Behind what the file has, which is read whole before it is written: it may be a link. */
static enum aw_status append(const char *path, const char *name, const char *section,
                             struct aw_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size), *old = fopen(path, "re");
    int c, last = '\n';
    while (out && old && (c = getc(old)) != EOF)
        putc(last = c, out);
    bool read = !old || !ferror(old);
    if (old)
        fclose(old);
    if (!out)
        return aw_no_memory(err);
    fprintf(out, "%s%s[teleop %s]\n%s", last == '\n' ? "" : "\n", old ? "\n" : "", name, section);
    bool made = fclose(out) == 0 && text;
    aw_file_make_folders(path, 0700);
    enum aw_status status = !made   ? aw_no_memory(err)
                            : !read ? aw_file_fail(err, "teleop --learn", path)
                                    : aw_file_write(path, text, size, err);
    free(text);
    return status;
}

enum aw_status aw_teleop_learn_save(struct aw_hands *hands, const char *text)
{
    struct aw_session *session = hands->session;
    const char *path = session->config->path;
    show(session, hands->map_name, text);
    if (aw_flag(session, "dry-run"))
        return AW_OK;
    enum aw_status status = append(path, hands->map_name, text, &session->err);
    if (status != AW_OK)
        return status;
    aw_object_start(&session->result, "teleop");
    aw_object_text(&session->result, "result", "written");
    aw_object_text(&session->result, "map", hands->map_name);
    aw_object_text(&session->result, "path", path);
    return AW_OK;
}
