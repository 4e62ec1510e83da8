/* Names of canpid's boards: from the config file, the defaults, and -b LIST. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"
#include "packets/carried.h"
#include "state.h"
#include "wire/rows.h"

unsigned canpid_find_first_board(uint64_t boards)
{
    return (unsigned)__builtin_ctzll(boards) * 32;
}

const struct aw_name *canpid_board_names(const struct aw_session *session)
{
    return aw_rows_find(session->wire->variant.head, "board")->names;
}

/* Returns true for names that need no quoting in JSON and CSV. */
static bool is_plain_name(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || (text[n] && strchr("_-.", text[n])))
        n++;
    return n > 0 && !text[n];
}

static void add_name(struct canpid_boards *boards, const char *name, int32_t id)
{
    snprintf(boards->text[boards->n], AW_CANPID_NAME_MAX, "%s", name);
    boards->names[boards->n] = (struct aw_name){id, boards->text[boards->n]};
    boards->n++;
}

enum aw_status canpid_configure(struct aw_session *session, const char *section, const char *key,
                                const char *value, struct aw_error *err)
{
    struct canpid_boards *boards = &canpid_state(session)->boards;
    char *end;
    if (strncmp(section, "board ", 6) != 0 || strcmp(key, "id") != 0)
        return aw_fail(err, AW_USAGE,
                       "[%.40s] %.40s: unknown key — write id = 0x100 in [board NAME]", section,
                       key);
    unsigned long id = strtoul(value, &end, 0);
    if (!*value || *end || id % 32 || id / 32 >= AW_CANPID_BOARDS)
        return aw_fail(err, AW_USAGE,
                       "[%.40s] id: '%.20s' is not a multiple of 32 below 2048 — write one such as "
                       "0x100",
                       section, value);
    if (!is_plain_name(section + 6))
        return aw_fail(err, AW_USAGE, "[%.40s]: invalid name — use letters, digits, _, - and .",
                       section);
    if (strlen(section + 6) >= AW_CANPID_NAME_MAX)
        return aw_fail(err, AW_USAGE, "[%.40s]: name is longer than %d characters — shorten it",
                       section, AW_CANPID_NAME_MAX - 1);
    if (boards->n == BOARDS_NAMED / 2)
        return aw_fail(err, AW_USAGE, "[%.40s]: more than %d boards — remove one", section,
                       BOARDS_NAMED / 2);
    add_name(boards, section + 6, (int32_t)id);
    return AW_OK;
}

/* Lists the file's boards first, then the default boards that it does not rename. */
static void build_head(struct canpid_boards *boards, const struct aw_field *defaults)
{
    size_t rows = 0;
    for (const struct aw_name *name = aw_rows_find(defaults, "board")->names; name->name; name++) {
        bool listed = false;
        for (size_t i = 0; i < boards->n; i++)
            listed = listed || boards->names[i].value == name->value ||
                     strcmp(boards->text[i], name->name) == 0;
        if (!listed)
            add_name(boards, name->name, name->value);
    }
    for (; defaults[rows].type != AW_ROWS_END && rows < HEAD_ROWS_MAX - 1; rows++) {
        boards->head[rows] = defaults[rows];
        if (strcmp(defaults[rows].name, "board") == 0)
            boards->head[rows].names = boards->names;
    }
}

enum aw_status canpid_select_variant(struct aw_session *session, struct aw_variant *variant,
                                     struct aw_error *err)
{
    struct canpid_boards *boards = &canpid_state(session)->boards;
    enum aw_status status =
        aw_find_variant(session, "sensors-layout", canpid_given(session)->layout, variant, err);
    variant->known_senders = &boards->numbers;
    if (status != AW_OK || boards->n == 0)
        return status;
    if (boards->head[0].type == AW_ROWS_END)
        build_head(boards, variant->head);
    variant->head = boards->head;
    return AW_OK;
}

/* Writes the names of boards that are not in *names_at, as many as fit, and adds these boards to
 * it: named boards, and those given by number. Returns false if no name was written. */
bool canpid_write_names(struct aw_session *session, uint64_t *names_at, char *out, size_t size)
{
    uint64_t boards = canpid_all_boards(session) | canpid_state(session)->boards.numbers,
             names_before = *names_at;
    *out = '\0';
    for (uint64_t left = boards & ~names_before; left; left &= left - 1) {
        char name[AW_CANPID_NAME_MAX];
        unsigned board = canpid_find_first_board(left);
        aw_canpid_board_name(&session->wire->variant, board, name);
        if (strlen(out) + sizeof AW_SUBJECT_LINE + sizeof name + 16 > size)
            break;
        aw_append(out, size, "\n", AW_SUBJECT_LINE "board %u %s", board, name);
        *names_at |= AW_CANPID_BIT(board);
    }
    return *names_at != names_before;
}

enum aw_status canpid_check_board(struct aw_session *session, const char *text)
{
    uint64_t boards;
    (void)text;
    enum aw_status status = aw_session_prepare_wire(session);
    return status == AW_OK ? canpid_parse_boards(session, &boards) : AW_OK;
}

static enum aw_status fail_unknown_board(struct aw_session *session, const char *text)
{
    const char *names[BOARDS_NAMED + 1];
    size_t n = 0;
    for (const struct aw_name *name = canpid_board_names(session); name->name; name++)
        names[n++] = name->name;
    return aw_fail_unknown(&session->err, aw_suggest(text, names, n),
                           "use lhip, lknee, lankle, rhip, rknee, rankle, all, or an "
                           "identifier such as 0x40",
                           "board '%.20s' not found", text);
}

uint64_t canpid_all_boards(const struct aw_session *session)
{
    uint64_t boards = 0;
    for (const struct aw_name *name = canpid_board_names(session); name->name; name++)
        boards |= AW_CANPID_BIT(name->value);
    return boards;
}

int canpid_find_board(struct aw_session *session, const char *text)
{
    int board = aw_canpid_board_find(&session->wire->variant, text);
    if (board >= 0)
        canpid_state(session)->boards.numbers |= AW_CANPID_BIT(board);
    return board;
}

enum aw_status canpid_add_board(struct aw_session *session, const char *name, uint64_t *boards)
{
    bool is_all = strcmp(name, "all") == 0;
    int board = is_all ? 0 : canpid_find_board(session, name);
    if (board < 0)
        return fail_unknown_board(session, name);
    *boards |= is_all ? canpid_all_boards(session) : AW_CANPID_BIT(board);
    return AW_OK;
}

enum aw_status canpid_parse_boards(struct aw_session *session, uint64_t *boards)
{
    const char *text = canpid_given(session)->board;
    char copy[256], *save;
    *boards = 0;
    if (!text)
        return aw_fail(&session->err, AW_USAGE,
                       "no board given — add -b lhip, lknee, lankle, rhip, rknee, rankle or all");
    snprintf(copy, sizeof copy, "%s", text);
    enum aw_status status = AW_OK;
    for (char *part = strtok_r(copy, ",", &save); part && status == AW_OK;
         part = strtok_r(NULL, ",", &save))
        status = canpid_add_board(session, part, boards);
    return *boards || status != AW_OK ? status : fail_unknown_board(session, text);
}

enum aw_status canpid_parse_board(struct aw_session *session, unsigned *board)
{
    uint64_t boards;
    enum aw_status status = canpid_parse_boards(session, &boards);
    if (status == AW_OK && (boards & (boards - 1)))
        return aw_fail(&session->err, AW_USAGE,
                       "more than one board given — name only one with -b");
    if (status == AW_OK)
        *board = canpid_find_first_board(boards);
    return status;
}

enum aw_status canpid_get_controller(struct aw_session *session, bool required, int *controller)
{
    *controller = canpid_given(session)->controller;
    if (*controller == AW_CANPID_LAST && required)
        return aw_fail(&session->err, AW_USAGE, "no controller given — add -c pos, lvl, tor or tl");
    return AW_OK;
}
