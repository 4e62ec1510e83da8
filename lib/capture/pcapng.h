/* Reads and writes pcapng, the capture format of Wireshark; also reads classic pcap.
 *
 * Reads from memory in pieces of any size, so that files, pipes and growing files work alike. Reads
 * all complete packets of a truncated file. Accepts either byte order. Packets point into the
 * input. The functions allocate nothing.
 *
 *     struct aw_pcap_reader reader = {0};
 *     while (aw_pcap_next(&reader, in, &packet, &used, &err) == AW_OK) {
 *         ... packet.data ...
 *         in.data += used, in.size -= used;
 *     }
 *
 *     size_t n = aw_pcapng_begin(block, AW_LINKTYPE_CAN, "can0");         then write(2) it
 *     n = aw_pcapng_packet(block, sizeof block, &packet);                 for each packet
 *
 * aw_pcapng_section and aw_pcapng_interface write the two parts of aw_pcapng_begin, for a section
 * header with comments.
 *
 * Source: draft-ietf-opsawg-pcapng, draft-ietf-opsawg-pcap.
 */
#ifndef AW_CAPTURE_PCAPNG_H
#define AW_CAPTURE_PCAPNG_H

#include "base/span.h"
#include "base/status.h"
#include "wire/table.h"

/* Formats of packet data. Source: tcpdump's list of link-layer header types. */
enum aw_linktype {
    AW_LINKTYPE_NULL = 0,
    AW_LINKTYPE_ETHERNET = 1,
    AW_LINKTYPE_RAW_IP = 101,
    AW_LINKTYPE_SLL = 113,
    AW_LINKTYPE_USER0 = 147, /* here: bytes of a serial line */
    AW_LINKTYPE_USER1 = 148, /* here: a HID report without its id */
    AW_LINKTYPE_CAN = 227,
    AW_LINKTYPE_IPV4 = 228,
    AW_LINKTYPE_RTAC_SERIAL = 250,
    AW_LINKTYPE_SLL2 = 276,
};

/* Return the name of a medium in recordings ("can"), and the link type of its packets. */
const char *aw_medium_name(enum aw_medium medium);
enum aw_linktype aw_medium_linktype(enum aw_medium medium);

/* Finds a medium by its name. Returns false if it is unknown. */
bool aw_medium_find(const char *name, enum aw_medium *medium);

/* A packet of a capture. Does not own data and comment. */
struct aw_packet {
    int64_t time_ns; /* ns since 1970, not negative; or AW_NO_TIME (codec.h) */
    enum aw_dir dir; /* AW_TX from this host, AW_RX to it; 0: unknown */
    uint32_t interface;
    enum aw_linktype linktype;
    struct aw_span data;
    const char *comment; /* comment_length characters without a NUL, or NULL */
    size_t comment_length;
};

#define AW_PCAP_INTERFACES 32
#define AW_PCAP_PACKET_MAX 131072 /* bytes; larger blocks are skipped */

/* One interface of a capture file. */
struct aw_pcap_interface {
    uint16_t linktype;
    uint8_t resolution; /* unit of timestamps: 10^-n s, or 2^-n s if the highest bit is set */
    uint32_t snaplen;
    int64_t offset_s;
    char name[32];
};

/* Called for a comment of a section header: length characters without a NUL. program is the name of
 * the section's writer (shb_userappl); "": unknown. */
typedef void aw_pcap_comment_fn(void *context, const char *program, const char *comment,
                                size_t length);

#define AW_PCAP_PROGRAM 48 /* maximum size of a program's name and version, with the NUL */

/* State of reading a capture. Initialise with {0}, or with on_comment and context. */
struct aw_pcap_reader {
    aw_pcap_comment_fn *on_comment; /* called for each comment of a section header; or NULL */
    void *context;
    char program[AW_PCAP_PROGRAM]; /* program that wrote the section; "": unknown */
    uint8_t format;                /* 0: not yet known */
    bool swapped;                  /* the file's byte order differs from this machine's */
    uint64_t skip;                 /* remaining bytes of a skipped block */
    uint32_t n_interfaces;
    struct aw_pcap_interface interfaces[AW_PCAP_INTERFACES];
};

/* Returns true if a file with this start is a capture. */
bool aw_is_capture(struct aw_span in);

/* Reads the next packet. Always sets *used to the number of consumed bytes. AW_OK: packet is set,
 * and valid as long as in. AW_MORE: no complete packet is left (*used may be more than 0).
 * AW_MALFORMED: err has the reason; the caller may continue after *used. */
enum aw_status aw_pcap_next(struct aw_pcap_reader *reader, struct aw_span in,
                            struct aw_packet *packet, size_t *used, struct aw_error *err);

/* Resets the reader at any point, so that it can read another file. on_comment and context remain
 * set. */
void aw_pcap_reset(struct aw_pcap_reader *reader);

#define AW_PCAPNG_BEGIN_MAX 256

/* Writes the start of a file with one interface, and returns its size. Uses the first 64 bytes of
 * the interface's name. out holds AW_PCAPNG_BEGIN_MAX bytes. */
size_t aw_pcapng_begin(uint8_t *out, enum aw_linktype linktype, const char *interface);

/* Writes a section header with the program's name and n comments, and returns its size. Omits
 * comments that do not fit into cap bytes. cap must be at least AW_PCAPNG_BEGIN_MAX. */
size_t aw_pcapng_section(uint8_t *out, size_t cap, const char *program, const char *const *comments,
                         size_t n);

/* Writes an interface, which follows the section header, and returns its size. out holds
 * AW_PCAPNG_BEGIN_MAX bytes. */
size_t aw_pcapng_interface(uint8_t *out, enum aw_linktype linktype, const char *interface);

/* Writes a packet with its direction and comment. linktype must be that of the interface. Writes 0
 * for an unknown time. Returns the size, or 0 if it exceeds cap. The size of data and comment plus
 * 64 bytes is always enough. */
size_t aw_pcapng_packet(uint8_t *out, size_t cap, const struct aw_packet *packet);

#endif
