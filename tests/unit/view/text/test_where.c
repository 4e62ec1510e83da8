#include "view/text/finder.h"
#include "view/text/where.h"

#include "protocols.h"

#include "beyond_helper.h"
#include "picture_helper.h"
#include "view_helper.h"

/* Evaluates the condition on the record, without points. */
static bool holds_record(const struct aw_where *where, const char *subject)
{
    struct aw_finder *finder = malloc(sizeof *finder);
    struct aw_select fields = {0};
    assert_non_null(finder);
    aw_where_list_fields(where, &fields);
    assert_null(fields.pattern[fields.n]);
    aw_finder_init(finder, &rig->names, &fields, AW_SUBJECTS_ANY);
    const uint64_t *scalars = aw_finder_match(finder, &rig->record, subject);
    bool holds = aw_where_holds_record(where, &rig->record, scalars);
    free(finder);
    return holds;
}

/* Prints whether a condition holds for the case "MESSAGE DIRECTION BOARD fields | CONDITION", by
 * message and direction and by its values. */
static void print_evaluated(const struct aw_where *where, const char *input, FILE *out)
{
    char message[16], dir_name[4], board[16], fields[80] = "";
    int rest = 0;
    assert_int_equal(sscanf(input, "%15s %3s %15s %n", message, dir_name, board, &rest), 3);
    snprintf(fields, sizeof fields, "%.*s", (int)strcspn(input + rest, "|"), input + rest);
    enum aw_dir dir = *dir_name == 'r' ? AW_RX : *dir_name == 't' ? AW_TX : 0;
    points_of(message, AW_BOTH, board, fields);
    bool holds = aw_where_holds(where, rig->points, rig->n);
    assert_int_equal(holds_record(where, board), holds);
    fprintf(out, "message %s, values %s\n",
            aw_where_matches_head(where, message, dir) ? "yes" : "no", holds ? "yes" : "no");
}

/* Prints the error of "parse CONDITION", "check CONDITION" or "units PROTOCOL CONDITION".
 * Leftovers of an earlier text and rows beyond the table have no effect. */
static void print_condition(const char *input, size_t i, FILE *out)
{
    static struct beyond copy;
    static struct aw_wire wire;
    const char *text = strchr(input, '|') ? strchr(input, '|') + 2 : strchr(input, ' ') + 1;
    bool is_units = strncmp(input, "units ", 6) == 0, is_check = strncmp(input, "check ", 6) == 0;
    struct aw_where where = {0};
    struct aw_error err = {.text = ""};
    size_t p = 0;
    (void)i;
    if (is_units) {
        while (strncmp(text, protocols[p]->name, strcspn(text, " ")) != 0)
            p++;
        text = strchr(text, ' ') + 1;
        beyond_init(&copy, &wire, protocols[p], NULL);
    }
    assert_int_equal(aw_where_parse("torque>1kg and torque>1kg", &where, NULL), AW_OK);
    where.n = 0;
    enum aw_status status = aw_where_parse(text, &where, &err);
    assert_true(status != AW_OK || aw_where_is_set(&where));
    if (status == AW_OK && is_units)
        status = aw_where_check_units(&where, &wire, &err);
    if (status == AW_OK && is_check)
        status = aw_where_check(&where, &rig->names, AW_SUBJECTS_KNOWN, &err);
    assert_int_equal(status, *err.text ? AW_USAGE : AW_OK);
    if (strchr(input, '|'))
        print_evaluated(&where, input, out);
    else
        fprintf(out, "%s\n", *err.text ? err.text : "valid");
}

/* msg and dir are properties of the message; all other names are values. A unit that depends on
 * the record is not checked in advance. */
TEST(conditions_match_the_golden_file)
{
    struct aw_where none = {0};
    assert_true(aw_where_holds(&none, NULL, 0));
    expect_text_cases("where.txt", print_condition);
}

TEST(quoted_names_are_parsed)
{
    static const struct {
        const char *text, *field;
        bool holds;
    } rows[] = {
        {"'motor 1 [deg]'>5", "motor 1 [deg]", true},
        {" \"motor 1 [deg]\" <= 5", "motor 1 [deg]", false},
        {"'a>b and c'=3", "a>b and c", true},
        {"'a>b and c'=3 and 'motor 1 [deg]'=6", "a>b and c", true},
        {"/left/knee>1", "/left/knee", true},
    };
    const struct aw_point points[] = {
        {.name = "motor 1 [deg]",
         .subject = "",
         .message = "",
         .field = "motor 1 [deg]",
         .value = 6},
        {.name = "a>b and c", .subject = "", .message = "", .field = "a>b and c", .value = 3},
        {.name = "/left/knee", .subject = "", .message = "", .field = "/left/knee", .value = 2},
    };
    EACH (row, rows) {
        struct aw_where where = {0};
        struct aw_error err = {.text = ""};
        assert_ok(aw_where_parse(row->text, &where, &err), &err);
        assert_string_equal(where.terms[0].field, row->field);
        assert_int_equal(aw_where_holds(&where, points, 3), row->holds);
    }
}

TEST(texts_are_compared_for_equality)
{
    static const struct {
        const char *text;
        bool holds;
    } rows[] = {{"name=bob", true},   {"name!=bob", false}, {"name=5", false},
                {"name!=5", true},    {"name<5", false},    {"name>=5", false},
                {"name=5deg", false}, {"name!=5deg", true}};
    struct aw_point point;
    aw_path_point(&rig->names, NULL, "name", (double)NAN, "bob", &point);
    EACH (row, rows) {
        struct aw_where where = {0};
        assert_int_equal(aw_where_parse(row->text, &where, NULL), AW_OK);
        if (aw_where_holds(&where, &point, 1) != row->holds)
            fail_msg("%s", row->text);
    }
}

/* A number with a unit requires the unit of the field, from the record or from a field with a fixed
 * unit. */
TEST(units_of_conditions_are_converted)
{
    struct aw_point point;
    struct aw_where torque = {0}, value = {0};
    assert_int_equal(aw_where_parse("torque>4Nm", &torque, NULL), AW_OK);
    assert_int_equal(aw_where_parse("value<3Nm", &value, NULL), AW_OK);
    aw_path_point(&rig->names, "joint", "torque", 5, NULL, &point);
    assert_true(aw_where_holds(&torque, &point, 1));
    points_of("setpoint", AW_TX, "lknee", "controller=tor value=2");
    assert_true(aw_where_holds(&value, rig->points, rig->n));
    for (size_t i = 0; i < rig->n; i++)
        rig->points[i].record = NULL;
    assert_false(aw_where_holds(&value, rig->points, rig->n));
    point.codec = NULL;
    assert_false(aw_where_holds(&torque, &point, 1));
}

/* Compares the first scalar of a record with several. */
TEST(condition_may_name_the_first_scalar)
{
    static const struct {
        const char *text;
        bool fits;
    } rows[] = {{"seq=1", true}, {"seq=2", false}, {"*>2", true}, {"*>9", false}};
    struct aw_wire wire;
    struct aw_record record;
    struct aw_where where;
    aw_wire_init(&wire, &aw_armctl_protocol, NULL, false);
    aw_record_init(&record, aw_wire_codec(&wire, "deg", AW_RX), AW_RX);
    for (int i = 0; i < record.codec->n_scalars; i++)
        record.v[i] = i ? 3 : 1;
    record.present = record.codec->masks.values;
    assert_true(record.present & 1);
    EACH (row, rows) {
        where = (struct aw_where){0};
        assert_int_equal(aw_where_parse(row->text, &where, NULL), AW_OK);
        assert_int_equal(aw_where_holds_record(&where, &record, &record.codec->masks.values),
                         row->fits);
    }
}

ALL_TESTS_WITH(start_rig, stop_rig);
