/* Parses ROS 2 message definitions, and decodes messages with them. */
#include "ros.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define DEPTH_MAX 12      /* max depth of nested types */
#define TEXT_MAX  256     /* max bytes of a string; the rest is skipped */
#define STEPS_MAX 1000000 /* limit per message, because lists of empty messages take no bytes */

enum kind { KIND_UINT, KIND_INT, KIND_FLOAT, KIND_STRING, KIND_MESSAGE };

static const struct {
    const char *name;
    uint8_t kind, size;
} primitives[] = {
    {"bool", KIND_UINT, 1},     {"byte", KIND_UINT, 1},     {"char", KIND_UINT, 1},
    {"uint8", KIND_UINT, 1},    {"uint16", KIND_UINT, 2},   {"uint32", KIND_UINT, 4},
    {"uint64", KIND_UINT, 8},   {"int8", KIND_INT, 1},      {"int16", KIND_INT, 2},
    {"int32", KIND_INT, 4},     {"int64", KIND_INT, 8},     {"float32", KIND_FLOAT, 4},
    {"float64", KIND_FLOAT, 8}, {"string", KIND_STRING, 0},
};

struct field {
    char name[64], type[96];
    uint8_t kind, size;
    bool is_list, is_sized; /* is_sized: has a fixed length, else a length prefix */
    uint32_t count;
    size_t message; /* index of the message if KIND_MESSAGE */
};

struct message {
    char name[96];
    size_t first, n; /* first field, number of fields */
};

struct aw_ros {
    struct message *messages;
    size_t n_messages, messages_capacity;
    struct field *fields;
    size_t n_fields, fields_capacity;
};

void aw_ros_free(struct aw_ros *ros)
{
    if (!ros)
        return;
    free(ros->messages);
    free(ros->fields);
    free(ros);
}

/* ---- The text ---- */

/* Shortens "pkg/msg/Name" to "pkg/Name". */
static void shorten_name(const char *name, char *out, size_t size)
{
    const char *middle = strstr(name, "/msg/");
    if (middle)
        snprintf(out, size, "%.*s%s", (int)(middle - name), name, middle + 4);
    else
        snprintf(out, size, "%s", name);
}

static enum aw_status add_message(struct aw_ros *ros, const char *name, struct aw_error *err)
{
    struct message *messages =
        aw_grow(ros->messages, &ros->messages_capacity, ros->n_messages + 1, sizeof *messages);
    if (!messages)
        return aw_no_memory(err);
    ros->messages = messages;
    struct message *message = &messages[ros->n_messages++];
    *message = (struct message){.first = ros->n_fields};
    shorten_name(name, message->name, sizeof message->name);
    return AW_OK;
}

/* Parses "[]", "[<=5]" or "[5]" after the type, and skips the bound of a string. */
static void read_list(struct field *field)
{
    char *list = strchr(field->type, '['), *bound;
    if (list) {
        field->is_list = true;
        field->is_sized = isdigit((unsigned char)list[1]);
        field->count = field->is_sized ? (uint32_t)strtoul(list + 1, NULL, 10) : 0;
        *list = '\0';
    }
    if ((bound = strstr(field->type, "<=")))
        *bound = '\0';
}

/* Parses a line without its comment: a field, a constant or nothing. */
static enum aw_status read_line(struct aw_ros *ros, const char *line, size_t length,
                                struct aw_error *err)
{
    char text[256];
    struct field field = {0};
    const char *comment = memchr(line, '#', length);
    length = comment ? (size_t)(comment - line) : length;
    snprintf(text, sizeof text, "%.*s", (int)length, line);
    int n_tokens = sscanf(text, "%95s %63s", field.type, field.name);
    if (n_tokens < 1)
        return AW_OK;
    const char *rest = strstr(text, field.name) + strlen(field.name);
    bool is_constant = strchr(field.name, '=') || rest[strspn(rest, " \t")] == '=';
    if (n_tokens == 2 && is_constant)
        return AW_OK;
    if (n_tokens < 2)
        return aw_fail(err, AW_USAGE, "'%.60s' is not a valid field — write TYPE NAME", field.type);
    read_list(&field);
    field.kind = KIND_MESSAGE;
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
        if (strcmp(primitives[i].name, field.type) == 0) {
            field.kind = primitives[i].kind;
            field.size = primitives[i].size;
        }
    struct field *fields =
        aw_grow(ros->fields, &ros->fields_capacity, ros->n_fields + 1, sizeof field);
    if (!fields)
        return aw_no_memory(err);
    ros->fields = fields;
    fields[ros->n_fields++] = field;
    ros->messages[ros->n_messages - 1].n++;
    return AW_OK;
}

static enum aw_status read_text(struct aw_ros *ros, const char *text, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    while (*text && status == AW_OK) {
        size_t length = strcspn(text, "\r\n");
        char name[128];
        if (length >= 3 && memcmp(text, "===", 3) == 0)
            status = AW_OK;
        else if (sscanf(text, "MSG: %127[^\r\n ]", name) == 1)
            status = add_message(ros, name, err);
        else
            status = read_line(ros, text, length, err);
        text += length;
        text += strspn(text, "\r\n");
    }
    return status;
}

/* Finds a message by its full name, or by its last part, which usually means the same package. */
static bool find_message(const struct aw_ros *ros, struct field *field)
{
    char name[96];
    shorten_name(field->type, name, sizeof name);
    for (size_t i = 0; i < ros->n_messages; i++) {
        const char *qualified = ros->messages[i].name, *last = strrchr(qualified, '/');
        if (strcmp(qualified, name) == 0 ||
            (!strchr(name, '/') && last && !strcmp(last + 1, name))) {
            field->message = i;
            return true;
        }
    }
    return false;
}

enum aw_status aw_ros_new(struct aw_ros **out, const char *name, const char *text,
                          struct aw_error *err)
{
    struct aw_ros *ros = calloc(1, sizeof *ros);
    struct aw_error problem = {.text = ""};
    *out = NULL;
    if (!ros)
        return aw_no_memory(err);
    enum aw_status status = add_message(ros, name, &problem);
    if (status == AW_OK)
        status = read_text(ros, text, &problem);
    for (size_t i = 0; i < ros->n_fields && status == AW_OK; i++)
        if (ros->fields[i].kind == KIND_MESSAGE && !find_message(ros, &ros->fields[i]))
            status = aw_fail(&problem, AW_USAGE,
                             "type '%.60s' not found — add its definition to the schema",
                             ros->fields[i].type);
    if (status == AW_OK) {
        *out = ros;
        return AW_OK;
    }
    aw_ros_free(ros);
    return aw_fail(err, status, "type %.80s: %.150s", name, problem.text);
}

/* ---- Messages ---- */

struct reader {
    const struct aw_ros *ros;
    struct aw_span data;
    size_t at; /* position after the byte order */
    bool swapped, failed;
    unsigned steps;
    aw_ros_value_fn *add_value;
    void *context;
    char path[AW_ROS_PATH];
};

static const uint8_t *take_bytes(struct reader *r, size_t align, size_t size)
{
    size_t gap = align ? (align - r->at % align) % align : 0;
    r->failed = r->failed || gap > r->data.size - r->at || size > r->data.size - r->at - gap;
    if (r->failed)
        return NULL;
    const uint8_t *p = r->data.data + r->at + gap;
    r->at += gap + size;
    return p;
}

static uint64_t read_bits(struct reader *r, size_t size)
{
    const uint8_t *p = take_bytes(r, size, size);
    uint64_t value = 0;
    for (size_t i = 0; p && i < size; i++)
        value |= (uint64_t)p[r->swapped ? size - 1 - i : i] << 8 * i;
    return value;
}

static double read_number(struct reader *r, const struct field *field)
{
    uint64_t bits = read_bits(r, field->size);
    unsigned unused = 64 - 8u * field->size;
    if (field->kind == KIND_UINT)
        return (double)bits;
    if (field->kind == KIND_INT)
        return (double)((int64_t)(bits << unused) >> unused);
    if (field->size == 4) {
        uint32_t bits32 = (uint32_t)bits;
        float value;
        memcpy(&value, &bits32, sizeof value);
        return value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void read_string(struct reader *r)
{
    char text[TEXT_MAX];
    size_t size = (size_t)read_bits(r, 4);
    const uint8_t *p = take_bytes(r, 1, size);
    if (!p)
        return;
    snprintf(text, sizeof text, "%.*s", (int)(size < TEXT_MAX ? size : TEXT_MAX), (const char *)p);
    r->add_value(r->context, r->path, NAN, text);
}

static void read_message(struct reader *r, size_t number, int depth);

static void read_element(struct reader *r, const struct field *field, int depth)
{
    if (++r->steps > STEPS_MAX)
        r->failed = true;
    if (r->failed)
        return;
    if (field->kind == KIND_MESSAGE) {
        read_message(r, field->message, depth + 1);
    } else if (field->kind == KIND_STRING) {
        read_string(r);
    } else {
        double number = read_number(r, field);
        if (!r->failed)
            r->add_value(r->context, r->path, isfinite(number) ? number : (double)NAN, NULL);
    }
}

static void read_field(struct reader *r, const struct field *field, int depth)
{
    size_t path_length = strlen(r->path);
    snprintf(r->path + path_length, sizeof r->path - path_length, "%s%s", path_length ? "." : "",
             field->name);
    if (!field->is_list) {
        read_element(r, field, depth);
    } else {
        uint64_t count = field->is_sized ? field->count : read_bits(r, 4);
        size_t name = strlen(r->path);
        for (uint64_t i = 0; i < count && !r->failed; i++) {
            snprintf(r->path + name, sizeof r->path - name, ".%u", (unsigned)i);
            read_element(r, field, depth);
        }
    }
    r->path[path_length] = '\0';
}

/* A message without fields has one padding byte. */
static void read_message(struct reader *r, size_t number, int depth)
{
    const struct message *message = &r->ros->messages[number];
    r->failed = r->failed || depth > DEPTH_MAX;
    if (message->n == 0)
        take_bytes(r, 1, 1);
    for (size_t i = 0; i < message->n && !r->failed; i++)
        read_field(r, &r->ros->fields[message->first + i], depth);
}

enum aw_status aw_ros_values(const struct aw_ros *ros, struct aw_span data,
                             aw_ros_value_fn *add_value, void *context, struct aw_error *err)
{
    enum { HEAD = 4 };
    struct reader r = {.ros = ros, .add_value = add_value, .context = context};
    if (data.size < HEAD || data.data[0] != 0 || data.data[1] > 1)
        return aw_fail(err, AW_MALFORMED, "%.80s: not CDR-encoded — record with the CDR encoding",
                       ros->messages->name);
    r.swapped = data.data[1] == 0;
    r.data = (struct aw_span){data.data + HEAD, data.size - HEAD};
    read_message(&r, 0, 0);
    return r.failed ? aw_fail(err, AW_MALFORMED,
                              "%.80s: truncated, or not of this type — check the schema",
                              ros->messages->name)
                    : AW_OK;
}
