/* The joints of ezphys, one for each axis, in tree order: their state, and the bodies between them.
 */
#include "shell/joints/joints.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/number.h"
#include "base/utf8.h"
#include "ezphys.h"
#include "shell/joints/play.h"
#include "shell/joints/verbs.h"
#include "shell/safety/safety.h"
#include "state.h"

/* size of the list as JSON */
#define ENDS_MAX (12 * sizeof((struct aw_ezphys_name *)NULL)->bodies[0] + 8)
#define KEY_MAX  sizeof((struct aw_entry *)NULL)->key
#define WINDOW_S 0.5 /* observation time for the rates */
#define DEEPEST  64
#define ENTRIES  5 /* max entries of a body in the record */
#define NEAR     0.01

/* A body or a joint, in tree order. */
struct item {
    const struct aw_ezphys_object *object;
    const struct aw_ezphys_body *body;   /* or NULL */
    const struct aw_ezphys_joint *joint; /* or NULL */
    const struct aw_ezphys_name *entry;  /* from the names, or NULL */
    unsigned depth;
    char list[ENDS_MAX]; /* JSON: a joint's two bodies, or a body's x, y, z */
};

struct ezphys_tree {
    uint64_t epoch;       /* epoch of the simulation when the tree was built */
    int64_t paced_ns;     /* session clock: the simulation is paced up to here */
    double window_s;      /* observation time; 0: the simulation is in lock-step */
    size_t n, next;       /* number of items; the next one for status */
    struct item *current; /* current joint of status; NULL: none */
    struct item items[AW_EZPHYS_BODIES + AW_EZPHYS_JOINTS];
};

static const struct aw_joint_column columns[] = {
    {AW_JOINT_VELOCITY, "velocity", -1}, {AW_JOINT_EXTRA_1, "rate", 1}, {0}};
static const struct aw_joint_column without_rate[] = {{AW_JOINT_VELOCITY, "velocity", -1}, {0}};

/* ---- The tree: from the world over joints to bodies, as far as the names are known ---- */

static struct item *add_item(struct aw_session *session, const struct aw_ezphys_body *body,
                             const struct aw_ezphys_joint *joint, unsigned depth)
{
    struct ezphys_tree *tree = ezphys_state(session)->tree;
    const struct aw_ezphys_object *object = body ? &body->object : &joint->object;
    enum aw_ezphys_kind kind = body ? AW_EZPHYS_BODY : AW_EZPHYS_JOINT;
    struct item *item = &tree->items[tree->n++];
    item->object = object;
    item->body = body;
    item->joint = joint;
    item->depth = depth;
    item->entry = aw_ezphys_names_find(&ezphys_state(session)->name_sets.names, kind, object->name);
    return item;
}

/* The items that are already in the tree. */
struct visited {
    bool body[AW_EZPHYS_BODIES], joint[AW_EZPHYS_JOINTS];
};

/* Returns the body at the other end of the joint, "" for the world; NULL if the joint is not
 * attached to this body. */
static const char *find_other_body(struct aw_session *session, const struct aw_ezphys_joint *joint,
                                   const char *body)
{
    const struct aw_ezphys_name *entry = aw_ezphys_names_find(
        &ezphys_state(session)->name_sets.names, AW_EZPHYS_JOINT, joint->object.name);
    if (!entry || (!*entry->bodies[0] && !*entry->bodies[1]))
        return NULL;
    for (int i = 0; i < 2; i++)
        if (strcmp(entry->bodies[i], body) == 0)
            return entry->bodies[!i];
    return NULL;
}

static size_t find_body(const struct aw_ezphys_state *state, const char *name)
{
    size_t i = 0;
    while (i < state->n_bodies && strcmp(state->bodies[i].object.name, name) != 0)
        i++;
    return i;
}

static void add_branch(struct aw_session *session, const char *body, unsigned depth,
                       struct visited *visited)
{
    const struct aw_ezphys_state *state = &ezphys_client(session)->state;
    for (size_t i = 0; i < state->n_joints && depth <= DEEPEST; i++) {
        const char *other =
            visited->joint[i] ? NULL : find_other_body(session, &state->joints[i], body);
        if (!other)
            continue;
        visited->joint[i] = true;
        add_item(session, NULL, &state->joints[i], depth);
        size_t child = find_body(state, other);
        if (child == state->n_bodies || visited->body[child])
            continue;
        visited->body[child] = true;
        add_item(session, &state->bodies[child], NULL, depth + 1);
        add_branch(session, other, depth + 2, visited);
    }
}

/* Adds the joints attached to the world, then free bodies. */
static enum aw_status make_tree(struct aw_session *session)
{
    const struct aw_ezphys_state *state = &ezphys_client(session)->state;
    struct ezphys_state *tool_state = ezphys_state(session);
    struct visited visited = {{false}, {false}};
    if (!tool_state->tree)
        tool_state->tree = calloc(1, sizeof *tool_state->tree);
    if (!tool_state->tree)
        return aw_no_memory(&session->err);
    tool_state->tree->n = tool_state->tree->next = 0;
    tool_state->tree->epoch = state->epoch;
    add_branch(session, "", 0, &visited);
    for (size_t i = 0; i < state->n_bodies; i++) {
        if (visited.body[i])
            continue;
        visited.body[i] = true;
        add_item(session, &state->bodies[i], NULL, 0);
        add_branch(session, state->bodies[i].object.name, 1, &visited);
    }
    for (size_t i = 0; i < state->n_joints; i++)
        if (!visited.joint[i])
            add_item(session, NULL, &state->joints[i], 0);
    return AW_OK;
}

static const char *write_label(const struct item *item, char out[AW_JOINT_NAME])
{
    char name[AW_EZPHYS_NAME_SIZE];
    int depth = item->depth < 20 ? (int)item->depth : 20;
    snprintf(name, sizeof name, "%s", item->object->name);
    aw_utf8_clean(name); /* a name from the wire may be invalid UTF-8 */
    snprintf(out, AW_JOINT_NAME, "%*s%s%.32s", depth, "", item->joint ? "└ " : "", name);
    return out;
}

/* ---- The list ---- */

static enum aw_status add_axes(struct aw_session *session, struct aw_joint_list *list,
                               const struct item *item)
{
    const struct aw_ezphys_joint *joint = item->joint;
    struct ezphys_units units = ezphys_units(session, joint->object.name);
    char name[AW_EZPHYS_NAME_SIZE + 16], label[AW_JOINT_NAME];
    write_label(item, label);
    for (int i = 0; i < joint->n_axes; i++) {
        struct aw_ezphys_packet_subject about = {&joint->object, i + 1, joint->n_axes};
        struct aw_joint *axis =
            aw_joints_add(session, list, ezphys_write_axis_name(&about, name, sizeof name));
        if (!axis)
            return session->err.status;
        if (i == 0 && joint->n_axes > 1)
            snprintf(axis->alias, sizeof axis->alias, "%s", joint->object.name);
        snprintf(axis->label, sizeof axis->label, "%s", label);
        if (i > 0)
            snprintf(axis->label, sizeof axis->label, "%*s  axis%d", (int)strspn(label, " "), "",
                     i + 1);
        axis->id =
            (uint32_t)(item - ezphys_state(session)->tree->items) * AW_EZPHYS_AXES + (uint32_t)i;
        axis->unit[AW_JOINT_ACTUAL] = axis->unit[AW_JOINT_TARGET] = units.displacement;
        axis->unit[AW_JOINT_VELOCITY] = units.velocity;
        axis->unit[AW_JOINT_EXTRA_1] = "Hz";
        axis->flags.accepts = AW_JOINT_TAKES_TARGETS | AW_JOINT_TAKES_VELOCITIES;
        axis->tolerance.tolerance = NEAR;
        axis->tolerance.min_motion = NEAR / 2;
        axis->flags.can_wrap = strcmp(units.displacement, "rad") == 0;
        axis->tolerance.max_deviation = EZPHYS_MAX_LAG;
        axis->decimals = aw_session_is_text(session) ? 4 : -1; /* programs need full precision */
    }
    return AW_OK;
}

static enum aw_status list_joints(struct aw_session *session, struct aw_joint_list *list)
{
    char label[AW_JOINT_NAME];
    enum aw_status status = make_tree(session);
    list->width = AW_JOINT_LABEL;
    for (size_t i = 0; status == AW_OK && i < ezphys_state(session)->tree->n; i++) {
        const struct item *item = &ezphys_state(session)->tree->items[i];
        int width = (int)aw_utf8_length(write_label(item, label));
        list->width = width > list->width ? width : list->width;
        if (item->joint)
            status = add_axes(session, list, item);
    }
    return status;
}

/* The protocol has a velocity limit, and the simulation reports none. Position limits come from the
 * scene. */
static size_t list_limits(struct aw_session *session, const struct aw_joint *joint,
                          struct aw_joint_limit rows[AW_JOINT_LIMITS])
{
    const struct item *item = &ezphys_state(session)->tree->items[joint->id / AW_EZPHYS_AXES];
    struct ezphys_units units = ezphys_units(session, item->object->name);
    static const struct aw_joint_limit kinds[] = {
        {.quantity = "velocity", .min = NAN, .max = NAN, .source = "none", .is_firm = true},
        {.quantity = "max_torque", .min = 0, .max = NAN, .source = "table", .is_firm = true},
        {.quantity = "torque", .min = NAN, .max = NAN, .source = "none", .is_firm = true},
    };
    const size_t n = sizeof kinds / sizeof *kinds;
    memcpy(rows, kinds, sizeof kinds);
    rows[0].unit = units.velocity;
    rows[1].unit = rows[2].unit = units.torque;
    const struct aw_ezphys_name *name = aw_ezphys_names_find(
        &ezphys_state(session)->name_sets.names, AW_EZPHYS_JOINT, item->object->name);
    double low = name ? name->low[joint->id % AW_EZPHYS_AXES] : 0,
           high = name ? name->high[joint->id % AW_EZPHYS_AXES] : 0;
    if (!(low < high) || (isinf(low) && isinf(high)))
        return n;
    rows[n] = (struct aw_joint_limit){.quantity = "displacement",
                                      .min = low,
                                      .max = high,
                                      .unit = units.displacement,
                                      .source = "scene",
                                      .is_firm = true};
    return n + 1;
}

/* ---- State ---- */

static enum aw_status observe(struct aw_session *session, int64_t deadline)
{
    int64_t start = aw_clock_now(session->clock);
    enum aw_status status = AW_OK;
    while (status == AW_OK && aw_clock_now(session->clock) < deadline) {
        status = aw_ezphys_answer(ezphys_client(session), &session->err);
        if (status == AW_OK)
            status = ezphys_receive(session, deadline, EZ_ONCE);
    }
    if (status == AW_TIMEOUT)
        status = AW_OK;
    if (status == AW_OK)
        status = aw_ezphys_answer(ezphys_client(session), &session->err);
    ezphys_state(session)->tree->window_s = (double)(aw_clock_now(session->clock) - start) / 1e9;
    return status;
}

/* Returns messages per second; 0 for a simulation in lock-step. */
static double get_rate(const struct ezphys_tree *tree, const struct item *item)
{
    if (tree->window_s <= 0)
        return NAN;
    double per_message = item->joint && item->joint->n_axes ? item->joint->n_axes : 1;
    double packets = (double)(item->object->count - (item->joint ? item->joint->n_feedback : 0));
    return packets / per_message / tree->window_s;
}

/* A value missing in the last message is from an earlier one; its time is unknown. */
static void update_joints(struct aw_session *session, struct aw_joint_list *list)
{
    const struct aw_ezphys *ez = ezphys_client(session);
    const struct ezphys_tree *tree = ezphys_state(session)->tree;
    for (size_t i = 0; i < list->n; i++) {
        struct aw_joint *joint = &list->joints[i];
        const struct item *item = &tree->items[joint->id / AW_EZPHYS_AXES];
        const struct aw_ezphys_axis *axis = &item->joint->axes[joint->id % AW_EZPHYS_AXES];
        int64_t time_ns = item->object->message == ez->state.counts.messages
                              ? ez->lockstep.received_ns
                              : AW_NO_TIME;
        aw_joint_set_value(joint, AW_JOINT_ACTUAL, axis->displacement, time_ns);
        aw_joint_set_value(joint, AW_JOINT_VELOCITY, axis->velocity, time_ns);
        aw_joint_set_value(joint, AW_JOINT_EXTRA_1, get_rate(tree, item), time_ns);
    }
}

static bool is_status(const struct aw_session *session)
{
    return session->run.command && session->run.command->run == aw_run_status;
}

static enum aw_status read_joints(struct aw_session *session, struct aw_joint_list *list)
{
    const struct aw_ezphys_state *state = &ezphys_client(session)->state;
    size_t objects = state->n_bodies + state->n_joints;
    /* for a motion, --for is its duration */
    double seconds = is_status(session) ? session->options.run.for_s : 0;
    int64_t deadline =
        aw_time_after(aw_clock_now(session->clock), seconds > 0 ? seconds : WINDOW_S);
    enum aw_status status = AW_OK;
    ezphys_state(session)->tree->window_s = 0;
    if (ezphys_is_free_running(session, deadline))
        status = observe(session, deadline);
    if (status == AW_OK && list->is_frozen)
        status = ezphys_check_epoch(session, ezphys_state(session)->tree->epoch);
    else if (status == AW_OK && state->n_bodies + state->n_joints != objects) {
        list->n = 0; /* new objects appeared meanwhile, so the tree changed */
        status = list_joints(session, list);
    }
    if (status != AW_OK)
        return status;
    bool waiting = aw_session_is_text(session) && ezphys_state(session)->tree->window_s <= 0;
    list->columns = waiting ? without_rate : columns;
    update_joints(session, list);
    return AW_OK;
}

static int64_t get_now_ns(struct aw_session *session)
{
    const struct aw_ezphys_state *state = &ezphys_client(session)->state;
    return state->is_timed ? (int64_t)(aw_ezphys_state_time(state) * 1e9)
                           : aw_clock_now(session->clock);
}

/* ---- status: output besides the joints ---- */

static void show_scene(struct aw_session *session)
{
    const struct aw_ezphys_state *s = &ezphys_client(session)->state;
    struct aw_output *out = &session->out;
    const char *waiting =
        ezphys_state(session)->tree->window_s > 0 ? "" : ", waiting for an answer";
    if (!aw_session_is_text(session)) {
        aw_object_add_number(&session->result, "step", s->is_timed ? (double)s->step : NAN, 0,
                             NULL);
        aw_object_add_number(&session->result, "time", s->is_timed ? aw_ezphys_state_time(s) : NAN,
                             6, "s");
        aw_object_add_count(&session->result, "contacts", s->n_contacts);
    } else if (s->is_timed) {
        aw_output_print(out, "scene step=%lld of %.7gs, time=%.6fs, contacts=%zu%s\n",
                        (long long)s->step, s->step_size, aw_ezphys_state_time(s), s->n_contacts,
                        waiting);
    } else {
        aw_output_print(out, "scene without timestamps, contacts=%zu%s\n", s->n_contacts, waiting);
    }
}

/* Returns a key such as "hinge.id" or "body.limb.rate". */
static const char *write_key(const struct item *item, const char *field, char key[KEY_MAX])
{
    char name[AW_EZPHYS_NAME_SIZE];
    snprintf(name, sizeof name, "%s", item->object->name);
    aw_utf8_clean(name);
    snprintf(key, KEY_MAX, "%s%s.%s", item->body ? "body." : "", name, field);
    return key;
}

/* Adds the fields of a joint that follow its axes. */
static void finish_joint(struct aw_session *session)
{
    struct ezphys_tree *tree = ezphys_state(session)->tree;
    struct item *item = tree->current;
    tree->current = NULL;
    if (!item || !item->entry)
        return;
    char key[KEY_MAX], *out = item->list;
    for (int i = 0; i < 2; i++) {
        const char *body = *item->entry->bodies[i] ? item->entry->bodies[i] : "world";
        *out++ = i ? ',' : '[';
        out = aw_write_json_string(out, body, sizeof item->entry->bodies[i]);
    }
    snprintf(out, 2, "]");
    aw_object_add_list(&session->result, write_key(item, "bodies", key), item->list);
}

static void record_joint(struct aw_session *session, struct item *item)
{
    char key[KEY_MAX];
    finish_joint(session);
    ezphys_state(session)->tree->current = item;
    if (item->object->id)
        aw_object_add_count(&session->result, write_key(item, "id", key), item->object->id);
}

static void record_body(struct aw_session *session, struct item *item)
{
    struct aw_object *result = &session->result;
    const double *position = item->body->position;
    char key[KEY_MAX];
    if (item->object->id)
        aw_object_add_count(result, write_key(item, "id", key), item->object->id);
    aw_object_add_number(result, write_key(item, "rate", key),
                         get_rate(ezphys_state(session)->tree, item), 1, NULL);
    snprintf(item->list, sizeof item->list, "[%.7g,%.7g,%.7g]", position[0], position[1],
             position[2]);
    aw_object_add_list(result, write_key(item, "position", key), item->list);
}

static void print_body(struct aw_session *session, const struct item *item, int width)
{
    const double *position = item->body->position;
    char label[AW_JOINT_NAME];
    write_label(item, label);
    aw_output_print(&session->out, "%-*s x=%.3fm y=%.3fm z=%.3fm",
                    width + (int)(strlen(label) - aw_utf8_length(label)), label, position[0],
                    position[1], position[2]);
    if (ezphys_state(session)->tree->window_s > 0)
        aw_output_print(&session->out, " rate=%.1fHz", get_rate(ezphys_state(session)->tree, item));
    aw_output_write(&session->out, "\n", 1);
}

/* Prints the bodies before this item; in records they come last. */
static void show_bodies(struct aw_session *session, const struct aw_joint_list *list, size_t end)
{
    struct ezphys_tree *tree = ezphys_state(session)->tree;
    bool text = aw_session_is_text(session);
    size_t n_omitted = 0;
    for (; tree->next < end; tree->next++) {
        struct item *item = &tree->items[tree->next];
        bool fits = text || session->result.n + ENTRIES <= AW_OBJECT_MAX;
        if (item->body && text)
            print_body(session, item, list->width);
        else if (item->body && fits)
            record_body(session, item);
        n_omitted += item->body && !fits;
    }
    if (n_omitted)
        aw_session_print_notice(session, "%zu objects not shown — use 'watch NAME'", n_omitted);
}

static enum aw_status show_extra(struct aw_session *session, struct aw_joint_list *list,
                                 size_t index)
{
    struct ezphys_tree *tree = ezphys_state(session)->tree;
    if (index == AW_JOINT_ABOVE) {
        tree->next = 0;
        tree->current = NULL;
        show_scene(session);
        return AW_OK;
    }
    if (index == list->n) {
        finish_joint(session);
        show_bodies(session, list, tree->n);
        return AW_OK;
    }
    struct item *item = &tree->items[list->joints[index].id / AW_EZPHYS_AXES];
    if (aw_session_is_text(session))
        show_bodies(session, list, (size_t)(item - tree->items));
    else if (list->joints[index].id % AW_EZPHYS_AXES == 0)
        record_joint(session, item);
    return AW_OK;
}

/* ---- Commands ---- */

static const struct aw_ezphys_object *get_object(struct aw_session *session,
                                                 const struct aw_joint *joint)
{
    return ezphys_state(session)->tree->items[joint->id / AW_EZPHYS_AXES].object;
}

/* Compares with the number on the wire. */
static bool matches_name(struct aw_session *session, const struct aw_joint *joint, const char *text)
{
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)get_object(session, joint)->id);
    return joint->id % AW_EZPHYS_AXES == 0 && get_object(session, joint)->id &&
           strcmp(number, text) == 0;
}

/* Returns where the joint's axes were; recorded commands are velocities and forces. Axes are in
 * order. */
size_t ezphys_replay_targets(struct aw_session *session, struct aw_joint_list *list,
                             const struct aw_record *record, struct aw_joint_goal *goals,
                             double *seconds)
{
    struct aw_record counted = *record;
    *seconds = 0;
    if (record->dir != AW_RX)
        return 0;
    ezphys_order(session, &counted, true);
    int axis = ezphys_state(session)->order.axis;
    double id = aw_record_get(record, "id");
    for (size_t i = 0; i < list->n && axis; i++) {
        const struct aw_ezphys_object *object = get_object(session, &list->joints[i]);
        bool matches = isnan(id) ? strcmp(object->name, record->text) == 0 : object->id == id;
        if (!matches || (int)(list->joints[i].id % AW_EZPHYS_AXES) != axis - 1)
            continue;
        goals[0] = (struct aw_joint_goal){i, aw_record_get(record, "displacement")};
        return 1;
    }
    return 0;
}

/* Parses rad, or m for a slider, and rejects the other unit. */
static enum aw_status parse_value(struct aw_session *session, const struct aw_joint *joint,
                                  bool jogs, const char *text, double *value)
{
    bool unit = isalpha((unsigned char)text[strlen(text) - 1]);
    enum aw_ezphys_motion given_kind = unit ? AW_EZPHYS_TURNS : AW_EZPHYS_MOTION_UNKNOWN;
    struct aw_error problem;
    enum aw_status status = aw_number_parse_unit(text, "rad", value, &problem);
    (void)jogs;
    if (status == AW_USAGE && aw_number_parse_unit(text, "m", value, NULL) == AW_OK) {
        given_kind = AW_EZPHYS_SLIDES;
        status = AW_OK;
    }
    return status == AW_OK
               ? ezphys_check_unit(session, get_object(session, joint)->name, given_kind)
               : aw_fail(&session->err, status, "%s: %s", joint->name, problem.text);
}

static enum aw_status check_send(struct aw_session *session, struct aw_joint_list *list,
                                 const struct aw_joint_command *command)
{
    (void)list, (void)command;
    return ezphys_check_send(session);
}

/* Returns the speed limit of a motor in this command, also for catching up. --speed limits only
 * single motions. */
static double get_max_speed(const struct aw_session *session)
{
    const struct aw_command *command = session->run.command;
    bool single = command->run == aw_run_move || command->run == aw_run_jog;
    double max_speed = single                        ? session->options.move.speed
                       : command->run == aw_run_play ? session->options.move.max_speed_value
                                                     : 0;
    return max_speed > 0 ? max_speed : (double)INFINITY;
}

/* A motor command has all axes of its joint; unnamed ones get velocity 0. */
static enum aw_status send_motor(struct aw_session *session, const struct aw_joint_list *list,
                                 const struct aw_joint_command *command, uint32_t item)
{
    const struct aw_ezphys_object *object = ezphys_state(session)->tree->items[item].object;
    struct aw_ezphys_target target = {.id = object->id};
    struct aw_ezphys_motor motor = {.max_torque = {0}};
    double max_speed = get_max_speed(session);
    snprintf(target.name, sizeof target.name, "%s", object->name);
    for (int i = 0; i < AW_EZPHYS_AXES; i++)
        motor.max_torque[i] =
            aw_number_or(ezphys_given(session)->max_torque, AW_EZPHYS_STOP_TORQUE);
    for (size_t i = 0; i < command->n; i++) {
        uint32_t id = list->joints[command->goals[i].joint].id;
        if (id / AW_EZPHYS_AXES == item)
            motor.velocity[id % AW_EZPHYS_AXES] =
                aw_clamp(command->goals[i].value, -max_speed, max_speed);
    }
    return aw_ezphys_motor(ezphys_client(session), &target, &motor, &session->err);
}

static enum aw_status send_command(struct aw_session *session, struct aw_joint_list *list,
                                   const struct aw_joint_command *command)
{
    enum aw_status status = ezphys_check_send(session);
    if (session->options.run.dry_run)
        return aw_dry_run_depends(session, "the joints of the device");
    if (status == AW_OK)
        aw_session_start_motion(session);
    uint32_t last_item = UINT32_MAX;
    for (size_t i = 0; i < command->n && status == AW_OK; i++) {
        uint32_t item = list->joints[command->goals[i].joint].id / AW_EZPHYS_AXES;
        if (item != last_item)
            status = send_motor(session, list, command, item);
        last_item = item;
    }
    return status;
}

/* Paces a lock-step simulation by the clock, unless it should run at full speed (hz). A restart
 * ends the path. */
static enum aw_status watch_joints(struct aw_session *session, struct aw_joint_list *list,
                                   int64_t deadline, double hz, aw_joints_look_fn *look,
                                   void *context)
{
    struct ezphys_tree *tree = ezphys_state(session)->tree;
    const struct aw_ezphys_state *state = &ezphys_client(session)->state;
    int64_t now_ns = aw_clock_now(session->clock);
    enum aw_status status = AW_OK;
    if (llabs(tree->paced_ns - now_ns) > AW_SECOND / 10) /* it was delayed, or ran at full speed */
        tree->paced_ns = now_ns;
    for (; status == AW_OK && now_ns < deadline; now_ns = aw_clock_now(session->clock)) {
        if (tree->paced_ns > now_ns && !isinf(hz)) {
            status = aw_clock_sleep(session->clock, aw_min_time(tree->paced_ns, deadline));
            continue;
        }
        double before = aw_ezphys_state_time(state);
        status = ezphys_exchange(session);
        if (status == AW_OK && session->motion.moving)
            status = ezphys_check_epoch(session, tree->epoch);
        if (status != AW_OK)
            return status;
        if (state->is_timed)
            tree->paced_ns += (int64_t)(1e9 * (aw_ezphys_state_time(state) - before));
        update_joints(session, list);
        if (look && !look(context, list))
            return AW_OK;
    }
    return status;
}

/* Holds the commanded joints at their position; the others stay free. */
static enum aw_status hold_joints(struct aw_session *session)
{
    struct aw_ezphys *ez = ezphys_client(session);
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < ez->n_commands && status == AW_OK; i++) {
        struct aw_ezphys_motor motor = ez->commands[i].values;
        memset(motor.velocity, 0, sizeof motor.velocity);
        if (ezphys_given(session)->coast)
            memset(motor.max_torque, 0, sizeof motor.max_torque);
        status = aw_ezphys_motor(ez, &ez->commands[i].target, &motor, &session->err);
    }
    if (status == AW_OK)
        status = ezphys_exchange(session);
    session->motion.moving = status != AW_OK;
    return status;
}

/* A failed motion holds all of its joints. */
static enum aw_status end_motion(struct aw_session *session, struct aw_joint_list *list,
                                 enum aw_status status)
{
    (void)list;
    if (!session->motion.moving || status == AW_STOPPED || status == AW_LOST)
        return status;
    if (status == AW_OK)
        return hold_joints(session);
    struct aw_error cause = session->err;
    enum aw_status ended = ezphys_safe_stop(session);
    session->motion.moving = ended != AW_OK;
    session->err = cause;
    return status;
}

static void report(struct aw_session *session, struct aw_joint_list *list,
                   const struct aw_joint_command *command, enum aw_status status, bool awaited)
{
    struct aw_object *result = &session->result;
    aw_object_start(result, session->run.command->name);
    update_joints(session, list);
    for (size_t i = 0; i < command->n; i++) {
        const struct aw_joint *joint = &list->joints[command->goals[i].joint];
        char key[KEY_MAX];
        snprintf(key, sizeof key, command->n == 1 ? "displacement" : "%.100s.displacement",
                 joint->name);
        if (command->n == 1)
            aw_object_add_copy(result, "joint", joint->name);
        aw_object_add_number(result, key, joint->state.value[AW_JOINT_ACTUAL], -1,
                             joint->unit[AW_JOINT_ACTUAL]);
    }
    aw_object_add_text(result, "result", aw_move_result(session, status, awaited));
    ezphys_report_time(session);
}

const struct aw_joints ezphys_joints = {
    .columns = columns,
    .traits.hz = 50,
    .traits.max_hz = 1000,
    .traits.reports_joints = true,
    .about.is_called = matches_name,
    .about.list = list_joints,
    .about.list_limits = list_limits,
    .about.read = read_joints,
    .about.print_extra = show_extra,
    .parse = parse_value,
    .run.check = check_send,
    .run.report = report,
    .run.add_play_result = ezphys_report_time,
    .run.open = ezphys_begin,
    .run.command = send_command,
    .run.attend = watch_joints,
    .run.end = end_motion,
    .run.now = get_now_ns,
};
