/* Settings of a device: reads, sets and confirms them, and restores them after a trial. */
#include "shell/settings/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "shell/joints/joints.h"
#include "shell/safety/safety.h"
#include "shell/settings/law.h"
#include "wire/rows.h"

#define PATIENCE_S 0.5
#define LAST_TIMES 3
#define FRAME_ROOM 256
#define FLOAT_STEP 1e-6 /* relative resolution of a float */

/* ---- Fields ---- */

struct aw_spot aw_spot_find(struct aw_session *session, const char *place, enum aw_dir dir,
                            const char *unit)
{
    const struct aw_protocol *protocol = session->wire->protocol;
    struct aw_spot spot = {.message = NULL};
    for (size_t i = 0; i < protocol->n_messages; i++) {
        const struct aw_message *message = &protocol->messages[i];
        const char *field = aw_field_of(place, message->name);
        if (!(message->dir & dir) || !field)
            continue;
        const struct aw_codec *codec = aw_wire_codec_at(session->wire, i);
        spot =
            (struct aw_spot){.message = message, .index = i, .scalar = aw_codec_find(codec, field)};
        const char *has = aw_scalar_range(codec, spot.scalar, NULL).unit;
        spot.scale = 1;
        if (has && unit && strcmp(has, unit) != 0)
            aw_number_conversion(has, unit, &spot.scale, &spot.offset);
        break;
    }
    return spot;
}

/* Compares field tables, because several packets may share an answer's layout. */
double aw_spot_value(const struct aw_spot *spot, const struct aw_record *record)
{
    bool has = spot->message && spot->message->fields == record->codec->message->fields &&
               record->present >> spot->scalar & 1;
    return has && isfinite(record->v[spot->scalar])
               ? record->v[spot->scalar] * spot->scale + spot->offset
               : (double)NAN;
}

size_t aw_spot_question(const struct aw_session *session, const struct aw_spot *spot)
{
    const struct aw_protocol *protocol = session->wire->protocol;
    for (size_t i = 0; spot->message && i < protocol->n_messages; i++)
        if (protocol->messages[i].reads &&
            strcmp(protocol->messages[i].name, spot->message->name) == 0)
            return i;
    return SIZE_MAX;
}

/* Sends a line that has an alternating digit twice, once with each digit. A stop cannot wait to
 * find out which one the device expects. */
void aw_add_packet(struct aw_session *session, struct aw_record *packet, aw_frame_fn *add,
                   void *context)
{
    bool digits = packet->codec->protocol->ascii;
    for (int digit = digits; digit >= 0; digit--) {
        uint8_t bytes[FRAME_ROOM];
        size_t size;
        if (digits)
            aw_record_set(packet, "seq", digit, NULL);
        if (aw_encode(packet, true, bytes, sizeof bytes, &size, NULL) != AW_OK)
            return;
        if (session->wire->variant.envelope)
            size = aw_wire_wrap(session->wire, bytes, size, sizeof bytes);
        add(context, bytes, size);
    }
}

/* ---- Reading ---- */

static const struct aw_law *law_of(const struct aw_session *session)
{
    return session->tool->joints->law;
}

static struct aw_device_setting *all_of(struct aw_session *session, size_t *n)
{
    *n = law_of(session)->file->places;
    return law_of(session)->settings(session);
}

struct aw_device_setting aw_device_setting_find(struct aw_session *session, const char *set,
                                                const char *reported)
{
    return (struct aw_device_setting){.set = aw_spot_find(session, set, AW_TX, NULL),
                                      .reported = aw_spot_find(session, reported, AW_RX, NULL),
                                      .value = NAN};
}

void aw_settings_store(struct aw_session *session, const struct aw_record *record)
{
    size_t n;
    struct aw_device_setting *all = all_of(session, &n);
    for (size_t i = 0; i < n && record->codec && record->codec->message->fields; i++) {
        double value = aw_spot_value(&all[i].reported, record);
        all[i].value = isnan(value) ? all[i].value : value;
    }
}

/* Returns the value for the gain with this index; NaN: not listed. */
static double wanted_of(const struct aw_gain_list *wanted, size_t place)
{
    for (size_t i = 0; i < wanted->n; i++)
        if (wanted->of[i].place == place)
            return wanted->of[i].value;
    return NAN;
}

static bool is_listed(const struct aw_gain_list *list, size_t place)
{
    size_t i = 0;
    while (list && i < list->n && list->of[i].place != place)
        i++;
    return !list || i < list->n;
}

/* Queries the setting once, or waits until a message reports it. */
static enum aw_status read_one(struct aw_session *session, const struct aw_device_setting *setting,
                               int64_t deadline)
{
    const struct aw_law *law = law_of(session);
    size_t question = aw_spot_question(session, &setting->reported);
    struct aw_record packet;
    enum aw_status status = AW_OK;
    if (question != SIZE_MAX) {
        aw_record_init(&packet, aw_wire_codec_at(session->wire, question), AW_TX);
        return law->exchange(session, &packet);
    }
    while (status == AW_OK && isnan(setting->value)) {
        if (aw_clock_now(session->clock) >= deadline)
            return aw_fail(&session->err, AW_TIMEOUT, "gains: no '%s' received for %.2g s",
                           setting->reported.message->name, PATIENCE_S);
        status = law->listen(session, deadline);
    }
    return status;
}

enum aw_status aw_settings_read(struct aw_session *session, const struct aw_gain_list *of)
{
    size_t n;
    struct aw_device_setting *all = all_of(session, &n);
    int64_t deadline = aw_clock_after(aw_clock_now(session->clock), PATIENCE_S);
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < n; i++)
        if (all[i].reported.message && is_listed(of, i))
            all[i].value = NAN;
    for (size_t i = 0; i < n && status == AW_OK; i++)
        if (all[i].reported.message && is_listed(of, i) && isnan(all[i].value))
            status = read_one(session, &all[i], deadline);
    return status;
}

static bool in_packets_of(const struct aw_device_setting *three,
                          const struct aw_device_setting *setting)
{
    for (int k = 0; k < AW_JOINT_GAINS; k++)
        if (setting->set.message && three[k].set.message == setting->set.message)
            return true;
    return false;
}

void aw_settings_list(struct aw_session *session, size_t kp, struct aw_gain_list *list)
{
    size_t n;
    const struct aw_device_setting *all = all_of(session, &n);
    for (size_t i = 0; i < n; i++) {
        const struct aw_device_setting *setting = &all[(kp + i) % n];
        if (i < AW_JOINT_GAINS || in_packets_of(&all[kp], setting))
            aw_gain_list_add(list, (kp + i) % n, setting->set.message ? setting->value : 0);
    }
}

/* ---- Setting ---- */

/* Writes "m1.kp". */
static const char *name_of(struct aw_session *session, size_t place, char out[AW_GAIN_TEXT])
{
    const struct aw_law *law = law_of(session);
    aw_gain_file_name(law->file, law->context ? law->context(session) : NULL, place, out);
    return out;
}

/* Fills a packet with the wanted settings, and the known values of its other settings. */
static enum aw_status fill(struct aw_session *session, size_t message,
                           const struct aw_gain_list *wanted, struct aw_record *packet)
{
    size_t n;
    const struct aw_device_setting *all = all_of(session, &n);
    char name[AW_GAIN_TEXT];
    aw_record_init(packet, aw_wire_codec_at(session->wire, message), AW_TX);
    for (size_t i = 0; i < n; i++) {
        const struct aw_spot *spot = &all[i].set;
        double value = wanted_of(wanted, i);
        if (!spot->message || spot->index != message)
            continue;
        value = isnan(value) ? all[i].value : value;
        if (!isnan(value)) {
            packet->v[spot->scalar] = value;
            packet->present |= UINT64_C(1) << spot->scalar;
        } else if (law_of(session)->strict || !packet->codec->scalars[spot->scalar].field->optional)
            return aw_fail(&session->err, AW_USAGE,
                           "%s: value unknown, but packet '%s' contains it — set it in the same "
                           "command",
                           name_of(session, i, name), spot->message->name);
    }
    return AW_OK;
}

/* Finds the next message that sets a wanted setting, starting at from; SIZE_MAX: none. */
static size_t next_packet(struct aw_session *session, const struct aw_gain_list *wanted,
                          size_t from)
{
    size_t next = SIZE_MAX, n;
    const struct aw_device_setting *all = all_of(session, &n);
    for (size_t i = 0; i < n; i++) {
        const struct aw_spot *spot = &all[i].set;
        if (spot->message && spot->index >= from && spot->index < next &&
            !isnan(wanted_of(wanted, i)))
            next = spot->index;
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
    size_t places;
    const struct aw_device_setting *all = all_of(session, &places);
    *n = 0;
    for (size_t at = 0; status == AW_OK && (at = next_packet(session, wanted, at)) != SIZE_MAX;
         at++) {
        status = fill(session, at, wanted, &packet);
        if (status == AW_OK)
            status = act(session, &packet);
        for (size_t i = 0; i < places && status == AW_OK; i++)
            *n += all[i].set.message == packet.codec->message && !isnan(wanted_of(wanted, i));
    }
    return status;
}

/* Checks a packet, and shows it with --dry-run. */
static enum aw_status check(struct aw_session *session, struct aw_record *packet)
{
    uint8_t bytes[FRAME_ROOM];
    size_t size;
    const struct aw_options_run *run = &session->options.run;
    enum aw_status status =
        aw_encode(packet, run->force, bytes, sizeof bytes, &size, &session->err);
    return status == AW_OK && run->dry_run
               ? aw_session_dry_run(session, packet, (struct aw_span){bytes, size})
               : status;
}

/* Sends a packet, again if it is unanswered, and updates the known values. After a failure they
 * count as unknown. */
static enum aw_status send(struct aw_session *session, struct aw_record *packet)
{
    const struct aw_law *law = law_of(session);
    size_t n;
    struct aw_device_setting *all = all_of(session, &n);
    enum aw_status status = AW_TIMEOUT;
    for (int i = 0; i <= law->retries && status == AW_TIMEOUT; i++)
        status = law->exchange(session, packet);
    for (size_t i = 0; i < n; i++)
        if (all[i].set.message == packet->codec->message)
            all[i].value = status == AW_OK ? packet->v[all[i].set.scalar] : (double)NAN;
    return status;
}

/* Returns the largest rounding error of a value on the wire. */
static double lost(struct aw_session *session, const struct aw_spot *spot, double value)
{
    const struct aw_codec *codec = aw_wire_codec_at(session->wire, spot->index);
    bool whole = codec->scalars[spot->scalar].field->type != AW_FLOAT;
    return whole ? fabs(aw_scalar_range(codec, spot->scalar, NULL).scale) / 2
                 : FLOAT_STEP * fabs(value);
}

static enum aw_status confirm(struct aw_session *session, const struct aw_gain_list *wanted)
{
    size_t n;
    const struct aw_device_setting *all = all_of(session, &n);
    char name[AW_GAIN_TEXT];
    enum aw_status status = aw_settings_read(session, wanted);
    for (size_t i = 0; i < n && status == AW_OK; i++) {
        double sent = wanted_of(wanted, i);
        if (isnan(sent) || !all[i].reported.message)
            continue;
        double off = lost(session, &all[i].set, sent) + lost(session, &all[i].reported, sent);
        if (!(fabs(all[i].value - sent) <= off * (1 + FLOAT_STEP)))
            return aw_fail(&session->err, AW_REFUSED, "%s: sent %g, but the device reports %g",
                           name_of(session, i, name), sent, all[i].value);
    }
    return status;
}

enum aw_status aw_settings_send(struct aw_session *session, const struct aw_gain_list *wanted)
{
    size_t n;
    enum aw_status status = each_packet(session, wanted, send, &n);
    return status == AW_OK ? confirm(session, wanted) : status;
}

enum aw_status aw_settings_set(struct aw_session *session, const struct aw_gain_list *wanted,
                               size_t *n)
{
    const struct aw_law *law = law_of(session);
    enum aw_status status = each_packet(session, wanted, check, n);
    if (status != AW_OK || session->options.run.dry_run)
        return status;
    if (law->set)
        return each_packet(session, wanted, law->set, n);
    status = aw_settings_send(session, wanted);
    *n = status == AW_OK ? wanted->n : 0;
    return status;
}

void aw_settings_add_old(struct aw_session *session, aw_frame_fn *add, void *context)
{
    const struct aw_gain_list *old = aw_law_saved(session);
    struct aw_error before = session->err;
    struct aw_record packet;
    for (size_t at = 0; old && (at = next_packet(session, old, at)) != SIZE_MAX; at++)
        for (int i = 0; i < LAST_TIMES && fill(session, at, old, &packet) == AW_OK; i++) {
            add(context, NULL, 0);
            aw_add_packet(session, &packet, add, context);
        }
    session->err = before;
}
