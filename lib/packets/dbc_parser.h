/* Internal to lib/packets: parses the parts of statements in a DBC file.
 *
 * Each function parses the next part. AW_USAGE: the part is missing; the message has its position.
 * AW_NO_MEMORY: out of memory. The store of the file owns all strings.
 */
#ifndef AW_PACKETS_DBC_PARSER_H
#define AW_PACKETS_DBC_PARSER_H

#include "packets/dbc.h"
#include "packets/dbc_scan.h"

struct aw_dbc_parser {
    struct aw_dbc *dbc;
    struct aw_dbc_scan scan;
    const char *name; /* name of the file, for messages */
    struct aw_error *err;
};

enum aw_status aw_dbc_fail(struct aw_dbc_parser *p, const char *expected);
enum aw_status aw_dbc_parse_sign(struct aw_dbc_parser *p, char sign, const char *expected);
enum aw_status aw_dbc_parse_number(struct aw_dbc_parser *p, double *value, const char *expected);

/* Parses an integer from 0 to max. */
enum aw_status aw_dbc_parse_count(struct aw_dbc_parser *p, unsigned *count, double max,
                                  const char *expected);

bool aw_dbc_is_name(const struct aw_dbc_token *token);
enum aw_status aw_dbc_parse_name(struct aw_dbc_parser *p, const char **name, const char *expected);

/* Parses a quoted string; *text is NULL if it is empty. csv: also removes commas, for use in
 * CSV. */
enum aw_status aw_dbc_parse_text(struct aw_dbc_parser *p, const char **text, size_t size, bool csv);

/* Parse the rest of a statement after BO_ and SG_. The signal belongs to the last message. */
enum aw_status aw_dbc_read_message(struct aw_dbc_parser *p);
enum aw_status aw_dbc_read_signal(struct aw_dbc_parser *p);

#endif
