/* Tests the client with randomly damaged streams. See conversations.txt for scripted exchanges. */
#include "ezphys_helper.h"
#include "wire_helper.h"

/* Answers until the simulator waits again. Returns the number of messages. */
static int rig_settle(struct rig *rig)
{
    int messages = 0;
    do {
        assert_ok(rig_try(rig), &rig->err);
        messages++;
    } while (!rig->ez.lockstep.must_answer);
    return messages;
}

TEST(stop_leaves_no_message_in_the_link)
{
    for (size_t i = 0; i < N_WIRES; i++) {
        struct rig *rig = rig_new(wires[i]);
        int64_t now = rig->clock.time_ns;
        rig_run(rig, 3);
        for (int k = 0; k < 30; k++) {
            if (k % 3 == 0)
                rig_run(rig, 1); /* otherwise the stop is the answer */
            bool answers = rig->ez.lockstep.must_answer;
            assert_int_equal(aw_ezphys_stop(&rig->ez, false, &rig->err), AW_OK);
            assert_int_equal(rig_settle(rig), answers ? 1 : 2);
            assert_int_equal(rig->fake.due, 0);
            assert_int_equal(rig->fake.pending, 0);
            assert_int_equal(rig->ez.counters.messages, rig->fake.answers + 1);
        }
        assert_int_equal(aw_ezphys_stop(&rig->ez, false, &rig->err), AW_OK);
        assert_int_equal(aw_ezphys_stop(&rig->ez, false, &rig->err), AW_OK);
        assert_int_equal(aw_ezphys_stop(&rig->ez, false, &rig->err), AW_OK);
        assert_int_equal(rig_settle(rig), 3);
        assert_true(rig->clock.time_ns - now < 100 * AW_MILLISECOND);
        rig_free(rig);
    }
}

static void stream_noise(struct fake *f)
{
    if (f->step % 7 == 3)
        f->out[(size_t)f->step % f->pending] ^= 0x55;
}

TEST(random_damage_never_stops_the_client)
{
    for (size_t i = 0; i < N_WIRES; i++) {
        struct rig *rig = rig_new(wires[i]);
        rig->fake.spoil = stream_noise;
        for (int k = 0; k < 2000 && rig->fake.step < 300; k++) {
            enum aw_status status = rig_try(rig);
            assert_true(status == AW_OK || status == AW_TIMEOUT);
            assert_int_equal(aw_ezphys_answer(&rig->ez, &rig->err), AW_OK);
        }
        if (rig->fake.step < 300)
            fail_msg("%s: step %ld", wires[i], rig->fake.step);
        assert_true(rig->ez.counters.malformed > 0);
        rig_free(rig);
    }
}

/* Uses the longest names and varies the space left for them. */
TEST(error_lists_the_joints_that_fit)
{
    static const int rest[] = {
        16, 17}; /* letters of the third name: the fourth just fits or does not */
    for (int i = 0; i < 2; i++) {
        struct rig *rig = rig_new("le32");
        struct aw_ezphys_target target;
        char names[5][AW_EZPHYS_NAME_SIZE], all[200] = "joint 'zebra' not found — available: ";
        for (int k = 0; k < 5; k++) {
            snprintf(names[k], sizeof names[k], "%c%0*d", 'a' + k, k == 2 ? rest[i] - 1 : 31, 0);
            if (k < 4 - i)
                snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "",
                         names[k]);
            assert_int_equal(aw_ezphys_names_add(&rig->names, AW_EZPHYS_JOINT, (uint32_t)k + 1,
                                                 names[k], NULL, &rig->err),
                             AW_OK);
        }
        assert_int_equal(aw_ezphys_target(&rig->ez, "zebra", &target, &rig->err), AW_USAGE);
        strcat(all, " …");
        assert_string_equal(rig->err.text, all);
        rig_free(rig);
    }
}

/* Random pieces at random times, some damaged; steps continue, jump or restart. */
struct pieces {
    struct aw_link link;
    struct aw_virtual_clock clock;
    struct rng rng;
    uint8_t bytes[20000];
    size_t size, read;
    int64_t next; /* time of the next piece */
    size_t said;
};

static int any_of(struct pieces *p, int n)
{
    return (int)((rng_next(&p->rng) >> 20) % (unsigned)n);
}

static enum aw_status read_piece(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                 int64_t deadline, struct aw_error *err)
{
    struct pieces *p = (struct pieces *)link;
    static const int after_us[] = {0, 0, 300, 900, 1000, 1100, 20000, 700000, 1000000, 1300000};
    size_t rest = p->size - p->read, part = 1 + (size_t)any_of(p, any_of(p, 3) ? 90 : 900);
    bool early = p->read == p->size || p->next > deadline;
    (void)err;
    *got = 0;
    if (!early && p->next > p->clock.time_ns)
        p->clock.time_ns = p->next;
    else if (early && deadline > p->clock.time_ns)
        p->clock.time_ns = deadline;
    if (early)
        return AW_TIMEOUT;
    *got = part < rest ? part : rest;
    *got = *got < cap ? *got : cap;
    memcpy(buf, p->bytes + p->read, *got);
    p->read += *got;
    p->next += after_us[any_of(p, 10)] * (AW_MILLISECOND / 1000);
    link->n_connections += any_of(p, 60) == 0;
    return AW_OK;
}

static enum aw_status write_piece(struct aw_link *link, const void *buf, size_t size,
                                  struct aw_error *err)
{
    struct pieces *p = (struct pieces *)link;
    (void)buf, (void)err;
    p->said += size;
    return AW_OK;
}

/* Requires that each byte is counted once, time limits hold, and no damage ends the session. */
static void check_pieces(const char *wire, unsigned seed)
{
    static const struct aw_link_ops ops = {.read = read_piece, .write = write_piece};
    struct rig *rig = rig_new(wire);
    struct fake *fake = &rig->fake;
    struct pieces *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->clock = aw_virtual_clock();
    p->link = (struct aw_link){.ops = &ops, .clock = &p->clock.base};
    p->rng.state = seed * 2654435761u + 88172645463325252u;
    for (int i = 0; i < 9; i++) {
        static const int strides[] = {1, 1, 1, 1, 30, 0};
        fake->contacts = (unsigned)any_of(p, 4);
        fake_send(fake);
        size_t size = any_of(p, 12) ? fake->pending : fake->pending / 2;
        memcpy(p->bytes + p->size, fake->out, size);
        if (any_of(p, 10) == 0)
            p->bytes[p->size + (size_t)any_of(p, (int)size)] ^= 0x55;
        p->size += size;
        int stride = strides[any_of(p, 6)];
        fake->step = stride ? fake->step + stride : 0;
    }
    memset(&rig->ez.counters, 0, sizeof rig->ez.counters);
    aw_ezphys_attach(&rig->ez, &p->link);
    struct aw_ezphys_target hinge = {HINGE, "hinge"};
    for (int i = 0, silent = 0; i < 16 && silent < 2; i++) {
        struct aw_received received;
        const struct aw_ezphys before = rig->ez;
        const struct aw_ezphys_counters *n = &rig->ez.counters;
        int64_t began = p->clock.time_ns;
        enum aw_status status =
            aw_ezphys_receive(&rig->ez, began + 2500 * AW_MILLISECOND, &received, NULL);
        silent += status == AW_TIMEOUT;
        assert_true(status == AW_OK || status == AW_TIMEOUT || status == AW_EVENT);
        assert_true(p->clock.time_ns <= began + 2500 * AW_MILLISECOND);
        assert_true(rig->ez.state.epoch >= before.state.epoch);
        assert_int_equal(n->bytes, p->read);
        assert_true(rig->ez.input.n_parsed <= rig->ez.input.n_bytes &&
                    rig->ez.input.n_bytes <= p->read);
        assert_true(rig->ez.lockstep.received_ns <= p->clock.time_ns);
        assert_true(n->malformed >= before.counters.malformed);
        if (any_of(p, 7) == 0)
            aw_ezphys_reset(&rig->ez);
        else if (any_of(p, 3) == 0)
            assert_int_equal(aw_ezphys_force(&rig->ez, &hinge, (const double[]){1, 2, 3}, NULL),
                             AW_OK);
        if (any_of(p, 5) == 0)
            assert_int_equal(aw_ezphys_stop(&rig->ez, false, &rig->err), AW_OK);
    }
    assert_true(rig->ez.counters.messages > 0 && p->said > 0);
    free(p);
    rig_free(rig);
}

TEST(stream_in_random_pieces_is_counted_exactly)
{
    static const char *const some[] = {"le32", "stream", "msg=count16,pkt=type8+id8", "name32",
                                       "msg=rest16,pkt=type8+id16+len16"};
    for (unsigned seed = 1; seed <= 300; seed++)
        check_pieces(some[seed % 2 ? 1 : seed / 2 % 5], seed);
}

/* The initial state does not depend on earlier memory contents or sessions. */
TEST(client_starts_with_an_empty_state)
{
    struct aw_ezphys *dirty = malloc(sizeof *dirty), *fresh = calloc(1, sizeof *fresh);
    assert_true(dirty && fresh);
    memset(dirty, 0xA5, sizeof *dirty);
    struct aw_error err;
    assert_int_equal(aw_ezphys_init(dirty, NULL, NULL, &err), AW_OK);
    assert_int_equal(aw_ezphys_init(fresh, NULL, NULL, &err), AW_OK);
    assert_memory_equal(&dirty->counters, &fresh->counters, sizeof fresh->counters);
    assert_true(!dirty->never_answers && !dirty->restart.must_reset && !*dirty->problem &&
                !dirty->input.connections);
    assert_true(dirty->lockstep.received_ns == 0 && dirty->input.last_byte_ns == 0);
    aw_ezphys_free(fresh);
    assert_null(fresh->input.buffer);
    aw_ezphys_free(dirty);
    free(dirty);
    free(fresh);
    struct rig *rig = rig_new("stream");
    rig->fake.contacts = 1;
    rig_run(rig, 3);
    rig_motor(rig, HINGE, "hinge", 2, 10);
    aw_ezphys_reset(&rig->ez);
    rig_motor(rig, HINGE, "hinge", 2, 10);
    aw_ezphys_attach(&rig->ez, rig->link);
    const struct aw_ezphys *ez = &rig->ez;
    assert_true(!ez->input.n_bytes && !ez->input.n_parsed && !ez->input.n_framed &&
                !ez->input.n_expected && !ez->input.n_counted);
    assert_true(!ez->n_packets && !ez->n_commands && !ez->restart.must_reset &&
                !ez->restart.resetting && !ez->lockstep.must_answer);
    assert_true(!ez->input.complete && !ez->input.damaged && !ez->lockstep.may_wait &&
                !ez->state.n_joints);
    struct aw_received received = aw_ezphys_get_packet(ez, 0);
    assert_true(received.frame.data == NULL && received.frame.size == 0 && !received.is_inner);
    rig_free(rig);
}
