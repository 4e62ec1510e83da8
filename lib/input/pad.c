/* A pad by libevdev, or played from a recording. */
#include "input/pad.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libevdev-1.0/libevdev/libevdev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "input/evemu.h"

#define FOLDER "/dev/input"

struct device {
    int fd; /* -1: none */
    struct libevdev *evdev;
};

struct aw_pad {
    struct device main, sensor;
    struct aw_evemu recording; /* of no events: a device */
    size_t next;
    int64_t start_ns; /* of the recording: when it was asked first; or AW_NEVER */
    bool gone, syncing, lost, other;
    struct aw_caps caps;
    struct aw_controls names;
};

/* ---- Devices -----------------------------------------------------------------------------------
 */

static void fill_caps(struct aw_caps *caps, struct libevdev *evdev)
{
    *caps = (struct aw_caps){
        .bus = (uint16_t)libevdev_get_id_bustype(evdev),
        .vendor = (uint16_t)libevdev_get_id_vendor(evdev),
        .product = (uint16_t)libevdev_get_id_product(evdev),
        .version = (uint16_t)libevdev_get_id_version(evdev),
        .motion = libevdev_has_property(evdev, INPUT_PROP_ACCELEROMETER),
    };
    snprintf(caps->name, sizeof caps->name, "%s", libevdev_get_name(evdev));
    for (unsigned code = 0; code < KEY_CNT; code++) {
        if (libevdev_has_event_code(evdev, EV_KEY, code))
            aw_caps_set(caps->keys, code);
        if (libevdev_get_event_value(evdev, EV_KEY, code))
            aw_caps_set(caps->held, code);
    }
    for (unsigned code = 0; code < ABS_CNT; code++) {
        const struct input_absinfo *info = libevdev_get_abs_info(evdev, code);
        if (!info)
            continue;
        aw_caps_set(caps->axes, code);
        caps->axis[code] = (struct aw_caps_axis){info->minimum, info->maximum, info->value};
    }
}

static void close_device(struct device *device)
{
    libevdev_free(device->evdev);
    if (device->fd >= 0)
        close(device->fd);
    *device = (struct device){.fd = -1};
}

/* errno says why not. */
static bool open_device(struct device *device, const char *path)
{
    *device = (struct device){.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    if (device->fd < 0)
        return false;
    int failed = libevdev_new_from_fd(device->fd, &device->evdev);
    if (failed != 0) {
        device->evdev = NULL;
        close_device(device);
        errno = -failed;
        return false;
    }
    libevdev_set_clock_id(device->evdev, CLOCK_MONOTONIC);
    return true;
}

static bool is_event_file(const char *name)
{
    return strncmp(name, "event", 5) == 0;
}

/* Calls look for each device until it says that it is enough; false: nothing of the kind. */
static bool each_device(bool (*look)(void *context, const char *path), void *context)
{
    struct dirent **files;
    bool done = false;
    int n = scandir(FOLDER, &files, NULL, versionsort);
    for (int i = 0; i < n; i++) {
        char path[300];
        snprintf(path, sizeof path, FOLDER "/%s", files[i]->d_name);
        if (!done && is_event_file(files[i]->d_name))
            done = look(context, path);
        free(files[i]);
    }
    if (n >= 0)
        free(files);
    return done;
}

struct lister {
    aw_pad_add_fn *add;
    void *context;
    size_t n;
};

static bool list_one(void *context, const char *path)
{
    struct lister *lister = context;
    struct device device;
    struct aw_caps caps;
    if (!open_device(&device, path)) {
        if (errno == EACCES || errno == EPERM)
            lister->add(lister->context, path, NULL);
        return false;
    }
    fill_caps(&caps, device.evdev);
    if (aw_caps_guess(&caps) == AW_CAPS_PAD) {
        lister->n++;
        lister->add(lister->context, path, &caps);
    }
    close_device(&device);
    return false;
}

size_t aw_pad_list(aw_pad_add_fn *add, void *context)
{
    struct lister lister = {add, context, 0};
    each_device(list_one, &lister);
    return lister.n;
}

/* ---- Opening -----------------------------------------------------------------------------------
 */

struct search {
    char path[300];
    unsigned closed; /* devices that we may not look at */
};

static void see(void *context, const char *path, const struct aw_caps *caps)
{
    struct search *search = context;
    if (!caps)
        search->closed++;
    else if (!search->path[0])
        snprintf(search->path, sizeof search->path, "%s", path);
}

static enum aw_status forbidden(const char *path, struct aw_error *err)
{
    return aw_fail(err, AW_NO_LINK,
                   "%.200s: no right to read it — a rule for udev gives it to who sits there: "
                   "echo 'SUBSYSTEM==\"input\", KERNEL==\"event*\", ENV{ID_INPUT_JOYSTICK}==\"1\", "
                   "TAG+=\"uaccess\"' | sudo tee /etc/udev/rules.d/70-pad.rules; then plug it in "
                   "again",
                   path);
}

static enum aw_status find_first(struct search *search, struct aw_error *err)
{
    aw_pad_list(see, search);
    if (search->path[0])
        return AW_OK;
    if (search->closed)
        return forbidden(FOLDER "/event*", err);
    return aw_fail(err, AW_NO_LINK,
                   "no gamepad is connected — plug one in, name a device (--pad "
                   "/dev/input/event7), a recording (--pad file:RUN.evemu), or take --keys");
}

static bool same(const char *a, const char *b)
{
    return a && b && *a && strcmp(a, b) == 0;
}

/* Of the same pad, by the number that it has by itself (of Bluetooth its address). */
static bool find_sensor(void *context, const char *path)
{
    struct aw_pad *pad = context;
    struct device device;
    if (!open_device(&device, path))
        return false;
    bool found = libevdev_has_property(device.evdev, INPUT_PROP_ACCELEROMETER) &&
                 same(libevdev_get_uniq(device.evdev), libevdev_get_uniq(pad->main.evdev));
    if (found)
        pad->sensor = device;
    else
        close_device(&device);
    return found;
}

static enum aw_status open_it(struct aw_pad *pad, const char *where, struct aw_error *err)
{
    struct search search = {.closed = 0};
    if (where && strncmp(where, "file:", 5) == 0) {
        enum aw_status status = aw_evemu_read(&pad->recording, NULL, where + 5, err);
        pad->caps = pad->recording.caps;
        return status;
    }
    enum aw_status status = where ? AW_OK : find_first(&search, err);
    const char *path = where ? where : search.path;
    if (status != AW_OK)
        return status;
    if (!open_device(&pad->main, path))
        return errno == EACCES || errno == EPERM
                   ? forbidden(path, err)
                   : aw_fail(err, AW_NO_LINK, "%.200s: %s", path,
                             errno == ENOTTY || errno == EINVAL ? "no input device"
                                                                : strerror(errno));
    fill_caps(&pad->caps, pad->main.evdev);
    const char *uniq = libevdev_get_uniq(pad->main.evdev);
    if (uniq && *uniq)
        each_device(find_sensor, pad);
    return AW_OK;
}

enum aw_status aw_pad_open(struct aw_pad **pad, const char *where, const char *lines,
                           struct aw_error *err)
{
    *pad = calloc(1, sizeof **pad);
    if (!*pad)
        return aw_no_memory(err);
    (*pad)->main.fd = (*pad)->sensor.fd = -1;
    (*pad)->start_ns = AW_NEVER;
    enum aw_status status = open_it(*pad, where, err);
    if (status == AW_OK)
        aw_controls_make(&(*pad)->names, &(*pad)->caps, lines);
    if (status != AW_OK) {
        aw_pad_close(*pad);
        *pad = NULL;
    }
    return status;
}

void aw_pad_close(struct aw_pad *pad)
{
    if (!pad)
        return;
    close_device(&pad->main);
    close_device(&pad->sensor);
    aw_evemu_free(&pad->recording);
    free(pad);
}

/* ---- What happens ------------------------------------------------------------------------------
 */

/* An event of the device or the recording: true when it ends a report, which *what then is about.
 */
static bool take(struct aw_pad *pad, unsigned type, unsigned code, int32_t value,
                 enum aw_pad_what *what)
{
    if (type == EV_SYN && code == SYN_DROPPED)
        pad->lost = true;
    if (type == EV_KEY || type == EV_ABS)
        pad->other = aw_controls_event(&pad->names, type, code, value) || pad->other;
    if (type != EV_SYN || code != SYN_REPORT)
        return false;
    *what = pad->lost ? AW_PAD_LOST : pad->other ? AW_PAD_CHANGED : AW_PAD_ALIVE;
    pad->lost = pad->other = false;
    return true;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * AW_SECOND + now.tv_nsec;
}

/* The end of what libevdev has found out about the time that was lost. */
static bool synced(struct aw_pad *pad, struct aw_pad_event *event)
{
    pad->syncing = pad->lost = pad->other = false;
    *event = (struct aw_pad_event){AW_PAD_LOST, now_ns()};
    return true;
}

static bool next_of_device(struct aw_pad *pad, struct aw_pad_event *event)
{
    struct input_event in;
    for (;;) {
        int got = libevdev_next_event(
            pad->main.evdev, pad->syncing ? LIBEVDEV_READ_FLAG_SYNC : LIBEVDEV_READ_FLAG_NORMAL,
            &in);
        if (got == -EAGAIN && pad->syncing)
            return synced(pad, event);
        if (got == -EAGAIN || got == -EINTR)
            return false;
        if (got < 0) {
            pad->gone = true;
            *event = (struct aw_pad_event){AW_PAD_GONE, now_ns()};
            return true;
        }
        event->time_ns = in.input_event_sec * AW_SECOND + in.input_event_usec * 1000;
        if (got == LIBEVDEV_READ_STATUS_SYNC) {
            pad->syncing = true;
            if (in.type != EV_SYN)
                take(pad, in.type, in.code, in.value, &event->what);
        } else if (take(pad, in.type, in.code, in.value, &event->what)) {
            return true;
        }
    }
}

static bool next_of_sensor(struct aw_pad *pad, struct aw_pad_event *event)
{
    struct input_event in;
    bool any = false;
    int got = 0;
    while (pad->sensor.evdev && got >= 0) {
        got = libevdev_next_event(pad->sensor.evdev, LIBEVDEV_READ_FLAG_NORMAL, &in);
        any = any || got >= 0;
    }
    if (got < 0 && got != -EAGAIN)
        close_device(&pad->sensor);
    if (any)
        *event = (struct aw_pad_event){AW_PAD_ALIVE, now_ns()};
    return any;
}

static bool next_of_recording(struct aw_pad *pad, int64_t now, struct aw_pad_event *event)
{
    if (pad->start_ns == AW_NEVER)
        pad->start_ns = now;
    while (pad->next < pad->recording.n) {
        const struct aw_evemu_event *e = &pad->recording.events[pad->next];
        event->time_ns = pad->start_ns + e->time_ns;
        if (event->time_ns > now)
            return false;
        pad->next++;
        if (take(pad, e->type, e->code, e->value, &event->what))
            return true;
    }
    pad->gone = true;
    *event = (struct aw_pad_event){AW_PAD_GONE, aw_sooner(now, event->time_ns)};
    return true;
}

bool aw_pad_next(struct aw_pad *pad, int64_t now, struct aw_pad_event *event)
{
    if (pad->gone)
        return false;
    event->time_ns = now;
    if (pad->recording.n)
        return next_of_recording(pad, now, event);
    return next_of_device(pad, event) || next_of_sensor(pad, event);
}

bool aw_pad_recorded(const struct aw_pad *pad)
{
    return pad->main.fd < 0;
}

size_t aw_pad_fds(const struct aw_pad *pad, int fds[2])
{
    size_t n = 0;
    if (pad->main.fd >= 0 && !pad->gone)
        fds[n++] = pad->main.fd;
    if (pad->sensor.fd >= 0)
        fds[n++] = pad->sensor.fd;
    return n;
}

int64_t aw_pad_due(const struct aw_pad *pad)
{
    if (pad->gone || !pad->recording.n)
        return AW_NEVER;
    if (pad->start_ns == AW_NEVER || pad->next == pad->recording.n)
        return pad->start_ns == AW_NEVER ? INT64_MIN : pad->start_ns;
    return pad->start_ns + pad->recording.events[pad->next].time_ns;
}

int aw_pad_find(struct aw_pad *pad, const char *name)
{
    return aw_controls_find(&pad->names, &pad->caps, name);
}

void aw_pad_find_all(struct aw_pad *pad)
{
    aw_controls_add_rest(&pad->names, &pad->caps);
}

double aw_pad_value(const struct aw_pad *pad, int control)
{
    return pad->names.controls[control].value;
}

const struct aw_controls *aw_pad_controls(const struct aw_pad *pad)
{
    return &pad->names;
}

const struct aw_caps *aw_pad_caps(const struct aw_pad *pad)
{
    return &pad->caps;
}
