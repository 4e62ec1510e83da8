/* Parses a DBC file statement by statement, and skips statements that are not used. */
#include "packets/dbc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "packets/dbc_parser.h"

enum { VALUE_MAX = 80, HELP_MAX = 240 };

/* Returns true if another statement starts here. */
static bool is_statement(const struct aw_dbc_parser *p);

/* Skips the rest of a statement: to its semicolon or, if that is missing, to the next statement. */
static enum aw_status skip_statement(struct aw_dbc_parser *p)
{
    while (!aw_dbc_is_sign(&p->scan.token, ';')) {
        if (p->scan.token.kind == AW_DBC_END || p->scan.token.kind == AW_DBC_UNCLOSED)
            return aw_dbc_fail(p, "';'");
        if (is_statement(p))
            return AW_OK;
        aw_dbc_next_token(&p->scan);
    }
    aw_dbc_next_token(&p->scan);
    return AW_OK;
}

/* Skips the rest of a line, and the indented lines below it. */
static enum aw_status skip_line(struct aw_dbc_parser *p)
{
    unsigned line = p->scan.token.line;
    while (p->scan.token.kind != AW_DBC_END &&
           (p->scan.token.line == line || p->scan.token.column > 1)) {
        if (p->scan.token.kind == AW_DBC_UNCLOSED || aw_dbc_is_word(&p->scan.token, "BO_"))
            break;
        aw_dbc_next_token(&p->scan);
    }
    return AW_OK;
}

static bool ends_line(const struct aw_dbc_scan *scan)
{
    return scan->next[strspn(scan->next, " \t\r")] == '\n';
}

/* Skips a list of keywords, one per line, usually indented. */
static enum aw_status skip_symbols(struct aw_dbc_parser *p)
{
    if (aw_dbc_is_sign(&p->scan.token, ':'))
        aw_dbc_next_token(&p->scan);
    while (aw_dbc_is_name(&p->scan.token) && (p->scan.token.column > 1 || ends_line(&p->scan)))
        aw_dbc_next_token(&p->scan);
    return AW_OK;
}

static enum aw_status skip_version(struct aw_dbc_parser *p)
{
    if (p->scan.token.kind == AW_DBC_TEXT)
        aw_dbc_next_token(&p->scan);
    return AW_OK;
}

/* ---- Messages and signals ---- */

static struct aw_dbc_message *find_message(const struct aw_dbc *dbc, uint32_t id)
{
    for (size_t i = 0; i < dbc->n; i++)
        if (dbc->messages[i].id == id)
            return &dbc->messages[i];
    return NULL;
}

static struct aw_dbc_signal *find_signal(const struct aw_dbc_message *message, const char *name)
{
    for (size_t i = 0; message && i < message->n; i++)
        if (strcmp(message->signals[i].name, name) == 0)
            return &message->signals[i];
    return NULL;
}

/* Parses "608 SPEED", the message and signal that a statement is about. Sets *signal to NULL if the
 * signal is not found. */
static enum aw_status parse_signal(struct aw_dbc_parser *p, struct aw_dbc_signal **signal)
{
    unsigned id;
    const char *name;
    enum aw_status status = aw_dbc_parse_count(p, &id, UINT32_MAX, "the identifier of a message");
    if (status == AW_OK)
        status = aw_dbc_parse_name(p, &name, "the name of a signal");
    if (status == AW_OK)
        *signal = find_signal(find_message(p->dbc, id), name);
    return status;
}

/* Adds a named value. If a number has several names, the last one wins. */
static enum aw_status add_value(struct aw_dbc_parser *p, struct aw_dbc_signal *signal,
                                double number, const char *text)
{
    if (!text || !(fabs(number) < 0x1p62) || number != floor(number))
        return AW_OK;
    for (size_t i = 0; i < signal->n_values; i++)
        if (signal->values[i].number == (int64_t)number) {
            signal->values[i].text = text;
            return AW_OK;
        }
    struct aw_dbc_value *values =
        aw_grow(signal->values, &signal->room_values, signal->n_values + 1, sizeof *values);
    if (!values)
        return aw_no_memory(p->err);
    signal->values = values;
    values[signal->n_values++] = (struct aw_dbc_value){(int64_t)number, text};
    return AW_OK;
}

/* Parses the semicolon, which some files omit here. */
static enum aw_status parse_end(struct aw_dbc_parser *p)
{
    const struct aw_dbc_token *token = &p->scan.token;
    bool missing = token->kind == AW_DBC_END || (aw_dbc_is_name(token) && token->column == 1);
    return missing ? AW_OK : aw_dbc_parse_sign(p, ';', "a value, or ';'");
}

/* Parses VAL_ 608 STATE 0 "off" 1 "on". Skips a statement without a number, which is about an
 * environment variable. */
static enum aw_status read_values(struct aw_dbc_parser *p)
{
    struct aw_dbc_signal *signal = NULL;
    if (p->scan.token.kind != AW_DBC_NUMBER)
        return skip_statement(p);
    enum aw_status status = parse_signal(p, &signal);
    if (status == AW_OK && aw_dbc_is_name(&p->scan.token)) /* the name of a table in VAL_TABLE_ */
        return skip_statement(p);
    while (status == AW_OK && p->scan.token.kind == AW_DBC_NUMBER) {
        double number;
        const char *text;
        status = aw_dbc_parse_number(p, &number, "a value");
        if (status == AW_OK)
            status = aw_dbc_parse_text(p, &text, VALUE_MAX, true);
        if (status == AW_OK && signal)
            status = add_value(p, signal, number, text);
    }
    return status == AW_OK ? parse_end(p) : status;
}

static enum aw_status read_type(struct aw_dbc_parser *p)
{
    struct aw_dbc_signal *signal = NULL;
    unsigned type;
    enum aw_status status = parse_signal(p, &signal);
    if (status == AW_OK && aw_dbc_is_sign(&p->scan.token, ':'))
        aw_dbc_next_token(&p->scan);
    if (status == AW_OK)
        status = aw_dbc_parse_count(p, &type, 3, "0 (a whole number), 1 (a float) or 2 (a double)");
    if (status == AW_OK && signal)
        signal->type = type;
    return status == AW_OK ? skip_statement(p) : status;
}

/* Parses 0-3. The scanner may read the minus and the second number as one token. */
static enum aw_status parse_choice(struct aw_dbc_parser *p, struct aw_choice *choice)
{
    double min, max;
    enum aw_status status =
        aw_dbc_parse_number(p, &min, "the range of the multiplexor, such as 0-3");
    if (status == AW_OK && aw_dbc_is_sign(&p->scan.token, '-'))
        aw_dbc_next_token(&p->scan);
    if (status == AW_OK)
        status = aw_dbc_parse_number(p, &max, "the end of the range, such as 0-3");
    if (status != AW_OK)
        return status;
    min = fmin(fmax(min, -0x1p53), 0x1p53);
    max = fmin(fabs(max), 0x1p53);
    *choice = (struct aw_choice){(int64_t)min, (int64_t)max};
    return AW_OK;
}

/* Parses SG_MUL_VAL_ 608 TORQUE MODE 0-3, 5-5; */
static enum aw_status read_choices(struct aw_dbc_parser *p)
{
    struct aw_dbc_signal *signal = NULL;
    const char *chooser;
    enum aw_status status = parse_signal(p, &signal);
    if (status == AW_OK)
        status = aw_dbc_parse_name(p, &chooser, "the name of its multiplexor");
    while (status == AW_OK && !aw_dbc_is_sign(&p->scan.token, ';')) {
        struct aw_choice choice;
        status = parse_choice(p, &choice);
        if (status == AW_OK && aw_dbc_is_sign(&p->scan.token, ','))
            aw_dbc_next_token(&p->scan);
        if (status != AW_OK || !signal || choice.min > choice.max)
            continue;
        struct aw_choice *choices = aw_grow(signal->mux.choices, &signal->mux.room_choices,
                                            signal->mux.n_choices + 2, sizeof *choices);
        if (!choices)
            return aw_no_memory(p->err);
        signal->mux.choices = choices;
        choices[signal->mux.n_choices++] = choice;
        choices[signal->mux.n_choices] = (struct aw_choice){1, 0};
        signal->mux.chooser_name = chooser;
    }
    return status == AW_OK ? skip_statement(p) : status;
}

/* Returns the member that stores the help or the long name of the message or signal at the current
 * token. NULL: the statement is about something else. */
static const char **find_text_slot(struct aw_dbc_parser *p, bool long_name)
{
    double id;
    bool is_message = aw_dbc_is_word(&p->scan.token, "BO_");
    if (!is_message && !aw_dbc_is_word(&p->scan.token, "SG_"))
        return NULL;
    aw_dbc_next_token(&p->scan);
    if (!aw_dbc_token_number(&p->scan.token, &id) || id < 0 || id > UINT32_MAX)
        return NULL;
    struct aw_dbc_message *found = find_message(p->dbc, (uint32_t)id);
    aw_dbc_next_token(&p->scan);
    if (is_message)
        return !found ? NULL : long_name ? &found->long_name : &found->help;
    for (size_t i = 0; found && i < found->n; i++) {
        struct aw_dbc_signal *signal = &found->signals[i];
        if (!aw_dbc_is_word(&p->scan.token, signal->name))
            continue;
        aw_dbc_next_token(&p->scan);
        return long_name ? &signal->long_name : &signal->help;
    }
    return NULL;
}

static enum aw_status read_comment(struct aw_dbc_parser *p)
{
    const char **help = find_text_slot(p, false);
    if (help && p->scan.token.kind == AW_DBC_TEXT) {
        enum aw_status status = aw_dbc_parse_text(p, help, HELP_MAX, false);
        if (status != AW_OK)
            return status;
    }
    return skip_statement(p);
}

static bool equals_text(const struct aw_dbc_token *token, const char *text)
{
    return token->kind == AW_DBC_TEXT && aw_name_equals(text, token->at, token->length);
}

/* Parses an attribute. Ignores values that are invalid or too long for a name. */
static enum aw_status read_attribute(struct aw_dbc_parser *p)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    bool supported = equals_text(&p->scan.token, "SystemMessageLongSymbol") ||
                     equals_text(&p->scan.token, "SystemSignalLongSymbol");
    if (!supported)
        return skip_statement(p);
    aw_dbc_next_token(&p->scan);
    const char **name = find_text_slot(p, true);
    const struct aw_dbc_token *token = &p->scan.token;
    if (name && token->kind == AW_DBC_TEXT && token->length > 0 && token->length < AW_DBC_NAME &&
        strspn(token->at, letters) == token->length) {
        enum aw_status status = aw_dbc_parse_text(p, name, AW_DBC_NAME, true);
        if (status != AW_OK)
            return status;
    }
    return skip_statement(p);
}

struct statement {
    const char *keyword;
    enum aw_status (*read)(struct aw_dbc_parser *p);
};

static const struct statement statements[] = {
    {"VERSION", skip_version},    {"NS_", skip_symbols},
    {"BS_", skip_line},           {"BU_", skip_line},
    {"BO_", aw_dbc_read_message}, {"SG_", aw_dbc_read_signal},
    {"CM_", read_comment},        {"VAL_", read_values},
    {"SIG_VALTYPE_", read_type},  {"SG_MUL_VAL_", read_choices},
    {"BA_", read_attribute},
};

/* Statements that are not used and end with a semicolon. */
static const char *const others[] = {
    "VAL_TABLE_",     "BO_TX_BU_",   "EV_",         "EV_DATA_",      "ENVVAR_DATA_",
    "SGTYPE_",        "SGTYPE_VAL_", "SIG_GROUP_",  "SIG_TYPE_REF_", "SIGTYPE_VALTYPE_",
    "BA_DEF_",        "BA_DEF_DEF_", "BA_DEF_REL_", "BA_REL_",       "BA_DEF_DEF_REL_",
    "BA_DEF_SGTYPE_", "BA_SGTYPE_",  "BU_SG_REL_",  "BU_EV_REL_",    "BU_BO_REL_",
    "CAT_DEF_",       "CAT_",        "FILTER",      "NS_DESC_",      NULL};

static bool is_statement(const struct aw_dbc_parser *p)
{
    const struct aw_dbc_token *token = &p->scan.token;
    bool found = false;
    for (size_t i = 0; i < sizeof statements / sizeof *statements && token->column == 1; i++)
        found = found || aw_dbc_is_word(token, statements[i].keyword);
    for (const char *const *other = others; *other && token->column == 1; other++)
        found = found || aw_dbc_is_word(token, *other);
    return found;
}

static enum aw_status read_statement(struct aw_dbc_parser *p)
{
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (aw_dbc_is_word(&p->scan.token, statements[i].keyword)) {
            aw_dbc_next_token(&p->scan);
            return statements[i].read(p);
        }
    for (const char *const *other = others; *other; other++)
        if (aw_dbc_is_word(&p->scan.token, *other)) {
            aw_dbc_next_token(&p->scan);
            return skip_statement(p);
        }
    return aw_dbc_fail(p, "a statement such as BO_, SG_ or VAL_");
}

enum aw_status aw_dbc_parse(struct aw_dbc *dbc, const char *text, const char *name,
                            struct aw_error *err)
{
    struct aw_dbc_parser p = {.dbc = dbc, .name = name, .err = err};
    enum aw_status status = AW_OK;
    aw_dbc_scan_init(&p.scan, text);
    while (status == AW_OK && p.scan.token.kind != AW_DBC_END)
        status = read_statement(&p);
    return status;
}

void aw_dbc_free(struct aw_dbc *dbc)
{
    for (size_t m = 0; m < dbc->n; m++) {
        for (size_t i = 0; i < dbc->messages[m].n; i++) {
            free(dbc->messages[m].signals[i].mux.choices);
            free(dbc->messages[m].signals[i].values);
        }
        free(dbc->messages[m].signals);
    }
    free(dbc->messages);
}
