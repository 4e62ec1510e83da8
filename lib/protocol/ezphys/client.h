/* The controller of a simulation: reads its messages and answers them.
 *
 *     struct aw_ezphys ez;                                     // about 700 kB, by the caller
 *     if (aw_ezphys_init(&ez, NULL, &names, &err) != AW_OK) …  // and 1 MiB of its own
 *     aw_ezphys_attach(&ez, link);
 *     while ((status = aw_ezphys_receive(&ez, deadline, NULL, &err)) == AW_OK) {
 *         aw_ezphys_motor(&ez, &joint, &motor, &err);      // from ez.state
 *         aw_ezphys_answer(&ez, &err);
 *     }
 *     aw_ezphys_stop(&ez, false, &err);
 *     aw_ezphys_free(&ez);
 *
 * Lock-step: the simulator sends a message and waits for the answer. Without one it pauses, and
 * ends after some time. So every message must be answered exactly once, immediately, and in one
 * write. An answer repeats the last motor commands (which changes nothing) and has the forces of
 * the next step, or a reset. Without commands it is an empty message, or a force of 0 on the scene
 * if the wire has no envelope. A real-time simulator does not wait for answers, but accepts them.
 *
 * If the wire does not mark the end of a message, the client finds it by other signs. These are the
 * next timestamp, the number of packets in the previous message, or a short silence.
 *
 * A stop is sent at once, so the simulator may receive one more message than it waits for. Then its
 * next message counts as answered. If the simulator reads both as one, it waits silently; the
 * client then answers that message after all.
 *
 * After a reset, messages from before it are answered and skipped: aw_ezphys_receive next returns
 * the first message after the reset. A new connection discards all state, including motor commands,
 * which are never repeated automatically.
 *
 * Damaged messages are counted, explained in problem, and skipped. A message that is still
 * incomplete after a second also counts as damaged. Memory use is constant. Starts no thread. */
#ifndef AW_PROTOCOL_EZPHYS_CLIENT_H
#define AW_PROTOCOL_EZPHYS_CLIENT_H

#include "link/core/link.h"
#include "link/core/received.h"
#include "protocol/ezphys/state.h"

#define AW_EZPHYS_PACKET_MAX 128  /* max bytes of one packet, with its header */
#define AW_EZPHYS_PACKETS    4096 /* max number of listed packets per message */
#define AW_EZPHYS_COMMANDS   256  /* maximum number of commanded joints */

/* The joint of a command: its number, or its name on wires with names. */
struct aw_ezphys_target {
    uint32_t id;
    char name[AW_EZPHYS_NAME_SIZE];
};

/* rad/s and Nm (slider: m/s and N) of up to three axes. A torque of 0 switches the motor off. */
struct aw_ezphys_motor {
    double velocity[AW_EZPHYS_AXES], max_torque[AW_EZPHYS_AXES];
};

/* One packet of the last message. */
struct aw_ezphys_packet {
    struct aw_span frame;
    struct aw_ezphys_packet_subject subject;
};

struct aw_ezphys_encoded {
    bool is_set;
    size_t size;
    uint8_t bytes[AW_EZPHYS_PACKET_MAX];
};

struct aw_ezphys_command {
    struct aw_ezphys_target target;
    struct aw_ezphys_motor values;
    struct aw_ezphys_encoded motor; /* repeated in every answer */
    struct aw_ezphys_encoded force; /* sent once */
};

struct aw_ezphys_counters {
    uint64_t messages, packets, answers, malformed, bytes;
    uint64_t resets; /* restarts that this program did not request */
    uint64_t stale;  /* messages skipped after a reset */
};

/* Handle. Callers may read the members. */
struct aw_ezphys {
    struct aw_link *link;
    const struct aw_ezphys_names *names;
    /* the received bytes and the message that they form */
    struct {
        struct aw_framer framer;
        uint8_t *buffer;
        size_t n_bytes;       /* bytes in the buffer */
        size_t n_parsed;      /* bytes already parsed */
        unsigned connections; /* n_connections of the link when it was last read */
        /* number of messages that the framer had completed before the last scan */
        uint64_t n_framed;
        /* number of packets except contacts: in the previous message, in this one */
        size_t n_expected, n_counted;
        bool complete;        /* the last message is complete; the next call starts another one */
        bool damaged;         /* something was damaged since the last complete message */
        int64_t last_byte_ns; /* time of the last bytes, by the link's clock */
    } input;
    /* state of the lock-step: which end waits for the other */
    struct {
        bool may_wait;       /* the simulator may be waiting although it has its answer */
        bool must_answer;    /* the last message has not been answered; n_ahead is then 0 */
        bool answered_early; /* the last message was answered before it arrived */
        unsigned n_ahead;    /* number of messages sent before the simulator waited for them */
        /* time of the last received and the last sent message, by the link's clock */
        int64_t received_ns, sent_ns;
        int64_t max_reply_ns; /* longest time from an answer to the next message */
    } lockstep;
    bool never_answers; /* this client never answers */
    struct {
        /* a reset has to be sent; it was sent but has not taken effect */
        bool must_reset, resetting;
        int64_t reset_step;              /* last step before the reset */
        int64_t stale_first, stale_step; /* first and last skipped step, 0: none yet */
    } restart;
    struct aw_ezphys_state state;
    size_t n_packets, n_commands;
    /* a packet to be sent once; size 0: none */
    struct {
        size_t size;
        uint8_t packet[AW_EZPHYS_PACKET_MAX];
    } custom;
    struct aw_ezphys_counters counters;
    char problem[160]; /* why the last malformed message was rejected */
    /* Last, because initialisation leaves the unused parts untouched. */
    struct aw_wire wire;
    struct aw_ezphys_packet packets[AW_EZPHYS_PACKETS];
    struct aw_ezphys_command commands[AW_EZPHYS_COMMANDS];
};

/* Initialises ez. variant NULL: the protocol's first variant. Borrows names, which may be NULL.
 * AW_NO_MEMORY: out of memory. */
enum aw_status aw_ezphys_init(struct aw_ezphys *ez, const struct aw_variant *variant,
                              const struct aw_ezphys_names *names, struct aw_error *err);
void aw_ezphys_free(struct aw_ezphys *ez);

/* Uses this link from now on, and discards all state of the previous one. Borrows link. */
void aw_ezphys_attach(struct aw_ezphys *ez, struct aw_link *link);

/* Continues after another program used the link. The client cannot know whether the simulator waits
 * for an answer: it answers the next message, or sends an answer unprompted if none arrives. Keeps
 * the state of the simulation. */
void aw_ezphys_resume(struct aw_ezphys *ez);

/* Reads the next complete message and updates state and packets. Returns AW_OK, AW_TIMEOUT,
 * AW_STOPPED or AW_LOST. AW_EVENT: a simulator has connected to this end, all state is discarded.
 * Answers an unanswered message first. received (may be NULL) is the first packet; size 0: no
 * packet. */
enum aw_status aw_ezphys_receive(struct aw_ezphys *ez, int64_t deadline,
                                 struct aw_received *received, struct aw_error *err);

/* Returns a packet of the last message, not decoded; size 0: no such packet. */
struct aw_received aw_ezphys_get_packet(const struct aw_ezphys *ez, size_t packet);

/* Answers the last message; does nothing if it was already answered. AW_LIMIT: size or count of the
 * wire cannot hold all commands. AW_LOST, AW_TIMEOUT from the link. */
enum aw_status aw_ezphys_answer(struct aw_ezphys *ez, struct aw_error *err);

/* Add a command to the next answer. AW_USAGE: a number is not finite. AW_LIMIT: a number exceeds a
 * float's range, or there are more than AW_EZPHYS_COMMANDS joints. */
enum aw_status aw_ezphys_motor(struct aw_ezphys *ez, const struct aw_ezphys_target *target,
                               const struct aw_ezphys_motor *motor, struct aw_error *err);
enum aw_status aw_ezphys_force(struct aw_ezphys *ez, const struct aw_ezphys_target *target,
                               const double torque[AW_EZPHYS_AXES], struct aw_error *err);

/* Write the packet of such a command. Errors are the same. */
enum aw_status aw_ezphys_build_motor(struct aw_wire *wire, const struct aw_ezphys_target *target,
                                     const struct aw_ezphys_motor *motor, struct aw_record *record,
                                     struct aw_error *err);
enum aw_status aw_ezphys_build_force(struct aw_wire *wire, const struct aw_ezphys_target *target,
                                     const double torque[AW_EZPHYS_AXES], struct aw_record *record,
                                     struct aw_error *err);

/* Adds an encoded custom packet to the next answer. AW_LIMIT: the packet is too long. */
enum aw_status aw_ezphys_add_packet(struct aw_ezphys *ez, struct aw_span packet,
                                    struct aw_error *err);

/* Restarts the simulation with the next answer and discards motor commands. */
void aw_ezphys_reset(struct aw_ezphys *ez);

#define AW_EZPHYS_STOP_TORQUE 1000 /* for joints whose torque is unknown, Nm or N */

/* Stops every joint that was seen or commanded: velocity 0 with its torque; with coast, switches
 * its motors off. Sends the stop at once, whether or not the simulator is waiting, and repeats it
 * in later answers. Never waits, so it also works during signal handling, when the clock refuses to
 * wait. */
enum aw_status aw_ezphys_stop(struct aw_ezphys *ez, bool coast, struct aw_error *err);

/* Passes the message of that stop to add, for use in a crash. Sends nothing and changes no
 * state. */
void aw_ezphys_last_stop(struct aw_ezphys *ez, bool coast, aw_frame_fn *add, void *context);

/* Encodes the next answer, for --dry-run. cap: AW_EZPHYS_ANSWER_MAX is enough. */
#define AW_EZPHYS_ANSWER_MAX ((AW_EZPHYS_COMMANDS * 2 + 1) * AW_EZPHYS_PACKET_MAX + 64)
enum aw_status aw_ezphys_encode(struct aw_ezphys *ez, uint8_t *out, size_t cap, size_t *size,
                                struct aw_error *err);

/* Finds the target for an argument: a number, or a name of the names file or of the simulation. On
 * wires with names, any name is valid before the simulation sends joints. AW_USAGE with a
 * suggestion. */
enum aw_status aw_ezphys_target(const struct aw_ezphys *ez, const char *text,
                                struct aw_ezphys_target *target, struct aw_error *err);

/* Checks that the joint is known: sent by the simulation, or named by its number in the names file.
 * AW_USAGE, with a suggestion or a list of joints: it is neither. Accepts any joint before the
 * simulation has sent joints. Also refuses an unnamed joint that exists in the simulation but is
 * not sent (its option Send is off). */
enum aw_status aw_ezphys_check_target(const struct aw_ezphys *ez,
                                      const struct aw_ezphys_target *target, struct aw_error *err);

#endif
