/* hidmotor's files for play: recordings of the course, which do not say what they are, too. */
#include <string.h>

#include "protocol/hidmotor/waypoints.h"
#include "shell/commands/play.h"
#include "state.h"

static struct aw_hidmotor_file file_of(struct aw_session *session)
{
    const char *angles = aw_option(session, "unit");
    return (struct aw_hidmotor_file){
        .columns = aw_option(session, "columns"),
        .every_s = aw_option_number(session, "every"),
        .from_line = (size_t)aw_option_number(session, "from-line"),
        .angles = !angles                      ? AW_ANGLES_ASK
                  : strcmp(angles, "rad") == 0 ? AW_ANGLES_RAD
                                               : AW_ANGLES_DEG,
        .speed = aw_flag(session, "fit") ? 0 : aw_option_number(session, "speed"),
    };
}

/* The path of the file at a speed of which every limit holds, or that was said, checked. */
static enum aw_status make_path(struct aw_play *play, struct aw_hidmotor_waypoints *way,
                                double most)
{
    struct aw_session *session = play->session;
    enum aw_path_mode mode = aw_play_mode(session);
    enum aw_status status = AW_OK;
    if (aw_flag(session, "fit")) {
        status = aw_hidmotor_waypoints_path(way, mode, true, &play->path, &session->err);
        double need = status == AW_OK ? aw_hidmotor_path_fastest(&play->path).deg_s / most : 0;
        aw_path_free(&play->path);
        if (status == AW_OK)
            status = aw_tempo_choose(session, need, &way->how.speed);
    }
    for (size_t i = 0; i < way->n_notices && status == AW_OK; i++)
        aw_session_notice(session, "%s", way->notices[i]);
    if (status == AW_OK)
        status = aw_hidmotor_waypoints_path(way, mode, aw_flag(session, "force"), &play->path,
                                            &session->err);
    return status;
}

enum aw_status motor_load(struct aw_play *play, const char *file)
{
    struct aw_session *session = play->session;
    struct aw_hidmotor_waypoints way;
    struct aw_hidmotor_file how = file_of(session);
    enum aw_status status = aw_hidmotor_waypoints_read(&way, NULL, file, &how, &session->err);
    double most = way.recorded ? AW_HIDMOTOR_SPEED_MEASURED : AW_HIDMOTOR_FAST;
    if (status == AW_OK)
        status = make_path(play, &way, most);
    play->speed = way.how.speed > 0 ? way.how.speed : play->speed;
    aw_hidmotor_waypoints_free(&way);
    if (status != AW_OK)
        return status;
    struct aw_hidmotor_fastest fastest = aw_hidmotor_path_fastest(&play->path);
    for (play->n = 0; play->n < AW_HIDMOTOR_JOINTS; play->n++)
        play->joints[play->n].number = play->n;
    motor_state(session)->lost_all = 0;
    if (play->speed * fastest.deg_s > AW_HIDMOTOR_FAST)
        aw_session_notice(session,
                          "%s: %.0f deg/s at %.3f s, but servos do about %.0f — it will lag",
                          aw_hidmotor_joint(fastest.joint).alias, play->speed * fastest.deg_s,
                          fastest.t_s, AW_HIDMOTOR_FAST);
    play->most = fastest.deg_s > 0 ? most / fastest.deg_s : play->speed;
    return AW_OK;
}

void motor_played(struct aw_session *session)
{
    aw_object_count(&session->result, "lost", motor_state(session)->lost_all);
    size_t before = session->result.n;
    motor_report_joints(session);
    aw_object_details(&session->result, before);
}
