/* Tests the markup of topics in the three forms of help. */
#include "shell_helper.h"

#include <pty.h>
#include <sys/ioctl.h>

#include "picture_helper.h"
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
                             "| name | meaning |\n"
                             "|---|---|\n"
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
     "| name | meaning |\n|---|---|\n| `a, b` | left \\| right |\n"
     "\n## A heading\n\n"
     "    .code -x\n"
     "\n## rig\n\n"
     "Ours.\n"
     "\n## other\n\n"
     "| name | meaning |\n|---|---|\n| `c` | d |\n"
     "\nNot ours.\n"},
};

TEST(topic_is_printed_in_each_form)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct aw_session *session = rig_new(&rig_tool);
        struct aw_page page = aw_page_open(session, forms[i].form);
        page.depth = 1;
        page.last = AW_PAGE_HEADING;
        aw_page_add_markdown(&page, source, forms[i].tool);
        session->out.buffer[session->out.used] = '\0';
        assert_string_equal(session->out.buffer, forms[i].wanted);
        session->out.used = 0;
        rig_free(session);
    }
}

TEST(topic_row_is_found_by_tool_and_word)
{
    static const struct {
        const char *tool, *word, *row;
    } all[] = {{"other", "c", "d"}, {"other", "a", ""}, {"rig", "c", ""}, {"none", "c", ""}};
    const struct aw_topic topic = {"sample", source};
    char row[64];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_string_equal(aw_find_topic_row(&topic, all[i].tool, all[i].word, row, sizeof row),
                            all[i].row);
}

TEST(every_topic_starts_with_its_name_and_a_summary)
{
    char summary[128], start[64];
    for (const struct aw_topic *topic = aw_topics; topic->name; topic++) {
        snprintf(start, sizeof start, "# %s — ", topic->name);
        assert_memory_equal(topic->text, start, strlen(start));
        assert_true(*aw_write_topic_summary(topic, summary));
        assert_ptr_equal(aw_find_topic(topic->name), topic);
    }
    assert_null(aw_find_topic("topic"));
}

static void show_page(struct aw_page *page)
{
    aw_page_add_title(page, "rig", "a page");
    aw_page_add_text(page, "One line that is as long as it takes to be cut into lines of the "
                           "terminal, `two words` of it quoted.");
    aw_page_add_row(page, "--short",
                    "words behind it, enough of them to have to go on below themselves");
    aw_page_add_row(page, "----------------------26-…", "ö");
    aw_page_add_row(page, "-----------------------27-…", "ö");
    aw_page_add_list(page, "move",
                     "a list of words, which goes on below its first word where there is no more "
                     "room in it");
    aw_page_add_heading(page, "Heading");
    aw_page_add_code(page, "code");
    aw_page_add_code(page, "more code");
    aw_page_add_row(page, "a, `b`", "c `d` `e f` `'g h'` ` i` j");
    aw_page_add_text(page, "one");
    aw_page_add_text(page, "two");
}

/* Prints with several widths of the terminal (0: none), with and without colours. */
TEST(pages_are_wrapped_to_the_terminal)
{
    static const unsigned short columns[] = {0, 30};
    FILE *all = begin_picture();
    assert_non_null(all);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        struct aw_session *session = rig_new(&rig_tool);
        int terminal = -1;
        struct winsize room = {.ws_row = 24, .ws_col = columns[i]};
        if (columns[i])
            assert_int_equal(openpty(&terminal, &session->out.fd, NULL, NULL, &room), 0);
        session->out.charset = AW_CHARSET_UTF8;
        session->out.color = i % 2;
        struct aw_page page = aw_page_open(session, AW_PAGE_TEXT);
        show_page(&page);
        fprintf(all, "---- %u columns\n%.*s", columns[i], (int)session->out.used,
                session->out.buffer);
        if (terminal >= 0)
            close(terminal);
        rig_free(session);
    }
    end_picture(all, "shell-pages.txt");
}

/* Prints the same page, and one with headings of all depths, as man page and Markdown. */
TEST(pages_are_printed_as_man_and_markdown)
{
    FILE *all = begin_picture();
    assert_non_null(all);
    for (enum aw_page_form form = AW_PAGE_MAN; form <= AW_PAGE_MARKDOWN; form++)
        for (int depth = form == AW_PAGE_MAN; depth < (form == AW_PAGE_MAN ? 2 : 1); depth++) {
            struct aw_session *session = rig_new(&rig_tool);
            session->out.charset = AW_CHARSET_UTF8;
            struct aw_page page = aw_page_open(session, form);
            page.depth = depth;
            aw_page_add_heading(&page, "exit-codes of it");
            aw_page_add_text(&page, "'fresh' -x \\ `bold -y`");
            aw_page_add_code(&page, ".a 'b'");
            aw_page_add_code(&page, "'c");
            aw_page_add_row(&page, "`left | one`", "right | one");
            aw_page_add_row(&page, "left", "right");
            aw_page_add_heading(&page, "more");
            aw_page_add_code(&page, "first");
            show_page(&page);
            aw_page_add_markdown(&page,
                                 "# title\n\n## one\n\n| | |\n|---|---|\n| a \\| b  |  c \\| d  |\n"
                                 "| |  |\n| only |\n|   | right |\n|   |   |\n|no "
                                 "row|\n\nText\n\n```\ncode\n\n## code\n| c |\n```\n"
                                 "end | of\nit",
                                 NULL);
            fprintf(all, "---- form %d, depth %d\n%.*s", (int)form, depth, (int)session->out.used,
                    session->out.buffer);
            rig_free(session);
        }
    end_picture(all, "shell-forms.txt");
}
