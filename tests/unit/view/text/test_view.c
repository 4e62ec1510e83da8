#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/canpid/wire.h"
#include "protocol/unitysim/wire.h"
#include "view/text/view.h"

static struct aw_wire wire;
static char line[AW_VIEW_MAX + 1];

static int start(void **state)
{
    (void)state;
    aw_wire_init(&wire, &aw_unitysim_protocol, NULL, false);
    return 0;
}

static struct aw_record feedback(void)
{
    struct aw_record record;
    const struct aw_codec *codec = aw_wire_codec(&wire, "feedback", AW_RX);
    aw_record_init(&record, codec, AW_RX);
    for (int i = 0; i < codec->n_scalars; i++)
        if (codec->scalars[i].value) {
            record.v[i] = codec->scalars[i].repetition;
            record.present |= UINT64_C(1) << i;
        }
    return record;
}

static const char *show(const struct aw_view_options *options, const struct aw_record *record)
{
    struct aw_error err;
    struct aw_view *view = aw_view_new(&wire, options, &err);
    if (!view)
        fail_msg("%s", err.text);
    line[aw_view_record(view, record, line)] = '\0';
    aw_view_free(view);
    return line;
}

static void json_nests_groups(void **state)
{
    static const char *const fields[] = {"elbow", "hand.position", NULL};
    struct aw_record record = feedback();
    (void)state;
    assert_string_equal(
        show(&(struct aw_view_options){.style = AW_STYLE_JSON, .fields = fields}, &record),
        "{\"dir\":\"rx\",\"msg\":\"feedback\",\"elbow\":{\"position\":1,\"velocity\":1},"
        "\"hand\":{\"position\":4}}\n");
}

static void no_data_is_null(void **state)
{
    static const char *const fields[] = {"elbow.position", NULL};
    struct aw_record record = feedback();
    (void)state;
    record.v[aw_codec_find(record.codec, "elbow.position")] = NAN;
    assert_string_equal(
        show(&(struct aw_view_options){.style = AW_STYLE_JSON, .fields = fields}, &record),
        "{\"dir\":\"rx\",\"msg\":\"feedback\",\"elbow\":{\"position\":null}}\n");
}

static void formats(void **state)
{
    struct aw_record record = feedback();
    (void)state;
    record.time_ns = 1500000000;
    assert_string_equal(show(&(struct aw_view_options){.style = AW_STYLE_FORMAT,
                                                       .format = "%{hand.position}\\t%{msg} %{t}"},
                             &record),
                        "4\tfeedback 1.500000\n");
}

static void csv_rows_have_the_columns_of_the_header(void **state)
{
    struct aw_record record = feedback();
    struct aw_view_options options = {.style = AW_STYLE_CSV};
    struct aw_view *view = aw_view_new(&wire, &options, NULL);
    size_t commas = 0;
    (void)state;
    line[aw_view_header(view, line)] = '\0';
    assert_int_equal(strncmp(line, "t,dir,msg,", 10), 0);
    for (const char *p = line; *p; p++)
        commas += *p == ',';
    line[aw_view_record(view, &record, line)] = '\0';
    for (const char *p = line; *p; p++)
        commas -= *p == ',';
    assert_int_equal(commas, 0);
    aw_view_free(view);
}

static void unknown_fields_are_refused(void **state)
{
    static const char *const fields[] = {"elbow.positoin", NULL};
    static const char *const formats[] = {"%{frob}", "%{elbow.position"};
    struct aw_error err;
    (void)state;
    assert_null(aw_view_new(&wire, &(struct aw_view_options){.fields = fields}, &err));
    assert_non_null(strstr(err.text, "elbow.position"));
    for (size_t i = 0; i < 2; i++)
        assert_null(aw_view_new(
            &wire, &(struct aw_view_options){.style = AW_STYLE_FORMAT, .format = formats[i]},
            &err));
}

static void times(void **state)
{
    (void)state;
    *aw_print_time(line, AW_TIME_ABS, 1700000000123456789, 0, 0) = '\0';
    assert_string_equal(line, "1700000000.123456");
    *aw_print_time(line, AW_TIME_ISO, 1700000000123456789, 0, 0) = '\0';
    assert_string_equal(line, "2023-11-14T22:13:20.123456Z");
    *aw_print_time(line, AW_TIME_REL, 3500000000, 1000000000, 0) = '\0';
    assert_string_equal(line, "2.500000");
    *aw_print_time(line, AW_TIME_DELTA, 3500000000, 0, 4000000000) = '\0';
    assert_string_equal(line, "-0.500000");
}

/* The largest float as a setpoint of 25 Nm is not infinite: JSON knows no infinity. */
static void scaled_values_may_be_more_than_a_float(void **state)
{
    static const char *const fields[] = {"value", NULL};
    const struct aw_view_options options = {.style = AW_STYLE_JSON, .fields = fields};
    const uint8_t frame[] = {0x44, 0, 0xFF, 0xFF, 0x7F, 0xFF, 2, 0};
    struct aw_record record;
    struct aw_error err;
    (void)state;
    aw_wire_init(&wire, &aw_canpid_protocol, NULL, false);
    struct aw_span in = {frame, sizeof frame};
    assert_int_equal(aw_wire_decode(&wire, AW_TX, in, &record, &err), AW_OK);
    record.time_ns = AW_NO_TIME;
    assert_string_equal(show(&options, &record),
                        "{\"dir\":\"tx\",\"msg\":\"setpoint\",\"value\":-8.50705867e+39}\n");
}

/* Times count from the last record that had one. */
static void a_record_without_a_time_leaves_the_times_alone(void **state)
{
    const struct aw_view_options options = {
        .style = AW_STYLE_FORMAT, .time = AW_TIME_DELTA, .format = "%{t}"};
    static const int64_t times[] = {1000000000, AW_NO_TIME, 3500000000};
    static const char *const shown[] = {"0.000000\n", "-\n", "2.500000\n"};
    struct aw_record record = feedback();
    struct aw_view *view = aw_view_new(&wire, &options, NULL);
    (void)state;
    assert_non_null(view);
    for (size_t i = 0; i < 3; i++) {
        record.time_ns = times[i];
        line[aw_view_record(view, &record, line)] = '\0';
        assert_string_equal(line, shown[i]);
    }
    aw_view_free(view);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(json_nests_groups, start),
        cmocka_unit_test_setup(no_data_is_null, start),
        cmocka_unit_test_setup(formats, start),
        cmocka_unit_test_setup(csv_rows_have_the_columns_of_the_header, start),
        cmocka_unit_test_setup(unknown_fields_are_refused, start),
        cmocka_unit_test_setup(times, start),
        cmocka_unit_test_setup(scaled_values_may_be_more_than_a_float, start),
        cmocka_unit_test_setup(a_record_without_a_time_leaves_the_times_alone, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
