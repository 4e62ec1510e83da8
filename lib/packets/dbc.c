/* Reads the statements of a DBC file. */
#include "packets/dbc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/lines.h"
#include "base/text.h"
#include "packets/dbc_scan.h"

enum { UNIT_MAX = 24, VALUE_MAX = 80, HELP_MAX = 240 };

struct parser {
    struct aw_dbc *dbc;
    struct aw_dbc_scan scan;
    const char *name; /* of the file */
    struct aw_error *err;
};

static enum aw_status fail(struct parser *p, const char *expected)
{
    const struct aw_dbc_token *token = &p->scan.token;
    if (token->kind == AW_DBC_OPEN)
        aw_fail(p->err, AW_USAGE, "a text that does not end — there is no other quote");
    else if (token->kind == AW_DBC_END)
        aw_fail(p->err, AW_USAGE, "the file ends where %s is expected", expected);
    else
        aw_fail(p->err, AW_USAGE, "'%.*s' where %s is expected",
                (int)(token->length < 40 ? token->length : 40), token->at, expected);
    if (p->err)
        aw_fail_in(p->err, p->name, token->line, token->column);
    return AW_USAGE;
}

/* ---- Parts of statements ---- */

static enum aw_status take_sign(struct parser *p, char sign, const char *expected)
{
    if (!aw_dbc_is_sign(&p->scan.token, sign))
        return fail(p, expected);
    aw_dbc_next(&p->scan);
    return AW_OK;
}

static enum aw_status take_number(struct parser *p, double *value, const char *expected)
{
    if (!aw_dbc_number(&p->scan.token, value))
        return fail(p, expected);
    aw_dbc_next(&p->scan);
    return AW_OK;
}

/* Whole numbers from 0 to most. */
static enum aw_status take_count(struct parser *p, unsigned *count, double most,
                                 const char *expected)
{
    double value;
    if (!aw_dbc_number(&p->scan.token, &value) || value < 0 || value > most ||
        value != floor(value))
        return fail(p, expected);
    *count = (unsigned)value;
    aw_dbc_next(&p->scan);
    return AW_OK;
}

static bool is_name(const struct aw_dbc_token *token)
{
    return token->kind == AW_DBC_WORD;
}

static enum aw_status take_name(struct parser *p, const char **name, const char *expected)
{
    if (!is_name(&p->scan.token))
        return fail(p, expected);
    *name = aw_dbc_text(&p->scan, p->dbc->store, AW_DBC_NAME, true);
    aw_dbc_next(&p->scan);
    return *name ? AW_OK : aw_no_memory(p->err);
}

static enum aw_status take_text(struct parser *p, const char **text, size_t size, bool csv)
{
    if (p->scan.token.kind != AW_DBC_TEXT)
        return fail(p, "a text in quotes");
    *text = aw_dbc_text(&p->scan, p->dbc->store, size, csv);
    if (*text && !**text)
        *text = NULL;
    else if (!*text)
        return aw_no_memory(p->err);
    aw_dbc_next(&p->scan);
    return AW_OK;
}

/* Does another statement begin here? */
static bool begins(const struct parser *p);

/* Up to the semicolon, whatever there is, or to the next statement where it lacks. */
static enum aw_status pass(struct parser *p)
{
    while (!aw_dbc_is_sign(&p->scan.token, ';')) {
        if (p->scan.token.kind == AW_DBC_END || p->scan.token.kind == AW_DBC_OPEN)
            return fail(p, "';'");
        if (begins(p))
            return AW_OK;
        aw_dbc_next(&p->scan);
    }
    aw_dbc_next(&p->scan);
    return AW_OK;
}

/* The rest of a line, and what is indented below it. */
static enum aw_status pass_line(struct parser *p)
{
    unsigned line = p->scan.token.line;
    while (p->scan.token.kind != AW_DBC_END &&
           (p->scan.token.line == line || p->scan.token.column > 1)) {
        if (p->scan.token.kind == AW_DBC_OPEN || aw_dbc_is_word(&p->scan.token, "BO_"))
            break;
        aw_dbc_next(&p->scan);
    }
    return AW_OK;
}

static bool is_alone(const struct aw_dbc_scan *scan)
{
    return scan->next[strspn(scan->next, " \t\r")] == '\n';
}

/* Keywords, one a line, mostly indented. */
static enum aw_status pass_symbols(struct parser *p)
{
    if (aw_dbc_is_sign(&p->scan.token, ':'))
        aw_dbc_next(&p->scan);
    while (is_name(&p->scan.token) && (p->scan.token.column > 1 || is_alone(&p->scan)))
        aw_dbc_next(&p->scan);
    return AW_OK;
}

static enum aw_status pass_version(struct parser *p)
{
    if (p->scan.token.kind == AW_DBC_TEXT)
        aw_dbc_next(&p->scan);
    return AW_OK;
}

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

/* "608 SPEED" of a statement about a signal; NULL: there is none. */
static enum aw_status take_signal(struct parser *p, struct aw_dbc_signal **signal)
{
    unsigned id;
    const char *name;
    enum aw_status status = take_count(p, &id, UINT32_MAX, "the identifier of a message");
    if (status == AW_OK)
        status = take_name(p, &name, "the name of a signal");
    if (status == AW_OK)
        *signal = find_signal(find_message(p->dbc, id), name);
    return status;
}

/* ---- Messages and signals ---- */

static enum aw_status read_message(struct parser *p)
{
    static const char nobody[] = "Vector__XXX";
    struct aw_dbc *dbc = p->dbc;
    struct aw_dbc_message message = {0};
    unsigned line, id;
    enum aw_status status = take_count(p, &id, UINT32_MAX, "the identifier of a message");
    if (status == AW_OK)
        status = take_name(p, &message.name, "the name of a message");
    if (status == AW_OK)
        status = take_sign(p, ':', "':'");
    line = p->scan.token.line;
    if (status == AW_OK)
        status = take_count(p, &message.size, 65535, "the size of the message in bytes");
    if (status == AW_OK && p->scan.token.line == line && is_name(&p->scan.token))
        status = take_name(p, &message.sender, "a node");
    if (status != AW_OK)
        return status;
    if (message.sender && strcmp(message.sender, nobody) == 0)
        message.sender = NULL;
    struct aw_dbc_message *messages =
        aw_grow(dbc->messages, &dbc->room, dbc->n + 1, sizeof *messages);
    if (!messages)
        return aw_no_memory(p->err);
    dbc->messages = messages;
    message.id = id;
    messages[dbc->n++] = message;
    return AW_OK;
}

/* M, m3 or m3M */
static enum aw_status read_mark(struct parser *p, struct aw_dbc_signal *signal)
{
    const struct aw_dbc_token *token = &p->scan.token;
    if (aw_dbc_is_sign(token, ':'))
        return AW_OK;
    size_t digits = 0;
    bool good = is_name(token);
    if (good && *token->at == 'm') {
        while (digits < token->length - 1 && digits < 10 && token->at[1 + digits] >= '0' &&
               token->at[1 + digits] <= '9')
            signal->number = signal->number * 10 + (token->at[1 + digits++] - '0');
        signal->multiplexed = true; /* files of others have an m alone, too */
        digits++;
    }
    signal->multiplexor = good && digits + 1 == token->length && token->at[digits] == 'M';
    if (!good || digits + signal->multiplexor != token->length)
        return fail(p, "':', or M or m and a number of a multiplexed signal");
    aw_dbc_next(&p->scan);
    return AW_OK;
}

/* 7|16@0- */
static enum aw_status read_place(struct parser *p, struct aw_dbc_signal *signal)
{
    unsigned order = 0;
    enum aw_status status = take_sign(p, ':', "':'");
    if (status == AW_OK)
        status = take_count(p, &signal->start, 65535, "the first bit of the signal");
    if (status == AW_OK)
        status = take_sign(p, '|', "'|'");
    if (status == AW_OK)
        status = take_count(p, &signal->length, 65535, "the number of its bits");
    if (status == AW_OK)
        status = take_sign(p, '@', "'@'");
    if (status == AW_OK)
        status = take_count(p, &order, 1, "0 (the highest byte first) or 1 (the lowest)");
    signal->big_endian = order == 0;
    signal->is_signed = aw_dbc_is_sign(&p->scan.token, '-');
    if (status == AW_OK && !signal->is_signed && !aw_dbc_is_sign(&p->scan.token, '+'))
        status = fail(p, "+ or - (with a sign)");
    if (status == AW_OK)
        aw_dbc_next(&p->scan);
    return status;
}

/* (0.1,-40) */
static enum aw_status read_scale(struct parser *p, struct aw_dbc_signal *signal)
{
    enum aw_status status = take_sign(p, '(', "'('");
    if (status == AW_OK)
        status = take_number(p, &signal->factor, "the factor");
    if (status == AW_OK)
        status = take_sign(p, ',', "','");
    if (status == AW_OK)
        status = take_number(p, &signal->offset, "the offset");
    return status == AW_OK ? take_sign(p, ')', "')'") : status;
}

/* [0|100], as far as numbers stand there. */
static enum aw_status read_range(struct parser *p, struct aw_dbc_signal *signal)
{
    double limits[2] = {0, 0};
    bool known = true;
    enum aw_status status = take_sign(p, '[', "'['");
    for (int i = 0; i < 2 && status == AW_OK; i++) {
        if (p->scan.token.kind == AW_DBC_WORD || p->scan.token.kind == AW_DBC_NUMBER) {
            known = aw_dbc_number(&p->scan.token, &limits[i]) && known;
            aw_dbc_next(&p->scan);
        } else {
            status = fail(p, "a limit");
        }
        if (status == AW_OK)
            status = i == 0 ? take_sign(p, '|', "'|'") : take_sign(p, ']', "']'");
    }
    if (known && limits[0] < limits[1]) {
        signal->min = limits[0];
        signal->max = limits[1];
    }
    return status;
}

/* Nodes behind a signal, in its line or parted by commas. */
static void pass_receivers(struct parser *p, unsigned line)
{
    bool comma = true;
    while ((is_name(&p->scan.token) && (comma || p->scan.token.line == line)) ||
           aw_dbc_is_sign(&p->scan.token, ',')) {
        if (comma && p->scan.token.line != line && aw_dbc_is_word(&p->scan.token, "SG_"))
            break;
        comma = aw_dbc_is_sign(&p->scan.token, ',');
        aw_dbc_next(&p->scan);
    }
}

static enum aw_status read_signal(struct parser *p)
{
    struct aw_dbc_signal signal = {.chosen_by = -1};
    unsigned line = p->scan.token.line;
    if (p->dbc->n == 0)
        return fail(p, "a message (BO_) before its signals");
    enum aw_status status = take_name(p, &signal.name, "the name of a signal");
    if (status == AW_OK)
        status = read_mark(p, &signal);
    if (status == AW_OK)
        status = read_place(p, &signal);
    if (status == AW_OK)
        status = read_scale(p, &signal);
    if (status == AW_OK)
        status = read_range(p, &signal);
    if (status == AW_OK)
        status = take_text(p, &signal.unit, UNIT_MAX, true);
    if (status != AW_OK)
        return status;
    if (p->scan.token.line == line)
        pass_receivers(p, line);
    struct aw_dbc_message *message = &p->dbc->messages[p->dbc->n - 1];
    struct aw_dbc_signal *signals =
        aw_grow(message->signals, &message->room, message->n + 1, sizeof *signals);
    if (!signals)
        return aw_no_memory(p->err);
    message->signals = signals;
    signals[message->n++] = signal;
    return AW_OK;
}

/* ---- What is said of them ---- */

/* The last one of a number holds. */
static enum aw_status add_value(struct parser *p, struct aw_dbc_signal *signal, double number,
                                const char *text)
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

/* Files of others lack the semicolon here. */
static enum aw_status take_end(struct parser *p)
{
    const struct aw_dbc_token *token = &p->scan.token;
    bool lacks = token->kind == AW_DBC_END || (is_name(token) && token->column == 1);
    return lacks ? AW_OK : take_sign(p, ';', "a value, or ';'");
}

/* VAL_ 608 STATE 0 "off" 1 "on"; those of environment variables have no number in front. */
static enum aw_status read_values(struct parser *p)
{
    struct aw_dbc_signal *signal = NULL;
    if (p->scan.token.kind != AW_DBC_NUMBER)
        return pass(p);
    enum aw_status status = take_signal(p, &signal);
    if (status == AW_OK && is_name(&p->scan.token)) /* a table of VAL_TABLE_ */
        return pass(p);
    while (status == AW_OK && p->scan.token.kind == AW_DBC_NUMBER) {
        double number;
        const char *text;
        status = take_number(p, &number, "a value");
        if (status == AW_OK)
            status = take_text(p, &text, VALUE_MAX, true);
        if (status == AW_OK && signal)
            status = add_value(p, signal, number, text);
    }
    return status == AW_OK ? take_end(p) : status;
}

static enum aw_status read_type(struct parser *p)
{
    struct aw_dbc_signal *signal = NULL;
    unsigned type;
    enum aw_status status = take_signal(p, &signal);
    if (status == AW_OK && aw_dbc_is_sign(&p->scan.token, ':'))
        aw_dbc_next(&p->scan);
    if (status == AW_OK)
        status = take_count(p, &type, 3, "0 (a whole number), 1 (a float) or 2 (a double)");
    if (status == AW_OK && signal)
        signal->type = type;
    return status == AW_OK ? pass(p) : status;
}

/* 0-3, where the minus and the second number are read as one. */
static enum aw_status take_choice(struct parser *p, struct aw_choice *choice)
{
    double least, most;
    enum aw_status status = take_number(p, &least, "numbers of the multiplexor, as 0-3");
    if (status == AW_OK && aw_dbc_is_sign(&p->scan.token, '-'))
        aw_dbc_next(&p->scan);
    if (status == AW_OK)
        status = take_number(p, &most, "the last number, as 0-3");
    if (status != AW_OK)
        return status;
    least = fmin(fmax(least, -0x1p53), 0x1p53);
    most = fmin(fabs(most), 0x1p53);
    *choice = (struct aw_choice){(int64_t)least, (int64_t)most};
    return AW_OK;
}

/* SG_MUL_VAL_ 608 TORQUE MODE 0-3, 5-5; */
static enum aw_status read_choices(struct parser *p)
{
    struct aw_dbc_signal *signal = NULL;
    const char *chooser;
    enum aw_status status = take_signal(p, &signal);
    if (status == AW_OK)
        status = take_name(p, &chooser, "the name of its multiplexor");
    while (status == AW_OK && !aw_dbc_is_sign(&p->scan.token, ';')) {
        struct aw_choice choice;
        status = take_choice(p, &choice);
        if (status == AW_OK && aw_dbc_is_sign(&p->scan.token, ','))
            aw_dbc_next(&p->scan);
        if (status != AW_OK || !signal || choice.least > choice.most)
            continue;
        struct aw_choice *choices =
            aw_grow(signal->choices, &signal->room_choices, signal->n_choices + 2, sizeof *choices);
        if (!choices)
            return aw_no_memory(p->err);
        signal->choices = choices;
        choices[signal->n_choices++] = choice;
        choices[signal->n_choices] = (struct aw_choice){1, 0};
        signal->chooser = chooser;
    }
    return status == AW_OK ? pass(p) : status;
}

/* What a comment or a long name is about, as far as it is about a message or a signal. */
static const char **whose(struct parser *p, bool name)
{
    double id;
    bool message = aw_dbc_is_word(&p->scan.token, "BO_");
    if (!message && !aw_dbc_is_word(&p->scan.token, "SG_"))
        return NULL;
    aw_dbc_next(&p->scan);
    if (!aw_dbc_number(&p->scan.token, &id) || id < 0 || id > UINT32_MAX)
        return NULL;
    struct aw_dbc_message *found = find_message(p->dbc, (uint32_t)id);
    aw_dbc_next(&p->scan);
    if (message)
        return !found ? NULL : name ? &found->long_name : &found->help;
    for (size_t i = 0; found && i < found->n; i++) {
        struct aw_dbc_signal *signal = &found->signals[i];
        if (!aw_dbc_is_word(&p->scan.token, signal->name))
            continue;
        aw_dbc_next(&p->scan);
        return name ? &signal->long_name : &signal->help;
    }
    return NULL;
}

static enum aw_status read_comment(struct parser *p)
{
    const char **help = whose(p, false);
    if (help && p->scan.token.kind == AW_DBC_TEXT) {
        enum aw_status status = take_text(p, help, HELP_MAX, false);
        if (status != AW_OK)
            return status;
    }
    return pass(p);
}

static bool is_text(const struct aw_dbc_token *token, const char *text)
{
    return token->kind == AW_DBC_TEXT && aw_is_word(text, token->at, token->length);
}

/* What is no name, or longer than names are, is passed over. */
static enum aw_status read_attribute(struct parser *p)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    bool wanted = is_text(&p->scan.token, "SystemMessageLongSymbol") ||
                  is_text(&p->scan.token, "SystemSignalLongSymbol");
    if (!wanted)
        return pass(p);
    aw_dbc_next(&p->scan);
    const char **name = whose(p, true);
    const struct aw_dbc_token *token = &p->scan.token;
    if (name && token->kind == AW_DBC_TEXT && token->length > 0 && token->length < AW_DBC_NAME &&
        strspn(token->at, letters) == token->length) {
        enum aw_status status = take_text(p, name, AW_DBC_NAME, true);
        if (status != AW_OK)
            return status;
    }
    return pass(p);
}

struct statement {
    const char *word;
    enum aw_status (*read)(struct parser *p);
};

static const struct statement statements[] = {
    {"VERSION", pass_version},   {"NS_", pass_symbols},
    {"BS_", pass_line},          {"BU_", pass_line},
    {"BO_", read_message},       {"SG_", read_signal},
    {"CM_", read_comment},       {"VAL_", read_values},
    {"SIG_VALTYPE_", read_type}, {"SG_MUL_VAL_", read_choices},
    {"BA_", read_attribute},
};

/* Those that end with a semicolon, and say nothing that is used. */
static const char *const others[] = {
    "VAL_TABLE_",     "BO_TX_BU_",   "EV_",         "EV_DATA_",      "ENVVAR_DATA_",
    "SGTYPE_",        "SGTYPE_VAL_", "SIG_GROUP_",  "SIG_TYPE_REF_", "SIGTYPE_VALTYPE_",
    "BA_DEF_",        "BA_DEF_DEF_", "BA_DEF_REL_", "BA_REL_",       "BA_DEF_DEF_REL_",
    "BA_DEF_SGTYPE_", "BA_SGTYPE_",  "BU_SG_REL_",  "BU_EV_REL_",    "BU_BO_REL_",
    "CAT_DEF_",       "CAT_",        "FILTER",      "NS_DESC_",      NULL};

static bool begins(const struct parser *p)
{
    const struct aw_dbc_token *token = &p->scan.token;
    bool found = false;
    for (size_t i = 0; i < sizeof statements / sizeof *statements && token->column == 1; i++)
        found = found || aw_dbc_is_word(token, statements[i].word);
    for (const char *const *other = others; *other && token->column == 1; other++)
        found = found || aw_dbc_is_word(token, *other);
    return found;
}

static enum aw_status read_statement(struct parser *p)
{
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (aw_dbc_is_word(&p->scan.token, statements[i].word)) {
            aw_dbc_next(&p->scan);
            return statements[i].read(p);
        }
    for (const char *const *other = others; *other; other++)
        if (aw_dbc_is_word(&p->scan.token, *other)) {
            aw_dbc_next(&p->scan);
            return pass(p);
        }
    return fail(p, "a statement such as BO_, SG_ or VAL_");
}

enum aw_status aw_dbc_parse(struct aw_dbc *dbc, const char *text, const char *name,
                            struct aw_error *err)
{
    struct parser p = {.dbc = dbc, .name = name, .err = err};
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
            free(dbc->messages[m].signals[i].choices);
            free(dbc->messages[m].signals[i].values);
        }
        free(dbc->messages[m].signals);
    }
    free(dbc->messages);
}
