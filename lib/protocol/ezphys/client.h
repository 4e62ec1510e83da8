/* The controller of a simulation: reads its messages and answers them.
 *
 *     struct aw_ezphys ez;                                     // about 700 kB, by the caller
 *     if (aw_ezphys_init(&ez, NULL, &names, &err) != AW_OK) …  // and 1 MiB of its own
 *     aw_ezphys_attach(&ez, link);
 *     while ((status = aw_ezphys_receive(&ez, deadline, NULL, &err)) == AW_OK) {
 *         aw_ezphys_motor(&ez, &joint, &motor, &err);      // from ez.state
 *         aw_ezphys_answer(&ez, &err);
 *     }
 *     aw_ezphys_stop(&ez, NULL, &err);
 *     aw_ezphys_free(&ez);
 *
 * Lock-step: the simulator sends a message and waits for the answer; without one it stands still,
 * and ends after some time. So answer every message once, at once, and in one write. An answer
 * repeats the last motor commands (which changes nothing) and carries the forces of the next step
 * or a reset. Without commands it is an empty message, or a force of 0 on the scene if the wire has
 * no messages around packets. A simulator in real time does not wait for answers, but accepts them.
 *
 * If the wire does not mark the end of a message, it is found by the next timestamp, by the number
 * of packets in the message before, or by a short silence.
 *
 * A stop is sent at once, so the simulator may get one message more than it waits for. Then the
 * next message from it counts as answered. If the simulator took both for one, it falls silent; in
 * that case the message is answered after all.
 *
 * After a reset, messages from before it are answered and skipped: aw_ezphys_receive next returns
 * the first message after the reset. A new connection forgets everything, also motor commands,
 * which are never repeated by themselves.
 *
 * Damaged messages are counted, explained in problem, and skipped. A message that is incomplete
 * after a second counts as damaged, too. Memory does not grow. No thread.
 */
#ifndef AW_PROTOCOL_EZPHYS_CLIENT_H
#define AW_PROTOCOL_EZPHYS_CLIENT_H

#include "link/core/link.h"
#include "link/core/received.h"
#include "protocol/ezphys/state.h"

#define AW_EZPHYS_PACKET_MAX 128  /* bytes of one packet, with its header */
#define AW_EZPHYS_PACKETS    4096 /* of one message that are listed */
#define AW_EZPHYS_COMMANDS   256  /* joints that are commanded */

/* A joint to be commanded: the number, or on wires with names the name. */
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
    struct aw_ezphys_about about;
};

struct aw_ezphys_command {
    struct aw_ezphys_target target;
    bool motor; /* values were commanded, and are repeated */
    bool force; /* is to be sent once */
    struct aw_ezphys_motor values;
    uint8_t motor_packet[AW_EZPHYS_PACKET_MAX], force_packet[AW_EZPHYS_PACKET_MAX];
    size_t motor_size, force_size;
};

struct aw_ezphys_counters {
    uint64_t messages, packets, answers, malformed, bytes;
    uint64_t resets; /* restarts that this program did not request */
    uint64_t stale;  /* messages passed over after a reset */
};

/* Handle; the members may be read. */
struct aw_ezphys {
    struct aw_link *link;
    const struct aw_ezphys_names *names;
    struct aw_framer framer;
    uint8_t *buffer;
    size_t held, parsed; /* bytes in the buffer, and those that were looked at */
    unsigned connections;
    uint64_t framed;          /* messages that the framer had counted before */
    size_t expected, counted; /* packets but contacts: in the message before, in this one */
    bool whole;               /* the last message is; the next call begins with another one */
    bool damaged;             /* something was, since the last whole message */
    bool waits;               /* the simulator may, though it has its answer */
    bool owed;                /* the last message has not been answered yet; then ahead is 0 */
    bool spared;              /* the last message had its answer before it came */
    unsigned ahead;           /* messages sent that the simulator had not waited for yet */
    bool silent;              /* nothing is ever answered */
    bool reset, resetting;    /* is to be sent; was sent, and the new beginning is awaited */
    int64_t reset_step;       /* the last step before it; */
    int64_t stale_first, stale_step; /* and those that were passed over, 0: none yet */
    int64_t byte_ns;                 /* when the last bytes came, by the link's clock */
    int64_t received_ns, sent_ns;    /* when the last message came, went, by the link's clock */
    int64_t longest_ns;              /* from an answer to the next message, so far */
    struct aw_ezphys_state state;
    size_t n_packets, n_commands, own_size;
    uint8_t
        own_packet[AW_EZPHYS_PACKET_MAX]; /* of a packet file, to be sent once; own_size 0: none */
    struct aw_ezphys_counters counters;
    char problem[160]; /* the last thing that was damaged, in words */
    /* last: what of these is not used yet is not touched */
    struct aw_wire wire;
    struct aw_ezphys_packet packets[AW_EZPHYS_PACKETS];
    struct aw_ezphys_command commands[AW_EZPHYS_COMMANDS];
};

/* variant NULL: the protocol's first. names is not owned and may be NULL. AW_NO_LINK without
 * memory. */
enum aw_status aw_ezphys_init(struct aw_ezphys *ez, const struct aw_variant *variant,
                              const struct aw_ezphys_names *names, struct aw_error *err);
void aw_ezphys_free(struct aw_ezphys *ez);

/* Uses this link from now on, and forgets everything of the previous one. Not owned. */
void aw_ezphys_attach(struct aw_ezphys *ez, struct aw_link *link);

/* Another program may use the link until the next call, so the client does not know whether the
 * simulator waits. It answers the next message; if none comes, it sends an answer first. What is
 * known of the simulation stays. */
void aw_ezphys_resume(struct aw_ezphys *ez);

/* Takes in the next whole message: state, packets. AW_OK, AW_TIMEOUT, AW_STOPPED, AW_LOST;
 * AW_EVENT: a simulator has connected to this end, everything is forgotten. One that is still owed
 * an answer gets it first. received is its first packet, size 0 if it has none; or NULL. */
enum aw_status aw_ezphys_receive(struct aw_ezphys *ez, int64_t deadline,
                                 struct aw_received *received, struct aw_error *err);

/* Returns a packet of the last message, not decoded; size 0: no such packet. */
struct aw_received aw_ezphys_received(const struct aw_ezphys *ez, size_t packet);

/* Answers the last message; nothing to do if that was done. AW_LIMIT if the wire's size or count
 * cannot hold so many commands; AW_LOST, AW_TIMEOUT from the link. */
enum aw_status aw_ezphys_answer(struct aw_ezphys *ez, struct aw_error *err);

/* Decodes a packet of the last message with another wire (NULL: ez's own). */
enum aw_status aw_ezphys_decode(struct aw_ezphys *ez, struct aw_wire *wire, size_t packet,
                                struct aw_record *record, struct aw_error *err);

/* For the next answer. AW_USAGE for a number that is not finite, AW_LIMIT for one that a float
 * cannot carry, or for more than AW_EZPHYS_COMMANDS joints. */
enum aw_status aw_ezphys_motor(struct aw_ezphys *ez, const struct aw_ezphys_target *target,
                               const struct aw_ezphys_motor *motor, struct aw_error *err);
enum aw_status aw_ezphys_force(struct aw_ezphys *ez, const struct aw_ezphys_target *target,
                               const double torque[AW_EZPHYS_AXES], struct aw_error *err);

/* A packet of a packet file, encoded, for the next answer. AW_LIMIT: it is too long. */
enum aw_status aw_ezphys_add(struct aw_ezphys *ez, struct aw_span packet, struct aw_error *err);

/* The next answer restarts the simulation; motor commands are forgotten. */
void aw_ezphys_reset(struct aw_ezphys *ez);

/* How motors are stopped. */
struct aw_ezphys_halt {
    bool coast;    /* motors off, instead of velocity 0 with their torque */
    double torque; /* Nm or N where none is known from here */
};
#define AW_EZPHYS_STOP_TORQUE 1000

/* Every joint that was seen or commanded: velocity 0 with the torque it was given. Sent at once,
 * whether the simulator waits or not, and repeated from then on. Waits for nothing: for signal
 * time, when the clock refuses to wait. how NULL: hold, with AW_EZPHYS_STOP_TORQUE. */
enum aw_status aw_ezphys_stop(struct aw_ezphys *ez, const struct aw_ezphys_halt *how,
                              struct aw_error *err);

/* Passes the message of that stop to add, for use in a crash. Nothing is sent or changed. */
void aw_ezphys_last_stop(struct aw_ezphys *ez, const struct aw_ezphys_halt *how, aw_frame_fn *add,
                         void *context);

/* The message that would be the next answer, for --dry-run. cap: AW_EZPHYS_ANSWER_MAX is enough. */
#define AW_EZPHYS_ANSWER_MAX ((AW_EZPHYS_COMMANDS * 2 + 1) * AW_EZPHYS_PACKET_MAX + 64)
enum aw_status aw_ezphys_encode(struct aw_ezphys *ez, uint8_t *out, size_t cap, size_t *size,
                                struct aw_error *err);

/* The target of a word: a number, a name of the names file or of the simulation, or on wires with
 * names any name. AW_USAGE with a suggestion. */
enum aw_status aw_ezphys_target(const struct aw_ezphys *ez, const char *word,
                                struct aw_ezphys_target *target, struct aw_error *err);

/* Can there be such a joint? AW_USAGE, with those there are, where the simulation sends its joints
 * and neither it nor the names have this one. A joint that it does not send (its Send is off) may
 * still exist. */
enum aw_status aw_ezphys_expect(const struct aw_ezphys *ez, const struct aw_ezphys_target *target,
                                struct aw_error *err);

/* Is the object of the wire named, not numbered? */
bool aw_ezphys_named(const struct aw_ezphys *ez);

#endif
