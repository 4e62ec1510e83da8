/* Internal to lib/shell/serve: the messages between a server and its clients. A message is a header
 * in the machine's byte order, then the memory, then the body. Both ends must be the same version.
 *
 *     struct aw_serve_message m = {.type = AW_DONE, .body = aw_text_body("done")};
 *     aw_conn_put(&conn, &m);
 */
#ifndef AW_SHELL_SERVE_MESSAGE_H
#define AW_SHELL_SERVE_MESSAGE_H

#include <string.h>

#include "shell/session/session.h"

#define AW_MEMORY_MAX  2048 /* max size of the saved state of a conversation */
#define AW_REASON_MAX  320
#define AW_MESSAGE_MAX (AW_FRAME_ROOM + 4096)

/* Types of messages, and the fields that each type uses: */
enum aw_serve_type {
    /* sent by a client */
    AW_LIFE = 1,  /* a sign of life */
    AW_LINK,      /* requests the bytes that pass over the link */
    AW_WANT,      /* requests the lease; flag: take over; the answer is GRANTED or DONE */
    AW_STOP,      /* the safe stop; the answer is GRANTED or DONE */
    AW_FRAME,     /* lease, number, memory, body: a frame; the next one may follow after DONE */
    AW_ASK,       /* ns: max age of the answer, body: a frame that only reads */
    AW_IDLE,      /* flag: moving, ns: when that ends (0: does not end by itself), memory */
    AW_PLAYS,     /* flag: the client's play accepts speed changes */
    AW_ASK_SPEED, /* share, flag: take over; the answer is DONE */
    AW_GET_HELLO, /* the answer is another HELLO */
    AW_RELEASE,   /* releases the lease; the motion continues */
    /* sent by a server */
    AW_HELLO = 64, /* body: struct aw_hello; the first message, and the answer to GET_HELLO */
    AW_PASSED,     /* flag: sent to the device (not from it), ns: time, body */
    AW_LOST_SOME,  /* number of PASSED messages dropped here */
    AW_GRANTED,    /* lease, memory */
    AW_DONE,       /* number of the frame, or 0: a request; status, text */
    AW_REVOKED,    /* status, flag: the server ends, text; to the holder of the lease */
    AW_STOPPED_BY, /* the same, to all other clients */
    AW_SPEED,      /* share; to the holder of the lease */
};

struct aw_serve_message {
    uint32_t size;        /* size of the whole message, bytes; set by aw_conn_put */
    uint32_t memory_size; /* size of the memory, bytes; set by aw_conn_put */
    uint32_t type;        /* enum aw_serve_type */
    uint8_t status;       /* enum aw_status */
    uint8_t flag;         /* 0 or 1 */
    uint16_t unused;
    uint32_t number, lease;
    union {
        int64_t ns;
        double share;
    };
    /* End of the header. */
    struct aw_span memory, body; /* point into a buffer, until it changes */
};

#define AW_HEAD offsetof(struct aw_serve_message, memory)

/* A queue of consecutive messages. bytes is NULL while the queue is empty. */
struct aw_buffer {
    uint8_t *bytes;
    size_t start, end, room;
};

/* Makes room for more bytes at the end, plus a reserve. Returns false if out of memory. */
bool aw_buffer_reserve(struct aw_buffer *buffer, size_t more, size_t spare);

/* Appends a message. Returns false if out of memory. */
bool aw_buffer_add(struct aw_buffer *buffer, const struct aw_serve_message *m);

/* Reads the header of a message. If it is incomplete, reads only its size; if even that is missing,
 * size is 0. */
void aw_buffer_read_head(const struct aw_buffer *buffer, size_t at, struct aw_serve_message *head);

/* Reads the first message and returns its size; 0: it is incomplete. */
size_t aw_buffer_read_first(const struct aw_buffer *buffer, struct aw_serve_message *m);
void aw_buffer_pop(struct aw_buffer *buffer); /* removes the first message */
void aw_buffer_clear(struct aw_buffer *buffer);

/* Returns a string as a body, truncated to AW_REASON_MAX. */
static inline struct aw_span aw_text_body(const char *text)
{
    return (struct aw_span){(const uint8_t *)text, strnlen(text, AW_REASON_MAX)};
}

/* Copies the body to a string without control characters. */
void aw_serve_copy_text(const struct aw_serve_message *m, char *out, size_t room);

/* The session's state of the conversation with its device: the saved gains, followed by the tool's
 * memory. aw_memory_restore ignores invalid memory. */
struct aw_span aw_memory_save(struct aw_session *session, uint8_t out[AW_MEMORY_MAX]);
void aw_memory_restore(struct aw_session *session, struct aw_span memory);

#endif
