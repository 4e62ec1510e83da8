/* The panel of teleop: input device, enable button, joints and sticks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clamp.h"
#include "shell/lead/teleop.h"

#define BAR_COLUMNS 11 /* width of a stick's bar in columns */

struct panel {
    struct aw_operator *operator;
    struct aw_braille *canvas;
    int row;  /* next free row */
    int foot; /* first row of the footer */
    bool is_narrow;
};

const char *aw_teleop_halt_text(const struct aw_operator *h)
{
    if (h->engine.halt == AW_HALT_NONE)
        return h->time.quit ? "quit by the user" : "time limit reached";
    if (h->engine.halt == AW_HALT_EVENTS && h->input.channels.problem.status != AW_OK)
        return h->input.channels.problem.text;
    if (h->engine.halt == AW_HALT_GONE && h->input.channels.ended)
        return "end of the records";
    if (h->engine.halt == AW_HALT_GONE && h->input.pad.ended)
        return h->input.pad.loss_reason;
    if (h->engine.halt == AW_HALT_GONE)
        return "terminal closed";
    if (h->engine.halt == AW_HALT_STALE && h->input.pad.silent)
        return "no data from armwire-pad";
    if (h->engine.halt == AW_HALT_STALE && h->input.channels.stream && !h->input.pad.is_open)
        return "no records received";
    return aw_halt_names[h->engine.halt];
}

static void draw_title(struct panel *p)
{
    const struct aw_operator *h = p->operator;
    char text[200];
    snprintf(text, sizeof text, "%s teleop  map %s  %s%s%s", h->session->tool->name, h->map_name,
             h->input.pad.is_open       ? h->input.pad.name
             : h->input.channels.stream ? "records"
             : h->input.keys.releases   ? "keys, held to run"
                                        : "keys, one step each",
             h->input.pad.is_open && h->input.channels.stream ? " and records" : "",
             h->session->device.tee ? "  REC" : "");
    aw_braille_draw_text(p->canvas, 0, p->row++, text, AW_BRAILLE_BOLD);
}

/* Writes what is needed to enable motion. */
static void write_missing(const struct aw_operator *h, char *out, size_t size)
{
    if (h->input.channels.n_missing)
        snprintf(out, size, "stopped: no record with %s yet", aw_teleop_channels_missing(h));
    else if (!h->input.pad.is_open && !h->input.channels.stream)
        snprintf(out, size, "stopped: press a key");
    else
        snprintf(out, size, "stopped: %s %s to run",
                 h->engine.was_released ? "hold" : "release, then hold",
                 h->map.inputs[h->map.enable]);
}

static void draw_head(struct panel *p)
{
    const struct aw_operator *h = p->operator;
    const struct aw_teleop *t = &h->engine;
    char text[200];
    bool is_full_speed = h->map.has_full_speed && t->input.value[h->map.full_speed] >= 0.5;
    bool lost = t->halt > AW_HALT_RELEASED;
    draw_title(p);
    if (t->enabled) {
        aw_braille_draw_text(p->canvas, 0, p->row++,
                             is_full_speed ? "RUNNING, full speed" : "RUNNING, quarter speed",
                             AW_BRAILLE_CAUTION);
        return;
    }
    if (lost)
        snprintf(text, sizeof text, "STOPPED: %s", aw_teleop_halt_text(h));
    else
        write_missing(h, text, sizeof text);
    aw_braille_draw_text(p->canvas, 0, p->row++, text, lost ? AW_BRAILLE_WARNING : AW_BRAILLE_DIM);
}

static void write_number(char *out, size_t size, double number, int decimals)
{
    if (isfinite(number))
        snprintf(out, size, "%.*f", decimals, fabs(number) < 0.5 * pow(10, -decimals) ? 0 : number);
    else
        snprintf(out, size, "-");
}

static void draw_joint(struct panel *p, size_t i)
{
    const struct aw_operator *h = p->operator;
    const struct aw_joint *joint = &h->list.joints[i];
    const struct aw_teleop_joint *j = &h->joints[i];
    const struct aw_teleop_map *map = &h->map;
    char target[32], actual[32], velocity[32], text[160];
    bool chosen = map->n_choices && (strcmp(map->choices[h->engine.selected], joint->name) == 0 ||
                                     strcmp(map->choices[h->engine.selected], joint->alias) == 0);
    write_number(target, sizeof target,
                 isnan(j->target) ? joint->state.value[AW_JOINT_TARGET] : j->target,
                 joint->decimals);
    write_number(actual, sizeof actual, j->actual, joint->decimals);
    write_number(velocity, sizeof velocity, j->velocity, 1);
    const char *remark = j->limited ? "LIMIT" : isnan(j->actual) ? "unknown" : "";
    if (p->is_narrow)
        snprintf(text, sizeof text, "%c%-10.10s %8s %8s %s", chosen ? '>' : ' ',
                 aw_joint_display_name(joint), target, actual, remark);
    else
        snprintf(text, sizeof text, "%c%-20.20s %9s %9s %-5.5s %9s  %s", chosen ? '>' : ' ',
                 aw_joint_display_name(joint), target, actual,
                 joint->unit[AW_JOINT_ACTUAL] ? joint->unit[AW_JOINT_ACTUAL] : "", velocity,
                 remark);
    aw_braille_draw_text(p->canvas, 0, p->row++, text,
                         j->limited         ? AW_BRAILLE_WARNING
                         : j->velocity != 0 ? AW_BRAILLE_CAUTION
                                            : 0);
}

static void draw_joints(struct panel *p)
{
    const struct aw_operator *h = p->operator;
    char text[120];
    if (p->is_narrow)
        snprintf(text, sizeof text, " %-10s %8s %8s", "joint", "target", "actual");
    else
        snprintf(text, sizeof text, " %-20s %9s %9s %-5s %9s", "joint", "target", "actual", "unit",
                 "velocity");
    aw_braille_draw_text(p->canvas, 0, p->row++, text, AW_BRAILLE_DIM);
    for (size_t i = 0; i < h->list.n && p->row < p->foot; i++)
        if (h->mapped[i])
            draw_joint(p, i);
}

/* Draws "leftx [     |==== ] elbow": the deflection from the centre. */
static void draw_input(struct panel *p, size_t row)
{
    const struct aw_operator *h = p->operator;
    const struct aw_teleop_row *r = &h->map.rows[row];
    size_t joint = aw_teleop_find_joint(&h->engine, row);
    char bar[BAR_COLUMNS + 1], text[160];
    int end = (int)lround(aw_clamp(h->engine.input.value[r->input], -1, 1) * (BAR_COLUMNS / 2));
    for (int i = 0; i < BAR_COLUMNS; i++) {
        int from = i - BAR_COLUMNS / 2;
        bar[i] = from == 0                                                ? '|'
                 : (from > 0 && from <= end) || (from < 0 && from >= end) ? '='
                                                                          : ' ';
    }
    bar[BAR_COLUMNS] = '\0';
    bool armed = h->engine.input.armed[row];
    snprintf(text, sizeof text, " %-14.14s [%s] %s%s", h->map.inputs[r->input], bar,
             joint < h->list.n ? aw_joint_display_name(&h->list.joints[joint]) : "",
             armed || !h->engine.enabled ? "" : ": release it first");
    aw_braille_draw_text(p->canvas, 0, p->row++, text, armed ? 0 : AW_BRAILLE_DIM);
}

static void draw_foot(struct panel *p)
{
    struct aw_operator *h = p->operator;
    const char *note = aw_live_last_note(&h->display.live);
    char text[200];
    snprintf(text, sizeof text, "%s", note ? note : h->display.event_text);
    aw_braille_draw_text(p->canvas, 0, p->foot, text, note ? AW_BRAILLE_CAUTION : AW_BRAILLE_DIM);
    snprintf(text, sizeof text,
             h->input.keys.enabled ? "q stop, quit   arrows, w a s d, e z move   Shift fast"
                                   : "q stop, quit   %s hold to run%s%s",
             h->map.inputs[h->map.enable], h->map.has_full_speed ? "   full: " : "",
             h->map.has_full_speed ? h->map.inputs[h->map.full_speed] : "");
    aw_braille_draw_text(p->canvas, 0, p->foot + 1, text, AW_BRAILLE_DIM);
}

void aw_teleop_draw(struct aw_operator *operator)
{
    struct panel p = {.operator= operator,
                      .canvas = aw_screen_get_canvas(operator->display.live.screen)};
    if (!p.canvas)
        return;
    p.foot = p.canvas->rows - 2;
    p.is_narrow = p.canvas->columns < 66;
    draw_head(&p);
    if (p.canvas->rows > 14)
        p.row++;
    draw_joints(&p);
    if (p.canvas->rows > 14)
        p.row++;
    for (size_t i = 0; i < operator->map.n && p.row<p.foot; i++)
        if (operator->map.rows[i].verb == AW_VERB_VELOCITY)
            draw_input(&p, i);
    draw_foot(&p);
    aw_screen_show(operator->display.live.screen);
}
