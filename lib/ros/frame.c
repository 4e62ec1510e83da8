/* Encodes frames and marks as CDR. */
#include "ros/frame.h"

#include "ros/types.h"

enum { LOG_INFO = 20 };

const char aw_frame_text[] =
    "# Bytes on the link: a frame, or part of a stream. On CAN, the data follow two bytes of\n"
    "# identifier, low byte first.\n"
    "uint8 TX=1  # to the device\n"
    "uint8 RX=2  # from the device\n"
    "uint8 direction\n"
    "string link\n"
    "uint8[] bytes\n";

#define RULE "================================================================================\n"

const char aw_log_text[] = "byte DEBUG=10\n"
                           "byte INFO=20\n"
                           "byte WARN=30\n"
                           "byte ERROR=40\n"
                           "byte FATAL=50\n"
                           "builtin_interfaces/Time stamp\n"
                           "uint8 level\n"
                           "string name\n"
                           "string msg\n"
                           "string file\n"
                           "string function\n"
                           "uint32 line\n" RULE "MSG: builtin_interfaces/Time\n"
                           "int32 sec\n"
                           "uint32 nanosec\n";

size_t aw_frame_write(uint8_t *out, size_t size, enum aw_dir dir, const char *link,
                      struct aw_span bytes)
{
    struct aw_cdr_out cdr;
    aw_cdr_begin(&cdr, out, size);
    aw_cdr_put_u8(&cdr, dir);
    aw_cdr_put_text(&cdr, link);
    aw_cdr_put_bytes(&cdr, bytes);
    return cdr.overflow ? 0 : cdr.at;
}

size_t aw_log_write(uint8_t *out, size_t size, int64_t time_ns, const char *name, const char *text)
{
    struct aw_cdr_out cdr;
    aw_cdr_begin(&cdr, out, size);
    aw_cdr_put_time(&cdr, time_ns);
    aw_cdr_put_u8(&cdr, LOG_INFO);
    aw_cdr_put_text(&cdr, name);
    aw_cdr_put_text(&cdr, text);
    aw_cdr_put_text(&cdr, "");
    aw_cdr_put_text(&cdr, "");
    aw_cdr_put_u32(&cdr, 0);
    return cdr.overflow ? 0 : cdr.at;
}
