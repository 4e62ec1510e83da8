/* What canpid's commands that move a joint by themselves look after: how far it may go, and what
 * its driver says of itself. */
#include "control/motion.h"

#include <math.h>

#include "run.h"

/* By controller, of full scale: 15 deg and 2 Nm; three steps of the encoder, and as much torque. */
static const struct {
    double max_deviation, least;
} usual[AW_CANPID_CONTROLLERS] = {
    [AW_CANPID_POS] = {15 / 360.0, 0.15 / 360},
    [AW_CANPID_LVL] = {15 / 360.0, 0.15 / 360},
    [AW_CANPID_TOR] = {2 / 25.0, 0.03 / 25},
    [AW_CANPID_TL] = {2 / 25.0, 0.03 / 25},
};

enum aw_status canpid_max_deviation(struct aw_session *session, int controller, const char *text,
                                    double *normalised)
{
    text = text ? text : aw_option(session, "max-deviation");
    *normalised = usual[controller].max_deviation;
    enum aw_status status =
        text ? canpid_parse(session, "--max-deviation", text, controller, normalised) : AW_OK;
    if (status == AW_OK && !(*normalised > 0))
        return aw_fail(&session->err, AW_LIMIT, "--max-deviation: %s leaves no room to move", text);
    return status;
}

struct aw_motion_config canpid_guard_config(int controller, double max_deviation)
{
    double scale = aw_canpid_full_scale(controller);
    struct aw_motion_config config = aw_motion_defaults(max_deviation * scale);
    config.least = usual[controller].least * scale;
    return config;
}

const char *canpid_fault(const struct aw_canpid *client, unsigned board)
{
    const struct aw_codec *codec = client->codecs[AW_CANPID_SENSORS];
    const struct aw_name *name = codec->scalars[client->scalars[AW_CANPID_SENSORS][0]].field->names;
    const struct aw_canpid_board *state = &client->boards[board / 32 % AW_CANPID_BOARDS];
    if (state->streams[AW_CANPID_SENSORS].count == 0 || state->error == 0)
        return NULL;
    while (name->name && name->value != state->error)
        name++;
    return name->name ? name->name : "an error without a name";
}
