/* The mechanics behind the simulated drivers: the six joints of the exoskeleton, and faults of a
 * joint.
 *
 *     struct aw_canpid_plant plant;
 *     status = aw_canpid_plant_parse("wall:2deg", &plant, &err);
 *     struct aw_joint_model model = aw_canpid_joint_model(0x40); // lknee
 *     aw_canpid_plant_apply(&plant, &model);
 *
 * As in joint.h, the joints are our choice. All differ: hips are slow and heavy, ankles light and
 * quick, and the right leg is more worn than the left. They simulate a person standing in the
 * exoskeleton: the legs are heavier than in joint.h and hardly swing. (A freely hanging leg
 * oscillates, and no model of lib/tuning explains the resulting torque.) */
#ifndef AW_PROTOCOL_CANPID_PLANT_H
#define AW_PROTOCOL_CANPID_PLANT_H

#include "base/status.h"
#include "protocol/canpid/joint.h"

enum aw_canpid_plant_kind {
    AW_CANPID_SOUND,
    AW_CANPID_DEAD,     /* the motor does not turn */
    AW_CANPID_STUCK,    /* the encoders repeat their values beyond this angle, rad */
    AW_CANPID_REVERSED, /* the motor turns in the wrong direction */
    AW_CANPID_WALL,     /* a mechanical stop at this angle, rad; its sign gives the side of 0 */
    /* the motor follows the driver with this delay, s; a disable cuts its power at once */
    AW_CANPID_DELAY,
    AW_CANPID_BACKLASH, /* total play between motor and lever, rad */
    AW_CANPID_COULOMB,  /* dry friction: outputs up to this fraction do not move the joint */
    AW_CANPID_UNSTABLE, /* accelerates by itself while driven */
    AW_CANPID_PLANTS,
};

struct aw_canpid_plant {
    enum aw_canpid_plant_kind kind;
    double value; /* in the unit of the kind */
};

/* "sound", "dead", "stuck", "reversed", "wall", "delay", "backlash", "coulomb", "unstable",
 * NULL. */
extern const char *const aw_canpid_plant_names[];

/* Parses "dead", "stuck:0deg", "wall:2deg" (-2deg is on the other side), "delay:1s",
 * "backlash:1deg", "coulomb:5%". These values are also the defaults of their kinds. AW_USAGE:
 * unknown kind, or invalid value. */
enum aw_status aw_canpid_plant_parse(const char *text, struct aw_canpid_plant *plant,
                                     struct aw_error *err);

/* Returns the model of a board's joint; aw_joint_defaults for boards other than the six. */
struct aw_joint_model aw_canpid_joint_model(unsigned board);

/* Applies the mechanical faults to the model; STUCK and DELAY are not mechanical. */
void aw_canpid_plant_apply(const struct aw_canpid_plant *plant, struct aw_joint_model *model);

#endif
