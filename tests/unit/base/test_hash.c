/* Tests the hash against the published values of FNV-1a. */
#include "base/hash.h"
#include "test.h"

TEST(hashes_match_published_fnv1a_values)
{
    assert_true(aw_hash(AW_HASH_FIRST, "", 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(aw_hash(AW_HASH_FIRST, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(aw_hash(AW_HASH_FIRST, "foobar", 6) == UINT64_C(0x85944171f73967e8));
    assert_true(aw_hash(aw_hash(AW_HASH_FIRST, "foo", 3), "bar", 3) ==
                UINT64_C(0x85944171f73967e8));
}
