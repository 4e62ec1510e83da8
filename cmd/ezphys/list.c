/* list, info: what there is in the simulation, as lines and as a tree. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "shell/commands/common.h"
#include "state.h"

#define ENDS_MAX (12 * sizeof((struct aw_ezphys_name *)NULL)->bodies[0] + 8) /* as JSON */
#define WINDOW_S 0.5 /* of watching, for the rates */

/* An object of either kind, for both ways of showing. */
struct item {
    enum aw_ezphys_kind kind;
    const struct aw_ezphys_object *object;
    const struct aw_ezphys_body *body;   /* or NULL */
    const struct aw_ezphys_joint *joint; /* or NULL */
    const struct aw_ezphys_name *entry;  /* of the names, or NULL */
};

struct listing {
    struct aw_session *session;
    double seconds; /* watched; 0: the simulation stands until it is answered */
    size_t n;
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

/* Does the simulation go on without an answer? One that waits for it stands where it is: looking
 * must not move the world on. */
static bool goes_on(struct listing *l, int64_t deadline)
{
    const struct aw_ezphys *ez = ez_of(l->session);
    int fd = aw_link_fd(ez->link);
    return ez->parsed < ez->held || ez->link->recorded || fd < 0 ||
           aw_clock_wait(l->session->clock, fd, POLLIN, deadline) == AW_OK;
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
    if (goes_on(l, deadline))
        status = watch(l, deadline);
    for (size_t i = 0; i < ez->state.n_bodies; i++)
        add_item(l, AW_EZPHYS_BODY, &ez->state.bodies[i].object, &ez->state.bodies[i], NULL);
    for (size_t i = 0; i < ez->state.n_joints; i++)
        add_item(l, AW_EZPHYS_JOINT, &ez->state.joints[i].object, NULL, &ez->state.joints[i]);
    return status;
}

static double rate(const struct listing *l, const struct item *item)
{
    double per_message = item->joint && item->joint->n_axes ? item->joint->n_axes : 1;
    double packets = (double)(item->object->count - (item->joint ? item->joint->feedback : 0));
    return packets / per_message / l->seconds;
}

/* "1000.0 Hz"; of a simulation that waits there is none. */
static const char *rate_text(const struct listing *l, const struct item *item, char out[16])
{
    if (l->seconds > 0)
        snprintf(out, 16, "%.1f Hz", rate(l, item));
    else
        snprintf(out, 16, "waits");
    return out;
}

static char *print_axes(char *out, size_t size, const struct aw_ezphys_joint *joint)
{
    size_t used = 0;
    *out = '\0';
    for (int i = 0; i < joint->n_axes && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%.4f at %.4f/s", i ? ", " : "",
                                 joint->axes[i].displacement, joint->axes[i].velocity);
    return out;
}

static void describe(const struct item *item, char *out, size_t size)
{
    if (item->body)
        snprintf(out, size, "at %.3f %.3f %.3f m", item->body->position[0], item->body->position[1],
                 item->body->position[2]);
    else
        print_axes(out, size, item->joint);
}

static void print_ends(char out[ENDS_MAX], const struct aw_ezphys_name *entry)
{
    for (int i = 0; i < 2; i++) {
        const char *body = *entry->bodies[i] ? entry->bodies[i] : "world";
        *out++ = i ? ',' : '[';
        out = aw_json_string(out, body, sizeof entry->bodies[i]);
    }
    snprintf(out, 2, "]");
}

/* Columns that only bodies, or only joints, have. */
static void add_list(struct aw_object *row, const char *key, bool has, const char *list)
{
    aw_object_list(row, key, list);
    if (!has)
        aw_object_absent(row);
}

static void add_joint(struct aw_object *row, const struct aw_ezphys_joint *joint)
{
    aw_object_number(row, "axes", joint ? joint->n_axes : 0, 0, NULL);
    if (!joint)
        aw_object_absent(row);
    aw_object_truth(row, "feedback", joint && joint->feedback);
    if (!joint)
        aw_object_absent(row);
}

static void print_item(const struct listing *l, const struct item *item)
{
    char position[64] = "", bodies[ENDS_MAX] = "", what[160], rates[16];
    char name[sizeof item->object->name];
    bool ends = item->entry && item->joint;
    struct aw_object row;
    if (item->body)
        snprintf(position, sizeof position, "[%.7g,%.7g,%.7g]", item->body->position[0],
                 item->body->position[1], item->body->position[2]);
    if (ends)
        print_ends(bodies, item->entry);
    aw_object_start(&row, NULL);
    aw_object_text(&row, "kind", aw_ezphys_kind_name(item->kind));
    aw_object_number(&row, "id", item->object->id, 0, NULL);
    if (!item->object->id)
        aw_object_absent(&row);
    aw_object_text(&row, "name", item->object->name);
    aw_object_number(&row, "rate", l->seconds > 0 ? rate(l, item) : NAN, 1, NULL);
    add_list(&row, "position", item->body, position);
    add_joint(&row, item->joint);
    add_list(&row, "bodies", ends, bodies);
    describe(item, what, sizeof what);
    snprintf(name, sizeof name, "%s", item->object->name);
    aw_utf8_clean(name); /* it came over the wire */
    aw_session_row(l->session, &row, "%-5s %5u  %-24s %11s  %s\n", aw_ezphys_kind_name(item->kind),
                   (unsigned)item->object->id, name, rate_text(l, item, rates), what);
}

enum aw_status run_list(struct aw_session *session, const struct aw_args *args)
{
    struct listing l = {.session = session};
    (void)args;
    enum aw_status status = collect(&l);
    for (size_t i = 0; i < l.n && status == AW_OK; i++)
        print_item(&l, &l.items[i]);
    return status;
}

/* ---- The tree: from the world over joints to bodies, as far as the names are known
 * ------------------
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

static void print_node(const struct listing *l, const struct item *item, unsigned depth)
{
    char what[160], label[64], rate[16];
    describe(item, what, sizeof what);
    snprintf(label, sizeof label, "%*s%s%s", (int)(2 * depth), "", item->joint ? "└ " : "",
             item->object->name);
    int wide = item->joint ? 34 : 32; /* the corner is three bytes and one column */
    aw_output_print(&l->session->out, "%-*s %10s  %s\n", wide, label, rate_text(l, item, rate),
                    what);
}

static void print_tree(const struct listing *l, const char *body, unsigned depth, bool *shown)
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

static void print_roots(const struct listing *l, bool *shown)
{
    for (size_t i = 0; i < l->n; i++) {
        if (shown[i])
            continue;
        shown[i] = true;
        print_node(l, &l->items[i], 1);
        if (l->items[i].kind == AW_EZPHYS_BODY)
            print_tree(l, l->items[i].object->name, 2, shown);
    }
}

enum aw_status run_info(struct aw_session *session, const struct aw_args *args)
{
    if (aw_arg(args, "file", 0))
        return aw_run_info(session, args);
    struct listing l = {.session = session};
    bool shown[AW_EZPHYS_BODIES + AW_EZPHYS_JOINTS] = {false};
    enum aw_status status = collect(&l);
    if (status != AW_OK)
        return status;
    for (size_t i = 0; i < l.n && aw_session_formatted(session); i++)
        print_item(&l, &l.items[i]);
    if (aw_session_formatted(session))
        return AW_OK;
    const struct aw_ezphys_state *s = &ez_of(l.session)->state;
    struct aw_output *out = &l.session->out;
    if (s->timed)
        aw_output_print(out, "scene  step %lld of %.7g s, time %.6f s, %zu contacts\n",
                        (long long)s->step, s->step_size, aw_ezphys_state_time(s), s->n_contacts);
    else
        aw_output_print(out, "scene  without timestamps, %zu contacts\n", s->n_contacts);
    print_tree(&l, "", 1, shown); /* what the world holds */
    print_roots(&l, shown);       /* what moves freely */
    return AW_OK;
}
