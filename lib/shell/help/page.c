/* Writes headings, rows, paragraphs and examples in one of three forms. */
#include "shell/help/page.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

#define COLUMNS_MAX    100 /* columns; wider text is hard to read */
#define NARROW_COLUMNS 64  /* narrower terminals have no room for two columns */
#define LEFT           28  /* start of the right column */
#define INDENTED       6   /* indent of text below the left column */
#define LIST_COLUMN    9   /* start of the words of a list */
#define LINE           2048

struct aw_page aw_page_open(struct aw_session *session, enum aw_page_form form)
{
    struct aw_page page = {
        .session = session, .out = &session->out, .form = form, .bold = "", .plain = ""};
    struct winsize size;
    if (session->out.color && form == AW_PAGE_TEXT) {
        page.bold = "\033[1m";
        page.plain = "\033[0m";
    }
    if (isatty(session->out.fd) && ioctl(session->out.fd, TIOCGWINSZ, &size) == 0)
        page.width = size.ws_col < COLUMNS_MAX ? size.ws_col : COLUMNS_MAX;
    return page;
}

/* Counts UTF-8 characters, not bytes: "…" is three bytes but one column. */
static int count_columns(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    return columns;
}

/* Prints words starting at column at, wraps them with this indent, and ends the last line. */
static void print_wrapped(const struct aw_page *page, int indent, int at, const char *text)
{
    bool is_first = true;
    for (; page->width && *text; text += strspn(text, " \n")) {
        size_t length = strcspn(text, " \n");
        int columns = count_columns(text, length);
        if (!is_first && at + 1 + columns > page->width) {
            aw_output_print(page->out, "\n%*s", indent, "");
            at = indent;
        } else if (!is_first) {
            aw_output_print(page->out, " ");
            at++;
        }
        aw_output_print(page->out, "%.*s", (int)length, text);
        at += columns;
        text += length;
        is_first = false;
    }
    aw_output_print(page->out, "%s\n", text);
}

/* Escapes a leading dot or quote, which man(7) would read as a macro, and hyphens, which it would
 * change to dashes. */
static void write_man(struct aw_output *out, const char *words)
{
    bool bold = false;
    if (*words == '.' || *words == '\'')
        aw_output_write(out, "\\&", 2);
    for (; *words; words++) {
        if (*words == '`') {
            bold = !bold;
            aw_output_write(out, bold ? "\\fB" : "\\fR", 3);
            continue;
        }
        if (*words == '-' || *words == '\\')
            aw_output_write(out, "\\", 1);
        aw_output_write(out, *words == '\\' ? "e" : words, 1);
    }
}

static void write_man_line(struct aw_output *out, const char *macro, const char *words)
{
    aw_output_print(out, "%s", macro);
    write_man(out, words);
    aw_output_write(out, "\n", 1);
}

/* Strips the backquotes of code spans. Replaces them with quotes around a span that contains
 * blanks. */
static const char *remove_marks(const char *text, char *out, size_t size)
{
    size_t n = 0;
    bool quoted = false, inside = false;
    for (; *text && n + 1 < size; text++) {
        if (*text != '`') {
            out[n++] = *text;
            continue;
        }
        inside = !inside;
        size_t length = strcspn(text + 1, "`");
        if (inside)
            quoted = text[1] != '\'' && memchr(text + 1, ' ', length);
        if (quoted)
            out[n++] = '\'';
    }
    out[n] = '\0';
    return out;
}

static bool begin_part(struct aw_page *page, enum aw_page_part part)
{
    bool is_first = page->last != part || part == AW_PAGE_PARAGRAPH;
    bool separate = is_first && page->last != AW_PAGE_HEADING && page->last != AW_PAGE_START;
    if (separate && page->form != AW_PAGE_MAN)
        aw_output_print(page->out, "\n");
    page->last = part;
    return is_first;
}

void aw_page_add_title(struct aw_page *page, const char *name, const char *summary)
{
    if (page->form == AW_PAGE_TEXT)
        aw_output_draw(page->out, "%s%s%s — %s\n", page->bold, name, page->plain, summary);
    else if (page->form == AW_PAGE_MARKDOWN)
        aw_output_print(page->out, "# %s — %s\n", name, summary);
    page->last = AW_PAGE_PARAGRAPH;
}

void aw_page_add_heading(struct aw_page *page, const char *text)
{
    static const char *const macros[] = {".SH ", ".SS ", ".PP\n.B "};
    page->last = AW_PAGE_HEADING;
    if (page->form == AW_PAGE_TEXT)
        aw_output_draw(page->out, "\n%s%s%s\n", page->bold, text, page->plain);
    else if (page->form == AW_PAGE_MARKDOWN)
        aw_output_print(page->out, "\n## %s\n\n", text);
    else if (page->depth > 0) {
        page->last = page->depth == 1 ? AW_PAGE_START : AW_PAGE_HEADING;
        write_man_line(page->out, macros[page->depth], text);
    } else {
        page->last = AW_PAGE_START;
        char upper[128];
        size_t n = 0;
        for (; text[n] && n + 1 < sizeof upper; n++)
            upper[n] = text[n] == '-' ? ' ' : (char)toupper((unsigned char)text[n]);
        upper[n] = '\0';
        write_man_line(page->out, macros[0], upper);
    }
}

static void print_text_row(const struct aw_page *page, const char *left, const char *right)
{
    char words[LINE];
    int columns = count_columns(left, strlen(left));
    bool is_narrow = page->width && page->width < NARROW_COLUMNS;
    bool is_below = is_narrow || columns > LEFT - 2;
    int indent = is_narrow ? INDENTED : LEFT + 2;
    aw_output_print(page->out, "  ");
    if (is_below)
        print_wrapped(page, INDENTED, 2, left);
    else
        aw_output_print(page->out, "%s", left);
    aw_output_print(page->out, "%*s", is_below ? indent : LEFT - columns, "");
    print_wrapped(page, indent, indent, remove_marks(right, words, sizeof words));
}

static void write_cell(struct aw_output *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            aw_output_write(out, "\\", 1);
        aw_output_write(out, text, 1);
    }
}

void aw_page_add_row(struct aw_page *page, const char *left, const char *right)
{
    char words[LINE];
    bool is_first = begin_part(page, AW_PAGE_ROW);
    if (page->form == AW_PAGE_TEXT) {
        print_text_row(page, remove_marks(left, words, sizeof words), right);
    } else if (page->form == AW_PAGE_MAN) {
        aw_output_print(page->out, ".TP\n");
        write_man_line(page->out, ".B ", remove_marks(left, words, sizeof words));
        write_man_line(page->out, "", right);
    } else {
        bool marked = strchr(left, '`') != NULL;
        aw_output_print(page->out, "%s| %s", is_first ? "| name | meaning |\n|---|---|\n" : "",
                        marked ? "" : "`");
        write_cell(page->out, left);
        aw_output_print(page->out, "%s | ", marked ? "" : "`");
        write_cell(page->out, right);
        aw_output_print(page->out, " |\n");
    }
}

void aw_page_add_list(struct aw_page *page, const char *left, const char *items)
{
    aw_output_draw(page->out, "%s%-*s%s", page->bold, LIST_COLUMN, left, page->plain);
    print_wrapped(page, LIST_COLUMN, LIST_COLUMN, items);
}

void aw_page_add_text(struct aw_page *page, const char *text)
{
    char words[LINE];
    /* A heading in a manual page starts a paragraph. */
    bool after_heading = page->last == AW_PAGE_START;
    begin_part(page, AW_PAGE_PARAGRAPH);
    if (page->form == AW_PAGE_TEXT) {
        print_wrapped(page, 0, 0, remove_marks(text, words, sizeof words));
    } else if (page->form == AW_PAGE_MAN) {
        write_man_line(page->out, after_heading ? "" : ".PP\n", text);
    } else {
        aw_output_print(page->out, "%s\n", text);
    }
}

void aw_page_add_code(struct aw_page *page, const char *line)
{
    bool after_heading = page->last == AW_PAGE_START, is_first = begin_part(page, AW_PAGE_CODE);
    if (page->form == AW_PAGE_MAN) {
        aw_output_print(page->out, "%s.EX\n", is_first && !after_heading ? ".PP\n" : "");
        write_man_line(page->out, "", line);
        aw_output_print(page->out, ".EE\n");
    } else {
        aw_output_print(page->out, "%s%s\n", page->form == AW_PAGE_TEXT ? "  " : "    ", line);
    }
}

/* Prints a table row "| left | right |", unless both cells are empty. Modifies line. */
static void print_markdown_row(struct aw_page *page, char *line)
{
    char *cells[2] = {line + 2, ""}, *to = line + 2;
    size_t n = 0;
    for (const char *from = line + 2; *from; from++) {
        bool escaped = from[0] == '\\' && from[1] == '|';
        bool ends = *from == '|' && (from[1] == ' ' || from[1] == '\0');
        from += escaped;
        if (!escaped && ends) {
            *to++ = '\0';
            while (from[1] == ' ')
                from++;
            if (++n < 2)
                cells[n] = to;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    for (size_t i = 0; i < 2; i++)
        for (size_t end = strlen(cells[i]); end > 0 && cells[i][end - 1] == ' ';)
            cells[i][--end] = '\0';
    if (*cells[0] || *cells[1])
        aw_page_add_row(page, cells[0], cells[1]);
}

/* State of the Markdown reader. */
struct markdown {
    struct aw_page *page;
    const char *tool;
    bool is_visible, is_code; /* inside a visible section; inside a ``` block */
    bool in_table;            /* after the header row of a table */
    char paragraph[LINE];
};

static void end_paragraph(struct markdown *m)
{
    if (*m->paragraph)
        aw_page_add_text(m->page, m->paragraph);
    *m->paragraph = '\0';
}

static void begin_section(struct markdown *m, const char *heading)
{
    bool is_of_tool = heading[strspn(heading, "abcdefghijklmnopqrstuvwxyz-")] == '\0';
    m->is_visible = !is_of_tool || !m->tool || strcmp(heading, m->tool) == 0;
    if (m->is_visible && !(is_of_tool && m->tool))
        aw_page_add_heading(m->page, heading);
}

static void read_markdown_line(struct markdown *m, char *line)
{
    bool is_fence = strncmp(line, "```", 3) == 0;
    bool is_heading = !m->is_code && strncmp(line, "## ", 3) == 0;
    if (is_fence || is_heading || *line == '|' || !*line)
        end_paragraph(m);
    if (is_heading)
        begin_section(m, line + 3);
    else if (is_fence)
        m->is_code = !m->is_code;
    else if (m->is_visible && (*line || m->is_code)) {
        if (m->is_code)
            aw_page_add_code(m->page, line);
        else if (*line != '|')
            aw_append(m->paragraph, sizeof m->paragraph, " ", "%s", line);
        else if (line[1] == ' ' && m->in_table)
            print_markdown_row(m->page, line);
    }
    m->in_table = *line == '|';
}

void aw_page_add_markdown(struct aw_page *page, const char *text, const char *tool)
{
    struct markdown m = {.page = page, .tool = tool, .is_visible = true};
    for (text += strcspn(text, "\n"); *text == '\n';) {
        char line[512];
        size_t length = strcspn(++text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        read_markdown_line(&m, line);
        text += length;
    }
    end_paragraph(&m);
}
