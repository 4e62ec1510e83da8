/* Internal to lib/packets: the statements of a DBC file, part by part.
 *
 * Each function reads the next part, or reports what it expected, with the position: AW_USAGE.
 * Texts go into the store of the file: AW_NO_MEMORY.
 */
#ifndef AW_PACKETS_DBC_PARSER_H
#define AW_PACKETS_DBC_PARSER_H

#include "packets/dbc.h"
#include "packets/dbc_scan.h"

struct aw_dbc_parser {
    struct aw_dbc *dbc;
    struct aw_dbc_scan scan;
    const char *name; /* name of the file */
    struct aw_error *err;
};

enum aw_status aw_dbc_fail(struct aw_dbc_parser *p, const char *expected);
enum aw_status aw_dbc_parse_sign(struct aw_dbc_parser *p, char sign, const char *expected);
enum aw_status aw_dbc_parse_number(struct aw_dbc_parser *p, double *value, const char *expected);

/* Reads an integer from 0 to most. */
enum aw_status aw_dbc_parse_count(struct aw_dbc_parser *p, unsigned *count, double most,
                                  const char *expected);

bool aw_dbc_is_name(const struct aw_dbc_token *token);
enum aw_status aw_dbc_parse_name(struct aw_dbc_parser *p, const char **name, const char *expected);

/* Reads a text; NULL if it is empty. csv: the text must suit CSV. */
enum aw_status aw_dbc_parse_text(struct aw_dbc_parser *p, const char **text, size_t size, bool csv);

/* Read the rest of a statement after BO_, and after SG_: a signal of the last message. */
enum aw_status aw_dbc_read_message(struct aw_dbc_parser *p);
enum aw_status aw_dbc_read_signal(struct aw_dbc_parser *p);

#endif
