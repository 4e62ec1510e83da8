/* Prints gains and their differences the same way for canpid and hidmotor. */
#include "shell/commands/gains.h"

#include "base/number.h"

static void print_words(struct aw_output *out, const struct aw_gain_line *line)
{
    const char *const keys[] = {line->kind, "controller", "gain"};
    for (int i = 0; i < AW_GAIN_WORDS; i++) {
        aw_output_print(out, "%s\"%s\":", i ? "," : "{", keys[i]);
        aw_output_string(out, line->words[i]);
    }
}

static void print_value(struct aw_output *out, const char *key, struct aw_gain gain)
{
    char number[AW_NUMBER_MAX + 1];
    *aw_print_float32(number, gain.value) = '\0';
    aw_output_print(out, ",\"%s\":%s", key, gain.known ? number : "null");
}

void aw_session_gain(struct aw_session *session, const struct aw_gain_line *line, double value)
{
    struct aw_output *out = &session->out;
    if (!aw_session_json(session)) {
        aw_output_print(out, "%s\n", line->text);
        return;
    }
    print_words(out, line);
    print_value(out, "value", (struct aw_gain){true, (float)value});
    aw_output_print(out, "}\n");
}

void aw_session_gain_change(struct aw_session *session, const struct aw_gain_line *line,
                            struct aw_gain from, struct aw_gain to)
{
    struct aw_output *out = &session->out;
    if (aw_session_json(session)) {
        print_words(out, line);
        print_value(out, "from", from);
        print_value(out, "to", to);
        aw_output_print(out, "}\n");
    } else if (from.known && to.known) {
        aw_output_print(out, "~ %s (was %g)\n", line->text, (double)from.value);
    } else {
        aw_output_print(out, "%c %s\n", to.known ? '+' : '-', line->text);
    }
}
