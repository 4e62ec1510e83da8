#include "view/text/finder.h"
#include "view/text/where.h"

#include "protocols.h"

#include "beyond_helper.h"
#include "view_helper.h"

static struct points_rig *rig;

static void start(void)
{
    rig = points_new();
}

static void stop(void)
{
    free(rig);
}

static const struct {
    const char *text;
    bool holds; /* result for torque = 5, fix_link_angle = 45, lknee */
} conditions[] = {
    {"torque>4", true},
    {"torque > 5", false},
    {"torque>=5", true},
    {"torque<=5", true},
    {"torque<5", false},
    {"torque=5", true},
    {"torque == 5", true},
    {"torque!=5", false},
    {"  torque  !=  6  ", true},
    {"lknee.torque>4", true},
    {"rknee.torque>4", false},
    {"joint.torque>4", true},
    {"fix_link_angle>0.7rad", true},
    {"fix_link_angle>0.8rad", false},
    {"fix_link_angle>3Nm", false}, /* different kinds of units never match */
    {"torque>4 and fix_link_angle<50", true},
    {"torque>4 and fix_link_angle<40", false},
    {"torque>-1e3", true},
    {"board=lknee", true},
    {"board!=lknee", false},
    {"board=rknee", false},
    {"velocity<5", false}, /* a field of another message */
    {"velocity!=5", false},
};

/* Evaluates the condition on the record, without points. */
static bool fits(const struct aw_where *where)
{
    struct aw_finder *finder = malloc(sizeof *finder);
    struct aw_select fields = {0};
    assert_non_null(finder);
    aw_where_list_fields(where, &fields);
    assert_null(fields.pattern[fields.n]);
    aw_finder_init(finder, &rig->names, &fields, AW_SUBJECTS_ANY);
    const uint64_t *scalars = aw_finder_match(finder, &rig->record, "lknee");
    bool fits = aw_where_holds_record(where, &rig->record, scalars);
    free(finder);
    return fits;
}

TEST(conditions_are_evaluated)
{
    points_of(rig, "joint", AW_RX, "lknee", "torque=5 fix_link_angle=45");
    EACH (row, conditions) {
        struct aw_where where = {0};
        struct aw_error err = {.text = ""};
        assert_ok(aw_where_parse(row->text, &where, &err), &err);
        if (aw_where_holds(&where, rig->points, rig->n) != row->holds)
            fail_msg("%s", row->text);
        if (fits(&where) != row->holds)
            fail_msg("%s, of the record", row->text);
    }
}

/* msg and dir are properties of the message; all other names are values. */
TEST(msg_and_dir_are_properties_of_the_message)
{
    static const struct {
        const char *text, *message;
        enum aw_dir dir;
        bool holds;
    } rows[] = {
        {"msg=joint", "joint", AW_RX, true},   {"msg=joint", "pid", AW_RX, false},
        {"msg!=joint", "pid", AW_RX, true},    {"dir=tx", "kp", AW_TX, true},
        {"dir=tx", "kp", AW_RX, false},        {"dir!=tx", "kp", AW_RX, true},
        {"dir!=tx", "kp", 0, false},           {"dir=rx and msg=kp", "kp", AW_RX, true},
        {"dir=rx and msg=kp", "ki", 0, false}, {"torque>5", "joint", AW_RX, true},
    };
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"dir=up", "--where: unknown dir 'up' — use tx or rx"},
        {"msg>joint", "--where: 'joint' is not a number — use = or != for text"},
        {"msg>5", "--where: operator not supported for msg — use = or !="},
        {"msg=jiont", "--where: unknown message 'jiont' — did you mean 'joint'?"},
        {"torqe>5", "no message has a field 'torqe' — did you mean 'torque'? available: board, "
                    "setpoint, output, measured, fix_link_angle, alpha_angle, torque, error, "
                    "velocity, current, lever_angle"},
    };
    EACH (row, rows) {
        struct aw_where where = {0};
        assert_int_equal(aw_where_parse(row->text, &where, NULL), AW_OK);
        assert_true(aw_where_is_set(&where));
        if (aw_where_matches_head(&where, row->message, row->dir) != row->holds)
            fail_msg("%s of %s", row->text, row->message);
    }
    EACH (row, wrong) {
        struct aw_where where = {0};
        struct aw_error err = {.text = ""};
        if (aw_where_parse(row->text, &where, &err) == AW_OK)
            assert_int_equal(aw_where_check(&where, &rig->names, AW_SUBJECTS_KNOWN, &err),
                             AW_USAGE);
        assert_string_equal(err.text, row->says);
    }
}

/* Foreign names with characters of the syntax are quoted. */
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

TEST(conditions_on_missing_data_are_false)
{
    struct aw_where where = {0};
    assert_true(aw_where_holds(&where, NULL, 0)); /* no condition */
    points_of(rig, "sensors", AW_RX, "lknee", "lever_angle=none");
    assert_int_equal(aw_where_parse("lever_angle!=5", &where, NULL), AW_OK);
    assert_false(aw_where_holds(&where, rig->points, rig->n));
    assert_false(fits(&where));
}

#define EIGHT   "a=1 and b=1 and c=1 and d=1 and e=1 and f=1 and g=1 and h=1"
#define SIXTEEN EIGHT " and " EIGHT

/* says: the whole error. NULL: valid. "!" and a text: the general error about this text. */
TEST(condition_errors_are_explained)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"torque>five", "--where: 'five' is not a number — use = or != for text"},
        {"torque<=five", "--where: 'five' is not a number — use = or != for text"},
        {"torque>-", "--where: '-' is not a number — use = or != for text"},
        {"board==lknee", NULL},
        {"board!=lknee", NULL},
        {"torque>-5", NULL},
        {"torque>+5", NULL},
        {"torque>.5", NULL},
        {"torque>-.5Nm", NULL},
        {"torque=1\tand\tboard=x", NULL},
        {"", "!"},
        {"torque", "!torque"},
        {"torque>", "!torque>"},
        {">5", "!>5"},
        {"torque 5", "!torque 5"},
        {"torque=>5", "!torque=>5"},
        {"torque>5<6", "!torque>5<6"},
        {"tor que>5", "!tor que>5"},
        {"a!b", "!a!b"},
        {"'torque' 5>1", "!'torque' 5>1"},
        {"''>1", "!''>1"},
        {"torque=1andy=2", "!torque=1andy=2"},
        {"torque=1 andy=2", "!torque=1 andy=2"},
        {"torque=1 and", "!"},
        {"and torque>5", "!and torque>5"},
        {"a=1 and b", "! b"},
        {"a=1 and b and c=2", "! b"},
        {SIXTEEN " and " SIXTEEN, NULL},
        {SIXTEEN " and " SIXTEEN " and i=1", "--where: more than 32 conditions — remove some"},
        {"a23456789b123456789c123456789d123456789e123456789f123456789g123456789h123456789"
         "a23456789b123456789c123456789d123456789e123456789f123456789g123456789h123456789g=1",
         NULL},
        {"a23456789b123456789c123456789d123456789e123456789f123456789g123456789h123456789"
         "a23456789b123456789c123456789d123456789e123456789f123456789g123456789h123456789gh=1",
         "!a23456789b123456789c123456789d123456789e123456789f123456789g123456789h123456789a"},
        {"a=b123456789c123456789d123456789e12345678", NULL},
        {"  a  =  b123456789c123456789d123456789e123456789  ",
         "!  a  =  b123456789c123456789d123456789e123456789  "},
    };
    EACH (row, rows) {
        struct aw_where where = {0};
        struct aw_error err = {.text = ""};
        char invalid[200];
        const char *says = row->says ? row->says : "";
        snprintf(invalid, sizeof invalid,
                 "--where: invalid condition '%s' — write FIELD OP NUMBER, such as torque>5",
                 *says ? says + 1 : "");
        assert_int_equal(aw_where_parse(row->text, &where, &err), row->says ? AW_USAGE : AW_OK);
        assert_string_equal(err.text, *says == '!' ? invalid : says);
    }
}

/* Conditions that can never hold are refused. A unit that depends on the record is not checked
 * in advance. Leftovers of an earlier text and rows beyond the table have no effect. */
TEST(impossible_units_are_refused)
{
    static const struct {
        const struct aw_protocol *protocol;
        const char *text, *says;
    } rows[] = {
        {&aw_canpid_protocol, "torque>1kg", "--where: torque: '1kg': unknown unit 'kg' — use Nm"},
        {&aw_canpid_protocol, "lknee.torque>-1deg",
         "--where: torque: '-1deg': wrong unit 'deg' — use Nm"},
        {&aw_canpid_protocol, "torque>1mNm and angle>1Nm", NULL},
        {&aw_canpid_protocol, "setpoint>1deg", NULL},
        {&aw_canpid_protocol, "bob>1kg", NULL},
        {&aw_canpid_protocol, "torque=1kg", NULL},
        {&aw_canpid_protocol, "[tQ]*>1kg", "--where: [tQ]*: '1kg': unknown unit 'kg' — use Nm"},
        {&aw_hidmotor_protocol, "duration>1Nm", /* in the first message only */
         "--where: duration: '1Nm': wrong unit 'Nm' — use ms"},
        {&aw_armctl_protocol, "seq>1kg", /* first scalar of each message */
         "--where: seq: '1kg': unknown unit 'kg' — omit the unit"},
    };
    static struct beyond copy;
    struct aw_wire wire;
    EACH (row, rows) {
        struct aw_where where = {0};
        struct aw_error err = {.text = ""};
        beyond_init(&copy, &wire, row->protocol, NULL);
        assert_int_equal(aw_where_parse("torque>1kg and torque>1kg and torque>1kg", &where, &err),
                         AW_OK);
        where.n = 0;
        assert_int_equal(aw_where_parse(row->text, &where, &err), AW_OK);
        enum aw_status status = aw_where_check_units(&where, &wire, &err);
        if (status != (row->says ? AW_USAGE : AW_OK))
            fail_msg("%s: %s", row->text, err.text);
        if (row->says)
            assert_string_equal(err.text, row->says);
    }
}

/* A text supports only = and !=. */
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
    points_of(rig, "setpoint", AW_TX, "lknee", "controller=tor value=2");
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

ALL_TESTS_WITH(start, stop);
