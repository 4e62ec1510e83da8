/* Fuzzes gain files. */
#ifndef TESTS_FUZZ_GAINS_H
#define TESTS_FUZZ_GAINS_H

#include "control/gain_file.h"
#include "fuzz.h"

/* Reads the input as a gain file. Accepted gains must survive a round trip; there is room for all
 * of them in gains and again. */
static inline void try_gain_file(const struct aw_gain_file *kind, struct aw_gain *gains,
                                 struct aw_gain *again, const uint8_t *data, size_t size)
{
    struct aw_error err = {.text = ""};
    struct copy copy;
    FILE *in = file_of(data, size);
    enum aw_status status = aw_gain_file_read(kind, NULL, gains, in, "fuzz", &err);
    fclose(in);
    if (status != AW_OK) {
        MUST(strncmp(err.text, "fuzz:", 5) == 0 && aw_count_gains(kind, gains) == 0);
        return;
    }
    aw_gain_file_write(kind, NULL, gains, write_copy(&copy));
    MUST(aw_gain_file_read(kind, NULL, again, read_copy(&copy), "again", &err) == AW_OK);
    end_copy(&copy);
    for (size_t i = 0; i < kind->n_gains; i++)
        MUST(!aw_gain_differs(&gains[i], &again[i]));
}

#endif
