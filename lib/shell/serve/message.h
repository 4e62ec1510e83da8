/* Internal to lib/shell/serve: the messages between a server and its clients. A message is a head,
 * in the byte order of the machine, then the memory, then the body. Both ends must be the same
 * version.
 *
 *     aw_conn_put(&conn, &(struct aw_mail){.type = AW_DONE, .body = aw_text("done")});
 */
#ifndef AW_SHELL_SERVE_MESSAGE_H
#define AW_SHELL_SERVE_MESSAGE_H

#include <string.h>

#include "shell/session/session.h"

#define AW_MEMORY_MAX  2048 /* max bytes of the saved state of a conversation */
#define AW_REASON_MAX  320
#define AW_MESSAGE_MAX (AW_FRAME_ROOM + 4096)

/* The fields that each type uses: */
enum aw_verb {
    /* sent by a client */
    AW_LIFE = 1,  /* a sign of life */
    AW_LINK,      /* requests the bytes that pass over the link */
    AW_WANT,      /* requests the lease; flag: take over */
    AW_STOP,      /* the safe stop; answered by HALTED, and by GRANTED if the client may go on */
    AW_FRAME,     /* lease, number, memory, body: a frame; one at a time until ACK */
    AW_ASK,       /* ns: max age of the answer, body: a frame that only reads */
    AW_IDLE,      /* flag: moving, ns: when that ends (0: does not end by itself), memory */
    AW_PLAYS,     /* flag: the client's play accepts speed changes */
    AW_ASK_SPEED, /* share, flag: take over; DONE */
    AW_WHO,       /* COMMANDER */
    AW_RELEASE,   /* releases the lease */
    AW_LEAVE,     /* releases the lease before the end; the motion goes on */
    /* sent by a server */
    AW_HELLO = 64,  /* body: struct aw_hello; the first message */
    AW_PASSED,      /* flag: sent to the device, ns: time, body */
    AW_LOST_SOME,   /* number of PASSED messages dropped here */
    AW_GRANTED,     /* lease, memory */
    AW_TURNED_DOWN, /* status (0: another program holds the lease), text */
    AW_ACK,         /* number, status, text */
    AW_DONE,        /* status, text */
    AW_COMMANDER,   /* body: struct aw_commander, the holder of the lease */
    AW_HALTED,      /* status */
    AW_REVOKED,     /* status, flag: the server ends, text; to the holder of the lease */
    AW_STOPPED_BY,  /* the same to all other clients */
    AW_SPEED,       /* share; to the holder of the lease */
};

struct aw_mail {
    uint32_t size;  /* of the whole message, bytes; aw_conn_put sets it */
    uint32_t kept;  /* of the memory, bytes; aw_conn_put sets it */
    uint32_t type;  /* enum aw_verb */
    uint8_t status; /* enum aw_status */
    uint8_t flag;   /* 0 or 1 */
    uint16_t unused;
    uint32_t number, lease;
    union {
        int64_t ns;
        double share;
    };
    /* The head ends here. */
    struct aw_span memory, body; /* received ones are valid until the next fill */
};

#define AW_HEAD offsetof(struct aw_mail, memory)

/* A text as a body; truncated to AW_REASON_MAX. */
static inline struct aw_span aw_text(const char *text)
{
    return (struct aw_span){(const uint8_t *)text, strnlen(text, AW_REASON_MAX)};
}

/* Reads the body as a text; control characters are removed. */
void aw_text_of(const struct aw_mail *m, char *out, size_t room);

/* The session's state of the conversation with its device: saved gains, then the tool's memory.
 * aw_memory_take ignores invalid memory. */
struct aw_span aw_memory_of(struct aw_session *session, uint8_t out[AW_MEMORY_MAX]);
void aw_memory_take(struct aw_session *session, struct aw_span memory);

#endif
