/* Internal to lib/shell/serve: what a server and its clients write to each other. A message is its
 * length (u32, of what follows), its type (u8) and its fields, all little-endian; texts and bytes
 * have a length in front of them (u32). Only programs of one version speak it.
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

#include "shell/core/session.h"

#define AW_MEMORY_MAX  2048 /* what is kept of a conversation with a device */
#define AW_REASON_MAX  320
#define AW_MESSAGE_MAX (AW_FRAME_ROOM + 4096)
#define AW_HEAD        5 /* bytes of length and type */

enum aw_verb {
    /* from a client */
    AW_LIFE = 1,  /* a sign of life */
    AW_LINK,      /* what passes the link is wanted from now on */
    AW_WANT,      /* take u8: the lease */
    AW_STOP,      /* the safe stop; HALTED, and perhaps GRANTED for what else it sends */
    AW_FRAME,     /* lease u32, number u32, memory, bytes: one until ACK */
    AW_ASK,       /* age of the answer at most i64 ns, bytes: a frame that only reads */
    AW_IDLE,      /* moves u8, ends in ms u32 (0: not by itself), memory */
    AW_PLAYS,     /* u8: the speed of a play may be changed from now on */
    AW_ASK_SPEED, /* share f64, take u8; DONE */
    AW_WHO,       /* COMMANDER */
    AW_RELEASE,   /* gives the lease back */
    AW_LEAVE,     /* the same in front of the end: what moves goes on */
    /* from a server */
    AW_HELLO = 64,  /* see hello() in clients.c; the first message */
    AW_PASSED,      /* sent u8, time i64, bytes */
    AW_LOST_SOME,   /* u32: number of PASSED that were dropped here */
    AW_GRANTED,     /* lease u32, memory */
    AW_TURNED_DOWN, /* exit u8 (0: another program commands), text */
    AW_ACK,         /* number u32, exit u8, text */
    AW_DONE,        /* exit u8, text */
    AW_COMMANDER,   /* who */
    AW_HALTED,      /* exit u8 */
    AW_REVOKED,     /* exit u8, server ends u8, text: to the holder of the lease */
    AW_STOPPED_BY,  /* the same to all others */
    AW_SPEED,       /* f64: to the holder */
};

struct aw_writer {
    size_t size;
    bool full; /* not all fitted */
    uint8_t bytes[AW_MESSAGE_MAX];
};

struct aw_reader {
    const uint8_t *next, *end;
    bool bad; /* fewer bytes than fields; what was read then is 0 or empty */
};

void aw_put_start(struct aw_writer *w, enum aw_verb type);
void aw_put_int(struct aw_writer *w, int64_t value, size_t size); /* 1 to 8 bytes */
void aw_put_real(struct aw_writer *w, double value);
void aw_put_bytes(struct aw_writer *w, struct aw_span bytes);
void aw_put_text(struct aw_writer *w, const char *text); /* cut to AW_REASON_MAX */

int64_t aw_get_int(struct aw_reader *r, size_t size); /* unsigned, but for 8 bytes */
double aw_get_real(struct aw_reader *r);
struct aw_span aw_get_bytes(struct aw_reader *r);
void aw_get_text(struct aw_reader *r, char *out, size_t room); /* without control characters */

/* What the session knows of the conversation with its device: kept gains, then the tool's memory.
 * It is taken if it is sound. */
void aw_memory_put(struct aw_writer *w, struct aw_session *session);
void aw_memory_take(struct aw_session *session, struct aw_span memory);

#endif
