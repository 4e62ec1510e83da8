/* What is plugged in, by hidapi's list and sysfs. Nothing is opened. */
#include <errno.h>
#include <hidapi/hidapi.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "link/core/port.h"
#include "link/hid/hid_port.h"

#define PAGE_VENDOR 0xFF00
#define PAGE_SEREMU 0xFFC9 /* of a Teensy: its serial port, as HID */

static const struct aw_board *boards_of(const struct aw_protocol *protocol)
{
    static const struct aw_board none[1];
    return protocol && protocol->boards ? protocol->boards : none;
}

/* The kernel's name of a HID device has bus, vendor and product; it is there for devices made by
 * uhid, too, which have no USB device above them. */
static void udev_line(uint16_t vendor, uint16_t product, char *out, size_t size)
{
    snprintf(out, size,
             "KERNEL==\"hidraw*\", KERNELS==\"0003:%04X:%04X.*\", MODE=\"0660\", "
             "GROUP=\"plugdev\", TAG+=\"uaccess\"",
             vendor, product);
}

static size_t add(char *out, size_t size, size_t used, const char *text)
{
    bool room = used < size;
    return used + (size_t)snprintf(room ? out + used : NULL, room ? size - used : 0, "%s", text);
}

size_t aw_hid_udev_rules(const struct aw_protocol *protocol, char *out, size_t size)
{
    char text[400], line[160];
    snprintf(text, sizeof text,
             "# %s: robot arms with HID reports, for the user at the machine\n# and for the "
             "group plugdev. Then:\n"
             "#   sudo udevadm control --reload && sudo udevadm trigger\n",
             protocol->udev_file);
    size_t used = add(out, size, 0, text);
    for (const struct aw_board *row = boards_of(protocol); row->name; row++) {
        udev_line(row->vendor, row->product, line, sizeof line);
        snprintf(text, sizeof text,
                 "\n# %s\n%s\n"
                 "SUBSYSTEMS==\"usb\", ATTRS{idVendor}==\"%04x\", ATTRS{idProduct}==\"%04x\", "
                 "ENV{ID_MM_DEVICE_IGNORE}=\"1\"\n",
                 row->name, line, row->vendor, row->product);
        used = add(out, size, used, text);
    }
    return used;
}

void aw_hid_problem(const struct aw_protocol *protocol, const struct aw_hid_port *port, int error,
                    char *out, size_t size)
{
    char line[160];
    if ((error == EACCES || error == EPERM) && port->vendor) {
        bool named = protocol && protocol->udev_file;
        udev_line(port->vendor, port->product, line, sizeof line);
        snprintf(out, size, "not permitted — put this into %s%s and plug the board in again: %s",
                 named ? protocol->udev_file : "a file in /etc/udev/rules.d",
                 named ? " ('udev' prints it)" : "", line);
    } else if (error == ENOTTY || error == EINVAL || error == EISDIR) {
        snprintf(out, size, "no HID device — write hid:/dev/hidrawN, see 'list'");
    } else if (error == ENOENT || error == ENODEV || error == ENXIO) {
        snprintf(out, size, "no such device — is the board plugged in? See 'list'");
    } else {
        aw_port_problem(port->path, error, out, size);
    }
}

/* Removes control characters from a text of the device, which is printed to terminals. */
static void copy_text(char *out, size_t size, const wchar_t *text)
{
    size_t n = 0;
    for (; text && *text && n + 1 < size; text++)
        out[n++] = *text >= 0x20 && *text < 0x7F ? (char)*text : '?';
    out[n] = '\0';
}

static bool is_vendor_page(uint16_t page)
{
    return page >= PAGE_VENDOR && page != PAGE_SEREMU;
}

static void fill(struct aw_hid_port *port, const struct hid_device_info *info,
                 const struct aw_board *boards)
{
    *port = (struct aw_hid_port){.vendor = info->vendor_id,
                                 .product = info->product_id,
                                 .usage_page = info->usage_page,
                                 .usage = info->usage,
                                 .interface = info->interface_number};
    snprintf(port->path, sizeof port->path, "%s", info->path);
    copy_text(port->serial, sizeof port->serial, info->serial_number);
    copy_text(port->manufacturer, sizeof port->manufacturer, info->manufacturer_string);
    copy_text(port->name, sizeof port->name, info->product_string);
    for (const struct aw_board *row = boards; row->name; row++)
        if (row->vendor == port->vendor && row->product == port->product)
            snprintf(port->board, sizeof port->board, "%s", row->name);
    /* Interfaces of a USB device have it in common two floors up; others are devices by themselves.
     */
    char link[80], real[PATH_MAX];
    const char *name = strrchr(port->path, '/');
    snprintf(link, sizeof link, "/sys/class/hidraw/%.40s/device", name ? name + 1 : "");
    const char *device = realpath(link, real) ? real : port->path;
    if (device == real && port->interface >= 0)
        device = dirname(dirname(real));
    snprintf(port->device, sizeof port->device, "%.*s", (int)sizeof port->device - 1, device);
}

/* hidapi lists a node once for each of its collections; the vendor's own one is what counts. */
static bool known_already(struct aw_hid_port *ports, size_t n, const struct hid_device_info *info)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(ports[i].path, info->path) != 0)
            continue;
        if (is_vendor_page(info->usage_page) && !is_vendor_page(ports[i].usage_page)) {
            ports[i].usage_page = info->usage_page;
            ports[i].usage = info->usage;
        }
        return true;
    }
    return false;
}

static int by_path(const void *a, const void *b)
{
    const char *left = ((const struct aw_hid_port *)a)->path;
    const char *right = ((const struct aw_hid_port *)b)->path;
    size_t left_size = strlen(left), right_size = strlen(right);
    if (left_size != right_size) /* hidraw9 before hidraw10 */
        return left_size < right_size ? -1 : 1;
    return strcmp(left, right);
}

static bool fits(const struct aw_hid_port *port, const struct aw_hid_choice *choice)
{
    bool any = choice->vendor || choice->serial;
    return (choice->usage_page >= 0 ? port->usage_page == choice->usage_page
                                    : is_vendor_page(port->usage_page)) &&
           (any || *port->board) &&
           (!choice->vendor ||
            (port->vendor == choice->vendor && port->product == choice->product)) &&
           (!choice->serial || strcmp(port->serial, choice->serial) == 0) &&
           (choice->interface < 0 || port->interface == choice->interface);
}

/* The order of the nodes is that in which the kernel found them, mostly that of the interfaces. */
static bool is_lowest(const struct aw_hid_port *ports, size_t n, size_t i,
                      const struct aw_hid_choice *choice)
{
    for (size_t k = 0; k < n; k++) {
        bool before = ports[k].interface < ports[i].interface ||
                      (ports[k].interface == ports[i].interface && k < i);
        if (before && strcmp(ports[k].device, ports[i].device) == 0 && fits(&ports[k], choice))
            return false;
    }
    return true;
}

static bool serial_differs(const struct aw_hid_port *ports, size_t n, size_t i)
{
    const char *serial = ports[i].serial;
    if (!ports[i].chosen || !*serial || strpbrk(serial, "?& "))
        return false;
    for (size_t k = 0; k < n; k++)
        if (k != i && strcmp(ports[k].device, ports[i].device) != 0 &&
            strcmp(ports[k].serial, serial) == 0)
            return false;
    return true;
}

size_t aw_hid_find(const struct aw_protocol *protocol, struct aw_hid_port *ports,
                   const struct aw_hid_choice *choice)
{
    size_t n = 0;
    struct hid_device_info *list = hid_enumerate(0, 0);
    for (const struct hid_device_info *info = list; info && n < AW_HID_PORTS; info = info->next)
        if (info->path && !known_already(ports, n, info))
            fill(&ports[n++], info, boards_of(protocol));
    hid_free_enumeration(list);
    qsort(ports, n, sizeof *ports, by_path);
    for (size_t i = 0; i < n; i++)
        ports[i].chosen = fits(&ports[i], choice) && is_lowest(ports, n, i, choice);
    for (size_t i = 0; i < n; i++) {
        bool serial = serial_differs(ports, n, i);
        snprintf(ports[i].url, sizeof ports[i].url, "hid:%s%s", serial ? "serial=" : "",
                 serial ? ports[i].serial : ports[i].path);
    }
    return n;
}

size_t aw_link_list_hid(const struct aw_protocol *protocol, struct aw_hid_port *ports, size_t max)
{
    static const struct aw_hid_choice any = {.usage_page = -1, .interface = -1};
    struct aw_hid_port all[AW_HID_PORTS];
    size_t n = aw_hid_find(protocol, all, &any);
    for (size_t i = 0; i < n && i < max; i++) {
        ports[i] = all[i];
        if (is_vendor_page(ports[i].usage_page)) /* who has the mouse is of no interest */
            aw_port_holder(ports[i].path, ports[i].holder, sizeof ports[i].holder);
        if (access(ports[i].path, R_OK | W_OK) != 0)
            aw_hid_problem(protocol, &ports[i], errno, ports[i].problem, sizeof ports[i].problem);
    }
    return n;
}
