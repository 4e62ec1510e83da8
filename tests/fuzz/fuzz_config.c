/* Any text as a config file: read, or refused with the number of the line. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("config", 0);
    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct aw_session *session = open_session();
    enum aw_status status = aw_config_load(session, path);
    MUST(status == AW_OK || strstr(session->err.text, "line "));
    MUST(session->config->n_aliases <= AW_ALIASES_MAX);
    close_session(session);
    close(fd);
    return 0;
}
