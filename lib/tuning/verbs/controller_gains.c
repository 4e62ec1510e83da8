/* The gains of a joint in an experiment: the previous gains, and trial gains. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "tuning/verbs/trials.h"

/* The list of gains begins with those of the joint. */
enum { KP, KI, KD, OWN };

static enum aw_status load(struct aw_bench *bench, const struct aw_law *law, const char *path)
{
    const void *context = law->context ? law->context(bench->session) : NULL;
    struct aw_gain *file = calloc(law->file->places, sizeof *file);
    enum aw_status status =
        file ? aw_gain_file_read(law->file, context, file, NULL, path, &bench->session->err)
             : aw_no_memory(&bench->session->err);
    for (size_t i = 0; status == AW_OK && i < bench->law.n; i++)
        if (file[bench->law.of[i].place].known)
            bench->law.of[i].value = (double)file[bench->law.of[i].place].value;
    free(file);
    return status;
}

enum aw_status aw_bench_know_gains(struct aw_bench *bench, const char *path, const char *advice)
{
    const struct aw_law *law = bench->session->tool->joints->law;
    const struct aw_gains *usual = &bench->joint.power_up;
    const double power_up[OWN] = {usual->kp, usual->ki, usual->kd};
    struct aw_listed_gain *own = bench->law.of;
    bench->law.n = 0;
    law->read(bench->session, bench->joint.kp, &bench->law);
    enum aw_status status = path ? load(bench, law, path) : AW_OK;
    bench->known = true;
    for (size_t i = 0; i < OWN; i++)
        if (isnan(own[i].value)) {
            bench->known = false;
            own[i].value = power_up[i];
        }
    bench->old = (struct aw_gains){own[KP].value, own[KI].value, own[KD].value};
    if (status == AW_OK && !bench->known && advice)
        aw_session_notice(bench->session,
                          "previous gains unknown; using the published ones: kp %g, ki %g, kd %g%s",
                          bench->old.kp, bench->old.ki, bench->old.kd, advice);
    return status;
}

enum aw_status aw_bench_gains(struct aw_bench *bench, struct aw_gains gains)
{
    struct aw_gain_list all = bench->law;
    all.of[KP].value = gains.kp;
    all.of[KI].value = gains.ki;
    all.of[KD].value = gains.kd;
    enum aw_status status = aw_bench_await_pace(bench);
    return status == AW_OK ? bench->hooks->gains(bench, &all) : status;
}

void aw_bench_words(const struct aw_bench_hooks *hooks, const struct aw_bench_joint *joint,
                    char *out, size_t size)
{
    if (hooks->words)
        hooks->words(joint, out, size);
    else
        snprintf(out, size, " %s", joint->name);
}

void aw_bench_set_words(const struct aw_bench_hooks *hooks, const struct aw_bench_joint *joint,
                        struct aw_gains gains, char *out, size_t size)
{
    const double values[OWN] = {gains.kp, gains.ki, gains.kd};
    if (hooks->set) {
        hooks->set(joint, gains, out, size);
        return;
    }
    snprintf(out, size, "gains set");
    for (int i = 0; i < OWN; i++)
        if (!joint->lacks[i])
            aw_append(out, size, " ", "%s.%s=%.6g", joint->name, aw_gain_names[i], values[i]);
}
