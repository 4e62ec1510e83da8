/* What came of the cases of a test, as JUnit's XML: for CI servers; names of cases for TAP.
 *
 *     struct aw_verdicts all = {.suite = "armctl test", .cases = cases, .n = n};
 *     if (aw_verdicts_save(&all, "out.xml", &err) != AW_OK) …
 *
 * A failure is what the test is about: it was not so. An error is all else that kept the case from
 * its end. The form is the one that Jenkins reads (junit-10.xsd of its xUnit plugin).
 */
#ifndef AW_SHELL_COMMANDS_VERDICTS_H
#define AW_SHELL_COMMANDS_VERDICTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

enum aw_verdict_kind {
    AW_VERDICT_NONE, /* it has not been its turn: it is left out */
    AW_VERDICT_PASSED,
    AW_VERDICT_FAILED,
    AW_VERDICT_ERROR,
    AW_VERDICT_SKIPPED,
};

/* Texts are not owned. */
struct aw_verdict {
    const char *group; /* of cases: the name of a file */
    const char *name;  /* unlike that of any other case of its group */
    enum aw_verdict_kind kind;
    double seconds;
    const char *why;    /* in a line, where it did not pass; or NULL */
    const char *output; /* what its commands have printed; or NULL */
};

struct aw_property {
    const char *name, *value;
};

struct aw_verdicts {
    const char *suite;
    int64_t time_ns; /* when it began, since 1970 */
    const struct aw_property *properties;
    size_t n_properties;
    const struct aw_verdict *cases;
    size_t n;
};

/* "passed", "failed", "error", "skipped". */
const char *aw_verdict_name(enum aw_verdict_kind kind);

#define AW_TAP_NAME 360

/* The name of a case as TAP has it: a '#' in it would begin a directive. Returns out. */
const char *aw_tap_name(const char *name, char out[AW_TAP_NAME]);

size_t aw_verdicts_count(const struct aw_verdicts *verdicts, enum aw_verdict_kind kind);

void aw_verdicts_print(FILE *file, const struct aw_verdicts *verdicts);

/* Writes the file in one step: whoever reads it meanwhile, or after a crash, has a whole one. */
enum aw_status aw_verdicts_save(const struct aw_verdicts *verdicts, const char *path,
                                struct aw_error *err);

#endif
