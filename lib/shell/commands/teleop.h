/* Internal to teleop: what drives, and what it drives. */
#ifndef AW_SHELL_COMMANDS_TELEOP_H
#define AW_SHELL_COMMANDS_TELEOP_H

#include <limits.h>

#include "base/child.h"
#include "control/teleop.h"
#include "shell/commands/live.h"
#include "shell/core/joints.h"

#define AW_TELEOP_JOINTS 64

struct aw_hands;

struct aw_teleop_options {
    const char *pad, *map, *channels;
    double stale_s; /* NAN: not given */
    bool keys;
};
AW_GIVEN(command, aw_teleop_options, aw_teleop_given)

/* Keys in place of a pad. Where the terminal reports releases (kitty's protocol) a key that is held
 * runs; elsewhere a key is a push of STEP_NS. */
struct aw_teleop_keys {
    bool wanted, releases; /* the terminal reports them */
    bool down;             /* a control is out */
    bool fast;             /* with Shift */
    int control;           /* of the key, in the table of teleop_keys.c */
    int64_t until;         /* of a push, by the session's clock */
    bool quit;
    bool late; /* what is read was typed while a step was waited for: only releases count, and q */
    size_t used;
    char text[64]; /* the beginning of a sequence */
};

/* A gamepad, read by the program armwire-pad. */
struct aw_teleop_pad {
    bool on, bluetooth, ended;
    bool silent;                /* armwire-pad printed nothing for too long */
    bool has[AW_TELEOP_INPUTS]; /* of the map's inputs */
    int64_t came_ns;            /* the last record, by the real clock; AW_NEVER: none yet */
    struct aw_child child;
    size_t held, used; /* in buffer */
    char name[80], why[400], buffer[8192];
};

/* Channels that come as records; stream NULL: none. */
struct aw_teleop_channels {
    struct aw_stream *stream;
    struct aw_select names;      /* what the map names and the pad has not */
    size_t input[AW_SELECT_MAX]; /* of each of them */
    bool seen[AW_SELECT_MAX];
    char others[160];      /* "a, b": other names in the records */
    size_t unseen;         /* until all have come once nothing counts */
    enum aw_status status; /* why it cannot go on */
    bool live;             /* standard input; else a file, which is played by its times */
    bool waiting, over;    /* item is read and not due yet; the end */
    bool behind;           /* more have come than were taken at once */
    struct aw_item item;
    int64_t start_ns; /* of a file: what its times lack to the session's clock */
    int64_t came_ns;  /* the last one */
    int64_t stale_ns; /* silence that is a loss; 0: none is */
};

/* How what the hands want goes out: as a stream of commands, or in steps. */
struct aw_teleop_way {
    bool waits;      /* until each command is confirmed, which says all that is known of a joint */
    double of_range; /* 100 % of a joint without a speed: so much of its range in a second */
    enum aw_status (*check)(struct aw_hands *hands); /* can it begin? NULL: always */
    /* What is wanted now; sets next_ns, and waited if it was waited for. */
    enum aw_status (*send)(struct aw_hands *hands);
};

/* Where there are no speeds: one small step after the other. */
extern const struct aw_teleop_way aw_teleop_steps;

struct aw_hands {
    struct aw_session *session;
    const struct aw_teleop_way *way;
    struct aw_joint_list list;
    struct aw_teleop engine;
    struct aw_teleop_map map;
    struct aw_teleop_joint joints[AW_TELEOP_JOINTS];
    bool mapped[AW_TELEOP_JOINTS];
    const char *map_name;
    struct aw_teleop_pad pad;
    struct aw_teleop_keys keys;
    struct aw_teleop_channels channels;
    struct aw_live live;
    bool screen, done, told;   /* told: how to run */
    bool over;                 /* the time of --for */
    char said[120];            /* the last thing that happened */
    int64_t next_ns, event_ns; /* the next command is due; of the event that is being handled */
    size_t turn;               /* of steps: the joint whose turn it is */
    bool waited;               /* for the last command, until it was confirmed */
    unsigned stops, marks, recordings; /* recordings that the button has begun */
    unsigned recording;                /* the number of the last one */
    char record_path[PATH_MAX];        /* and its file */
    double worst_ms;                   /* from the event to the stop's confirmation */
};

/* The panel, on the canvas of hands->live.screen. */
void aw_teleop_draw(struct aw_hands *hands);

/* Why it stands, in words. */
const char *aw_teleop_halt_text(const struct aw_hands *hands);

/* Keys: begin and end switch the terminal's reports of releases; take reads one character; step
 * sets the inputs. */
void aw_teleop_keys_begin(struct aw_hands *hands);
void aw_teleop_keys_end(struct aw_hands *hands);
void aw_teleop_keys_take(struct aw_hands *hands, char c);
void aw_teleop_keys_step(struct aw_hands *hands);

/* A gamepad: open starts armwire-pad and waits for its first record (AW_NO_LINK: no gamepad, or no
 * armwire-pad); take reads what has come, without waiting, and loses a pad that is silent or gone.
 */
enum aw_status aw_teleop_pad_open(struct aw_hands *hands);
void aw_teleop_pad_take(struct aw_hands *hands);
void aw_teleop_pad_close(struct aw_hands *hands);

/* After the stop: waits for the end of armwire-pad, and says why it has ended. */
const char *aw_teleop_pad_end(struct aw_hands *hands);

/* Channels: open when the map and the pad are known; path "-": standard input. take takes what has
 * come or is due, and loses what is silent or ends (AW_USAGE, AW_STOPPED: it cannot go on); due is
 * when the next one is; lack a channel that has not come yet, or NULL. */
enum aw_status aw_teleop_channels_open(struct aw_hands *hands, const char *path);
enum aw_status aw_teleop_channels_take(struct aw_hands *hands);
int64_t aw_teleop_channels_due(const struct aw_hands *hands);
/* The first input that no record has named; NULL: none. */
const char *aw_teleop_channels_lack(const struct aw_hands *hands);
/* At the end of a file. AW_USAGE: no record has named one of the inputs. */
enum aw_status aw_teleop_channels_check(const struct aw_hands *hands);
void aw_teleop_channels_close(struct aw_hands *hands);

/* The button that ends a recording and begins the next; *said: what to say in front of its path. */
void aw_teleop_record_begin(struct aw_hands *hands);
enum aw_status aw_teleop_record_toggle(struct aw_hands *hands, const char **said);
enum aw_status aw_teleop_record_end(struct aw_hands *hands, enum aw_status status);

/* hands->map is the one of this name: of the config file, of the tool, or made of the joints. NULL:
 * the usual one. AW_USAGE names those that there are. */
enum aw_status aw_teleop_choose(struct aw_hands *hands, const char *name);
aw_complete_fn aw_teleop_complete_maps;

#endif
