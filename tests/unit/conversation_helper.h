/* Runs conversations of a client with its device in virtual time. They are text:
 *
 *   # a lost command is sent again
 *   & retries=2
 *   $ DEG1,090 > 0DEG1,090 +2s > 0DEG1,090 +10ms < 0ACK0 +1s < 2DEG1,090 > 0ACK2
 *   = confirmed retries=1
 *   ~ part of the error message
 *
 * "#" begins a case with a new client, "&" sets options and memory. "$" runs a command: the client
 * must send what follows ">" at exactly this time, and receives what follows "<"; "+" is the time
 * that passes, also at the end; 3*( … ) repeats. "stop" and "lost" are a stop request and a lost
 * link, "news" is an event of the link, and "full" a write that times out. "=" lists words of the
 * state after the command. "+" alone on its line passes time between commands. */
#ifndef AW_TESTS_CONVERSATION_HELPER_H
#define AW_TESTS_CONVERSATION_HELPER_H

#include "link/core/link.h"
#include "test.h"
#include "wire/wire.h"

struct exchange {
    struct aw_link link;
    struct aw_virtual_clock clock;
    struct aw_error err;
    const char *next, *end; /* the rest of the conversation */
    int64_t time_ns;        /* time of the last event */
    bool stopped, lost;
    char problem[4200];
};

/* The part that each client supplies. */
struct talker {
    void (*begin)(void);
    bool (*set)(const char *key, const char *value); /* returns false for an unknown key */
    enum aw_status (*run)(const char *command);
    void (*print)(FILE *out); /* writes words of the state, each followed by a blank */
    /* Convert a word to bytes and bytes to a word. NULL: the word followed by CR LF. */
    size_t (*bytes)(const char *word, uint8_t *bytes);
    void (*word)(const void *bytes, size_t size, char word[80]);
};

static const struct talker *talker;

/* Copies the next word, or "" at the end. */
static inline const char *talk_word(const char *text, const char *end, char word[80])
{
    size_t n = 0;
    while (text < end && (*text == ' ' || *text == '\n'))
        text++;
    for (; text < end && *text != ' ' && *text != '\n'; text++)
        if (n < 79)
            word[n++] = *text;
    word[n] = '\0';
    return text;
}

/* Returns the first letter of the next event and its word; lets the time before it pass. */
static inline char talk_next(struct exchange *talk, char word[80], const char **after)
{
    const char *text = talk_word(talk->next, talk->end, word);
    while (*word == '+') {
        char *unit;
        double value = strtod(word + 1, &unit);
        talk->time_ns += (int64_t)(value * 1e6 * (*unit == 's' ? 1000 : 1) + 0.5);
        talk->next = text;
        text = talk_word(text, talk->end, word);
    }
    char kind = *word;
    if (kind == '>' || kind == '<')
        text = talk_word(text, talk->end, word);
    *after = text;
    return kind;
}

static inline enum aw_status talk_write(struct aw_link *link, const void *buf, size_t size,
                                        struct aw_error *err)
{
    struct exchange *talk = (struct exchange *)link;
    char word[80], sent[80];
    const char *after;
    if (talk->lost)
        return aw_fail(err, AW_LOST, "gone");
    if (talker->word)
        talker->word(buf, size, sent);
    else
        snprintf(sent, sizeof sent, "%.*s", (int)size - 2, (const char *)buf);
    char kind = talk_next(talk, word, &after);
    if (kind == 'f' || kind == 'l') {
        talk->next = after;
        talk->lost = kind == 'l';
        return aw_fail(err, talk->lost ? AW_LOST : AW_TIMEOUT, talk->lost ? "gone" : "full");
    }
    double now_ms = (double)talk->clock.time_ns / 1e6, then_ms = (double)talk->time_ns / 1e6;
    if (kind == '>' && strcmp(word, sent) == 0 && talk->time_ns == talk->clock.time_ns)
        talk->next = after;
    else if (!*talk->problem)
        snprintf(talk->problem, sizeof talk->problem, "sends %s at %g ms; next is %c %s at %g ms",
                 sent, now_ms, kind ? kind : '-', word, then_ms);
    return *talk->problem ? aw_fail(err, AW_LOST, "gone") : AW_OK;
}

static inline enum aw_status talk_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                       int64_t deadline, struct aw_error *err)
{
    struct exchange *talk = (struct exchange *)link;
    char word[80];
    const char *after;
    *got = 0;
    if (talk->lost)
        return aw_fail(err, AW_LOST, "gone");
    if (talk->stopped)
        return AW_STOPPED;
    char kind = talk_next(talk, word, &after);
    int64_t until = talk->clock.time_ns > deadline ? talk->clock.time_ns : deadline;
    if (!kind || kind == '>' || kind == 'f' || talk->time_ns > until) {
        talk->clock.time_ns = until;
        return AW_TIMEOUT;
    }
    talk->next = after;
    if (talk->time_ns > talk->clock.time_ns)
        talk->clock.time_ns = talk->time_ns;
    talk->stopped = kind == 's';
    talk->lost = kind == 'l';
    if (kind == 'n')
        return strcpy(link->rx.event, "news"), AW_EVENT;
    if (kind != '<')
        return talk->lost ? aw_fail(err, AW_LOST, "gone") : AW_STOPPED;
    uint8_t bytes[512];
    size_t size =
        talker->bytes ? talker->bytes(word, bytes) : (size_t)sprintf((char *)bytes, "%s\r\n", word);
    *got = size < cap ? size : cap;
    memcpy(buf, bytes, *got);
    return AW_OK;
}

static inline void talk_begin(struct exchange *talk)
{
    static const struct aw_link_ops ops = {.read = talk_read, .write = talk_write};
    talk->clock = aw_virtual_clock();
    talk->link = (struct aw_link){
        .ops = &ops, .clock = &talk->clock.base, .datagrams = talker->word != NULL};
    talk->time_ns = talk->clock.time_ns;
    *talk->problem = '\0';
    talker->begin();
}

static inline void talk_set(const char *text, const char *end)
{
    char word[80];
    for (text = talk_word(text, end, word); *word; text = talk_word(text, end, word)) {
        char *value = strchr(word, '=');
        if (value)
            *value++ = '\0';
        if (!talker->set(word, value ? value : "1"))
            fail_msg("no key %s", word);
    }
}

/* Runs the command and requires that every event of the conversation occurred. */
static inline enum aw_status talk_run(struct exchange *talk, const char *text, const char *end)
{
    char command[80], word[80];
    talk->next = talk_word(text, end, command);
    talk->end = end;
    talk->time_ns = talk->clock.time_ns;
    talk->stopped = talk->lost = false;
    strcpy(talk->err.text, "of before");
    enum aw_status status = talker->run(command);
    if (status != AW_OK && status != AW_STOPPED && strcmp(talk->err.text, "of before") == 0)
        snprintf(talk->problem, sizeof talk->problem, "the error is that of the command before");
    char kind = talk_next(talk, word, &text);
    if ((kind || talk->time_ns != talk->clock.time_ns) && !*talk->problem)
        snprintf(talk->problem, sizeof talk->problem, "ends at %g ms instead of %g ms; next is %s",
                 (double)talk->clock.time_ns / 1e6, (double)talk->time_ns / 1e6,
                 kind ? word : "the end");
    return status;
}

/* Requires that the state contains the words of text. */
static inline void talk_expect(struct exchange *talk, enum aw_status status, const char *text,
                               const char *end)
{
    char state[4000] = "", word[80], wanted[84];
    FILE *out = fmemopen(state, sizeof state - 1, "w");
    assert_non_null(out);
    fprintf(out, " %s ", aw_status_name(status));
    talker->print(out);
    fclose(out);
    for (text = talk_word(text, end, word); *word; text = talk_word(text, end, word)) {
        snprintf(wanted, sizeof wanted, " %s ", word);
        if (!strstr(state, wanted) && !*talk->problem)
            snprintf(talk->problem, sizeof talk->problem, "not %s:%s", word, state);
    }
}

/* Sets up the record of a message: NAME/VALUE/VALUE…, in the order of its fields; "-" skips one. */
static inline enum aw_status talk_record(const char *text, struct aw_wire *wire,
                                         struct aw_record *record, struct aw_error *err)
{
    char words[80], names[4][40], *rest = NULL;
    struct aw_pair pairs[4];
    size_t n = 0;
    snprintf(words, sizeof words, "%s", text);
    const struct aw_codec *codec = aw_wire_codec(wire, strtok_r(words, "/", &rest), AW_TX);
    assert_non_null(codec);
    aw_record_init(record, codec, AW_TX);
    for (int i = 0; i < codec->n_scalars && n < 4; i++) {
        char *word = codec->masks.values >> i & 1 ? strtok_r(NULL, "/", &rest) : NULL;
        if (!word || strcmp(word, "-") == 0)
            continue;
        aw_scalar_name(&codec->scalars[i], names[n], sizeof names[n]);
        pairs[n] = (struct aw_pair){names[n], word};
        n++;
    }
    return aw_record_set_pairs(record, pairs, n, err);
}

/* Copies a text and repeats "3*( … )" three times. */
static inline void talk_expand(const char *text, char *out)
{
    while (*text) {
        char *rest;
        long times = strtol(text, &rest, 10);
        if (rest == text || strncmp(rest, "*(", 2) != 0) {
            *out++ = *text++;
            continue;
        }
        size_t n = strcspn(rest, ")") - 2;
        for (; times > 0; times--, out += n) {
            *out++ = ' ';
            memcpy(out, rest + 2, n);
        }
        text = rest + n + 3;
    }
    *out = '\0';
}

/* Runs all conversations of a file; returns the number of cases. */
static inline int run_conversations(const char *path, struct exchange *talk,
                                    const struct talker *client)
{
    enum { MOST = 1 << 18 };
    char *written = calloc(1, MOST), *text = calloc(4, MOST), *title = text;
    FILE *file = fopen(path, "r");
    size_t failed = 0;
    assert_true(file && written && text && fread(written, 1, MOST - 1, file) > 0);
    fclose(file);
    talk_expand(written, text);
    free(written);
    enum aw_status status = AW_OK;
    bool wrong = false;
    int cases = 0;
    talker = client;
    for (char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        while (*line == '$' && *end && !strchr("#&$=~+\n", end[1]))
            end += 1 + strcspn(end + 1, "\n");
        end += *end == '\n';
        switch (*line) {
        case '#':
            title = line, cases++, wrong = false, talk_begin(talk);
            break;
        case '+':
            talk->next = line;
            talk->end = end;
            talk->time_ns = talk->clock.time_ns;
            talk_next(talk, (char[80]){0}, &(const char *){NULL});
            talk->clock.time_ns = talk->time_ns;
            break;
        case '&':
            talk_set(line + 1, end);
            break;
        case '$':
            status = talk_run(talk, line + 1, end);
            break;
        case '=':
            talk_expect(talk, status, line + 1, end);
            break;
        case '~': {
            char part[200];
            snprintf(part, sizeof part, "%.*s", (int)strcspn(line + 2, "\n"), line + 2);
            if (!strstr(talk->err.text, part) && !*talk->problem)
                snprintf(talk->problem, sizeof talk->problem, "it says: %.250s", talk->err.text);
            break;
        }
        default:
            break;
        }
        if (*talk->problem && !wrong) {
            int number = 1;
            for (const char *c = text; c < line; c++)
                number += *c == '\n';
            print_message("%s:%d: %.*s: %s\n", path, number, (int)strcspn(title, ":\n"), title,
                          talk->problem);
            failed++;
            wrong = true;
        }
    }
    free(text);
    if (failed)
        fail_msg("%zu conversations differ", failed);
    return cases;
}

#endif
