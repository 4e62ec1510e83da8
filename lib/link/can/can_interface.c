/* Lists the kernel's CAN interfaces and their states, using sysfs and ioctl. */
#include "link/can/can_interface.h"

#include <dirent.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "link/can/can.h"

#define NETS     "/sys/class/net"
#define TYPE_CAN 280 /* ARPHRD_CAN */

bool aw_can_is_interface(const char *name)
{
    char path[300];
    char text[16] = "";
    snprintf(path, sizeof path, NETS "/%.255s/type", name);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool found = fgets(text, sizeof text, file) && strtol(text, NULL, 10) == TYPE_CAN;
    fclose(file);
    return found;
}

/* Returns false for a virtual interface, which has no device and no bit rate. */
static bool is_hardware(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, NETS "/%.255s/device", name);
    return access(path, F_OK) == 0;
}

static int read_flags(const char *name)
{
    struct ifreq request = {0};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) /* the ioctl accepts any type of socket */
        fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    snprintf(request.ifr_name, sizeof request.ifr_name, "%.15s", name);
    if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &request) != 0)
        request.ifr_flags = 0;
    if (fd >= 0)
        close(fd);
    return request.ifr_flags;
}

bool aw_can_is_interface_up(const char *name)
{
    return read_flags(name) & IFF_UP && aw_can_is_interface(name);
}

static void list_interfaces(char *out, size_t size)
{
    DIR *directory = opendir(NETS);
    const struct dirent *entry;
    *out = '\0';
    while (directory && (entry = readdir(directory)))
        if (entry->d_name[0] != '.' && aw_can_is_interface(entry->d_name))
            aw_append(out, size, " ", "%.20s", entry->d_name);
    if (directory)
        closedir(directory);
}

static void describe_missing(const char *name, char *out, size_t size)
{
    char available[100];
    list_interfaces(available, sizeof available);
    if (if_nametoindex(name) > 0)
        snprintf(out, size, "not a CAN interface%s%s",
                 *available ? " — available: " : ", none found — plug in the adapter", available);
    else if (*available)
        snprintf(out, size, "interface not found — available: %s", available);
    else
        snprintf(out, size,
                 "no CAN interface found — plug in the adapter, or: sudo ip link add %s type vcan",
                 name);
}

bool aw_can_find_problem(const char *name, char *out, size_t size)
{
    if (aw_can_is_interface_up(name))
        return false;
    if (!aw_can_is_interface(name))
        describe_missing(name, out, size);
    else
        snprintf(out, size, "interface is down — run: sudo ip link set %s up%s", name,
                 is_hardware(name) ? " type can bitrate 1000000" : "");
    return true;
}
