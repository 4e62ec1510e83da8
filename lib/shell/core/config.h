/* The config file: $XDG_CONFIG_HOME/armwire/TOOL.ini, or the one of --config.
 *
 *     [link]                    ; aliases: -l @arm
 *     arm = /dev/ttyUSB0?baud=9600
 *     [options]                 ; any option by its long name
 *     link = @arm
 *     [joint elbow]             ; handed to the tool
 *     index = 2
 */
#ifndef AW_SHELL_CORE_CONFIG_H
#define AW_SHELL_CORE_CONFIG_H

#include "shell/core/session.h"

#define AW_ALIASES_MAX 32

/* Texts from the file; owned by the session. */
struct aw_config {
    char path[512];
    bool found;
    size_t n_wrong;        /* lines that are left out; or 1, the file cannot be read */
    int wrong_line;        /* the first of them; 0: the whole file */
    struct aw_error wrong; /* and what is wrong: "FILE:LINE: why" */
    bool reported;         /* of that */
    bool broken;           /* the description of the device is not complete */
    size_t n_aliases;
    struct aw_alias {
        char *name, *url;
    } aliases[AW_ALIASES_MAX];
    size_t n_lines, lines_room;
    struct
        aw_config_line { /* of [teleop NAME] and the tool's own sections, as far as it is right */
        char section[48], key[48], value[256];
    } * lines;
    size_t n_settings;
    struct aw_setting { /* of [options] */
        const struct aw_option *option;
        char *text;
        int line;
        bool refused; /* by the option's check */
        char why[200];
    } settings[AW_OPTIONS_MAX];
};

/* Reads the file. A missing one is fine unless path was asked for. A wrong line is left out, and
 * the rest holds: AW_OK, or the status of config->wrong, which is no reason to stop. */
enum aw_status aw_config_load(struct aw_session *session, const char *path);

/* May [options] have it? Some only the command line has. */
bool aw_config_takes(const char *option);

/* "FILE:LINE:1: " in front of session->err, if the value of this option comes from the file. */
void aw_config_blame(struct aw_session *session, const char *option);

/* The setting that is wrong and that this command needs, as it is not told otherwise; NULL: none.
 */
const struct aw_setting *aw_config_lacks(const struct aw_session *session,
                                         const struct aw_command *command);

/* The name of the map whose line it is; NULL: of another section. */
const char *aw_config_map(const char *section);

void aw_config_free(struct aw_config *config);

/* "$XDG_STATE_HOME/armwire/TOOL/NAME"; directories are made. Empty if there is no home. */
void aw_state_path(const struct aw_session *session, const char *name, char *out, size_t size);

/* The same for the device of this link, "NAME-" and what tells it from others; empty for a
 * simulated device, which begins anew with each link, and without a link. */
void aw_link_state_path(const struct aw_session *session, const char *name, char *out, size_t size);

/* URL of an alias, or NULL. */
const char *aw_config_alias(const struct aw_session *session, const char *name);

#endif
