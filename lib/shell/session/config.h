/* The config file: $XDG_CONFIG_HOME/armwire/TOOL.ini, or the one of --config.
 *
 *     [link]                    ; aliases: -l @arm
 *     arm = /dev/ttyUSB0?baud=9600
 *     [options]                 ; any option by its long name
 *     link = @arm
 *     [joint elbow]             ; handed to the tool
 *     index = 2
 */
#ifndef AW_SHELL_SESSION_CONFIG_H
#define AW_SHELL_SESSION_CONFIG_H

#include "shell/session/session.h"

#define AW_ALIASES_MAX 32

/* Texts from the file; owned by the session. */
struct aw_config {
    char path[512];
    bool found;
    size_t n_wrong;        /* skipped lines; or 1 if the file cannot be read */
    int wrong_line;        /* the first skipped line; 0: the whole file */
    struct aw_error wrong; /* its error: "FILE:LINE: why" */
    bool reported;         /* the error has been reported */
    bool broken;           /* the device description is incomplete */
    size_t n_aliases;
    struct aw_alias {
        char *name, *url;
    } aliases[AW_ALIASES_MAX];
    size_t n_lines, lines_room;
    struct aw_config_line { /* valid lines of [teleop NAME] and the tool's sections */
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

/* Reads the file. A missing file is an error only if path was given. Skips a wrong line and reads
 * the rest: returns AW_OK or the status of config->wrong, which is not fatal. */
enum aw_status aw_config_load(struct aw_session *session, const char *path);

/* Returns true if [options] may have this option; some are for the command line only. */
bool aw_config_takes(const char *option);

/* Prepends "FILE:LINE:1: " to session->err if this option's value comes from the file. */
void aw_config_blame(struct aw_session *session, const char *option);

/* Returns an invalid setting that this command needs and that no other source overrides; NULL:
 * none.
 */
const struct aw_setting *aw_config_lacks(const struct aw_session *session,
                                         const struct aw_command *command);

/* Returns the map's name of a teleop section; NULL: another section. */
const char *aw_config_map(const char *section);

void aw_config_free(struct aw_config *config);

/* Writes "$XDG_STATE_HOME/armwire/TOOL/NAME" and creates its directories. Empty without a home
 * directory. */
void aw_state_path(const struct aw_session *session, const char *name, char *out, size_t size);

/* Writes the state path for this link's device: "NAME-" and an identifier of the device. Empty
 * without a link, or for a simulated device, whose state ends with each link. */
void aw_link_state_path(const struct aw_session *session, const char *name, char *out, size_t size);

/* Returns the URL of an alias, or NULL. */
const char *aw_config_alias(const struct aw_session *session, const char *name);

#endif
