/* A gamepad by uinput, for the tests of teleop.
 *
 *     pad ROUNDS PAUSE_MS       "pad: /dev/input/event3", then for each line on standard input:
 *                               rounds of the button held, the stick out, the button let go
 *                               ("released T", T in s since 1970), the stick back; and at the end
 *                               the button held, the stick out, and pulled out ("gone T").
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/uinput.h>
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

static void put(int fd, int type, int code, int value)
{
    struct input_event events[2] = {
        {.type = (uint16_t)type, .code = (uint16_t)code, .value = value}, {.type = EV_SYN}};
    if (write(fd, events, sizeof events) != sizeof events)
        exit(1);
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
    snprintf(setup.name, sizeof setup.name, "Microsoft X-Box 360 pad");
    return ioctl(fd, UI_DEV_SETUP, &setup) < 0 || ioctl(fd, UI_DEV_CREATE) < 0 ? -1 : fd;
}

/* "/dev/input/event3", once it is there. */
static int print_node(int fd)
{
    char name[64], folder[128];
    if (ioctl(fd, UI_GET_SYSNAME(sizeof name), name) < 0)
        return 1;
    snprintf(folder, sizeof folder, "/sys/devices/virtual/input/%s", name);
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (strncmp(entry->d_name, "event", 5) == 0)
            printf("pad: /dev/input/%s\n", entry->d_name);
    if (dir)
        closedir(dir);
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    int fd = argc == 3 ? make_pad() : -1, rounds = argc == 3 ? atoi(argv[1]) : 0;
    long pause = argc == 3 ? atol(argv[2]) : 0;
    if (fd < 0 || print_node(fd) != 0)
        return 1;
    getchar();
    for (int i = 0; i <= rounds; i++) {
        put(fd, EV_KEY, BTN_TR, 1);
        nap(pause);
        put(fd, EV_ABS, ABS_Y, i % 2 ? 32767 : -32768);
        nap(pause);
        if (i == rounds)
            break;
        say("released");
        put(fd, EV_KEY, BTN_TR, 0);
        nap(pause);
        put(fd, EV_ABS, ABS_Y, 0);
        nap(pause);
    }
    say("gone");
    ioctl(fd, UI_DEV_DESTROY);
    return 0;
}
