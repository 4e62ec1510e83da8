/* Tests values as text in each format, their names, and words that represent one value. */
#include "view/text/value.h"

#include "wire/rows.h"

#include <float.h>

#include "protocols.h"

#include "beyond_helper.h"
#include "picture_helper.h"

TEST(numbers_are_printed_in_each_format)
{
    static const struct {
        double value;
        uint8_t how, decimals;
        const char *text;
    } rows[] = {
        {5, HOW_INT, 0, "5"},
        {-5, HOW_INT, 3, "-5"},
        {0x1p63, HOW_INT, 0, "9.2233720368547758e+18"},
        {-0x1p62, HOW_INT, 0, "-4611686018427387904"},
        {1e20, HOW_INT, 0, "1e+20"},
        {1e39, HOW_INT, 0, "1e+39"},
        {(double)FLT_MAX, HOW_FLOAT, 0, "3.4028235e+38"},
        {-2 * (double)FLT_MAX, HOW_FLOAT, 0, "-6.80564693e+38"},
        {1e39, HOW_FIXED, 2, "1e+39"},
        {1.25, HOW_FIXED, 2, "1.25"},
        {1.25, HOW_FIXED, 1, "1.3"},
        {0.1F, HOW_FLOAT, 0, "0.1"},
        {7, HOW_NAMED, 0, "7"},
    };
    char text[64];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *aw_print_how(text, rows[i].value, rows[i].how, rows[i].decimals) = '\0';
        assert_string_equal(text, rows[i].text);
    }
}

TEST(boolean_names_are_detected)
{
    static const struct aw_name list[] = {{3, "three"}, {0, "none"}, {0}};
    static const struct aw_name yes[] = {{1, "true"}, {0, "false"}, {0}},
                                no[] = {{0, "false"}, {0}};
    assert_true(aw_is_truth(&(struct aw_field){.names = yes}));
    assert_true(aw_is_truth(&(struct aw_field){.names = no}));
    static const struct aw_name both[] = {{1, "yes"}, {2, "true"}, {0}};
    assert_false(aw_is_truth(&(struct aw_field){.names = list}));
    assert_false(aw_is_truth(&(struct aw_field){.names = both})); /* ambiguous as a JSON boolean */
    assert_false(aw_is_truth(&(struct aw_field){.names = NULL}));
}

/* Prints the format of each field of each protocol, as value and as wire number, and the named
 * values. */
TEST(fields_match_the_picture)
{
    static struct beyond copy;
    static struct aw_wire wire;
    char name[64];
    FILE *out = begin_picture();
    for (size_t p = 0; p < 2 * N_PROTOCOLS; p += 3) {
        beyond_init(&copy, &wire, protocols[p / 2], NULL);
        for (size_t m = 0; m < protocols[p / 2]->n_messages; m++) {
            const struct aw_codec *codec = aw_wire_codec_at(&wire, m);
            wire.codecs[m].raw = p % 2;
            fprintf(out, "%s%s:", codec->message->name, p % 2 ? " raw" : "");
            for (int i = 0; i < codec->n_scalars; i++) {
                if (!codec->scalars[i].value || codec->scalars[i].repetition > 1)
                    continue;
                struct aw_record record;
                aw_record_init(&record, codec, AW_RX);
                aw_scalar_name(&codec->scalars[i], name, sizeof name);
                fprintf(out, " %s %u.%u", name, aw_scalar_how(codec, i),
                        aw_scalar_decimals(codec, i));
                for (int v = -300; v < 5000; v++) {
                    record.v[i] = v / 4.0;
                    if (aw_value_word(&record, i))
                        fprintf(out, " %g=%s", v / 4.0, aw_value_word(&record, i));
                }
            }
            fputc('\n', out);
        }
    }
    end_picture(out, "view-fields.txt");
}
