/* Internal to lib/packets: parses the statements of a DBC file.
 *
 * Reads BO_ and SG_, VAL_, SIG_VALTYPE_, SG_MUL_VAL_, CM_ of messages and signals, and the long
 * names of BA_; skips all other statements. Strings are safe on a terminal, in JSON and in CSV.
 *
 * Source: the DBC file format documentation (version 01/2007), and public DBC files.
 */
#ifndef AW_PACKETS_DBC_H
#define AW_PACKETS_DBC_H

#include "packets/store.h"
#include "wire/table.h"

#define AW_DBC_NO_NODE "Vector__XXX" /* stands for "no node" */
#define AW_DBC_NAME    60 /* maximum size of a name with its NUL; longer ones are truncated */

/* A named value of a signal. */
struct aw_dbc_value {
    int64_t number; /* number on the wire */
    const char *text;
};

struct aw_dbc_signal {
    const char *name, *long_name, *unit, *help; /* NULL: not given */
    unsigned start, length; /* as in the file: start is the lowest or the highest bit */
    bool big_endian, is_signed;
    unsigned type; /* from SIG_VALTYPE_: 0 integer, 1 float, 2 double */
    struct {
        bool is_multiplexor;
        bool multiplexed;
        int64_t chooser_value;     /* value of the multiplexor for which the signal is present */
        const char *chooser_name;  /* name of the multiplexor in SG_MUL_VAL_ */
        struct aw_choice *choices; /* values of that multiplexor, terminated as in a table; owned */
        size_t n_choices, room_choices;
        int chooser_index; /* index of the multiplexor's signal; -1: always present */
        bool is_chooser;   /* is the multiplexor of another signal */
    } mux;
    struct {
        double factor, offset, min, max;
    } scaling;
    struct aw_dbc_value *values; /* owned */
    size_t n_values, room_values;
    bool skipped;
};

struct aw_dbc_message {
    const char *name, *long_name, *sender, *help; /* sender NULL: unknown */
    uint32_t id; /* as in the file: bit 31 marks a 29-bit identifier */
    unsigned size;
    struct aw_dbc_signal *signals; /* owned */
    size_t n, room;
};

struct aw_dbc {
    struct aw_store *store; /* owns all strings */
    struct aw_dbc_message *messages;
    size_t n, room;
};

/* Parses the text of a file, as aw_dbc_clean_text returns it. dbc->store must be set, and the rest
 * of dbc zero. name is the file's name for messages. AW_USAGE: a mistake, with its position.
 * AW_NO_MEMORY: out of memory. The caller must call aw_dbc_free in any case. */
enum aw_status aw_dbc_parse(struct aw_dbc *dbc, const char *text, const char *name,
                            struct aw_error *err);

void aw_dbc_free(struct aw_dbc *dbc);

#endif
