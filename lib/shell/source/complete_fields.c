/* Completes the fields that a device sends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/source/source.h"
#include "view/text/point.h"

/* Returns true if an earlier message of the device has a field with this name. */
static bool is_in_earlier_message(const struct aw_names *names, size_t message, const char *field)
{
    for (struct aw_walk at = {0}; aw_walk_next(&at, names->wire, AW_RX) && at.message < message;)
        if (strcmp(names->field[at.message][at.scalar], field) == 0)
            return true;
    return false;
}

/* Returns the possible subjects of a message: the value names of the field that an option selects,
 * such as board. */
static const struct aw_name *find_subjects(const struct aw_session *session,
                                           const struct aw_codec *codec)
{
    const struct aw_option *option = session->tool->options;
    while (option && option->name &&
           !(option->in_messages && aw_codec_find(codec, option->name) >= 0))
        option++;
    if (!option || !option->name)
        return NULL;
    return codec->scalars[aw_codec_find(codec, option->name)].field->names;
}

/* Context for adding one field of several subjects. */
struct field_adder {
    aw_candidate_fn *add;
    void *context;
    const char *field, *help;
};

static void add_subject_field(void *context, const char *name, const char *help)
{
    const struct field_adder *adder = context;
    char text[128];
    (void)help;
    snprintf(text, sizeof text, "%s.%s", name, adder->field);
    adder->add(adder->context, text, adder->help);
}

void aw_complete_fields(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    struct aw_names *names = aw_names_new(session->wire, NULL);
    for (struct aw_walk at = {0}; names && aw_walk_next(&at, session->wire, AW_RX);) {
        const char *field = names->field[at.message][at.scalar];
        const char *help = at.codec->scalars[at.scalar].field->help;
        const struct aw_name *subject = find_subjects(session, at.codec);
        if (is_in_earlier_message(names, at.message, field))
            continue;
        add(context, field, help);
        struct field_adder adder = {add, context, field, help};
        for (; subject && subject->name; subject++)
            add_subject_field(&adder, subject->name, NULL);
        if (session->tool->records.subject.list)
            session->tool->records.subject.list(session, at.codec->message, add_subject_field,
                                                &adder);
    }
    free(names);
}
