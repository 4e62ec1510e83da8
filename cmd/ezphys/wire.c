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
enum aw_status ezphys_select_variant(struct aw_session *session, struct aw_variant *variant,
                                     struct aw_error *err)
{
    struct ezphys_state *state = ezphys_state(session);
    const struct aw_ezphys_framing_names names = {find_wire, &state->framing.wires};
    const char *text = ezphys_given(session)->wire;
    if (strcmp(text, state->framing.text) != 0) {
        struct aw_ezphys_framing *next = &state->framing.slots[!state->framing.current];
        enum aw_status status = aw_ezphys_framing_parse(next, text, &names, err);
        if (status != AW_OK)
            return status;
        state->framing.current = !state->framing.current;
        snprintf(state->framing.text, sizeof state->framing.text, "%s", text);
    }
    *variant = state->framing.slots[state->framing.current].variant;
    return AW_OK;
}

static enum aw_status find_or_add_wire(struct ezphys_wires *wires, const char *name, size_t *index,
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
    struct ezphys_wires *wires = &ezphys_state(session)->framing.wires;
    struct aw_ezphys_framing framing;
    size_t i;
    if (strncmp(section, "wire ", 5) != 0)
        return aw_fail(err, AW_USAGE,
                       "unknown section [%.40s] — use [link], [options], [teleop NAME] or "
                       "[wire NAME]",
                       section);
    enum aw_status status = find_or_add_wire(wires, section + 5, &i, err);
    if (status != AW_OK)
        return status;
    char *text = wires->text[i];
    size_t used = strlen(text);
    bool is_base = strcmp(key, "base") == 0;
    int n = snprintf(text + used, AW_EZPHYS_FRAMING_TEXT - used, "%s%s%s%s", used ? "," : "",
                     is_base ? "" : key, is_base ? "" : "=", value);
    if ((size_t)n >= AW_EZPHYS_FRAMING_TEXT - used)
        return aw_fail(err, AW_USAGE,
                       "[wire %s]: description longer than %d characters — shorten it",
                       wires->name[i], AW_EZPHYS_FRAMING_TEXT - 1);
    return aw_ezphys_framing_parse(&framing, text, NULL, err);
}

void ezphys_complete_wires(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    const struct ezphys_wires *wires = &ezphys_state(session)->framing.wires;
    for (const struct aw_variant *v = aw_ezphys_protocol.variants; v->name; v++)
        add(context, v->name, v->help);
    for (size_t i = 0; i < wires->n; i++)
        add(context, wires->name[i], wires->text[i]);
}

/* ---- Names ---- */

static const char *get_body_name(const struct aw_scene *scene, int body)
{
    return body == AW_SCENE_WORLD ? "" : scene->bodies[body].name;
}

/* Keeps existing names, which the user gave. */
enum aw_status ezphys_add_scene_names(struct aw_session *session, const char *name,
                                      struct aw_error *err)
{
    struct aw_ezphys_names *names = &ezphys_state(session)->name_sets.names;
    struct aw_scene *scene = calloc(1, sizeof *scene);
    enum aw_status status = scene ? aw_scene_load(scene, name, err) : aw_no_memory(err);
    for (size_t i = 0; status == AW_OK && i < scene->n_bodies; i++)
        aw_ezphys_names_add(names, AW_EZPHYS_BODY, scene->bodies[i].id, scene->bodies[i].name, NULL,
                            NULL);
    for (size_t i = 0; status == AW_OK && i < scene->n_joints; i++) {
        const struct aw_scene_joint *joint = &scene->joints[i];
        const char *bodies[] = {get_body_name(scene, joint->body[0]),
                                get_body_name(scene, joint->body[1])};
        if (aw_ezphys_names_add(names, AW_EZPHYS_JOINT, joint->id, joint->name, bodies, NULL) ==
            AW_OK) {
            struct aw_ezphys_name *entry = &names->list[names->n - 1];
            entry->motion = joint->kind == AW_SCENE_SLIDER ? AW_EZPHYS_SLIDES : AW_EZPHYS_TURNS;
            entry->axes = aw_scene_count_axes(joint->kind);
        }
        aw_ezphys_names_set_stops(names, joint->id, joint->low, joint->high);
    }
    free(scene);
    return status;
}

enum aw_status ezphys_read_names(struct aw_session *session)
{
    struct ezphys_state *state = ezphys_state(session);
    const char *file = ezphys_given(session)->names, *scene = ezphys_given(session)->scene;
    char source[sizeof state->name_sets.source];
    enum aw_status status = AW_OK;
    snprintf(source, sizeof source, "%s\n%s", file ? file : "", scene ? scene : "");
    if (strcmp(source, state->name_sets.source) == 0 || (!file && !scene))
        return AW_OK;
    state->name_sets.names.n = 0;
    state->name_sets.source[0] = '\0';
    if (scene)
        status = ezphys_add_scene_names(session, scene, &session->err);
    if (status == AW_OK && file)
        status = aw_ezphys_names_read(&state->name_sets.names, NULL, file, &session->err);
    if (status == AW_OK)
        memcpy(state->name_sets.source, source, sizeof source);
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

static enum aw_ezphys_motion get_motion(struct aw_session *session, const char *joint)
{
    const struct aw_ezphys_name *entry =
        aw_ezphys_names_find(&ezphys_state(session)->name_sets.names, AW_EZPHYS_JOINT, joint);
    return entry ? entry->motion : AW_EZPHYS_MOTION_UNKNOWN;
}

struct ezphys_units ezphys_units(struct aw_session *session, const char *joint)
{
    static const struct ezphys_units turns = {"rad", "rad/s", "Nm"}, slides = {"m", "m/s", "N"};
    return get_motion(session, joint) == AW_EZPHYS_SLIDES ? slides : turns;
}

enum aw_status ezphys_check_unit(struct aw_session *session, const char *joint,
                                 enum aw_ezphys_motion given_motion)
{
    enum aw_ezphys_motion motion = get_motion(session, joint);
    struct ezphys_units units = ezphys_units(session, joint);
    if (motion == given_motion || motion == AW_EZPHYS_MOTION_UNKNOWN ||
        given_motion == AW_EZPHYS_MOTION_UNKNOWN)
        return AW_OK;
    return aw_fail(&session->err, AW_USAGE,
                   "joint '%s' %s: wrong unit — give values in %s, %s and "
                   "%s",
                   joint, motion == AW_EZPHYS_SLIDES ? "slides" : "rotates", units.displacement,
                   units.velocity, units.torque);
}

/* ---- Names in recordings ---- */

/* Writes the entries after the first *names_at, as many as fit, and adds their number to *names_at.
 * Starts again if --names or --scene changed. Returns false if none was written. */
bool ezphys_write_names(struct aw_session *session, uint64_t *names_at, char *out, size_t size)
{
    const struct aw_ezphys_names *names = &ezphys_state(session)->name_sets.names;
    uint64_t source = *names_at <= names->n ? *names_at : 0;
    *out = '\0';
    for (*names_at = source; *names_at < names->n; ++*names_at) {
        char line[AW_EZPHYS_NAME_LINE];
        aw_ezphys_name_write_line(&names->list[*names_at], line);
        if (strlen(out) + strlen(AW_SUBJECT_LINE) + strlen(line) + 2 > size)
            break;
        aw_append(out, size, "\n", AW_SUBJECT_LINE "%s", line);
    }
    return *names_at > source;
}

bool ezphys_read_recorded_names(struct aw_session *session, const char *text)
{
    struct aw_ezphys_names *recorded = &ezphys_state(session)->name_sets.recorded;
    if (!text)
        recorded->n = 0;
    return text && aw_ezphys_names_restore(recorded, text);
}

/* Returns true if names may be known for the numbers on the wire: given by --names or --scene, or
 * recorded. False for framings with names on the wire. */
bool ezphys_has_names(struct aw_session *session)
{
    struct ezphys_state *state = ezphys_state(session);
    const struct ezphys_options *options = ezphys_given(session);
    bool given = options->names || options->scene;
    return (given || state->name_sets.recorded.n > 0) &&
           !aw_rows_have(session->wire->variant.head, AW_TEXT);
}

const char *ezphys_write_wire_name(struct aw_session *session, char *out, size_t size)
{
    const char *text = ezphys_given(session)->wire;
    const struct aw_variant *preset = aw_protocol_variant(&aw_ezphys_protocol, text);
    char framing[AW_EZPHYS_FRAMING_TEXT];
    framing[aw_ezphys_framing_print(&session->wire->variant, framing)] = '\0';
    snprintf(out, size, "%s", preset ? preset->name : framing);
    return out;
}

/* Searches --names, --scene and the current simulator first, then the recording. */
static const struct aw_ezphys_name *find_recorded(void *context, enum aw_ezphys_kind kind,
                                                  uint32_t id)
{
    struct aw_session *session = context;
    struct ezphys_state *state = ezphys_state(session);
    struct aw_error saved_err = session->err;
    bool given = ezphys_read_names(session) == AW_OK && *state->name_sets.source;
    session->err = saved_err;
    given = given || (session->device.link && !session->device.link->is_recording);
    const struct aw_ezphys_name *entry =
        given ? aw_ezphys_names_find_id(&state->name_sets.names, kind, id) : NULL;
    return entry ? entry : aw_ezphys_names_find_id(&state->name_sets.recorded, kind, id);
}

const char *ezphys_recorded_name(struct aw_session *session, const struct aw_record *record,
                                 char *out, size_t size)
{
    return aw_ezphys_write_subject(record, find_recorded, session, out, size);
}

const char *ezphys_find_sim_scene(struct aw_session *session, struct aw_url *url)
{
    struct aw_error saved_err = session->err;
    const char *link;
    bool found = aw_session_get_url(session, &link) == AW_OK &&
                 aw_url_parse(url, link, NULL) == AW_OK && strcmp(url->scheme, "sim") == 0;
    session->err = saved_err;
    if (!found)
        return NULL;
    const char *scene = *url->rest ? url->rest : aw_url_get(url, "scene");
    return scene ? scene : "pendulum";
}

/* Reads the scene of a simulator that is not started yet. */
static void read_sim_names(struct aw_session *session)
{
    struct ezphys_state *state = ezphys_state(session);
    struct aw_url url;
    const char *scene = ezphys_find_sim_scene(session, &url);
    if (scene && !state->name_sets.names.n && !state->ez.state.n_joints)
        ezphys_add_scene_names(session, scene, NULL);
}

static void complete_names(struct aw_session *session, aw_candidate_fn *add, void *context,
                           bool with_joints, bool with_bodies)
{
    struct ezphys_state *state = ezphys_state(session);
    const struct aw_ezphys_state *sim = &state->ez.state;
    struct aw_error saved_err = session->err;
    if (ezphys_read_names(session) != AW_OK)
        session->err = saved_err;
    read_sim_names(session);
    for (size_t i = 0; i < state->name_sets.names.n; i++)
        if (state->name_sets.names.list[i].kind == AW_EZPHYS_JOINT ? with_joints : with_bodies)
            add(context, state->name_sets.names.list[i].name,
                aw_ezphys_kind_name(state->name_sets.names.list[i].kind));
    for (size_t i = 0; with_joints && i < sim->n_joints && !state->name_sets.names.n; i++)
        add(context, sim->joints[i].object.name, "joint");
    for (size_t i = 0; with_bodies && i < sim->n_bodies && !state->name_sets.names.n; i++)
        add(context, sim->bodies[i].object.name, "body");
}

void ezphys_complete_joints(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    complete_names(session, add, context, true, false);
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

/* Lists the objects of the current simulation, and those with names. */
static void list_objects(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    const struct aw_ezphys_names *names = &ezphys_state(session)->name_sets.names;
    const struct aw_ezphys_state *sim = &ezphys_state(session)->ez.state;
    for (size_t i = 0; i < sim->n_bodies; i++)
        add_object(&sim->bodies[i].object, add, context);
    for (size_t i = 0; i < sim->n_joints; i++) {
        add_object(&sim->joints[i].object, add, context);
        char name[AW_EZPHYS_NAME_SIZE + 16];
        struct aw_ezphys_packet_subject subject = {.object = &sim->joints[i].object,
                                                   .axes = sim->joints[i].n_axes};
        for (subject.axis = 1; subject.axes > 1 && subject.axis <= subject.axes; subject.axis++)
            add(context, ezphys_write_axis_name(&subject, name, sizeof name), NULL);
    }
    for (size_t i = 0; i < sim->n_contacts; i++)
        add_object(&sim->contacts[i].object, add, context);
    for (size_t i = 0; i < names->n; i++)
        if (!aw_ezphys_state_find_body(sim, names->list[i].name) &&
            !aw_ezphys_state_find_joint(sim, names->list[i].name))
            add(context, names->list[i].name, NULL);
    add(context, "0", NULL); /* the scene has id 0 */
}

void ezphys_list_subjects(struct aw_session *session, const struct aw_message *message,
                          aw_candidate_fn *add, void *context)
{
    if (!message)
        list_objects(session, add, context);
    else
        complete_names(session, add, context, strncmp(message->name, "joint", strlen("joint")) == 0,
                       strcmp(message->name, "limb") == 0);
}
