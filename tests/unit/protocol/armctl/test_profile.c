#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/armctl/profile.h"
#include "protocol/armctl/wire.h"

static struct aw_wire wire;

static struct aw_record command(const char *name, const char *const *pairs)
{
    struct aw_record record;
    aw_wire_init(&wire, &aw_armctl_protocol, NULL, false);
    aw_record_init(&record, aw_wire_codec(&wire, name, AW_TX), AW_TX);
    for (; *pairs; pairs += 2)
        assert_int_equal(aw_record_set_text(&record, pairs[0], pairs[1], NULL), AW_OK);
    return record;
}

#define COMMAND(name, ...) command(name, (const char *const[]){__VA_ARGS__, NULL})

static struct aw_armctl_profile arm(void)
{
    static const char *const keys[][3] = {
        {"base", "index", "1"},  {"base", "min", "-90"},    {"base", "max", "90"},
        {"base", "speed", "45"}, {"lift", "index", "2"},    {"lift", "kind", "translate"},
        {"lift", "max", "300"},  {"lift", "home", "20"},    {"elbow", "index", "4"},
        {"elbow", "max", "180"}, {"elbow", "signed", "no"},
    };
    struct aw_armctl_profile profile = {0};
    struct aw_error err;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_int_equal(aw_armctl_profile_set(&profile, keys[i][0], keys[i][1], keys[i][2], &err),
                         AW_OK);
    assert_int_equal(aw_armctl_profile_finish(&profile, &err), AW_OK);
    return profile;
}

static void test_lookup_and_defaults(void **state)
{
    (void)state;
    struct aw_armctl_profile profile = arm();
    const struct aw_armctl_joint *elbow = aw_armctl_profile_find(&profile, "elbow");
    assert_non_null(elbow);
    assert_ptr_equal(elbow, aw_armctl_profile_find(&profile, "4"));
    assert_ptr_equal(elbow, aw_armctl_profile_joint(&profile, 4));
    assert_null(aw_armctl_profile_find(&profile, "elbo"));
    assert_null(aw_armctl_profile_find(&profile, "9"));
    assert_null(aw_armctl_profile_joint(NULL, 4));
    assert_int_equal(elbow->kind, AW_ARMCTL_ROTATE);
    assert_true(elbow->min == 0 && elbow->max == 180 && elbow->home == 0);
    assert_true(aw_armctl_profile_find(&profile, "base")->is_signed);
    assert_true(aw_armctl_profile_find(&profile, "lift")->home == 20);
}

static void test_bad_keys_and_values(void **state)
{
    (void)state;
    static const char *const bad[][2] = {{"lenght", "3"},     {"index", "10"},   {"index", "1.5"},
                                         {"index", "-1"},     {"kind", "slide"}, {"min", "nan"},
                                         {"max", ""},         {"max", "12x"},    {"speed", "0"},
                                         {"signed", "maybe"}, {"role", "reach"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct aw_armctl_profile profile = {0};
        struct aw_error err;
        assert_int_equal(aw_armctl_profile_set(&profile, "elbow", bad[i][0], bad[i][1], &err),
                         AW_USAGE);
        assert_non_null(strstr(err.text, "[joint elbow]"));
        assert_non_null(strstr(err.text, bad[i][0]));
    }
}

static void test_contradictions(void **state)
{
    (void)state;
    static const struct {
        const char *joint, *key, *value, *says;
    } cases[] = {
        {"wrist", "max", "10", "no index"},     {"wrist", "index", "4", "is [joint elbow]"},
        {"elbow", "min", "200", "above max"},   {"elbow", "home", "181", "outside"},
        {"elbow", "min", "-5", "signed is no"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_armctl_profile profile = arm();
        struct aw_error err;
        assert_int_equal(
            aw_armctl_profile_set(&profile, cases[i].joint, cases[i].key, cases[i].value, &err),
            AW_OK);
        assert_int_equal(aw_armctl_profile_finish(&profile, &err), AW_USAGE);
        assert_non_null(strstr(err.text, cases[i].says));
    }
}

static void test_too_many_joints(void **state)
{
    (void)state;
    struct aw_armctl_profile profile = {0};
    struct aw_error err;
    for (int i = 0; i < AW_ARMCTL_JOINTS; i++) {
        char name[2] = {(char)('a' + i), 0}, index[2] = {(char)('0' + i), 0};
        assert_int_equal(aw_armctl_profile_set(&profile, name, "index", index, &err), AW_OK);
    }
    assert_int_equal(aw_armctl_profile_set(&profile, "k", "index", "1", &err), AW_USAGE);
    assert_int_equal(aw_armctl_profile_finish(&profile, &err), AW_OK);
}

static void test_limits_are_named(void **state)
{
    (void)state;
    struct aw_armctl_profile profile = arm();
    struct aw_error err;
    struct aw_record record = COMMAND("deg", "joint", "4", "angle", "400");
    assert_int_equal(aw_armctl_profile_check(&profile, false, &record, &err), AW_LIMIT);
    assert_string_equal(err.text, "elbow: 400 deg is above its maximum 180 deg — see [joint elbow] "
                                  "in the config, or --force");
    record = COMMAND("deg", "joint", "1", "angle", "-91");
    assert_int_equal(aw_armctl_profile_check(&profile, true, &record, &err), AW_LIMIT);
    assert_non_null(strstr(err.text, "base: -91 deg is below its minimum -90 deg"));
    record = COMMAND("deg", "joint", "1", "angle", "-90");
    assert_int_equal(aw_armctl_profile_check(&profile, false, &record, &err), AW_OK);
}

static void test_arm_checks_its_three_joints(void **state)
{
    (void)state;
    struct aw_armctl_profile profile = arm();
    struct aw_error err;
    struct aw_record record = COMMAND("arm", "r", "250", "theta", "45", "h", "120");
    assert_int_equal(aw_armctl_profile_check(&profile, false, &record, &err), AW_OK);
    record = COMMAND("arm", "r", "250", "theta", "91", "h", "120");
    assert_int_equal(aw_armctl_profile_check(&profile, false, &record, &err), AW_LIMIT);
    assert_non_null(strstr(err.text, "base:"));
    record = COMMAND("arm", "r", "250", "theta", "45", "h", "301");
    assert_int_equal(aw_armctl_profile_check(&profile, false, &record, &err), AW_LIMIT);
    assert_non_null(strstr(err.text, "lift: 301 mm"));
}

static struct aw_armctl_profile profile_of(const char *const *rows, size_t n,
                                           enum aw_status expected, struct aw_error *err)
{
    struct aw_armctl_profile profile = {0};
    for (size_t i = 0; i < n; i++)
        assert_int_equal(
            aw_armctl_profile_set(&profile, rows[3 * i], rows[3 * i + 1], rows[3 * i + 2], err),
            AW_OK);
    assert_int_equal(aw_armctl_profile_finish(&profile, err), expected);
    return profile;
}

static void test_roles_say_what_arm_moves(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "waist", "index", "5",         "waist", "role", "theta",     "waist", "max",   "120", /* */
        "mast",  "index", "6",         "mast",  "kind", "translate",                          /* */
        "mast",  "role",  "h",         "mast",  "max",  "300",       "boom",  "index", "2",   /* */
        "boom",  "kind",  "translate", "boom",  "role", "r",         "boom",  "max",   "200"};
    struct aw_error err = {.text = ""};
    struct aw_armctl_profile profile =
        profile_of(rows, sizeof rows / sizeof *rows / 3, AW_OK, &err);
    static const struct {
        const char *r, *theta, *h, *says;
    } cases[] = {{"201", "90", "300", "boom: 201 mm"},
                 {"200", "121", "300", "waist: 121 deg"},
                 {"200", "120", "301", "mast: 301 mm"},
                 {"200", "120", "300", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_record record =
            COMMAND("arm", "r", cases[i].r, "theta", cases[i].theta, "h", cases[i].h);
        enum aw_status expected = cases[i].says ? AW_LIMIT : AW_OK;
        assert_int_equal(aw_armctl_profile_check(&profile, false, &record, &err), expected);
        assert_true(!cases[i].says || strstr(err.text, cases[i].says));
    }
    assert_int_equal(aw_armctl_role_joint(&profile, AW_ARMCTL_R), 2);
    assert_int_equal(aw_armctl_role_joint(&profile, AW_ARMCTL_THETA), 5);
    assert_int_equal(aw_armctl_role_joint(NULL, AW_ARMCTL_R), AW_ARMCTL_REACH);
    assert_int_equal(aw_armctl_role_joint(NULL, AW_ARMCTL_THETA), AW_ARMCTL_BASE);
    assert_int_equal(aw_armctl_role_joint(NULL, AW_ARMCTL_H), AW_ARMCTL_LIFT);
}

static void test_roles_that_contradict(void **state)
{
    (void)state;
    static const struct {
        const char *rows[12], *says;
    } cases[] = {
        {{"a", "index", "4", "a", "role", "theta", "b", "index", "5", "b", "role", "theta"},
         "[joint b]: role theta is [joint a] already"},
        {{"a", "index", "4", "a", "role", "r"},
         "[joint a]: role r needs a translating joint (mm) — give kind = translate"},
        {{"a", "index", "4", "a", "kind", "translate", "a", "role", "theta"},
         "[joint a]: role theta needs a rotating joint (deg) — give kind = rotate"},
        {{"a", "index", "4", "a", "kind", "pulse", "a", "role", "h"},
         "[joint a]: role h needs a translating joint (mm) — give kind = translate"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_error err = {.text = ""};
        size_t n = 0;
        while (n < 4 && cases[i].rows[3 * n])
            n++;
        profile_of(cases[i].rows, n, AW_USAGE, &err);
        assert_string_equal(err.text, cases[i].says);
    }
}

static void test_joint_that_does_not_fit_arm_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *rows[9];
        size_t n;
        const char *says;
    } cases[] = {
        {{"elbow", "index", "2"},
         1,
         "elbow: joint 2 is h of arm, which needs a translating joint (mm), not a rotating one — "
         "give the joint that is h 'role = h' in the config"},
        {{"boom", "index", "2", "boom", "kind", "translate", "boom", "role", "r"},
         3,
         "boom: joint 2 is h of arm, and its role is r — give the joint that is h 'role = h' in "
         "the config"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_error err;
        struct aw_armctl_profile profile = profile_of(cases[i].rows, cases[i].n, AW_OK, &err);
        struct aw_record record = COMMAND("arm", "r", "250", "theta", "45", "h", "120");
        assert_int_equal(aw_armctl_profile_check(&profile, false, &record, &err), AW_USAGE);
        assert_string_equal(err.text, cases[i].says);
    }
}

static void test_wrong_kind(void **state)
{
    (void)state;
    struct aw_armctl_profile profile = arm();
    struct aw_error err;
    struct aw_record record = COMMAND("deg", "joint", "2", "angle", "10");
    assert_int_equal(aw_armctl_profile_check(&profile, false, &record, &err), AW_USAGE);
    assert_non_null(strstr(err.text, "use pos"));
}

static void test_without_a_profile(void **state)
{
    (void)state;
    struct aw_error err;
    struct aw_record record = COMMAND("deg", "joint", "7", "angle", "361");
    assert_int_equal(aw_armctl_profile_check(NULL, false, &record, &err), AW_LIMIT);
    assert_non_null(strstr(err.text, "joint 7: 361 deg"));
    record = COMMAND("deg", "joint", "7", "angle", "-1");
    assert_int_equal(aw_armctl_profile_check(NULL, false, &record, &err), AW_LIMIT);
    assert_non_null(strstr(err.text, "--signed"));
    assert_int_equal(aw_armctl_profile_check(NULL, true, &record, &err), AW_OK);
    record = COMMAND("pos", "joint", "0", "position", "999");
    assert_int_equal(aw_armctl_profile_check(NULL, false, &record, &err), AW_OK);
    record = COMMAND("mov", "distance", "-250");
    assert_int_equal(aw_armctl_profile_check(NULL, false, &record, &err), AW_OK);
}

static void test_longest_motion(void **state)
{
    (void)state;
    struct aw_armctl_profile profile = arm();
    struct aw_record record = COMMAND("deg", "joint", "1", "angle", "10");
    assert_int_equal(aw_armctl_profile_longest_ms(&profile, &record), 4000);
    record = COMMAND("deg", "joint", "4", "angle", "10");
    assert_int_equal(aw_armctl_profile_longest_ms(&profile, &record), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookup_and_defaults),
        cmocka_unit_test(test_bad_keys_and_values),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_too_many_joints),
        cmocka_unit_test(test_limits_are_named),
        cmocka_unit_test(test_arm_checks_its_three_joints),
        cmocka_unit_test(test_roles_say_what_arm_moves),
        cmocka_unit_test(test_roles_that_contradict),
        cmocka_unit_test(test_joint_that_does_not_fit_arm_is_named),
        cmocka_unit_test(test_wrong_kind),
        cmocka_unit_test(test_without_a_profile),
        cmocka_unit_test(test_longest_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
