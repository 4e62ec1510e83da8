/* Settings of a device that its messages set and report: the gains of its joints.
 *
 * A setting has the index of its gain in the tool's gain file (control/gain_file.h). A tool names
 * two fields for it, "set_gains.m1.kp" and "gains.m1.kp"; a packet file does so in its [joint]
 * sections. A packet may carry several settings. All of them must be known, or the packet is not
 * sent. Settings that a command does not name keep their values.
 */
#ifndef AW_SHELL_SETTINGS_SETTINGS_H
#define AW_SHELL_SETTINGS_SETTINGS_H

#include "control/gain_list.h"
#include "shell/session/session.h"

/* A field of a wire message. */
struct aw_field_ref {
    const struct aw_message *message; /* NULL: no such field */
    size_t index;                     /* index of the message in the table */
    int scalar;
    double scale, offset; /* from the message's unit to the requested one */
};

/* Finds the field "packet.field" of this direction, with its conversion to this unit (NULL: its own
 * unit). The result has no message if path is NULL or names no such field. */
struct aw_field_ref aw_field_ref_find(struct aw_session *session, const char *path, enum aw_dir dir,
                                      const char *unit);

/* Returns the field's value in a record, in that unit; NaN: not in this record. */
double aw_field_ref_value(const struct aw_field_ref *ref, const struct aw_record *record);

/* Returns the message that only queries this field; SIZE_MAX: none. */
size_t aw_field_ref_find_query(const struct aw_session *session, const struct aw_field_ref *ref);

/* Encodes a packet of the crash stop and passes it to add, the parameter of last_stop. A line with
 * an alternating digit is added with each digit. */
void aw_add_stop_packet(struct aw_session *session, struct aw_record *packet, aw_frame_fn *add,
                        void *context);

struct aw_device_setting {
    struct aw_field_ref set, reported; /* reported: no message if the device does not report it */
    double value;                      /* reported, or sent in this session; NaN: unknown */
};

/* Finds the fields of a setting. reported NULL: the device does not report it. */
struct aw_device_setting aw_device_setting_find(struct aw_session *session, const char *set,
                                                const char *reported);

/* The following functions use the controller of the tool's joints (controller.h). */

/* Stores the values of the settings that a record reports. */
void aw_settings_store(struct aw_session *session, const struct aw_record *record);

/* Checks that a packet requests each setting of this list that the device reports. NULL: all
 * settings. A tool that receives unrequested messages needs no such packet. */
enum aw_status aw_settings_check_queries(struct aw_session *session,
                                         const struct aw_gain_list *subset);

/* Reads the settings of this list that the device reports. NULL: all settings. AW_TIMEOUT: no
 * report. AW_USAGE: see aw_settings_check_queries. */
enum aw_status aw_settings_read(struct aw_session *session, const struct aw_gain_list *subset);

/* Adds the gains of a joint: its kp at this index, ki and kd after it, then all others in the same
 * packets. A gain that the joint does not have is 0. Does not query the device. */
void aw_settings_list(struct aw_session *session, size_t kp, struct aw_gain_list *list);

/* Sends these settings, one packet for all settings that it carries, and reads them back if the
 * device reports them. AW_REFUSED: it reports other values. AW_USAGE: a packet also carries an
 * unknown setting. AW_TIMEOUT: no answer. */
enum aw_status aw_settings_send(struct aw_session *session, const struct aw_gain_list *wanted);

/* Checks all settings before the first byte, then sends them with the controller's hook set, or
 * like aw_settings_send. AW_USAGE names an unknown setting that a packet also carries. With
 * --dry-run it shows the packets. Counts the settings that were set in *n. */
enum aw_status aw_settings_set(struct aw_session *session, const struct aw_gain_list *wanted,
                               size_t *n);

/* Adds packets that restore the old gains to last_stop during a trial: each three times, because
 * one copy must arrive, and after a pause, because a board may buffer only one packet. */
void aw_settings_add_old(struct aw_session *session, aw_frame_fn *add, void *context);

#endif
