/* Runs conversations.txt with the client of simulations and the simulator of ezphys_helper.h, on
 * every wire unless the case names one. */
#include "conversation_helper.h"
#include "ezphys_helper.h"

static struct {
    struct exchange talk; /* the program only reads the file; the simulator answers */
    struct rig *rig;
    const char *wire;
    struct aw_ezphys_target target;
    char wire_of_case[80];
    size_t size, packets;
    int settled;
    int64_t before_ns;
} own;

/* ---- Damage ---- */

/* Damage to the message at step 10. */
static const struct damage {
    const char *name;
    size_t at;
    uint32_t value;
} damages[] = {
    {"huge-size", 0, 0x80000000u}, {"large-size", 0, 1000000},
    {"small-size", 0, 60},         {"large-count", 4, 100000},
    {"small-count", 4, 2},         {"unknown-type", 8, 77},
    {"wrong-length", 16, 12},      {"no-number", 8 + 20 + 12, 0x7FC00000},
};
static const struct damage *damage;

static void spoil_word(struct fake *f)
{
    if (f->step == 10)
        fake_word(f, damage->at, 32, damage->value);
}

static void cut_off(struct fake *f)
{
    if (f->step == 10)
        f->pending /= 2;
}

static void noise(struct fake *f)
{
    if (f->step == 10)
        for (size_t i = 0; i < f->pending; i++)
            f->out[i] = (uint8_t)(i * 37 + 11);
}

static void many_objects(struct fake *f)
{
    f->pending = 8;
    const double axis[] = {1, 2};
    for (uint32_t i = 0; i < 1000; i++)
        fake_put(f, "joint_axis", (uint32_t)f->step * 1000 + i + 1, "", axis, 2);
    fake_envelope(f, 1000);
}

static void many_packets(struct fake *f)
{
    static const double axis[] = {1, 2};
    f->pending = 8;
    for (int i = 0; i < AW_EZPHYS_PACKETS + 3; i++)
        fake_put(f, "joint_axis", HINGE, "hinge", axis, 2);
    fake_envelope(f, AW_EZPHYS_PACKETS + 3);
}

static void only_feedback(struct fake *f)
{
    static const double forces[12];
    f->pending = 8;
    fake_put(f, "joint_feedback", 9, "weld", forces, 12);
    fake_envelope(f, 1);
}

static bool set_spoil(struct fake *f, const char *name)
{
    static const struct {
        const char *name;
        void (*spoil)(struct fake *f);
    } ways[] = {{"cut-off", cut_off},
                {"noise", noise},
                {"many-objects", many_objects},
                {"many-packets", many_packets},
                {"only-feedback", only_feedback}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(name, ways[i].name) == 0)
            return (f->spoil = ways[i].spoil) != NULL;
    for (damage = damages; strcmp(damage->name, name) != 0; damage++)
        assert_true(damage < damages + sizeof damages / sizeof *damages - 1);
    f->spoil = spoil_word;
    return true;
}

/* ---- Cases ---- */

static void begin_on(const char *wire)
{
    if (own.rig)
        rig_free(own.rig);
    own.rig = rig_new(wire);
    own.target = (struct aw_ezphys_target){0};
    own.settled = 0;
    own.size = own.packets = 0;
}

static void begin(void)
{
    begin_on(own.wire);
}

static bool set(const char *key, const char *value)
{
    struct fake *f = &own.rig->fake;
    if (strcmp(key, "wire") == 0)
        begin_on(strcpy(own.wire_of_case, value)); /* the rig uses this string */
    else if (strcmp(key, "real") == 0)
        f->real_time = true;
    else if (strcmp(key, "silent") == 0)
        own.rig->ez.never_answers = true;
    else if (strcmp(key, "merges") == 0)
        f->merges = true;
    else if (strcmp(key, "mute") == 0)
        f->mute = true;
    else if (strcmp(key, "contacts") == 0)
        f->contacts = (unsigned)atoi(value);
    else if (strcmp(key, "stride") == 0)
        f->stride = (unsigned)atoi(value);
    else if (strcmp(key, "step") == 0)
        f->step = atoi(value);
    else if (strcmp(key, "velocity2") == 0)
        f->velocity[1] = atof(value);
    else if (strcmp(key, "spoil") == 0)
        return set_spoil(f, value);
    else
        return false;
    return true;
}

static struct aw_ezphys_target joint_of(const char *name)
{
    struct aw_ezphys_target target = {.id = (uint32_t)strtoul(name, NULL, 10)};
    if (!target.id) {
        target.id = strcmp(name, "hinge") == 0 ? HINGE : UNIVERSAL;
        strcpy(target.name, name);
    }
    return target;
}

static enum aw_status motor(const char *name, const char *velocity, const char *torque)
{
    struct aw_ezphys_target target = joint_of(name);
    struct aw_ezphys_motor values = {{atof(velocity), atof(velocity) / 2},
                                     {atof(torque), atof(torque)}};
    return aw_ezphys_motor(&own.rig->ez, &target, &values, &own.rig->err);
}

static void count_bytes(void *context, const void *bytes, size_t size)
{
    (void)context, (void)bytes;
    own.size += size;
}

/* Sends the message of this step, which was in transit during a reset. */
static void send_old(long step)
{
    struct fake *f = &own.rig->fake;
    long before = f->step;
    f->step = step;
    f->next = 0;
    fake_tick(&f->device, own.rig->clock.time_ns);
    f->step = before;
}

static enum aw_status stop(const char *how)
{
    bool coast = strcmp(how, "coast") == 0;
    own.size = 0;
    if (*how)
        aw_ezphys_last_stop(&own.rig->ez, coast, count_bytes, NULL);
    return aw_ezphys_stop(&own.rig->ez, coast, &own.rig->err);
}

/* Answers until the simulator waits again. */
static enum aw_status settle(void)
{
    enum aw_status status;
    own.settled = 0;
    do
        status = rig_try(own.rig);
    while (status == AW_OK && ++own.settled && !own.rig->ez.lockstep.must_answer);
    return status;
}

static enum aw_status run_words(char *const words[5])
{
    struct rig *rig = own.rig;
    struct aw_ezphys *ez = &rig->ez;
    const char *verb = words[0];
    static uint8_t bytes[AW_EZPHYS_ANSWER_MAX];
    if (strcmp(verb, "run") == 0)
        return rig_run(rig, atoi(words[1])), AW_OK;
    if (strcmp(verb, "try") == 0)
        return rig_try(rig);
    if (strcmp(verb, "receive") == 0)
        return aw_ezphys_receive(ez, rig->clock.time_ns + atoi(words[1]) * AW_MILLISECOND, NULL,
                                 &rig->err);
    if (strcmp(verb, "attach") == 0)
        return aw_ezphys_attach(ez, rig->link), AW_OK;
    if (strcmp(verb, "reset") == 0)
        return aw_ezphys_reset(ez), AW_OK;
    if (strcmp(verb, "resume") == 0)
        return aw_ezphys_resume(ez), AW_OK;
    if (strcmp(verb, "restart") == 0)
        return fake_restart(&rig->fake), AW_OK;
    if (strcmp(verb, "old") == 0)
        return send_old(atoi(words[1])), AW_OK;
    if (strcmp(verb, "settle") == 0)
        return settle();
    if (strcmp(verb, "stop") == 0)
        return stop(words[1]);
    if (strcmp(verb, "motor") == 0)
        return motor(words[1], words[2], words[3]);
    if (strcmp(verb, "motors") == 0) { /* motors N: commands joints 1 to N */
        char name[12];
        enum aw_status status = AW_OK;
        for (int i = 1; i <= atoi(words[1]) && status == AW_OK; i++)
            snprintf(name, sizeof name, "%d", i), status = motor(name, "1", "1");
        return status;
    }
    if (strcmp(verb, "force") == 0) {
        const double torque[3] = {atof(words[2]), atof(words[3])};
        struct aw_ezphys_target target = joint_of(words[1]);
        return aw_ezphys_force(ez, &target, torque, &rig->err);
    }
    if (strcmp(verb, "target") == 0) {
        enum aw_status status = aw_ezphys_target(ez, words[1], &own.target, &rig->err);
        return status == AW_OK ? aw_ezphys_check_target(ez, &own.target, &rig->err) : status;
    }
    if (strcmp(verb, "name") == 0)
        return aw_ezphys_names_add(&rig->names, AW_EZPHYS_JOINT, (uint32_t)atoi(words[1]), words[2],
                                   NULL, &rig->err);
    assert_string_equal(verb, "encode");
    return aw_ezphys_encode(ez, bytes, *words[1] ? strtoul(words[1], NULL, 10) : sizeof bytes,
                            &own.size, &rig->err);
}

static enum aw_status run(const char *command)
{
    char text[80], *words[5] = {"", "", "", "", ""}, *rest = NULL;
    size_t n = 0;
    snprintf(text, sizeof text, "%s", command);
    for (char *word = strtok_r(text, "/", &rest); word && n < 5; word = strtok_r(NULL, "/", &rest))
        words[n++] = word;
    own.before_ns = own.rig->clock.time_ns;
    enum aw_status status = run_words(words);
    own.talk.err = own.rig->err;
    return status;
}

static void print(FILE *out)
{
    const struct fake *f = &own.rig->fake;
    const struct aw_ezphys *ez = &own.rig->ez;
    const struct aw_ezphys_state *s = &ez->state;
    const struct aw_ezphys_counters *n = &ez->counters;
    fprintf(out, "step=%d bodies=%zu joints=%zu contacts=%zu list=%zu overflow=%d commands=%zu ",
            (int)s->step, s->n_bodies, s->n_joints, s->n_contacts, ez->n_packets,
            (int)s->counts.overflow, ez->n_commands);
    fprintf(out, "messages=%d packets=%d received=%d malformed=%d bytes=%d resets=%d stale=%d ",
            (int)n->messages, (int)n->packets, (int)n->answers, (int)n->malformed, (int)n->bytes,
            (int)n->resets, (int)n->stale);
    fprintf(out, "epoch=%d time=%.4g reset-step=%d %s %s ", (int)s->epoch, aw_ezphys_state_time(s),
            (int)ez->restart.reset_step, ez->restart.resetting ? "resetting" : "going",
            *ez->problem ? "damaged" : "sound");
    for (size_t i = 0; i < s->n_bodies; i++)
        fprintf(out, "body%zu=%.4g,%.4g,%.4g*%d ", i + 1, s->bodies[i].position[0],
                s->bodies[i].rotation[0], s->bodies[i].linear_velocity[0],
                (int)s->bodies[i].object.count);
    for (size_t i = 0; i < s->n_joints && i < 2; i++)
        fprintf(out, "joint%zu=%.4g,%.4g axes%zu=%d ", i + 1, s->joints[i].axes[0].displacement,
                s->joints[i].axes[0].velocity, i + 1, s->joints[i].n_axes);
    fputs("about=", out);
    for (size_t i = 0; i < ez->n_packets && i < 7; i++)
        fprintf(out, "%d", ez->packets[i].subject.axis);
    fprintf(out, " answers=%d empty=%d took=%d motors=%d problems=%d force=%g owed=%d ",
            (int)f->answers, (int)f->empty, (int)f->packets, (int)f->motors, (int)f->problems,
            f->force, ez->lockstep.must_answer);
    fprintf(out, "velocity=%g,%g,%g torque=%g,%g,%g ", f->velocity[0], f->velocity[1],
            f->velocity[2], f->torque[0], f->torque[1], f->torque[2]);
    fprintf(out, "target=%u,%s size=%zu settled=%d after=%gms ", (unsigned)own.target.id,
            own.target.name, own.size, own.settled,
            (double)(own.rig->clock.time_ns - own.before_ns) / 1e6);
    fprintf(out, "held=%s ", ez->input.n_bytes < 4096 ? "little" : "much");
}

TEST(client_follows_scripted_exchanges_on_every_wire)
{
    static const struct talker client = {begin, set, run, print, NULL, NULL};
    for (size_t i = 0; i < N_WIRES; i++) {
        own.wire = wires[i];
        assert_true(run_conversations("tests/unit/protocol/ezphys/conversations.txt", &own.talk,
                                      &client) > 20);
    }
    rig_free(own.rig);
}
