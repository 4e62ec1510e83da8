/* Fuzzes MCAP files in pieces of any size, and the values of their messages. The size of the pieces
 * must not matter. */
#include <math.h>

#include "fuzz.h"
#include "mcap.h"
#include "ros.h"

static void add_value(void *context, const char *path, double number, const char *text)
{
    uint64_t *sum = context;
    MUST(memchr(path, '\0', AW_ROS_PATH));
    *sum = *sum * 31 + (text ? strlen(text) : !isnan(number));
}

static uint64_t look_into(const struct aw_mcap_message *message)
{
    struct aw_error err;
    struct aw_ros *ros;
    const struct aw_mcap_topic *topic = message->topic;
    uint64_t sum = (uint64_t)message->log_ns * 31 + message->data.size;
    if (aw_ros_new(&ros, topic->type, topic->text, &err) != AW_OK)
        return sum;
    aw_ros_values(ros, message->data, add_value, &sum, &err);
    aw_ros_free(ros);
    return sum;
}

static uint64_t read_all(struct aw_span in, size_t step)
{
    struct aw_mcap_reader *reader = aw_mcap_reader_new();
    struct aw_error err;
    uint64_t sum = 0;
    MUST(reader);
    for (size_t at = 0, end = 0; end < in.size;) {
        end = in.size - end < step ? in.size : end + step;
        for (enum aw_status status = AW_OK; status != AW_MORE;) {
            struct aw_mcap_message message;
            size_t used;
            status = aw_mcap_next(reader, (struct aw_span){in.data + at, end - at}, &message, &used,
                                  &err);
            at += used;
            MUST(at <= end);
            if (status != AW_MORE)
                sum = sum * 31 + (status == AW_OK ? look_into(&message) : 1);
        }
    }
    sum = sum * 31 + strlen(aw_mcap_info(reader).config) + aw_mcap_is_complete(reader);
    aw_mcap_reader_free(reader);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct aw_span in = {data, size};
    uint64_t sum = read_all(in, size + 1);
    for (size_t step = 1; step < 64 && step < size; step = step * 3 + 1)
        MUST(read_all(in, step) == sum);
    return 0;
}
