#include "base/grow.h"
#include "test.h"

TEST(capacity_of_a_full_list_doubles)
{
    size_t room = 0;
    int *list = NULL;
    for (size_t n = 0; n < 100; n++) {
        int *before = list;
        bool full = n + 1 > room;
        list = aw_grow(list, &room, n + 1, sizeof *list);
        assert_non_null(list);
        assert_true(full || list == before);
        list[n] = (int)n;
    }
    assert_int_equal(room, 128);
    for (int i = 0; i < 100; i++)
        assert_int_equal(list[i], i);
    free(list);
}
