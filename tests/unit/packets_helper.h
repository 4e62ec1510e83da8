/* Reads packet files and DBC files from text. */
#ifndef AW_TESTS_PACKETS_HELPER_H
#define AW_TESTS_PACKETS_HELPER_H

#include "packets/packets.h"
#include "test.h"
#include "wire_helper.h"

static struct aw_wire wire;
static struct aw_packets *packets;
static const struct aw_protocol *protocol; /* with the packets added */
static struct aw_error err;

/* Adds the packets of another file. A DBC file is named f.dbc, a packet file f. */
static inline enum aw_status add_packets(const char *text, bool dbc)
{
    FILE *file = text_file(text);
    struct aw_lines lines = {.file = file, .name = dbc ? "f.dbc" : "f"};
    err = (struct aw_error){.status = AW_OK};
    enum aw_status status =
        dbc ? aw_packets_read_dbc(packets, &lines, &err) : aw_packets_read(packets, &lines, &err);
    fclose(file);
    return status;
}

/* Drops the packets of the previous file and reads this one. */
static inline enum aw_status read_packets(const struct aw_protocol *built_in, const char *text,
                                          bool dbc)
{
    aw_packets_free(packets);
    packets = aw_packets_new(built_in);
    assert_non_null(packets);
    return add_packets(text, dbc);
}

static inline void use_packets(const struct aw_protocol *built_in, const char *text, bool dbc)
{
    assert_ok(read_packets(built_in, text, dbc), &err);
    protocol = aw_packets_protocol(packets);
    aw_wire_init(&wire, protocol, NULL, false);
}

static inline void free_packets(void)
{
    aw_packets_free(packets);
}

#endif
