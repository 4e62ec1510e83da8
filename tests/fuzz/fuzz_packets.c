/* Fuzzes packet files. The first byte selects the protocol, the second is the number of bytes at
 * the end that form a frame; the bytes between are the file.
 *
 * Every refusal must explain the problem and its place. An accepted file must give a valid table:
 * messages fit into their frames, decoded values are encoded to the same frame, and the table can
 * be drawn.
 */
#include <math.h>

#include "fuzz.h"
#include "packets/packets.h"

static struct aw_wire wire;

/* Encoded values must decode to the same values; a frame longer than the table is refused. A line
 * has no fixed size. */
static void try_message(size_t index, struct aw_span bytes)
{
    const struct aw_codec *codec = aw_wire_codec_at(&wire, index);
    struct aw_error err = {.text = ""};
    struct aw_record record, again;
    uint8_t frame[256] = {0}, out[256];
    size_t size;
    MUST(codec->size <= sizeof frame && codec->n_scalars <= AW_MAX_SCALARS);
    memcpy(frame, bytes.data, bytes.size < codec->size ? bytes.size : codec->size);
    aw_record_init(&record, codec, AW_TX);
    bool text = codec->protocol->frames.ascii;
    if (aw_encode(&record, false, out, sizeof out, &size, &err) == AW_OK)
        MUST(text ? aw_decode(codec, (struct aw_span){out, size}, &again, &err) == AW_OK
                  : size == codec->size);
    if (text || aw_decode(codec, (struct aw_span){frame, codec->size}, &record, &err) != AW_OK ||
        aw_encode(&record, true, out, sizeof out, &size, &err) != AW_OK)
        return;
    MUST(aw_decode(codec, (struct aw_span){out, size}, &again, &err) == AW_OK);
    for (int i = 0; i < codec->n_scalars; i++) {
        double about = fabs(record.v[i]) + fabs(codec->scalars[i].field->offset);
        if (codec->scalars[i].field->type == AW_TEXT || !(record.present >> i & 1))
            continue;
        if (isnan(record.v[i]))
            MUST(isnan(again.v[i]));
        else
            MUST(fabs(again.v[i] - record.v[i]) <= 1e-5 * about);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct aw_protocol *const able[] = {&aw_hidmotor_protocol, &aw_canpid_protocol,
                                                     &aw_unitysim_protocol, &aw_ezphys_protocol,
                                                     &aw_armctl_protocol};
    if (size < 2 || size > 4096)
        return 0;
    const struct aw_protocol *protocol = able[data[0] % 5];
    size_t frame = data[1] % 65u;
    if (frame + 2 >= size)
        return 0;
    struct aw_packets *packets = aw_packets_new(protocol);
    struct aw_error err = {.text = ""};
    FILE *file = file_of(data + 2, size - 2 - frame);
    struct aw_lines lines = {.file = file, .name = "f"};
    MUST(packets);
    enum aw_status status = aw_packets_read(packets, &lines, &err);
    fclose(file);
    if (status == AW_OK) {
        const struct aw_protocol *with = aw_packets_protocol(packets);
        MUST(with->n_messages <= AW_MAX_MESSAGES);
        aw_wire_init(&wire, with, NULL, false);
        for (size_t i = protocol->n_messages; i < with->n_messages; i++)
            try_message(i, (struct aw_span){data + size - frame, frame});
        if (with->n_messages > protocol->n_messages && with->n_messages < protocol->n_messages + 4)
            describe_all(&wire, AW_DESCRIBE_PACKETS);
    } else {
        MUST(strncmp(err.text, "f:", 2) == 0);
    }
    aw_packets_free(packets);
    return 0;
}
