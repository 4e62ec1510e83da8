/* Prints a protocol as text for an 80-column terminal, and in Markdown for docs/protocols. */
#include <string.h>

#include "base/utf8.h"
#include "describe/parts.h"

enum { WIDTH = 80 };

/* Columns of the field list on a terminal. */
enum { PLACE = 1, NAME = 9, TYPE = 32, UNIT = 42, RANGE = 48, HELP = 11 };

struct page {
    FILE *out;
    bool is_markdown;
};

/* A cell of a table; NULL: empty. On a terminal, it starts in this column, or after the previous
 * cell. Markdown formats names as code. */
struct cell {
    const char *text;
    size_t column;
    bool is_name;
};

/* Prints words, starting in a column, and breaks lines before column WIDTH. */
static void print_wrapped(FILE *out, const char *text, size_t column)
{
    size_t at = column;
    for (bool is_first = true; *text; is_first = false) {
        size_t length = strcspn(text, " ");
        struct aw_part word = {0};
        aw_part_add(&word, "%.*s", (int)length, text);
        size_t width = aw_utf8_length(word.text);
        if (!is_first && at + 1 + width > WIDTH) {
            fprintf(out, "\n%*s", (int)column, "");
            at = column;
        } else if (!is_first) {
            fputc(' ', out);
            at++;
        }
        fputs(word.text, out);
        at += width;
        text += length + strspn(text + length, " ");
    }
}

/* Prints a row of cells. Wraps the last cell on a terminal. */
static void print_row(const struct page *page, const struct cell *cells, size_t n)
{
    size_t at = 0;
    fputs(page->is_markdown ? "|" : "", page->out);
    for (const struct cell *cell = cells; cell < cells + n; cell++) {
        const char *text = cell->text ? cell->text : "", *quote = cell->is_name ? "`" : "";
        if (page->is_markdown) {
            fprintf(page->out, " %s%s%s%s|", quote, text, quote, *text ? " " : "");
            continue;
        }
        if (!*text)
            continue;
        size_t to = at < cell->column ? cell->column : at + 1;
        fprintf(page->out, "%*s", (int)(to - at), "");
        at = to + aw_utf8_length(text);
        if (cell < cells + n - 1)
            fputs(text, page->out);
        else
            print_wrapped(page->out, text, to);
    }
    fputc('\n', page->out);
}

/* Prints a row of the field table, which has six cells. Protocols of text lines have no
 * positions. */
static void print_field_row(const struct page *page, const struct cell *cells, bool ascii)
{
    print_row(page, cells + ascii, (page->is_markdown ? 6u : 5u) - ascii);
}

static void print_field(const struct page *page, const struct aw_codec *codec, int i)
{
    const struct aw_scalar *scalar = &codec->scalars[i];
    const bool ascii = codec->protocol->frames.ascii;
    struct aw_part position = {0}, type = {0}, range = {0};
    char name[64];
    aw_scalar_name(scalar, name, sizeof name);
    aw_part_add_position(&position, codec, scalar);
    aw_part_add_type(&type, scalar);
    aw_part_add_constant(&range, codec, scalar);
    aw_part_add_range(&range, codec, i);
    const struct cell help = {aw_is_repeated(codec, i) ? NULL : scalar->field->help, HELP, false};
    const struct cell cells[] = {{position.text, PLACE, false}, {name, ascii ? PLACE : NAME, true},
                                 {type.text, TYPE, false},      {scalar->field->unit, UNIT, false},
                                 {range.text, RANGE, false},    help};
    print_field_row(page, cells, ascii);
    if (help.text && !page->is_markdown)
        print_row(page, &help, 1);
}

static void print_fields(const struct page *page, const struct aw_codec *codec)
{
    const bool ascii = codec->protocol->frames.ascii;
    const struct cell head[] = {{codec->protocol->frames.is_can ? "bits" : "bytes", PLACE, false},
                                {"field", ascii ? PLACE : NAME, false},
                                {"type", TYPE, false},
                                {"unit", UNIT, false},
                                {"range", RANGE, false},
                                {"meaning", 0, false}};
    print_field_row(page, head, ascii);
    if (page->is_markdown)
        fputs(&"|---|---|---|---|---|---|\n"[ascii ? 4 : 0], page -> out);
    for (int i = 0; i < codec->n_scalars; i++)
        if (page->is_markdown || codec->scalars[i].field->type != AW_PAD ||
            codec->scalars[i].bit >= aw_can_head_bits(codec))
            print_field(page, codec, i);
}

static void print_message(const struct page *page, const struct aw_codec *codec, bool ascii)
{
    const struct aw_message *message = codec->message;
    const char *direction = aw_direction_text(message->dir);
    struct aw_part code = {0}, size = {0};
    aw_part_add_code(&code, codec);
    aw_part_add_size(&size, codec);
    if (page->is_markdown)
        fprintf(page->out, "## `%s` %s\n\n%s\n\nCode %s, %s.\n\n```text\n", message->name,
                direction, message->help, code.text, size.text);
    else {
        fprintf(page->out, "%s (%s): %s, %s\n", message->name, code.text, direction, size.text);
        print_wrapped(page->out, message->help, 0);
        fputs("\n\n", page->out);
    }
    aw_draw_packet(page->out, codec, ascii);
    fputs(page->is_markdown ? "```\n\n" : "\n", page->out);
    print_fields(page, codec);
}

static void print_variants(const struct page *page, const struct aw_wire *wire)
{
    if (!wire->protocol->variants[1].name)
        return;
    fputs(page->is_markdown ? "\n| variant | meaning |\n|---|---|\n" : "\nvariants\n", page->out);
    for (const struct aw_variant *v = wire->protocol->variants; v->name; v++) {
        bool used = strcmp(v->name, wire->variant.name) == 0;
        const struct cell cells[] = {
            {used ? "*" : NULL, PLACE, false}, {v->name, 3, true}, {v->help, 13, false}};
        print_row(page, cells + page->is_markdown, 3u - page->is_markdown);
    }
    if (page->is_markdown)
        fprintf(page->out, "\nThe layouts below are those of `%s`.\n", wire->variant.name);
}

static void print_envelope(const struct page *page, const struct aw_field *row)
{
    unsigned byte = 0;
    if (!row)
        return;
    fputs(page->is_markdown ? "\nEnvelope around the packets of a message:\n\n"
                              "| bytes | field | type | meaning |\n|---|---|---|---|\n"
                            : "\nenvelope around the packets of a message\n",
          page->out);
    for (; row->type != AW_ROWS_END; byte += row++->bits / 8u) {
        struct aw_part position = {0}, type = {0};
        aw_part_add(&position, "%u-%u", byte, byte + row->bits / 8u - 1);
        aw_part_add(&type, "u%u", row->bits);
        print_row(page,
                  (struct cell[]){{position.text, PLACE, false},
                                  {row->name, NAME, true},
                                  {type.text, 22, false},
                                  {row->help, 32, false}},
                  4);
    }
}

static void print_overview(const struct page *page, struct aw_wire *wire)
{
    static const char *const marks[] = {"", "tx", "rx", "tx rx"};
    const char *tool = wire->protocol->name;
    fprintf(page->out, page->is_markdown ? "# The protocol of %s\n\n%s.\n" : "%s: %s\n", tool,
            wire->protocol->title);
    if (page->is_markdown)
        fprintf(page->out,
                "\nGenerated by `%s describe --as md` from the protocol table; do not edit.\n",
                tool);
    print_variants(page, wire);
    print_envelope(page, wire->variant.envelope);
    fputs(page->is_markdown ? "\n| message | code | direction | meaning |\n|---|---|---|---|\n"
                            : "\nmessages\n",
          page->out);
    for (size_t i = 0; i < wire->protocol->n_messages; i++) {
        const struct aw_message *message = aw_wire_codec_at(wire, i)->message;
        struct aw_part code = {0};
        if (!aw_is_wanted(wire, i, NULL))
            continue;
        aw_part_add_code(&code, aw_wire_codec_at(wire, i));
        print_row(page,
                  (struct cell[]){
                      {message->name, PLACE, true},
                      {code.text, 21, false},
                      {page->is_markdown ? aw_direction_text(message->dir) : marks[message->dir],
                       27, false},
                      {message->help, 34, false}},
                  4);
    }
}

void aw_describe_page(FILE *out, struct aw_wire *wire, const char *message,
                      enum aw_describe_format format)
{
    const struct page page = {out, format == AW_DESCRIBE_MD};
    bool is_first = message != NULL;
    if (!message)
        print_overview(&page, wire);
    for (size_t i = 0; i < wire->protocol->n_messages; i++)
        if (aw_is_wanted(wire, i, message)) {
            fputs(is_first && !page.is_markdown ? "" : "\n", out);
            print_message(&page, aw_wire_codec_at(wire, i), format == AW_DESCRIBE_ASCII);
            is_first = false;
        }
}
