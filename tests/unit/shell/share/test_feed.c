/* What passes the link, to those who look on: which of it, in which form, and how often. */
#include "server_helper.h"

#include <math.h>

#include "memory_helper.h"
#include "protocol/armctl/wire.h"

#define DEG  "0DEG1,090\r\n"
#define DEG2 "1DEG2,045\r\n"
#define TEXT(bytes)                                                                                \
    (struct aw_span)                                                                               \
    {                                                                                              \
        (const uint8_t *)(bytes), sizeof(bytes) - 1                                                \
    }

static struct aw_tool tool;

static int start_armctl(void **state)
{
    (void)state;
    tool = rig_tool;
    tool.protocol = &aw_armctl_protocol;
    return server_start(&tool);
}

/* Records, too, which would wait for others. */
static const char *told(int i)
{
    aw_conn_flush(&peers[i]->conn);
    return heard(i);
}

/* What this asks for, as JSON; "" if it gets it, or why not. */
static const char *subscribe(int i, const char *wanted)
{
    static struct aw_error err;
    json_t *object = json_loads(wanted, 0, NULL);
    assert_non_null(object);
    err = (struct aw_error){.text = ""};
    if (aw_feed_subscribe(&server, peers[i], i ? "" : "\"id\":7,", object, &err) == AW_OK)
        err.text[0] = '\0';
    json_decref(object);
    return err.text;
}

static void pass(bool tx, struct aw_span bytes)
{
    aw_feed_traffic(session, tx, bytes, 5 * AW_SECOND);
}

static void the_names_of_all_fields(void **state)
{
    (void)state;
    json_t *fields = aw_feed_fields(&server);
    char *text = json_dumps(fields, JSON_COMPACT);
    assert_non_null(text);
    assert_non_null(strstr(text, ",\"deg.seq\",\"deg.joint\",\"deg.angle\","));
    assert_null(strstr(text, "\"\""));
    assert_ptr_equal(aw_feed_fields(&server), fields); /* made once, not for each who comes */
    free(text);
}

/* Records as JSON, all of them or some fields; who is not asked for is left out. */
static void records(void **state)
{
    (void)state;
    assert_string_equal(subscribe(0, "{}"), "");
    assert_string_equal(subscribe(1, "{\"fields\":[\"angle\",\"deg.seq\"]}"), "");
    assert_int_equal(server.subscribers, 2);
    assert_true(server.rate_hz <= 0);
    pass(false, TEXT(DEG));
    assert_string_equal(
        told(0), "{\"id\":7,\"t\":5.000000,\"dir\":\"rx\",\"msg\":\"deg\",\"seq\":0,\"joint\":1,"
                 "\"angle\":90}\n");
    assert_string_equal(told(1), "{\"t\":5.000000,\"dir\":\"rx\",\"msg\":\"deg\",\"seq\":0,"
                                 "\"angle\":90}\n");
    pass(true, TEXT("1DE"));
    assert_string_equal(told(0), "");
    pass(false, TEXT(DEG)); /* between the two halves of what goes the other way */
    assert_non_null(strstr(told(0), "\"dir\":\"rx\",\"msg\":\"deg\",\"seq\":0,"));
    pass(true, TEXT("G2,045\r\n"));
    assert_non_null(strstr(told(0), "\"dir\":\"tx\",\"msg\":\"deg\",\"seq\":1,\"joint\":2,"));
    told(1);
    aw_feed_leave(&server, peers[0]);
    assert_int_equal(server.subscribers, 1);
    pass(false, TEXT(DEG));
    assert_string_equal(told(0), "");
    assert_non_null(strstr(told(1), "\"angle\":90"));
}

/* One text for all who want the same; it is there until the last of them leaves. */
static void the_same_choice_of_two(void **state)
{
    (void)state;
    assert_string_equal(subscribe(0, "{\"fields\":\"angle\"}"), "");
    assert_string_equal(subscribe(1, "{\"fields\":[\"angle\"]}"), "");
    assert_ptr_equal(peers[0]->subscription.view, peers[1]->subscription.view);
    aw_feed_leave(&server, peers[0]);
    pass(false, TEXT(DEG));
    assert_non_null(strstr(told(1), "\"angle\":90}"));
    pass(false, TEXT(DEG2));
    assert_non_null(strstr(told(1), "\"angle\":45}"));
}

/* "angle,angle,angle": as many as 32 different choices, and then another one. */
static const char *choice(int number)
{
    static char wanted[512];
    char *p = wanted + sprintf(wanted, "{\"fields\":\"%s", number < 32 ? "angle" : "joint");
    for (int i = 0; number < 32 && i < number; i++)
        p += sprintf(p, ",angle");
    strcpy(p, "\"}");
    return wanted;
}

static void only_some_choices_at_a_time(void **state)
{
    struct aw_subscription held[32];
    size_t before = 0;
    (void)state;
    for (int i = 0; i < 99; i++) { /* one after the other as often as you like */
        assert_string_equal(subscribe(0, choice(i % 33)), "");
        if (i == 65)
            before = memory_in_use();
    }
    assert_in_range(memory_in_use(), 0, before + 10000);
    aw_feed_leave(&server, peers[0]);
    for (int i = 0; i < 32; i++) {
        assert_string_equal(subscribe(0, choice(i)), "");
        held[i] = peers[0]->subscription;
        peers[0]->subscription = (struct aw_subscription){.on = false};
    }
    assert_string_equal(subscribe(0, choice(32)),
                        "watch: more than 32 different choices of fields");
    for (int i = 0; i < 32; i++) { /* each of them is told */
        assert_string_equal(subscribe(1, choice(i)), "");
        pass(false, TEXT(DEG));
        assert_non_null(strstr(told(1), "\"angle\":90"));
        pass(false, TEXT(DEG2));
        assert_non_null(strstr(told(1), "\"angle\":45"));
    }
    aw_feed_leave(&server, peers[1]);
    for (int i = 0; i < 32; i++) {
        peers[0]->subscription = held[i];
        aw_feed_leave(&server, peers[0]);
    }
    assert_int_equal(server.subscribers, 0);
    assert_string_equal(subscribe(0, choice(32)), "");
}

/* Bytes, of both ways, for clients of ours: what of a message has come already to who comes new;
 * not to who has sent them. */
static void bytes(void **state)
{
    (void)state;
    peers[0]->frames = true;
    pass(false, TEXT("0D"));
    assert_string_equal(told(0), "{\"rx\":\"3044\",\"ns\":5000000000}\n");
    pass(false, TEXT("EG1,090\r\n"));
    assert_string_equal(told(1), "");
    peers[1]->frames = true;
    pass(false, TEXT("1\xfa"));
    assert_string_equal(told(1), "{\"rx\":\"31FA\",\"ns\":5000000000}\n");
    told(0);
    server.sender = peers[1];
    pass(true, TEXT("\r\n"));
    assert_string_equal(told(0), "{\"tx\":\"0D0A\",\"ns\":5000000000}\n");
    assert_string_equal(told(1), "");
    server.sender = NULL;
    static uint8_t large[65537];
    pass(true, (struct aw_span){large, 65536});
    assert_int_equal(peers[0]->conn.records, 131072 + strlen("{\"tx\":\"\",\"ns\":5000000000}\n"));
    told(0);
    while (*told(0))
        ;
    pass(true, (struct aw_span){large, 65537}); /* is no message */
    assert_int_equal(peers[0]->conn.records, 0);
}

/* Who subscribes is told what was said last, of each kind, and how old that is. */
static void what_was_said_last(void **state)
{
    (void)state;
    pass(false, TEXT(DEG2));
    pass(false, TEXT(DEG));
    pass(false, TEXT("2ARM250,045,120\r\n"));
    assert_string_equal(subscribe(0, "{\"fields\":\"angle,r\"}"), "");
    aw_feed_last(&server, peers[0]);
    const char *text = told(0);
    assert_ptr_equal(strstr(text, "{\"id\":7,\"age\":"), text);
    assert_non_null(strstr(text, "\"angle\":90}\n"));
    assert_null(strstr(text, "\"angle\":45"));
    assert_non_null(strstr(text, "\"r\":250}\n"));
}

static void only_what_fits(void **state)
{
    (void)state;
    assert_string_equal(subscribe(0, "{\"where\":\"angle>60\",\"fields\":\"angle\"}"), "");
    pass(false, TEXT(DEG2));
    assert_string_equal(told(0), "");
    pass(false, TEXT(DEG));
    assert_non_null(strstr(told(0), "\"angle\":90}"));
    pass(false, TEXT(DEG2));
    assert_string_equal(told(0), "");
    assert_non_null(strstr(subscribe(0, "{\"where\":\"angle>\"}"), "where"));
    assert_non_null(strstr(subscribe(0, "{\"where\":\"angel>5\"}"), "angel"));
    assert_int_equal(server.subscribers, 1); /* what it has it keeps */
}

/* So many of each message in a second. */
static void rates(void **state)
{
    static const char *const none[] = {"{\"rate\":0}", "{\"rate\":-1}", "{\"rate\":\"0Hz\"}",
                                       "{\"rate\":1000001}"};
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_string_equal(subscribe(0, none[i]), "watch: \"rate\" is above 0: \"20Hz\"");
    assert_string_not_equal(subscribe(0, "{\"rate\":\"fast\"}"), "");
    assert_int_equal(server.subscribers, 0);
    assert_string_equal(subscribe(0, "{\"rate\":1000000}"), "");
    assert_true(fabs(server.rate_hz - 1e6) < 1e-9);
    assert_string_equal(subscribe(0, "{\"rate\":\"0.01Hz\"}"), "");
    assert_string_equal(subscribe(1, "{\"rate\":0.001}"), "");
    assert_true(fabs(server.rate_hz - 0.01) < 1e-9);
    int64_t before = aw_clock_now(&session->time.real.base);
    pass(false, TEXT(DEG));
    int64_t after = aw_clock_now(&session->time.real.base), *next = NULL;
    for (size_t i = 0; i < AW_MAX_MESSAGES; i++)
        if (peers[0]->subscription.next_ns[i])
            next = &peers[0]->subscription.next_ns[i];
    assert_non_null(next);
    assert_in_range(*next, before + 100 * AW_SECOND, after + 100 * AW_SECOND);
    assert_string_not_equal(told(0), "");
    pass(false, TEXT(DEG2));
    assert_string_equal(told(0), "");
    pass(false, TEXT("2ARM250,045,120\r\n")); /* another message */
    assert_string_not_equal(told(0), "");
    int64_t due = *next = after - AW_SECOND; /* a little late: the next one is not */
    pass(false, TEXT(DEG));
    assert_string_not_equal(told(0), "");
    assert_true(*next == due + 100 * AW_SECOND);
    aw_feed_leave(&server, peers[0]);
    assert_true(fabs(server.rate_hz - 0.001) < 1e-9);
    aw_feed_leave(&server, peers[1]);
    assert_true(server.rate_hz <= 0);
}

/* Names of fields in a list, or with commas between, as many as there is room for. */
static void how_many_fields(void **state)
{
    char wanted[2048], name[1025], *p = wanted;
    (void)state;
    p += sprintf(p, "{\"fields\":[\"angle\"");
    for (int i = 1; i < AW_FIELDS_MAX; i++)
        p += sprintf(p, ",\"angle\"");
    strcpy(p, "]}");
    assert_string_equal(subscribe(0, wanted), "");
    pass(false, TEXT(DEG));
    assert_non_null(strstr(told(0), "\"angle\":90}\n"));
    strcpy(p, ",\"joint\"]}");
    assert_string_equal(subscribe(0, wanted), "watch: \"fields\" is a list of at most 32 names");
    assert_string_equal(subscribe(0, "{\"fields\":[5]}"),
                        "watch: \"fields\" is a list of at most 32 names");
    p = wanted + sprintf(wanted, "{\"fields\":\"joint");
    for (int i = 1; i < AW_FIELDS_MAX; i++)
        p += sprintf(p, ",joint");
    strcpy(p, ",angle\"}"); /* as text those behind are left out */
    assert_string_equal(subscribe(0, wanted), "");
    pass(false, TEXT(DEG));
    assert_non_null(strstr(told(0), "\"joint\":1}\n"));
    for (int list = 0; list < 2; list++) {
        memset(name, 'x', sizeof name);
        name[1024] = '\0'; /* one more than there is room for */
        sprintf(wanted, list ? "{\"fields\":[\"%s\"]}" : "{\"fields\":\"%s\"}", name);
        assert_string_equal(subscribe(0, wanted), "watch: too many fields");
        name[1023] = '\0'; /* just as many */
        sprintf(wanted, list ? "{\"fields\":[\"%s\"]}" : "{\"fields\":\"%s\"}", name);
        assert_non_null(strstr(subscribe(0, wanted), "no message has a field"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_names_of_all_fields, start_armctl, stop),
        cmocka_unit_test_setup_teardown(records, start_armctl, stop),
        cmocka_unit_test_setup_teardown(the_same_choice_of_two, start_armctl, stop),
        cmocka_unit_test_setup_teardown(only_some_choices_at_a_time, start_armctl, stop),
        cmocka_unit_test_setup_teardown(bytes, start_armctl, stop),
        cmocka_unit_test_setup_teardown(only_what_fits, start_armctl, stop),
        cmocka_unit_test_setup_teardown(rates, start_armctl, stop),
        cmocka_unit_test_setup_teardown(what_was_said_last, start_armctl, stop),
        cmocka_unit_test_setup_teardown(how_many_fields, start_armctl, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
