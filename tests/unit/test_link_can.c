/* can: — error frames in words, URLs, and what is said where there is no CAN. Frames on a bus are
 * for tests/kernel/t_can.sh, because few machines have one. */
#include "can_helper.h"

#include <linux/can.h>
#include <linux/can/error.h>
#include <sys/socket.h>

#include "link/can_error.h"
#include "link/can_interface.h"

static void error_frames_have_words(void **state)
{
    (void)state;
    static const struct {
        uint32_t id;
        uint8_t data[8];
        const char *words;
    } cases[] = {
        {CAN_ERR_BUSOFF, {0}, "bus-off: the controller has left the bus"},
        {CAN_ERR_BUSOFF, {0, 0, 0, 0, 0, 0, 248, 3}, "bus-off: the controller has left the bus"},
        {CAN_ERR_ACK, {0}, "no ACK (nobody else on the bus, or wrong bit rate)"},
        {CAN_ERR_ACK,
         {0, 0, 0, 0, 0, 0, 128, 0},
         "no ACK (nobody else on the bus, or wrong bit rate); errors: 128 sending, 0 receiving"},
        {CAN_ERR_CRTL, {0, CAN_ERR_CRTL_RX_OVERFLOW}, "the controller lost received frames"},
        {CAN_ERR_CRTL,
         {0, CAN_ERR_CRTL_RX_WARNING | CAN_ERR_CRTL_TX_WARNING},
         "many errors while receiving, many errors while sending"},
        {CAN_ERR_CRTL, {0, CAN_ERR_CRTL_TX_PASSIVE}, "error-passive by sending"},
        {CAN_ERR_CRTL, {0, CAN_ERR_CRTL_ACTIVE}, "error-active again"},
        {CAN_ERR_CRTL, {0}, "trouble in the controller"},
        {CAN_ERR_PROT | CAN_ERR_BUSERROR, {0, 0, CAN_ERR_PROT_STUFF}, "bit stuffing error"},
        {CAN_ERR_PROT | CAN_ERR_BUSERROR, {0}, "error on the bus"},
        {CAN_ERR_PROT | CAN_ERR_ACK,
         {0, 0, CAN_ERR_PROT_FORM},
         "no ACK (nobody else on the bus, or wrong bit rate), frame format error"},
        {CAN_ERR_TRX,
         {0, 0, 0, 0, CAN_ERR_TRX_CANH_NO_WIRE},
         "transceiver: trouble on the CANH "
         "wire"},
        {CAN_ERR_TRX,
         {0, 0, 0, 0, CAN_ERR_TRX_CANL_NO_WIRE},
         "transceiver: trouble on the CANL "
         "wire"},
        {CAN_ERR_TRX, {0}, "trouble in the transceiver"},
        {CAN_ERR_RESTARTED, {0}, "the controller was restarted"},
        {CAN_ERR_LOSTARB, {5}, "lost arbitration"},
        {CAN_ERR_TX_TIMEOUT, {0}, "sending timed out"},
        {0, {0}, "an error frame"},
    };
    char words[160], few[12];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aw_can_error_words(cases[i].id | CAN_ERR_FLAG, cases[i].data, words, sizeof words);
        assert_string_equal(words, cases[i].words);
        aw_can_error_words(cases[i].id | CAN_ERR_FLAG, cases[i].data, few, sizeof few);
        assert_true(strlen(few) < sizeof few);
    }
}

static void all_errors_at_once_fit(void **state)
{
    (void)state;
    uint8_t data[8];
    char words[160];
    memset(data, 0xFF, sizeof data);
    aw_can_error_words(UINT32_MAX, data, words, sizeof words);
    assert_int_equal(strlen(words), sizeof words - 1);
}

static void keys_are_checked(void **state)
{
    (void)state;
    static const char *const bad[] = {"",      "x",         "800",     "040/800", "040/",
                                      "040/x", "040,,080/", "040;080", "-1",      "040/7E0 "};
    char url[80], many[400] = "can:can0?filter=1";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(url, sizeof url, "can:can0?filter=%s", bad[i]);
        assert_open_fails(url, AW_USAGE, "filter=");
    }
    for (int i = 0; i < 64; i++)
        strcat(many, ",1");
    assert_open_fails(many, AW_USAGE, "up to 64");
    assert_open_fails("can:can0?reconnect=maybe", AW_USAGE, "on|off");
    assert_open_fails("can:can0?bitrate=5", AW_USAGE, "can: link key");
}

static bool has_can(void)
{
    int fd = socket(AF_CAN, SOCK_RAW, CAN_RAW);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static void good_keys_and_no_interface(void **state)
{
    (void)state;
    static const char *const urls[] = {
        "can:awnope0",
        "can:awnope0?filter=040/7E0,0x080/0x7E0,123",
        "can:awnope0?reconnect=off&filter=7ff",
        "can:a-name-that-is-too-long-for-interfaces",
    };
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
        assert_open_fails(urls[i], AW_NO_LINK,
                          has_can() ? "no such interface"
                                    : "this kernel has no CAN — use slcan:, socketcand: or sim:");
}

static void what_is_wrong_with_an_interface(void **state)
{
    (void)state;
    char problem[200] = "";
    assert_true(aw_can_interface_problem("awnope0", problem, sizeof problem));
    assert_non_null(strstr(problem, "no such interface"));
    assert_true(aw_can_interface_problem("lo", problem, sizeof problem));
    assert_non_null(strstr(problem, "is no CAN interface"));
    assert_true(aw_can_interface_problem("", problem, sizeof problem));
    assert_false(aw_can_interface_up("lo"));
    assert_false(aw_can_interface_up("awnope0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_frames_have_words),
        cmocka_unit_test(all_errors_at_once_fit),
        cmocka_unit_test(keys_are_checked),
        cmocka_unit_test(good_keys_and_no_interface),
        cmocka_unit_test(what_is_wrong_with_an_interface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
