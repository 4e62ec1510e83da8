/* Parses scene files and checks what they describe. */
#include "protocol/ezphys/scene.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/utf8.h"

#define COUNT(a)  (sizeof(a) / sizeof *(a))
#define LIMIT_M   1e5 /* limit of positions and speeds; beyond it single precision is too coarse */
#define ID_MAX    65535
#define NAMES_MAX (AW_SCENE_BODIES_MAX + 1)

struct token {
    const char *start;
    size_t size; /* 0: end of the text */
    unsigned line, column;
};

/* Reads tokens. One in the first column starts a statement; all others continue it. */
struct reader {
    const char *name;
    const char *next, *end, *line_start;
    unsigned line;
    struct token token; /* the next token */
    struct aw_scene *scene;
    struct aw_error *err;
};

struct attribute {
    const char *name;
    enum aw_status (*read)(struct reader *reader, const struct attribute *row, void *object);
    size_t offset;    /* offset in the object */
    unsigned count;   /* number of values */
    unsigned axis;    /* index of the axis, from 0 */
    const char *unit; /* NULL: none */
    double min, max;
};

/* ---- Tokens ---------------------------------------------------------------------------------- */

static void skip_to_token(struct reader *r)
{
    while (r->next < r->end) {
        if (*r->next == '\n') {
            r->line++;
            r->line_start = ++r->next;
        } else if (*r->next == '#') {
            while (r->next < r->end && *r->next != '\n')
                r->next++;
        } else if (strchr(" \t\r", *r->next) && *r->next) {
            r->next++;
        } else {
            return;
        }
    }
}

static bool ends_token(char c)
{
    return c && strchr(" \t\r\n#", c);
}

static void next_token(struct reader *r)
{
    skip_to_token(r);
    r->token = (struct token){r->next, 0, r->line, (unsigned)(r->next - r->line_start) + 1};
    while (r->next < r->end && !ends_token(*r->next))
        r->next++;
    r->token.size = (size_t)(r->next - r->token.start);
}

static bool is_in_statement(const struct reader *r)
{
    return r->token.size > 0 && r->token.column > 1;
}

/* Copies a token as text; replaces unprintable characters with question marks. */
static const char *copy_token(const struct token *token, char *out, size_t size)
{
    size_t n = token->size < size - 1 ? token->size : size - 1;
    for (size_t i = 0; i < n; i++)
        out[i] = isgraph((unsigned char)token->start[i]) ? token->start[i] : '?';
    out[n] = '\0';
    return out;
}

static enum aw_status fail_at(const struct reader *r, const struct token *token,
                              enum aw_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static enum aw_status fail_at(const struct reader *r, const struct token *token,
                              enum aw_status status, const char *format, ...)
{
    char text[240];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return aw_fail(r->err, status, "%.60s:%u:%u: %s", r->name, token->line, token->column, text);
}

static enum aw_status fail_unknown(const struct reader *r, const char *kind,
                                   const char *const *names, size_t n)
{
    const struct token *token = &r->token;
    char text[40], list[160], advice[180];
    copy_token(token, text, sizeof text);
    aw_join(list, sizeof list, " ", names, n);
    snprintf(advice, sizeof advice, "use one of: %s", list);
    return aw_fail_unknown(r->err, aw_suggest(text, names, n), advice,
                           "%.60s:%u:%u: unknown %s '%s'", r->name, token->line, token->column,
                           kind, text);
}

/* Returns the index of the next token in the names; -1: not found. */
static int find_name(const struct reader *r, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(names[i]) == r->token.size &&
            memcmp(names[i], r->token.start, r->token.size) == 0)
            return (int)i;
    return -1;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static enum aw_status read_number(struct reader *r, const char *unit, double min, double max,
                                  double *value)
{
    char text[40];
    struct aw_error problem;
    if (!is_in_statement(r))
        return fail_at(r, &r->token, AW_USAGE, "missing number here%s%s%s", unit ? " (in " : "",
                       unit ? unit : "", unit ? ")" : "");
    enum aw_status status =
        aw_number_parse_unit(copy_token(&r->token, text, sizeof text), unit, value, &problem);
    if (status != AW_OK)
        return fail_at(r, &r->token, status, "%s", problem.text);
    if (*value < min || *value > max)
        return fail_at(r, &r->token, AW_LIMIT, "%g is out of range (%g to %g%s%s)", *value, min,
                       max, unit ? " " : "", unit ? unit : "");
    next_token(r);
    return AW_OK;
}

static void *get_member(void *object, const struct attribute *row)
{
    return (char *)object + row->offset;
}

static enum aw_status read_numbers(struct reader *r, const struct attribute *row, void *object)
{
    double *values = get_member(object, row);
    enum aw_status status = AW_OK;
    for (unsigned i = 0; i < row->count && status == AW_OK; i++)
        status = read_number(r, row->unit, row->min, row->max, &values[i]);
    return status;
}

static enum aw_status read_switch(struct reader *r, const struct attribute *row, void *object)
{
    static const char *const names[] = {"off", "on"};
    int index = is_in_statement(r) ? find_name(r, names, COUNT(names)) : -1;
    if (index < 0)
        return fail_at(r, &r->token, AW_USAGE, "%s: invalid value — write on or off", row->name);
    *(bool *)get_member(object, row) = index;
    next_token(r);
    return AW_OK;
}

static enum aw_status read_id(struct reader *r, const struct attribute *row, void *object)
{
    double value;
    struct token token = r->token;
    enum aw_status status = read_number(r, NULL, 1, ID_MAX, &value);
    if (status == AW_OK && value != floor(value))
        return fail_at(r, &token, AW_USAGE, "%g is not a whole number — give an id from 1 to %d",
                       value, ID_MAX);
    if (status == AW_OK)
        *(uint32_t *)get_member(object, row) = (uint32_t)value;
    return status;
}

static double dot_product(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double get_length(const double v[3])
{
    return sqrt(dot_product(v, v));
}

/* Reads three numbers and normalises them to a unit vector. */
static enum aw_status read_direction(struct reader *r, double out[3])
{
    struct token token = r->token;
    enum aw_status status = AW_OK;
    for (int i = 0; i < 3 && status == AW_OK; i++)
        status = read_number(r, NULL, -LIMIT_M, LIMIT_M, &out[i]);
    double length = get_length(out);
    if (status == AW_OK && length < 1e-9)
        return fail_at(r, &token, AW_USAGE, "axis has length 0 — write one such as 0 0 1");
    for (int i = 0; i < 3 && status == AW_OK; i++)
        out[i] /= length;
    return status;
}

static enum aw_status read_normal(struct reader *r, const struct attribute *row, void *object)
{
    return read_direction(r, get_member(object, row));
}

static enum aw_status read_rotation(struct reader *r, const struct attribute *row, void *object)
{
    double axis[3] = {0}, angle = 0;
    double *q = get_member(object, row);
    enum aw_status status = read_direction(r, axis);
    if (status == AW_OK)
        status = read_number(r, "rad", -LIMIT_M, LIMIT_M, &angle);
    q[0] = cos(angle / 2);
    for (int i = 0; i < 3; i++)
        q[i + 1] = sin(angle / 2) * axis[i];
    return status;
}

/* clang-format off */
static const char *const kind_names[] = {
    [AW_SCENE_FIXED] = "fixed", [AW_SCENE_HINGE] = "hinge", [AW_SCENE_SLIDER] = "slider",
    [AW_SCENE_UNIVERSAL] = "universal", [AW_SCENE_HINGE2] = "hinge2", [AW_SCENE_BALL] = "ball",
};
static const unsigned kind_axes[] = {
    [AW_SCENE_FIXED] = 0, [AW_SCENE_HINGE] = 1, [AW_SCENE_SLIDER] = 1,
    [AW_SCENE_UNIVERSAL] = 2, [AW_SCENE_HINGE2] = 2, [AW_SCENE_BALL] = 3,
};
/* clang-format on */

/* ---- Axes of joints -------------------------------------------------------------------------- */

static enum aw_status check_axis(const struct reader *r, const struct attribute *row,
                                 const struct aw_scene_joint *joint)
{
    unsigned axes = aw_scene_count_axes(joint->kind);
    if (row->axis < axes)
        return AW_OK;
    return fail_at(r, &r->token, AW_USAGE, "%s: a %s joint has %u %s — remove it", row->name,
                   kind_names[joint->kind], axes, axes == 1 ? "axis" : "axes");
}

static enum aw_status read_axis(struct reader *r, const struct attribute *row, void *object)
{
    struct aw_scene_joint *joint = object;
    enum aw_status status = check_axis(r, row, joint);
    return status == AW_OK ? read_direction(r, joint->axis[row->axis]) : status;
}

static enum aw_status read_stops(struct reader *r, const struct attribute *row, void *object)
{
    struct aw_scene_joint *joint = object;
    const char *unit = joint->kind == AW_SCENE_SLIDER ? "m" : "rad";
    double *low = &joint->low[row->axis], *high = &joint->high[row->axis];
    struct token token = r->token;
    enum aw_status status = check_axis(r, row, joint);
    if (status == AW_OK)
        status = read_number(r, unit, -LIMIT_M, LIMIT_M, low);
    if (status == AW_OK)
        status = read_number(r, unit, -LIMIT_M, LIMIT_M, high);
    if (status == AW_OK && *low > *high)
        return fail_at(r, &token, AW_USAGE,
                       "stops %g and %g are reversed — write the lower one first", *low, *high);
    return status;
}

static enum aw_status read_motor(struct reader *r, const struct attribute *row, void *object)
{
    struct aw_scene_joint *joint = object;
    bool slides = joint->kind == AW_SCENE_SLIDER;
    enum aw_status status = check_axis(r, row, joint);
    if (status == AW_OK)
        status = read_number(r, slides ? "m/s" : "rad/s", -1e4, 1e4, &joint->velocity[row->axis]);
    if (status == AW_OK)
        status = read_number(r, slides ? "N" : "Nm", 0, 1e6, &joint->max_torque[row->axis]);
    return status;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* clang-format off */
#define BODY(member)  offsetof(struct aw_scene_body, member)
#define JOINT(member) offsetof(struct aw_scene_joint, member)
#define SCENE(member) offsetof(struct aw_scene, member)
#define NUMBERS(n, member) .read = read_numbers, .offset = (member), .count = (n)

static const struct attribute body_rows[] = {
    {.name = "mass", NUMBERS(1, BODY(mass_kg)), .unit = "kg", .min = 1e-6, .max = 1e6},
    {.name = "density", NUMBERS(1, BODY(density_kg_m3)), .unit = "kg/m3", .min = 1e-3, .max = 1e5},
    {.name = "at", NUMBERS(3, BODY(position_m)), .unit = "m", .min = -LIMIT_M, .max = LIMIT_M},
    {.name = "turn", .read = read_rotation, .offset = BODY(rotation)},
    {.name = "velocity", NUMBERS(3, BODY(velocity_m_s)), .unit = "m/s", .min = -1e4, .max = 1e4},
    {.name = "spin", NUMBERS(3, BODY(spin_rad_s)), .unit = "rad/s", .min = -1e3, .max = 1e3},
    {.name = "send", .read = read_switch, .offset = BODY(send)},
    {.name = "collide", .read = read_switch, .offset = BODY(collide)},
    {.name = "id", .read = read_id, .offset = BODY(id)},
    {0},
};

static const struct attribute joint_rows[] = {
    {.name = "anchor", NUMBERS(3, JOINT(anchor_m)), .unit = "m", .min = -LIMIT_M, .max = LIMIT_M},
    {.name = "axis", .read = read_axis, .axis = 0},
    {.name = "axis2", .read = read_axis, .axis = 1},
    {.name = "axis3", .read = read_axis, .axis = 2},
    {.name = "stops", .read = read_stops, .axis = 0},
    {.name = "stops2", .read = read_stops, .axis = 1},
    {.name = "stops3", .read = read_stops, .axis = 2},
    {.name = "motor", .read = read_motor, .axis = 0},
    {.name = "motor2", .read = read_motor, .axis = 1},
    {.name = "motor3", .read = read_motor, .axis = 2},
    {.name = "send", .read = read_switch, .offset = JOINT(send)},
    {.name = "feedback", .read = read_switch, .offset = JOINT(feedback)},
    {.name = "receive", .read = read_switch, .offset = JOINT(receive)},
    {.name = "id", .read = read_id, .offset = JOINT(id)},
    {0},
};

static const struct attribute ground_rows[] = {
    {.name = "normal", .read = read_normal, .offset = SCENE(ground_normal)},
    {.name = "offset", NUMBERS(1, SCENE(ground_offset_m)), .unit = "m", .min = -LIMIT_M,
     .max = LIMIT_M},
    {0},
};

static const struct attribute contact_rows[] = {
    {.name = "friction", NUMBERS(1, SCENE(contact.friction)), .min = 0, .max = 1e6},
    {.name = "bounce", NUMBERS(1, SCENE(contact.bounce)), .min = 0, .max = 1},
    {.name = "erp", NUMBERS(1, SCENE(contact.erp)), .min = 0, .max = 1},
    {.name = "cfm", NUMBERS(1, SCENE(contact.cfm)), .min = 0, .max = 1},
    {0},
};

static const struct attribute solver_rows[] = {
    {.name = "erp", NUMBERS(1, SCENE(solver.erp)), .min = 0, .max = 1},
    {.name = "cfm", NUMBERS(1, SCENE(solver.cfm)), .min = 0, .max = 1},
    {0},
};

static const struct attribute gravity_row =
    {NUMBERS(3, SCENE(gravity_m_s2)), .unit = "m/s2", .min = -1e3, .max = 1e3};
static const struct attribute step_row =
    {NUMBERS(1, SCENE(step_s)), .unit = "s", .min = 1e-6, .max = 1};

static const char *const shape_names[] = {
    [AW_SCENE_BOX] = "box", [AW_SCENE_SPHERE] = "sphere",
    [AW_SCENE_CAPSULE] = "capsule", [AW_SCENE_CYLINDER] = "cylinder",
};
static const unsigned shape_sizes[] = {
    [AW_SCENE_BOX] = 3, [AW_SCENE_SPHERE] = 1, [AW_SCENE_CAPSULE] = 2, [AW_SCENE_CYLINDER] = 2,
};
/* clang-format on */

unsigned aw_scene_count_axes(enum aw_scene_kind kind)
{
    return kind_axes[kind];
}

/* ---- Statements ------------------------------------------------------------------------------ */

static enum aw_status read_attribute(struct reader *r, const struct attribute *rows, void *object,
                                     uint32_t *seen)
{
    for (unsigned i = 0; rows[i].name; i++) {
        if (find_name(r, &rows[i].name, 1) < 0)
            continue;
        if (*seen & 1u << i)
            return fail_at(r, &r->token, AW_USAGE, "%s is given twice — remove one", rows[i].name);
        *seen |= 1u << i;
        next_token(r);
        return rows[i].read(r, &rows[i], object);
    }
    const char *names[20];
    size_t n = 0;
    for (; rows[n].name && n < COUNT(names); n++)
        names[n] = rows[n].name;
    return fail_unknown(r, "attribute", names, n);
}

/* Reads all attributes up to the end of the statement. */
static enum aw_status read_attributes(struct reader *r, const struct attribute *rows, void *object)
{
    enum aw_status status = AW_OK;
    uint32_t seen = 0;
    while (status == AW_OK && is_in_statement(r))
        status = read_attribute(r, rows, object, &seen);
    return status;
}

static bool is_name_used(const struct aw_scene *scene, const char *name)
{
    for (size_t i = 0; i < scene->n_bodies; i++)
        if (strcmp(scene->bodies[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < scene->n_joints; i++)
        if (strcmp(scene->joints[i].name, name) == 0)
            return true;
    return strcmp(name, "world") == 0;
}

static enum aw_status read_name(struct reader *r, const char *kind, char *out)
{
    const struct token *token = &r->token;
    if (!is_in_statement(r))
        return fail_at(r, token, AW_USAGE, "missing name here — write: %s NAME …", kind);
    if (token->size > AW_SCENE_NAME_MAX)
        return fail_at(r, token, AW_USAGE, "name longer than %d characters — shorten it",
                       AW_SCENE_NAME_MAX);
    for (size_t i = 0; i < token->size; i++)
        if (!isalnum((unsigned char)token->start[i]) && !strchr("_-.", token->start[i]))
            return fail_at(r, token, AW_USAGE, "invalid name — use letters, digits, _ - and .");
    copy_token(token, out, AW_SCENE_NAME_MAX + 1);
    if (isdigit((unsigned char)*out))
        return fail_at(r, token, AW_USAGE, "%s: invalid name — do not start it with a digit", out);
    char name[AW_SCENE_NAME_MAX + 1];
    memcpy(name, out, sizeof name);
    *out = '\0';
    if (is_name_used(r->scene, name))
        return fail_at(r, token, AW_USAGE, "duplicate name %s — give each object its own", name);
    memcpy(out, name, sizeof name);
    next_token(r);
    return AW_OK;
}

static enum aw_status read_choice(struct reader *r, const char *kind, const char *const *names,
                                  size_t n, int *index)
{
    *index = is_in_statement(r) ? find_name(r, names, n) : -1;
    if (*index < 0)
        return fail_unknown(r, kind, names, n);
    next_token(r);
    return AW_OK;
}

static enum aw_status fail_duplicate_id(const struct reader *r, const struct token *token,
                                        uint32_t id)
{
    return fail_at(r, token, AW_USAGE, "duplicate id %u — write another id: id N", (unsigned)id);
}

static enum aw_status read_shape(struct reader *r, struct aw_scene_body *body)
{
    int shape;
    enum aw_status status = read_choice(r, "shape", shape_names, COUNT(shape_names), &shape);
    if (shape < 0)
        return status;
    body->shape = (enum aw_scene_shape)shape;
    for (unsigned i = 0; i < shape_sizes[shape] && status == AW_OK; i++)
        status = read_number(r, "m", 1e-4, 1e3, &body->size_m[i]);
    return status;
}

static enum aw_status read_body(struct reader *r)
{
    struct aw_scene *scene = r->scene;
    struct token start = r->token;
    if (scene->n_bodies == AW_SCENE_BODIES_MAX)
        return fail_at(r, &start, AW_LIMIT, "more than %d bodies — remove some",
                       AW_SCENE_BODIES_MAX);
    struct aw_scene_body *body = &scene->bodies[scene->n_bodies];
    *body = (struct aw_scene_body){.rotation = {1}, .send = true, .collide = true};
    enum aw_status status = read_name(r, "body", body->name);
    scene->n_bodies++;
    body->id = (uint32_t)scene->n_bodies;
    if (status == AW_OK)
        status = read_shape(r, body);
    if (status == AW_OK)
        status = read_attributes(r, body_rows, body);
    if (status != AW_OK)
        return status;
    if ((body->mass_kg > 0) == (body->density_kg_m3 > 0))
        return fail_at(r, &start, AW_USAGE,
                       "body %s: must have either a mass or a density — add or remove one",
                       body->name);
    for (struct aw_scene_body *other = scene->bodies; other < body; other++)
        if (other->id == body->id)
            return fail_duplicate_id(r, &start, body->id);
    return AW_OK;
}

static enum aw_status read_partner(struct reader *r, int *index)
{
    const struct aw_scene *scene = r->scene;
    const char *names[NAMES_MAX];
    size_t n = 0;
    for (; n < scene->n_bodies; n++)
        names[n] = scene->bodies[n].name;
    names[n++] = "world";
    enum aw_status status = read_choice(r, "body", names, n, index);
    if (status == AW_OK && (size_t)*index == scene->n_bodies)
        *index = AW_SCENE_WORLD;
    return status;
}

static enum aw_status read_partners(struct reader *r, struct aw_scene_joint *joint)
{
    struct token token = r->token;
    enum aw_status status = read_partner(r, &joint->body[0]);
    if (status == AW_OK)
        status = read_partner(r, &joint->body[1]);
    if (status == AW_OK && joint->body[0] == joint->body[1])
        return fail_at(r, &token, AW_USAGE,
                       "joint connects a body to itself — name two different bodies");
    if (status == AW_OK && joint->body[0] == AW_SCENE_WORLD)
        return fail_at(r, &token, AW_USAGE, "world must come second — write the body first");
    if (status == AW_OK && joint->kind == AW_SCENE_HINGE2 && joint->body[1] == AW_SCENE_WORLD)
        return fail_at(r, &token, AW_USAGE, "a hinge2 joint needs two bodies — do not use world");
    return status;
}

static bool is_nearly_parallel(const double a[3], const double b[3])
{
    double cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                       a[0] * b[1] - a[1] * b[0]};
    return get_length(cross) < 1e-3;
}

/* Checks that the joint has its axes and anchor, and that no axes are parallel. The second axis of
 * a ball joint follows from the other two. An axis that is not given has length 0; a needed anchor
 * is NaN. */
static enum aw_status check_axes(const struct reader *r, const struct token *start,
                                 const struct aw_scene_joint *joint)
{
    static const char *const names[] = {"axis", "axis2", "axis3"};
    bool is_ball = joint->kind == AW_SCENE_BALL;
    unsigned axes = aw_scene_count_axes(joint->kind);
    if (is_ball && get_length(joint->axis[1]) > 0)
        return fail_at(r, start, AW_USAGE,
                       "joint %s: axis2 of a ball joint follows from axis and axis3 — remove it",
                       joint->name);
    for (unsigned i = 0; i < axes; i++)
        if (!(get_length(joint->axis[i]) > 0) && !(is_ball && i == 1))
            return fail_at(r, start, AW_USAGE, "joint %s: %s is missing — write %s X Y Z",
                           joint->name, names[i], names[i]);
    if (axes > 1 && is_nearly_parallel(joint->axis[0], joint->axis[axes - 1]))
        return fail_at(r, start, AW_USAGE, "joint %s: axis and %s are parallel — change one",
                       joint->name, names[axes - 1]);
    if (is_ball && fabs(dot_product(joint->axis[0], joint->axis[2])) > 1e-6)
        return fail_at(r, start, AW_USAGE,
                       "joint %s: axis and axis3 are not at right angles — change axis3",
                       joint->name);
    if (isnan(joint->anchor_m[0]))
        return fail_at(r, start, AW_USAGE, "joint %s: anchor is missing — write anchor X Y Z",
                       joint->name);
    return AW_OK;
}

static struct aw_scene_joint *init_joint(struct aw_scene *scene)
{
    struct aw_scene_joint *joint = &scene->joints[scene->n_joints];
    *joint = (struct aw_scene_joint){.send = true, .feedback = true, .receive = true};
    for (int i = 0; i < AW_SCENE_AXES; i++) {
        joint->low[i] = -INFINITY;
        joint->high[i] = INFINITY;
    }
    return joint;
}

static enum aw_status read_joint(struct reader *r)
{
    struct aw_scene *scene = r->scene;
    struct token start = r->token;
    int kind;
    if (scene->n_joints == AW_SCENE_JOINTS_MAX)
        return fail_at(r, &start, AW_LIMIT, "more than %d joints — remove some",
                       AW_SCENE_JOINTS_MAX);
    struct aw_scene_joint *joint = init_joint(scene);
    enum aw_status status = read_name(r, "joint", joint->name);
    scene->n_joints++;
    joint->id = (uint32_t)scene->n_joints;
    if (status == AW_OK)
        status = read_choice(r, "kind of joint", kind_names, COUNT(kind_names), &kind);
    if (status != AW_OK)
        return status;
    joint->kind = (enum aw_scene_kind)kind;
    if (kind != AW_SCENE_FIXED && kind != AW_SCENE_SLIDER)
        joint->anchor_m[0] = NAN; /* until it is given */
    status = read_partners(r, joint);
    if (status == AW_OK)
        status = read_attributes(r, joint_rows, joint);
    if (status == AW_OK)
        status = check_axes(r, &start, joint);
    for (struct aw_scene_joint *other = scene->joints; other < joint && status == AW_OK; other++)
        if (other->id == joint->id)
            status = fail_duplicate_id(r, &start, joint->id);
    return status;
}

static enum aw_status read_ground(struct reader *r)
{
    r->scene->has_ground = true;
    return read_attributes(r, ground_rows, r->scene);
}

static enum aw_status read_title(struct reader *r)
{
    char *out = r->scene->title, token[80];
    *out = '\0';
    for (; is_in_statement(r); next_token(r))
        aw_append(out, sizeof r->scene->title, " ", "%s",
                  copy_token(&r->token, token, sizeof token));
    return AW_OK;
}

/* clang-format off */
static const struct statement {
    const char *name;
    enum aw_status (*read)(struct reader *reader);
    /* read NULL: attributes of the scene, or its numbers */
    const struct attribute *rows, *numbers;
} statements[] = {
    {"title", .read = read_title},
    {"gravity", .numbers = &gravity_row},
    {"step", .numbers = &step_row},
    {"ground", .read = read_ground},
    {"contact", .rows = contact_rows},
    {"solver", .rows = solver_rows},
    {"body", .read = read_body},
    {"joint", .read = read_joint},
};
/* clang-format on */

static enum aw_status read_statement(struct reader *r)
{
    const char *names[COUNT(statements)];
    for (size_t i = 0; i < COUNT(statements); i++)
        names[i] = statements[i].name;
    int index = find_name(r, names, COUNT(names));
    if (r->token.column > 1)
        return fail_at(r, &r->token, AW_USAGE,
                       "unexpected token — begin each statement in the first column");
    if (index < 0)
        return fail_unknown(r, "statement", names, COUNT(names));
    next_token(r);
    const struct statement *statement = &statements[index];
    if (statement->read)
        return statement->read(r);
    return statement->rows ? read_attributes(r, statement->rows, r->scene)
                           : read_numbers(r, statement->numbers, r->scene);
}

enum aw_status aw_scene_parse(struct aw_scene *scene, const char *name, const char *text,
                              size_t size, struct aw_error *err)
{
    const char *start = text + (size > 2 ? aw_utf8_bom_size(text) : 0);
    struct reader r = {.name = name,
                       .next = start,
                       .end = text + size,
                       .line_start = start,
                       .line = 1,
                       .scene = scene,
                       .err = err};
    enum aw_status status = AW_OK;
    memset(scene, 0, sizeof *scene);
    scene->gravity_m_s2[2] = -9.81;
    scene->step_s = 0.01;
    scene->solver.erp = 0.2;
    scene->solver.cfm = 1e-10;
    scene->ground_normal[2] = 1;
    scene->contact.friction = 0.8;
    scene->contact.erp = 0.2;
    scene->contact.cfm = 1e-5;
    next_token(&r);
    while (status == AW_OK && r.token.size > 0)
        status = read_statement(&r);
    if (status == AW_OK && scene->n_bodies == 0)
        return fail_at(&r, &r.token, AW_USAGE,
                       "empty scene — write a body, such as: body ball sphere 0.1 mass 1");
    return status;
}
