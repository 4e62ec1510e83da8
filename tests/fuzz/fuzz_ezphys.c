/* Text for ezphys: a wire description (what is read prints and reads back the same), a file of
 * names, a trajectory, and bytes to probe. The first byte chooses.
 */
#include <math.h>
#include <string.h>

#include "ezphys/follow.h"
#include "ezphys/framing.h"
#include "ezphys/names.h"
#include "ezphys/probe.h"
#include "fuzz.h"

static void fuzz_framing(const char *text)
{
    struct aw_ez_framing framing, again;
    struct aw_error err = {0};
    char printed[AW_EZ_FRAMING_TEXT], twice[AW_EZ_FRAMING_TEXT];
    if (aw_ez_framing_parse(&framing, text, NULL, &err) != AW_OK) {
        MUST(*err.text);
        return;
    }
    printed[aw_ez_framing_print(&framing.variant, printed)] = '\0';
    MUST(aw_ez_framing_parse(&again, printed, NULL, &err) == AW_OK);
    twice[aw_ez_framing_print(&again.variant, twice)] = '\0';
    MUST(strcmp(printed, twice) == 0);
}

static void fuzz_names(const char *text, size_t size)
{
    struct aw_ez_names names = {0};
    struct aw_error err = {0};
    FILE *in = fmemopen((void *)(uintptr_t)text, size + 1, "r");
    MUST(in);
    enum aw_status status = aw_ez_names_read(&names, in, "fuzz", &err);
    MUST(status == AW_OK || *err.text);
    fclose(in);
    for (size_t i = 0; i < names.n; i++)
        MUST(aw_ez_names_find(&names, names.list[i].kind, names.list[i].name) == &names.list[i]);
}

static void fuzz_path(const char *text, size_t size)
{
    struct aw_ez_path path;
    struct aw_error err = {0};
    double q, v;
    FILE *in = fmemopen((void *)(uintptr_t)text, size + 1, "r");
    MUST(in);
    if (aw_ez_path_read(&path, in, "fuzz", &err) == AW_OK) {
        MUST(path.n > 0 && aw_ez_path_seconds(&path) > 0);
        for (size_t i = 0; i < path.n; i++)
            aw_ez_path_at(&path, i, aw_ez_path_seconds(&path) / 3, 0, &q, &v);
        aw_ez_path_free(&path);
    } else {
        MUST(*err.text);
    }
    fclose(in);
}

static void fuzz_probe(const uint8_t *data, size_t size)
{
    struct aw_ez_guess guesses[3];
    size_t n = aw_ez_probe((struct aw_span){data, size}, guesses, 3);
    for (size_t i = 0; i < n; i++)
        MUST(guesses[i].score >= 0 && guesses[i].score <= 1.000001 && *guesses[i].wire);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char *text = malloc(size + 1);
    MUST(text);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    switch (data[0] % 16) {
    case 0:
        fuzz_probe(data + 1, size - 1);
        break;
    case 1:
    case 2:
    case 3:
    case 4:
        fuzz_names(text, size - 1);
        break;
    case 5:
    case 6:
    case 7:
        fuzz_path(text, size - 1);
        break;
    default:
        fuzz_framing(text);
    }
    free(text);
    return 0;
}
