#include "view/text/select.h"

#include "protocols.h"

#include "beyond_helper.h"
#include "picture_helper.h"
#include "view_helper.h"

static void start(void)
{
    start_rig();
    points_of("joint", AW_RX, "lknee", "");
}

/* Returns whether a pattern selects a point. */
static bool selects(const char *pattern, const struct aw_point *point)
{
    struct aw_select select = {.n = 1, .pattern = {pattern}};
    return aw_select_match(&select, point) == 0;
}

TEST(matched_patterns_are_marked)
{
    struct aw_select select = {.n = 3, .pattern = {"torque", "nothing", "alpha_angle"}};
    bool found[3] = {false};
    assert_int_equal(aw_select_mark_found(&select, found, NULL, 0), 0);
    assert_int_equal(aw_select_mark_found(&select, found, rig->points, rig->n), 1);
    assert_true(found[0] && !found[1] && found[2]);
    select.pattern[1] = "lknee";
    assert_int_equal(aw_select_mark_found(&select, found, rig->points, 1), 3);
    assert_true(aw_select_matches_any("lknee", rig->points, rig->n));
    assert_false(aw_select_matches_any("lknee", rig->points, 0));
}

TEST(patterns_match_points)
{
    static const struct {
        const char *pattern;
        bool torque, angle; /* whether lknee.torque and lknee.alpha_angle are selected */
    } patterns[] = {
        {"torque", true, false},
        {"lknee.torque", true, false},
        {"lknee", true, true},
        {"lknee.*", true, true},
        {"*.torque", true, false},
        {"*angle", false, true},
        {"joint.torque", true, false},
        {"joint", true, true},
        {"rknee", false, false},
        {"rknee.torque", false, false},
        {"torq", false, false},
        {"lkne", false, false},
        {"pid.torque", false, false},
        {"[kl]*.t?rque", true, false},
        {"lknee.joint.torque", true, false},
    };
    const struct aw_point *angle = &rig->points[2], *torque = &rig->points[3];
    assert_string_equal(angle->name, "lknee.alpha_angle");
    assert_string_equal(torque->name, "lknee.torque");
    EACH (row, patterns) {
        assert_int_equal(selects(row->pattern, torque), row->torque);
        assert_int_equal(selects(row->pattern, angle), row->angle);
    }
}

/* A foreign name is used literally even if it looks like a pattern. Its last part suffices. A slash
 * is an ordinary character. */
TEST(foreign_names_are_matched_literally)
{
    static const struct {
        const char *name, *pattern;
        bool selects;
    } rows[] = {
        {"motor 1 [deg].left", "motor 1 [deg].left", true},
        {"motor 1 [deg].left", "motor 1 [deg]", true},
        {"motor 1 [deg].left", "motor*", true},
        {"motor 1 [deg].left", "left", true},
        {"motor 1 [deg].left", "motor 1 [d]", false},
        {"m1.position", "position", true},
        {"m1.position", "m1", true},
        {"m1.position", "osition", false},
    };
    static const struct aw_point slash = {
        .name = "left/knee.x", .subject = "left/knee", .message = "", .field = "x"};
    assert_true(selects("left*x", &slash));
    EACH (row, rows) {
        struct aw_point point = {.subject = "", .message = "", .field = row->name};
        strcpy(point.name, row->name);
        assert_int_equal(selects(row->pattern, &point), row->selects);
    }
}

/* A number selects the subject with that number in the message. */
TEST(numbers_select_subjects)
{
    static const struct aw_field fields[] = {
        {.name = "id", .type = AW_UINT, .bits = 8}, {.name = "z", .type = AW_UINT, .bits = 8}, {0}};
    static const struct aw_message message = {.name = "limb", .dir = AW_RX, .fields = fields};
    static struct aw_codec codec;
    codec.message = &message;
    codec.n_scalars = 2;
    for (int i = 0; i < 2; i++)
        codec.scalars[i] = (struct aw_scalar){.field = &fields[i], .has_value = true};
    struct aw_record record = {.codec = &codec, .v = {3, 1}};
    struct aw_point point = {.subject = "bob",
                             .message = "limb",
                             .name = "bob.z",
                             .field = "z",
                             .codec = &codec,
                             .record = &record};
    static const struct {
        const char *pattern;
        bool selects;
    } cases[] = {{"3", true},    {"3.z", true}, {"3.limb.z", true}, {"4", false},
                 {"3.y", false}, {"33", false}, {"3z", false},      {"bob", true}};
    EACH (row, cases)
        assert_int_equal(selects(row->pattern, &point), row->selects);
    record.v[0] = 10;
    assert_true(selects("10", &point) && !selects("3", &point));
    record.v[0] = 3;
    point.record = NULL;
    assert_false(selects("3", &point));
}

TEST(empty_selection_matches_everything)
{
    struct aw_select select = {0};
    struct aw_error err;
    assert_int_equal(aw_select_match(&select, &rig->points[0]), 0);
    for (int i = 0; i < AW_SELECT_MAX; i++)
        assert_int_equal(aw_select_add(&select, "x", &err), AW_OK);
    assert_int_equal(aw_select_match(&select, &rig->points[0]), -1);
    assert_int_equal(aw_select_add(&select, "x", &err), AW_USAGE);
    select.pattern[5] = "torque";
    assert_int_equal(aw_select_match(&select, &rig->points[3]), 5);
}

/* Requires success, or an error that contains this part. */
static void expect_error(enum aw_status status, const struct aw_error *err, const char *part)
{
    assert_int_equal(status, part ? AW_USAGE : AW_OK);
    if (part)
        assert_has(err->text, part);
}

TEST(unknown_patterns_are_refused)
{
    static const struct {
        const char *pattern;
        bool subjects;
        const char *error; /* part of the error; NULL: valid */
    } checks[] = {
        {"torque", false, NULL},
        {"lknee", false, NULL}, /* a value name of the table */
        {"lknee.torque", false, NULL},
        {"left.knee.torque", true, NULL}, /* a subject that contains a dot */
        {"left.knee.torque", false, "available: "},
        {"lknee.joint.torque", false, NULL},
        {"0x100.torque", false, NULL}, /* a board without a name */
        {"lkne.torque", false, "available: "},
        {"*.torq*", false, NULL},
        {"*.nope", false, "available: "},
        {"*.nope", true, "available: "},
        {"lk*.torque", false, NULL},
        {"z*", true, NULL},
        {"z*", false, "available: "},
        {"joint", false, NULL},
        {"kp.value", false, NULL},
        {"tor", false, "did you mean"}, /* a controller is not a subject */
        {"torq", false, "did you mean 'torque'?"},
        {"torqe", true, "did you mean 'torque'?"},
        {"lknee.torqe", true, "did you mean 'lknee.torque'?"},
        {"zebra", true, NULL}, /* a later record may contain this subject */
        {"zebra", false, "available: "},
        {"zebra.stripes", true, "available: "},
    };
    EACH (row, checks) {
        struct aw_select select = {.n = 1, .pattern = {row->pattern}};
        struct aw_error err = {.text = ""};
        enum aw_status status = aw_select_check(&select, &rig->names, row->subjects, &err);
        expect_error(status, &err, row->error);
    }
}

TEST(patterns_are_confirmed_by_known_subjects)
{
    static const char *const subjects[] = {"bob", "3", "hip", "hip.axis2"};
    static const struct text_case confirmed[] = {
        /* part of the error; NULL: valid */
        {"torque", NULL},
        {"bob", NULL},
        {"bob.torque", NULL},
        {"bob.joint.torque", NULL},
        {"3", NULL},
        {"3.torque", NULL},
        {"hip.axis2", NULL},
        {"hip.axis2.torque", NULL},
        {"b*", NULL},
        {"bab", "did you mean 'bob'?"},
        {"bob.torqe", "did you mean 'bob.torque'?"},
        {"hip.axis3.torque", "name 'hip.axis3.torque' not found"},
        {"7.torque", "name '7.torque' not found"},
        {"zebra", "available: bob, hip, hip.axis2"},
    };
    struct aw_error err = {.text = ""};
    EACH (row, confirmed) {
        struct aw_select select = {.n = 1, .pattern = {row->text}};
        enum aw_status status = aw_select_confirm(&select, &rig->names, subjects, 4, &err);
        expect_error(status, &err, row->expected);
    }
    struct aw_select zebra = {.n = 1, .pattern = {"zebra"}};
    assert_error_has(aw_select_confirm(&zebra, &rig->names, NULL, 0, &err), AW_USAGE, &err,
                     "see 'describe'");
}

static struct beyond copy;
static struct aw_wire wire;

/* Prints the fields that a pattern selects in each protocol: number, first and last. Also prints
 * the part that names fields if the rest is a subject. */
static void print_selected(const char *pattern, size_t i, FILE *out)
{
    (void)i;
    for (size_t p = 0; p < N_PROTOCOLS; p++) {
        char name[64], first[160] = "", last[160] = "";
        size_t n = 0;
        beyond_init(&copy, &wire, protocols[p], NULL);
        for (size_t m = 0; m < protocols[p]->n_messages; m++) {
            const struct aw_codec *codec = aw_wire_codec_at(&wire, m);
            for (int k = 0; k < codec->n_scalars; k++) {
                aw_scalar_name(&codec->scalars[k], name, sizeof name);
                if (!aw_select_matches_field(pattern, codec, k))
                    continue;
                snprintf(last, sizeof last, "%s/%s", codec->message->name, name);
                if (n++ == 0)
                    strcpy(first, last);
            }
        }
        const char *part = aw_select_field_part(pattern, &wire);
        if (n || part)
            fprintf(out, "%s: %zu %s .. %s, %s; ", protocols[p]->name, n, first, last,
                    part ? part : "-");
    }
    fputc('\n', out);
}

TEST(selected_fields_match_the_golden_file)
{
    expect_cases("select-names.txt", print_selected);
}

ALL_TESTS_WITH(start, stop_rig);
