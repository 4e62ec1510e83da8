
#include "picture_helper.h"
#include "protocol/armctl/profile.h"
#include "protocol/armctl/wire.h"
#include "test.h"

static struct aw_wire wire;

/* Returns the record of a command, "deg joint=1 angle=90". */
static struct aw_record command(const char *text)
{
    struct aw_record record;
    char words[80], *save, *word;
    snprintf(words, sizeof words, "%s", text);
    aw_wire_init(&wire, &aw_armctl_protocol, NULL, false);
    word = strtok_r(words, " ", &save);
    aw_record_init(&record, aw_wire_codec(&wire, word, AW_TX), AW_TX);
    while ((word = strtok_r(NULL, " ", &save)) != NULL) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        assert_int_equal(aw_record_set_text(&record, word, value, NULL), AW_OK);
    }
    return record;
}

/* Sets the keys of joints, "base.index=1 base.max=90". */
static enum aw_status set_all(struct aw_armctl_profile *profile, const char *text,
                              struct aw_error *err)
{
    char words[400], *save, *word = words;
    snprintf(words, sizeof words, "%s", text);
    for (word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *key = strchr(word, '.'), *value = strchr(word, '=');
        *key++ = *value++ = '\0';
        enum aw_status status = aw_armctl_profile_set(profile, word, key, value, err);
        if (status != AW_OK)
            return status;
    }
    return aw_armctl_profile_finish(profile, err);
}

static struct aw_armctl_profile profile_of(const char *text)
{
    struct aw_armctl_profile profile = {0};
    assert_int_equal(set_all(&profile, text, NULL), AW_OK);
    return profile;
}

#define ARM                                                                                        \
    "base.index=1 base.min=-90 base.max=90 base.speed=45 lift.index=2 lift.kind=translate "        \
    "lift.max=300 lift.home=20 elbow.index=4 elbow.max=180 elbow.signed=no"
#define ROLES                                                                                      \
    "waist.index=5 waist.role=theta waist.max=120 mast.index=6 mast.kind=translate mast.role=h "   \
    "mast.max=300 boom.index=2 boom.kind=translate boom.role=r boom.max=200"

TEST(joints_are_found_and_have_defaults)
{
    struct aw_armctl_profile profile = profile_of(ARM);
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

TEST(commands_are_checked_against_the_profile)
{
    static const struct {
        const char *keys, *command; /* error; NULL: no profile */
        bool negatives;
        enum aw_status status;
        const char *says;
    } cases[] = {
        {ARM, "deg joint=4 angle=400", false, AW_LIMIT,
         "elbow: 400 deg is above its maximum 180 deg — change [joint elbow] in the config file, "
         "or give --force"},
        {ARM, "deg joint=1 angle=-91", true, AW_LIMIT,
         "base: -91 deg is below its minimum -90 deg"},
        {ARM, "deg joint=1 angle=-90", false, AW_OK, ""},
        {ARM, "deg joint=2 angle=10", false, AW_USAGE, "use pos"},
        {ARM, "arm r=250 theta=45 h=120", false, AW_OK, ""},
        {ARM, "arm r=250 theta=91 h=120", false, AW_LIMIT, "base:"},
        {ARM, "arm r=250 theta=45 h=301", false, AW_LIMIT, "lift: 301 mm"},
        {ROLES, "arm r=201 theta=90 h=300", false, AW_LIMIT, "boom: 201 mm"},
        {ROLES, "arm r=200 theta=121 h=300", false, AW_LIMIT, "waist: 121 deg"},
        {ROLES, "arm r=200 theta=120 h=301", false, AW_LIMIT, "mast: 301 mm"},
        {ROLES, "arm r=200 theta=120 h=300", false, AW_OK, ""},
        {"elbow.index=2", "arm r=250 theta=45 h=120", false, AW_USAGE,
         "elbow: the arm command uses joint 2 for h by default, which needs a translating joint "
         "(mm), not a rotating one — in the config file, give another joint role = h"},
        {"boom.index=2 boom.kind=translate boom.role=r", "arm r=250 theta=45 h=120", false,
         AW_USAGE,
         "boom: the arm command uses joint 2 for h by default, but its role is r — in the config "
         "file, give another joint role = h"},
        {NULL, "deg joint=7 angle=361", false, AW_LIMIT, "joint 7: 361 deg"},
        {NULL, "deg joint=7 angle=-1", false, AW_LIMIT, "--signed"},
        {NULL, "deg joint=7 angle=-1", true, AW_OK, ""},
        {NULL, "pos joint=0 position=999", false, AW_OK, ""},
        {NULL, "mov distance=-250", false, AW_OK, ""},
    };
    EACH (c, cases) {
        struct aw_error err = {.text = ""};
        struct aw_armctl_profile profile = profile_of(c->keys ? c->keys : "");
        struct aw_record record = command(c->command);
        enum aw_status status =
            aw_armctl_profile_check(c->keys ? &profile : NULL, c->negatives, &record, &err);
        if (status != c->status || !strstr(err.text, c->says))
            fail_msg("%s: %d %s", c->command, (int)status, err.text);
    }
    struct aw_armctl_profile profile = profile_of(ROLES);
    assert_int_equal(aw_armctl_role_joint(&profile, AW_ARMCTL_R), 2);
    assert_int_equal(aw_armctl_role_joint(&profile, AW_ARMCTL_THETA), 5);
    assert_int_equal(aw_armctl_role_joint(NULL, AW_ARMCTL_R), AW_ARMCTL_REACH);
    assert_int_equal(aw_armctl_role_joint(NULL, AW_ARMCTL_THETA), AW_ARMCTL_BASE);
    assert_int_equal(aw_armctl_role_joint(NULL, AW_ARMCTL_H), AW_ARMCTL_LIFT);
}

TEST(longest_motion_time_is_calculated)
{
    struct aw_armctl_profile profile = profile_of(ARM);
    struct aw_record record = command("deg joint=1 angle=10");
    assert_int_equal(aw_armctl_profile_max_ms(&profile, &record), 4000);
    record = command("deg joint=4 angle=10");
    assert_int_equal(aw_armctl_profile_max_ms(&profile, &record), 0);
    struct aw_armctl_joint *slow = &profile.joints[0];
    record = command("deg joint=1 angle=10");
    slow->speed = 1;
    slow->max = slow->min + 3599;
    assert_int_equal(aw_armctl_profile_max_ms(&profile, &record), 3599000);
    slow->max = slow->min + 3600; /* an hour means unknown */
    assert_int_equal(aw_armctl_profile_max_ms(&profile, &record), 0);
}

TEST(invalid_joint_numbers_are_no_joint)
{
    struct aw_armctl_profile profile = {.n = 1};
    struct aw_record record = command("deg joint=1 angle=10");
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

static void print_profile(const struct aw_armctl_profile *p, FILE *out)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct aw_armctl_joint *j = &p->joints[i];
        fprintf(out,
                "\tjoint %s %d kind %d role %d %g to %g home %g speed %g signed %d given %X min %d "
                "max %d\n",
                j->name, j->index, (int)j->kind, (int)j->role, j->min, j->max, j->home, j->speed,
                j->is_signed, j->given, aw_armctl_joint_has_key(j, "min"),
                aw_armctl_joint_has_key(j, "max"));
    }
    for (int role = AW_ARMCTL_R; role < AW_ARMCTL_ROLES; role++)
        fprintf(out, "\t%s is %d\n", aw_armctl_role_name((enum aw_armctl_role)role),
                aw_armctl_role_joint(p, (enum aw_armctl_role)role));
}

static void print_checks(const struct aw_armctl_profile *p, bool negatives, FILE *out)
{
    static const char *const cases[] = {"deg joint=1 angle=80",
                                        "deg joint=1 angle=-80",
                                        "deg joint=4 angle=361",
                                        "deg joint=2 angle=10",
                                        "pos joint=2 position=999",
                                        "pos joint=2 position=-5",
                                        "pos joint=5 position=7",
                                        "pulse joint=5 pulse=1000",
                                        "pulse joint=5 pulse=2000",
                                        "pulse joint=5 pulse=2001",
                                        "pulse joint=5 pulse=999",
                                        "pos position=5",
                                        "deg joint=3",
                                        "arm r=250 theta=45 h=120",
                                        "arm r=-1 theta=-45 h=999",
                                        "arm theta=360",
                                        "arm h=301",
                                        "spd speed=50",
                                        "duty joint=1 duty=5",
                                        "mov distance=-50"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_error err = {.text = ""};
        struct aw_record record = command(cases[i]);
        enum aw_status status = aw_armctl_profile_check(p, negatives, &record, &err);
        fprintf(out, "\t%s %zu: %d %s; %d ms;", record.codec->message->name, i, (int)status,
                status == AW_OK ? "" : err.text, aw_armctl_profile_max_ms(p, &record));
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

/* Sets keys given as "name.key=value"; prints the error or the profile. For the first two cases,
 * also prints whether it accepts each sample command. */
static void print_parsed(const char *input, size_t i, FILE *out)
{
    struct aw_armctl_profile profile = {0};
    struct aw_error err = {.text = ""};
    enum aw_status status = set_all(&profile, input, &err);
    fprintf(out, "%d %s\n", (int)status, err.text);
    if (status != AW_OK)
        return;
    print_profile(&profile, out);
    if (i < 2)
        print_checks(&profile, i == 1, out);
}

TEST(profiles_match_the_golden_file)
{
    FILE *out = begin_picture();
    print_cases("profiles-armctl.txt", print_parsed, out);
    fputs("no profile\n", out);
    print_checks(NULL, true, out);
    end_picture(out, "profiles-armctl.txt");
}
