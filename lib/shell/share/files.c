/* Files of a client's command: what it reads comes with the request, what it writes goes back with
 * the answer. In between they are in a folder of the server's own, and nowhere else: a client names
 * no file of the server's machine. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xdg.h"
#include "shell/share/base64.h"
#include "shell/share/server.h"

#define CHUNK     (192 << 10) /* bytes in one line, a multiple of 3 */
#define FILE_MOST (16 << 20)

static enum aw_status make_folder(struct aw_server *server)
{
    char folder[80];
    if (*server->folder)
        return AW_OK;
    enum aw_status status = aw_xdg_runtime(folder, sizeof folder, &server->session->err);
    if (status != AW_OK)
        return status;
    snprintf(server->folder, sizeof server->folder, "%s/serve-XXXXXX", folder);
    if (mkdtemp(server->folder))
        return AW_OK;
    status = aw_file_fail(&server->session->err, "serve", server->folder);
    *server->folder = '\0';
    return status;
}

static bool stamp(const char *path, struct timespec *when)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    *when = about.st_mtim;
    return true;
}

/* One file, with its content if it came with any. */
static enum aw_status put_file(struct aw_server *server, const char *name, const json_t *data)
{
    struct aw_shared_file *file = &server->files[server->n_files];
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    struct timespec past = {.tv_sec = 1};
    size_t size = 0;
    char folder[sizeof file->path];
    if (server->n_files == AW_FILES_MAX || !*base || strcmp(base, ".") == 0 ||
        strcmp(base, "..") == 0 || strlen(base) > 100 || strlen(name) >= sizeof file->name)
        return aw_fail(&server->session->err, AW_USAGE, "'%.80s': not a name of a file", name);
    snprintf(file->name, sizeof file->name, "%s", name);
    snprintf(folder, sizeof folder, "%s/%zu", server->folder, server->n_files);
    snprintf(file->path, sizeof file->path, "%.100s/%.100s", folder, base);
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return aw_file_fail(&server->session->err, "serve", folder);
    server->n_files++;
    if (!json_is_string(data))
        return AW_OK;
    uint8_t *bytes = aw_base64_decode(json_string_value(data), json_string_length(data), &size);
    if (!bytes)
        return aw_fail(&server->session->err, AW_USAGE, "'%.80s': not base64", name);
    enum aw_status status = aw_file_write(file->path, bytes, size, &server->session->err);
    free(bytes);
    utimensat(AT_FDCWD, file->path, (struct timespec[]){past, past}, 0);
    return status;
}

enum aw_status aw_files_put(struct aw_server *server, const json_t *files)
{
    size_t i;
    const json_t *file;
    server->n_files = 0;
    enum aw_status status = json_array_size(files) ? make_folder(server) : AW_OK;
    json_array_foreach(files, i, file)
    {
        const char *name = json_string_value(json_object_get(file, "file"));
        if (status == AW_OK)
            status = put_file(server, name ? name : "", json_object_get(file, "data"));
    }
    return status;
}

const char *aw_files_path(const struct aw_server *server, const char *name)
{
    for (size_t i = 0; i < server->n_files; i++)
        if (strcmp(server->files[i].name, name) == 0)
            return server->files[i].path;
    return NULL;
}

char *aw_files_names(const struct aw_server *server, const char *text, size_t size)
{
    char *copy = strndup(text, size);
    for (size_t i = 0; copy && i < server->n_files; i++) {
        const struct aw_shared_file *file = &server->files[i];
        size_t length = strlen(file->path);
        for (char *at = strstr(copy, file->path); at; at = strstr(copy, file->path)) {
            char *more = NULL;
            if (asprintf(&more, "%.*s%s%s", (int)(at - copy), copy, file->name, at + length) < 0)
                break;
            free(copy);
            copy = more;
        }
    }
    return copy;
}

static void send_file(struct aw_peer *peer, const char *id, const struct aw_shared_file *file)
{
    char name[6 * sizeof file->name];
    size_t size;
    char *bytes = malloc(CHUNK);
    FILE *in = bytes ? aw_file_open(file->path) : NULL;
    bool begun = false;
    *aw_json_string(name, file->name, sizeof file->name) = '\0';
    while (in && ((size = fread(bytes, 1, CHUNK, in)) > 0 || !begun)) {
        char *line = NULL, *text = aw_base64(bytes, size);
        int length = text ? asprintf(&line, "{%s\"file\":%s,\"%s\":\"%s\"}\n", id, name,
                                     begun ? "more" : "data", text)
                          : -1;
        if (length > 0)
            aw_peer_put(peer, line, (size_t)length, false);
        if (length > 0)
            free(line);
        free(text);
        begun = true;
    }
    if (in)
        fclose(in);
    free(bytes);
}

void aw_files_return(struct aw_server *server, struct aw_peer *peer, const char *id)
{
    for (size_t i = 0; i < server->n_files; i++) {
        const struct aw_shared_file *file = &server->files[i];
        struct timespec when;
        char folder[sizeof file->path];
        if (peer && *id && stamp(file->path, &when) && when.tv_sec != 1)
            send_file(peer, id, file);
        unlink(file->path);
        snprintf(folder, sizeof folder, "%s/%zu", server->folder, i);
        rmdir(folder);
    }
    server->n_files = 0;
}

void aw_files_end(const struct aw_server *server)
{
    if (*server->folder)
        rmdir(server->folder);
}
