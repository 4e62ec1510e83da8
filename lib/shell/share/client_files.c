/* Files of a command that a server carries out: what it reads goes along, what it writes comes back
 * under the same name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"
#include "shell/share/attached.h"
#include "shell/share/base64.h"

#define FILE_MOST (16 << 20)

static bool read_file(const char *path, char **out)
{
    struct stat about;
    FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= FILE_MOST
                     ? aw_file_open(path)
                     : NULL;
    char *bytes = file ? malloc((size_t)about.st_size + 1) : NULL;
    if (bytes)
        *out = aw_base64(bytes, fread(bytes, 1, (size_t)about.st_size, file));
    if (file)
        fclose(file);
    free(bytes);
    return bytes && *out;
}

static void add_file(json_t *files, const char *path)
{
    char *text = NULL;
    json_t *file = json_pack("{s:s}", "file", path);
    if (read_file(path, &text))
        json_object_set_new(file, "data", json_string(text));
    free(text);
    json_array_append_new(files, file);
}

static bool names_file(const struct aw_option_value *value)
{
    static const char *const ours[] = {"record", "config", "log", "token", NULL};
    return !aw_is_one_of(ours, value->option->name) && value->text &&
           value->origin != AW_FROM_DEFAULT && value->option->value &&
           strcmp(value->option->value, "FILE") == 0;
}

json_t *aw_client_files(const struct aw_session *session)
{
    json_t *files = json_array();
    for (size_t i = 0; i < session->args->n; i++)
        if (session->args->bound[i].arg->kind == AW_ARG_FILE)
            add_file(files, session->args->bound[i].text);
    for (size_t i = 0; i < session->options.n; i++)
        if (names_file(&session->options.values[i]))
            add_file(files, session->options.values[i].text);
    return files;
}

/* Only what its user has named, however sure of it a server may be. */
static bool is_named(const struct aw_attached *attached, const char *name)
{
    size_t i;
    const json_t *file;
    json_array_foreach(attached->files, i, file)
    {
        if (strcmp(json_string_value(json_object_get(file, "file")), name) == 0)
            return true;
    }
    return false;
}

void aw_client_take_file(struct aw_attached *attached, const json_t *object)
{
    const json_t *data = json_object_get(object, "data"), *more = json_object_get(object, "more");
    const json_t *text = data ? data : more;
    const char *name = json_string_value(json_object_get(object, "file"));
    size_t size = 0;
    uint8_t *bytes = json_is_string(text) ? aw_base64_decode(json_string_value(text),
                                                             json_string_length(text), &size)
                                          : NULL;
    if (!bytes || !name || !is_named(attached, name) || attached->failed.status != AW_OK) {
        free(bytes);
        return;
    }
    FILE *file = data ? aw_file_create(name) : fopen(name, "ae");
    if (file)
        fwrite(bytes, 1, size, file);
    if (!file || !aw_file_close(file))
        aw_file_fail(&attached->failed, NULL, name);
    free(bytes);
}
