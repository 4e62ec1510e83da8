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
    AW_WANT,      /* requests the lease; flag: take over; GRANTED or DONE */
    AW_STOP,      /* the safe stop; GRANTED or DONE */
    AW_FRAME,     /* lease, number, memory, body: a frame; one at a time until ACK */
    AW_ASK,       /* ns: max age of the answer, body: a frame that only reads */
    AW_IDLE,      /* flag: moving, ns: when that ends (0: does not end by itself), memory */
    AW_PLAYS,     /* flag: the client's play accepts speed changes */
    AW_ASK_SPEED, /* share, flag: take over; DONE */
    AW_WHO,       /* COMMANDER */
    AW_RELEASE,   /* releases the lease; flag: before the end, and the motion continues */
    /* sent by a server */
    AW_HELLO = 64, /* body: struct aw_hello; the first message */
    AW_PASSED,     /* flag: sent to the device, ns: time, body */
    AW_LOST_SOME,  /* number of PASSED messages dropped here */
    AW_GRANTED,    /* lease, memory */
    AW_ACK,        /* number, status, text */
    AW_DONE,       /* status, text; flag: the message begins with the command */
    AW_COMMANDER,  /* body: struct aw_commander, the holder of the lease */
    AW_REVOKED,    /* status, flag: the server ends, text; to the holder of the lease */
    AW_STOPPED_BY, /* the same to all other clients */
    AW_SPEED,      /* share; to the holder of the lease */
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
    struct aw_span memory, body; /* in a buffer, until it changes */
};

#define AW_HEAD offsetof(struct aw_mail, memory)

/* Messages in a row. An empty buffer has no bytes: NULL. */
struct aw_buffer {
    uint8_t *bytes;
    size_t start, end, room;
};

/* Makes room for more bytes at the end, and some to spare. Returns false if out of memory. */
bool aw_buffer_room(struct aw_buffer *buffer, size_t more, size_t spare);

/* Appends a message. Returns false if out of memory. */
bool aw_buffer_add(struct aw_buffer *buffer, const struct aw_mail *m);

/* Reads the head of a message: only its size, or nothing (0), if it is incomplete. */
void aw_buffer_head(const struct aw_buffer *buffer, size_t at, struct aw_mail *head);

/* Reads the first message and returns its size; 0: it is incomplete. */
size_t aw_buffer_first(const struct aw_buffer *buffer, struct aw_mail *m);
void aw_buffer_pop(struct aw_buffer *buffer); /* removes the first message */
void aw_buffer_clear(struct aw_buffer *buffer);

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
