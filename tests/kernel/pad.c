/* Gamepads for the tests of teleop: one by uinput, and one by uhid with the raw reports and the
 * report descriptor of a Logitech F310 (switch at D, 046d:c216).
 *
 *     pad ROUNDS PAUSE_MS [uhid]  prints "pad: /dev/input/event3". After a line on standard input,
 *                                 plays ROUNDS: holds the button, deflects the stick ("pushed T",
 *                                 T in s since 1970), releases the button ("released T"), centres
 *                                 the stick. Finally holds the button, deflects the stick and
 *                                 disconnects ("gone T").
 *     pad hold                    after a line, holds the button and deflects the stick until the
 *                                 end of standard input
 */
#include <fcntl.h>
#include <glob.h>
#include <linux/uhid.h>
#include <linux/uinput.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static void nap(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void say(const char *what)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    printf("%s %lld.%06ld\n", what, (long long)now.tv_sec, now.tv_nsec / 1000);
    fflush(stdout);
}

struct pad {
    int fd;
    bool raw; /* fd belongs to uhid, not to uinput */
    uint8_t report[8];
};

#define F310 "Logitech Logitech Dual Action"
#define XBOX "Microsoft X-Box 360 pad"

/* The report has 8 bytes: sticks, hat and 12 buttons, two of them unused. The motors get 7
 * bytes. */
static const uint8_t descriptor[] = {
    0x05, 0x01, 0x09, 0x04, 0xa1, 0x01, 0xa1, 0x02, 0x75, 0x08, 0x95, 0x04, 0x15, 0x00, 0x26,
    0xff, 0x00, 0x35, 0x00, 0x46, 0xff, 0x00, 0x09, 0x30, 0x09, 0x31, 0x09, 0x32, 0x09, 0x35,
    0x81, 0x02, 0x75, 0x04, 0x95, 0x01, 0x25, 0x07, 0x46, 0x3b, 0x01, 0x65, 0x14, 0x09, 0x39,
    0x81, 0x42, 0x65, 0x00, 0x75, 0x01, 0x95, 0x0c, 0x25, 0x01, 0x45, 0x01, 0x05, 0x09, 0x19,
    0x01, 0x29, 0x0c, 0x81, 0x02, 0x06, 0x00, 0xff, 0x75, 0x01, 0x95, 0x10, 0x25, 0x01, 0x45,
    0x01, 0x09, 0x01, 0x81, 0x02, 0xc0, 0xa1, 0x02, 0x75, 0x08, 0x95, 0x07, 0x46, 0xff, 0x00,
    0x26, 0xff, 0x00, 0x09, 0x02, 0x91, 0x02, 0xc0, 0xc0};

static void write_uhid(const struct pad *pad, const struct uhid_event *event)
{
    if (write(pad->fd, event, sizeof *event) != sizeof *event)
        exit(1);
}

static void send_report(const struct pad *pad)
{
    struct uhid_event event = {.type = UHID_INPUT2};
    event.u.input2.size = sizeof pad->report;
    memcpy(event.u.input2.data, pad->report, sizeof pad->report);
    write_uhid(pad, &event);
}

/* Sends an event of the right shoulder button or the y axis of the left stick. */
static void put(struct pad *pad, int type, int code, int value)
{
    struct input_event events[2] = {
        {.type = (uint16_t)type, .code = (uint16_t)code, .value = value}, {.type = EV_SYN}};
    if (pad->raw) {
        if (type == EV_KEY)
            pad->report[5] = value ? 0x02 : 0;
        else
            pad->report[1] = value == 0 ? 0x7f : (uint8_t)((value + 32768) / 257);
        send_report(pad);
    } else if (write(pad->fd, events, sizeof events) != sizeof events) {
        exit(1);
    }
}

static int make_raw_pad(struct pad *pad)
{
    struct uhid_event event = {.type = UHID_CREATE2};
    pad->raw = true;
    pad->fd = open("/dev/uhid", O_RDWR | O_NONBLOCK);
    if (pad->fd < 0)
        return -1;
    memcpy(pad->report, (const uint8_t[]){0x80, 0x7f, 0x80, 0x7f, 0x08, 0, 0x04, 0xff}, 8);
    snprintf((char *)event.u.create2.name, sizeof event.u.create2.name, F310);
    memcpy(event.u.create2.rd_data, descriptor, sizeof descriptor);
    event.u.create2.rd_size = sizeof descriptor;
    event.u.create2.bus = BUS_USB;
    event.u.create2.vendor = 0x046d;
    event.u.create2.product = 0xc216;
    event.u.create2.version = 0x0414;
    write_uhid(pad, &event);
    return 0;
}

static int make_pad(void)
{
    static const int keys[] = {BTN_A,  BTN_B,      BTN_X,     BTN_Y,    BTN_TL,     BTN_TR,
                               BTN_TL, BTN_SELECT, BTN_START, BTN_MODE, BTN_THUMBL, BTN_THUMBR};
    static const int axes[] = {ABS_X, ABS_Y, ABS_Z, ABS_RX, ABS_RY, ABS_RZ};
    int fd = open("/dev/uinput", O_WRONLY | O_NONBLOCK);
    if (fd < 0)
        return -1;
    ioctl(fd, UI_SET_EVBIT, EV_KEY);
    ioctl(fd, UI_SET_EVBIT, EV_ABS);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ioctl(fd, UI_SET_KEYBIT, keys[i]);
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        struct uinput_abs_setup axis = {.code = (uint16_t)axes[i]};
        int trigger = axes[i] == ABS_Z || axes[i] == ABS_RZ;
        axis.absinfo.minimum = trigger ? 0 : -32768;
        axis.absinfo.maximum = trigger ? 255 : 32767;
        ioctl(fd, UI_ABS_SETUP, &axis);
    }
    struct uinput_setup setup = {.id = {BUS_USB, 0x045e, 0x028e, 0x0114}};
    snprintf(setup.name, sizeof setup.name, XBOX);
    return ioctl(fd, UI_DEV_SETUP, &setup) < 0 || ioctl(fd, UI_DEV_CREATE) < 0 ? -1 : fd;
}

/* Prints the first event device in sysfs whose gamepad's name starts with this name. */
static bool print_event(const char *pattern, const char *name)
{
    glob_t events;
    bool found = false;
    glob(pattern, 0, NULL, &events);
    for (size_t i = 0; i < events.gl_pathc && !found; i++) {
        char path[300], text[128] = "";
        snprintf(path, sizeof path, "%s/device/name", events.gl_pathv[i]);
        FILE *file = fopen(path, "re");
        found = file && fgets(text, sizeof text, file) && strncmp(text, name, strlen(name)) == 0;
        if (file)
            fclose(file);
        if (found)
            printf("pad: /dev/input/%s\n", strrchr(events.gl_pathv[i], '/') + 1);
    }
    globfree(&events);
    fflush(stdout);
    return found;
}

/* Prints "/dev/input/event3" once it exists: uhid creates it with a delay and reports it with the
 * first report. */
static int print_node(const struct pad *pad)
{
    char name[64], pattern[128];
    for (int i = 0; pad->raw && i < 100; i++) {
        send_report(pad);
        if (print_event("/sys/class/input/event*", F310))
            return 0;
        nap(50);
    }
    if (pad->raw || ioctl(pad->fd, UI_GET_SYSNAME(sizeof name), name) < 0)
        return 1;
    snprintf(pattern, sizeof pattern, "/sys/devices/virtual/input/%s/event*", name);
    return print_event(pattern, XBOX) ? 0 : 1;
}

static void pull_out(const struct pad *pad)
{
    say("gone");
    if (pad->raw)
        write_uhid(pad, &(struct uhid_event){.type = UHID_DESTROY});
    else
        ioctl(pad->fd, UI_DEV_DESTROY);
}

static void push(struct pad *pad, long pause, int way)
{
    put(pad, EV_KEY, BTN_TR, 1);
    nap(pause);
    say("pushed");
    put(pad, EV_ABS, ABS_Y, way);
    nap(pause);
}

int main(int argc, char **argv)
{
    struct pad pad = {.fd = -1};
    bool hold = argc == 2 && strcmp(argv[1], "hold") == 0;
    int rounds = argc >= 3 ? atoi(argv[1]) : 0;
    long pause = argc >= 3 ? atol(argv[2]) : 100;
    if (argc == 4)
        make_raw_pad(&pad);
    else if (argc == 3 || hold)
        pad.fd = make_pad();
    if (pad.fd < 0 || print_node(&pad) != 0)
        return 1;
    getchar();
    for (int i = 0; i <= rounds; i++) {
        push(&pad, pause, i % 2 ? 32767 : -32768);
        if (i == rounds)
            break;
        say("released");
        put(&pad, EV_KEY, BTN_TR, 0);
        nap(pause);
        put(&pad, EV_ABS, ABS_Y, 0);
        nap(pause);
    }
    while (hold && getchar() != EOF)
        continue;
    pull_out(&pad);
    return 0;
}
