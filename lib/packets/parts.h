/* Internal to lib/packets: the parser of one packet, and the data of all packets. */
#ifndef AW_PACKETS_PARTS_H
#define AW_PACKETS_PARTS_H

#include "packets/store.h"
#include "wire/wire.h"

#define AW_PACKET_ROWS   AW_MAX_SCALARS
#define AW_PACKET_LABELS 32

/* The byte order. */
enum aw_order { AW_ORDER_UNSAID, AW_ORDER_LITTLE, AW_ORDER_BIG };

/* The packet being read. */
struct aw_packet {
    const struct aw_protocol *protocol;
    const struct aw_custom_packets *own; /* the protocol's limits for custom packets */
    const char *name, *help, *answer;
    const char *word;  /* if messages are text: the name on the wire */
    unsigned line;     /* line of its start */
    const char *fault; /* the key or field at fault after a failed check; NULL: the whole packet */
    uint32_t id;
    bool has_id, ask, moves, replace;
    enum aw_order order; /* of the following fields without an order of their own */
    enum aw_dir dir;     /* 0: not given */
    double rate, timeout_s;
    size_t n_rows, n_inner, n_labels; /* labels of the open group; 0: none is open */
    const char *const *labels;
    size_t bits, inner_bits;      /* of all closed rows; of one repetition of the open group */
    bool text;                    /* the packet has a text */
    bool summed;                  /* the packet has ended with a checksum */
    bool answers;                 /* the rows describe the answer */
    const struct aw_field *there; /* fields of the request, if answers is set */
    /* Large, so aw_packet_begin clears only the used part. */
    struct aw_field rows[AW_PACKET_ROWS + 1]; /* the last row may be an open group */
    struct aw_field inner[AW_PACKET_ROWS + 1];
};

/* Resets the packet; before the first call it must be all zero. */
void aw_packet_begin(struct aw_packet *packet, const struct aw_protocol *protocol, unsigned line);

/* Parses "big" or "little". AW_USAGE. */
enum aw_status aw_packet_endian(enum aw_order *order, const char *value, struct aw_error *err);

/* Converts a word in capital letters ("GRIP") to a name. AW_USAGE: not a valid word. */
enum aw_status aw_packet_word(char *name, struct aw_error *err);

/* Checks that name can name a what. AW_USAGE. */
enum aw_status aw_packet_name(const char *name, const char *what, struct aw_error *err);

/* Parses one line "name = value"; modifies value. */
enum aw_status aw_packet_line(struct aw_packet *packet, struct aw_store *store, const char *name,
                              char *value, struct aw_error *err);

/* Checks what is known only at the end of a packet or group. AW_USAGE. */
enum aw_status aw_packet_check(struct aw_packet *packet, struct aw_error *err);

/* Returns all rows, padded to a whole byte and terminated. NULL: out of memory. */
const struct aw_field *aw_packet_rows(struct aw_packet *packet, struct aw_store *store);

/* A joint or a stop being read, with the line of its start. */
#define AW_PACKET_JOINTS 16
#define AW_PACKET_STOPS  4

struct aw_packet_joint {
    struct aw_joint_row row;
    const char *speed, *near, *tick; /* texts of the file, or NULL */
    unsigned line;
};

/* Parses one line of a section "[joint NAME]". */
enum aw_status aw_packet_joint_line(struct aw_packet_joint *joint, struct aw_store *store,
                                    const char *name, char *value, struct aw_error *err);

/* Checks that its fields exist and their units fit. Sets speed and near. fault: the key of an
 * error. */
enum aw_status aw_packet_joint_check(const struct aw_protocol *protocol,
                                     struct aw_packet_joint *joint, const char **fault,
                                     struct aw_error *err);

/* Checks the gains, with all joints in the protocol. A packet that causes no motion and needs no
 * unknown values must set each gain. */
enum aw_status aw_packet_gains_check(const struct aw_protocol *protocol,
                                     const struct aw_joint_row *joint, const char **fault,
                                     struct aw_error *err);

/* Parses "go hold", the value of "packet =". */
enum aw_status aw_packet_stop_line(struct aw_stop_row *stop, struct aw_store *store, char *value,
                                   struct aw_error *err);

/* Checks that the packet exists and all of its values are known. */
enum aw_status aw_packet_stop_check(const struct aw_protocol *protocol,
                                    const struct aw_stop_row *stop, struct aw_error *err);

/* Parses "f32 deg min=-90 max=90" as a row without a name, and sets order to its byte order. text:
 * messages are text. AW_USAGE. */
enum aw_status aw_packet_field(struct aw_field *row, enum aw_order *order, bool text,
                               struct aw_store *store, char *line, struct aw_error *err);

struct aw_packets {
    struct aw_protocol protocol;
    size_t n_builtin; /* built-in messages of the tool, at the start */
    struct aw_message messages[AW_MAX_MESSAGES];
    struct aw_joint_row joints[AW_PACKET_JOINTS + 1];
    struct aw_stop_row stops[AW_PACKET_STOPS + 1];
    size_t n_joints, n_stops;
    struct aw_store store;
    char *text; /* of all packet files */
    size_t length, room;
    char **dbc; /* each DBC file */
    size_t n_dbc, room_dbc;
};

#endif
