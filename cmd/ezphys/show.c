/* Counts the axes of records, because the wire shows them only by the order of packets. Names
 * objects. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "protocol/ezphys/wire.h"
#include "state.h"

/* Counts axes like the client: the first packet of a joint in a message is axis 1, the next one
 * axis 2. */
void ezphys_order(struct aw_session *session, struct aw_record *record, bool inside)
{
    struct ezphys_order *order = &ezphys_state(session)->order;
    if (strcmp(record->codec->message->name, "joint_axis") != 0) {
        order->axis = 0;
        return;
    }
    double id = aw_record_get(record, "id");
    bool is_same = isnan(id) ? strcmp(record->text, order->name) == 0 : id == order->id;
    order->axis = inside && order->axis > 0 && is_same ? order->axis + 1 : 1;
    order->id = id;
    memcpy(order->name, record->text, sizeof order->name);
    int scalar = aw_codec_find(record->codec, "axis");
    if (scalar < 0)
        return;
    record->v[scalar] = order->axis;
    record->present |= UINT64_C(1) << scalar;
}

const char *ezphys_write_axis_name(const struct aw_ezphys_packet_subject *subject, char *out,
                                   size_t size)
{
    if (!subject->object)
        return NULL;
    if (subject->axes > 1)
        snprintf(out, size, "%s.axis%d", subject->object->name, subject->axis);
    else
        snprintf(out, size, "%s", subject->object->name);
    return out;
}
