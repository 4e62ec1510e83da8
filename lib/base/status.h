/* Errors of this library.
 *
 * A function that can fail returns enum aw_status. Most also fill a struct aw_error with one line
 * for the user: "subject: problem — remedy". The library never prints and never exits. The values
 * up to AW_NO_MEMORY are the exit codes of the tools, except AW_STOPPED: the shell then exits with
 * 128 + signal.
 *
 *     struct aw_error err;
 *     if (aw_number_parse("4O", &value, &err) != AW_OK)
 *         fprintf(stderr, "%s\n", err.text);
 */
#ifndef AW_BASE_STATUS_H
#define AW_BASE_STATUS_H

/* Results of functions. */
enum aw_status {
    AW_OK = 0,
    AW_REFUSED = 1,   /* the device refused or failed */
    AW_USAGE = 2,     /* unknown name, wrong unit, NaN, not a number */
    AW_TIMEOUT = 3,   /* no answer in time */
    AW_NO_LINK = 4,   /* link not found, busy or not permitted */
    AW_MALFORMED = 5, /* bytes violate the protocol */
    AW_LIMIT = 6,     /* a finite value outside a limit or the range of the wire */
    AW_LOST = 7,      /* the link was lost during the operation */
    AW_STOPPED = 8,   /* a signal requested a stop; the shell exits with 128 + signal */
    AW_NO_MEMORY = 9, /* out of memory */
    /* Neither errors nor exit codes: reasons why there is no data yet. */
    AW_MORE = 10,   /* more bytes are needed */
    AW_END = 11,    /* the end of the input or of the recording */
    AW_ENOUGH = 12, /* the caller's count or deadline is reached */
    AW_EVENT = 13,  /* no message, but an event: link->rx.event, or another client */
};

/* Plain data, owned by the caller. Functions set it only when they fail; read it only then. text is
 * then NUL-terminated. */
struct aw_error {
    enum aw_status status;
    char text[1024]; /* long enough for a line with a full path */
};

/* Formats a message into err (may be NULL) and returns status, so that callers can write "return
 * aw_fail(err, AW_USAGE, …)". The message becomes one line of UTF-8: unprintable characters become
 * '?', and a message that is too long is truncated. */
enum aw_status aw_fail(struct aw_error *err, enum aw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "subject: " before the message of a failed call, and returns its status. For a call that
 * succeeded, returns AW_OK. Leaves "out of memory" unchanged. err may be NULL. */
enum aw_status aw_fail_about(struct aw_error *err, enum aw_status status, const char *subject);

/* Fills err (may be NULL) with the message "out of memory" and returns AW_NO_MEMORY. */
enum aw_status aw_no_memory(struct aw_error *err);

/* The clang analyzer reads one file at a time and does not know that aw_fail returns the status. */
#ifdef __clang_analyzer__
#define aw_fail(err, status, ...) (aw_fail(err, status, __VA_ARGS__), (status))
#define aw_no_memory(err)         (aw_no_memory(err), AW_NO_MEMORY)
#endif

/* Returns the name of a status for JSON error records: "ok", "usage", "timeout" … */
const char *aw_status_name(enum aw_status status);

#endif
