/* Tests the queue for a slow client: whole messages, dropping the oldest first. */
#include "test.h"

#include "link/core/outbox.h"

static void assert_next(struct aw_outbox *box, const char *text)
{
    struct aw_span next = aw_outbox_next(box);
    assert_int_equal(next.size, strlen(text));
    assert_memory_equal(next.data, text, next.size);
}

TEST(queued_messages_are_sent_in_order)
{
    struct aw_outbox box = {0};
    assert_int_equal(aw_outbox_next(&box).size, 0);
    aw_outbox_add(&box, "first", 5, 2);
    aw_outbox_add(&box, "second", 6, 0);
    assert_next(&box, "rst");
    aw_outbox_remove_sent(&box, 1);
    assert_next(&box, "st");
    aw_outbox_remove_sent(&box, 2);
    assert_next(&box, "second");
    aw_outbox_remove_sent(&box, 6);
    assert_int_equal(aw_outbox_next(&box).size, 0);
    aw_outbox_add(&box, "more", 4, 0);
    aw_outbox_clear(&box);
    assert_int_equal(aw_outbox_next(&box).size, 0);
    assert_int_equal(box.n_dropped, 0);
    aw_outbox_free(&box);
}

/* Never drops a partly sent message. */
TEST(oldest_message_is_dropped_first)
{
    struct aw_outbox box = {0};
    char text[100];
    unsigned kept = 0, last = 0;
    aw_outbox_add(&box, "begun", 5, 3);
    for (unsigned i = 1; i <= 1000; i++) {
        memset(text, 'x', sizeof text);
        memcpy(text, &i, sizeof i);
        aw_outbox_add(&box, text, sizeof text, 0);
        assert_true(box.size <= AW_OUTBOX_ROOM);
    }
    assert_next(&box, "un");
    aw_outbox_remove_sent(&box, 2);
    for (struct aw_span next; (next = aw_outbox_next(&box)).size > 0; kept++) {
        unsigned number;
        memcpy(&number, next.data, sizeof number);
        assert_true(kept == 0 || number == last + 1);
        last = number;
        aw_outbox_remove_sent(&box, next.size);
    }
    assert_int_equal(last, 1000);
    assert_int_equal(kept + box.n_dropped, 1000);
    assert_true(kept > AW_OUTBOX_ROOM / 2 / sizeof text);
    aw_outbox_free(&box);
}

TEST(single_message_may_exceed_the_queue)
{
    static char large[3 * AW_OUTBOX_ROOM];
    struct aw_outbox box = {0};
    aw_outbox_add(&box, "small", 5, 0);
    aw_outbox_add(&box, large, sizeof large, 0);
    assert_int_equal(aw_outbox_next(&box).size, sizeof large);
    assert_int_equal(box.n_dropped, 1);
    aw_outbox_add(&box, "small", 5, 0);
    assert_next(&box, "small");
    aw_outbox_free(&box);
}
