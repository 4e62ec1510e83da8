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
    "  --pad WHICH    index, path or part of the name, as printed by --list (default: the first "
    "gamepad)\n"
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

static enum aw_status fail(enum aw_status status, const char *reason)
{
    json_t *record = json_pack("{s:s,s:b,s:s,s:i,s:s}", "cmd", "armwire-pad", "ok", 0, "error",
                               aw_status_name(status), "exit", (int)status, "why", reason);
    char *text = record ? json_dumps(record, JSON_COMPACT) : NULL;
    if (text)
        puts(text);
    fflush(stdout);
    if (!quiet)
        fprintf(stderr, "armwire-pad: %s\n", reason);
    free(text);
    json_decref(record);
    return status;
}

/* ---- Choosing ---- */

static const char *get_name(int index)
{
    const char *name = SDL_JoystickNameForIndex(index);
    return name ? name : "?";
}

static const char *get_path(int index)
{
    const char *path = SDL_JoystickPathForIndex(index);
    return path ? path : "-";
}

static int list_pads(void)
{
    for (int i = 0; i < SDL_NumJoysticks(); i++) {
        const char *unknown = SDL_IsGameController(i) ? "" : "  (not in SDL's database)";
        char guid[33];
        SDL_JoystickGetGUIDString(SDL_JoystickGetDeviceGUID(i), guid, sizeof guid);
        printf("%d  %s  %s  %s%s\n", i, get_path(i), guid, get_name(i), unknown);
    }
    return fflush(stdout) == 0 ? AW_OK : (int)fail(AW_LOST, strerror(errno));
}

static bool matches_pad(int index, const char *pad_name)
{
    char *end;
    if (!pad_name)
        return SDL_IsGameController(index);
    if (*pad_name == '/')
        return strcmp(get_path(index), pad_name) == 0;
    long number = strtol(pad_name, &end, 10);
    return *end ? strcasestr(get_name(index), pad_name) != NULL : number == index;
}

static enum aw_status fail_no_pad(const char *pad_name)
{
    static const char rule[] =
        "give local users access, then reconnect the gamepad:  echo 'SUBSYSTEM==\"input\", "
        "KERNEL==\"event*\", ENV{ID_INPUT_JOYSTICK}==\"1\", TAG+=\"uaccess\"' | sudo tee "
        "/etc/udev/rules.d/70-pad.rules";
    bool is_path = pad_name && *pad_name == '/';
    bool denied = access(is_path ? pad_name : FOLDER "/event0", R_OK) != 0 && errno == EACCES;
    const char *or_else = denied ? "; if it is connected, " : "";
    char reason[500];
    if (is_path && denied)
        snprintf(reason, sizeof reason, "permission denied: %.100s — %s", pad_name, rule);
    else if (pad_name)
        snprintf(reason, sizeof reason,
                 "gamepad '%.100s' not found — list gamepads with armwire-pad --list%s%s", pad_name,
                 or_else, denied ? rule : "");
    else
        snprintf(reason, sizeof reason,
                 "no gamepad found — connect one, or use teleop with --keys or --channels FILE%s%s",
                 or_else, denied ? rule : "");
    return fail(AW_NO_LINK, reason);
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
    int sensor_fd = -1;
    bool has_number = ioctl(pad, EVIOCGUNIQ(sizeof uniq - 1), uniq) > 0 && *uniq;
    for (struct dirent *entry; dir && has_number && sensor_fd < 0 && (entry = readdir(dir));) {
        unsigned long properties = 0;
        int fd = is_event_file(entry)
                     ? openat(dirfd(dir), entry->d_name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
                     : -1;
        memset(other, 0, sizeof other);
        if (fd >= 0 && ioctl(fd, EVIOCGUNIQ(sizeof other - 1), other) > 0 &&
            strcmp(uniq, other) == 0 && ioctl(fd, EVIOCGPROP(sizeof properties), &properties) > 0 &&
            properties >> INPUT_PROP_ACCELEROMETER & 1)
            sensor_fd = fd;
        else if (fd >= 0)
            close(fd);
    }
    if (dir)
        closedir(dir);
    return sensor_fd;
}

/* The first two bytes of SDL's GUID are the bus. */
static const char *get_bus(SDL_Joystick *joystick)
{
    SDL_JoystickGUID guid = SDL_JoystickGetGUID(joystick);
    int bus = guid.data[0] | guid.data[1] << 8;
    return bus == BUS_USB ? "usb" : bus == BUS_BLUETOOTH ? "bluetooth" : "other";
}

static enum aw_status open_pad(struct pad *pad, const char *pad_name)
{
    int index = 0;
    char reason[400], guid[33];
    while (index < SDL_NumJoysticks() && !matches_pad(index, pad_name))
        index++;
    if (index == SDL_NumJoysticks())
        return fail_no_pad(pad_name);
    SDL_JoystickGetGUIDString(SDL_JoystickGetDeviceGUID(index), guid, sizeof guid);
    snprintf(reason, sizeof reason,
             "'%.100s' not found in SDL's database — map its controls:  "
             "SDL_GAMECONTROLLERCONFIG='%s,NAME,leftx:a0,lefty:a1,rightshoulder:b5,…'",
             get_name(index), guid);
    if (!SDL_IsGameController(index))
        return fail(AW_NO_LINK, reason);
    pad->controller = SDL_GameControllerOpen(index);
    if (!pad->controller)
        return fail(AW_NO_LINK, SDL_GetError());
    SDL_Joystick *joystick = SDL_GameControllerGetJoystick(pad->controller);
    json_t *name = json_string(SDL_JoystickName(joystick));
    pad->name = json_dumps(name, JSON_ENCODE_ANY);
    json_decref(name);
    pad->id = SDL_JoystickInstanceID(joystick);
    pad->bus = get_bus(joystick);
    /* Opened after SDL has, so the kernel queues each event for SDL first. */
    pad->fds[0] = open(get_path(index), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    pad->fds[1] = pad->fds[0] < 0 ? -1 : open_sensor(pad->fds[0]);
    return AW_OK;
}

/* ---- Records ---- */

static bool print_record(struct pad *pad)
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
static bool handle_event(struct pad *pad, const SDL_Event *event)
{
    bool is_button =
        event->type == SDL_CONTROLLERBUTTONDOWN || event->type == SDL_CONTROLLERBUTTONUP;
    if (event->type == SDL_CONTROLLERAXISMOTION && event->caxis.which == pad->id)
        pad->axis[event->caxis.axis] = scale(event->caxis.value);
    else if (!is_button || event->cbutton.which != pad->id)
        return true;
    if (is_button && pad->changed && !print_record(pad))
        return false;
    if (is_button)
        pad->button[event->cbutton.button] = event->cbutton.state;
    pad->event_ms = SDL_GetTicks64();
    pad->changed = true;
    return !is_button || print_record(pad);
}

static void read_initial_state(struct pad *pad)
{
    SDL_GameController *controller = pad->controller;
    SDL_GameControllerUpdate();
    SDL_FlushEvents(SDL_FIRSTEVENT, SDL_LASTEVENT);
    for (int i = 0; i < SDL_CONTROLLER_AXIS_MAX; i++)
        pad->axis[i] = scale(SDL_GameControllerGetAxis(controller, (SDL_GameControllerAxis)i));
    for (int i = 0; i < SDL_CONTROLLER_BUTTON_MAX; i++)
        pad->button[i] = SDL_GameControllerGetButton(controller, (SDL_GameControllerButton)i);
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
    int wait_ms = due_ms > now ? (int)(due_ms - now) : 0;
    if (poll(fds, 2, pad->fds[0] < 0 && wait_ms > 1 ? 1 : wait_ms) <= 0)
        return true;
    for (int i = 0; i < 2; i++)
        while (fds[i].fd >= 0 && read(fds[i].fd, events, sizeof events) > 0)
            pad->event_ms = SDL_GetTicks64();
    return !(fds[0].revents & (POLLERR | POLLHUP));
}

static enum aw_status run(struct pad *pad)
{
    SDL_Event event;
    read_initial_state(pad);
    bool written = print_record(pad);
    Uint64 due_ms = SDL_GetTicks64() + TICK_MS;
    while (written) {
        bool connected = wait_for_events(pad, due_ms);
        if (connected)
            SDL_PumpEvents();
        if (!connected || !SDL_GameControllerGetAttached(pad->controller))
            return fail(AW_LOST, "gamepad disconnected");
        while (written && SDL_PollEvent(&event))
            written = handle_event(pad, &event);
        bool is_due = SDL_GetTicks64() >= due_ms;
        if (is_due)
            due_ms = SDL_GetTicks64() + TICK_MS;
        if (written && (is_due || pad->changed))
            written = print_record(pad);
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
static int read_options(int argc, char **argv, const char **pad_name, bool *list_only)
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
        *pad_name = c == 'p' ? optarg : *pad_name;
        *list_only = *list_only || c == 'l';
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
    const char *pad_name = NULL;
    bool list_only = false;
    int status = read_options(argc, argv, &pad_name, &list_only);
    if (status >= 0)
        return status;
    if (!start_sdl())
        return (int)fail(AW_NO_LINK, SDL_GetError());
    if (list_only)
        return list_pads();
    status = (int)open_pad(&pad, pad_name);
    if (status == AW_OK)
        status = (int)run(&pad);
    SDL_Quit();
    return status;
}
