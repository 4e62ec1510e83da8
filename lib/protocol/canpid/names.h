/* Boards and controllers by number, with the units of their values.
 *
 * A board is its base identifier (0x40), as in the records' field "board"; there are 64 of them.
 * Sets of boards are bits: AW_CANPID_BIT(0x40) | AW_CANPID_BIT(0x60).
 *
 * Source: names, full scales and limits of the published host and firmware; see wire.h.
 */
#ifndef AW_PROTOCOL_CANPID_NAMES_H
#define AW_PROTOCOL_CANPID_NAMES_H

#include <stdint.h>

#include "wire/wire.h"

#define AW_CANPID_BOARDS     64
#define AW_CANPID_SIX        UINT64_C(0x7E) /* lhip, lknee, lankle, rhip, rknee, rankle */
#define AW_CANPID_BIT(board) (UINT64_C(1) << ((unsigned)(board) / 32 % AW_CANPID_BOARDS))

enum aw_canpid_controller {
    AW_CANPID_POS, /* position of the lever arm */
    AW_CANPID_LVL, /* lever lock */
    AW_CANPID_TOR, /* torque */
    AW_CANPID_TL,  /* tacit learning */
    AW_CANPID_CONTROLLERS,
};

/* Not a controller: stands for the last one seen, otherwise pos. */
#define AW_CANPID_LAST (-1)

enum aw_canpid_gain {
    AW_CANPID_KP,
    AW_CANPID_KI,
    AW_CANPID_KD,
    AW_CANPID_GAINS,
};

#define AW_CANPID_GAIN_MAX 100.0 /* a driver clamps gains to this magnitude */
#define AW_CANPID_DISABLE  1.5   /* a normalised setpoint outside every limit */
#define AW_CANPID_TICK_S   0.004 /* shortest control period, s; ki and kd are per period */

/* The remedy if a driver sends no telemetry. */
#define AW_CANPID_ADVICE "check power, bus and bit rate (1 Mbit/s)"

/* Returns the name of the board in this variant, which the configuration can change. If it has no
 * name, returns its number, "0x100". variant NULL: the default names. Writes to out and returns
 * it. */
#define AW_CANPID_NAME_MAX 24
const char *aw_canpid_board_name(const struct aw_variant *variant, unsigned board,
                                 char out[AW_CANPID_NAME_MAX]);

/* Lists the names of a set, "lhip,lknee"; omits names that do not fit. Returns out; "" for an empty
 * set. */
const char *aw_canpid_board_list(const struct aw_variant *variant, uint64_t boards, char *out,
                                 size_t size);

/* Finds a board by name or number (64, 0x40). Returns -1 if there is no such board. */
int aw_canpid_board_find(const struct aw_variant *variant, const char *text);

const char *aw_canpid_controller_name(int controller); /* Returns "tor"; "?" outside 0..3. */
/* Returns the controller for a name or digit; -1: not found. */
int aw_canpid_controller_find(const char *text);
const char *aw_canpid_gain_name(enum aw_canpid_gain gain); /* Returns "kp". */
/* Returns the gain with this name; -1: not found. */
int aw_canpid_gain_find(const char *text);

/* Return the value of normalised 1 in the controller's unit, and that unit: 360 (deg), 25 (Nm); 100
 * (%) for lvl and tl, because the published sources contradict each other about their unit. */
double aw_canpid_full_scale(int controller);
const char *aw_canpid_unit(int controller);

/* Converts a value of the pid telemetry (% of full scale) to the controller's unit. */
double aw_canpid_from_percent(int controller, double percent);

/* Returns the normalised setpoint limit for enabling the controller: 0.5, 0.5, 1, 1. */
double aw_canpid_setpoint_limit(int controller);

/* Returns normalised 1 as the value of a setpoint message: 360 (deg), 1, 25 (Nm), 1. */
double aw_canpid_setpoint_scale(int controller);

#endif
