/* The config file: $XDG_CONFIG_HOME/armwire/TOOL.ini, or the file given by --config.
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

/* Strings from the file, owned by the session. */
struct aw_config {
    char path[512];
    bool found;
    size_t n_errors;       /* number of skipped lines; 1 if the file cannot be read */
    int error_line;        /* the first skipped line; 0: the whole file is unusable */
    struct aw_error error; /* error of that line: "FILE:LINE: why" */
    bool reported;         /* the error has been reported */
    bool incomplete;       /* the device description is incomplete */
    size_t n_lines, lines_room;
    struct aw_config_line { /* valid lines of [link], [teleop NAME] and the tool's sections */
        char section[48], key[64], value[512];
    } * lines;
    size_t n_settings;
    struct aw_setting { /* A line of [options]. */
        const struct aw_option *option;
        char *text;
        int line;
        bool refused; /* the option's check refused it */
        char error[200];
    } settings[AW_OPTIONS_MAX];
};

/* Reads the file at path (NULL: the default path). A missing file is an error only if path is
 * given. Skips wrong lines. Returns AW_OK, AW_NO_MEMORY, or the status of config->error, which is
 * not fatal. */
enum aw_status aw_config_load(struct aw_session *session, const char *path);

/* Returns true if [options] may set this option; some options work only on the command line. */
bool aw_config_allows(const char *option);

/* Prepends "FILE:LINE:1: " to session->err if this option's value comes from the file. */
void aw_config_add_location(struct aw_session *session, const char *option);

/* Returns a setting that is invalid, needed by this command, and not overridden by another source;
 * NULL: none. */
const struct aw_setting *aw_config_find_invalid(const struct aw_session *session,
                                                const struct aw_command *command);

/* If this is a teleop section, returns the name of its map; otherwise NULL. */
const char *aw_config_map_name(const char *section);

void aw_config_free(struct aw_config *config);

/* Writes "$XDG_STATE_HOME/armwire/TOOL/NAME" and creates its directories. Writes "" if there is no
 * home directory. */
void aw_write_state_path(const struct aw_session *session, const char *name, char *out,
                         size_t size);

/* Writes the state path for this link's device: "NAME-" and an identifier of the device. Writes ""
 * without a link, or for a simulated device, whose state ends with its link. */
void aw_write_link_state_path(const struct aw_session *session, const char *name, char *out,
                              size_t size);

/* Returns true for a line that defines an alias: its key is the name, its value the URL. */
bool aw_config_is_alias(const struct aw_config_line *line);

/* Returns the URL of an alias, or NULL. If it is given twice, the last line counts. */
const char *aw_config_find_alias(const struct aw_session *session, const char *name);

#endif
