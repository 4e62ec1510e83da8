/* What clients say to a server: in which order it is carried out, what is answered at once, and who
 * commands. */
#include "server_helper.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "shell/share/address.h"

static void say(int i, const char *line)
{
    char copy[256];
    snprintf(copy, sizeof copy, "%s", line);
    aw_server_take_line(peers[i], copy);
}

static int64_t now(void)
{
    return aw_clock_now(&session->time.real.base);
}

static void hears(int i, const char *beginning)
{
    const char *text = heard(i);
    assert_ptr_equal(strstr(text, beginning), text);
}

/* A client whose first line is being carried out, so that what follows waits. */
static void keep_busy(int i)
{
    struct aw_request *first = calloc(1, sizeof *first + 5);
    assert_non_null(first);
    strcpy(first->line, "turn");
    peers[i]->first = peers[i]->last = first;
    peers[i]->waiting = 1;
    peers[i]->busy = true;
}

static void expect_waiting(int i, unsigned n, const char *id, const char *line)
{
    assert_int_equal(peers[i]->waiting, n);
    assert_string_equal(peers[i]->last->id, id);
    assert_string_equal(peers[i]->last->line, line);
}

static void commands_wait_in_their_order(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        keep_busy(i);
    say(0, " \tturn 1 2");
    expect_waiting(0, 2, "", "turn 1 2");
    say(1, "{\"cmd\":\"set\", \"gear\":\"low\", \"id\":5}");
    expect_waiting(1, 2, "\"id\":5,", "{\"cmd\":\"set\",\"gear\":\"low\"}");
    say(0, "{\"line\":\"set high\",\"id\":\"x\",\"other\":1}");
    expect_waiting(0, 3, "\"id\":\"x\",", "set high");
    say(0, "watched"); /* is none of those that are answered at once */
    expect_waiting(0, 4, "", "watched");
    say(0, "");
    say(0, " \t");
    assert_int_equal(peers[0]->waiting, 4);
    assert_string_equal(heard(0), "");
}

/* An id is a number or a short text; another one is refused. */
static void ids(void **state)
{
    static const char *const wrong[] = {"{\"cmd\":\"set\",\"id\":{\"a\":1}}",
                                        "{\"cmd\":\"set\",\"id\":[1]}"};
    char line[128], id[96], text[80];
    (void)state;
    keep_busy(0);
    for (int i = 0; i < 2; i++) {
        say(0, wrong[i]);
        hears(0, "{\"done\":\"\",\"exit\":2,\"why\":\"an id is ");
    }
    for (int length = 61; length <= 62; length++) { /* with its quotes 63 and 64 */
        snprintf(text, sizeof text, "%0*d", length, 0);
        snprintf(line, sizeof line, "{\"line\":\"set\",\"id\":\"%s\"}", text);
        snprintf(id, sizeof id, "\"id\":\"%s\",", text);
        say(0, line);
        if (length == 61)
            expect_waiting(0, 2, id, "set");
        else
            hears(0, "{\"done\":\"\",\"exit\":2,");
    }
}

/* A stop is taken out of the lines, in whatever form: nobody commands from there on, and what waits
 * is dropped and told so. What is no stop is not. */
static void a_stop_is_no_command(void **state)
{
    static const char *const stops[] = {
        "stop",      " stop",
        "-q stop",   "stop -q",
        "stop now!", "{\"cmd\":\"stop\",\"refuse\":\"late\",\"expiry\":1}",
        "-jq stop",  "{\"line\":\"stop\"}"};
    static const char *const others[] = {"stopwatch", "sto",     "{\"cmd\":\"stopper\"}",
                                         "turn stop", "-h stop", "--dry-run stop",
                                         "{\"n\":1}"};
    (void)state;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        keep_busy(0);
        server.holder = peers[1];
        server.halt = false;
        say(0, "turn 1");
        say(0, stops[i]);
        if (!server.halt || server.holder || !peers[0]->dropped)
            fail_msg("%s", stops[i]);
        assert_string_equal(server.why, "stopped by script (pid 70, ann)");
        const char *text = heard(0);
        assert_non_null(strstr(text, "{\"ok\":false,\"error\":\"timeout\",\"exit\":3,"
                                     "\"why\":\"dropped: stopped by script (pid 70, ann)\"}\n"));
        hears(1, "{\"revoked\":\"stopped by script (pid 70, ann)\",\"exit\":3}\n");
        aw_peer_drop_lines(peers[0], NULL);
        peers[0]->halts = peers[0]->dropped = false;
        peers[0]->waiting = 0;
        free(peers[0]->first);
        peers[0]->first = peers[0]->last = NULL;
    }
    keep_busy(0);
    server.halt = false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        say(0, others[i]);
        assert_int_equal(peers[0]->waiting, 2 + i);
        if (server.halt)
            fail_msg("%s", others[i]);
    }
}

/* How long a command may wait, and what somebody before us has refused. */
static void too_late(void **state)
{
    (void)state;
    keep_busy(0);
    int64_t before = aw_clock_now(&session->time.real.base);
    say(0, "{\"cmd\":\"set\",\"expiry\":2,\"refuse\":\"it is old\"}");
    int64_t after = aw_clock_now(&session->time.real.base);
    assert_in_range(peers[0]->last->until_ns, before + 2 * AW_SECOND, after + 2 * AW_SECOND);
    assert_string_equal(peers[0]->last->refuse, "it is old");
    expect_waiting(0, 2, "", "{\"cmd\":\"set\"}");
    say(0, "{\"cmd\":\"set\",\"expiry\":\"soon\"}");
    assert_true(peers[0]->last->until_ns == 0);
}

/* Exactly one of two that come at once commands; the other one is told who. */
static void the_lease(void **state)
{
    (void)state;
    peers[0]->frames = peers[1]->frames = true;
    say(0, "{\"want\":false}");
    assert_string_equal(heard(0), "{\"granted\":1}\n");
    say(1, "{\"want\":false}");
    hears(1, "{\"refused\":\"script (pid 70, ann) has commanded for 0.0 s — wait, or take it over");
    say(1, "{\"want\":true}"); /* --take: once the stop is over */
    hears(1, "");
    hears(0, "{\"taken\":{\"program\":\"script\",\"pid\":71,\"user\":\"ann\"}}\n{\"revoked\":");
    assert_true(server.halt && peers[1]->wants);
    assert_null(server.holder);
    say(0, "{\"want\":false}"); /* comes second */
    session->motion.ongoing = AW_ONGOING_NOTHING;
    aw_lease_halt(&server);
    assert_ptr_equal(server.holder, peers[1]);
    assert_non_null(strstr(heard(1), "{\"granted\":3}\n"));
    hears(0, "{\"refused\":");
    say(0, "{\"tx\":\"00\",\"lease\":1,\"n\":1}"); /* of a lease that is over */
    hears(0, "{\"ack\":1,\"exit\":3,");
    server.holder = NULL;
}

/* Who says stop commands as long as that has more to send; who wants to command waits for its end,
 * unless that does not come. Of a commander's own stop nobody sees an end. */
static void who_wants_while_another_one_stops(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        peers[i]->frames = true;
    for (int late = 0; late < 2; late++) {
        say(0, "{\"halt\":true}"); /* nothing moves */
        hears(0, "{\"halted\":0}\n{\"granted\":");
        say(1, "{\"want\":false}");
        say(0, "{\"idle\":false}");
        assert_ptr_equal(server.holder, peers[0]);
        aw_server_due(&server);
        assert_true(server.aside.due == server.stops_until_ns && server.aside.due > now());
        aw_deadman_look(&server);
        assert_null(strstr(heard(1), "refused"));
        if (late) {
            server.stops_until_ns = now();
            aw_deadman_look(&server);
            hears(1, "{\"refused\":\"script (pid 70, ann) has commanded for ");
        } else {
            say(0, "{\"cmd\":\"release\"}");
            assert_ptr_equal(server.holder, peers[1]);
            hears(1, "{\"granted\":");
            heard(2);
            say(1, "{\"halt\":true}"); /* its own */
            say(2, "{\"want\":false}");
            assert_ptr_equal(server.holder, peers[1]);
            hears(2, "{\"stopped\":\"stopped by script (pid 71, ann)\"}\n{\"refused\":");
        }
        heard(0);
        heard(1);
        heard(2);
    }
    say(0, "{\"halt\":true}");
    heard(0);
    say(1, "{\"want\":false}");
    say(0, "{\"want\":false}"); /* after its stop it moves something */
    hears(0, "{\"granted\":");
    hears(1, "{\"stopped\":\"stopped by script (pid 70, ann)\"}\n{\"refused\":");
}

/* A line that waits to command and is dropped by a stop is not carried out behind it; what else its
 * stop has to send is. */
static void who_was_dropped_while_it_waited(void **state)
{
    (void)state;
    peers[0]->frames = peers[2]->frames = true;
    peers[0]->owner = peers[1];
    for (int halts = 0; halts < 2; halts++) {
        keep_busy(1);
        server.halt = true;
        say(0, "{\"want\":true}");
        assert_true(peers[0]->wants);
        peers[0]->halts = halts;
        say(2, "{\"halt\":true}");
        assert_true(peers[1]->dropped);
        heard(0);
        peers[2]->wants = false;
        server.moving = false;
        aw_lease_halt(&server);
        assert_string_equal(heard(0), halts ? "{\"halted\":7}\n{\"granted\":3}\n"
                                            : "{\"refused\":\"dropped: what came before it was "
                                              "stopped\",\"exit\":3}\n");
        assert_true(server.holder == (halts ? peers[0] : NULL));
        assert_false(peers[0]->wants);
        server.holder = NULL;
        aw_peer_pop(peers[1]);
    }
    peers[0]->owner = NULL;
}

/* What moves for a client stops when it goes without a word; nobody else's does. */
static void the_commander_goes(void **state)
{
    (void)state;
    server.holder = peers[0];
    server.moving = true;
    session->motion.ongoing = AW_ONGOING_RUNNING;
    aw_lease_gone(&server, peers[1]);
    assert_ptr_equal(server.holder, peers[0]);
    for (int left = 0; left < 2; left++) { /* what goes on may do so if it said that it leaves */
        server.halt = false;
        server.holder = peers[0];
        peers[0]->left = left;
        aw_lease_gone(&server, peers[0]);
        assert_null(server.holder);
        assert_int_equal(server.halt, !left);
    }
    server.halt = false;
    server.holder = peers[0];
    peers[0]->left = server.moving = false; /* nothing moves */
    aw_lease_gone(&server, peers[0]);
    assert_false(server.halt);
    session->motion.ongoing = AW_ONGOING_NOTHING;
}

/* Who commands and is silent while something moves. */
static void the_dead_man(void **state)
{
    (void)state;
    server.deadman_ns = AW_SECOND;
    server.holder = peers[0];
    peers[0]->seen_ns = aw_clock_now(&session->time.real.base);
    aw_deadman_look(&server);
    assert_true(aw_deadman_due(&server) == AW_NEVER);
    server.moving = true;
    session->motion.ongoing = AW_ONGOING_RUNNING;
    assert_true(aw_deadman_due(&server) == peers[0]->seen_ns + AW_SECOND);
    aw_deadman_look(&server);
    assert_false(server.halt);
    peers[1]->owner = peers[0]; /* a child lives by the lines of whom it commands for */
    server.holder = peers[1];
    peers[0]->seen_ns -= 2 * AW_SECOND;
    aw_deadman_look(&server);
    assert_true(server.halt);
    assert_non_null(strstr(server.why, "the commander was silent for 2.0"));
    peers[1]->owner = NULL;
    session->motion.ongoing = AW_ONGOING_NOTHING;
}

static void answered_at_once(void **state)
{
    (void)state;
    say(0, "{\"id\":3,");
    hears(0, "{\"done\":\"\",\"exit\":2,\"why\":\"column 8: not JSON: ");
    server.holder = peers[0];
    say(0, "{\"cmd\":\"release\",\"id\":4}");
    assert_string_equal(heard(0), "{\"id\":4,\"done\":\"release\",\"exit\":0}\n");
    assert_null(server.holder);
    assert_false(peers[0]->left);
    server.holder = peers[0];
    say(1, "release");
    assert_string_equal(heard(1), "{\"done\":\"release\",\"exit\":0}\n");
    assert_ptr_equal(server.holder, peers[0]);
    say(0, "{\"leave\":true}");
    assert_true(peers[0]->left);
    assert_null(server.holder);
    heard(0);
    assert_null(peers[0]->first);
    assert_string_equal(heard(0), "");
}

static void who_looks_on(void **state)
{
    static const char *const ways[] = {"watch bits.a \t e", "{\"line\":\"watch bits.a e\"}",
                                       "{\"cmd\":\"watch\",\"fields\":[\"bits.a\",\"e\"]}"};
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        say(0, ways[i]);
        assert_string_equal(heard(0), "{\"done\":\"watch\",\"exit\":0}\n");
        assert_true(peers[0]->subscription.on);
        say(0, i % 2 ? "unwatch" : "{\"unwatch\":true}");
        assert_false(peers[0]->subscription.on);
    }
    say(0, "{\"cmd\":\"watch\",\"id\":\"w\"}");
    assert_string_equal(heard(0), "{\"id\":\"w\",\"done\":\"watch\",\"exit\":0}\n");
    say(0, "watch nothing.at all");
    hears(0, "{\"done\":\"watch\",\"exit\":2,\"why\":\"");
    assert_null(peers[0]->first);
}

/* A connection to where a server listens, which greets it. */
static void come_in(const struct aw_listener *listener)
{
    unsigned before = server.n_peers;
    struct aw_address address;
    struct aw_error err;
    char hello[16];
    assert_int_equal(aw_address_parse(&address, "rig", listener->url, &err), AW_OK);
    int fd = aw_address_connect(&address, &err);
    assert_true(fd >= 0);
    aw_server_serve(&server.aside);
    assert_int_equal(server.n_peers, before + 1);
    const struct passwd *user = getpwuid(getuid());
    assert_int_equal(server.peers->who.pid, getpid());
    if (!getenv("AW_EMULATED")) /* there the program is qemu */
        assert_string_equal(server.peers->who.program, "test_lines");
    if (user)
        assert_string_equal(server.peers->who.user, user->pw_name);
    assert_int_equal(read(fd, hello, 15), 15);
    assert_memory_equal(hello, "{\"serve\":\"rig\",", 15);
    close(fd);
    aw_server_serve(&server.aside);
    assert_int_equal(server.n_peers, before);
}

static char folder[] = "/tmp/test_lines_XXXXXX", doors[3][64], urls[3][96];

static int make_folder(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    for (int i = 0; i < 3; i++) {
        snprintf(doors[i], sizeof doors[i], "%s/%d", folder, i);
        snprintf(urls[i], sizeof urls[i], "unix:%s", doors[i]);
    }
    return start(state);
}

/* All is gone that the server has made. */
static int remove_folder(void **state)
{
    int left = stop(state) || rmdir(folder) != 0;
    strcpy(strrchr(folder, '_'), "_XXXXXX");
    return left;
}

/* Sockets in the file system: who comes by them is greeted, and they are gone with the server. */
static void who_comes_by_which_door(void **state)
{
    struct stat about;
    mode_t usual = umask(022);
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(aw_server_listen(&server, urls[i]), AW_OK);
        assert_int_equal(server.n_listeners, i + 1);
        assert_int_equal(aw_server_listen(&server, urls[i]), AW_NO_LINK); /* it is taken */
        assert_non_null(strstr(session->err.text, "busy, rig serve"));
        for (int turn = 0; turn < 2; turn++)
            aw_server_serve(&server.aside); /* who asked is gone */
        assert_int_equal(stat(doors[i], &about), 0);
        assert_int_equal(about.st_mode & 0777, 0600);
        come_in(&server.listeners[i]);
    }
    assert_int_equal(umask(usual), 022);
    aw_server_close(&server);
    assert_int_equal(access(doors[0], F_OK), -1);
    server.all = -1;
    server.n_listeners = 0;
}

/* A server in another process, which says this to whom it lets in; the process ends, or hands the
 * socket on and ends. */
static pid_t serve_elsewhere(const char *url, const char *says, bool ends_first, int *ended)
{
    struct aw_address address;
    int ready[2], over[2];
    assert_int_equal(aw_address_parse(&address, "rig", url, NULL), AW_OK);
    assert_true(pipe(ready) == 0 && pipe(over) == 0);
    pid_t child = fork();
    if (child == 0) {
        int fd = aw_address_listen(&address);
        close(over[1]);
        if (ends_first && fork() != 0)
            _exit(0);
        if (write(ready[1], "x", 1) == 1 && fcntl(fd, F_SETFL, 0) == 0) {
            int client = accept(fd, NULL, NULL);
            if (write(client, says, strlen(says)) >= 0)
                close(client);
        }
        (void)!read(over[0], &(char){0}, 1);
        _exit(0);
    }
    assert_int_equal(read(ready[0], &(char){0}, 1), 1);
    close(ready[0]);
    close(ready[1]);
    close(over[0]);
    *ended = over[1];
    if (ends_first)
        waitpid(child, NULL, 0);
    return child;
}

/* Who has the place is told with its device; of one that has ended the place is free. */
static void a_place_that_another_one_has(void **state)
{
    int over;
    char busy[32];
    (void)state;
    pid_t child =
        serve_elsewhere(urls[0], "{\"serve\":\"rig\",\"link\":\"sim:x\"}\n", false, &over);
    assert_int_equal(aw_server_listen(&server, urls[0]), AW_NO_LINK);
    snprintf(busy, sizeof busy, "serve (pid %d) has it", (int)child);
    assert_non_null(strstr(session->err.text, busy));
    assert_string_equal(server.other, "sim:x");
    close(over);
    waitpid(child, NULL, 0);
    assert_int_equal(aw_server_listen(&server, urls[0]), AW_OK); /* left over */

    serve_elsewhere(urls[1], "", true, &over); /* its guard has the socket */
    assert_int_equal(aw_server_listen(&server, urls[1]), AW_OK);
    close(over);
    come_in(&server.listeners[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(commands_wait_in_their_order, start, stop),
        cmocka_unit_test_setup_teardown(ids, start, stop),
        cmocka_unit_test_setup_teardown(a_stop_is_no_command, start, stop),
        cmocka_unit_test_setup_teardown(too_late, start, stop),
        cmocka_unit_test_setup_teardown(the_lease, start, stop),
        cmocka_unit_test_setup_teardown(who_wants_while_another_one_stops, start, stop),
        cmocka_unit_test_setup_teardown(who_was_dropped_while_it_waited, start, stop),
        cmocka_unit_test_setup_teardown(the_commander_goes, start, stop),
        cmocka_unit_test_setup_teardown(the_dead_man, start, stop),
        cmocka_unit_test_setup_teardown(answered_at_once, start, stop),
        cmocka_unit_test_setup_teardown(who_looks_on, start, stop),
        cmocka_unit_test_setup_teardown(who_comes_by_which_door, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_place_that_another_one_has, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
