/* Prints the joints of every tool's command status. */
#include "shell/commands/status.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

/* Of the columns behind the usual ones: the first has room for "-123.4deg/s". */
static int more_width(size_t i)
{
    return i == 0 ? 11 : 8;
}

void aw_status_begin(struct aw_session *session, const char *const *more)
{
    aw_status_begin_wide(session, AW_STATUS_WIDTH, more);
}

void aw_status_begin_wide(struct aw_session *session, int width, const char *const *more)
{
    struct aw_output *out = &session->out;
    const char *bold = out->color ? "\033[1m" : "", *plain = out->color ? "\033[0m" : "";
    if (!aw_session_text(session)) {
        aw_object_start(&session->result, "status");
        return;
    }
    aw_output_draw(out, "%s%-*s %8s %8s %-5s %-11s %8s", bold, width, "joint", "target", "actual",
                   "unit", "fault", "age");
    for (size_t i = 0; more && more[i]; i++)
        aw_output_draw(out, " %*s", more_width(i), more[i]);
    aw_output_draw(out, "%s\n", plain);
}

/* "12.50", or "-" where it is not known. */
static const char *text_of(double value, int decimals, const char *unit, char out[40])
{
    if (!isfinite(value))
        return "-";
    bool nothing = fabs(value) < 0.5 * pow(10, -decimals); /* no "-0.00" */
    snprintf(out, 40, "%.*f%s", decimals, nothing ? 0 : value, unit);
    return out;
}

static void print_row(struct aw_output *out, const struct aw_status_joint *joint)
{
    const char *label = joint->label ? joint->label : joint->name;
    int width = joint->width ? joint->width : AW_STATUS_WIDTH;
    width += (int)(strlen(label) - aw_utf8_length(label));
    char target[40], actual[40], age[40];
    aw_output_print(out, "%-*s %8s %8s %-5s %-11s %8s", width, label,
                    text_of(joint->target, joint->decimals, "", target),
                    text_of(joint->actual, joint->decimals, "", actual), joint->unit,
                    joint->fault ? joint->fault : "-", text_of(joint->age_s, 3, "s", age));
    for (size_t i = 0; joint->more && joint->more[i].key; i++) {
        const struct aw_status_value *v = &joint->more[i];
        aw_output_print(out, " %*s", more_width(i),
                        text_of(v->value, v->decimals, v->unit ? v->unit : "", age));
    }
    aw_output_write(out, "\n", 1);
}

static void add(struct aw_session *session, const char *name, const struct aw_status_value *value)
{
    char key[sizeof session->result.entries->key];
    snprintf(key, sizeof key, "%s.%s", name, value->key);
    aw_object_number(&session->result, key, value->value, value->decimals, value->unit);
}

void aw_status_joint(struct aw_session *session, const struct aw_status_joint *joint)
{
    struct aw_object *result = &session->result;
    char key[sizeof result->entries->key];
    if (aw_session_text(session)) {
        print_row(&session->out, joint);
        return;
    }
    const struct aw_status_value target = {"target", joint->target, joint->decimals, joint->unit};
    const struct aw_status_value actual = {"actual", joint->actual, joint->decimals, joint->unit};
    const struct aw_status_value age = {"age", joint->age_s, 3, "s"};
    add(session, joint->name, &target);
    add(session, joint->name, &actual);
    snprintf(key, sizeof key, "%s.unit", joint->name);
    aw_object_text(result, key, joint->unit);
    add(session, joint->name, &(struct aw_status_value){"fault", NAN, 0, NULL});
    result->entries[result->n - 1].text = joint->fault;
    add(session, joint->name, &age);
    for (const struct aw_status_value *v = joint->more; v && v->key; v++)
        add(session, joint->name, v);
}
