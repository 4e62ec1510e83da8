/* Settings of a device: reads, sets and confirms them, and restores them after a trial. */
#include "shell/settings/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "shell/joints/joints.h"
#include "shell/safety/controller.h"
#include "shell/safety/transmit.h"
#include "wire/rows.h"

#define PATIENCE_S 0.5
#define LAST_TIMES 3
#define FRAME_ROOM 256
#define FLOAT_STEP 1e-6 /* relative resolution of a float */

/* ---- Fields ---- */

struct aw_field_ref aw_field_ref_find(struct aw_session *session, const char *path, enum aw_dir dir,
                                      const char *unit)
{
    const struct aw_protocol *protocol = session->wire->protocol;
    struct aw_field_ref ref = {.message = NULL};
    for (size_t i = 0; i < protocol->n_messages; i++) {
        const struct aw_message *message = &protocol->messages[i];
        const char *field = aw_field_of(path, message->name);
        if (!(message->dir & dir) || !field)
            continue;
        const struct aw_codec *codec = aw_wire_codec_at(session->wire, i);
        ref = (struct aw_field_ref){
            .message = message, .index = i, .scalar = aw_codec_find(codec, field)};
        const char *field_unit = aw_scalar_range(codec, ref.scalar, NULL).unit;
        ref.scale = 1;
        if (field_unit && unit && strcmp(field_unit, unit) != 0)
            aw_number_find_scale(field_unit, unit, &ref.scale, &ref.offset);
        break;
    }
    return ref;
}

/* Compares field tables, because several packets may share an answer's layout. */
double aw_field_ref_value(const struct aw_field_ref *ref, const struct aw_record *record)
{
    bool is_present = ref->message && ref->message->fields == record->codec->message->fields &&
                      record->present >> ref->scalar & 1;
    return is_present && isfinite(record->v[ref->scalar])
               ? record->v[ref->scalar] * ref->scale + ref->offset
               : (double)NAN;
}

size_t aw_field_ref_find_query(const struct aw_session *session, const struct aw_field_ref *ref)
{
    const struct aw_protocol *protocol = session->wire->protocol;
    for (size_t i = 0; ref->message && i < protocol->n_messages; i++)
        if (protocol->messages[i].reads &&
            strcmp(protocol->messages[i].name, ref->message->name) == 0)
            return i;
    return SIZE_MAX;
}

/* A stop cannot wait to find out which alternating digit the device expects, so it sends both. */
void aw_add_stop_packet(struct aw_session *session, struct aw_record *packet, aw_frame_fn *add,
                        void *context)
{
    bool is_ascii = packet->codec->protocol->frames.ascii;
    for (int digit = is_ascii; digit >= 0; digit--) {
        uint8_t bytes[FRAME_ROOM];
        size_t size;
        if (is_ascii)
            aw_record_set(packet, "seq", digit, NULL);
        if (aw_encode(packet, true, bytes, sizeof bytes, &size, NULL) != AW_OK)
            return;
        if (session->wire->variant.envelope)
            size = aw_wire_wrap(session->wire, bytes, size, sizeof bytes);
        add(context, bytes, size);
    }
}

/* ---- Reading ---- */

static struct aw_device_setting *get_settings(struct aw_session *session, size_t *n)
{
    *n = session->tool->motion.controller->file->n_gains;
    return session->tool->motion.controller->settings(session);
}

struct aw_device_setting aw_device_setting_find(struct aw_session *session, const char *set,
                                                const char *reported)
{
    return (struct aw_device_setting){.set = aw_field_ref_find(session, set, AW_TX, NULL),
                                      .reported = aw_field_ref_find(session, reported, AW_RX, NULL),
                                      .value = NAN};
}

void aw_settings_store(struct aw_session *session, const struct aw_record *record)
{
    size_t n;
    struct aw_device_setting *settings = get_settings(session, &n);
    for (size_t i = 0; i < n && record->codec && record->codec->message->fields; i++) {
        double value = aw_field_ref_value(&settings[i].reported, record);
        settings[i].value = isnan(value) ? settings[i].value : value;
    }
}

/* Returns the value for the gain with this index; NaN: not listed. */
static double find_wanted_value(const struct aw_gain_list *wanted, size_t index)
{
    for (size_t i = 0; i < wanted->n; i++)
        if (wanted->entries[i].index == index)
            return wanted->entries[i].value;
    return NAN;
}

static bool is_listed(const struct aw_gain_list *list, size_t index)
{
    size_t i = 0;
    while (list && i < list->n && list->entries[i].index != index)
        i++;
    return !list || i < list->n;
}

/* Sends a packet on the open link, and stores the settings in its answer. */
static enum aw_status query_packet(struct aw_session *session, const struct aw_record *packet)
{
    struct aw_answer answer = {.size = 0};
    enum aw_status status = session->tool->talk.transmit->send(session, packet, &answer);
    if (status == AW_OK)
        aw_settings_store(session, &answer.record);
    return status;
}

/* Waits for a message that the device sends by itself, and stores its settings. */
static enum aw_status receive_settings(struct aw_session *session, int64_t deadline)
{
    struct aw_received received;
    struct aw_record record;
    enum aw_status status = session->tool->talk.receive(session, deadline, &received);
    if (status == AW_OK && received.frame.size &&
        aw_wire_decode(session->wire, AW_RX, received.frame, &record, NULL) == AW_OK)
        aw_settings_store(session, &record);
    return status;
}

/* Queries the setting once, or waits until a message reports it. */
static enum aw_status read_one(struct aw_session *session, const struct aw_device_setting *setting,
                               int64_t deadline)
{
    size_t query = aw_field_ref_find_query(session, &setting->reported);
    struct aw_record packet;
    enum aw_status status = AW_OK;
    if (query != SIZE_MAX) {
        aw_record_init(&packet, aw_wire_codec_at(session->wire, query), AW_TX);
        return query_packet(session, &packet);
    }
    while (status == AW_OK && isnan(setting->value)) {
        if (aw_clock_now(session->clock) >= deadline)
            return aw_fail(&session->err, AW_TIMEOUT,
                           "gains: no '%s' received for %.2g s — check "
                           "power and link",
                           setting->reported.message->name, PATIENCE_S);
        status = receive_settings(session, deadline);
    }
    return status;
}

enum aw_status aw_settings_check_queries(struct aw_session *session,
                                         const struct aw_gain_list *subset)
{
    size_t n;
    const struct aw_device_setting *settings = get_settings(session, &n);
    for (size_t i = 0; i < n && !session->tool->talk.receive; i++) {
        const struct aw_message *report = settings[i].reported.message;
        if (report && is_listed(subset, i) &&
            aw_field_ref_find_query(session, &settings[i].reported) == SIZE_MAX)
            return aw_fail(&session->err, AW_USAGE,
                           "gains: no packet requests '%s' — add 'ask = yes' to [packet %s]",
                           report->name, report->name);
    }
    return AW_OK;
}

enum aw_status aw_settings_read(struct aw_session *session, const struct aw_gain_list *subset)
{
    size_t n;
    struct aw_device_setting *settings = get_settings(session, &n);
    int64_t deadline = aw_time_after(aw_clock_now(session->clock), PATIENCE_S);
    enum aw_status status = aw_settings_check_queries(session, subset);
    if (status != AW_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        if (settings[i].reported.message && is_listed(subset, i))
            settings[i].value = NAN;
    for (size_t i = 0; i < n && status == AW_OK; i++)
        if (settings[i].reported.message && is_listed(subset, i) && isnan(settings[i].value))
            status = read_one(session, &settings[i], deadline);
    return status;
}

static bool shares_packet(const struct aw_device_setting *gains,
                          const struct aw_device_setting *setting)
{
    for (int k = 0; k < AW_JOINT_GAINS; k++)
        if (setting->set.message && gains[k].set.message == setting->set.message)
            return true;
    return false;
}

void aw_settings_list(struct aw_session *session, size_t kp, struct aw_gain_list *list)
{
    size_t n;
    const struct aw_device_setting *settings = get_settings(session, &n);
    for (size_t i = 0; i < n; i++) {
        const struct aw_device_setting *setting = &settings[(kp + i) % n];
        if (i < AW_JOINT_GAINS || shares_packet(&settings[kp], setting))
            aw_gain_list_add(list, (kp + i) % n, setting->set.message ? setting->value : 0);
    }
}

/* ---- Setting ---- */

/* Writes "m1.kp". */
static const char *write_gain_name(struct aw_session *session, size_t index, char out[AW_GAIN_TEXT])
{
    const struct aw_controller *controller = session->tool->motion.controller;
    aw_gain_file_name(controller->file, session->wire, index, out);
    return out;
}

/* Fills a packet with the wanted settings, and the known values of its other settings. */
static enum aw_status fill_packet(struct aw_session *session, size_t message,
                                  const struct aw_gain_list *wanted, struct aw_record *packet)
{
    size_t n;
    const struct aw_device_setting *settings = get_settings(session, &n);
    char name[AW_GAIN_TEXT];
    aw_record_init(packet, aw_wire_codec_at(session->wire, message), AW_TX);
    for (size_t i = 0; i < n; i++) {
        const struct aw_field_ref *ref = &settings[i].set;
        double value = find_wanted_value(wanted, i);
        if (!ref->message || ref->index != message)
            continue;
        value = isnan(value) ? settings[i].value : value;
        if (!isnan(value)) {
            packet->v[ref->scalar] = value;
            packet->present |= UINT64_C(1) << ref->scalar;
        } else if (session->tool->motion.controller->needs_all ||
                   !packet->codec->scalars[ref->scalar].field->optional)
            return aw_fail(&session->err, AW_USAGE,
                           "%s: value unknown, but packet '%s' contains it — set it in the same "
                           "command",
                           write_gain_name(session, i, name), ref->message->name);
    }
    return AW_OK;
}

/* Finds the next message that sets a wanted setting, starting at from; SIZE_MAX: none. */
static size_t next_packet(struct aw_session *session, const struct aw_gain_list *wanted,
                          size_t from)
{
    size_t next = SIZE_MAX, n;
    const struct aw_device_setting *settings = get_settings(session, &n);
    for (size_t i = 0; i < n; i++) {
        const struct aw_field_ref *ref = &settings[i].set;
        if (ref->message && ref->index >= from && ref->index < next &&
            !isnan(find_wanted_value(wanted, i)))
            next = ref->index;
    }
    return next;
}

typedef enum aw_status act_fn(struct aw_session *session, struct aw_record *packet);

/* Calls act for each packet; counts the wanted settings of those that succeeded in *n. */
static enum aw_status each_packet(struct aw_session *session, const struct aw_gain_list *wanted,
                                  act_fn *act, size_t *n)
{
    struct aw_record packet;
    enum aw_status status = AW_OK;
    size_t n_settings;
    const struct aw_device_setting *settings = get_settings(session, &n_settings);
    *n = 0;
    for (size_t at = 0; status == AW_OK && (at = next_packet(session, wanted, at)) != SIZE_MAX;
         at++) {
        status = fill_packet(session, at, wanted, &packet);
        if (status == AW_OK)
            status = act(session, &packet);
        for (size_t i = 0; i < n_settings && status == AW_OK; i++)
            *n += settings[i].set.message == packet.codec->message &&
                  !isnan(find_wanted_value(wanted, i));
    }
    return status;
}

/* Sends a packet, again if it is unanswered, and updates the known values. After a failure they
 * count as unknown. */
static enum aw_status send_packet(struct aw_session *session, struct aw_record *packet)
{
    const struct aw_controller *controller = session->tool->motion.controller;
    size_t n;
    struct aw_device_setting *settings = get_settings(session, &n);
    enum aw_status status = AW_TIMEOUT;
    for (int i = 0; i <= controller->retries && status == AW_TIMEOUT; i++)
        status = query_packet(session, packet);
    for (size_t i = 0; i < n; i++)
        if (settings[i].set.message == packet->codec->message)
            settings[i].value = status == AW_OK ? packet->v[settings[i].set.scalar] : (double)NAN;
    return status;
}

/* Returns the largest rounding error of a value on the wire. */
static double get_rounding_error(struct aw_session *session, const struct aw_field_ref *ref,
                                 double value)
{
    const struct aw_codec *codec = aw_wire_codec_at(session->wire, ref->index);
    bool is_integer = codec->scalars[ref->scalar].field->type != AW_FLOAT;
    return is_integer ? fabs(aw_scalar_range(codec, ref->scalar, NULL).scale) / 2
                      : FLOAT_STEP * fabs(value);
}

static enum aw_status confirm_settings(struct aw_session *session,
                                       const struct aw_gain_list *wanted)
{
    size_t n;
    const struct aw_device_setting *settings = get_settings(session, &n);
    char name[AW_GAIN_TEXT];
    enum aw_status status = aw_settings_read(session, wanted);
    for (size_t i = 0; i < n && status == AW_OK; i++) {
        double sent = find_wanted_value(wanted, i);
        if (isnan(sent) || !settings[i].reported.message)
            continue;
        double tolerance = get_rounding_error(session, &settings[i].set, sent) +
                           get_rounding_error(session, &settings[i].reported, sent);
        if (!(fabs(settings[i].value - sent) <= tolerance * (1 + FLOAT_STEP)))
            return aw_fail(&session->err, AW_REFUSED,
                           "%s: sent %g, but the device reports %g — check its limits",
                           write_gain_name(session, i, name), sent, settings[i].value);
    }
    return status;
}

enum aw_status aw_settings_send(struct aw_session *session, const struct aw_gain_list *wanted)
{
    size_t n;
    enum aw_status status = each_packet(session, wanted, send_packet, &n);
    return status == AW_OK ? confirm_settings(session, wanted) : status;
}

enum aw_status aw_settings_set(struct aw_session *session, const struct aw_gain_list *wanted,
                               size_t *n)
{
    const struct aw_controller *controller = session->tool->motion.controller;
    bool dry_run = session->options.run.dry_run;
    enum aw_status status =
        each_packet(session, wanted, dry_run ? aw_transmit_show : aw_transmit_check, n);
    if (status != AW_OK || dry_run)
        return status;
    if (controller->set)
        return each_packet(session, wanted, controller->set, n);
    status = aw_settings_send(session, wanted);
    *n = status == AW_OK ? wanted->n : 0;
    return status;
}

void aw_settings_add_old(struct aw_session *session, aw_frame_fn *add, void *context)
{
    const struct aw_gain_list *old = aw_gains_get_backup(session);
    struct aw_error saved_err = session->err;
    struct aw_record packet;
    for (size_t at = 0; old && (at = next_packet(session, old, at)) != SIZE_MAX; at++)
        for (int i = 0; i < LAST_TIMES && fill_packet(session, at, old, &packet) == AW_OK; i++) {
            add(context, NULL, 0);
            aw_add_stop_packet(session, &packet, add, context);
        }
    session->err = saved_err;
}
