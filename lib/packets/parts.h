/* Internal to lib/packets: the parser of one packet, and the data of all custom packets. */
#ifndef AW_PACKETS_PARTS_H
#define AW_PACKETS_PARTS_H

#include "packets/store.h"
#include "wire/wire.h"

#define AW_PACKET_ROWS   AW_MAX_SCALARS
#define AW_PACKET_LABELS 32

/* Byte order in a packet file. */
enum aw_order { AW_ORDER_DEFAULT, AW_ORDER_LITTLE, AW_ORDER_BIG };

/* State of parsing one packet. Strings are owned by the store. */
struct aw_packet {
    const struct aw_protocol *protocol;
    const struct aw_custom_packets *custom; /* the protocol's format of custom packets */
    const char *name, *help, *answer;
    const char *word; /* text protocols: the packet's name on the wire */
    /* position of the parser, and contents of the packet so far */
    struct {
        unsigned line;       /* line at which it starts */
        const char *fault;   /* key or field that failed a check; NULL: the whole packet */
        enum aw_order order; /* byte order of the following fields, unless they have their own */
        size_t n_rows;       /* number of closed rows */
        size_t bits;         /* size of the closed rows */
        bool has_text;       /* the packet has a text field */
        bool has_checksum;   /* the packet ends with a checksum, so no row may follow */
        bool in_answer;      /* the following rows describe the answer */
        const struct aw_field *request; /* fields of the request, if in_answer is set */
    } parse;
    uint32_t id;
    struct {
        bool has_id, ask, moves, replace; /* keys of the packet, see docs/packets.md */
    } options;
    enum aw_dir dir; /* 0: not specified */
    double rate;     /* Hz */
    double timeout_s;
    /* the open group; n_labels 0: none is open */
    struct {
        size_t n_group_rows, n_labels;
        const char *const *labels;
        size_t group_bits; /* size of one repetition */
    } group;
    /* Large arrays: aw_packet_begin clears only the used part. */
    struct aw_field rows[AW_PACKET_ROWS + 1]; /* terminated by {0} */
    struct aw_field group_rows[AW_PACKET_ROWS + 1];
};

/* Resets the packet. It must be zero before the first call. */
void aw_packet_begin(struct aw_packet *packet, const struct aw_protocol *protocol, unsigned line);

/* Parses "big" or "little". AW_USAGE: another value. */
enum aw_status aw_packet_parse_endian(enum aw_order *order, const char *value,
                                      struct aw_error *err);

/* Converts a word in capital letters ("GRIP") to a name, in place. AW_USAGE: not a valid word. */
enum aw_status aw_packet_parse_word(char *name, struct aw_error *err);

/* Checks that name is valid for a packet, field, joint …; the message calls it kind. AW_USAGE: it
 * is not valid. */
enum aw_status aw_packet_check_name(const char *name, const char *kind, struct aw_error *err);

/* Parses one line "name = value". Modifies value. AW_USAGE: invalid syntax or value.
 * AW_NO_MEMORY: out of memory. */
enum aw_status aw_packet_parse_line(struct aw_packet *packet, struct aw_store *store,
                                    const char *name, char *value, struct aw_error *err);

/* Checks that can be made only at the end of a packet or group. AW_USAGE: a check failed. */
enum aw_status aw_packet_check(struct aw_packet *packet, struct aw_error *err);

/* Ends the packet and returns all its rows, padded to a whole byte and terminated by {0}. NULL: too
 * many fields, or out of memory. */
const struct aw_field *aw_packet_end_rows(struct aw_packet *packet, struct aw_store *store,
                                          struct aw_error *err);

#define AW_PACKET_JOINTS 16
#define AW_PACKET_STOPS  4

/* A joint of a packet file, with the line at which it starts. */
struct aw_packet_joint {
    struct aw_joint_row row;
    const char *speed, *tolerance; /* strings in the file, or NULL */
    unsigned line;
};

/* Parses one line of a section "[joint NAME]". */
enum aw_status aw_packet_parse_joint(struct aw_packet_joint *joint, struct aw_store *store,
                                     const char *name, char *value, struct aw_error *err);

/* Checks that the joint's fields exist and have suitable units. Sets the numbers in row. On failure
 * sets *fault to the wrong key. */
enum aw_status aw_packet_check_joint(const struct aw_protocol *protocol,
                                     struct aw_packet_joint *joint, const char **fault,
                                     struct aw_error *err);

/* Checks the gains, after all joints are in the protocol. Each gain must be set by a packet that
 * causes no motion and contains no unknown values. */
enum aw_status aw_packet_check_gains(const struct aw_protocol *protocol,
                                     const struct aw_joint_row *joint, const char **fault,
                                     struct aw_error *err);

/* Parses "go hold", a value of "packet =". */
enum aw_status aw_packet_parse_stop(struct aw_stop_row *stop, struct aw_store *store, char *value,
                                    struct aw_error *err);

/* Checks that the packet of a stop exists and that all of its values are known. */
enum aw_status aw_packet_check_stop(const struct aw_protocol *protocol,
                                    const struct aw_stop_row *stop, struct aw_error *err);

/* Parses "f32 deg min=-90 max=90" as a row without a name, and sets *order to its byte order.
 * ascii: the protocol is ASCII. AW_USAGE: invalid syntax or value. AW_NO_MEMORY: out of memory. */
enum aw_status aw_packet_parse_field(struct aw_field *row, enum aw_order *order, bool ascii,
                                     struct aw_store *store, char *line, struct aw_error *err);

/* All custom packets of a session, and the protocol that includes them. */
struct aw_packets {
    struct aw_protocol protocol;
    size_t n_builtin; /* number of built-in messages, which come first */
    struct aw_message messages[AW_MAX_MESSAGES];
    struct aw_joint_row joints[AW_PACKET_JOINTS + 1];
    struct aw_stop_row stops[AW_PACKET_STOPS + 1];
    size_t n_joints, n_stops;
    struct aw_store store;
    char *file_text; /* lines of all packet files */
    size_t length, room;
    char **dbc; /* text of each DBC file */
    size_t n_dbc, room_dbc;
    char notice[640]; /* see aw_packets_notice */
};

#endif
