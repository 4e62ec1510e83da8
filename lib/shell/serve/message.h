/* Internal to lib/shell/serve: the messages between a server and its clients. A message consists of
 * its length (u32, of the rest), its type (u8) and its fields, all little-endian. Texts and bytes
 * begin with their length (u32). Both ends must be the same version.
 *
 *     struct aw_writer w;
 *     aw_put_start(&w, AW_GRANTED);
 *     aw_put_int(&w, lease, 4);
 *     aw_conn_put(&conn, &w, false);
 *
 *     unsigned lease = (unsigned)aw_get_int(&r, 4);
 */
#ifndef AW_SHELL_SERVE_MESSAGE_H
#define AW_SHELL_SERVE_MESSAGE_H

#include "shell/session/session.h"

#define AW_MEMORY_MAX  2048 /* max bytes of the saved state of a conversation */
#define AW_REASON_MAX  320
#define AW_MESSAGE_MAX (AW_FRAME_ROOM + 4096)
#define AW_HEAD        5 /* size of length and type, bytes */

enum aw_verb {
    /* sent by a client */
    AW_LIFE = 1,  /* a sign of life */
    AW_LINK,      /* requests the bytes that pass over the link */
    AW_WANT,      /* requests the lease; take over u8 */
    AW_STOP,      /* the safe stop; answered by HALTED, and by GRANTED if the client may go on */
    AW_FRAME,     /* lease u32, number u32, memory, bytes; one at a time until ACK */
    AW_ASK,       /* max age of the answer i64 ns, bytes: a frame that only reads */
    AW_IDLE,      /* moving u8, ends in ms u32 (0: does not end by itself), memory */
    AW_PLAYS,     /* u8: the client's play accepts speed changes */
    AW_ASK_SPEED, /* share f64, take over u8; DONE */
    AW_WHO,       /* COMMANDER */
    AW_RELEASE,   /* releases the lease */
    AW_LEAVE,     /* releases the lease before the end; the motion goes on */
    /* sent by a server */
    AW_HELLO = 64,  /* see hello() in clients.c; the first message */
    AW_PASSED,      /* sent u8, time i64, bytes */
    AW_LOST_SOME,   /* u32: number of PASSED messages dropped here */
    AW_GRANTED,     /* lease u32, memory */
    AW_TURNED_DOWN, /* exit u8 (0: another program holds the lease), text */
    AW_ACK,         /* number u32, exit u8, text */
    AW_DONE,        /* exit u8, text */
    AW_COMMANDER,   /* the holder of the lease */
    AW_HALTED,      /* exit u8 */
    AW_REVOKED,     /* exit u8, server ends u8, text; to the holder of the lease */
    AW_STOPPED_BY,  /* the same to all other clients */
    AW_SPEED,       /* f64: to the holder of the lease */
};

struct aw_writer {
    size_t size;
    bool full; /* a field did not fit */
    uint8_t bytes[AW_MESSAGE_MAX];
};

struct aw_reader {
    const uint8_t *next, *end;
    bool bad; /* the message was too short; missing fields read as 0 or empty */
};

void aw_put_start(struct aw_writer *w, enum aw_verb type);
void aw_put_int(struct aw_writer *w, int64_t value, size_t size); /* 1 to 8 bytes */
void aw_put_real(struct aw_writer *w, double value);
void aw_put_bytes(struct aw_writer *w, struct aw_span bytes);
void aw_put_text(struct aw_writer *w, const char *text); /* truncated to AW_REASON_MAX */

int64_t aw_get_int(struct aw_reader *r, size_t size); /* unsigned, except for 8 bytes */
double aw_get_real(struct aw_reader *r);
struct aw_span aw_get_bytes(struct aw_reader *r);
void aw_get_text(struct aw_reader *r, char *out, size_t room); /* control characters removed */

/* The session's state of the conversation with its device: saved gains, then the tool's memory.
 * aw_memory_take ignores invalid memory. */
void aw_memory_put(struct aw_writer *w, struct aw_session *session);
void aw_memory_take(struct aw_session *session, struct aw_span memory);

#endif
