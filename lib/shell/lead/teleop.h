/* Internal to teleop: the inputs and the driven joints. */
#ifndef AW_SHELL_LEAD_TELEOP_H
#define AW_SHELL_LEAD_TELEOP_H

#include "base/child.h"
#include "control/teleop.h"
#include "shell/joints/joints.h"
#include "shell/source/live.h"

#define AW_TELEOP_JOINTS 64

struct aw_operator;

struct aw_teleop_options {
    const char *pad, *map, *channels;
    double stale_s; /* NaN: not given */
    bool keys;
};
AW_GIVEN(command, aw_teleop_options, aw_teleop_given)

/* Keys instead of a pad. A held key moves the joint if the terminal reports releases (kitty's
 * protocol). On other terminals a key press lasts STEP_NS. */
struct aw_teleop_keys {
    bool enabled, releases; /* keys are the input; the terminal reports key releases */
    bool is_pressed;        /* a control is deflected */
    bool fast;              /* Shift is held */
    int control;            /* index of the control in the table of teleop_keys.c */
    int64_t release_ns;     /* end of the key press, session clock */
    bool quit;
    bool late; /* keys were typed during a step: only releases and q count */
    size_t used;
    char text[64]; /* the start of an incomplete escape sequence */
};

/* A gamepad, read by the program armwire-pad. */
struct aw_teleop_pad {
    bool is_open, bluetooth, ended;
    bool silent;                      /* armwire-pad was silent for too long */
    bool has_input[AW_TELEOP_INPUTS]; /* inputs of the map that the pad has */
    /* arrival time of the last record, real clock; AW_NEVER: none yet */
    int64_t received_ns;
    struct aw_child child;
    size_t buffered, used; /* bytes in buffer: total, processed */
    char name[80], loss_reason[400], buffer[8192];
};

/* Channels received as records; stream NULL: none. */
struct aw_teleop_channels {
    struct aw_stream *stream;
    struct aw_select names;      /* names in the map that the pad does not have */
    size_t input[AW_SELECT_MAX]; /* map input of each name */
    bool was_received[AW_SELECT_MAX];
    /* "a, b, …": names in the records, until all expected names have arrived */
    char received_names[240];
    size_t n_missing;      /* missing channels; records count once all have arrived */
    enum aw_status status; /* error that ended the channels */
    /* the invalid record that caused the last stop; status AW_OK: none */
    struct aw_error problem;
    bool is_live;         /* reads standard input; otherwise a file, played by its times */
    bool has_item, ended; /* item is read but not due yet; the input has ended */
    bool is_behind;       /* more records arrived than one call reads */
    struct aw_item item;
    struct {
        int64_t start_ns;    /* file: offset from its times to the session's clock */
        int64_t received_ns; /* arrival time of the last record */
        int64_t stale_ns;    /* max silence; 0: no limit */
    } time;
};

/* How commands are sent: as a stream, or in steps. */
struct aw_teleop_sender {
    /* waits for the confirmation of each command; the device reports nothing else */
    bool confirms;
    /* the speed that 100 % means for a joint without a max speed: this share of its range per
     * second */
    double range_share;
    /* checks whether teleop can start; NULL: always */
    enum aw_status (*check)(struct aw_operator *operator);
    /* Sends the requested motion. Sets operator->time.next_ns, and steps.waited if it waited. */
    enum aw_status (*send)(struct aw_operator *operator);
};

/* For joints that do not accept velocities: sends one small step after another. */
extern const struct aw_teleop_sender aw_teleop_steps;

struct aw_operator {
    struct aw_session *session;
    const struct aw_teleop_sender *sender;
    struct aw_joint_list list;
    struct aw_teleop engine;
    struct aw_teleop_map map;
    struct aw_teleop_joint joints[AW_TELEOP_JOINTS];
    bool mapped[AW_TELEOP_JOINTS];
    const char *map_name;
    struct {
        struct aw_teleop_pad pad;
        struct aw_teleop_keys keys;
        struct aw_teleop_channels channels;
    } input;
    struct {
        struct aw_live live;
        bool has_screen, prompted; /* prompted: the prompt "hold to run" was printed */
        bool warned;               /* the hint to release the button first was printed */
        char event_text[120];      /* text of the last event */
    } display;
    struct {
        bool quit;
        bool time_over; /* the time of --for is over */
        /* due time of the next command; time of the event being handled; session clock */
        int64_t next_ns, event_ns;
    } time;
    struct {
        size_t next_joint; /* in steps: the joint to move next */
        bool waited;       /* the last command waited for its confirmation */
    } steps;
    struct {
        unsigned stops, marks;
        double worst_ms; /* max time from an event to the confirmed stop */
    } counts;
};

/* Draws the panel on the canvas of operator->display.live.screen. */
void aw_teleop_draw(struct aw_operator *operator);

/* Returns the reason of the halt as a message. */
const char *aw_teleop_halt_text(const struct aw_operator *operator);

/* Keys. begin and end switch the terminal's reports of key releases on and off; handle processes
 * one character; step sets the inputs. */
void aw_teleop_keys_begin(struct aw_operator *operator);
void aw_teleop_keys_end(struct aw_operator *operator);
void aw_teleop_keys_handle(struct aw_operator *operator, char c);
void aw_teleop_keys_step(struct aw_operator *operator);

/* A gamepad. open starts armwire-pad and waits for its first record (AW_NO_LINK: no gamepad, or no
 * armwire-pad). read does not block, and reports the loss of a silent or missing pad. */
enum aw_status aw_teleop_pad_open(struct aw_operator *operator);
void aw_teleop_pad_read(struct aw_operator *operator);
void aw_teleop_pad_close(struct aw_operator *operator);

/* After the stop: waits for the end of armwire-pad, and returns the reason of its end. */
const char *aw_teleop_pad_end(struct aw_operator *operator);

/* Channels. open needs the map and the pad; path "-": standard input. read processes records that
 * were received or are due. It reports a source that is silent or has ended; AW_USAGE and
 * AW_STOPPED are fatal. due returns the time of the next record. */
enum aw_status aw_teleop_channels_open(struct aw_operator *operator, const char * path);
enum aw_status aw_teleop_channels_read(struct aw_operator *operator);
int64_t aw_teleop_channels_due(const struct aw_operator *operator);
/* Returns the first input that no record has named; NULL: none. */
const char *aw_teleop_channels_missing(const struct aw_operator *operator);
/* For the end of a file. AW_MALFORMED: a record is invalid; AW_USAGE: no record named one of the
 * inputs. */
enum aw_status aw_teleop_channels_check(const struct aw_operator *operator);
void aw_teleop_channels_close(struct aw_operator *operator);

/* Sets operator->map to the map of this name: from the config file, from the tool, or built from
 * the joints. NULL: the default map. AW_USAGE lists the available maps. */
enum aw_status aw_teleop_choose_map(struct aw_operator *operator, const char * name);
aw_complete_fn aw_teleop_complete_maps;

extern const struct aw_command aw_teleop_command;

#endif
