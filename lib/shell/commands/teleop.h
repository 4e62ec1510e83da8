/* Internal to teleop: what drives, and what it drives. */
#ifndef AW_SHELL_COMMANDS_TELEOP_H
#define AW_SHELL_COMMANDS_TELEOP_H

#include "control/teleop.h"
#include "input/pad.h"
#include "shell/commands/live.h"
#include "shell/core/joints.h"

#define AW_TELEOP_JOINTS 64

/* Keys in place of a pad. Where the terminal reports releases (kitty's protocol) a key that is held
 * runs; elsewhere a key is a push of STEP_NS. */
struct aw_teleop_keys {
    bool wanted, releases; /* the terminal reports them */
    bool down;             /* a control is out */
    bool fast;             /* with Shift */
    int control;           /* of the key, in the table of teleop_keys.c */
    int64_t until;         /* of a push, by the session's clock */
    bool quit;
    size_t used;
    char text[64]; /* the beginning of a sequence */
};

struct aw_hands {
    struct aw_session *session;
    struct aw_joint_list list;
    struct aw_teleop engine;
    struct aw_teleop_map map;
    struct aw_teleop_joint joints[AW_TELEOP_JOINTS];
    bool mapped[AW_TELEOP_JOINTS];
    const char *map_name;
    struct aw_pad *pad;            /* NULL: keys */
    int control[AW_TELEOP_INPUTS]; /* of the pad; -1: it has none of this name */
    struct aw_teleop_keys keys;
    struct aw_live live;
    bool screen, done;
    char said[120];            /* the last thing that happened */
    int64_t next_ns, event_ns; /* the next command is due; of the event that is being handled */
    unsigned stops, marks;
    double worst_ms; /* from the kernel's event to the stop's confirmation */
};

/* The panel, on the canvas of hands->live.screen. */
void aw_teleop_draw(struct aw_hands *hands);

/* Keys: begin and end switch the terminal's reports of releases; take reads one character; step
 * sets the inputs. */
void aw_teleop_keys_begin(struct aw_hands *hands);
void aw_teleop_keys_end(struct aw_hands *hands);
void aw_teleop_keys_take(struct aw_hands *hands, char c);
void aw_teleop_keys_step(struct aw_hands *hands);

/* hands->map is the one of this name: of the config file, of the tool, or made of the joints. NULL:
 * the usual one. AW_USAGE names those that there are. */
enum aw_status aw_teleop_choose(struct aw_hands *hands, const char *name);
void aw_teleop_complete_maps(struct aw_session *session, aw_candidate_fn *add, void *context);

#endif
