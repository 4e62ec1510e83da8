/* Internal to lib/packets: the statements of a DBC file.
 *
 * Reads BO_ and SG_, VAL_, SIG_VALTYPE_, SG_MUL_VAL_, CM_ of messages and signals, and the long
 * names of BA_; skips all other statements. Texts are UTF-8; a file that is not UTF-8 is read as
 * Windows-1252. Control characters are removed, so texts are safe in a line, in JSON and in CSV.
 *
 * Source: the DBC file format documentation (version 01/2007), and public DBC files.
 */
#ifndef AW_PACKETS_DBC_H
#define AW_PACKETS_DBC_H

#include "packets/store.h"
#include "wire/table.h"

#define AW_DBC_NAME 60 /* size of a name, bytes, with its NUL; longer ones are truncated */

/* A named value of a signal. */
struct aw_dbc_value {
    int64_t number; /* on the wire */
    const char *text;
};

struct aw_dbc_signal {
    const char *name, *long_name, *unit, *help; /* NULL: none */
    unsigned start, length; /* as in the file: the lowest bit, or the highest one */
    bool big_endian, is_signed;
    unsigned type; /* by SIG_VALTYPE_: 0 an integer, 1 a float, 2 a double */
    bool multiplexor;
    bool multiplexed;
    int64_t number;            /* the multiplexor's value if the signal is present */
    const char *chooser;       /* by SG_MUL_VAL_: the multiplexor */
    struct aw_choice *choices; /* its values, terminated as in a table; owned */
    size_t n_choices, room_choices;
    double factor, offset, min, max;
    struct aw_dbc_value *values; /* owned */
    size_t n_values, room_values;
    int chosen_by; /* index of the multiplexor; -1: always present */
    bool chooses;  /* chooses another signal */
    bool left_out;
};

struct aw_dbc_message {
    const char *name, *long_name, *sender, *help; /* sender NULL: unknown */
    uint32_t id; /* as in the file: bit 31 marks a 29-bit identifier */
    unsigned size;
    struct aw_dbc_signal *signals; /* owned */
    size_t n, room;
};

struct aw_dbc {
    struct aw_store *store; /* holds the texts */
    struct aw_dbc_message *messages;
    size_t n, room;
};

/* Parses the text of a file; name is for messages. AW_USAGE with the position of the mistake,
 * AW_NO_MEMORY. The caller calls aw_dbc_free in any case. */
enum aw_status aw_dbc_parse(struct aw_dbc *dbc, const char *text, const char *name,
                            struct aw_error *err);

void aw_dbc_free(struct aw_dbc *dbc);

#endif
