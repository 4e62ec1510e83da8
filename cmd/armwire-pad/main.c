/* The program armwire-pad: prints the state of a gamepad as records, using SDL2.
 *
 *     {"t":1795916307.506,"msg":"pad","pad":"Xbox 360 Controller","bus":"usb","age":0.004,
 *      "leftx":-0.5,…,"a":0,…}
 *
 * Prints one record per line, at each change and every 20 ms. The last record has a "why", like the
 * tools' -j output. The caller must stop on silence, on a large age and on the last record.
 */
#include <SDL2/SDL.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <linux/input.h>
#include <math.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"

#define TICK_MS 20
#define FOLDER  "/dev/input"

static const char usage[] =
    "Prints the state of a gamepad as records (NDJSON). The teleop command of the tools starts "
    "it.\n"
    "\n"
    "    armwire-pad [--pad INDEX|PATH|NAME] [-q]\n"
    "    armwire-pad --list\n"
    "\n"
    "  --pad WHICH    number, path or part of the name, as --list shows; default: the first "
    "gamepad\n"
    "  --list         list the connected gamepads\n"
    "  -q, --quiet    do not print errors; the last record still contains the error\n"
    "  -h, --help     print this page\n"
    "  -V, --version  print the version\n"
    "\n"
    "A record contains t (s since 1970), the name and bus of the gamepad, the age of its last "
    "event in s,\nand each control under its SDL name: axes from -1 to 1, triggers from 0 to 1, "
    "buttons 0 or 1.\n"
    "SDL_GAMECONTROLLERCONFIG can map gamepads that are unknown to SDL.\n";

struct pad {
    SDL_GameController *controller;
    SDL_JoystickID id;
    int fds[2]; /* our own descriptors of the pad and its motion sensor; -1: none */
    char *name; /* name as JSON */
    const char *bus;
    Uint64 event_ms; /* time of the last event */
    bool changed;    /* a value has changed since the last record */
    double axis[SDL_CONTROLLER_AXIS_MAX];
    int button[SDL_CONTROLLER_BUTTON_MAX];
};

static bool quiet;

static enum aw_status fail(enum aw_status status, const char *why)
{
    json_t *record = json_pack("{s:s,s:b,s:s,s:i,s:s}", "cmd", "armwire-pad", "ok", 0, "error",
                               aw_status_name(status), "exit", (int)status, "why", why);
    char *text = record ? json_dumps(record, JSON_COMPACT) : NULL;
    if (text)
        puts(text);
    fflush(stdout);
    if (!quiet)
        fprintf(stderr, "armwire-pad: %s\n", why);
    free(text);
    json_decref(record);
    return status;
}

/* ---- Choosing ---- */

static const char *name_of(int index)
{
    const char *name = SDL_JoystickNameForIndex(index);
    return name ? name : "?";
}

static const char *path_of(int index)
{
    const char *path = SDL_JoystickPathForIndex(index);
    return path ? path : "-";
}

static int list(void)
{
    for (int i = 0; i < SDL_NumJoysticks(); i++) {
        const char *unknown = SDL_IsGameController(i) ? "" : "  (not in SDL's database)";
        char guid[33];
        SDL_JoystickGetGUIDString(SDL_JoystickGetDeviceGUID(i), guid, sizeof guid);
        printf("%d  %s  %s  %s%s\n", i, path_of(i), guid, name_of(i), unknown);
    }
    return fflush(stdout) == 0 ? AW_OK : (int)fail(AW_LOST, strerror(errno));
}

static bool fits(int index, const char *which)
{
    char *end;
    if (!which)
        return SDL_IsGameController(index);
    if (*which == '/')
        return strcmp(path_of(index), which) == 0;
    long number = strtol(which, &end, 10);
    return *end ? strcasestr(name_of(index), which) != NULL : number == index;
}

static enum aw_status explain(const char *which)
{
    char why[400];
    if (access(FOLDER "/event0", R_OK) != 0 && errno == EACCES)
        return fail(AW_NO_LINK,
                    "permission denied: " FOLDER " "
                    "— add a udev rule that gives local users access:  "
                    "echo 'SUBSYSTEM==\"input\", KERNEL==\"event*\", ENV{ID_INPUT_JOYSTICK}==\"1\","
                    " TAG+=\"uaccess\"' | sudo tee /etc/udev/rules.d/70-pad.rules");
    if (!which)
        return fail(AW_NO_LINK,
                    "no gamepad found — plug one in; teleop also takes --keys or --channels FILE");
    snprintf(why, sizeof why, "gamepad '%.100s' not found — list gamepads with armwire-pad --list",
             which);
    return fail(AW_NO_LINK, why);
}

/* ---- Opening ---- */

static bool is_event_file(const struct dirent *entry)
{
    return strncmp(entry->d_name, "event", 5) == 0;
}

/* The motion sensor of a pad is a device of its own with the same number ("uniq"). Its events are
 * signs of life while a stick is held at its end. */
static int open_sensor(int pad)
{
    char uniq[64] = "", other[64];
    DIR *dir = opendir(FOLDER);
    int found = -1;
    bool numbered = ioctl(pad, EVIOCGUNIQ(sizeof uniq - 1), uniq) > 0 && *uniq;
    for (struct dirent *entry; dir && numbered && found < 0 && (entry = readdir(dir));) {
        unsigned long properties = 0;
        int fd = is_event_file(entry)
                     ? openat(dirfd(dir), entry->d_name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
                     : -1;
        memset(other, 0, sizeof other);
        if (fd >= 0 && ioctl(fd, EVIOCGUNIQ(sizeof other - 1), other) > 0 &&
            strcmp(uniq, other) == 0 && ioctl(fd, EVIOCGPROP(sizeof properties), &properties) > 0 &&
            properties >> INPUT_PROP_ACCELEROMETER & 1)
            found = fd;
        else if (fd >= 0)
            close(fd);
    }
    if (dir)
        closedir(dir);
    return found;
}

/* The first two bytes of SDL's GUID are the bus. */
static const char *bus_of(SDL_Joystick *joystick)
{
    SDL_JoystickGUID guid = SDL_JoystickGetGUID(joystick);
    int bus = guid.data[0] | guid.data[1] << 8;
    return bus == BUS_USB ? "usb" : bus == BUS_BLUETOOTH ? "bluetooth" : "other";
}

static enum aw_status open_pad(struct pad *pad, const char *which)
{
    int index = 0;
    char why[400], guid[33];
    while (index < SDL_NumJoysticks() && !fits(index, which))
        index++;
    if (index == SDL_NumJoysticks())
        return explain(which);
    SDL_JoystickGetGUIDString(SDL_JoystickGetDeviceGUID(index), guid, sizeof guid);
    snprintf(why, sizeof why,
             "'%.100s' not found in SDL's database — map its controls:  "
             "SDL_GAMECONTROLLERCONFIG='%s,NAME,leftx:a0,lefty:a1,rightshoulder:b5,…'",
             name_of(index), guid);
    if (!SDL_IsGameController(index))
        return fail(AW_NO_LINK, why);
    pad->controller = SDL_GameControllerOpen(index);
    if (!pad->controller)
        return fail(AW_NO_LINK, SDL_GetError());
    SDL_Joystick *joystick = SDL_GameControllerGetJoystick(pad->controller);
    json_t *name = json_string(SDL_JoystickName(joystick));
    pad->name = json_dumps(name, JSON_ENCODE_ANY);
    json_decref(name);
    pad->id = SDL_JoystickInstanceID(joystick);
    pad->bus = bus_of(joystick);
    /* Opened after SDL has, so the kernel queues each event for SDL first. */
    pad->fds[0] = open(path_of(index), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    pad->fds[1] = pad->fds[0] < 0 ? -1 : open_sensor(pad->fds[0]);
    return AW_OK;
}

/* ---- Records ---- */

static bool print(struct pad *pad)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    printf("{\"t\":%lld.%06ld,\"msg\":\"pad\",\"pad\":%s,\"bus\":\"%s\",\"age\":%.3f",
           (long long)now.tv_sec, now.tv_nsec / 1000, pad->name ? pad->name : "\"?\"", pad->bus,
           (double)(SDL_GetTicks64() - pad->event_ms) / 1000);
    for (SDL_GameControllerAxis i = 0; i < SDL_CONTROLLER_AXIS_MAX; i++)
        if (SDL_GameControllerHasAxis(pad->controller, i))
            printf(",\"%s\":%.4g", SDL_GameControllerGetStringForAxis(i), pad->axis[i]);
    for (SDL_GameControllerButton i = 0; i < SDL_CONTROLLER_BUTTON_MAX; i++)
        if (SDL_GameControllerHasButton(pad->controller, i))
            printf(",\"%s\":%d", SDL_GameControllerGetStringForButton(i), pad->button[i]);
    pad->changed = false;
    return puts("}") != EOF && fflush(stdout) == 0;
}

static double scale(Sint16 value)
{
    return fmax(value / 32767.0, -1);
}

/* Every press and release gets its own record. Axes that move together share one. */
static bool take(struct pad *pad, const SDL_Event *event)
{
    bool button = event->type == SDL_CONTROLLERBUTTONDOWN || event->type == SDL_CONTROLLERBUTTONUP;
    if (event->type == SDL_CONTROLLERAXISMOTION && event->caxis.which == pad->id)
        pad->axis[event->caxis.axis] = scale(event->caxis.value);
    else if (!button || event->cbutton.which != pad->id)
        return true;
    if (button && pad->changed && !print(pad))
        return false;
    if (button)
        pad->button[event->cbutton.button] = event->cbutton.state;
    pad->event_ms = SDL_GetTicks64();
    pad->changed = true;
    return !button || print(pad);
}

static void begin(struct pad *pad)
{
    SDL_GameController *from = pad->controller;
    SDL_GameControllerUpdate();
    SDL_FlushEvents(SDL_FIRSTEVENT, SDL_LASTEVENT);
    for (int i = 0; i < SDL_CONTROLLER_AXIS_MAX; i++)
        pad->axis[i] = scale(SDL_GameControllerGetAxis(from, (SDL_GameControllerAxis)i));
    for (int i = 0; i < SDL_CONTROLLER_BUTTON_MAX; i++)
        pad->button[i] = SDL_GameControllerGetButton(from, (SDL_GameControllerButton)i);
    pad->event_ms = SDL_GetTicks64();
}

/* Sleeps until an event or the next record is due. SDL itself can only poll. Returns false if
 * the pad is gone. */
static bool wait_for_events(struct pad *pad, Uint64 due_ms)
{
    struct pollfd fds[] = {{.fd = pad->fds[0], .events = POLLIN},
                           {.fd = pad->fds[1], .events = POLLIN}};
    struct input_event events[64];
    Uint64 now = SDL_GetTicks64();
    int left = due_ms > now ? (int)(due_ms - now) : 0;
    if (poll(fds, 2, pad->fds[0] < 0 && left > 1 ? 1 : left) <= 0)
        return true;
    for (int i = 0; i < 2; i++)
        while (fds[i].fd >= 0 && read(fds[i].fd, events, sizeof events) > 0)
            pad->event_ms = SDL_GetTicks64();
    return !(fds[0].revents & (POLLERR | POLLHUP));
}

static enum aw_status run(struct pad *pad)
{
    SDL_Event event;
    begin(pad);
    bool written = print(pad);
    Uint64 due_ms = SDL_GetTicks64() + TICK_MS;
    while (written) {
        bool there = wait_for_events(pad, due_ms);
        if (there)
            SDL_PumpEvents();
        if (!there || !SDL_GameControllerGetAttached(pad->controller))
            return fail(AW_LOST, "gamepad disconnected");
        while (written && SDL_PollEvent(&event))
            written = take(pad, &event);
        bool due = SDL_GetTicks64() >= due_ms;
        if (due)
            due_ms = SDL_GetTicks64() + TICK_MS;
        if (written && (due || pad->changed))
            written = print(pad);
    }
    return fail(AW_LOST, strerror(errno));
}

/* ---- Start ---- */

/* Runs without a display and in the background. Joysticks come from evdev alone: its devices exist
 * without udev, and reading fails at once when one is pulled out. The environment overrides
 * hints. */
static bool start_sdl(void)
{
    SDL_SetHint(SDL_HINT_JOYSTICK_ALLOW_BACKGROUND_EVENTS, "1");
    SDL_SetHint(SDL_HINT_JOYSTICK_HIDAPI, "0");
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    SDL_SetHint("SDL_JOYSTICK_DISABLE_UDEV", "1");
    return SDL_Init(SDL_INIT_GAMECONTROLLER) == 0;
}

/* Returns -1 to continue, else the exit status. */
static int read_options(int argc, char **argv, const char **which, bool *lists)
{
    static const struct option options[] = {
        {"pad", required_argument, NULL, 'p'}, {"list", no_argument, NULL, 'l'},
        {"quiet", no_argument, NULL, 'q'},     {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},   {0}};
    for (int c; (c = getopt_long(argc, argv, "qhV", options, NULL)) != -1;) {
        if (c == 'h' || c == 'V') {
            fputs(c == 'h' ? usage : "armwire-pad " AW_VERSION " (armwire)\n", stdout);
            return fflush(stdout) == 0 ? AW_OK : (int)fail(AW_LOST, strerror(errno));
        }
        if (c == '?')
            return AW_USAGE;
        *which = c == 'p' ? optarg : *which;
        *lists = *lists || c == 'l';
        quiet = quiet || c == 'q';
    }
    if (optind == argc)
        return -1;
    fprintf(stderr, "armwire-pad: unexpected argument '%s' — see --help\n", argv[optind]);
    return AW_USAGE;
}

int main(int argc, char **argv)
{
    static struct pad pad;
    const char *which = NULL;
    bool lists = false;
    int status = read_options(argc, argv, &which, &lists);
    if (status >= 0)
        return status;
    if (!start_sdl())
        return (int)fail(AW_NO_LINK, SDL_GetError());
    if (lists)
        return list();
    status = (int)open_pad(&pad, which);
    if (status == AW_OK)
        status = (int)run(&pad);
    SDL_Quit();
    return status;
}
