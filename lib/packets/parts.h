/* Internal to lib/packets: the lines of one packet, and what all of them become. */
#ifndef AW_PACKETS_PARTS_H
#define AW_PACKETS_PARTS_H

#include "packets/store.h"
#include "wire/wire.h"

#define AW_PACKET_ROWS   AW_MAX_SCALARS
#define AW_PACKET_LABELS 32

/* Which byte comes first. */
enum aw_order { AW_ORDER_UNSAID, AW_ORDER_LITTLE, AW_ORDER_BIG };

/* The packet that is being read. */
struct aw_packet {
    const struct aw_protocol *protocol;
    const struct aw_custom_packets *own; /* of it */
    const char *name, *help, *answer;
    const char *word;  /* where messages are text: the name as it is sent */
    unsigned line;     /* where it begins */
    const char *fault; /* of a check that failed: the key or field at fault; NULL: all of it */
    uint32_t id;
    bool has_id, ask, moves, replace;
    enum aw_order order; /* of what follows, as far as a field says nothing */
    enum aw_dir dir;     /* 0: not said */
    double rate, timeout_s;
    size_t n_rows, n_inner, n_labels; /* labels of the open group; 0: none is open */
    const char *const *labels;
    size_t bits, inner_bits;      /* of all that is closed; of the open group once */
    bool text;                    /* it has one */
    bool summed;                  /* it has ended with a checksum */
    bool answers;                 /* the rows are those of its answer, */
    const struct aw_field *there; /* and these are sent */
    /* So large that only what was used is cleared for the next one. */
    struct aw_field rows[AW_PACKET_ROWS + 1]; /* the last one may be a group that is not closed */
    struct aw_field inner[AW_PACKET_ROWS + 1];
};

/* Begins with nothing said; the first time it is all zero. */
void aw_packet_begin(struct aw_packet *packet, const struct aw_protocol *protocol, unsigned line);

/* "big" or "little". AW_USAGE. */
enum aw_status aw_packet_endian(enum aw_order *order, const char *value, struct aw_error *err);

/* Makes a name of a word in capital letters ("GRIP"). AW_USAGE: not a valid word. */
enum aw_status aw_packet_word(char *name, struct aw_error *err);

/* AW_USAGE if it cannot be the name of what. */
enum aw_status aw_packet_name(const char *name, const char *what, struct aw_error *err);

/* One line "name = value", which is cut up. */
enum aw_status aw_packet_line(struct aw_packet *packet, struct aw_store *store, const char *name,
                              char *value, struct aw_error *err);

/* What shows only at its end, or that of a group. AW_USAGE. */
enum aw_status aw_packet_check(struct aw_packet *packet, struct aw_error *err);

/* All rows, filled up to a whole byte, as a table wants them. NULL: out of memory. */
const struct aw_field *aw_packet_rows(struct aw_packet *packet, struct aw_store *store);

/* A joint or a stop that is read, with the line where it begins. */
#define AW_PACKET_JOINTS 16
#define AW_PACKET_STOPS  4

struct aw_packet_joint {
    struct aw_joint_row row;
    const char *speed, *near, *tick; /* as they stand there, or NULL */
    unsigned line;
};

/* One line of a section "[joint NAME]". */
enum aw_status aw_packet_joint_line(struct aw_packet_joint *joint, struct aw_store *store,
                                    const char *name, char *value, struct aw_error *err);

/* Are its fields there, and in units that fit? Sets speed and near. fault: the key of an error. */
enum aw_status aw_packet_joint_check(const struct aw_protocol *protocol,
                                     struct aw_packet_joint *joint, const char **fault,
                                     struct aw_error *err);

/* "kp", "ki", "kd". */
extern const char *const aw_packet_gain_names[AW_JOINT_GAINS];

/* The same of its gains, with all joints in the protocol: is each set by a packet that moves
 * nothing and of which all else is known? */
enum aw_status aw_packet_gains_check(const struct aw_protocol *protocol,
                                     const struct aw_joint_row *joint, const char **fault,
                                     struct aw_error *err);

/* "go hold": what stands behind "packet =". */
enum aw_status aw_packet_stop_line(struct aw_stop_row *stop, struct aw_store *store, char *value,
                                   struct aw_error *err);

/* Is it there, and can it be made of what is known? */
enum aw_status aw_packet_stop_check(const struct aw_protocol *protocol,
                                    const struct aw_stop_row *stop, struct aw_error *err);

/* "f32 deg min=-90 max=90" as a row without a name, and what it says of its bytes' order; text:
 * where messages are that. AW_USAGE. */
enum aw_status aw_packet_field(struct aw_field *row, enum aw_order *order, bool text,
                               struct aw_store *store, char *line, struct aw_error *err);

struct aw_packets {
    struct aw_protocol protocol;
    size_t n_builtin; /* messages of the tool, in front */
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
