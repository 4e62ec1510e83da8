/* Wire options and names. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "link/core/url.h"
#include "packets/carried.h"
#include "protocol/ezphys/scene.h"
#include "protocol/ezphys/wire.h"
#include "state.h"
#include "wire/rows.h"

static const char *find_wire(void *context, const char *name)
{
    const struct ezphys_wires *wires = context;
    for (size_t i = 0; i < wires->n; i++)
        if (strcmp(wires->name[i], name) == 0)
            return wires->text[i];
    return NULL;
}

/* Uses the other framing, because the wire in use may point into the current one. */
enum aw_status ezphys_variant(struct aw_session *session, struct aw_variant *variant,
                              struct aw_error *err)
{
    struct ezphys_state *state = ezphys_state(session);
    const struct aw_ezphys_framing_names names = {find_wire, &state->framing.named};
    const char *text = ezphys_given(session)->wire;
    if (strcmp(text, state->framing.text) != 0) {
        struct aw_ezphys_framing *next = &state->framing.pair[!state->framing.current];
        enum aw_status status = aw_ezphys_framing_parse(next, text, &names, err);
        if (status != AW_OK)
            return status;
        state->framing.current = !state->framing.current;
        snprintf(state->framing.text, sizeof state->framing.text, "%s", text);
    }
    *variant = state->framing.pair[state->framing.current].variant;
    return AW_OK;
}

static enum aw_status wire_entry(struct ezphys_wires *wires, const char *name, size_t *index,
                                 struct aw_error *err)
{
    for (*index = 0; *index < wires->n; ++*index)
        if (strcmp(wires->name[*index], name) == 0)
            return AW_OK;
    if (wires->n == EZ_WIRES_NAMED)
        return aw_fail(err, AW_USAGE, "more than %d framings — remove one", EZ_WIRES_NAMED);
    if (strlen(name) >= EZ_WIRE_NAME || strpbrk(name, "=,+") || !*name)
        return aw_fail(err, AW_USAGE,
                       "[wire %.40s]: invalid name — use up to 31 characters, without = , +", name);
    if (aw_protocol_variant(&aw_ezphys_protocol, name))
        return aw_fail(err, AW_USAGE, "[wire %s]: a preset has this name — choose another", name);
    *index = wires->n++;
    snprintf(wires->name[*index], EZ_WIRE_NAME, "%s", name);
    wires->text[*index][0] = '\0';
    return AW_OK;
}

/* Each line is one part of the description; "base" is its preset. Checks the description after
 * every line to report the faulty one. */
enum aw_status ezphys_configure(struct aw_session *session, const char *section, const char *key,
                                const char *value, struct aw_error *err)
{
    struct ezphys_wires *wires = &ezphys_state(session)->framing.named;
    struct aw_ezphys_framing framing;
    size_t i;
    if (strncmp(section, "wire ", 5) != 0)
        return aw_fail(err, AW_USAGE, "no section [%.40s] — use [link], [options] or [wire NAME]",
                       section);
    enum aw_status status = wire_entry(wires, section + 5, &i, err);
    if (status != AW_OK)
        return status;
    char *text = wires->text[i];
    size_t used = strlen(text);
    bool base = strcmp(key, "base") == 0;
    int n = snprintf(text + used, AW_EZPHYS_FRAMING_TEXT - used, "%s%s%s%s", used ? "," : "",
                     base ? "" : key, base ? "" : "=", value);
    if ((size_t)n >= AW_EZPHYS_FRAMING_TEXT - used)
        return aw_fail(err, AW_USAGE, "[wire %s]: more than %d characters — shorten it",
                       wires->name[i], AW_EZPHYS_FRAMING_TEXT - 1);
    return aw_ezphys_framing_parse(&framing, text, NULL, err);
}

void ezphys_complete_wires(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    const struct ezphys_wires *wires = &ezphys_state(session)->framing.named;
    for (const struct aw_variant *v = aw_ezphys_protocol.variants; v->name; v++)
        add(context, v->name, v->help);
    for (size_t i = 0; i < wires->n; i++)
        add(context, wires->name[i], wires->text[i]);
}

/* ---- Names ---- */

static const char *partner(const struct aw_scene *scene, int body)
{
    return body == AW_SCENE_WORLD ? "" : scene->bodies[body].name;
}

/* Keeps existing names, which the user gave. */
enum aw_status ezphys_learn_scene(struct aw_session *session, const char *name,
                                  struct aw_error *err)
{
    struct aw_ezphys_names *names = &ezphys_state(session)->known.names;
    struct aw_scene *scene = calloc(1, sizeof *scene);
    enum aw_status status = scene ? aw_scene_load(scene, name, err) : aw_no_memory(err);
    for (size_t i = 0; status == AW_OK && i < scene->n_bodies; i++)
        aw_ezphys_names_add(names, AW_EZPHYS_BODY, scene->bodies[i].id, scene->bodies[i].name, NULL,
                            NULL);
    for (size_t i = 0; status == AW_OK && i < scene->n_joints; i++) {
        const struct aw_scene_joint *joint = &scene->joints[i];
        const char *bodies[] = {partner(scene, joint->body[0]), partner(scene, joint->body[1])};
        if (aw_ezphys_names_add(names, AW_EZPHYS_JOINT, joint->id, joint->name, bodies, NULL) ==
            AW_OK) {
            struct aw_ezphys_name *added = &names->list[names->n - 1];
            added->moves = joint->kind == AW_SCENE_SLIDER ? AW_EZPHYS_SLIDES : AW_EZPHYS_TURNS;
            added->axes = aw_scene_axes(joint->kind);
        }
        aw_ezphys_names_stops(names, joint->id, joint->low, joint->high);
    }
    free(scene);
    return status;
}

enum aw_status ezphys_read_names(struct aw_session *session)
{
    struct ezphys_state *state = ezphys_state(session);
    const char *file = ezphys_given(session)->names, *scene = ezphys_given(session)->scene;
    char from[sizeof state->known.from];
    enum aw_status status = AW_OK;
    snprintf(from, sizeof from, "%s\n%s", file ? file : "", scene ? scene : "");
    if (strcmp(from, state->known.from) == 0 || (!file && !scene))
        return AW_OK;
    state->known.names.n = 0;
    state->known.from[0] = '\0';
    if (scene)
        status = ezphys_learn_scene(session, scene, &session->err);
    if (status == AW_OK && file)
        status = aw_ezphys_names_read(&state->known.names, NULL, file, &session->err);
    if (status == AW_OK)
        memcpy(state->known.from, from, sizeof from);
    return status;
}

enum aw_status ezphys_check_scene(struct aw_session *session, const char *text)
{
    struct aw_scene *scene = calloc(1, sizeof *scene);
    enum aw_status status =
        scene ? aw_scene_load(scene, text, &session->err) : aw_no_memory(&session->err);
    free(scene);
    return status;
}

static enum aw_ezphys_moves moves_of(struct aw_session *session, const char *joint)
{
    const struct aw_ezphys_name *entry =
        aw_ezphys_names_find(&ezphys_state(session)->known.names, AW_EZPHYS_JOINT, joint);
    return entry ? entry->moves : AW_EZPHYS_MOVES_UNKNOWN;
}

struct ezphys_units ezphys_units(struct aw_session *session, const char *joint)
{
    static const struct ezphys_units turns = {"rad", "rad/s", "Nm"}, slides = {"m", "m/s", "N"};
    return moves_of(session, joint) == AW_EZPHYS_SLIDES ? slides : turns;
}

enum aw_status ezphys_check_unit(struct aw_session *session, const char *joint,
                                 enum aw_ezphys_moves said)
{
    enum aw_ezphys_moves moves = moves_of(session, joint);
    struct ezphys_units units = ezphys_units(session, joint);
    if (moves == said || moves == AW_EZPHYS_MOVES_UNKNOWN || said == AW_EZPHYS_MOVES_UNKNOWN)
        return AW_OK;
    return aw_fail(&session->err, AW_USAGE, "joint '%s' %s — give its values in %s, %s and %s",
                   joint, moves == AW_EZPHYS_SLIDES ? "slides" : "rotates", units.displacement,
                   units.velocity, units.torque);
}

/* ---- Names in recordings ---- */

/* Starts again if --names or --scene changed. */
bool ezphys_keep_names(struct aw_session *session, uint64_t *at, char *out, size_t size)
{
    const struct aw_ezphys_names *names = &ezphys_state(session)->known.names;
    uint64_t from = *at <= names->n ? *at : 0;
    *out = '\0';
    for (*at = from; *at < names->n; ++*at) {
        char line[AW_EZPHYS_NAME_LINE];
        aw_ezphys_name_line(&names->list[*at], line);
        if (strlen(out) + strlen(AW_SUBJECT_LINE) + strlen(line) + 2 > size)
            break;
        aw_append(out, size, "\n", AW_SUBJECT_LINE "%s", line);
    }
    return *at > from;
}

bool ezphys_take_names(struct aw_session *session, const char *text)
{
    struct aw_ezphys_names *kept = &ezphys_state(session)->known.kept;
    if (!text)
        kept->n = 0;
    return text && aw_ezphys_names_restore(kept, text);
}

/* Returns true for framings with names on the wire. */
bool ezphys_has_names(struct aw_session *session)
{
    struct ezphys_state *state = ezphys_state(session);
    const struct ezphys_options *options = ezphys_given(session);
    bool given = options->names || options->scene;
    return (given || state->known.kept.n > 0) &&
           !aw_rows_have(session->wire->variant.head, AW_TEXT);
}

const char *ezphys_wire_name(struct aw_session *session, char *out, size_t size)
{
    const char *text = ezphys_given(session)->wire;
    const struct aw_variant *preset = aw_protocol_variant(&aw_ezphys_protocol, text);
    char whole[AW_EZPHYS_FRAMING_TEXT];
    whole[aw_ezphys_framing_print(&session->wire->variant, whole)] = '\0';
    snprintf(out, size, "%s", preset ? preset->name : whole);
    return out;
}

/* Searches --names, --scene and the current simulator first, then the recording. */
static const struct aw_ezphys_name *find_recorded(void *context, enum aw_ezphys_kind kind,
                                                  uint32_t id)
{
    struct aw_session *session = context;
    struct ezphys_state *state = ezphys_state(session);
    struct aw_error before = session->err;
    bool given = ezphys_read_names(session) == AW_OK && *state->known.from;
    session->err = before;
    given = given || (session->device.link && !session->device.link->recorded);
    const struct aw_ezphys_name *entry =
        given ? aw_ezphys_names_of(&state->known.names, kind, id) : NULL;
    return entry ? entry : aw_ezphys_names_of(&state->known.kept, kind, id);
}

const char *ezphys_recorded_name(struct aw_session *session, const struct aw_record *record,
                                 char *out, size_t size)
{
    return aw_ezphys_subject(record, find_recorded, session, out, size);
}

/* Reads the scene of a simulator that is not started yet. */
static void read_sim_names(struct aw_session *session)
{
    struct ezphys_state *state = ezphys_state(session);
    const char *link = session->options.link.url;
    struct aw_url url;
    if (state->known.names.n || state->ez.state.n_joints || !link ||
        aw_url_parse(&url, link, NULL) != AW_OK || strcmp(url.scheme, "sim") != 0)
        return;
    const char *scene = *url.rest ? url.rest : aw_url_get(&url, "scene");
    ezphys_learn_scene(session, scene ? scene : "pendulum", NULL);
}

static void complete(struct aw_session *session, aw_candidate_fn *add, void *context, bool joints,
                     bool bodies)
{
    struct ezphys_state *state = ezphys_state(session);
    const struct aw_ezphys_state *seen = &state->ez.state;
    struct aw_error before = session->err;
    if (ezphys_read_names(session) != AW_OK)
        session->err = before;
    read_sim_names(session);
    for (size_t i = 0; i < state->known.names.n; i++)
        if (state->known.names.list[i].kind == AW_EZPHYS_JOINT ? joints : bodies)
            add(context, state->known.names.list[i].name,
                aw_ezphys_kind_name(state->known.names.list[i].kind));
    for (size_t i = 0; joints && i < seen->n_joints && !state->known.names.n; i++)
        add(context, seen->joints[i].object.name, "joint");
    for (size_t i = 0; bodies && i < seen->n_bodies && !state->known.names.n; i++)
        add(context, seen->bodies[i].object.name, "body");
}

void ezphys_complete_joints(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    complete(session, add, context, true, false);
}

void ezphys_known(struct aw_session *session, const struct aw_message *message,
                  aw_candidate_fn *add, void *context)
{
    bool joint = strncmp(message->name, "joint", strlen("joint")) == 0;
    bool body = strcmp(message->name, "limb") == 0;
    complete(session, add, context, joint, body);
}

/* Adds an object's name, and its number on wires with numbers. */
static void add_object(const struct aw_ezphys_object *object, aw_candidate_fn *add, void *context)
{
    char number[16];
    add(context, object->name, NULL);
    snprintf(number, sizeof number, "%u", (unsigned)object->id);
    if (object->id)
        add(context, number, NULL);
}

void ezphys_subjects(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    const struct aw_ezphys_names *names = &ezphys_state(session)->known.names;
    const struct aw_ezphys_state *seen = &ezphys_state(session)->ez.state;
    for (size_t i = 0; i < seen->n_bodies; i++)
        add_object(&seen->bodies[i].object, add, context);
    for (size_t i = 0; i < seen->n_joints; i++) {
        add_object(&seen->joints[i].object, add, context);
        char name[AW_EZPHYS_NAME_SIZE + 16];
        struct aw_ezphys_about about = {.object = &seen->joints[i].object,
                                        .axes = seen->joints[i].n_axes};
        for (about.axis = 1; about.axes > 1 && about.axis <= about.axes; about.axis++)
            add(context, ezphys_about_name(&about, name, sizeof name), NULL);
    }
    for (size_t i = 0; i < seen->n_contacts; i++)
        add_object(&seen->contacts[i].object, add, context);
    for (size_t i = 0; i < names->n; i++)
        if (!aw_ezphys_state_body(seen, names->list[i].name) &&
            !aw_ezphys_state_joint(seen, names->list[i].name))
            add(context, names->list[i].name, NULL);
    add(context, "0", NULL); /* the scene has id 0 */
}
