/* Writes verdicts as JUnit's XML. */
#include "shell/commands/verdicts.h"

#include <time.h>

#include "base/file.h"
#include "base/xml.h"

const char *aw_verdict_name(enum aw_verdict_kind kind)
{
    static const char *const names[] = {"", "passed", "failed", "error", "skipped"};
    return names[kind];
}

const char *aw_tap_name(const char *name, char out[AW_TAP_NAME])
{
    size_t n = 0;
    for (; *name && n + 2 < AW_TAP_NAME; name++) {
        if (*name == '#' || *name == '\\')
            out[n++] = '\\';
        out[n++] = *name;
    }
    out[n] = '\0';
    return out;
}

size_t aw_verdicts_count(const struct aw_verdicts *verdicts, enum aw_verdict_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < verdicts->n; i++)
        n += verdicts->cases[i].kind == kind;
    return n;
}

static void attribute(FILE *file, const char *name, const char *value)
{
    fprintf(file, " %s=\"", name);
    aw_xml_print(file, value);
    fputc('"', file);
}

static void print_case(FILE *file, const struct aw_verdict *v)
{
    static const char *const elements[] = {NULL, NULL, "failure", "error", "skipped"};
    const char *element = elements[v->kind];
    fprintf(file, "    <testcase");
    attribute(file, "name", v->name);
    attribute(file, "classname", v->group);
    fprintf(file, " time=\"%.3f\">\n", v->seconds);
    if (element) {
        fprintf(file, "      <%s", element);
        attribute(file, "message", v->why ? v->why : "");
        fputc('>', file);
        aw_xml_print(file, v->why ? v->why : "");
        fprintf(file, "</%s>\n", element);
    }
    if (v->output && *v->output) {
        fprintf(file, "      <system-out>");
        aw_xml_print(file, v->output);
        fprintf(file, "</system-out>\n");
    }
    fprintf(file, "    </testcase>\n");
}

void aw_verdicts_print(FILE *file, const struct aw_verdicts *all)
{
    size_t failed = aw_verdicts_count(all, AW_VERDICT_FAILED);
    size_t errors = aw_verdicts_count(all, AW_VERDICT_ERROR);
    size_t tests = all->n - aw_verdicts_count(all, AW_VERDICT_NONE);
    double seconds = 0;
    time_t began = (time_t)(all->time_ns / 1000000000);
    struct tm utc;
    char time[40];
    strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S", gmtime_r(&began, &utc));
    for (size_t i = 0; i < all->n; i++)
        seconds += all->cases[i].seconds;
    fprintf(file, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
    attribute(file, "name", all->suite);
    fprintf(file,
            " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\" "
            "timestamp=\"%s\">\n    <properties>\n",
            tests, failed, errors, aw_verdicts_count(all, AW_VERDICT_SKIPPED), seconds, time);
    for (size_t i = 0; i < all->n_properties; i++) {
        fprintf(file, "      <property");
        attribute(file, "name", all->properties[i].name);
        attribute(file, "value", all->properties[i].value);
        fprintf(file, "/>\n");
    }
    fprintf(file, "    </properties>\n");
    for (size_t i = 0; i < all->n; i++)
        if (all->cases[i].kind != AW_VERDICT_NONE)
            print_case(file, &all->cases[i]);
    fprintf(file, "  </testsuite>\n</testsuites>\n");
}

enum aw_status aw_verdicts_save(const struct aw_verdicts *verdicts, const char *path,
                                struct aw_error *err)
{
    struct aw_saving saving;
    if (aw_file_begin(&saving, path))
        aw_verdicts_print(saving.file, verdicts);
    return aw_file_end(&saving) ? AW_OK : aw_file_fail(err, "--junit", path);
}
