/* Lists connected boards from sysfs, without opening their nodes. */
#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "link/core/port.h"
#include "link/hid/hid_port.h"

#define PAGE_VENDOR 0xFF00
#define PAGE_SEREMU 0xFFC9 /* serial port of a Teensy, emulated over HID */

/* Items of a report descriptor, without the two bits for their size. */
#define ITEM            0xFC
#define ITEM_PAGE       0x04
#define ITEM_USAGE      0x08
#define ITEM_COLLECTION 0xA0
#define ITEM_END        0xC0

/* Lists vendors. A rule for every serial port would hide real modems from ModemManager. */
#define SERIAL_RULE                                                                                \
    "\n# Serial adapters: FTDI, Prolific, CP210x, CH340, Arduino, Adafruit, Pico, Teensy, "        \
    "CANable\n"                                                                                    \
    "SUBSYSTEM==\"tty\", KERNEL==\"ttyUSB*|ttyACM*\", "                                            \
    "ATTRS{idVendor}==\"0403|067b|10c4|1a86|2341|239a|2e8a|16c0|16d0|ad50\", "                     \
    "TAG+=\"uaccess\", ENV{ID_MM_PORT_IGNORE}=\"1\"\n"

static const struct aw_board *get_boards(const struct aw_protocol *protocol)
{
    static const struct aw_board none[1];
    return protocol && protocol->hid.boards ? protocol->hid.boards : none;
}

/* Prints a udev rule that matches the kernel's name of a HID device, with bus, vendor and product.
 * Devices of uhid also have such a name, but no USB device above them. */
static void print_udev_rule(uint16_t vendor, uint16_t product, char *out, size_t size)
{
    snprintf(out, size,
             "KERNEL==\"hidraw*\", KERNELS==\"0003:%04X:%04X.*\", MODE=\"0660\", "
             "GROUP=\"plugdev\", TAG+=\"uaccess\"",
             vendor, product);
}

static size_t append(char *out, size_t size, size_t used, const char *text)
{
    bool fits = used < size;
    return used + (size_t)snprintf(fits ? out + used : NULL, fits ? size - used : 0, "%s", text);
}

size_t aw_link_udev_rules(const struct aw_protocol *protocol, char *out, size_t size)
{
    char text[400], line[160];
    snprintf(text, sizeof text,
             "# %s: access for the local user, no ModemManager.\n# Then:\n"
             "#   sudo udevadm control --reload && sudo udevadm trigger\n",
             protocol->hid.udev_file);
    size_t used = append(out, size, 0, text);
    for (const struct aw_board *row = get_boards(protocol); row->name; row++) {
        print_udev_rule(row->vendor, row->product, line, sizeof line);
        snprintf(text, sizeof text,
                 "\n# %s\n%s\n"
                 "SUBSYSTEMS==\"usb\", ATTRS{idVendor}==\"%04x\", ATTRS{idProduct}==\"%04x\", "
                 "ENV{ID_MM_DEVICE_IGNORE}=\"1\"\n",
                 row->name, line, row->vendor, row->product);
        used = append(out, size, used, text);
    }
    return append(out, size, used, SERIAL_RULE);
}

void aw_hid_explain(const struct aw_protocol *protocol, const struct aw_hid_port *port, int error,
                    char *out, size_t size)
{
    char line[160];
    if ((error == EACCES || error == EPERM) && port->vendor) {
        bool has_file = protocol && protocol->hid.udev_file;
        print_udev_rule(port->vendor, port->product, line, sizeof line);
        snprintf(out, size,
                 "permission denied — put this into %s%s and plug the board in again: %s",
                 has_file ? protocol->hid.udev_file : "a file in /etc/udev/rules.d",
                 has_file ? " ('list --udev' prints it)" : "", line);
    } else if (error == ENOTTY || error == EINVAL || error == EISDIR) {
        snprintf(out, size, "not a HID device — write hid:/dev/hidrawN, see 'list'");
    } else if (error == ENOENT || error == ENODEV || error == ENXIO) {
        snprintf(out, size, "device not found — plug the board in, and see 'list'");
    } else {
        aw_port_explain(port->path, error, out, size);
    }
}

/* Reads an attribute of /sys/class/hidraw/NAME/device, or "" if it does not exist. Returns the
 * number of bytes. */
static size_t read_attribute(const char *name, const char *attribute, char *out, size_t size)
{
    char path[120];
    snprintf(path, sizeof path, "/sys/class/hidraw/%.40s/device/%s", name, attribute);
    FILE *file = fopen(path, "re");
    size_t n = file ? fread(out, 1, size - 1, file) : 0;
    if (file)
        fclose(file);
    out[n] = '\0';
    return n;
}

/* Copies one line without control characters. The text comes from the device and is shown on
 * terminals. */
static void copy_line(char *out, size_t size, const char *text)
{
    size_t n = 0;
    for (; *text && *text != '\n' && n + 1 < size; text++)
        out[n++] = *text >= 0x20 && *text < 0x7F ? *text : '?';
    out[n] = '\0';
}

static void copy_attribute(const char *name, const char *attribute, char *out, size_t size)
{
    char text[256];
    if (read_attribute(name, attribute, text, sizeof text) > 0)
        copy_line(out, size, text);
}

static bool is_vendor_page(uint16_t page)
{
    return page >= PAGE_VENDOR && page != PAGE_SEREMU;
}

/* Sets usage_page and usage of port to those of the first top-level collection with a
 * vendor-defined usage page. Without one, uses the first top-level collection. */
static void find_usage(struct aw_hid_port *port, const uint8_t *at, const uint8_t *end)
{
    static const uint8_t sizes[] = {0, 1, 2, 4};
    uint32_t page = 0, usage = 0;
    for (int depth = 0; at < end && end - at > sizes[*at & 3]; at += 1 + sizes[*at & 3]) {
        uint32_t value = 0;
        for (size_t i = sizes[*at & 3]; i > 0; i--)
            value = value << 8 | at[i];
        switch (*at & ITEM) {
        case ITEM_PAGE:
            page = value << 16;
            break;
        case ITEM_USAGE:
            usage = usage ? usage : value | (value > UINT16_MAX ? 0 : page);
            break;
        case ITEM_COLLECTION:
            if (depth++ == 0 && !is_vendor_page(port->usage_page) &&
                (!port->usage_page || is_vendor_page((uint16_t)(usage >> 16)))) {
                port->usage_page = (uint16_t)(usage >> 16);
                port->usage = (uint16_t)usage;
            }
            usage = 0;
            break;
        case ITEM_END:
            depth--;
            break;
        default:
            break;
        }
    }
}

/* Reads an interface's properties from sysfs. The interfaces of a USB device have the same folder
 * two levels up; devices of uhid have no such folder. */
static void read_port(struct aw_hid_port *port, const char *name, const struct aw_board *boards)
{
    char text[4097], link[80], real[PATH_MAX];
    unsigned vendor = 0, product = 0;
    *port = (struct aw_hid_port){.interface = -1};
    snprintf(port->path, sizeof port->path, "/dev/%.20s", name);
    size_t n = read_attribute(name, "report_descriptor", text, sizeof text);
    find_usage(port, (uint8_t *)text, (uint8_t *)text + n);
    read_attribute(name, "uevent", text, sizeof text);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        /* NOLINTNEXTLINE(cert-err34-c): the kernel's numbers */
        sscanf(line, "HID_ID=%*x:%x:%x", &vendor, &product);
        if (strncmp(line, "HID_NAME=", 9) == 0)
            copy_line(port->name, sizeof port->name, line + 9);
        else if (strncmp(line, "HID_UNIQ=", 9) == 0)
            copy_line(port->serial, sizeof port->serial, line + 9);
    }
    port->vendor = (uint16_t)vendor;
    port->product = (uint16_t)product;
    if (read_attribute(name, "../bInterfaceNumber", text, sizeof text) > 0) {
        port->interface = (int)strtol(text, NULL, 16);
        copy_attribute(name, "../../manufacturer", port->manufacturer, sizeof port->manufacturer);
        copy_attribute(name, "../../product", port->name, sizeof port->name);
    }
    for (const struct aw_board *row = boards; row->name; row++)
        if (row->vendor == port->vendor && row->product == port->product)
            snprintf(port->board, sizeof port->board, "%s", row->name);
    snprintf(link, sizeof link, "/sys/class/hidraw/%.40s/device", name);
    const char *device = realpath(link, real) ? real : port->path;
    if (device == real && port->interface >= 0)
        device = dirname(dirname(real));
    snprintf(port->device, sizeof port->device, "%.*s", (int)sizeof port->device - 1, device);
}

static int compare_paths(const void *a, const void *b)
{
    const char *left = ((const struct aw_hid_port *)a)->path;
    const char *right = ((const struct aw_hid_port *)b)->path;
    size_t left_size = strlen(left), right_size = strlen(right);
    if (left_size != right_size) /* sorts hidraw9 before hidraw10 */
        return left_size < right_size ? -1 : 1;
    return strcmp(left, right);
}

static bool matches_choice(const struct aw_hid_port *port, const struct aw_hid_choice *choice)
{
    bool is_named = choice->vendor || choice->serial;
    return (choice->usage_page >= 0 ? port->usage_page == choice->usage_page
                                    : is_vendor_page(port->usage_page)) &&
           (is_named || *port->board) &&
           (!choice->vendor ||
            (port->vendor == choice->vendor && port->product == choice->product)) &&
           (!choice->serial || strcmp(port->serial, choice->serial) == 0) &&
           (choice->interface < 0 || port->interface == choice->interface);
}

/* Returns true for the lowest interface of its device. Uses the order in which the kernel found the
 * nodes, which is usually the order of the interfaces. */
static bool is_lowest(const struct aw_hid_port *ports, size_t n, size_t i,
                      const struct aw_hid_choice *choice)
{
    for (size_t k = 0; k < n; k++) {
        bool is_lower = ports[k].interface < ports[i].interface ||
                        (ports[k].interface == ports[i].interface && k < i);
        if (is_lower && strcmp(ports[k].device, ports[i].device) == 0 &&
            matches_choice(&ports[k], choice))
            return false;
    }
    return true;
}

static bool is_serial_unique(const struct aw_hid_port *ports, size_t n, size_t i)
{
    const char *serial = ports[i].serial;
    if (!ports[i].is_candidate || !*serial || strpbrk(serial, "?& "))
        return false;
    for (size_t k = 0; k < n; k++)
        if (k != i && strcmp(ports[k].device, ports[i].device) != 0 &&
            strcmp(ports[k].serial, serial) == 0)
            return false;
    return true;
}

size_t aw_hid_find_ports(const struct aw_protocol *protocol, struct aw_hid_port *ports,
                         const struct aw_hid_choice *choice)
{
    size_t n = 0;
    DIR *dir = opendir("/sys/class/hidraw");
    for (struct dirent *entry; dir && n < AW_HID_PORTS && (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            read_port(&ports[n++], entry->d_name, get_boards(protocol));
    if (dir)
        closedir(dir);
    qsort(ports, n, sizeof *ports, compare_paths);
    for (size_t i = 0; i < n; i++)
        ports[i].is_candidate = matches_choice(&ports[i], choice) && is_lowest(ports, n, i, choice);
    for (size_t i = 0; i < n; i++) {
        bool by_serial = is_serial_unique(ports, n, i);
        snprintf(ports[i].url, sizeof ports[i].url, "hid:%s%s", by_serial ? "serial=" : "",
                 by_serial ? ports[i].serial : ports[i].path);
    }
    return n;
}

size_t aw_link_list_hid(const struct aw_protocol *protocol, struct aw_hid_port *ports, size_t max)
{
    static const struct aw_hid_choice any = {.usage_page = -1, .interface = -1};
    struct aw_hid_port found[AW_HID_PORTS];
    size_t n = aw_hid_find_ports(protocol, found, &any);
    for (size_t i = 0; i < n && i < max; i++) {
        ports[i] = found[i];
        /* does not search for the users of mice and keyboards */
        if (is_vendor_page(ports[i].usage_page))
            aw_port_find_holder(ports[i].path, ports[i].holder, sizeof ports[i].holder);
        if (access(ports[i].path, R_OK | W_OK) != 0)
            aw_hid_explain(protocol, &ports[i], errno, ports[i].problem, sizeof ports[i].problem);
    }
    return n;
}
