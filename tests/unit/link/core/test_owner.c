/* Tests the lock file beside a symlink to a terminal while its previous owner removes it. */
#include "descriptors_helper.h"
#include "link_helper.h"
#include "next_helper.h"

#include <stdio.h>
#include <sys/stat.h>

#include "link/core/owner.h"

static char directory[] = "/tmp/aw-owner-XXXXXX";
static char arm[60], lock[70];

/* How often the file was removed after it was locked, and whether another one replaced it. */
static struct {
    int removed;
    bool made_again;
} meanwhile;

static void write_lock(void)
{
    write_file(lock, "/dev/pts/7 4711\n");
}

int lstat(const char *restrict path, struct stat *restrict file)
{
    if (meanwhile.removed > 0 && strcmp(path, lock) == 0) {
        meanwhile.removed--;
        assert_int_equal(unlink(lock), 0);
        if (meanwhile.made_again)
            write_lock();
    }
    return NEXT64(lstat)(path, file);
}

static void begin(void)
{
    assert_non_null(mkdtemp(directory));
    snprintf(arm, sizeof arm, "%s/arm", directory);
    snprintf(lock, sizeof lock, "%s.lock", arm);
}

static void end(void)
{
    assert_int_equal(rmdir(directory), 0);
}

TEST(lock_is_retried_if_its_file_was_removed)
{
    static const struct {
        int removed;
        bool made_again, taken;
    } cases[] = {{0, false, true}, {1, false, true},   {1, true, true},
                 {9, false, true}, {10, false, false}, {10, true, false}};
    unsigned before = open_descriptors();
    const char *wanted = text_of("pty:%s: busy: another program is opening it — try again", arm);
    EACH (row, cases) {
        struct aw_owner owner;
        struct aw_error err = {.text = ""};
        meanwhile.removed = row->removed;
        meanwhile.made_again = row->made_again;
        enum aw_status status = aw_owner_claim(&owner, arm, &err);
        assert_int_equal(status, row->taken ? AW_OK : AW_NO_LINK);
        assert_string_equal(err.text, row->taken ? "" : wanted);
        assert_int_equal(open_descriptors(), before + row->taken);
        assert_int_equal(owner.fd >= 0, row->taken);
        if (!row->taken) {
            assert_int_equal(access(lock, F_OK), row->made_again ? 0 : -1);
            unlink(lock);
            continue;
        }
        assert_string_equal(owner.pty, row->made_again ? "/dev/pts/7" : "");
        aw_owner_release(&owner);
        assert_int_equal(access(lock, F_OK), -1);
        assert_int_equal(open_descriptors(), before);
    }
}

ALL_TESTS_WITH(begin, end);
