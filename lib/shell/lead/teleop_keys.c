/* Keys as the controls of a pad: arrows are the left stick, w a s d the right one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell/lead/teleop.h"

#define STEP_NS (100 * AW_MILLISECOND)

static const struct {
    int key; /* a character, or 256 plus the final letter of an escape sequence */
    const char *control;
    double value;
} keys[] = {
    {256 + 'A', "lefty", -1},
    {256 + 'B', "lefty", 1},
    {256 + 'C', "leftx", 1},
    {256 + 'D', "leftx", -1},
    {'w', "righty", -1},
    {'s', "righty", 1},
    {'d', "rightx", 1},
    {'a', "rightx", -1},
    {'e', "righttrigger", 1},
    {'z', "lefttrigger", 1},
    {'\r', "a", 1},
    {'\n', "a", 1},
    {'b', "b", 1},
    {'x', "x", 1},
    {'y', "y", 1},
};

static void write_sequence(const char *text)
{
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        return; /* harmless: the terminal keeps its key mode, at worst without release reports */
}

/* Requests key reports and asks for support: 1 unambiguous keys, 2 releases, 8 letters as well. A
 * terminal without support does not reply. */
void aw_teleop_keys_begin(struct aw_operator *operator)
{
    operator->input.keys.control = - 1;
    if (operator->input.keys.enabled && isatty(STDOUT_FILENO))
        write_sequence("\033[>11u\033[?u");
}

void aw_teleop_keys_end(struct aw_operator *operator)
{
    if (operator->input.keys.enabled && isatty(STDOUT_FILENO))
        write_sequence("\033[<u");
}

static int find_input(const struct aw_operator *operator, const char * name)
{
    for (size_t i = 0; i < operator->map.n_inputs; i++)
        if (strcmp(operator->map.inputs[i], name) == 0)
            return (int)i;
    return -1;
}

static void set_control(struct aw_operator *operator, const char * name, double value)
{
    int input = find_input(operator, name);
    if (input >= 0)
        aw_teleop_set_input(&operator->engine, (size_t)input, value);
}

static void release_control(struct aw_operator *operator)
{
    struct aw_teleop_keys *k = &operator->input.keys;
    if (k->control >= 0)
        set_control(operator, keys[k->control].control, 0);
    aw_teleop_set_input(&operator->engine, (size_t) operator->map.enable, 0);
    k->control = -1;
    k->is_pressed = false;
}

/* Presses the enable button and deflects the control, in this order: the engine must first see the
 * control at rest. */
static void press_control(struct aw_operator *operator, int control, bool fast)
{
    struct aw_teleop_keys *k = &operator->input.keys;
    int64_t now = aw_clock_now(operator->session->clock);
    if (find_input(operator, keys[control].control) < 0)
        return;
    k->control = control;
    k->is_pressed = true;
    k->release_ns = k->releases ? AW_NEVER : now + STEP_NS;
    aw_teleop_set_input(&operator->engine, (size_t) operator->map.enable, 0);
    set_control(operator, keys[control].control, 0);
    aw_teleop_step(&operator->engine, now);
    aw_teleop_set_input(&operator->engine, (size_t) operator->map.enable, 1);
    if (operator->map.has_full_speed)
        aw_teleop_set_input(&operator->engine, (size_t) operator->map.full_speed, fast);
    aw_teleop_step(&operator->engine, now);
    set_control(operator, keys[control].control, keys[control].value);
}

/* event: 1 pressed, 2 repeated, 3 released. */
static void handle_key(struct aw_operator *operator, int key, int event, bool fast)
{
    struct aw_teleop_keys *k = &operator->input.keys;
    int control = -1;
    if (event == 1 && (key == 'q' || key == 4))
        k->quit = true;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].key == key)
            control = (int)i;
    if (event == 3 && control == k->control && k->is_pressed)
        release_control(operator);
    else if (event == 1 && control >= 0 && !k->is_pressed &&
             !k->late) /* handles one key at a time */
        press_control(operator, control, fast);
}

/* Parses "\033[A", "\033[1;2A", "\033[97;1:3u" and "\033[?11u". */
static void handle_sequence(struct aw_operator *operator, char end)
{
    struct aw_teleop_keys *k = &operator->input.keys;
    int key = 1, modifier = 1, event = 1;
    if (k->text[2] == '?') {
        k->releases = k->releases || (end == 'u' && atoi(k->text + 3) & 2);
        return;
    }
    sscanf(k->text + 2, "%d", &key);
    const char *modifiers = strchr(k->text, ';'),
               *colon = modifiers ? strchr(modifiers, ':') : NULL;
    if (modifiers)
        modifier = atoi(modifiers + 1);
    if (colon)
        event = atoi(colon + 1);
    bool has_shift = (modifier - 1) & 1;
    if (end == 'u')
        handle_key(operator, key, event, has_shift);
    else
        handle_key(operator, 256 + end, event, has_shift);
}

/* Returns true if the sequence continues after this character. */
static bool is_incomplete(const struct aw_teleop_keys *k, char c)
{
    if (k->used <= 2)
        return k->used == 1 || c == '[' || c == 'O';
    return strchr("0123456789;:?", c);
}

void aw_teleop_keys_handle(struct aw_operator *operator, char c)
{
    struct aw_teleop_keys *k = &operator->input.keys;
    if (k->used == 0 && c != '\033') {
        bool is_upper = c >= 'A' && c <= 'Z';
        handle_key(operator, is_upper ? c - 'A' + 'a' : c, 1, is_upper);
        return;
    }
    k->text[k->used++] = c;
    k->text[k->used] = '\0';
    bool is_complete = !is_incomplete(k, c);
    if (is_complete && k->used > 2)
        handle_sequence(operator, c);
    if (is_complete || k->used + 1 == sizeof k->text)
        k->used = 0;
}

void aw_teleop_keys_step(struct aw_operator *operator)
{
    if (operator->input.keys.is_pressed && aw_clock_now(operator->session->clock) >=
        operator->input.keys.release_ns)
        release_control(operator);
}
