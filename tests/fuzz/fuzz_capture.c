/* Fuzzes recordings: pcapng and pcap in pieces of any size with any packet contents, the same as a
 * file, and tables of samples (CSV). The first byte selects the part.
 *
 * All results must lie within the input, reading must always advance, and the size of the pieces
 * must not matter. Tables must be finite and survive a round trip.
 */
#include <math.h>

#include "capture/log.h"
#include "capture/packet.h"
#include "capture/table.h"
#include "fuzz.h"

/* Returns a hash of everything found in one packet. */
static uint64_t look_into(const struct aw_packet *packet, struct aw_span in)
{
    struct aw_payload payload;
    uint64_t sum = (uint64_t)packet->time_ns * 31 + packet->data.size + packet->dir;
    MUST(packet->data.data >= in.data && packet->data.size <= in.size);
    MUST(packet->data.data + packet->data.size <= in.data + in.size);
    for (size_t i = 0; i < packet->comment_length; i++)
        sum = sum * 31 + (uint8_t)packet->comment[i];
    if (!aw_packet_unwrap(packet, &payload))
        return sum;
    for (size_t i = 0; i < payload.data.size; i++)
        sum = sum * 31 + payload.data.data[i];
    return sum;
}

/* Reads the input in pieces whose size grows by step. */
static uint64_t read_all(struct aw_span in, size_t step)
{
    struct aw_pcap_reader reader = {0};
    struct aw_error err;
    uint64_t sum = 0;
    for (size_t at = 0, end = 0; end < in.size;) {
        end = in.size - end < step ? in.size : end + step;
        for (enum aw_status status = AW_OK; status != AW_MORE;) {
            struct aw_packet packet;
            size_t used;
            struct aw_span segment = {in.data + at, end - at};
            status = aw_pcap_next(&reader, segment, &packet, &used, &err);
            MUST(used <= segment.size && (used > 0 || status == AW_MORE));
            at += used;
            if (status != AW_MORE)
                sum = sum * 31 + (status == AW_OK ? look_into(&packet, in) : 1);
        }
    }
    aw_pcap_reset(&reader);
    return sum;
}

static void try_capture(const uint8_t *data, size_t size)
{
    struct aw_span in = {data, size};
    uint64_t sum = read_all(in, size + 1);
    for (size_t step = 1; step < 64 && step < size; step = step * 3 + 1)
        MUST(read_all(in, step) == sum);
}

/* Reads to the end; returns the number of entries. */
static size_t read_log(struct aw_log *log, size_t size)
{
    struct aw_log_entry entry;
    struct aw_error err;
    enum aw_status status;
    size_t n = 0, turns = 0;
    while ((status = aw_log_next(log, &entry, &err)) != AW_END) {
        MUST(status == AW_OK || status == AW_MALFORMED);
        MUST(turns++ <= size);
        if (status != AW_OK)
            continue;
        n++;
        MUST(entry.data.size <= size && memchr(entry.comment, '\0', sizeof entry.comment));
        MUST(entry.dir <= AW_BOTH);
    }
    return n;
}

static void try_log(const uint8_t *data, size_t size)
{
    static const struct aw_log_options options = {.ports = {30004, 30005}};
    struct aw_error err = {.text = ""};
    struct aw_log *log = NULL;
    char path[32];
    int fd = file_with_path(data, size, path);
    if (aw_log_open(&log, path, &options, &err) == AW_OK) {
        size_t n = read_log(log, size);
        MUST(aw_log_rewind(log, &err) == AW_OK);
        MUST(read_log(log, size) == n);
    } else {
        MUST(*err.text && !log);
    }
    aw_log_close(log);
    close(fd);
}

/* ---- Tables ---- */

static void write_and_read(const struct aw_table *table)
{
    struct aw_error err;
    struct aw_table again = {0};
    struct copy copy;
    MUST(aw_table_write(write_copy(&copy), table, &err) == AW_OK);
    MUST(aw_table_read(read_copy(&copy), "again", &again, &err) == AW_OK);
    MUST(again.n_rows == table->n_rows && again.n_columns == table->n_columns);
    for (size_t i = 0; i < table->n_rows * table->n_columns; i++)
        MUST(again.cells[i] == table->cells[i]);
    aw_table_free(&again);
    end_copy(&copy);
}

/* Names are written without quotes, so names that need quotes are not read back. */
static bool has_plain_names(const struct aw_table *table)
{
    for (size_t i = 0; i < table->n_columns; i++)
        for (const char *p = table->names[i]; *p; p++)
            if ((uint8_t)*p <= ' ' || *p == '#' || (uint8_t)*p >= 0x7F)
                return false;
    return true;
}

FILE_PART(try_table)
{
    struct aw_error err = {.text = ""};
    struct aw_table table = {0};
    if (aw_table_read(in, "fuzz", &table, &err) == AW_OK) {
        MUST(table.n_columns > 0 && table.n_columns <= AW_TABLE_COLUMNS);
        bool whole = true;
        for (size_t i = 0; i < table.n_columns; i++) {
            bool numbers = aw_table_check_numbers(&table, (int)i, &err) == AW_OK;
            for (size_t row = 0; row < table.n_rows && numbers; row++)
                MUST(isfinite(aw_table_cell(&table, row, (int)i)));
            whole = whole && numbers;
        }
        if (whole && has_plain_names(&table))
            write_and_read(&table);
    } else {
        MUST(*err.text && table.n_rows == 0);
    }
    aw_table_free(&table);
}

PARTS(try_capture, try_log, try_table)
