/* The mechanics behind the simulated drivers: the six joints of the exoskeleton, and faults of one.
 *
 *     struct aw_canpid_plant plant;
 *     status = aw_canpid_plant_parse("wall:2deg", &plant, &err);
 *     struct aw_joint_model model = aw_canpid_joint(AW_CANPID_LKNEE);
 *     aw_canpid_plant_apply(&plant, &model);
 *
 * The joints are our choice, as those of joint.h, and no two of them are alike: hips are slow and
 * heavy, ankles light and quick, and the right leg has been worn more than the left one. A person
 * stands in them: the legs are heavier than the one of joint.h and hardly swing. (A leg that hangs
 * free swings between motor and torque, and no model of lib/control explains that torque.)
 */
#ifndef AW_PROTOCOL_CANPID_PLANT_H
#define AW_PROTOCOL_CANPID_PLANT_H

#include "base/status.h"
#include "protocol/canpid/joint.h"

enum aw_canpid_plant_kind {
    AW_CANPID_SOUND,
    AW_CANPID_DEAD,     /* the motor does not turn */
    AW_CANPID_STUCK,    /* the encoders show what they showed at the beginning */
    AW_CANPID_REVERSED, /* the motor turns the other way */
    AW_CANPID_WALL,     /* the lever comes no farther than this angle, rad, on its side of 0 */
    AW_CANPID_DELAY,    /* the motor does what the driver wants so many seconds later; a disable
                           takes its power away at once */
    AW_CANPID_BACKLASH, /* play between motor and lever, rad in all */
    AW_CANPID_COULOMB,  /* dry friction: outputs up to this share of all do not move it */
    AW_CANPID_UNSTABLE, /* while it is driven it goes faster and faster by itself */
    AW_CANPID_PLANTS,
};

struct aw_canpid_plant {
    enum aw_canpid_plant_kind kind;
    double value; /* as the kind has it */
};

/* "sound", "dead", "stuck", "reversed", "wall", "delay", "backlash", "coulomb", "unstable", NULL.
 */
extern const char *const aw_canpid_plant_names[];

/* "dead", "wall:2deg" (-2deg is on the other side), "delay:1s", "backlash:1deg", "coulomb:5%";
 * these values are also those of a kind without one. AW_USAGE: no such kind, or no such value of
 * it. */
enum aw_status aw_canpid_plant_parse(const char *text, struct aw_canpid_plant *plant,
                                     struct aw_error *err);

/* The same as text, "wall:2deg". */
#define AW_CANPID_PLANT_MAX 32
const char *aw_canpid_plant_text(const struct aw_canpid_plant *plant,
                                 char out[AW_CANPID_PLANT_MAX]);

/* Returns the joint of a board; aw_joint_defaults for other boards than the six. */
struct aw_joint_model aw_canpid_joint(unsigned board);

/* Applies the mechanical faults to the model; STUCK and DELAY are not mechanical. */
void aw_canpid_plant_apply(const struct aw_canpid_plant *plant, struct aw_joint_model *model);

#endif
