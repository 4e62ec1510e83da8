#include "picture_helper.h"
#include "protocol/ezphys/probe.h"
#include "sanitized_helper.h"

#include "protocol/ezphys/message.h"
#include "protocol/ezphys/wire.h"
#include "wire_helper.h"

#define ROOM 300000

/* A random scene: some bodies, joints with axes, feedback, contacts. */
struct scene {
    struct aw_ezphys_framing framing;
    struct aw_wire wire;
    struct rng rng;
    int bodies, joints, stride;
    bool contacts, feedback, stamps;
    double step_size;
    uint32_t ids;
};

static double between(struct scene *s, double low, double high)
{
    return low + (high - low) * rng_unit(&s->rng);
}

static void put_object(struct scene *s, struct aw_record *record, uint32_t id)
{
    struct aw_error err;
    char name[32];
    snprintf(name, sizeof name, "object%u", (unsigned)id);
    if (aw_codec_find(record->codec, "id") >= 0)
        aw_record_set(record, "id", id * s->ids, &err);
    else
        aw_record_set_text(record, "name", id ? name : "", &err);
}

static void fill_values(struct scene *s, struct aw_record *record)
{
    for (int i = 0; i < record->codec->n_scalars; i++)
        if (record->codec->scalars[i].has_value &&
            record->codec->scalars[i].field->type == AW_FLOAT) {
            record->v[i] = between(s, -20, 20);
            record->present |= UINT64_C(1) << i;
        }
}

static void turn(struct scene *s, struct aw_record *record)
{
    double q[4], length = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = between(s, -1, 1);
        length += q[i] * q[i];
    }
    static const char *const names[] = {"rotation.w", "rotation.x", "rotation.y", "rotation.z"};
    for (int i = 0; i < 4; i++)
        aw_record_set(record, names[i], q[i] / sqrt(length), NULL);
}

static void add(struct scene *s, struct aw_ezphys_message *message, const char *name, uint32_t id,
                long step)
{
    struct aw_record record;
    struct aw_error err;
    aw_record_init(&record, aw_wire_codec(&s->wire, name, AW_RX), AW_RX);
    fill_values(s, &record);
    put_object(s, &record, id);
    if (strcmp(name, "limb") == 0)
        turn(s, &record);
    if (strcmp(name, "collision") == 0)
        aw_record_set(&record, "depth", between(s, 0, 0.01), &err);
    if (strcmp(name, "timestamp") == 0) {
        aw_record_set(&record, "step", (double)step, &err);
        aw_record_set(&record, "step_size", s->step_size, &err);
    }
    assert_ok(aw_ezphys_message_add(message, &record, &err), &err);
}

static size_t write_message(struct scene *s, uint8_t *out, size_t cap, long step)
{
    struct aw_ezphys_message message = {.wire = &s->wire, .data = out, .cap = cap};
    aw_ezphys_message_begin(&message);
    if (s->stamps)
        add(s, &message, "timestamp", 0, step);
    for (int i = 1; i <= s->bodies; i++)
        add(s, &message, "limb", (uint32_t)i, step);
    for (int i = 1; i <= s->joints; i++) {
        add(s, &message, "joint_axis", (uint32_t)i, step);
        if (i % 3 == 0)
            add(s, &message, "joint_axis", (uint32_t)i, step);
        if (s->feedback)
            add(s, &message, "joint_feedback", (uint32_t)i, step);
    }
    for (uint64_t i = s->contacts ? rng_next(&s->rng) % 9 : 0; i > 0; i--)
        add(s, &message, "collision", 1, step);
    return aw_ezphys_message_end(&message).size;
}

static struct scene *new_scene(const char *wire, uint64_t seed)
{
    struct scene *s = calloc(1, sizeof *s);
    assert_int_equal(aw_ezphys_framing_parse(&s->framing, wire, NULL, NULL), AW_OK);
    aw_wire_init(&s->wire, &aw_ezphys_protocol, &s->framing.variant, false);
    s->rng.state = seed * 2654435761u + 88172645463325252u;
    for (int i = 0; i < 9; i++)
        rng_next(&s->rng);
    s->bodies = 1 + (int)(rng_next(&s->rng) % 12);
    s->joints = (int)(rng_next(&s->rng) % 10);
    s->stride = 1 + (int)(rng_next(&s->rng) % 3) * 4;
    s->contacts = rng_next(&s->rng) % 2;
    s->feedback = rng_next(&s->rng) % 2;
    s->stamps = true;
    s->step_size = between(s, 0.0005, 0.02);
    s->ids = rng_next(&s->rng) % 2 ? 1 : 3;
    return s;
}

static size_t capture(struct scene *s, uint8_t *out, int messages)
{
    size_t size = 0;
    long step = (long)(rng_next(&s->rng) % 3) * 1000;
    for (int i = 0; i < messages; i++, step += s->stride)
        size += write_message(s, out + size, ROOM - size, step);
    return size;
}

static const char *const wires[] = {
    "le32",        "be32",           "packed8",       "stream",      "name32",
    "le32,long=8", "packed8,long=8", "stream,long=8", "be32,long=8", "name32,long=8",
};
#define N_WIRES (sizeof wires / sizeof *wires)

static void assert_found(const char *wire, uint64_t seed, size_t cut)
{
    uint8_t *bytes = malloc(ROOM);
    struct scene *s = new_scene(wire, seed);
    struct aw_ezphys_guess guesses[3];
    size_t size = capture(s, bytes, 40);
    cut = cut < size / 4 ? cut : size / 4;
    size_t n = aw_ezphys_probe((struct aw_span){bytes + cut, size - cut - cut / 2}, guesses, 3);
    if (n == 0 || strcmp(guesses[0].wire, wire) != 0 || !guesses[0].certain)
        fail_msg("%s, seed %llu: %s, score %g, then %s %g (%s)", wire, (unsigned long long)seed,
                 n ? guesses[0].wire : "nothing", n ? guesses[0].score : 0,
                 n > 1 ? guesses[1].wire : "", n > 1 ? guesses[1].score : 0, guesses[0].reason);
    assert_true(guesses[0].score > 0.95);
    free(s);
    free(bytes);
}

TEST(every_preset_is_detected)
{
    for (uint64_t seed = 1; seed <= (SANITIZED ? 1 : 2) * N_WIRES; seed++)
        assert_found(wires[seed % N_WIRES], seed, 0);
}

TEST(partial_captures_are_detected)
{
    for (uint64_t seed = 1; seed <= N_WIRES; seed += SANITIZED ? 4 : 1)
        assert_found(wires[seed % N_WIRES], seed, (size_t)seed * 37);
}

TEST(custom_framings_are_detected)
{
    static const char *const others[] = {
        "endian=be,long=4,msg=rest32,pkt=type16+id16",
        "endian=le,long=4,msg=size16,pkt=type8+id8",
        "endian=le,long=8,msg=count32,pkt=id32+type32+len32",
    };
    for (size_t i = 0; i < 3; i++)
        assert_found(others[i], i + 5, 0);
}

TEST(noise_gives_no_certain_guess)
{
    static uint8_t noise[50000];
    struct rng rng = {12345};
    struct aw_ezphys_guess guess;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)rng_next(&rng);
    size_t n = aw_ezphys_probe((struct aw_span){noise, sizeof noise}, &guess, 1);
    assert_true(n == 0 || !guess.certain);
    memset(noise, 0, sizeof noise);
    n = aw_ezphys_probe((struct aw_span){noise, sizeof noise}, &guess, 1);
    assert_true(n == 0 || !guess.certain);
    assert_int_equal(aw_ezphys_probe((struct aw_span){noise, 0}, &guess, 1), 0);
    assert_int_equal(aw_ezphys_probe((struct aw_span){noise, 5}, &guess, 1), 0);
}

TEST(short_captures_are_uncertain)
{
    uint8_t *bytes = malloc(ROOM);
    struct scene *s = new_scene("le32", 3);
    struct aw_ezphys_guess guess;
    s->bodies = 1;
    s->joints = 0;
    size_t size = capture(s, bytes, 1);
    assert_int_equal(aw_ezphys_probe((struct aw_span){bytes, size}, &guess, 1), 1);
    assert_false(guess.certain);
    free(s);
    free(bytes);
}

/* After a restart, the first step is at most one more than the usual advance. */
TEST(steps_count_as_even_after_a_restart_near_zero)
{
    uint8_t *bytes = malloc(ROOM);
    struct scene *s = new_scene("le32", 3);
    struct aw_ezphys_guess guess;
    s->bodies = 1;
    s->joints = 0;
    for (long first = 0; first < 7; first++) {
        static const long before[] = {1000, 1004, 1008};
        size_t size = 0;
        for (int i = 0; i < 6; i++)
            size += write_message(s, bytes + size, ROOM - size,
                                  i < 3 ? before[i] : first + (i - 3) * 4);
        assert_int_equal(aw_ezphys_probe((struct aw_span){bytes, size}, &guess, 1), 1);
        assert_int_equal(guess.steps, 5);
        assert_int_equal(guess.even_steps, first <= 5 ? 5 : 3);
    }
    s->step_size = 10; /* larger than any step */
    assert_int_equal(aw_ezphys_probe((struct aw_span){bytes, capture(s, bytes, 6)}, &guess, 1), 1);
    assert_int_equal(guess.even_steps, 0);
    free(s);
    free(bytes);
}

/* Probes one complete message and the start of one of maximum length. */
TEST(incomplete_message_is_uncertain)
{
    uint8_t *bytes = calloc(1, ROOM);
    struct scene *s = new_scene("le32", 3);
    struct aw_ezphys_guess guess;
    s->bodies = 9;
    s->joints = 0;
    s->contacts = false;
    size_t size = write_message(s, bytes, ROOM, 0);
    assert_in_range(size, 800, 1000);
    const uint32_t words[] = {AW_EZPHYS_MESSAGE_MAX, 1, 2, 1, AW_EZPHYS_MESSAGE_MAX - 20};
    for (size_t i = 0; i < sizeof words; i++)
        bytes[size + i] = (uint8_t)(words[i / 4] >> 8 * (i % 4));
    size_t n = aw_ezphys_probe((struct aw_span){bytes, 8000}, &guess, 1);
    assert_true(n == 0 || !guess.certain);
    assert_int_equal(aw_ezphys_probe((struct aw_span){bytes, 4000}, &guess, 1), 1);
    assert_string_equal(guess.wire, "le32"); /* the best guess with fewer bytes */
    free(s);
    free(bytes);
}

static void print_guesses(const char *what, struct aw_span bytes, FILE *out)
{
    struct aw_ezphys_guess guesses[9]; /* one more than the probe returns */
    size_t n = aw_ezphys_probe(bytes, guesses, 9);
    fprintf(out, "%s: %zu guesses of %zu bytes\n", what, n, bytes.size);
    for (size_t i = 0; i < n && i < 2; i++) {
        const struct aw_ezphys_guess *g = &guesses[i];
        fprintf(out, "\t%s score %.6f margin %.6f sure %d: %d of %d in %d, %d/%d %d/%d %d %s\n",
                g->wire, g->score, g->margin, g->certain, (int)g->explained, (int)g->bytes,
                (int)g->packets, (int)g->unit_rotations, (int)g->rotations, (int)g->even_steps,
                (int)g->steps, (int)g->impossible, g->reason);
    }
}

/* Prints a capture with only two bodies, which fits more framings than the probe returns. */
static void print_few(uint8_t *bytes, FILE *out)
{
    static const char *const some[] = {"le32", "packed8", "msg=size16,pkt=type8+id8"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        struct scene *s = new_scene(some[i], 5);
        s->stamps = s->contacts = false;
        s->bodies = 2;
        s->joints = 0;
        print_guesses(some[i], (struct aw_span){bytes, capture(s, bytes, 1)}, out);
        free(s);
    }
}

TEST(guesses_match_the_golden_file)
{
    static const char *const some[] = {"le32",   "stream,long=8",
                                       "be32",   "packed8",
                                       "name32", "endian=be,long=4,msg=rest32,pkt=type16+id16"};
    uint8_t *bytes = malloc(ROOM);
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        struct scene *s = new_scene(some[i], 3 * i + 1);
        s->contacts = true;
        s->stamps = i != 3;
        s->bodies = 2;
        s->joints = 3;
        size_t length = capture(s, bytes, i == 0 ? 60 : 6);
        print_guesses(some[i], (struct aw_span){bytes, length}, out);
        if (i == 1) { /* restarted twice, at 0 and at the first step */
            size_t more = length;
            for (long step = 0; step < 8 * s->stride; step += s->stride)
                more +=
                    write_message(s, bytes + more, ROOM - more,
                                  step % (4 * s->stride) + (step > 3 * s->stride ? s->stride : 0));
            print_guesses("restarted", (struct aw_span){bytes, more}, out);
        }
        for (size_t at = 50; at < length; at += 997)
            bytes[at] ^= 0x55;
        print_guesses("damaged", (struct aw_span){bytes + 3, length - 3}, out);
        free(s);
    }
    print_few(bytes, out);
    free(bytes);
    end_picture(out, "guesses-ezphys.txt");
}
