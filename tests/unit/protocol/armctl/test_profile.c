
#include "picture_helper.h"
#include "protocol/armctl/profile.h"
#include "protocol/armctl/wire.h"
#include "test.h"

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

TEST(joints_are_found_and_have_defaults)
{
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

TEST(joints_are_found_by_number)
{
    struct aw_armctl_profile profile = {
        .n = 2, .joints = {{.name = "first", .index = 0}, {.name = "last", .index = 9}}};
    assert_ptr_equal(aw_armctl_profile_find(&profile, "0"), &profile.joints[0]);
    assert_ptr_equal(aw_armctl_profile_find(&profile, "9"), &profile.joints[1]);
    static const char *const none[] = {"1", "/", ":", "00", "", "fir"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_null(aw_armctl_profile_find(&profile, none[i]));
}

TEST(invalid_keys_and_values_are_refused)
{
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

TEST(contradictory_joints_are_refused)
{
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

TEST(number_of_joints_is_limited)
{
    struct aw_armctl_profile profile = {0};
    struct aw_error err;
    for (int i = 0; i < AW_ARMCTL_JOINTS; i++) {
        char name[2] = {(char)('a' + i), 0}, index[2] = {(char)('0' + i), 0};
        assert_int_equal(aw_armctl_profile_set(&profile, name, "index", index, &err), AW_OK);
    }
    assert_int_equal(aw_armctl_profile_set(&profile, "k", "index", "1", &err), AW_USAGE);
    assert_int_equal(aw_armctl_profile_finish(&profile, &err), AW_OK);
}

TEST(error_names_the_limit)
{
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

TEST(arm_command_checks_its_three_joints)
{
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

TEST(roles_select_the_joints_of_arm)
{
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

TEST(contradictory_roles_are_refused)
{
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

TEST(unsuitable_joint_of_arm_is_named)
{
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

TEST(command_for_the_wrong_kind_is_refused)
{
    struct aw_armctl_profile profile = arm();
    struct aw_error err;
    struct aw_record record = COMMAND("deg", "joint", "2", "angle", "10");
    assert_int_equal(aw_armctl_profile_check(&profile, false, &record, &err), AW_USAGE);
    assert_non_null(strstr(err.text, "use pos"));
}

TEST(default_limits_apply_without_a_profile)
{
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

TEST(longest_motion_time_is_calculated)
{
    struct aw_armctl_profile profile = arm();
    struct aw_record record = COMMAND("deg", "joint", "1", "angle", "10");
    assert_int_equal(aw_armctl_profile_longest_ms(&profile, &record), 4000);
    record = COMMAND("deg", "joint", "4", "angle", "10");
    assert_int_equal(aw_armctl_profile_longest_ms(&profile, &record), 0);
    struct aw_armctl_joint *slow = &profile.joints[0];
    record = COMMAND("deg", "joint", "1", "angle", "10");
    slow->speed = 1;
    slow->max = slow->min + 3599;
    assert_int_equal(aw_armctl_profile_longest_ms(&profile, &record), 3599000);
    slow->max = slow->min + 3600; /* an hour counts as unknown */
    assert_int_equal(aw_armctl_profile_longest_ms(&profile, &record), 0);
}

/* An index beyond the last joint, or an invalid joint number, is no joint. */
TEST(invalid_joint_numbers_are_no_joint)
{
    struct aw_armctl_profile profile = {.n = 1};
    struct aw_record record = COMMAND("deg", "joint", "1", "angle", "10");
    int scalar = aw_codec_find(record.codec, "joint"), joint;
    enum aw_armctl_kind kind;
    static const double numbers[] = {-1, 0, 9, 10};
    profile.joints[1] = (struct aw_armctl_joint){.name = "b", .index = 6, .role = AW_ARMCTL_H};
    assert_int_equal(aw_armctl_role_joint(&profile, AW_ARMCTL_H), AW_ARMCTL_LIFT);
    assert_null(aw_armctl_profile_joint(&profile, 6));
    assert_null(aw_armctl_profile_find(&profile, "b"));
    assert_int_equal(aw_armctl_profile_set(&profile, "b", "index", "2", NULL), AW_OK);
    assert_int_equal(profile.n, 2);
    assert_int_equal(profile.joints[1].role, AW_ARMCTL_NO_ROLE);
    for (int i = 0; i < 4; i++) {
        record.v[scalar] = numbers[i];
        assert_int_equal(aw_armctl_scalar_joint(&profile, &record,
                                                aw_codec_find(record.codec, "angle"), &joint,
                                                &kind),
                         i == 1 || i == 2);
    }
}

/* Prints joint keys as "name.key=value" and their result, then the commands that such an arm
 * accepts. */

static void print_profile(const struct aw_armctl_profile *p, FILE *out)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct aw_armctl_joint *j = &p->joints[i];
        fprintf(out,
                "\tjoint %s %d kind %d role %d %g to %g home %g speed %g signed %d given %X min %d "
                "max %d\n",
                j->name, j->index, (int)j->kind, (int)j->role, j->min, j->max, j->home, j->speed,
                j->is_signed, j->given, aw_armctl_joint_gives(j, "min"),
                aw_armctl_joint_gives(j, "max"));
    }
    for (int role = AW_ARMCTL_R; role < AW_ARMCTL_ROLES; role++)
        fprintf(out, "\t%s is %d\n", aw_armctl_role_name((enum aw_armctl_role)role),
                aw_armctl_role_joint(p, (enum aw_armctl_role)role));
}

static void print_checks(const struct aw_armctl_profile *p, bool negatives, FILE *out)
{
    static const struct {
        const char *name, *pairs[7];
    } cases[] = {{"deg", {"joint", "1", "angle", "80"}},
                 {"deg", {"joint", "1", "angle", "-80"}},
                 {"deg", {"joint", "4", "angle", "361"}},
                 {"deg", {"joint", "2", "angle", "10"}},
                 {"pos", {"joint", "2", "position", "999"}},
                 {"pos", {"joint", "2", "position", "-5"}},
                 {"pos", {"joint", "5", "position", "7"}},
                 {"pulse", {"joint", "5", "pulse", "1000"}},
                 {"pulse", {"joint", "5", "pulse", "2000"}},
                 {"pulse", {"joint", "5", "pulse", "2001"}},
                 {"pulse", {"joint", "5", "pulse", "999"}},
                 {"pos", {"position", "5"}},
                 {"deg", {"joint", "3"}},
                 {"arm", {"r", "250", "theta", "45", "h", "120"}},
                 {"arm", {"r", "-1", "theta", "-45", "h", "999"}},
                 {"arm", {"theta", "360"}},
                 {"arm", {"h", "301"}},
                 {"spd", {"speed", "50"}},
                 {"duty", {"joint", "1", "duty", "5"}},
                 {"mov", {"distance", "-50"}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_error err = {.text = ""};
        struct aw_record record = command(cases[i].name, cases[i].pairs);
        enum aw_status status = aw_armctl_profile_check(p, negatives, &record, &err);
        fprintf(out, "\t%s %zu: %d %s; %d ms;", cases[i].name, i, (int)status,
                status == AW_OK ? "" : err.text, aw_armctl_profile_longest_ms(p, &record));
        for (int k = 0; k < record.codec->n_scalars; k++) {
            int joint = -1;
            enum aw_armctl_kind kind = AW_ARMCTL_ROTATE;
            if (aw_armctl_scalar_joint(p, &record, k, &joint, &kind))
                fprintf(out, " %s moves %d %s", record.codec->scalars[k].field->name, joint,
                        aw_armctl_kind_unit(kind));
        }
        fputc('\n', out);
    }
}

static void print_parsed(const char *input, size_t i, FILE *out)
{
    struct aw_armctl_profile profile = {0};
    struct aw_error err = {.text = ""};
    enum aw_status status = AW_OK;
    char name[40], key[20], value[20];
    for (const char *next = input; status == AW_OK && *next;
         next += strcspn(next, " "), next += strspn(next, " ")) {
        assert_int_equal(sscanf(next, "%39[^.].%19[^=]=%19s", name, key, value), 3);
        status = aw_armctl_profile_set(&profile, name, key, value, &err);
    }
    if (status == AW_OK)
        status = aw_armctl_profile_finish(&profile, &err);
    fprintf(out, "%d %s\n", (int)status, err.text);
    if (status != AW_OK)
        return;
    print_profile(&profile, out);
    if (i < 2)
        print_checks(&profile, i == 1, out);
}

TEST(profiles_match_the_picture)
{
    FILE *out = begin_picture();
    print_cases("profiles-armctl.txt", print_parsed, out);
    fputs("no profile\n", out);
    print_checks(NULL, true, out);
    end_picture(out, "profiles-armctl.txt");
}
