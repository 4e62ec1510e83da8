/* Prints gains and their differences the same way for canpid and hidmotor. */
#include "shell/commands/gains.h"

#include <math.h>

static void start(struct aw_object *row, const struct aw_gain_line *line)
{
    const char *const keys[] = {line->kind, "controller", "gain"};
    aw_object_start(row, NULL);
    for (int i = 0; i < AW_GAIN_WORDS; i++)
        aw_object_text(row, keys[i], line->words[i]);
}

static void add_value(struct aw_object *row, const char *key, struct aw_gain gain)
{
    aw_object_number(row, key, gain.known ? (double)gain.value : NAN, -1, NULL);
}

void aw_session_gain(struct aw_session *session, const struct aw_gain_line *line, double value)
{
    struct aw_object row;
    start(&row, line);
    add_value(&row, "value", (struct aw_gain){true, (float)value});
    aw_session_row(session, &row, "%s\n", line->text);
}

void aw_session_gain_change(struct aw_session *session, const struct aw_gain_line *line,
                            struct aw_gain from, struct aw_gain to)
{
    struct aw_object row;
    start(&row, line);
    add_value(&row, "from", from);
    add_value(&row, "to", to);
    if (from.known && to.known)
        aw_session_row(session, &row, "~ %s (was %g)\n", line->text, (double)from.value);
    else
        aw_session_row(session, &row, "%c %s\n", to.known ? '+' : '-', line->text);
}
