/* Any text as a file of gains of the teaching arm: what is read comes back the same when written,
 * what is refused names the place.
 */
#include <string.h>

#include "fuzz.h"
#include "hidmotor/gains.h"

static void write_and_read(const struct aw_hidmotor_gains *gains)
{
    struct aw_error err;
    struct aw_hidmotor_gains again;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    MUST(out);
    aw_hidmotor_gains_write(gains, out);
    MUST(fclose(out) == 0);
    FILE *in = fmemopen(text, size, "r");
    MUST(in && aw_hidmotor_gains_read(&again, in, "again", &err) == AW_OK);
    fclose(in);
    MUST(aw_hidmotor_gains_diff(gains, &again, NULL, NULL) == 0);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct aw_error err = {0};
    struct aw_hidmotor_gains gains;
    static const struct aw_hidmotor_gains none;
    if (size == 0)
        return 0;
    FILE *in = fmemopen((void *)(uintptr_t)data, size, "r");
    MUST(in);
    if (aw_hidmotor_gains_read(&gains, in, "fuzz", &err) == AW_OK)
        write_and_read(&gains);
    else
        MUST(strncmp(err.text, "fuzz:", 5) == 0 &&
             aw_hidmotor_gains_diff(&gains, &none, NULL, NULL) == 0);
    fclose(in);
    return 0;
}
