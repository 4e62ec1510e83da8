/* status: the bodies and joints of the simulation, as a tree and as a record. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "shell/commands/status.h"
#include "state.h"

#define ENDS_MAX (12 * sizeof((struct aw_ezphys_name *)NULL)->bodies[0] + 8) /* as JSON */
#define KEY_MAX  sizeof((struct aw_entry *)NULL)->key
#define WINDOW_S 0.5 /* of watching, for the rates */
#define ENTRIES  10  /* of the record that an object takes at most, but for its axes */

/* An object of either kind, for both ways of showing. */
struct item {
    enum aw_ezphys_kind kind;
    const struct aw_ezphys_object *object;
    const struct aw_ezphys_body *body;   /* or NULL */
    const struct aw_ezphys_joint *joint; /* or NULL */
    const struct aw_ezphys_name *entry;  /* of the names, or NULL */
    char list[ENDS_MAX];                 /* of a joint its two bodies, of a body x, y, z; JSON */
};

struct listing {
    struct aw_session *session;
    int width;          /* of the tree: its longest line */
    bool measures;      /* nothing is printed: the width is found */
    double seconds;     /* watched; 0: the simulation stands until it is answered */
    size_t n, left_out; /* objects; those that the record had no room for */
    struct item items[AW_EZPHYS_BODIES + AW_EZPHYS_JOINTS];
};

static void add_item(struct listing *l, enum aw_ezphys_kind kind,
                     const struct aw_ezphys_object *object, const struct aw_ezphys_body *body,
                     const struct aw_ezphys_joint *joint)
{
    const struct aw_ezphys_names *names = &ez_state(l->session)->names;
    l->items[l->n++] = (struct item){.kind = kind,
                                     .object = object,
                                     .body = body,
                                     .joint = joint,
                                     .entry = aw_ezphys_names_find(names, kind, object->name)};
}

static enum aw_status watch(struct listing *l, int64_t deadline)
{
    struct aw_session *session = l->session;
    int64_t start = aw_clock_now(session->clock);
    enum aw_status status = AW_OK;
    while (status == AW_OK && aw_clock_now(session->clock) < deadline) {
        status = aw_ezphys_answer(ez_of(session), &session->err);
        if (status == AW_OK)
            status = ez_receive(session, deadline, EZ_ONCE);
    }
    if (status == AW_TIMEOUT)
        status = AW_OK;
    if (status == AW_OK)
        status = aw_ezphys_answer(ez_of(session), &session->err);
    l->seconds = (double)(aw_clock_now(session->clock) - start) / 1e9;
    return status;
}

static enum aw_status collect(struct listing *l)
{
    struct aw_session *session = l->session;
    struct aw_ezphys *ez = ez_of(session);
    double seconds = aw_option_number(session, "for");
    enum aw_status status = ez_begin(session);
    if (status != AW_OK)
        return status;
    int64_t deadline =
        aw_clock_now(session->clock) + (int64_t)((seconds > 0 ? seconds : WINDOW_S) * 1e9);
    if (ez_goes_on(session, deadline))
        status = watch(l, deadline);
    for (size_t i = 0; i < ez->state.n_bodies; i++)
        add_item(l, AW_EZPHYS_BODY, &ez->state.bodies[i].object, &ez->state.bodies[i], NULL);
    for (size_t i = 0; i < ez->state.n_joints; i++)
        add_item(l, AW_EZPHYS_JOINT, &ez->state.joints[i].object, NULL, &ez->state.joints[i]);
    return status;
}

/* In messages a second; of a simulation that waits there is none. */
static double rate(const struct listing *l, const struct item *item)
{
    if (l->seconds <= 0)
        return NAN;
    double per_message = item->joint && item->joint->n_axes ? item->joint->n_axes : 1;
    double packets = (double)(item->object->count - (item->joint ? item->joint->feedback : 0));
    return packets / per_message / l->seconds;
}

/* How old what is known of it is: since the last message, or for longer if that did not have it. */
static double age(const struct listing *l, const struct aw_ezphys_object *object)
{
    const struct aw_ezphys *ez = ez_of(l->session);
    if (object->message != ez->state.messages)
        return NAN;
    return (double)(aw_clock_now(l->session->clock) - ez->received_ns) / 1e9;
}

static void show_joint(const struct listing *l, const struct item *item, const char *label)
{
    const struct aw_ezphys_joint *joint = item->joint;
    char clean[AW_EZPHYS_NAME_SIZE], name[AW_EZPHYS_NAME_SIZE + 16], below[64];
    struct ez_units units = ez_units(l->session, joint->object.name);
    int decimals = aw_session_text(l->session) ? 4 : -1; /* programs calculate with it */
    snprintf(clean, sizeof clean, "%s", joint->object.name);
    aw_utf8_clean(clean); /* it came over the wire */
    for (int i = 0; i < joint->n_axes; i++) {
        struct aw_status_value more[] = {
            {"velocity", joint->axes[i].velocity, decimals, units.velocity},
            {"rate", rate(l, item), 1, "Hz"},
            {0}};
        if (aw_session_text(l->session) && l->seconds <= 0)
            more[1].key = NULL; /* there is none */
        snprintf(below, sizeof below, "%*s  axis%d", (int)strspn(label, " "), "", i + 1);
        snprintf(name, sizeof name, joint->n_axes > 1 ? "%s.axis%d" : "%s", clean, i + 1);
        aw_status_joint(l->session, &(struct aw_status_joint){.name = name,
                                                              .label = i ? below : label,
                                                              .width = l->width,
                                                              .target = NAN, /* it has motors */
                                                              .actual = joint->axes[i].displacement,
                                                              .decimals = decimals,
                                                              .unit = units.displacement,
                                                              .age_s = age(l, item->object),
                                                              .more = more});
    }
}

/* ---- The record --------------------------------------------------------------------------------
 */

/* "hinge.id", "body.limb.rate". */
static const char *key_of(const struct item *item, const char *what, char key[KEY_MAX])
{
    char name[AW_EZPHYS_NAME_SIZE];
    snprintf(name, sizeof name, "%s", item->object->name);
    aw_utf8_clean(name);
    snprintf(key, KEY_MAX, "%s%s.%s", item->body ? "body." : "", name, what);
    return key;
}

static void record_item(struct listing *l, struct item *item)
{
    struct aw_object *result = &l->session->result;
    char key[KEY_MAX];
    size_t axes = item->joint ? (size_t)item->joint->n_axes : 0;
    if (result->n + ENTRIES * (1 + axes) > AW_OBJECT_MAX) {
        l->left_out++;
        return;
    }
    if (item->object->id)
        aw_object_count(result, key_of(item, "id", key), item->object->id);
    if (item->joint) {
        show_joint(l, item, "");
        if (!item->entry)
            return;
        char *out = item->list;
        for (int i = 0; i < 2; i++) {
            const char *body = *item->entry->bodies[i] ? item->entry->bodies[i] : "world";
            *out++ = i ? ',' : '[';
            out = aw_json_string(out, body, sizeof item->entry->bodies[i]);
        }
        snprintf(out, 2, "]");
        aw_object_list(result, key_of(item, "bodies", key), item->list);
    } else {
        const double *at = item->body->position;
        aw_object_number(result, key_of(item, "rate", key), rate(l, item), 1, NULL);
        snprintf(item->list, sizeof item->list, "[%.7g,%.7g,%.7g]", at[0], at[1], at[2]);
        aw_object_list(result, key_of(item, "position", key), item->list);
    }
}

static void record(struct listing *l)
{
    const struct aw_ezphys_state *s = &ez_of(l->session)->state;
    struct aw_object *result = &l->session->result;
    aw_status_begin(l->session, NULL);
    aw_object_number(result, "step", s->timed ? (double)s->step : NAN, 0, NULL);
    aw_object_number(result, "time", s->timed ? aw_ezphys_state_time(s) : NAN, 6, "s");
    aw_object_count(result, "contacts", s->n_contacts);
    for (int joints = 1; joints >= 0; joints--)
        for (size_t i = 0; i < l->n; i++)
            if (joints == (l->items[i].joint != NULL))
                record_item(l, &l->items[i]);
    aw_session_print_result(l->session); /* its texts are in the items */
    if (l->left_out)
        aw_session_notice(l->session, "%zu objects left out: 'echo NAME' shows them", l->left_out);
}

/* ---- The tree: from the world over joints to bodies, as far as the names are known -------------
 */

/* The body at the other end of the joint, "" for the world; NULL if the joint is not at this one.
 */
static const char *other_end(const struct item *joint, const char *body)
{
    if (!joint->entry || (!*joint->entry->bodies[0] && !*joint->entry->bodies[1]))
        return NULL;
    for (int i = 0; i < 2; i++)
        if (strcmp(joint->entry->bodies[i], body) == 0)
            return joint->entry->bodies[!i];
    return NULL;
}

static const struct item *find_body(const struct listing *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->items[i].kind == AW_EZPHYS_BODY && strcmp(l->items[i].object->name, name) == 0)
            return &l->items[i];
    return NULL;
}

static void print_node(struct listing *l, const struct item *item, unsigned depth)
{
    char label[96], name[AW_EZPHYS_NAME_SIZE];
    snprintf(name, sizeof name, "%s", item->object->name);
    aw_utf8_clean(name); /* it came over the wire */
    snprintf(label, sizeof label, "%*s%s%s", (int)depth, "", item->joint ? "└ " : "", name);
    if (l->measures) {
        int length = (int)aw_utf8_length(label);
        l->width = length > l->width ? length : l->width;
        return;
    }
    if (item->joint) {
        show_joint(l, item, label);
        return;
    }
    const double *at = item->body->position;
    aw_output_print(&l->session->out, "%-*s x=%.3fm y=%.3fm z=%.3fm", l->width, label, at[0], at[1],
                    at[2]);
    if (l->seconds > 0)
        aw_output_print(&l->session->out, " rate=%.1fHz", rate(l, item));
    aw_output_write(&l->session->out, "\n", 1);
}

static void print_tree(struct listing *l, const char *body, unsigned depth, bool *shown)
{
    for (size_t i = 0; i < l->n && depth <= 64; i++) {
        const struct item *joint = &l->items[i];
        const char *other = joint->kind == AW_EZPHYS_JOINT ? other_end(joint, body) : NULL;
        if (shown[i] || !other)
            continue;
        shown[i] = true;
        print_node(l, joint, depth);
        const struct item *child = find_body(l, other);
        if (!child || shown[child - l->items])
            continue;
        shown[child - l->items] = true;
        print_node(l, child, depth + 1);
        print_tree(l, child->object->name, depth + 2, shown);
    }
}

/* What the world holds, then what moves freely. */
static void print_all(struct listing *l)
{
    bool shown[AW_EZPHYS_BODIES + AW_EZPHYS_JOINTS] = {false};
    print_tree(l, "", 0, shown);
    for (size_t i = 0; i < l->n; i++) {
        if (shown[i])
            continue;
        shown[i] = true;
        print_node(l, &l->items[i], 0);
        if (l->items[i].kind == AW_EZPHYS_BODY)
            print_tree(l, l->items[i].object->name, 1, shown);
    }
}

static void print_scene(struct listing *l)
{
    const struct aw_ezphys_state *s = &ez_of(l->session)->state;
    struct aw_output *out = &l->session->out;
    const char *waits = l->seconds > 0 ? "" : ", waits for an answer";
    if (s->timed)
        aw_output_print(out, "scene step=%lld of %.7gs, time=%.6fs, contacts=%zu%s\n",
                        (long long)s->step, s->step_size, aw_ezphys_state_time(s), s->n_contacts,
                        waits);
    else
        aw_output_print(out, "scene without timestamps, contacts=%zu%s\n", s->n_contacts, waits);
    l->width = AW_STATUS_WIDTH;
    l->measures = true;
    print_all(l);
    l->measures = false;
    aw_status_begin_wide(l->session, l->width,
                         (const char *const[]){"velocity", l->seconds > 0 ? "rate" : NULL, NULL});
    print_all(l);
}

enum aw_status run_status(struct aw_session *session, const struct aw_args *args)
{
    struct listing *l = calloc(1, sizeof *l);
    (void)args;
    if (!l)
        return aw_no_memory(&session->err);
    l->session = session;
    enum aw_status status = collect(l);
    if (status == AW_OK && aw_session_text(session))
        print_scene(l);
    else if (status == AW_OK)
        record(l);
    free(l);
    return status;
}
