/* Parses the parts of a DBC file's statements, and reports missing parts. */
#include "packets/dbc_parser.h"

#include <math.h>

#include "base/lines.h"

enum aw_status aw_dbc_fail(struct aw_dbc_parser *p, const char *expected)
{
    const struct aw_dbc_token *token = &p->scan.token;
    if (token->kind == AW_DBC_UNCLOSED)
        aw_fail(p->err, AW_USAGE, "unterminated text — add the closing quote");
    else if (token->kind == AW_DBC_END)
        aw_fail(p->err, AW_USAGE, "end of file, expected %s", expected);
    else
        aw_fail(p->err, AW_USAGE, "unexpected '%.*s' — expected %s",
                (int)(token->length < 40 ? token->length : 40), token->at, expected);
    if (p->err)
        aw_fail_at_line(p->err, p->name, token->line, token->column);
    return AW_USAGE;
}

enum aw_status aw_dbc_parse_sign(struct aw_dbc_parser *p, char sign, const char *expected)
{
    if (!aw_dbc_is_sign(&p->scan.token, sign))
        return aw_dbc_fail(p, expected);
    aw_dbc_next_token(&p->scan);
    return AW_OK;
}

enum aw_status aw_dbc_parse_number(struct aw_dbc_parser *p, double *value, const char *expected)
{
    if (!aw_dbc_token_number(&p->scan.token, value))
        return aw_dbc_fail(p, expected);
    aw_dbc_next_token(&p->scan);
    return AW_OK;
}

enum aw_status aw_dbc_parse_count(struct aw_dbc_parser *p, unsigned *count, double max,
                                  const char *expected)
{
    double value;
    if (!aw_dbc_token_number(&p->scan.token, &value) || value < 0 || value > max ||
        value != floor(value))
        return aw_dbc_fail(p, expected);
    *count = (unsigned)value;
    aw_dbc_next_token(&p->scan);
    return AW_OK;
}

bool aw_dbc_is_name(const struct aw_dbc_token *token)
{
    return token->kind == AW_DBC_WORD;
}

enum aw_status aw_dbc_parse_name(struct aw_dbc_parser *p, const char **name, const char *expected)
{
    if (!aw_dbc_is_name(&p->scan.token))
        return aw_dbc_fail(p, expected);
    *name = aw_dbc_store_token(&p->scan, p->dbc->store, AW_DBC_NAME, true);
    aw_dbc_next_token(&p->scan);
    return *name ? AW_OK : aw_no_memory(p->err);
}

enum aw_status aw_dbc_parse_text(struct aw_dbc_parser *p, const char **text, size_t size, bool csv)
{
    if (p->scan.token.kind != AW_DBC_TEXT)
        return aw_dbc_fail(p, "a text in quotes");
    *text = aw_dbc_store_token(&p->scan, p->dbc->store, size, csv);
    if (*text && !**text)
        *text = NULL;
    else if (!*text)
        return aw_no_memory(p->err);
    aw_dbc_next_token(&p->scan);
    return AW_OK;
}
