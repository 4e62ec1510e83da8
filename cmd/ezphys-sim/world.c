/* Builds ODE's bodies, joints and contacts from a scene, steps and measures them. */
#include "world.h"

#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"

#define CONTACTS_MAX     2048 /* max number of reported contacts */
#define PAIR_CONTACTS    8
#define BOUNCE_SPEED     0.01 /* m/s: slower contacts do not bounce */
#define SPIN_MAX         1e5  /* max speed of rotation, rad/s */
#define STABLE_MAX       1e12 /* m, m/s: beyond this the physics is unstable */
#define AXIS_PARAM(p, i) ((p) + dParamGroup * (int)(i))

struct body_part {
    dBodyID body;
    dGeomID geom;
    /* force and torque of the last step that had any, since world_clear_forces */
    double applied[6];
};

struct drive {
    dJointID joint;
    dJointID motor; /* has the axes: the joint itself, or the motor of a ball joint */
    dJointFeedback feedback[2];
    dVector3 euler[2][2]; /* ball joint: first and last axis in the frames of bodies 1 and 2 */
    double torque[AW_SCENE_AXES];
    bool has_torque;
};

struct world {
    const struct aw_scene *scene;
    const struct world_options *options;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contact_joints;
    int64_t steps;
    double step_s;
    size_t n_contacts;
    struct world_contact contacts[CONTACTS_MAX];
    struct body_part parts[AW_SCENE_BODIES_MAX];
    struct drive drives[AW_SCENE_JOINTS_MAX];
};

/* ---- Kinds of joints ------------------------------------------------------------------------- */

static void set_hinge(dJointID joint, const struct aw_scene_joint *row)
{
    dJointSetHingeAnchor(joint, row->anchor_m[0], row->anchor_m[1], row->anchor_m[2]);
    dJointSetHingeAxis(joint, row->axis[0][0], row->axis[0][1], row->axis[0][2]);
}

static void set_slider(dJointID joint, const struct aw_scene_joint *row)
{
    dJointSetSliderAxis(joint, row->axis[0][0], row->axis[0][1], row->axis[0][2]);
}

static void set_universal(dJointID joint, const struct aw_scene_joint *row)
{
    dJointSetUniversalAnchor(joint, row->anchor_m[0], row->anchor_m[1], row->anchor_m[2]);
    dJointSetUniversalAxis1(joint, row->axis[0][0], row->axis[0][1], row->axis[0][2]);
    dJointSetUniversalAxis2(joint, row->axis[1][0], row->axis[1][1], row->axis[1][2]);
}

static void set_hinge2(dJointID joint, const struct aw_scene_joint *row)
{
    dJointSetHinge2Anchor(joint, row->anchor_m[0], row->anchor_m[1], row->anchor_m[2]);
    dJointSetHinge2Axes(joint, row->axis[0], row->axis[1]);
}

static void set_ball(dJointID joint, const struct aw_scene_joint *row)
{
    dJointSetBallAnchor(joint, row->anchor_m[0], row->anchor_m[1], row->anchor_m[2]);
}

static void set_fixed(dJointID joint, const struct aw_scene_joint *row)
{
    (void)row;
    dJointSetFixed(joint);
}

static double get_hinge_angle(dJointID joint, unsigned axis)
{
    (void)axis;
    return dJointGetHingeAngle(joint);
}

static double get_hinge_rate(dJointID joint, unsigned axis)
{
    (void)axis;
    return dJointGetHingeAngleRate(joint);
}

static double get_slider_position(dJointID joint, unsigned axis)
{
    (void)axis;
    return dJointGetSliderPosition(joint);
}

static double get_slider_rate(dJointID joint, unsigned axis)
{
    (void)axis;
    return dJointGetSliderPositionRate(joint);
}

static double get_universal_angle(dJointID joint, unsigned axis)
{
    return axis ? dJointGetUniversalAngle2(joint) : dJointGetUniversalAngle1(joint);
}

static double get_universal_rate(dJointID joint, unsigned axis)
{
    return axis ? dJointGetUniversalAngle2Rate(joint) : dJointGetUniversalAngle1Rate(joint);
}

/* ODE 0.16 returns the second angle with the opposite sign of its rate. */
static double get_hinge2_angle(dJointID joint, unsigned axis)
{
    return axis ? -dJointGetHinge2Angle2(joint) : dJointGetHinge2Angle1(joint);
}

static double get_hinge2_rate(dJointID joint, unsigned axis)
{
    return axis ? dJointGetHinge2Angle2Rate(joint) : dJointGetHinge2Angle1Rate(joint);
}

static double get_amotor_rate(dJointID joint, unsigned axis)
{
    return dJointGetAMotorAngleRate(joint, (int)axis);
}

static void add_torque_hinge(dJointID joint, const double torque[AW_SCENE_AXES])
{
    dJointAddHingeTorque(joint, torque[0]);
}

static void add_force_slider(dJointID joint, const double torque[AW_SCENE_AXES])
{
    dJointAddSliderForce(joint, torque[0]);
}

static void add_torque_universal(dJointID joint, const double torque[AW_SCENE_AXES])
{
    dJointAddUniversalTorques(joint, torque[0], torque[1]);
}

static void add_torque_hinge2(dJointID joint, const double torque[AW_SCENE_AXES])
{
    dJointAddHinge2Torques(joint, torque[0], torque[1]);
}

static void add_torque_motor(dJointID joint, const double torque[AW_SCENE_AXES])
{
    dJointAddAMotorTorques(joint, torque[0], torque[1], torque[2]);
}

/* clang-format off */
static const struct joint_kind {
    dJointID (*create)(dWorldID world, dJointGroupID group);
    void (*set)(dJointID joint, const struct aw_scene_joint *row);
    void (*set_param)(dJointID joint, int parameter, dReal value);
    double (*angle)(dJointID joint, unsigned axis); /* NULL: Euler angles */
    double (*rate)(dJointID joint, unsigned axis);
    void (*add_torque)(dJointID joint, const double torque[AW_SCENE_AXES]);
} kinds[] = {
    [AW_SCENE_FIXED] = {.create = dJointCreateFixed, .set = set_fixed},
    [AW_SCENE_HINGE] = {dJointCreateHinge, set_hinge, dJointSetHingeParam, get_hinge_angle,
                        get_hinge_rate, add_torque_hinge},
    [AW_SCENE_SLIDER] = {dJointCreateSlider, set_slider, dJointSetSliderParam, get_slider_position,
                         get_slider_rate, add_force_slider},
    [AW_SCENE_UNIVERSAL] = {dJointCreateUniversal, set_universal, dJointSetUniversalParam,
                            get_universal_angle, get_universal_rate, add_torque_universal},
    [AW_SCENE_HINGE2] = {dJointCreateHinge2, set_hinge2, dJointSetHinge2Param, get_hinge2_angle,
                         get_hinge2_rate, add_torque_hinge2},
    [AW_SCENE_BALL] = {dJointCreateBall, set_ball, dJointSetAMotorParam, NULL, get_amotor_rate,
                       add_torque_motor},
};
/* clang-format on */

/* ---- Building -------------------------------------------------------------------------------- */

/* ODE prints remarks such as "LCP internal error" by the thousand; users cannot act on them. */
static void ignore_message(int number, const char *format, va_list args)
{
    (void)number;
    (void)format;
    (void)args;
}

/* Handles errors for which ODE would abort. */
static void on_fatal_error(int number, const char *format, va_list args)
{
    char text[200];
    vsnprintf(text, sizeof text, format, args);
    print_log("ezphys-sim: simulation failed: ODE %d: %s — restart it\n", number, text);
    _exit(1);
}

static dGeomID create_geom(dSpaceID space, const struct aw_scene_body *row)
{
    const double *size = row->size_m;
    switch (row->shape) {
    case AW_SCENE_BOX:
        return dCreateBox(space, size[0], size[1], size[2]);
    case AW_SCENE_SPHERE:
        return dCreateSphere(space, size[0]);
    case AW_SCENE_CAPSULE:
        return dCreateCapsule(space, size[0], size[1]);
    case AW_SCENE_CYLINDER:
        break;
    }
    return dCreateCylinder(space, size[0], size[1]);
}

static void build_part(struct world *w, size_t index)
{
    const struct aw_scene_body *row = &w->scene->bodies[index];
    const double *v = row->velocity_m_s, *spin = row->spin_rad_s;
    dMass mass;
    dBodyID body = dBodyCreate(w->world);
    const double *size = row->size_m;
    double density = row->density_kg_m3 > 0 ? row->density_kg_m3 : 1;
    switch (row->shape) {
    case AW_SCENE_BOX:
        dMassSetBox(&mass, density, size[0], size[1], size[2]);
        break;
    case AW_SCENE_SPHERE:
        dMassSetSphere(&mass, density, size[0]);
        break;
    case AW_SCENE_CAPSULE:
        dMassSetCapsule(&mass, density, 3, size[0], size[1]);
        break;
    case AW_SCENE_CYLINDER:
        dMassSetCylinder(&mass, density, 3, size[0], size[1]);
        break;
    }
    if (row->mass_kg > 0)
        dMassAdjust(&mass, row->mass_kg);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, row->position_m[0], row->position_m[1], row->position_m[2]);
    dBodySetQuaternion(body, row->rotation);
    dBodySetLinearVel(body, v[0], v[1], v[2]);
    dBodySetAngularVel(body, spin[0], spin[1], spin[2]);
    w->parts[index] = (struct body_part){.body = body};
    if (!row->collide)
        return;
    dGeomID geom = create_geom(w->space, row);
    dGeomSetBody(geom, body);
    dGeomSetData(geom, &w->parts[index]);
    w->parts[index].geom = geom;
}

static dBodyID get_body(const struct world *w, int index)
{
    return index == AW_SCENE_WORLD ? NULL : w->parts[index].body;
}

static void to_body_frame(dBodyID body, const double axis[3], dVector3 out)
{
    if (body)
        dBodyVectorFromWorld(body, axis[0], axis[1], axis[2], out);
    else
        memcpy(out, axis, 3 * sizeof *axis);
}

/* Euler angles: the first axis moves with body 1, the last one with body 2. */
static dJointID create_motor(struct world *w, const struct aw_scene_joint *row)
{
    const double *first = row->axis[0], *last = row->axis[2];
    dJointID motor = dJointCreateAMotor(w->world, NULL);
    dJointAttach(motor, get_body(w, row->body[0]), get_body(w, row->body[1]));
    dJointSetAMotorMode(motor, dAMotorEuler);
    dJointSetAMotorAxis(motor, 0, 1, first[0], first[1], first[2]);
    dJointSetAMotorAxis(motor, 2, 2, last[0], last[1], last[2]);
    return motor;
}

static void build_drive(struct world *w, size_t index)
{
    const struct aw_scene_joint *row = &w->scene->joints[index];
    const struct joint_kind *kind = &kinds[row->kind];
    struct drive *drive = &w->drives[index];
    *drive = (struct drive){.joint = kind->create(w->world, NULL)};
    dJointAttach(drive->joint, get_body(w, row->body[0]), get_body(w, row->body[1]));
    kind->set(drive->joint, row);
    drive->motor = row->kind == AW_SCENE_BALL ? create_motor(w, row) : drive->joint;
    for (int axis = 0; axis < 2; axis++)
        for (int side = 0; side < 2; side++)
            to_body_frame(get_body(w, row->body[side]), row->axis[2 * axis],
                          drive->euler[axis][side]);
    dJointSetFeedback(drive->joint, &drive->feedback[0]);
    if (drive->motor != drive->joint)
        dJointSetFeedback(drive->motor, &drive->feedback[1]);
    for (unsigned i = 0; i < aw_scene_count_axes(row->kind); i++) {
        kind->set_param(drive->motor, AXIS_PARAM(dParamLoStop, i), row->low[i]);
        kind->set_param(drive->motor, AXIS_PARAM(dParamHiStop, i), row->high[i]);
    }
    world_set_motor(w, index, row->velocity, row->max_torque);
}

static void destroy(struct world *w)
{
    if (!w->world)
        return;
    dJointGroupDestroy(w->contact_joints);
    dSpaceDestroy(w->space);
    dWorldDestroy(w->world);
}

static void update_contacts(struct world *w);

static void build(struct world *w)
{
    const double *gravity = w->scene->gravity_m_s2;
    w->world = dWorldCreate();
    w->space = dSimpleSpaceCreate(NULL);
    w->contact_joints = dJointGroupCreate(0);
    w->steps = 0;
    dWorldSetGravity(w->world, gravity[0], gravity[1], gravity[2]);
    dWorldSetERP(w->world, w->scene->solver.erp);
    dWorldSetCFM(w->world, w->scene->solver.cfm);
    dWorldSetMaxAngularSpeed(w->world, SPIN_MAX);
    dRandSetSeed(w->options->seed);
    for (size_t i = 0; i < w->scene->n_bodies; i++)
        build_part(w, i);
    for (size_t i = 0; i < w->scene->n_joints; i++)
        build_drive(w, i);
    const double *normal = w->scene->ground_normal;
    if (w->scene->has_ground)
        dCreatePlane(w->space, normal[0], normal[1], normal[2], w->scene->ground_offset_m);
    update_contacts(w);
}

struct world *world_new(const struct aw_scene *scene, const struct world_options *options)
{
    struct world *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    dInitODE2(0);
    dAllocateODEDataForThread((unsigned)dAllocateMaskAll);
    dSetMessageHandler(ignore_message);
    dSetErrorHandler(on_fatal_error);
    dSetDebugHandler(on_fatal_error);
    w->scene = scene;
    w->options = options;
    w->step_s = options->step_s > 0 ? options->step_s : scene->step_s;
    build(w);
    return w;
}

void world_free(struct world *w)
{
    if (!w)
        return;
    destroy(w);
    free(w);
    dCloseODE();
}

void world_reset(struct world *w)
{
    destroy(w);
    build(w);
}

/* ---- Stepping -------------------------------------------------------------------------------- */

static int get_index(const struct world *w, dGeomID geom)
{
    const struct body_part *part = dGeomGetData(geom);
    return part ? (int)(part - w->parts) : AW_SCENE_WORLD;
}

static void note_contact(struct world *w, const dContactGeom *geom)
{
    if (w->n_contacts == CONTACTS_MAX)
        return;
    w->contacts[w->n_contacts++] = (struct world_contact){
        .body = {get_index(w, geom->g1), get_index(w, geom->g2)},
        .values = {geom->pos[0], geom->pos[1], geom->pos[2], geom->depth},
    };
}

static dSurfaceParameters get_surface(const struct aw_scene *scene)
{
    return (dSurfaceParameters){
        .mode = dContactApprox1 | dContactSoftERP | dContactSoftCFM |
                (scene->contact.bounce > 0 ? dContactBounce : 0),
        .mu = scene->contact.friction,
        .bounce = scene->contact.bounce,
        .bounce_vel = BOUNCE_SPEED,
        .soft_erp = scene->contact.erp,
        .soft_cfm = scene->contact.cfm,
    };
}

static void on_near(void *context, dGeomID geom1, dGeomID geom2)
{
    struct world *w = context;
    dBodyID body1 = dGeomGetBody(geom1), body2 = dGeomGetBody(geom2);
    dContact contacts[PAIR_CONTACTS];
    if (body1 && body2 && dAreConnectedExcluding(body1, body2, dJointTypeContact))
        return;
    int n = dCollide(geom1, geom2, PAIR_CONTACTS, &contacts[0].geom, sizeof *contacts);
    for (int i = 0; i < n; i++) {
        contacts[i].surface = get_surface(w->scene);
        dJointID joint = dJointCreateContact(w->world, w->contact_joints, &contacts[i]);
        dJointAttach(joint, body1, body2);
        note_contact(w, &contacts[i].geom);
    }
}

/* Recreates the contacts. */
static void update_contacts(struct world *w)
{
    dJointGroupEmpty(w->contact_joints);
    w->n_contacts = 0;
    dSpaceCollide(w->space, w, on_near);
}

static bool is_zero(const dReal *v)
{
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

void world_clear_forces(struct world *w)
{
    for (size_t i = 0; i < w->scene->n_bodies; i++)
        memset(w->parts[i].applied, 0, sizeof w->parts[i].applied);
}

static bool is_sane(const dReal *v)
{
    return fabs(v[0]) < STABLE_MAX && fabs(v[1]) < STABLE_MAX && fabs(v[2]) < STABLE_MAX;
}

bool world_step(struct world *w)
{
    w->steps++;
    if (w->options->no_physics)
        return true;
    update_contacts(w);
    for (size_t i = 0; i < w->scene->n_joints; i++) {
        struct drive *drive = &w->drives[i];
        if (!drive->has_torque)
            continue;
        kinds[w->scene->joints[i].kind].add_torque(drive->motor, drive->torque);
        drive->has_torque = w->options->hold_force;
    }
    if (!w->options->force_after) {
        /* Keeps the last step with a force, so that a push of one step appears in a message about
         * many. */
        for (size_t i = 0; i < w->scene->n_bodies; i++) {
            const dReal *force = dBodyGetForce(w->parts[i].body);
            const dReal *torque = dBodyGetTorque(w->parts[i].body);
            if (is_zero(force) && is_zero(torque))
                continue;
            memcpy(w->parts[i].applied, force, 3 * sizeof *force);
            memcpy(w->parts[i].applied + 3, torque, 3 * sizeof *torque);
        }
    }
    if (w->options->quick)
        dWorldQuickStep(w->world, w->step_s);
    else
        dWorldStep(w->world, w->step_s);
    for (size_t i = 0; i < w->scene->n_bodies; i++) {
        dBodyID body = w->parts[i].body;
        if (!is_sane(dBodyGetPosition(body)) || !is_sane(dBodyGetLinearVel(body)) ||
            !is_sane(dBodyGetAngularVel(body)))
            return false;
    }
    return true;
}

/* ---- Measurements and commands --------------------------------------------------------------- */

int64_t world_steps(const struct world *w)
{
    return w->steps;
}

double world_step_size(const struct world *w)
{
    return w->step_s;
}

void world_get_limb(const struct world *w, size_t index, double out[LIMB_VALUES])
{
    const struct body_part *part = &w->parts[index];
    memcpy(out, dBodyGetPosition(part->body), 3 * sizeof *out);
    memcpy(out + 3, dBodyGetQuaternion(part->body), 4 * sizeof *out);
    memcpy(out + 7, part->applied, 6 * sizeof *out);
    memcpy(out + 13, dBodyGetLinearVel(part->body), 3 * sizeof *out);
    memcpy(out + 16, dBodyGetAngularVel(part->body), 3 * sizeof *out);
}

/* Rotates v from the body's frame to the world's. body NULL: the world, copies v. */
static void rotate_to_world(dBodyID body, const dVector3 v, dVector3 out)
{
    if (body)
        dBodyVectorToWorld(body, v[0], v[1], v[2], out);
    else
        memcpy(out, v, 3 * sizeof *v);
}

/* Returns the angle from a to b about the axis. */
static double get_angle_between(const dVector3 a, const dVector3 b, const dVector3 axis)
{
    dVector3 cross;
    dCalcVectorCross3(cross, a, b);
    return atan2(dCalcVectorDot3(cross, axis), dCalcVectorDot3(a, b));
}

/* ODE's ball motor has the angles before the last step, so this computes them: the rotation of body
 * 1 against body 2 about the first axis, the node and the last axis. */
static double get_euler_angle(const struct world *w, size_t index, unsigned axis)
{
    const struct aw_scene_joint *row = &w->scene->joints[index];
    const struct drive *drive = &w->drives[index];
    dBodyID body1 = get_body(w, row->body[0]), body2 = get_body(w, row->body[1]);
    dVector3 first = {0}, first_of_2 = {0}, last = {0}, last_of_1 = {0}, node, upright;
    rotate_to_world(body1, drive->euler[0][0], first);
    rotate_to_world(body2, drive->euler[0][1], first_of_2);
    rotate_to_world(body1, drive->euler[1][0], last_of_1);
    rotate_to_world(body2, drive->euler[1][1], last);
    dCalcVectorCross3(node, last, first);
    dNormalize3(node);
    dCalcVectorCross3(upright, first, node);
    if (axis == 1)
        return get_angle_between(last, upright, node);
    dCalcVectorCross3(upright, node, last);
    if (axis == 2)
        return get_angle_between(first_of_2, upright, last);
    dCalcVectorCross3(upright, first, node);
    return get_angle_between(upright, last_of_1, first);
}

void world_get_axis(const struct world *w, size_t index, unsigned axis, double out[AXIS_VALUES])
{
    const struct joint_kind *kind = &kinds[w->scene->joints[index].kind];
    out[0] =
        kind->angle ? kind->angle(w->drives[index].motor, axis) : get_euler_angle(w, index, axis);
    out[1] = kind->rate(w->drives[index].motor, axis);
}

void world_get_feedback(const struct world *w, size_t index, double out[FEEDBACK_VALUES])
{
    const dJointFeedback *a = &w->drives[index].feedback[0], *b = &w->drives[index].feedback[1];
    for (int i = 0; i < 3; i++) {
        out[i] = a->f1[i] + b->f1[i];
        out[3 + i] = a->t1[i] + b->t1[i];
        out[6 + i] = a->f2[i] + b->f2[i];
        out[9 + i] = a->t2[i] + b->t2[i];
    }
}

size_t world_get_contacts(const struct world *w, const struct world_contact **contacts)
{
    *contacts = w->contacts;
    return w->n_contacts;
}

void world_add_torque(struct world *w, size_t index, const double torque[AW_SCENE_AXES])
{
    struct drive *drive = &w->drives[index];
    bool adds_torque = drive->has_torque && !w->options->hold_force;
    for (int i = 0; i < AW_SCENE_AXES; i++)
        drive->torque[i] = torque[i] + (adds_torque ? drive->torque[i] : 0);
    drive->has_torque = aw_scene_count_axes(w->scene->joints[index].kind) > 0;
}

void world_set_motor(struct world *w, size_t index, const double velocity[AW_SCENE_AXES],
                     const double max_torque[AW_SCENE_AXES])
{
    const struct aw_scene_joint *row = &w->scene->joints[index];
    for (unsigned i = 0; i < aw_scene_count_axes(row->kind); i++) {
        kinds[row->kind].set_param(w->drives[index].motor, AXIS_PARAM(dParamVel, i), velocity[i]);
        kinds[row->kind].set_param(w->drives[index].motor, AXIS_PARAM(dParamFMax, i),
                                   max_torque[i]);
    }
}
