#include "view/text/select.h"
#include "view_helper.h"

static struct points_rig *rig;

static int start(void **state)
{
    (void)state;
    rig = points_new();
    points_of(rig, "joint", AW_RX, "lknee", "");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    free(rig);
    return 0;
}

static bool takes(const char *pattern, const char *name)
{
    struct aw_select select = {.n = 1, .pattern = {pattern}};
    for (size_t i = 0; i < rig->n; i++)
        if (strcmp(rig->points[i].name, name) == 0)
            return aw_select_match(&select, &rig->points[i]) == 0;
    fail_msg("no point %s", name);
    return false;
}

static const struct {
    const char *pattern;
    bool torque, angle; /* is lknee.torque, lknee.alpha_angle taken? */
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

static void test_noted(void **state)
{
    struct aw_select select = {.n = 3, .pattern = {"torque", "nothing", "alpha_angle"}};
    bool found[3] = {false};
    (void)state;
    assert_int_equal(aw_select_note(&select, found, NULL, 0), 0);
    assert_int_equal(aw_select_note(&select, found, rig->points, rig->n), 1);
    assert_true(found[0] && !found[1] && found[2]);
    select.pattern[1] = "lknee";
    assert_int_equal(aw_select_note(&select, found, rig->points, 1), 3);
    assert_true(aw_select_has("lknee", rig->points, rig->n));
    assert_false(aw_select_has("lknee", rig->points, 0));
}

static void test_patterns(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (takes(patterns[i].pattern, "lknee.torque") != patterns[i].torque ||
            takes(patterns[i].pattern, "lknee.alpha_angle") != patterns[i].angle)
            fail_msg("%s", patterns[i].pattern);
}

/* m1.position, m2.position: the last part is enough. */
static void test_groups(void **state)
{
    struct aw_select select = {.n = 1, .pattern = {"position"}};
    struct aw_point point = {
        .subject = "", .message = "", .name = "m1.position", .field = "m1.position"};
    (void)state;
    assert_int_equal(aw_select_match(&select, &point), 0);
    select.pattern[0] = "m1";
    assert_int_equal(aw_select_match(&select, &point), 0);
    select.pattern[0] = "osition";
    assert_int_equal(aw_select_match(&select, &point), -1);
}

/* Who has a number in the message is meant by it, too. */
static void test_numbers(void **state)
{
    static const struct aw_field fields[] = {
        {.name = "id", .type = AW_UINT, .bits = 8}, {.name = "z", .type = AW_UINT, .bits = 8}, {0}};
    static const struct aw_message message = {.name = "limb", .dir = AW_RX, .fields = fields};
    static struct aw_codec codec;
    (void)state;
    codec.message = &message;
    codec.n_scalars = 2;
    for (int i = 0; i < 2; i++)
        codec.scalars[i] = (struct aw_scalar){.field = &fields[i], .value = true};
    struct aw_record record = {.codec = &codec, .v = {3, 1}};
    struct aw_point point = {.subject = "bob",
                             .message = "limb",
                             .name = "bob.z",
                             .field = "z",
                             .codec = &codec,
                             .record = &record};
    static const struct {
        const char *pattern;
        int match;
    } cases[] = {{"3", 0},    {"3.z", 0}, {"3.limb.z", 0}, {"4", -1},
                 {"3.y", -1}, {"33", -1}, {"3z", -1},      {"bob", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_select select = {.n = 1, .pattern = {cases[i].pattern}};
        if (aw_select_match(&select, &point) != cases[i].match)
            fail_msg("%s", cases[i].pattern);
    }
    struct aw_select three = {.n = 1, .pattern = {"3"}};
    point.record = NULL;
    assert_int_equal(aw_select_match(&three, &point), -1);
}

static void test_all(void **state)
{
    struct aw_select select = {0};
    struct aw_error err;
    (void)state;
    assert_int_equal(aw_select_match(&select, &rig->points[0]), 0);
    for (int i = 0; i < AW_SELECT_MAX; i++)
        assert_int_equal(aw_select_add(&select, "x", &err), AW_OK);
    assert_int_equal(aw_select_match(&select, &rig->points[0]), -1);
    assert_int_equal(aw_select_add(&select, "x", &err), AW_USAGE);
    select.pattern[5] = "torque";
    assert_int_equal(aw_select_match(&select, &rig->points[3]), 5);
}

static const struct {
    const char *pattern;
    bool subjects;
    const char *error; /* part of it; NULL: fine */
} checks[] = {
    {"torque", false, NULL},
    {"lknee", false, NULL}, /* a named value of the table */
    {"lknee.torque", false, NULL},
    {"left.knee.torque", true, NULL}, /* a subject with a dot in it */
    {"left.knee.torque", false, "there is"},
    {"lknee.joint.torque", false, NULL},
    {"0x100.torque", false, NULL}, /* a board without a name */
    {"lkne.torque", false, "there is"},
    {"*.torq*", false, NULL},
    {"joint", false, NULL},
    {"kp.value", false, NULL},
    {"tor", false, "did you mean"}, /* a controller is nobody that messages are about */
    {"torq", false, "did you mean 'torque'?"},
    {"torqe", true, "did you mean 'torque'?"},
    {"lknee.torqe", true, "did you mean 'lknee.torque'?"},
    {"zebra", true, NULL}, /* perhaps one of the subjects to come */
    {"zebra", false, "there is"},
    {"zebra.stripes", true, "there is"},
};

static void test_check(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        struct aw_select select = {.n = 1, .pattern = {checks[i].pattern}};
        struct aw_error err = {.text = ""};
        enum aw_status status = aw_select_check(&select, &rig->names, checks[i].subjects, &err);
        if (status != (checks[i].error ? AW_USAGE : AW_OK))
            fail_msg("%s: %s", checks[i].pattern, err.text);
        if (checks[i].error)
            expect_in(err.text, checks[i].error);
    }
}

static const struct {
    const char *pattern, *error;
} confirmed[] = {
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
    {"hip.axis3.torque", "nothing is called 'hip.axis3.torque'"},
    {"7.torque", "nothing is called '7.torque'"},
    {"zebra", "there is bob, hip, hip.axis2"},
};

static void test_confirm(void **state)
{
    static const char *const subjects[] = {"bob", "3", "hip", "hip.axis2"};
    struct aw_error err = {.text = ""};
    (void)state;
    for (size_t i = 0; i < sizeof confirmed / sizeof *confirmed; i++) {
        struct aw_select select = {.n = 1, .pattern = {confirmed[i].pattern}};
        enum aw_status status = aw_select_confirm(&select, &rig->names, subjects, 4, &err);
        if (status != (confirmed[i].error ? AW_USAGE : AW_OK))
            fail_msg("%s: %s", confirmed[i].pattern, err.text);
        if (confirmed[i].error)
            expect_in(err.text, confirmed[i].error);
    }
    struct aw_select zebra = {.n = 1, .pattern = {"zebra"}};
    assert_int_equal(aw_select_confirm(&zebra, &rig->names, NULL, 0, &err), AW_USAGE);
    expect_in(err.text, "see 'describe'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noted),   cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_groups),  cmocka_unit_test(test_all),
        cmocka_unit_test(test_check),   cmocka_unit_test(test_confirm),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
