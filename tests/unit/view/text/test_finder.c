#include "protocol/ezphys/wire.h"
#include "view/text/finder.h"
#include "view_helper.h"

static struct aw_finder finder;

/* Requires the points that a pattern selects in the record, each name followed by a blank. */
static void expect(const char *subject, size_t pattern, const char *names)
{
    uint64_t scalars = aw_finder_match(&finder, &rig->record, subject)[pattern];
    struct aw_point points[AW_MAX_SCALARS];
    char all[512] = "";
    size_t n = aw_record_some_points(&rig->names, &rig->record, scalars, subject, points, 64);
    for (size_t i = 0; i < n; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s ", points[i].name);
    assert_string_equal(all, names);
}

TEST_WITH(start_rig, stop_rig, patterns_select_fields)
{
    static const struct aw_select select = {
        .n = 5, .pattern = {"torque", "lknee", "rknee.torque", "*angle", "joint.torque"}};
    aw_finder_init(&finder, &rig->names, &select, AW_SUBJECTS_ANY);
    for (int again = 0; again < 2; again++) { /* the second round uses the cache */
        points_of("joint", AW_RX, "lknee", "torque=5");
        expect("lknee", 0, "lknee.torque ");
        expect("lknee", 1,
               "lknee.joint.board lknee.fix_link_angle lknee.alpha_angle lknee.torque ");
        expect("lknee", 2, "");
        expect("lknee", 3, "lknee.fix_link_angle lknee.alpha_angle ");
        expect("lknee", 4, "lknee.torque ");
        points_of("joint", AW_RX, "rknee", "torque=5");
        expect("rknee", 1, "");
        expect("rknee", 2, "rknee.torque ");
        expect("", 0, "torque ");
        points_of("sensors", AW_RX, "lknee", "");
        expect("lknee", 0, "");
        expect("lknee", 3, "lknee.lever_angle ");
    }
}

/* Uses more subjects than the cache holds, and one with an overlong name. */
TEST_WITH(start_rig, stop_rig, subjects_beyond_the_cache_are_found)
{
    static const struct aw_select select = {.n = 2, .pattern = {"torque", "s7.torque"}};
    char subject[200];
    points_of("joint", AW_RX, "lknee", "torque=5");
    aw_finder_init(&finder, &rig->names, &select, AW_SUBJECTS_ANY);
    for (int i = 0; i < 3 * AW_FINDER_SLOTS; i++) {
        char name[216];
        snprintf(subject, sizeof subject, "s%d", i % (2 * AW_FINDER_SLOTS));
        snprintf(name, sizeof name, "%s.torque ", subject);
        expect(subject, 0, name);
        expect(subject, 1, strcmp(subject, "s7") == 0 ? name : "");
    }
    memset(subject, 'x', sizeof subject - 1);
    subject[sizeof subject - 1] = '\0';
    assert_true(aw_finder_match(&finder, &rig->record, subject)[0] != 0);
}

TEST_WITH(start_rig, stop_rig, cached_lookups_do_not_evict_each_other)
{
    static const struct aw_select select = {.n = 1, .pattern = {"torque"}};
    static const char *const boards[] = {"lhip", "lknee", "lankle", "rhip", "rknee", "rankle"};
    static const char *const messages[] = {"joint", "pid", "sensors"};
    const uint64_t *places[18];
    aw_finder_init(&finder, &rig->names, &select, AW_SUBJECTS_ANY);
    for (size_t i = 0; i < 18; i++) {
        points_of(messages[i % 3], AW_RX, boards[i / 3], "");
        places[i] = aw_finder_match(&finder, &rig->record, boards[i / 3]);
        for (size_t k = 0; k < i; k++)
            assert_ptr_not_equal(places[i], places[k]);
    }
}

/* For patterns without a subject, one cache entry serves all boards. Patterns that may name a
 * subject need one entry per board. */
TEST_WITH(start_rig, stop_rig, patterns_without_a_subject_share_one_cache_entry)
{
    static const struct {
        const char *pattern;
        enum aw_subjects subjects;
        bool any_subject;
    } cases[] = {
        {"torque", AW_SUBJECTS_KNOWN, true},        {"torque", AW_SUBJECTS_BEFORE, true},
        {"torque", AW_SUBJECTS_ANY, false},         {"joint", AW_SUBJECTS_KNOWN, true},
        {"lknee", AW_SUBJECTS_KNOWN, false},        {"lknee.torque", AW_SUBJECTS_KNOWN, false},
        {"*torque", AW_SUBJECTS_KNOWN, false},      {"32", AW_SUBJECTS_KNOWN, false},
        {"joint.torque", AW_SUBJECTS_KNOWN, false}, {"nothing", AW_SUBJECTS_KNOWN, false},
    };
    EACH (row, cases) {
        const struct aw_select select = {.n = 1, .pattern = {row->pattern}};
        aw_finder_init(&finder, &rig->names, &select, row->subjects);
        assert_int_equal(finder.any_subject, row->any_subject);
        uint64_t of_rknee = 0;
        for (int again = 0; again < 2; again++) {
            points_of("joint", AW_RX, "rknee", "torque=5");
            of_rknee = *aw_finder_match(&finder, &rig->record, "rknee");
            points_of("joint", AW_RX, "lknee", "torque=5");
            uint64_t of_lknee = *aw_finder_match(&finder, &rig->record, "lknee");
            assert_int_equal(of_lknee != of_rknee, strncmp(row->pattern, "lknee", 5) == 0);
        }
    }
}

/* The identifier may differ in each record. */
TEST_WITH(start_rig, stop_rig, numeric_subjects_are_found)
{
    static const struct aw_select select = {.n = 1, .pattern = {"3"}};
    aw_wire_init(&rig->wire, &aw_ezphys_protocol, NULL, false);
    aw_names_init(&rig->names, &rig->wire);
    aw_finder_init(&finder, &rig->names, &select, AW_SUBJECTS_ANY);
    const struct aw_codec *codec = NULL;
    for (size_t m = 0; m < aw_ezphys_protocol.n_messages && !codec; m++)
        if (aw_codec_find(aw_wire_codec_at(&rig->wire, m), "id") >= 0)
            codec = aw_wire_codec_at(&rig->wire, m);
    assert_non_null(codec);
    for (int id = 2; id < 5; id++) {
        aw_record_init(&rig->record, codec, AW_RX);
        assert_int_equal(aw_record_set(&rig->record, "id", id, NULL), AW_OK);
        assert_int_equal(aw_finder_match(&finder, &rig->record, "")[0] != 0, id == 3);
    }
}
