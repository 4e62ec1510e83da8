#include "protocols.h"

#include "beyond_helper.h"
#include "picture_helper.h"
#include "view_helper.h"

TEST_WITH(start_rig, stop_rig, points_have_subject_and_field_names)
{
    points_of("joint", AW_RX, "lknee", "torque=-3.125");
    assert_int_equal(rig->n, 4);
    assert_string_equal(rig->points[0].field, "board");
    assert_true(rig->points[0].is_subject);
    assert_string_equal(rig->points[3].name, "lknee.torque");
    assert_string_equal(rig->points[3].field, "torque");
    assert_string_equal(rig->points[3].message, "joint");
    assert_string_equal(rig->points[3].subject, "lknee");
    assert_false(rig->points[3].is_subject);
    assert_true(rig->points[3].value == -3.125);
    assert_null(rig->points[3].text);
    assert_int_equal(aw_subject_scalar(&rig->record, "lknee"), rig->points[0].scalar);
    assert_int_equal(aw_subject_scalar(&rig->record, "rknee"), -1);
    rig->record.present = 0;
    assert_int_equal(aw_subject_scalar(&rig->record, "lknee"), -1);
}

/* Names of command fields differ from those of telemetry. */
TEST_WITH(start_rig, stop_rig, command_fields_are_prefixed)
{
    points_of("setpoint", AW_TX, "lknee", "controller=tor value=-5");
    assert_string_equal(rig->points[rig->n - 2].name, "lknee.setpoint.value");
    assert_string_equal(rig->points[rig->n - 1].text, "tor");
}

/* The unit of a name comes from the first message with that field. It is NULL if another field
 * selects it. */
TEST_WITH(start_rig, stop_rig, unit_is_found_by_name)
{
    aw_wire_init(&rig->wire, &aw_hidmotor_protocol, NULL, false);
    aw_names_init(&rig->names, &rig->wire);
    assert_string_equal(aw_names_unit(&rig->names, "m1.position"), "deg");
    assert_string_equal(aw_names_unit(&rig->names, "m1.setpoint"), "deg");
    assert_string_equal(aw_names_unit(&rig->names, "m1.velocity"), "deg/s");
    assert_null(aw_names_unit(&rig->names, "m1.effort"));
    assert_null(aw_names_unit(&rig->names, "position"));
}

TEST_WITH(start_rig, stop_rig, point_is_created_from_a_path)
{
    struct aw_point point;
    aw_path_point(&rig->names, "joint", "torque", 1.5, NULL, &point);
    assert_string_equal(point.name, "torque");
    assert_non_null(point.codec);
    assert_string_equal(aw_scalar_range(point.codec, point.scalar, NULL).unit, "Nm");
    aw_path_point(&rig->names, "positions", "m1.position", 1.5, NULL, &point);
    assert_null(point.codec);
    aw_path_point(&rig->names, NULL, "anything at all", NAN, "text", &point);
    assert_null(point.codec);
    assert_string_equal(point.text, "text");
    assert_true(isnan(point.value));
    assert_int_equal(point.scalar, -1);
    aw_wire_init(&rig->wire, &aw_armctl_protocol, NULL, false);
    aw_path_point(&rig->names, "deg", "seq", 1, NULL, &point);
    assert_int_equal(point.scalar, 0);
    assert_ptr_equal(point.codec, aw_wire_codec(&rig->wire, "deg", AW_RX));
}

/* Prints all points of all messages: names, positions, texts, and the subject. */
TEST(all_points_match_the_golden_file)
{
    static struct beyond copy;
    static struct aw_wire wire;
    static struct aw_names names;
    static struct aw_point points[AW_POINTS_MAX];
    FILE *out = begin_picture();
    for (size_t p = 0; p <= N_PROTOCOLS; p += p + 2 < N_PROTOCOLS ? 2 : 1) {
        const struct aw_protocol *protocol = p < N_PROTOCOLS ? protocols[p] : &aw_ezphys_protocol;
        beyond_init(&copy, &wire, protocol, p < N_PROTOCOLS ? NULL : text_variant(protocol));
        aw_names_init(&names, &wire);
        for (size_t m = 0; m < 2 * protocol->n_messages; m++) {
            const struct aw_codec *codec = aw_wire_codec_at(&wire, m / 2);
            enum aw_dir dir = m % 2 ? AW_TX : AW_RX;
            struct aw_record record;
            if (!(codec->message->dir & dir))
                continue;
            aw_record_init(&record, codec, dir);
            record.present = UINT64_MAX;
            strcpy(record.text, "bob");
            for (int i = 0; i < AW_MAX_SCALARS; i++)
                record.v[i] = i < codec->n_scalars ? 1 : 7;
            assert_int_equal(aw_subject_scalar(&record, "QQQ"), -1);
            const char *subject = codec->protocol->frames.is_can ? "lknee" : "bob";
            size_t n = aw_record_points(&names, &record, subject, points, AW_POINTS_MAX);
            fprintf(out, "%s %s:", m % 2 ? "->" : "<-", codec->message->name);
            for (size_t i = 0; i < n; i++)
                fprintf(out, " %u %s%s%s%s", points[i].order, points[i].name,
                        points[i].is_subject ? "!" : "", points[i].text ? "=" : "",
                        points[i].text ? points[i].text : "");
            fputc('\n', out);
        }
    }
    end_picture(out, "points.txt");
}

#define ROOM (AW_POINT_NAME - 2) /* the longest part */

/* Parts that do not fit into the name are omitted. */
TEST(overlong_name_parts_are_omitted)
{
    static const struct {
        size_t first, second; /* in bytes */
        size_t joined;
    } rows[] = {{ROOM, 0, ROOM},    {ROOM + 1, 0, 0},
                {ROOM + 1, 5, 5},   {0, 0, 0},
                {0, 7, 7},          {10, ROOM - 10, ROOM + 1},
                {10, ROOM - 9, 10}, {ROOM - 1, 1, ROOM + 1},
                {ROOM, 1, ROOM},    {1, 1, 3}};
    char first[2 * AW_POINT_NAME], second[2 * AW_POINT_NAME], out[AW_POINT_NAME + 8];
    EACH (row, rows) {
        snprintf(first, sizeof first, "%0*d", (int)row->first, 0);
        snprintf(second, sizeof second, "%0*d", (int)row->second, 0);
        first[row->first] = second[row->second] = '\0';
        memset(out, '#', sizeof out);
        aw_point_join(out, (const char *[]){first, second, "cc"}, 2);
        if (strlen(out) != row->joined)
            fail_msg("%zu and %zu: %s", row->first, row->second, out);
        assert_true(!strchr(out, '.') ==
                    (row->joined < 3 || row->joined == row->first || row->joined == row->second));
    }
}
