#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "picture_helper.h"
#include "protocol/armctl/state.h"
#include "test.h"

static char root[64], dir[96];

static void make_root(void)
{
    strcpy(root, "/tmp/test_arm_state.XXXXXX");
    assert_non_null(mkdtemp(root));
    snprintf(dir, sizeof dir, "%s/a/b", root);
}

static void remove_root(void)
{
    remove_tree(root);
}

static void write_memory(const char *key, const char *text)
{
    char path[PATH_MAX];
    assert_int_equal(aw_armctl_state_path(dir, key, path, sizeof path, NULL), AW_OK);
    write_file(path, text);
}

static struct aw_armctl_memory sample(void)
{
    struct aw_armctl_memory memory = {
        .known = true, .tx = 1, .rx = 3, .agreed = true, .pings = AW_ARMCTL_PINGS_NEXT};
    aw_armctl_memory_await(&memory, "DEG1,010");
    aw_armctl_memory_await(&memory, "ARM250,-45,120");
    strcpy(memory.received, "DEG1,090");
    strcpy(memory.pending, "ARM250,-45,120");
    strcpy(memory.confirmed, "DEG1,090");
    memory.positions[1] =
        (struct aw_armctl_position){true, AW_ARMCTL_ROTATE, -90, 1795332961 * AW_SECOND};
    memory.positions[5] = (struct aw_armctl_position){true, AW_ARMCTL_PULSE, 1600, 0};
    memory.positions[9] = (struct aw_armctl_position){true, AW_ARMCTL_TRANSLATE, 120, 0};
    return memory;
}

TEST(saved_state_is_loaded_again)
{
    struct aw_armctl_memory saved = sample(), loaded;
    struct aw_error err;
    assert_ok(aw_armctl_state_save(dir, "serial:usb-FTDI one", &saved, &err), &err);
    assert_true(aw_armctl_state_load(dir, "serial:usb-FTDI one", &loaded));
    assert_memory_equal(&loaded, &saved, sizeof saved);
}

TEST(oldest_pending_command_is_dropped_first)
{
    struct aw_armctl_memory memory = {0};
    char body[AW_ARMCTL_BODY_MAX + 1];
    for (int i = 0; i < AW_ARMCTL_AWAITED_MAX + 2; i++) {
        snprintf(body, sizeof body, "DEG1,%03d", i);
        aw_armctl_memory_await(&memory, body);
    }
    assert_int_equal(memory.n_awaited, AW_ARMCTL_AWAITED_MAX);
    assert_string_equal(memory.awaited[0], "DEG1,002");
    aw_armctl_memory_remove(&memory, 1);
    assert_string_equal(memory.awaited[1], "DEG1,004");
    while (memory.n_awaited)
        aw_armctl_memory_remove(&memory, memory.n_awaited - 1);
    assert_string_equal(memory.awaited[0], "");
}

/* Stores the longest lines without reading beyond their end. */
TEST(longest_lines_are_stored)
{
    static const char longest[] = "XYZ1234567890123456789012345678\0X";
    static const char key[] = "tty:a-key-that-is-longer-than-any-line-with-a-command-may-become";
    struct aw_armctl_memory memory = {.known = true}, loaded;
    for (int i = 0; i < AW_ARMCTL_AWAITED_MAX; i++)
        aw_armctl_memory_await(&memory, longest);
    assert_string_equal(memory.received, "");
    strcpy(memory.received, longest);
    strcpy(memory.pending, longest);
    memory.positions[0] = (struct aw_armctl_position){.known = true, .value = 45};
    assert_int_equal(aw_armctl_state_save(dir, key, &memory, NULL), AW_OK);
    assert_true(aw_armctl_state_load(dir, key, &loaded));
    assert_memory_equal(&loaded, &memory, sizeof memory);
}

TEST(each_device_has_its_own_file)
{
    struct aw_armctl_memory saved = sample(), loaded;
    assert_int_equal(aw_armctl_state_save(dir, "tty:/dev/a_b", &saved, NULL), AW_OK);
    assert_false(aw_armctl_state_load(dir, "tty:/dev/a/b", &loaded));
    assert_false(loaded.known);
    assert_int_equal(loaded.tx, 0);
}

TEST(missing_or_invalid_file_gives_an_empty_memory)
{
    static const char *const texts[] = {
        "",
        "something else\n",
        "armctl sequence memory 2\n",
        "armctl sequence memory 2\nkey other\ntx 1\nrx 2\n",
        "armctl sequence memory 2\nkey K\ntx 1\nheard \x01\x02\n",
        "armctl sequence memory 2\nkey K\ntx 1\nheard DEG1,0901234567890123456789012345678901\n",
        "armctl sequence memory 2\nkey K\ntx",
    };
    struct aw_armctl_memory memory = sample();
    assert_int_equal(aw_armctl_state_save(dir, "K", &memory, NULL), AW_OK);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_memory("K", texts[i]);
        assert_false(aw_armctl_state_load(dir, "K", &memory));
        struct aw_armctl_memory fresh = {0};
        assert_memory_equal(&memory, &fresh, sizeof fresh);
    }
    assert_false(aw_armctl_state_load("/nonexistent", "K", &memory));
}

TEST(memory_with_an_impossible_position_is_ignored)
{
    static const struct {
        int joint, value;
        bool good;
    } cases[] = {{0, 9999, true}, {0, 10000, false}, {0, -10000, false}, {9, 10000, false}};
    EACH (c, cases) {
        struct aw_armctl_memory memory = sample(), copy;
        memory.positions[c->joint] = (struct aw_armctl_position){.known = true, .value = c->value};
        assert_int_equal(aw_armctl_memory_read(&copy, &memory, sizeof memory), c->good);
    }
}

TEST(failed_save_leaves_no_temporary_file)
{
    struct aw_armctl_memory memory = sample();
    struct aw_error err = {0};
    assert_error_has(aw_armctl_state_save("/dev/null/x", "K", &memory, &err), AW_REFUSED, &err,
                     "cannot save the sequence digits");
    /* a directory replaces the file: the rename fails and the new file is removed */
    char path[PATH_MAX], fresh[PATH_MAX + 16];
    assert_int_equal(aw_armctl_state_save(dir, "first", &memory, NULL), AW_OK);
    aw_armctl_state_path(dir, "blocked", path, sizeof path, NULL);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(aw_armctl_state_save(dir, "blocked", &memory, &err), AW_REFUSED);
    snprintf(fresh, sizeof fresh, "%s.%ld", path, (long)getpid());
    assert_int_equal(access(fresh, F_OK), -1);
}

/* /dev/full accepts no byte. */
TEST(full_disk_keeps_the_old_file)
{
    struct aw_armctl_memory memory = sample(), loaded;
    struct aw_error err = {0};
    char path[PATH_MAX], fresh[PATH_MAX + 16];
    assert_int_equal(aw_armctl_state_save(dir, "full", &memory, NULL), AW_OK);
    aw_armctl_state_path(dir, "full", path, sizeof path, NULL);
    snprintf(fresh, sizeof fresh, "%s.%ld", path, (long)getpid());
    assert_int_equal(symlink("/dev/full", fresh), 0);
    memory.tx = 0;
    assert_error_has(aw_armctl_state_save(dir, "full", &memory, &err), AW_REFUSED, &err,
                     "No space left");
    assert_true(aw_armctl_state_load(dir, "full", &loaded));
    assert_int_equal(loaded.tx, 1);
}

TEST(long_paths_are_refused)
{
    char path[140], key[100];
    struct aw_error err;
    assert_int_equal(aw_armctl_state_path("/a", "tty:/dev/Z9_", path, 33, &err), AW_OK);
    assert_string_equal(path, "/a/tty__dev_Z9_-53fd23ac451bd7db");
    assert_error(aw_armctl_state_path("/a", "tty:/dev/Z9_", path, 32, &err), AW_USAGE, &err,
                 "/a: path too long for the sequence digits — shorten it");
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    assert_int_equal(aw_armctl_state_path("", key, path, sizeof path, &err), AW_OK);
    assert_int_equal(strspn(path + 1, "k"), 63);
    assert_int_equal(aw_armctl_state_path("/a", "k", path, 40, &err), AW_OK);
    assert_int_equal(
        aw_armctl_state_path("/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "k", path, 40, &err),
        AW_USAGE);
}

/* Prints the results of memory files with these lines. */
static void print_parsed(const char *line, size_t i, FILE *out)
{
    struct aw_armctl_memory memory = sample();
    char whole[300];
    bool old = strcmp(line, "version 1") == 0;
    snprintf(whole, sizeof whole, "armctl sequence memory %s\nkey port\n%s%s\n", old ? "1" : "2",
             i % 2 ? "tx 1\n" : "tx 0\n", old ? "rx 2" : line);
    write_memory("port", whole);
    bool known = aw_armctl_state_load(dir, "port", &memory);
    fprintf(out,
            "%d tx %d rx %d agreed %d pings %d owed %d '%s' received '%s' pending '%s' "
            "confirmed '%s' motor '%s'",
            known, memory.tx, memory.rx, memory.agreed, (int)memory.pings, memory.n_awaited,
            memory.awaited[0], memory.received, memory.pending, memory.confirmed, memory.motor);
    for (int k = 0; k < AW_ARMCTL_JOINTS; k++)
        if (memory.positions[k].known)
            fprintf(out, " joint %d kind %d at %d since %lld", k, (int)memory.positions[k].kind,
                    memory.positions[k].value,
                    (long long)(memory.positions[k].time_ns / AW_SECOND));
    fputc('\n', out);
}

TEST(parsed_memories_match_the_golden_file)
{
    struct aw_armctl_memory memory = sample();
    struct stat folder;
    assert_int_equal(aw_armctl_state_save(dir, "port", &memory, NULL), AW_OK);
    expect_cases("memories-armctl.txt", print_parsed);
    assert_int_equal(stat(dir, &folder), 0);
    assert_int_equal(folder.st_mode & 0777U, 0700);
}

/* Another program's memory is taken over completely or not at all. */
TEST(memory_of_another_program_is_taken_over)
{
    struct aw_armctl_memory mine = {.tx = 1}, theirs = {.known = true, .rx = 2, .n_awaited = 1};
    unsigned char bytes[sizeof theirs];
    strcpy(theirs.confirmed, "DEG1,030");
    assert_false(aw_armctl_memory_read(&mine, &theirs, sizeof theirs - 1));
    assert_true(aw_armctl_memory_read(&mine, &theirs, sizeof theirs));
    assert_memory_equal(&mine, &theirs, sizeof mine);
    memset(bytes, 0xFF, sizeof bytes);
    assert_false(aw_armctl_memory_read(&mine, bytes, sizeof bytes));
    theirs.n_awaited = AW_ARMCTL_AWAITED_MAX + 1;
    assert_false(aw_armctl_memory_read(&mine, &theirs, sizeof theirs));
    theirs.n_awaited = 0;
    memset(theirs.motor, 'x', sizeof theirs.motor);
    assert_false(aw_armctl_memory_read(&mine, &theirs, sizeof theirs));
    assert_string_equal(mine.confirmed, "DEG1,030");
}

ALL_TESTS_WITH(make_root, remove_root);
