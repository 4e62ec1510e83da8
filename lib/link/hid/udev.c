/* What hidapi uses of libudev, loaded when the first board is looked for: loading it takes a third
 * of the time that a command without a board does. A program that is linked with hidapi's archive
 * finds these functions here; hidapi's shared library brings libudev itself. */
#include <dlfcn.h>
#include <libudev.h>
#include <string.h>

/* To *function; NULL: there is no such library, and no board is found then. */
static void load(const char *name, void *function)
{
    void *library = dlopen("libudev.so.1", RTLD_LAZY | RTLD_NODELETE);
    void *symbol = library ? dlsym(library, name) : NULL;
    memcpy(function, &symbol, sizeof symbol);
}

#define GIVES(type, name, parameters, arguments)                                                   \
    type name parameters                                                                           \
    {                                                                                              \
        type(*function) parameters;                                                                \
        load(#name, &function);                                                                    \
        return function ? function arguments : (type)0;                                            \
    }

GIVES(struct udev *, udev_new, (void), ())
GIVES(struct udev *, udev_unref, (struct udev * udev), (udev))

GIVES(struct udev_enumerate *, udev_enumerate_new, (struct udev * udev), (udev))
GIVES(struct udev_enumerate *, udev_enumerate_unref, (struct udev_enumerate * all), (all))
GIVES(int, udev_enumerate_add_match_subsystem, (struct udev_enumerate * all, const char *name),
      (all, name))
GIVES(int, udev_enumerate_scan_devices, (struct udev_enumerate * all), (all))
GIVES(struct udev_list_entry *, udev_enumerate_get_list_entry, (struct udev_enumerate * all), (all))
GIVES(struct udev_list_entry *, udev_list_entry_get_next, (struct udev_list_entry * entry), (entry))
GIVES(const char *, udev_list_entry_get_name, (struct udev_list_entry * entry), (entry))

GIVES(struct udev_device *, udev_device_new_from_syspath, (struct udev * udev, const char *path),
      (udev, path))
GIVES(struct udev_device *, udev_device_new_from_devnum,
      (struct udev * udev, char type, dev_t number), (udev, type, number))
GIVES(struct udev_device *, udev_device_unref, (struct udev_device * device), (device))
GIVES(struct udev_device *, udev_device_get_parent_with_subsystem_devtype,
      (struct udev_device * device, const char *subsystem, const char *type),
      (device, subsystem, type))
GIVES(const char *, udev_device_get_devnode, (struct udev_device * device), (device))
GIVES(const char *, udev_device_get_syspath, (struct udev_device * device), (device))
GIVES(const char *, udev_device_get_sysattr_value, (struct udev_device * device, const char *name),
      (device, name))
