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

#define AW_MEMORY_MAX  2048                   /* max size of the memory, see aw_memory_save */
#define AW_REASON_MAX  320                    /* max length of a text */
#define AW_MESSAGE_MAX (AW_FRAME_ROOM + 4096) /* max size of a whole message, bytes */

/* Types of messages, and the fields that each type uses: */
enum aw_serve_type {
    /* sent by a client */
    AW_LIFE = 1,  /* a sign of life */
    AW_LINK,      /* requests the bytes that pass over the link */
    AW_WANT,      /* requests the lease; flag: take over; the answer is GRANTED or DONE */
    AW_STOP,      /* the safe stop; the answer is GRANTED or DONE */
    AW_FRAME,     /* lease, number, memory, body: a frame; the next one may follow after DONE */
    AW_ASK,       /* ns: max age of the answer, body: a frame that only reads */
    AW_IDLE,      /* flag: moving, ns: time until that ends (0: unknown), memory */
    AW_PLAYS,     /* flag: the client's play accepts speed changes */
    AW_ASK_SPEED, /* share, flag: take over; the answer is DONE */
    AW_GET_HELLO, /* the answer is another HELLO */
    AW_RELEASE,   /* releases the lease; the motion continues */
    /* sent by a server */
    AW_HELLO = 64, /* body: struct aw_hello; the first message, and the answer to GET_HELLO */
    AW_PASSED,     /* flag: sent to the device (not from it), ns: see aw_session_time, body */
    AW_LOST_SOME,  /* number of PASSED messages dropped here */
    AW_GRANTED,    /* lease, memory */
    AW_DONE,       /* number of the frame, or 0: a request; status, text */
    AW_REVOKED,    /* status, flag: the server ends, text; to the holder of the lease */
    AW_STOPPED_BY, /* the same, to all others except clients that stop or take over */
    AW_SPEED,      /* share; to the holder of the lease */
};

struct aw_serve_message {
    uint32_t size;        /* size of the whole message, bytes; set in the queued copy */
    uint32_t memory_size; /* size of the memory, bytes; set in the queued copy */
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

/* A queue of consecutive messages, from bytes[start] up to bytes[end]; room is the allocated size.
 * aw_buffer_pop frees bytes and sets it to NULL when the queue becomes empty. */
struct aw_buffer {
    uint8_t *bytes;
    size_t start, end, room;
};

/* Makes room for more bytes after end. If it has to allocate, adds spare bytes. Returns false if
 * out of memory. */
bool aw_buffer_reserve(struct aw_buffer *buffer, size_t more, size_t spare);

/* Appends a copy of a message, with its sizes set. Returns false if out of memory. */
bool aw_buffer_add(struct aw_buffer *buffer, const struct aw_serve_message *m);

/* Reads the header of the message at bytes[at]. If the header is incomplete, reads only its size;
 * if even that is incomplete, size is 0. */
void aw_buffer_read_head(const struct aw_buffer *buffer, size_t at, struct aw_serve_message *head);

/* Reads the first message and returns its size; 0: it is incomplete or invalid. */
size_t aw_buffer_read_first(const struct aw_buffer *buffer, struct aw_serve_message *m);
void aw_buffer_pop(struct aw_buffer *buffer);   /* removes the first message, if it is whole */
void aw_buffer_clear(struct aw_buffer *buffer); /* removes everything and frees bytes */

/* Returns a string (not copied) as a body, truncated to AW_REASON_MAX bytes. */
static inline struct aw_span aw_text_body(const char *text)
{
    return (struct aw_span){(const uint8_t *)text, strnlen(text, AW_REASON_MAX)};
}

/* Copies the body to out as a string of at most room - 1 bytes, see aw_utf8_clean. */
void aw_serve_copy_text(const struct aw_serve_message *m, char *out, size_t room);

/* The memory is the session's state of the conversation with its device: the saved gains,
 * followed by the tool's state. aw_memory_save writes it to out; the result is empty if the tool
 * has none or it is too long. aw_memory_restore ignores invalid memory, and all memory while no
 * link is open. */
struct aw_span aw_memory_save(struct aw_session *session, uint8_t out[AW_MEMORY_MAX]);
void aw_memory_restore(struct aw_session *session, struct aw_span memory);

#endif
