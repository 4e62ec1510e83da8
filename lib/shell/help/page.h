/* Prints help: headings, rows, paragraphs and examples, for a terminal, as a manual page or as
 * Markdown. */
#ifndef AW_SHELL_HELP_PAGE_H
#define AW_SHELL_HELP_PAGE_H

#include "shell/session/session.h"

enum aw_page_form {
    AW_PAGE_TEXT,
    AW_PAGE_MAN, /* man(7) macros */
    AW_PAGE_MARKDOWN,
};

/* The last part written. A blank line separates parts of different kinds, and paragraphs. */
enum aw_page_part { AW_PAGE_START, AW_PAGE_HEADING, AW_PAGE_ROW, AW_PAGE_PARAGRAPH, AW_PAGE_CODE };

struct aw_page {
    struct aw_session *session;
    struct aw_output *out;
    enum aw_page_form form;
    const char *bold, *plain;
    /* columns of the terminal, at most 100; 0: no terminal, so lines do not wrap and grep works on
     * them */
    int width;
    int depth; /* level of headings in a manual page: 0 .SH, 1 .SS, 2 a plain line */
    enum aw_page_part last;
};

struct aw_page aw_page_open(struct aw_session *session, enum aw_page_form form);

/* Prints "deg — turn joints to angles"; prints nothing in a manual page, which has its own
 * title. */
void aw_page_add_title(struct aw_page *page, const char *name, const char *summary);
void aw_page_add_heading(struct aw_page *page, const char *text);
void aw_page_add_row(struct aw_page *page, const char *left, const char *right);

/* Prints a label and a list of names. On a terminal the names wrap in a narrow column. */
void aw_page_add_list(struct aw_page *page, const char *left, const char *items);

void aw_page_add_text(struct aw_page *page, const char *text); /* a paragraph */
void aw_page_add_code(struct aw_page *page, const char *line); /* a line to type verbatim */

/* Prints the Markdown of a topic: paragraphs, "## heading", two-column tables, ``` blocks, `words`.
 * A section with a lower-case heading of one word belongs to the tool of that name. It is shown
 * only for that tool, or for all if tool is NULL. Skips the first line, the title, and the header
 * rows of tables. */
void aw_page_add_markdown(struct aw_page *page, const char *text, const char *tool);

#endif
