/* armctl jog: the arrow keys move one joint in steps, each waited for before the next. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/number.h"
#include "base/ready.h"
#include "state.h"

struct jog {
    struct aw_session *session;
    const struct aw_armctl_joint *joint; /* NULL: not in the profile */
    int index;
    enum aw_armctl_kind kind;
    double value, step;
    bool done;
};

/* Keys without their line; Ctrl-C stays a signal. */
static bool handle_keys(struct termios *before)
{
    struct termios raw;
    if (tcgetattr(STDIN_FILENO, before) != 0)
        return false;
    raw = *before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    return tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

static enum aw_status go(struct jog *jog, double change)
{
    struct aw_session *session = jog->session;
    struct aw_record command;
    double value = jog->value + change;
    aw_record_init(&command, aw_wire_codec(session->wire, aw_armctl_kind_message(jog->kind), AW_TX),
                   AW_TX);
    aw_record_set(&command, "joint", jog->index, NULL);
    aw_record_set(&command, aw_armctl_kind_field(jog->kind), value, NULL);
    enum aw_status status = arm_move(session, &command);
    if (status == AW_OK)
        jog->value = value;
    if (status == AW_LIMIT) {
        aw_session_notice(session, "%s", session->err.text);
        return AW_OK;
    }
    return status;
}

static void change_step(struct jog *jog, double factor)
{
    double step = jog->step * factor;
    jog->step = step < 1 ? 1 : step > 100 ? 100 : floor(step);
}

static const struct {
    const char *key;
    char action; /* +, -, and p, n for the step, q */
} keys[] = {
    {"+", '+'},      {"-", '-'},       {"\033[A", '+'},  {"\033[C", '+'}, {"\033[B", '-'},
    {"\033[D", '-'}, {"\033[5~", 'p'}, {"\033[6~", 'n'}, {"q", 'q'},      {"\004", 'q'},
};

static enum aw_status act(struct jog *jog, char action)
{
    switch (action) {
    case '+':
        return go(jog, jog->step);
    case '-':
        return go(jog, -jog->step);
    case 'p':
        change_step(jog, 2);
        return AW_OK;
    case 'n':
        change_step(jog, 0.5);
        return AW_OK;
    default:
        jog->done = true;
        return AW_OK;
    }
}

/* What the text begins with; 1 character if that is no key. */
static size_t handle_key(const char *text, char *action)
{
    *action = '\0';
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t length = strlen(keys[i].key);
        if (strncmp(keys[i].key, text, length) != 0)
            continue;
        *action = keys[i].action;
        return length;
    }
    return 1;
}

/* Of the keys that came while the joint moved only q counts: when an arrow is let go, the joint
 * stands. */
static void drop_keys(struct jog *jog)
{
    char text[64];
    while (!jog->done) {
        ssize_t n = aw_read_ready(STDIN_FILENO, text, sizeof text);
        if (n < 0 && errno == EAGAIN)
            return;
        jog->done = n <= 0 || memchr(text, 'q', (size_t)n) || memchr(text, '\004', (size_t)n);
    }
}

static enum aw_status read_keys(struct jog *jog)
{
    char text[8] = "", action;
    bool moved = false;
    enum aw_status status = aw_session_wait_input(jog->session, STDIN_FILENO);
    if (status != AW_OK)
        return status;
    ssize_t n = aw_read_ready(STDIN_FILENO, text, sizeof text - 1);
    jog->done = n == 0 || (n < 0 && errno != EAGAIN);
    for (const char *p = text; *p && !jog->done && status == AW_OK;) {
        p += handle_key(p, &action);
        if (action)
            status = act(jog, action);
        moved = moved || action == '+' || action == '-';
    }
    if (moved && status == AW_OK)
        drop_keys(jog);
    return status;
}

static enum aw_status jog_loop(struct jog *jog)
{
    enum aw_status status = AW_OK;
    while (status == AW_OK && !jog->done) {
        static const char help[] = "   arrows move, page keys step, q quit";
        struct winsize size = {.ws_col = 80};
        char place[80];
        int length = snprintf(place, sizeof place, "joint %d: %g %s, step %g", jog->index,
                              jog->value, aw_armctl_kind_unit(jog->kind), jog->step);
        bool fits = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ||
                    length + (int)sizeof help < size.ws_col;
        aw_session_draw(jog->session, "\r%s%s \033[K", place, fits ? help : "");
        aw_object_start(&jog->session->result, NULL);
        status = read_keys(jog);
    }
    aw_session_report(jog->session, "\n");
    return status;
}

static enum aw_status find_start(struct jog *jog)
{
    const struct aw_armctl_place *place = &arm_state(jog->session)->arm.memory.places[jog->index];
    if (place->known && (!jog->joint || place->kind == jog->kind)) {
        jog->kind = place->kind;
        jog->value = place->value;
        return AW_OK;
    }
    return aw_fail(&jog->session->err, AW_USAGE,
                   "jog: where joint %d stands is not known — move it once with deg or pos",
                   jog->index);
}

static enum aw_status prepare(struct jog *jog, const struct aw_args *args)
{
    struct aw_session *session = jog->session;
    const struct aw_armctl_profile *profile;
    char number[16];
    enum aw_status status = arm_joint_number(session, aw_arg(args, "joint", 0), number);
    if (status == AW_OK)
        status = aw_arg_number(session, args, "step", 0, &jog->step);
    if (status == AW_OK)
        status = arm_profile(session, &profile);
    if (status != AW_OK)
        return status;
    if (!isdigit((unsigned char)number[0]) || number[1])
        return aw_fail(&session->err, AW_USAGE, "jog: '%s' is no joint", number);
    jog->index = number[0] - '0';
    jog->joint = aw_armctl_profile_joint(profile, jog->index);
    jog->kind = jog->joint ? jog->joint->kind : AW_ARMCTL_ROTATE;
    status = arm_ready(session);
    return status == AW_OK ? find_start(jog) : status;
}

enum aw_status run_jog(struct aw_session *session, const struct aw_args *args)
{
    struct jog jog = {.session = session, .step = 5};
    struct termios before;
    if (!isatty(STDIN_FILENO))
        return aw_fail(&session->err, AW_USAGE, "jog needs a terminal for its keys");
    enum aw_status status = prepare(&jog, args);
    if (status != AW_OK)
        return status;
    if (!handle_keys(&before))
        return aw_fail(&session->err, AW_USAGE, "jog: the terminal does not give single keys");
    status = jog_loop(&jog);
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
    return status;
}
