/* Parses the settings of a serial line (baud, bits, parity, stop …) from the keys of a link URL. */
#include <stdlib.h>

#include "link/core/port.h"

const char *const aw_line_keys[] = {"baud", "bits", "parity", "stop", "flow", "dtr", "rts", NULL};

static const char *const parity_words[] = {"none", "even", "odd"};
static const char *const flow_words[] = {"none", "rtscts", "xonxoff"};
static const char *const modem_words[] = {"keep", "on", "off"};

static const struct aw_line_settings defaults = {.baud = 9600, .bits = 8, .stop = 1};

enum aw_status aw_line_settings(struct aw_line_settings *settings, const struct aw_url *url,
                                struct aw_error *err)
{
    *settings = defaults;
    const struct {
        const char *key;
        long min, max, *value;
    } numbers[] = {
        {"baud", 50, 4000000, &settings->baud},
        {"bits", 5, 8, &settings->bits},
        {"stop", 1, 2, &settings->stop},
    };
    const struct {
        const char *key;
        const char *const *words;
        size_t *value;
    } words[] = {
        {"parity", parity_words, &settings->parity},
        {"flow", flow_words, &settings->flow},
        {"dtr", modem_words, &settings->dtr},
        {"rts", modem_words, &settings->rts},
    };
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == AW_OK; i++)
        status =
            aw_url_int(url, numbers[i].key, numbers[i].min, numbers[i].max, numbers[i].value, err);
    for (size_t i = 0; i < sizeof words / sizeof *words && status == AW_OK; i++)
        status = aw_url_choice(url, words[i].key, words[i].words, 3, words[i].value, err);
    return status;
}
