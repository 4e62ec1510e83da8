/* Tests the old gains of a joint: backed up, restored, and sent to a server, which accepts only
 * valid ones. */
#include "shell/safety/controller.h"

#include "session_helper.h"

static const struct aw_gain_file file = {.n_gains = 9};
static struct aw_gain_list sent_gains;
static enum aw_status comes;

static enum aw_status send_it(struct aw_session *s, const struct aw_gain_list *gains)
{
    sent_gains = *gains;
    return comes == AW_OK ? AW_OK : aw_fail(&s->err, comes, "no answer");
}

static const struct aw_controller law = {
    .file = &file, .send = send_it, .error_start = "it is held, but its"};

static void start(void)
{
    start_session();
    tool.motion.controller = &law;
    sent_gains = (struct aw_gain_list){0};
    comes = AW_OK;
}

static void keep_two(void)
{
    struct aw_gain_list old = {0};
    aw_gain_list_add(&old, 3, 0.5);
    aw_gain_list_add(&old, 4, NAN); /* an unknown gain */
    aw_gain_list_add(&old, 5, -2);
    aw_gains_backup(session, &old);
}

TEST_WITH(start, end_session, saved_gains_are_restored_once)
{
    assert_null(aw_gains_get_backup(session));
    assert_int_equal(aw_gains_restore(session), AW_OK);
    assert_int_equal(sent_gains.n, 0);
    keep_two();
    assert_int_equal(aw_gains_get_backup(session)->n, 2);
    assert_int_equal(aw_gains_restore(session), AW_OK);
    assert_int_equal(sent_gains.n, 2);
    assert_int_equal(sent_gains.entries[1].index, 5);
    assert_true(sent_gains.entries[1].value < -1.9);
    assert_null(aw_gains_get_backup(session));
    keep_two();
    aw_gains_backup(session, NULL);
    assert_null(aw_gains_get_backup(session));
}

TEST_WITH(start, end_session, failed_restore_is_retried_at_the_next_stop)
{
    comes = AW_TIMEOUT;
    keep_two();
    assert_int_equal(aw_gains_restore(session), AW_TIMEOUT);
    assert_string_equal(session->err.text,
                        "it is held, but its previous gains could not be restored: no answer");
    comes = AW_OK;
    assert_int_equal(aw_gains_send_backup(session), AW_OK);
    assert_int_equal(aw_gains_get_backup(session)->n, 2); /* another stop follows */
}

/* Another packet file may give the controller other indexes. */
TEST_WITH(start, end_session, gains_of_another_controller_are_ignored)
{
    static const struct aw_gain_file more = {.n_gains = 12};
    static const struct aw_controller other = {.file = &more, .send = send_it};
    keep_two();
    tool.motion.controller = &other;
    assert_null(aw_gains_get_backup(session));
    tool.motion.controller = NULL;
    assert_null(aw_gains_get_backup(session));
    assert_int_equal(aw_gains_restore(session), AW_OK);
    assert_int_equal(sent_gains.n, 0);
}

TEST_WITH(start, end_session, server_accepts_only_valid_gains)
{
    uint8_t bytes[sizeof(struct aw_gain_list) + 4];
    size_t size, n;
    struct aw_gain_list wrong;
    keep_two();
    const void *memory = aw_gains_backup_state(session, &n);
    memcpy(bytes, memory, n);
    aw_gains_backup(session, NULL);
    aw_gains_backup_state(session, &size);
    assert_true(size < n && n < 50); /* contains only used entries */
    /* Truncated, too many, an invalid index, NaN, gains of another controller. */
    for (size = 0; size < n; size++)
        assert_int_equal(aw_gains_load_backup(session, bytes, size), 0);
    for (int i = 0; i < 4; i++) {
        memcpy(&wrong, bytes, n);
        wrong.n = i == 0 ? UINT32_MAX : wrong.n;
        wrong.entries[1].index = i == 1 ? 9 : wrong.entries[1].index;
        wrong.entries[1].value = i == 2 ? (double)INFINITY : wrong.entries[1].value;
        wrong.n_device = i == 3 ? 48 : wrong.n_device;
        assert_int_equal(aw_gains_load_backup(session, &wrong, n), i == 0 ? 0 : n);
        assert_null(aw_gains_get_backup(session));
    }
    assert_int_equal(aw_gains_load_backup(session, bytes, sizeof bytes),
                     n); /* the tool's data follow */
    assert_int_equal(aw_gains_get_backup(session)->n, 2);
    /* A client keeps its own backup. */
    aw_gains_backup(session, NULL);
    session->share.attached = (struct aw_attached *)&wrong;
    assert_int_equal(aw_gains_load_backup(session, bytes, n), n);
    assert_null(aw_gains_get_backup(session));
    session->share.attached = NULL;
}

TEST(gain_list_is_limited)
{
    struct aw_gain_list gains = {0};
    for (size_t i = 0; i < AW_GAIN_LIST + 2; i++)
        aw_gain_list_add(&gains, i, 1);
    assert_int_equal(gains.n, AW_GAIN_LIST);
}
