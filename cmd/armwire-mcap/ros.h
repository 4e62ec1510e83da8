/* Messages of ROS 2 that other programs have recorded: a type from its text (ros2msg), and the
 * values of a message (CDR) by name.
 *
 *     struct aw_ros *ros;
 *     if (aw_ros_new(&ros, "sensor_msgs/msg/JointState", text, &err) == AW_OK)
 *         status = aw_ros_values(ros, data, add_value, context, &err);     "position.0", 0.5
 *     aw_ros_free(ros);
 */
#ifndef ARMWIRE_MCAP_ROS_H
#define ARMWIRE_MCAP_ROS_H

#include "base/span.h"
#include "base/status.h"

#define AW_ROS_PATH 120 /* bytes of a name with its NUL; longer ones are truncated */

struct aw_ros;

/* Parses a message definition. The caller frees *ros. Returns AW_USAGE, with the reason in err, if
 * the definition cannot be parsed, or AW_NO_MEMORY; *ros is then NULL. */
enum aw_status aw_ros_new(struct aw_ros **ros, const char *name, const char *text,
                          struct aw_error *err);
void aw_ros_free(struct aw_ros *ros); /* NULL is fine */

/* Receives one value. text: the value if it is a string, else NULL. number: NaN for a string or a
 * number that is not finite. path and text are valid during the call. */
typedef void aw_ros_value_fn(void *context, const char *path, double number, const char *text);

/* Calls add_value for each value of the data. Returns AW_MALFORMED if the data does not fit this
 * type; earlier values were already reported. */
enum aw_status aw_ros_values(const struct aw_ros *ros, struct aw_span data,
                             aw_ros_value_fn *add_value, void *context, struct aw_error *err);

#endif
