/* What topics are written in, in the three forms of help. */
#include "shell_helper.h"

#include "shell/help/topics.h"

static const char source[] = "# sample — a topic\n"
                             "\n"
                             "One line\n"
                             "and `two words` more.\n"
                             "\n"
                             "| | |\n"
                             "|---|---|\n"
                             "| a, b | left \\| right |\n"
                             "\n"
                             "## A heading\n"
                             "\n"
                             "```\n"
                             ".code -x\n"
                             "```\n"
                             "## rig\n"
                             "\n"
                             "Ours.\n"
                             "\n"
                             "## other\n"
                             "\n"
                             "| c | d |\n"
                             "Not ours.\n";

static const struct {
    enum aw_page_form form;
    const char *tool, *wanted;
} forms[] = {
    {AW_PAGE_TEXT, "rig",
     "One line and 'two words' more.\n"
     "\n"
     "  a, b                        left | right\n"
     "\n"
     "A heading\n"
     "  .code -x\n"
     "\n"
     "Ours.\n"},
    {AW_PAGE_MAN, "rig",
     ".PP\nOne line and \\fBtwo words\\fR more.\n"
     ".TP\n.B a, b\nleft | right\n"
     ".SS A heading\n"
     ".EX\n\\&.code \\-x\n.EE\n"
     ".PP\nOurs.\n"},
    {AW_PAGE_MARKDOWN, NULL,
     "One line and `two words` more.\n"
     "\n"
     "| | |\n|---|---|\n| `a, b` | left \\| right |\n"
     "\n## A heading\n\n"
     "    .code -x\n"
     "\n## rig\n\n"
     "Ours.\n"
     "\n## other\n\n"
     "| | |\n|---|---|\n| `c` | d |\n"
     "\nNot ours.\n"},
};

static void a_topic_in_each_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct aw_session *session = rig_new(&rig_tool);
        struct aw_page page = aw_page_open(session, forms[i].form);
        page.depth = 1;
        page.last = AW_PAGE_HEADING;
        aw_page_markdown(&page, source, forms[i].tool);
        session->out.buffer[session->out.used] = '\0';
        assert_string_equal(session->out.buffer, forms[i].wanted);
        session->out.used = 0;
        rig_free(session);
    }
}

static void a_row_is_found_by_its_word(void **state)
{
    static const struct {
        const char *tool, *word, *row;
    } all[] = {{"other", "c", "d"}, {"other", "a", ""}, {"rig", "c", ""}, {"none", "c", ""}};
    const struct aw_topic topic = {"sample", source};
    char row[64];
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_string_equal(aw_topic_row(&topic, all[i].tool, all[i].word, row, sizeof row),
                            all[i].row);
}

/* Each begins with its name and says what it is about. */
static void topics_have_a_title(void **state)
{
    char summary[128], start[64];
    (void)state;
    for (const struct aw_topic *topic = aw_topics; topic->name; topic++) {
        snprintf(start, sizeof start, "# %s — ", topic->name);
        assert_memory_equal(topic->text, start, strlen(start));
        assert_true(*aw_topic_summary(topic, summary));
        assert_ptr_equal(aw_topic_find(topic->name), topic);
    }
    assert_null(aw_topic_find("topic"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_topic_in_each_form),
        cmocka_unit_test(a_row_is_found_by_its_word),
        cmocka_unit_test(topics_have_a_title),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
