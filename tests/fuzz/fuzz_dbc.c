/* Fuzzes DBC files. The first byte is the number of bytes at the end that form the data of a frame;
 * the bytes before them are the file.
 *
 * Every refusal must explain the problem and its place. An accepted file must give a valid table:
 * signals lie within their messages, decoded values are encoded to the same frame, and the table
 * can be drawn. Its DBC description must be accepted again.
 */
#include <math.h>

#include "fuzz.h"
#include "packets/packets.h"

static struct aw_wire wire;

/* Signals may overlap: the last encoded value wins. Therefore the frame is decoded, encoded and
 * decoded again if no signals overlap. */
static void try_message(size_t index, struct aw_span bytes)
{
    const struct aw_codec *codec = aw_wire_codec_at(&wire, index);
    struct aw_error err = {.text = ""};
    struct aw_record record, again;
    uint8_t frame[16] = {0}, out[16];
    size_t size, head = codec->message->code & 0x8000 ? 4 : 2;
    MUST(codec->size >= head && codec->size <= head + 8);
    for (int i = 0; i < codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &codec->scalars[i];
        MUST(scalar->bits >= 1 && scalar->bits <= 64);
        MUST(scalar->bit + scalar->bits <= codec->size * 8u);
        MUST(scalar->chosen_by < codec->n_scalars && scalar->chosen_by != i);
    }
    aw_record_init(&record, codec, AW_TX);
    MUST(aw_encode(&record, true, out, sizeof out, &size, &err) == AW_OK || *err.text);
    for (size_t i = 0; i < head; i++)
        frame[i] = (uint8_t)(codec->message->code >> 8 * i);
    memcpy(frame + head, bytes.data, bytes.size < 8 ? bytes.size : 8);
    if (head == 2)
        frame[1] &= 7;
    if (aw_wire_decode(&wire, AW_RX, (struct aw_span){frame, codec->size}, &record, &err) !=
            AW_OK ||
        record.codec != codec || aw_encode(&record, true, out, sizeof out, &size, &err) != AW_OK)
        return;
    MUST(size == codec->size);
    MUST(aw_decode(codec, (struct aw_span){out, size}, &again, &err) == AW_OK);
}

static enum aw_status read_dbc(struct aw_packets *packets, FILE *file, struct aw_error *err)
{
    struct aw_lines lines = {.file = file, .name = "f"};
    return aw_packets_read_dbc(packets, &lines, err);
}

/* Requires that our own DBC description yields the same number of messages. */
static void read_back(size_t n)
{
    struct copy copy;
    struct aw_error err = {.text = ""};
    struct aw_packets *packets = aw_packets_new(&aw_canpid_protocol);
    MUST(packets);
    aw_describe(write_copy(&copy), &wire, NULL, AW_DESCRIBE_DBC);
    if (read_dbc(packets, read_copy(&copy), &err) != AW_OK) {
        fprintf(stderr, "%s\n%s", err.text, copy.text);
        abort();
    }
    MUST(aw_packets_protocol(packets)->n_messages == n);
    aw_packets_free(packets);
    end_copy(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct aw_protocol *protocol = &aw_canpid_protocol;
    size_t frame = size ? data[0] % 9u : 0;
    if (size > 8192 || frame + 1 >= size)
        return 0;
    struct aw_packets *packets = aw_packets_new(protocol);
    struct aw_error err = {.text = ""};
    MUST(packets);
    FILE *file = file_of(data + 1, size - 1 - frame);
    enum aw_status status = read_dbc(packets, file, &err);
    fclose(file);
    if (status == AW_OK) {
        const struct aw_protocol *with = aw_packets_protocol(packets);
        aw_wire_init(&wire, with, NULL, false);
        for (size_t i = protocol->n_messages; i < with->n_messages; i++)
            try_message(i, (struct aw_span){data + size - frame, frame});
        if (with->n_messages > protocol->n_messages &&
            with->n_messages < protocol->n_messages + 8) {
            describe_all(&wire, AW_DESCRIBE_LUA);
            read_back(with->n_messages);
        }
    } else {
        MUST(strncmp(err.text, "f:", 2) == 0);
    }
    aw_packets_free(packets);
    return 0;
}
