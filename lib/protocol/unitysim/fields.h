/* Converts between the types of arm.h and records, for both ends.
 *
 *     aw_record_init(&record, aw_wire_codec(&wire, "update", AW_TX), AW_TX);
 *     aw_unitysim_put_camera(&record, &camera);
 *     aw_unitysim_put_limits(&record, &limits);
 */
#ifndef AW_PROTOCOL_UNITYSIM_FIELDS_H
#define AW_PROTOCOL_UNITYSIM_FIELDS_H

#include "protocol/unitysim/arm.h"
#include "wire/codec.h"

/* Copy the camera of scene, update and camera records. */
void aw_unitysim_put_camera(struct aw_record *record, const struct aw_unitysim_camera *camera);
struct aw_unitysim_camera aw_unitysim_get_camera(const struct aw_record *record);

/* Copy the limits of scene and update records. */
void aw_unitysim_put_limits(struct aw_record *record, const struct aw_unitysim_limits *limits);
struct aw_unitysim_limits aw_unitysim_get_limits(const struct aw_record *record);

/* Return the scalar of a joint's field, "elbow.velocity", and its value in a record; NaN: the
 * record has none. */
int aw_unitysim_find_scalar(const struct aw_codec *codec, int joint, const char *field);
double aw_unitysim_get(const struct aw_record *record, int joint, const char *field);

#endif
