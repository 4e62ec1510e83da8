/* Parses a DBC file statement by statement, and skips statements that are not used. */
#include "packets/dbc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lines.h"
#include "base/text.h"
#include "packets/dbc_scan.h"

enum { UNIT_MAX = 24, VALUE_MAX = 80, HELP_MAX = 240 };

/* After a failure, the functions that parse a part do nothing. */
struct parser {
    struct aw_dbc *dbc;
    struct aw_dbc_scan scan;
    const char *name; /* name of the file, for messages */
    struct aw_error *err;
    enum aw_status status;
};

/* ---- Parts of statements ---- */

/* Reports a syntax error at the current token, unless an error is already reported. */
static void fail(struct parser *p, const char *expected)
{
    const struct aw_dbc_token *token = &p->scan.token;
    if (p->status != AW_OK)
        return;
    if (token->kind == AW_DBC_UNCLOSED)
        aw_fail(p->err, AW_USAGE, "unterminated string — add the closing quote");
    else if (token->kind == AW_DBC_END)
        aw_fail(p->err, AW_USAGE, "end of file — expected %s", expected);
    else
        aw_fail(p->err, AW_USAGE, "unexpected '%.*s' — expected %s",
                (int)(token->length < 40 ? token->length : 40), token->at, expected);
    if (p->err)
        aw_fail_at_line(p->err, p->name, token->line, token->column);
    p->status = AW_USAGE;
}

/* Advances to the next token, or fails if the current one is not as expected. */
static void accept(struct parser *p, bool is_expected, const char *expected)
{
    if (!is_expected)
        fail(p, expected);
    else if (p->status == AW_OK)
        aw_dbc_next_token(&p->scan);
}

static void parse_sign(struct parser *p, char sign, const char *expected)
{
    accept(p, aw_dbc_is_sign(&p->scan.token, sign), expected);
}

/* Returns true and advances if the current token is this sign. */
static bool skip_sign(struct parser *p, char sign)
{
    bool found = p->status == AW_OK && aw_dbc_is_sign(&p->scan.token, sign);
    if (found)
        aw_dbc_next_token(&p->scan);
    return found;
}

static double parse_number(struct parser *p, const char *expected)
{
    double value = 0;
    accept(p, aw_dbc_token_number(&p->scan.token, &value), expected);
    return value;
}

/* Parses an integer from 0 to max. */
static unsigned parse_count(struct parser *p, double max, const char *expected)
{
    double value = 0;
    bool is_number = aw_dbc_token_number(&p->scan.token, &value);
    bool valid = is_number && value >= 0 && value <= max && value == floor(value);
    accept(p, valid, expected);
    return valid ? (unsigned)value : 0;
}

static bool is_name(const struct parser *p)
{
    return p->status == AW_OK && p->scan.token.kind == AW_DBC_WORD;
}

/* Stores the current token and advances, or fails if the token is not of this kind. NULL: it
 * failed, or the string is empty. */
static const char *parse_string(struct parser *p, enum aw_dbc_kind kind, size_t size, bool csv,
                                const char *expected)
{
    const char *text = NULL;
    if (p->status == AW_OK && p->scan.token.kind == kind) {
        text = aw_dbc_store_token(&p->scan.token, p->dbc->store, size, csv);
        p->status = text ? AW_OK : aw_no_memory(p->err);
    }
    accept(p, p->scan.token.kind == kind, expected);
    return text && *text ? text : NULL;
}

static const char *parse_name(struct parser *p, const char *expected)
{
    return parse_string(p, AW_DBC_WORD, AW_DBC_NAME, true, expected);
}

/* csv: also replaces commas, for use in CSV. */
static const char *parse_text(struct parser *p, size_t size, bool csv)
{
    return parse_string(p, AW_DBC_TEXT, size, csv, "a quoted string");
}

/* ---- Skipped statements ---- */

/* Returns true if another statement starts here. */
static bool is_statement(const struct parser *p);

/* Skips the rest of a statement: to its semicolon or, if that is missing, to the next statement. */
static void skip_statement(struct parser *p)
{
    while (p->status == AW_OK && !aw_dbc_is_sign(&p->scan.token, ';')) {
        if (p->scan.token.kind == AW_DBC_END || p->scan.token.kind == AW_DBC_UNCLOSED)
            fail(p, "';'");
        else if (is_statement(p))
            return;
        else
            aw_dbc_next_token(&p->scan);
    }
    skip_sign(p, ';');
}

/* Skips the rest of a line, and the indented lines below it. Stops at "BO_" or an unterminated
 * string. */
static void skip_line(struct parser *p)
{
    unsigned line = p->scan.token.line;
    while (p->scan.token.kind != AW_DBC_END &&
           (p->scan.token.line == line || p->scan.token.column > 1)) {
        if (p->scan.token.kind == AW_DBC_UNCLOSED || aw_dbc_is_word(&p->scan.token, "BO_"))
            break;
        aw_dbc_next_token(&p->scan);
    }
}

static bool ends_line(const struct aw_dbc_scan *scan)
{
    return scan->next[strspn(scan->next, " \t")] == '\n';
}

/* Skips a list of keywords, one per line, usually indented. */
static void skip_symbols(struct parser *p)
{
    skip_sign(p, ':');
    while (is_name(p) && (p->scan.token.column > 1 || ends_line(&p->scan)))
        aw_dbc_next_token(&p->scan);
}

static void skip_version(struct parser *p)
{
    if (p->scan.token.kind == AW_DBC_TEXT)
        aw_dbc_next_token(&p->scan);
}

/* ---- Messages ---- */

static void read_message(struct parser *p)
{
    struct aw_dbc *dbc = p->dbc;
    struct aw_dbc_message message = {0};
    message.id = parse_count(p, UINT32_MAX, "the identifier of a message");
    message.name = parse_name(p, "the name of a message");
    parse_sign(p, ':', "':'");
    unsigned line = p->scan.token.line;
    message.size = parse_count(p, 65535, "the size of the message in bytes");
    if (is_name(p) && p->scan.token.line == line)
        message.sender = parse_name(p, "a node");
    if (message.sender && strcmp(message.sender, AW_DBC_NO_NODE) == 0)
        message.sender = NULL;
    struct aw_dbc_message *messages =
        p->status == AW_OK ? aw_grow(dbc->messages, &dbc->room, dbc->n + 1, sizeof *messages)
                           : NULL;
    if (!messages) {
        p->status = p->status == AW_OK ? aw_no_memory(p->err) : p->status;
        return;
    }
    dbc->messages = messages;
    messages[dbc->n++] = message;
}

/* ---- Signals ---- */

/* Parses a signal's multiplexer indicator: M, m3 or m3M. */
static void read_mux_indicator(struct parser *p, struct aw_dbc_signal *signal)
{
    const struct aw_dbc_token *token = &p->scan.token;
    if (p->status != AW_OK || aw_dbc_is_sign(token, ':'))
        return;
    size_t digits = 0;
    bool ok = is_name(p);
    if (ok && *token->at == 'm') {
        while (digits < token->length - 1 && digits < 10 && token->at[1 + digits] >= '0' &&
               token->at[1 + digits] <= '9')
            signal->mux.chooser_value =
                signal->mux.chooser_value * 10 + (token->at[1 + digits++] - '0');
        signal->mux.multiplexed = true; /* some files have an m without a number */
        digits++;
    }
    signal->mux.is_multiplexor = ok && digits + 1 == token->length && token->at[digits] == 'M';
    accept(p, ok && digits + signal->mux.is_multiplexor == token->length,
           "':', M, or m with a number, such as m3");
}

/* Parses position, byte order and sign: 7|16@0-. */
static void read_position(struct parser *p, struct aw_dbc_signal *signal)
{
    parse_sign(p, ':', "':'");
    signal->start = parse_count(p, 65535, "the first bit of the signal");
    parse_sign(p, '|', "'|'");
    signal->length = parse_count(p, 65535, "the length of the signal in bits");
    parse_sign(p, '@', "'@'");
    signal->big_endian = parse_count(p, 1, "0 (big-endian) or 1 (little-endian)") == 0;
    signal->is_signed = skip_sign(p, '-');
    if (!signal->is_signed)
        parse_sign(p, '+', "+ (unsigned) or - (signed)");
}

/* Parses factor and offset: (0.1,-40). */
static void read_scale(struct parser *p, struct aw_dbc_signal *signal)
{
    parse_sign(p, '(', "'('");
    signal->scaling.factor = parse_number(p, "the factor");
    parse_sign(p, ',', "','");
    signal->scaling.offset = parse_number(p, "the offset");
    parse_sign(p, ')', "')'");
}

/* Parses the range [0|100]. Ignores a range that is empty or not two numbers. */
static void read_range(struct parser *p, struct aw_dbc_signal *signal)
{
    double limits[2] = {0, 0};
    bool valid = true;
    parse_sign(p, '[', "'['");
    for (int i = 0; i < 2; i++) {
        valid = aw_dbc_token_number(&p->scan.token, &limits[i]) && valid;
        accept(p, is_name(p) || p->scan.token.kind == AW_DBC_NUMBER, "a limit");
        parse_sign(p, i == 0 ? '|' : ']', i == 0 ? "'|'" : "']'");
    }
    if (valid && limits[0] < limits[1]) {
        signal->scaling.min = limits[0];
        signal->scaling.max = limits[1];
    }
}

/* Skips the receivers of a signal, which are on its line or separated by commas. */
static void skip_receivers(struct parser *p, unsigned line)
{
    bool has_comma = true;
    while ((is_name(p) && (has_comma || p->scan.token.line == line)) ||
           aw_dbc_is_sign(&p->scan.token, ',')) {
        if (has_comma && p->scan.token.line != line && aw_dbc_is_word(&p->scan.token, "SG_"))
            break;
        has_comma = aw_dbc_is_sign(&p->scan.token, ',');
        aw_dbc_next_token(&p->scan);
    }
}

static void read_signal(struct parser *p)
{
    struct aw_dbc_signal signal = {.mux.chooser_index = -1};
    unsigned line = p->scan.token.line;
    if (p->dbc->n == 0)
        fail(p, "a message (BO_) before its signals");
    signal.name = parse_name(p, "the name of a signal");
    read_mux_indicator(p, &signal);
    read_position(p, &signal);
    read_scale(p, &signal);
    read_range(p, &signal);
    signal.unit = parse_text(p, UNIT_MAX, true);
    if (p->status != AW_OK)
        return;
    if (p->scan.token.line == line)
        skip_receivers(p, line);
    struct aw_dbc_message *message = &p->dbc->messages[p->dbc->n - 1];
    struct aw_dbc_signal *signals =
        aw_grow(message->signals, &message->room, message->n + 1, sizeof *signals);
    if (!signals) {
        p->status = aw_no_memory(p->err);
        return;
    }
    message->signals = signals;
    signals[message->n++] = signal;
}

/* ---- Statements about messages and signals ---- */

static struct aw_dbc_message *find_message(const struct aw_dbc *dbc, uint32_t id)
{
    for (size_t i = 0; i < dbc->n; i++)
        if (dbc->messages[i].id == id)
            return &dbc->messages[i];
    return NULL;
}

static struct aw_dbc_signal *find_signal(const struct aw_dbc_message *message, const char *name)
{
    for (size_t i = 0; message && name && i < message->n; i++)
        if (strcmp(message->signals[i].name, name) == 0)
            return &message->signals[i];
    return NULL;
}

/* Parses "608 SPEED", the message and signal that a statement is about. NULL: not found. */
static struct aw_dbc_signal *parse_signal(struct parser *p)
{
    unsigned id = parse_count(p, UINT32_MAX, "the identifier of a message");
    return find_signal(find_message(p->dbc, id), parse_name(p, "the name of a signal"));
}

/* Adds a named value. If a number has several names, the last one wins. */
static void add_value(struct parser *p, struct aw_dbc_signal *signal, double number,
                      const char *text)
{
    if (!text || !(fabs(number) < 0x1p62) || number != floor(number))
        return;
    for (size_t i = 0; i < signal->n_values; i++)
        if (signal->values[i].number == (int64_t)number) {
            signal->values[i].text = text;
            return;
        }
    struct aw_dbc_value *values =
        aw_grow(signal->values, &signal->room_values, signal->n_values + 1, sizeof *values);
    if (!values) {
        p->status = aw_no_memory(p->err);
        return;
    }
    signal->values = values;
    values[signal->n_values++] = (struct aw_dbc_value){(int64_t)number, text};
}

/* Parses the semicolon, which some files omit here. */
static void parse_end(struct parser *p)
{
    const struct aw_dbc_token *token = &p->scan.token;
    if (token->kind != AW_DBC_END && !(is_name(p) && token->column == 1))
        parse_sign(p, ';', "a value, or ';'");
}

/* Parses VAL_ 608 STATE 0 "off" 1 "on". Skips a statement without a number, which is about an
 * environment variable, and one with the name of a table in VAL_TABLE_. */
static void read_values(struct parser *p)
{
    struct aw_dbc_signal *signal = p->scan.token.kind == AW_DBC_NUMBER ? parse_signal(p) : NULL;
    if (is_name(p)) {
        skip_statement(p);
        return;
    }
    while (p->status == AW_OK && p->scan.token.kind == AW_DBC_NUMBER) {
        double number = parse_number(p, "a value");
        const char *text = parse_text(p, VALUE_MAX, true);
        if (signal)
            add_value(p, signal, number, text);
    }
    parse_end(p);
}

static void read_type(struct parser *p)
{
    struct aw_dbc_signal *signal = parse_signal(p);
    skip_sign(p, ':');
    unsigned type = parse_count(p, 3, "0 (integer), 1 (float) or 2 (double)");
    if (signal)
        signal->type = type;
    skip_statement(p);
}

/* Parses 0-3. The scanner may read the minus and the second number as one token. */
static struct aw_choice parse_choice(struct parser *p)
{
    double min = parse_number(p, "the range of the multiplexor, such as 0-3");
    skip_sign(p, '-');
    double max = parse_number(p, "the end of the range, such as 0-3");
    return (struct aw_choice){(int64_t)fmin(fmax(min, -0x1p53), 0x1p53),
                              (int64_t)fmin(fabs(max), 0x1p53)};
}

/* Parses SG_MUL_VAL_ 608 TORQUE MODE 0-3, 5-5; */
static void read_choices(struct parser *p)
{
    struct aw_dbc_signal *signal = parse_signal(p);
    const char *chooser = parse_name(p, "the name of the multiplexor");
    while (p->status == AW_OK && !aw_dbc_is_sign(&p->scan.token, ';')) {
        struct aw_choice choice = parse_choice(p);
        skip_sign(p, ',');
        if (p->status != AW_OK || !signal || choice.min > choice.max)
            continue;
        struct aw_choice *choices = aw_grow(signal->mux.choices, &signal->mux.room_choices,
                                            signal->mux.n_choices + 2, sizeof *choices);
        if (!choices) {
            p->status = aw_no_memory(p->err);
            return;
        }
        signal->mux.choices = choices;
        choices[signal->mux.n_choices++] = choice;
        choices[signal->mux.n_choices] = (struct aw_choice){1, 0};
        signal->mux.chooser_name = chooser;
    }
    skip_statement(p);
}

/* Returns the member that stores the help or the long name of the message or signal at the current
 * token. NULL: the statement is about something else. */
static const char **find_text_slot(struct parser *p, bool long_name)
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

static void read_comment(struct parser *p)
{
    const char **help = find_text_slot(p, false);
    if (help && p->scan.token.kind == AW_DBC_TEXT)
        *help = parse_text(p, HELP_MAX, false);
    skip_statement(p);
}

static bool equals_text(const struct aw_dbc_token *token, const char *text)
{
    return token->kind == AW_DBC_TEXT && aw_name_equals(text, token->at, token->length);
}

/* Parses an attribute, and stores it if it is a long name. Ignores names that are invalid or too
 * long. */
static void read_attribute(struct parser *p)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const struct aw_dbc_token *token = &p->scan.token;
    const char **name = NULL;
    if (equals_text(token, "SystemMessageLongSymbol") ||
        equals_text(token, "SystemSignalLongSymbol")) {
        aw_dbc_next_token(&p->scan);
        name = find_text_slot(p, true);
    }
    if (name && token->kind == AW_DBC_TEXT && token->length > 0 && token->length < AW_DBC_NAME &&
        strspn(token->at, letters) == token->length)
        *name = parse_text(p, AW_DBC_NAME, true);
    skip_statement(p);
}

struct statement {
    const char *keyword;
    void (*read)(struct parser *p);
};

static const struct statement statements[] = {
    {"VERSION", skip_version},   {"NS_", skip_symbols},
    {"BS_", skip_line},          {"BU_", skip_line},
    {"BO_", read_message},       {"SG_", read_signal},
    {"CM_", read_comment},       {"VAL_", read_values},
    {"SIG_VALTYPE_", read_type}, {"SG_MUL_VAL_", read_choices},
    {"BA_", read_attribute},
};

/* Statements that are not used and end with a semicolon. */
static const char *const others[] = {
    "VAL_TABLE_",     "BO_TX_BU_",   "EV_",         "EV_DATA_",      "ENVVAR_DATA_",
    "SGTYPE_",        "SGTYPE_VAL_", "SIG_GROUP_",  "SIG_TYPE_REF_", "SIGTYPE_VALTYPE_",
    "BA_DEF_",        "BA_DEF_DEF_", "BA_DEF_REL_", "BA_REL_",       "BA_DEF_DEF_REL_",
    "BA_DEF_SGTYPE_", "BA_SGTYPE_",  "BU_SG_REL_",  "BU_EV_REL_",    "BU_BO_REL_",
    "CAT_DEF_",       "CAT_",        "FILTER",      "NS_DESC_",      NULL};

static bool is_statement(const struct parser *p)
{
    const struct aw_dbc_token *token = &p->scan.token;
    bool found = false;
    for (size_t i = 0; i < sizeof statements / sizeof *statements && token->column == 1; i++)
        found = found || aw_dbc_is_word(token, statements[i].keyword);
    for (const char *const *other = others; *other && token->column == 1; other++)
        found = found || aw_dbc_is_word(token, *other);
    return found;
}

static void read_statement(struct parser *p)
{
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (aw_dbc_is_word(&p->scan.token, statements[i].keyword)) {
            aw_dbc_next_token(&p->scan);
            statements[i].read(p);
            return;
        }
    for (const char *const *other = others; *other; other++)
        if (aw_dbc_is_word(&p->scan.token, *other)) {
            aw_dbc_next_token(&p->scan);
            skip_statement(p);
            return;
        }
    fail(p, "a statement such as BO_, SG_ or VAL_");
}

enum aw_status aw_dbc_parse(struct aw_dbc *dbc, const char *text, const char *name,
                            struct aw_error *err)
{
    struct parser p = {.dbc = dbc, .name = name, .err = err};
    aw_dbc_scan_init(&p.scan, text);
    while (p.status == AW_OK && p.scan.token.kind != AW_DBC_END)
        read_statement(&p);
    return p.status;
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
