/* Any text as a file of joint limits: read, or refused with the place. What is read is what the
 * wire can carry, and reads back the same when it is written.
 */
#include <string.h>

#include "fuzz.h"
#include "unitysim/limits.h"

static void write_and_read(const struct aw_unity_limits *limits)
{
    struct aw_error err;
    struct aw_unity_limits again = aw_unity_limits_default();
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    MUST(out);
    aw_unity_limits_write(limits, out);
    MUST(fclose(out) == 0);
    FILE *in = fmemopen(text, size, "r");
    MUST(in && aw_unity_limits_read(&again, in, "again", &err) == AW_OK);
    fclose(in);
    MUST(memcmp(&again, limits, sizeof again) == 0);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct aw_error err = {0};
    struct aw_unity_limits usual = aw_unity_limits_default(), limits = usual;
    if (size == 0)
        return 0;
    FILE *in = fmemopen((void *)(uintptr_t)data, size, "r");
    MUST(in);
    if (aw_unity_limits_read(&limits, in, "fuzz", &err) == AW_OK) {
        MUST(aw_unity_limits_check(&limits, &err) == AW_OK);
        write_and_read(&limits);
    } else {
        MUST(strncmp(err.text, "fuzz:", 5) == 0);
        MUST(memcmp(&limits, &usual, sizeof limits) == 0);
    }
    fclose(in);
    return 0;
}
