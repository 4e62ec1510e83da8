/* Lists this machine's serial ports with their USB names and drivers. */
#include <errno.h>
#include <libgen.h>
#include <libserialport.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "link/core/port.h"
#include "link/stream/ports.h"

static void copy_text(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text ? text : "");
}

/* Finds the driver of the nearest parent device. Skips the drivers "port" and "ctrl", which belong
 * to the serial core since Linux 6.5. */
static void find_driver(const char *name, char *out, size_t size)
{
    char symlink_path[PATH_MAX], device[PATH_MAX], driver[PATH_MAX];
    snprintf(symlink_path, sizeof symlink_path, "/sys/class/tty/%s/device", name);
    for (bool has_parent = realpath(symlink_path, device) != NULL;
         has_parent && strlen(device) > 13; has_parent = dirname(device) != NULL) {
        snprintf(symlink_path, sizeof symlink_path, "%.*s/driver", PATH_MAX - 16, device);
        if (!realpath(symlink_path, driver))
            continue;
        copy_text(out, size, basename(driver));
        if (strcmp(out, "port") != 0 && strcmp(out, "ctrl") != 0)
            return;
    }
}

static void read_port(struct aw_port *out, const struct sp_port *port)
{
    char name[64];
    int vendor, product;
    *out = (struct aw_port){0};
    copy_text(out->path, sizeof out->path, sp_get_port_name(port));
    copy_text(out->description, sizeof out->description, sp_get_port_description(port));
    copy_text(out->serial, sizeof out->serial, sp_get_port_usb_serial(port));
    if (sp_get_port_usb_vid_pid(port, &vendor, &product) == SP_OK)
        snprintf(out->usb, sizeof out->usb, "%04x:%04x", (unsigned)vendor & 0xFFFF,
                 (unsigned)product & 0xFFFF);
    if (aw_port_in_sysfs(out->path, name, sizeof name))
        find_driver(name, out->driver, sizeof out->driver);
    aw_port_find_holder(out->path, out->holder, sizeof out->holder);
    if (access(out->path, R_OK | W_OK) != 0)
        aw_port_explain(out->path, errno, out->problem, sizeof out->problem);
}

size_t aw_link_list_serial(struct aw_port *ports, size_t max)
{
    struct sp_port **list;
    size_t n = 0;
    if (sp_list_ports(&list) != SP_OK)
        return 0;
    for (; list[n]; n++)
        if (n < max)
            read_port(&ports[n], list[n]);
    sp_free_port_list(list);
    return n;
}
