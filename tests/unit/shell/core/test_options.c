#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/options.h"

static const char *const sizes[] = {"small", "large", NULL};
static const struct aw_option table[] = {
    {.name = "ack-timeout", .value = "TIME", .fallback = "2s", .unit = "s", .min = 0.1, .max = 60},
    {.name = "size", .letter = 's', .value = "SIZE", .choices = sizes},
    {.name = "loud", .help = "a switch"},
    {.name = "name", .value = "TEXT"},
    {0},
};

static struct aw_options options;

static int fresh(void **state)
{
    (void)state;
    options.n = 0;
    aw_options_add(&options, table);
    return 0;
}

static enum aw_status set(const char *name, const char *text, enum aw_origin origin)
{
    return aw_options_set(&options, name, text, origin, NULL);
}

static void the_higher_rank_counts_in_any_order(void **state)
{
    static const char *const texts[] = {"1s", "3s", "4s", "5s"};
    (void)state;
    for (unsigned first = AW_FROM_CONFIG; first <= AW_FROM_COMMAND_LINE; first++)
        for (unsigned second = AW_FROM_CONFIG; second <= AW_FROM_COMMAND_LINE; second++) {
            fresh(NULL);
            assert_int_equal(set("ack-timeout", texts[first], (enum aw_origin)first), AW_OK);
            assert_int_equal(set("ack-timeout", texts[second], (enum aw_origin)second), AW_OK);
            unsigned winner = first > second ? first : second;
            const struct aw_option_value *value = aw_options_find(&options, "ack-timeout");
            assert_string_equal(value->text, texts[winner]);
            assert_int_equal(value->origin, winner);
        }
}

static void defaults(void **state)
{
    (void)state;
    assert_string_equal(aw_options_find(&options, "ack-timeout")->text, "2s");
    assert_null(aw_options_find(&options, "loud")->text);
    assert_null(aw_options_find(&options, "nope"));
    assert_string_equal(aw_options_find_letter(&options, 's')->option->name, "size");
}

static void values_are_checked(void **state)
{
    struct aw_error err;
    (void)state;
    assert_int_equal(set("ack-timeout", "soon", AW_FROM_CONFIG), AW_USAGE);
    assert_int_equal(set("ack-timeout", "5mm", AW_FROM_CONFIG), AW_USAGE);
    assert_int_equal(set("ack-timeout", "61s", AW_FROM_CONFIG), AW_LIMIT);
    assert_int_equal(set("ack-timeout", "500ms", AW_FROM_CONFIG), AW_OK);
    assert_int_equal(set("name", "", AW_FROM_CONFIG), AW_USAGE);
    assert_int_equal(aw_options_set(&options, "size", "smal", AW_FROM_CONFIG, &err), AW_USAGE);
    assert_non_null(strstr(err.text, "did you mean 'small'?"));
    assert_int_equal(aw_options_set(&options, "szie", "small", AW_FROM_CONFIG, &err), AW_USAGE);
    assert_non_null(strstr(err.text, "--size"));
}

static void switches(void **state)
{
    (void)state;
    assert_int_equal(set("loud", "yes", AW_FROM_CONFIG), AW_OK);
    assert_non_null(aw_options_find(&options, "loud")->text);
    assert_int_equal(set("loud", "no", AW_FROM_ENVIRONMENT), AW_OK);
    assert_null(aw_options_find(&options, "loud")->text);
    assert_int_equal(set("loud", "perhaps", AW_FROM_CONFIG), AW_USAGE);
}

static void environment(void **state)
{
    char name[64];
    struct aw_error err;
    (void)state;
    aw_option_variable("armctl", "ack-timeout", name, sizeof name);
    assert_string_equal(name, "ARMCTL_ACK_TIMEOUT");
    setenv(name, "7s", 1);
    assert_int_equal(aw_options_from_environment(&options, "armctl", &err), AW_OK);
    assert_string_equal(aw_options_find(&options, "ack-timeout")->text, "7s");
    setenv(name, "soon", 1);
    assert_int_equal(aw_options_from_environment(&options, "armctl", &err), AW_USAGE);
    assert_non_null(strstr(err.text, name));
    unsetenv(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_higher_rank_counts_in_any_order, fresh),
        cmocka_unit_test_setup(defaults, fresh),
        cmocka_unit_test_setup(values_are_checked, fresh),
        cmocka_unit_test_setup(switches, fresh),
        cmocka_unit_test_setup(environment, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
