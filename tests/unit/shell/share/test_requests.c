/* What clients say to a server: in which order it is carried out, and what is answered at once. */
#include "server_helper.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "shell/share/address.h"

static void say(int i, const char *line)
{
    aw_server_take_line(&server, peers[i], line);
}

static void hears(int i, const char *beginning)
{
    const char *text = heard(i);
    assert_ptr_equal(strstr(text, beginning), text);
}

/* Takes the first request out of the queue. */
static struct aw_request take(void)
{
    static char line[256], refuse[64];
    struct aw_request *first = server.first, copy;
    assert_non_null(first);
    copy = *first;
    snprintf(line, sizeof line, "%s", first->line ? first->line : "-");
    snprintf(refuse, sizeof refuse, "%s", first->refuse ? first->refuse : "-");
    copy.line = line;
    copy.refuse = refuse;
    server.first = first->next;
    if (!server.first)
        server.last = NULL;
    first->peer->waiting--;
    aw_request_free(first);
    return copy;
}

static void expect(const char *id, const char *line)
{
    struct aw_request request = take();
    assert_string_equal(request.id, id);
    assert_string_equal(request.line, line);
}

static void commands_wait_in_their_order(void **state)
{
    (void)state;
    say(0, " \tturn 1 2");
    say(1, "{\"cmd\":\"set\", \"gear\":\"low\", \"id\":5}");
    say(0, "{\"line\":\"set high\",\"id\":\"x\",\"other\":1}");
    say(0, "watched"); /* is none of those that are answered at once */
    say(0, "{\"run\":[\"set\",\"low\"],\"id\":1.5}");
    say(0, "");
    say(0, " \t");
    assert_int_equal(peers[0]->waiting, 4);
    assert_int_equal(peers[1]->waiting, 1);
    assert_null(server.first->object);
    expect("", "turn 1 2");
    assert_non_null(server.first->object);
    expect("\"id\":5,", "{\"cmd\":\"set\",\"gear\":\"low\"}");
    assert_null(server.first->object);
    expect("\"id\":\"x\",", "set high");
    expect("", "watched");
    assert_ptr_equal(server.first, server.last);
    expect("\"id\":1.5,", "-");
    assert_null(server.first);
    assert_string_equal(heard(0), "");
}

/* An id is a number or a short text; what is none is left out. */
static void ids(void **state)
{
    char line[128], id[96], text[80];
    (void)state;
    say(0, "{\"cmd\":\"set\",\"id\":{\"a\":1}}");
    expect("", "{\"cmd\":\"set\"}");
    say(0, "{\"cmd\":\"set\",\"id\":[1]}");
    expect("", "{\"cmd\":\"set\"}");
    for (int length = 61; length <= 62; length++) { /* with its quotes 63 and 64 */
        snprintf(text, sizeof text, "%0*d", length, 0);
        snprintf(line, sizeof line, "{\"line\":\"set\",\"id\":\"%s\"}", text);
        snprintf(id, sizeof id, "\"id\":\"%s\",", text);
        say(0, line);
        expect(length == 61 ? id : "", "set");
    }
}

/* A stop comes before all that waits, in whatever form, and never too late. */
static void a_stop_is_the_first(void **state)
{
    static const char *const stops[] = {"stop",
                                        "stop elbow",
                                        "{\"cmd\":\"stop\",\"refuse\":\"late\",\"expiry\":1}",
                                        "{\"line\":\"stop\"}",
                                        "{\"run\":[\"-q\",\"stop\"]}",
                                        "{\"halt\":true}"};
    static const char *const others[] = {"stopwatch", "sto", "{\"cmd\":\"stopper\"}",
                                         "{\"run\":[\"stop\",\"x\"]}", "{\"n\":1}"};
    (void)state;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        say(0, "turn");
        say(0, stops[i]);
        say(0, "set");
        assert_int_equal(server.first->until_ns, 0);
        struct aw_request first = take();
        assert_string_not_equal(first.line, "turn");
        assert_string_equal(first.refuse, "-");
        assert_int_equal(first.halt, i == 5);
        expect("", "turn");
        expect("", "set");
        assert_null(server.last);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        say(0, "turn");
        say(0, others[i]);
        expect("", "turn");
        take();
    }
    say(0, "stop"); /* the first and the last */
    say(0, "turn");
    expect("", "stop");
    expect("", "turn");
    assert_string_equal(server.why, ""); /* nothing ran */
}

static void a_stop_of_what_runs_for_somebody_else(void **state)
{
    struct aw_request running = {.peer = peers[0]};
    (void)state;
    server.running = &running;
    say(0, "stop");
    assert_string_equal(server.why, "");
    say(1, "turn");
    assert_string_equal(server.why, "");
    say(1, "stop");
    assert_string_equal(server.why, "stopped by script (pid 71, ann)");
    assert_false(server.halt);
    aw_server_interrupt(&server, "another reason");
    assert_string_equal(server.why, "stopped by script (pid 71, ann)");
    server.running = NULL;
}

/* Who asks for the commander's place while its command runs; who may look on only does not. */
static void who_takes_the_place(void **state)
{
    static const struct {
        const char *said;
        int peer;
        bool reads, rivals, takes;
    } rows[] = {
        {"{\"run\":[\"go\"]}", 1, false, true, false},
        {"{\"run\":[\"go\"]}", 0, false, false, false},
        {"{\"run\":[\"go\",\"--take\"]}", 1, false, true, true},
        {"{\"run\":[\"--take\",\"go\"]}", 1, true, true, false},
        {"{\"run\":[\"go\"],\"options\":{\"take\":\"1\"}}", 1, false, true, true},
        {"{\"run\":[\"go\"],\"options\":{\"take\":\"0\"}}", 1, false, true, false},
        {"{\"run\":[5,\"go\"]}", 1, false, true, false},
        {"{\"cmd\":\"go\"}", 1, false, true, false},
        {"{\"cmd\":5}", 1, false, false, false},
        {"go on", 1, false, true, false},
        {"go\t--take", 1, false, true, true},
        {"turn go", 1, false, false, false},
        {"{\"run\":[\"turn\"]}", 1, false, false, false},
        {"{\"run\":[\"frob\"]}", 1, false, false, false},
    };
    static const struct aw_command commands[] = {
        {.name = "go", .safety = AW_MOTION}, {.name = "turn"}, {0}};
    static struct aw_tool tool; /* the session has it until it is freed */
    struct aw_request running = {.peer = peers[0]};
    (void)state;
    tool = rig_tool;
    tool.commands = commands;
    session->tool = &tool;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_request request = {.peer = peers[rows[i].peer],
                                     .object = json_loads(rows[i].said, 0, NULL)};
        bool takes;
        if (*rows[i].said != '{')
            request.line = (char *)rows[i].said;
        request.peer->reads = rows[i].reads;
        server.commander = peers[0];
        assert_false(aw_beside_rivals(&server, &request, &takes)); /* nothing runs */
        server.running = &running;
        if (aw_beside_rivals(&server, &request, &takes) != rows[i].rivals || takes != rows[i].takes)
            fail_msg("%s", rows[i].said);
        server.running = NULL;
        request.peer->reads = false;
        json_decref(request.object);
    }
    server.commander = peers[0]; /* who takes it stops what runs, if it comes in time */
    server.running = &running;
    say(1, "{\"run\":[\"go\"]}");
    say(1, "{\"run\":[\"turn\",\"--take\"]}");
    say(1, "{\"run\":[\"go\",\"--take\"],\"refuse\":\"late\"}");
    assert_string_equal(server.why, "");
    assert_false(asked_to_stop());
    say(1, "{\"run\":[\"go\",\"--take\"]}");
    assert_string_equal(server.why, "script (pid 71, ann) has taken over — stopped");
    assert_true(asked_to_stop());
    server.running = NULL;
    server.commander = NULL;
}

/* Who waits for requests is woken by one, and by somebody who looks on: the device may have to be
 * asked then. */
static void who_waits_is_woken(void **state)
{
    (void)state;
    for (int idle = 0; idle < 2; idle++) {
        server.idle = idle;
        say(0, "turn");
        assert_int_equal(asked_to_stop(), idle);
        say(0, "watch");
        assert_int_equal(asked_to_stop(), idle);
        say(0, "release");
        assert_false(asked_to_stop());
    }
}

/* What goes on after a command is ended, too; where nothing moves there is nothing to end. */
static void what_is_interrupted(void **state)
{
    (void)state;
    aw_server_interrupt(&server, "nobody is there");
    assert_string_equal(server.why, "");
    session->ongoing = AW_ONGOING_RUNNING;
    aw_server_interrupt(&server, "it was %s", "silent");
    assert_string_equal(server.why, "it was silent");
    assert_true(server.halt);
}

/* How long a command may wait, and what somebody before us has refused. */
static void too_late(void **state)
{
    (void)state;
    int64_t before = aw_clock_now(&session->real_clock.base);
    say(0, "{\"cmd\":\"set\",\"expiry\":2,\"refuse\":\"it is old\"}");
    int64_t after = aw_clock_now(&session->real_clock.base);
    assert_in_range(server.first->until_ns, before + 2 * AW_SECOND, after + 2 * AW_SECOND);
    struct aw_request request = take();
    assert_string_equal(request.refuse, "it is old");
    assert_string_equal(request.line, "{\"cmd\":\"set\"}");
    say(0, "{\"cmd\":\"set\",\"expiry\":\"soon\"}");
    assert_int_equal(server.first->until_ns, 0);
    expect("", "{\"cmd\":\"set\"}");
}

/* Of a client that goes nothing more is carried out. */
static void who_goes_is_forgotten(void **state)
{
    (void)state;
    say(0, "turn");
    say(1, "set");
    say(0, "load");
    say(1, "connect");
    aw_server_forget(&server, peers[1]);
    expect("", "turn");
    assert_ptr_equal(server.last, server.first);
    say(1, "set");
    assert_ptr_equal(server.last, server.first->next);
    aw_server_forget(&server, peers[0]);
    assert_ptr_equal(server.last, server.first);
    aw_server_forget(&server, peers[1]);
    assert_null(server.first);
    assert_null(server.last);
    say(0, "turn");
    expect("", "turn");
}

/* What moves for a client stops when it goes without a word; nobody else's does. */
static void the_commander_goes(void **state)
{
    struct aw_request running = {.peer = peers[0]};
    (void)state;
    server.running = &running;
    server.commander = peers[0];
    aw_server_forget(&server, peers[1]);
    assert_string_equal(server.why, "");
    assert_ptr_equal(running.peer, peers[0]);
    assert_ptr_equal(server.commander, peers[0]);
    aw_server_forget(&server, peers[0]);
    assert_string_equal(server.why, "the commander is gone — stopped");
    assert_null(running.peer);
    assert_null(server.commander);

    *server.why = '\0'; /* who commands no more, or never did, but its command still runs */
    running.peer = peers[0];
    peers[0]->left = true;
    aw_server_forget(&server, peers[0]);
    assert_string_equal(server.why, "the commander is gone — stopped");

    for (int left = 0; left < 2; left++) { /* what goes on may do so if it said that it leaves */
        *server.why = '\0';
        server.running = NULL;
        session->ongoing = AW_ONGOING_RUNNING;
        server.commander = peers[0];
        peers[0]->left = left;
        aw_server_forget(&server, peers[0]);
        assert_string_equal(server.why, left ? "" : "the commander is gone — stopped");
        assert_null(server.commander);
    }
}

static void answered_at_once(void **state)
{
    (void)state;
    say(0, "{\"id\":3,");
    hears(0, "{\"done\":\"\",\"exit\":2,\"why\":\"column 8: not JSON: ");
    server.commander = peers[0];
    say(0, "{\"cmd\":\"release\",\"id\":4}");
    assert_string_equal(heard(0), "{\"id\":4,\"done\":\"release\",\"exit\":0}\n");
    assert_null(server.commander);
    assert_false(peers[0]->left);
    server.commander = peers[0];
    say(1, "release");
    assert_string_equal(heard(1), "{\"done\":\"release\",\"exit\":0}\n");
    assert_ptr_equal(server.commander, peers[0]);
    say(0, "{\"leave\":true}");
    assert_true(peers[0]->left);
    assert_null(server.commander);
    heard(0);
    say(0, "{\"lease\":true}");
    assert_true(peers[0]->follows);
    assert_string_equal(heard(0), "{\"commander\":null}\n");
    say(0, "{\"as\":{\"program\":\"arm.py\",\"pid\":12}}");
    assert_string_equal(peers[0]->who.program, "arm.py");
    assert_string_equal(peers[0]->who.user, "?");
    assert_int_equal(peers[0]->who.pid, 12);
    assert_false(peers[0]->reads);
    say(0, "{\"as\":{\"user\":\"bob\",\"reads\":true}}");
    assert_string_equal(peers[0]->who.program, "a program");
    assert_string_equal(peers[0]->who.user, "bob");
    assert_true(peers[0]->reads);
    assert_null(server.first);
    assert_string_equal(heard(0), "");
}

static void who_looks_on(void **state)
{
    static const char *const ways[] = {"watch bits.a \t e", "{\"line\":\"watch bits.a e\"}",
                                       "{\"cmd\":\"watch\",\"fields\":[\"bits.a\",\"e\"]}",
                                       "{\"frames\":true}"};
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        say(0, ways[i]);
        assert_string_equal(heard(0), "{\"done\":\"watch\",\"exit\":0}\n");
        assert_true(peers[0]->subscription.on);
        assert_int_equal(peers[0]->subscription.frames, i == 3);
        say(0, i % 2 ? "unwatch" : "{\"unwatch\":true}");
        assert_false(peers[0]->subscription.on);
    }
    say(0, "watch");
    assert_true(peers[0]->subscription.on);
    heard(0);
    say(0, "watch nothing.at all");
    hears(0, "{\"done\":\"watch\",\"exit\":2,\"why\":\"");
    assert_null(server.first);
}

/* A Ctrl-C is for what runs for the same client. */
static void ctrl_c(void **state)
{
    struct aw_request running = {.peer = peers[0]};
    (void)state;
    say(0, "{\"interrupt\":2}"); /* nothing runs */
    server.running = &running;
    say(1, "{\"interrupt\":2}");
    say(1, "{\"keys\":\"q\"}");
    assert_false(asked_to_stop());
    assert_int_equal(session->stop.signal, 0);
    assert_false(server.interrupted);
    say(0, "{\"interrupt\":15}");
    assert_int_equal(session->stop.signal, 15);
    assert_true(server.interrupted);
    assert_true(asked_to_stop());
    assert_null(server.first);
    server.running = NULL;
}

/* By TCP the first line shows the token, all of it and nothing else. */
static void who_may_come_in(void **state)
{
    static const char *const wrong[] = {"xbcd", "abcx", "abc", "abcde", ""};
    char line[80], hello[256];
    (void)state;
    strcpy(server.token, "abcd");
    peers[0]->welcome = peers[1]->welcome = false;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        peers[0]->conn.gone = false;
        snprintf(line, sizeof line, "{\"token\":\"%s\"}", wrong[i]);
        say(0, line);
        hears(0, "{\"error\":\"refused\",");
        assert_true(peers[0]->conn.gone);
        assert_false(peers[0]->welcome);
    }
    peers[0]->conn.gone = false;
    say(0, "turn");
    assert_true(peers[0]->conn.gone);
    assert_null(server.first);
    strcpy(server.url, "sim:\"");
    server.deadman_ns = 1500 * AW_MILLISECOND;
    say(1, "{\"token\":\"abcd\",\"program\":\"arm.py\"}");
    assert_true(peers[1]->welcome);
    assert_false(peers[1]->conn.gone);
    assert_string_equal(peers[1]->who.user, "by TCP");
    assert_string_equal(peers[1]->who.program, "arm.py");
    snprintf(hello, sizeof hello,
             "{\"serve\":\"rig\",\"version\":\"" AW_VERSION "\",\"pid\":%d,\"link\":\"sim:\\\"\","
             "\"datagrams\":false,\"deadman_ms\":1500,\"commander\":null,\"fields\":[\"",
             (int)getpid());
    hears(1, hello);
}

/* A connection to where a server listens, which greets it; or does not before it has shown what it
 * knows. */
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
    assert_int_equal(server.peers->welcome, !listener->token);
    if (!listener->token) {
        const struct passwd *user = getpwuid(getuid());
        assert_int_equal(server.peers->who.pid, getpid());
        if (!getenv("AW_EMULATED")) /* there the program is qemu */
            assert_string_equal(server.peers->who.program, "test_requests");
        if (user)
            assert_string_equal(server.peers->who.user, user->pw_name);
        assert_int_equal(read(fd, hello, 15), 15);
        assert_memory_equal(hello, "{\"serve\":\"rig\",", 15);
    }
    close(fd);
    aw_server_serve(&server.aside);
    assert_int_equal(server.n_peers, before);
}

static char folder[] = "/tmp/test_requests_XXXXXX", doors[3][64], urls[3][96];

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
        aw_server_serve(&server.aside); /* who asked is gone */
        assert_int_equal(stat(doors[i], &about), 0);
        assert_int_equal(about.st_mode & 0777, 0600);
        come_in(&server.listeners[i]);
    }
    assert_int_equal(aw_server_listen(&server, "tcp:127.0.0.1:0"), AW_USAGE); /* no token */
    strcpy(server.token, "abcd");
    assert_int_equal(aw_server_listen(&server, "tcp:127.0.0.1:0"), AW_OK);
    come_in(&server.listeners[2]);
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
        cmocka_unit_test_setup_teardown(a_stop_is_the_first, start, stop),
        cmocka_unit_test_setup_teardown(a_stop_of_what_runs_for_somebody_else, start, stop),
        cmocka_unit_test_setup_teardown(who_takes_the_place, start, stop),
        cmocka_unit_test_setup_teardown(who_waits_is_woken, start, stop),
        cmocka_unit_test_setup_teardown(what_is_interrupted, start, stop),
        cmocka_unit_test_setup_teardown(too_late, start, stop),
        cmocka_unit_test_setup_teardown(who_goes_is_forgotten, start, stop),
        cmocka_unit_test_setup_teardown(the_commander_goes, start, stop),
        cmocka_unit_test_setup_teardown(answered_at_once, start, stop),
        cmocka_unit_test_setup_teardown(who_looks_on, start, stop),
        cmocka_unit_test_setup_teardown(ctrl_c, start, stop),
        cmocka_unit_test_setup_teardown(who_may_come_in, start, stop),
        cmocka_unit_test_setup_teardown(who_comes_by_which_door, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_place_that_another_one_has, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
