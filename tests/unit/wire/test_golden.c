/* Runs the golden cases of tests/golden against the library: each command line must yield the
 * bytes, and the bytes the record. */
#include <ctype.h>

#include <jansson.h>

#include "protocols.h"

#include "wire_helper.h"

enum { WORDS_MAX = 80, LINE_CAP = 4096 };

struct golden {
    char command[LINE_CAP], bytes[LINE_CAP], record[LINE_CAP];
    int line;
};

/* The parsed command of a case. */
struct words {
    bool encodes;
    enum aw_dir dir;
    const char *message;
    struct aw_pair pairs[WORDS_MAX];
    size_t n;
};

static struct aw_wire wire;

static bool read_line(FILE *file, char *line, int *number)
{
    if (!fgets(line, LINE_CAP, file))
        return false;
    line[strcspn(line, "\n")] = '\0';
    ++*number;
    return true;
}

static bool read_case(FILE *file, struct golden *golden, int *line)
{
    do
        if (!read_line(file, golden->command, line))
            return false;
    while (golden->command[0] == '#' || golden->command[0] == '\0');
    golden->line = *line;
    return read_line(file, golden->bytes, line) && read_line(file, golden->record, line);
}

/* Selects a variant by a text such as "le32,long=8", "fw" or "compat38". */
static void choose_variant(const struct aw_protocol *protocol, const char *text)
{
    char name[32];
    size_t length = strcspn(text, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    const struct aw_variant *found = aw_protocol_variant(protocol, name);
    assert_non_null(found);
    struct aw_variant variant = *found;
    variant.long_bits = strstr(text, "long=8") ? 64 : 0;
    aw_wire_init(&wire, protocol, &variant, false);
}

static void take_apart(const struct aw_protocol *protocol, char *command, struct words *words)
{
    char *save = NULL, *word = strtok_r(command, " ", &save);
    *words = (struct words){.encodes = strcmp(word, "encode") == 0, .dir = 0};
    aw_wire_init(&wire, protocol, NULL, false);
    while ((word = strtok_r(NULL, " ", &save)) != NULL) {
        char *equals = strchr(word, '=');
        if (strcmp(word, "--dir") == 0) {
            words->dir = strcmp(strtok_r(NULL, " ", &save), "rx") == 0 ? AW_RX : AW_TX;
        } else if (word[0] == '-') {
            choose_variant(protocol, strtok_r(NULL, " ", &save));
        } else if (equals) {
            *equals = '\0';
            words->pairs[words->n++] = (struct aw_pair){word, equals + 1};
        } else {
            words->message = word;
        }
    }
}

static enum aw_status run_encode(const struct words *words, char *hex, struct aw_error *err)
{
    uint8_t bytes[FRAME_CAP];
    size_t size;
    struct aw_record record;
    enum aw_dir dir = words->dir ? words->dir : AW_TX;
    const struct aw_codec *codec = aw_wire_codec(&wire, words->message, dir);
    if (!codec)
        return aw_fail(err, AW_USAGE, "no message %s", words->message);
    aw_record_init(&record, codec, dir);
    enum aw_status status = aw_record_set_pairs(&record, words->pairs, words->n, err);
    if (status == AW_OK)
        status = aw_encode(&record, false, bytes, sizeof bytes, &size, err);
    if (status != AW_OK)
        return status;
    size = aw_wire_wrap(&wire, bytes, size, sizeof bytes);
    aw_hex_print(wire.protocol, (struct aw_span){bytes, size}, hex);
    return AW_OK;
}

/* Removes an envelope as for a stream. */
static enum aw_status run_decode(const char *hex, enum aw_dir dir, uint8_t *bytes,
                                 struct aw_record *record, struct aw_error *err)
{
    struct aw_span frame = {.data = bytes};
    enum aw_status status =
        aw_hex_parse(wire.protocol, hex, strlen(hex), bytes, FRAME_CAP, &frame.size, err);
    struct aw_framer framer = {.dir = dir};
    size_t used;
    if (status == AW_OK && wire.variant.envelope)
        status = aw_wire_next(&wire, &framer, frame, &frame, &used, err);
    return status == AW_OK ? aw_wire_decode(&wire, dir, frame, record, err) : status;
}

static json_t *expected_value(json_t *object, const struct aw_scalar *scalar)
{
    json_t *owner = scalar->label ? json_object_get(object, scalar->label) : object;
    return json_object_get(owner, scalar->field->name);
}

static const char *name_of_value(const struct aw_field *row, double value)
{
    for (const struct aw_name *name = row->names; name && name->name; name++)
        if (name->value == value)
            return name->name;
    return NULL;
}

/* Returns half the resolution of the last printed digit. */
static double resolution(const struct aw_record *record, int scalar, double value)
{
    const struct aw_field *row = record->codec->scalars[scalar].field;
    if (row->type == AW_FLOAT)
        return fabs(value) * 1e-7;
    return row->scale == floor(row->scale) ? 0 : row->scale * 0.5;
}

static bool is_same(const struct aw_record *record, int scalar, json_t *expected)
{
    const struct aw_field *row = record->codec->scalars[scalar].field;
    double value = record->v[scalar];
    if (row->type == AW_TEXT)
        return json_is_string(expected) && strcmp(json_string_value(expected), record->text) == 0;
    if (isnan(value))
        return json_is_null(expected);
    const char *name = name_of_value(row, value);
    if (name)
        return json_is_string(expected) && strcmp(json_string_value(expected), name) == 0;
    return json_is_number(expected) &&
           fabs(json_number_value(expected) - value) <= resolution(record, scalar, value);
}

static size_t count_values(json_t *object)
{
    const char *key;
    json_t *value;
    size_t n = 0;
    json_object_foreach(object, key, value)
    {
        n += json_is_object(value) ? count_values(value) : 1;
    }
    return n;
}

static void assert_record(const struct golden *golden, const struct aw_record *record, json_t *json)
{
    size_t n = 2;                     /* dir and msg */
    json_object_del(json, "anomaly"); /* added by the shell: not a field of the frame, */
    json_object_del(json, "axis");    /* like this one, which depends on the order of packets */
    const char *message = json_string_value(json_object_get(json, "msg"));
    const char *dir = json_string_value(json_object_get(json, "dir"));
    assert_string_equal(message, record->codec->message->name);
    assert_string_equal(dir, record->dir == AW_TX ? "tx" : "rx");
    for (int i = 0; i < record->codec->n_scalars; i++) {
        char name[64];
        if (!(record->present >> i & 1))
            continue;
        n++;
        aw_scalar_name(&record->codec->scalars[i], name, sizeof name);
        if (!is_same(record, i, expected_value(json, &record->codec->scalars[i])))
            fail_msg("line %d: %s is %.9g", golden->line, name, record->v[i]);
    }
    assert_int_equal(n, count_values(json));
}

static void check_refusal(const struct golden *golden, const struct words *words)
{
    char hex[AW_HEX_SIZE(FRAME_CAP)];
    uint8_t bytes[FRAME_CAP];
    struct aw_record record;
    struct aw_error err = {0};
    int expected = atoi(golden->record + 5);
    int status = words->encodes ? (int)run_encode(words, hex, &err)
                                : (int)run_decode(golden->bytes, words->dir ? words->dir : AW_RX,
                                                  bytes, &record, &err);
    if (status != expected)
        fail_msg("line %d: exit %d (%s) instead of %d", golden->line, status, err.text, expected);
    assert_true(strlen(err.text) > 0);
    assert_null(strchr(err.text, '\n'));
}

static void check_case(const struct golden *golden, const struct words *words)
{
    char hex[AW_HEX_SIZE(FRAME_CAP)];
    uint8_t bytes[FRAME_CAP];
    struct aw_record record;
    struct aw_error err = {0};
    json_error_t why;
    json_t *json = json_loads(golden->record, 0, &why);
    if (!json)
        fail_msg("line %d: %s", golden->line, why.text);
    if (words->encodes) {
        if (run_encode(words, hex, &err) != AW_OK)
            fail_msg("line %d: %s", golden->line, err.text);
        if (strcmp(hex, golden->bytes) != 0)
            fail_msg("line %d: encoded as %s", golden->line, hex);
    }
    bool tx = strcmp(json_string_value(json_object_get(json, "dir")), "tx") == 0;
    if (run_decode(golden->bytes, tx ? AW_TX : AW_RX, bytes, &record, &err) != AW_OK)
        fail_msg("line %d: %s", golden->line, err.text);
    assert_record(golden, &record, json);
    json_decref(json);
}

/* Runs all cases of a tool; requires at least at_least, so that an empty file fails. */
static void run_file(const struct aw_protocol *protocol, int at_least)
{
    char path[64];
    struct golden golden;
    struct words words;
    int line = 0, cases = 0;
    snprintf(path, sizeof path, "tests/golden/%s.txt", protocol->name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (read_case(file, &golden, &line)) {
        char command[LINE_CAP];
        memcpy(command, golden.command, sizeof command);
        take_apart(protocol, command, &words);
        if (strncmp(golden.record, "exit ", 5) == 0)
            check_refusal(&golden, &words);
        else
            check_case(&golden, &words);
        cases++;
    }
    fclose(file);
    assert_true(cases >= at_least);
}

/* Requires that every message of the table has a case in each of its directions. */
static void assert_covered(const struct aw_protocol *protocol)
{
    char path[64];
    static char all[1 << 17];
    snprintf(path, sizeof path, "tests/golden/%s.txt", protocol->name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    all[fread(all, 1, sizeof all - 1, file)] = '\0';
    fclose(file);
    for (size_t i = 0; i < protocol->n_messages; i++)
        for (enum aw_dir dir = AW_TX; dir <= AW_RX; dir++) {
            char begin[96];
            snprintf(begin, sizeof begin, "{\"dir\":\"%s\",\"msg\":\"%s\"",
                     dir == AW_TX ? "tx" : "rx", protocol->messages[i].name);
            if (protocol->messages[i].dir & dir && !strstr(all, begin))
                fail_msg("no golden case of %s", begin);
        }
}

static void check_tool(const struct aw_protocol *protocol)
{
    run_file(protocol, 40);
    assert_covered(protocol);
}

#define TOOL(tool)                                                                                 \
    TEST(tool)                                                                                     \
    {                                                                                              \
        check_tool(&aw_##tool##_protocol);                                                         \
    }
EACH_PROTOCOL(TOOL)
