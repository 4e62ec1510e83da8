/* Any text as a line of a script: words or a JSON object, then a command with its arguments and
 * options. What is refused is explained; what is accepted is bound to real words.
 */
#include <string.h>

#include "shell.h"

static void bind_line(struct aw_session *session, const struct aw_words *words)
{
    static struct aw_args args;
    size_t bad = 0;
    enum aw_status status = aw_bind(session, words, &args, &bad);
    if (status != AW_OK) {
        MUST(*session->err.text);
        MUST(bad <= words->n);
        return;
    }
    MUST(args.n <= words->n);
    for (size_t i = 0; i < args.n; i++)
        MUST(args.bound[i].arg && args.bound[i].text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct aw_words words;
    struct aw_error err = {0};
    char line[AW_LINE_MAX + 64];
    if (size >= sizeof line)
        return 0;
    memcpy(line, data, size);
    line[size] = '\0';
    memset(&words, 0, sizeof words);
    if (aw_words_split(&words, line, &err) != AW_OK) {
        MUST(*err.text);
        return 0;
    }
    MUST(words.n <= AW_WORDS_MAX);
    for (size_t i = 0; i < words.n; i++)
        MUST(strlen(words.word[i]) < sizeof words.text);
    struct aw_session *session = open_session();
    bind_line(session, &words);
    close_session(session);
    return 0;
}
