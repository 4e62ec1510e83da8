/* Finds the config file, reads its sections with inih, and stores them for the tool. */
#include "shell/session/config.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/lines.h"
#include "base/text.h"
#include "base/xdg.h"
#include "control/teleop.h"

void aw_write_state_path(const struct aw_session *session, const char *name, char *out, size_t size)
{
    char file[192];
    snprintf(file, sizeof file, "%s/%s", session->tool->name, name);
    if (aw_xdg_path(AW_XDG_STATE, file, out, size))
        aw_file_make_folders(out, 0700);
}

void aw_write_link_state_path(const struct aw_session *session, const char *name, char *out,
                              size_t size)
{
    char file[160];
    *out = '\0';
    if (!session->device.link || session->device.link->is_simulated)
        return;
    size_t n = (size_t)snprintf(file, sizeof file, "%s-", name);
    for (const char *p = session->device.link->key; *p && n < sizeof file - 1; p++)
        file[n++] = isalnum((unsigned char)*p) ? *p : '_';
    file[n] = '\0';
    aw_write_state_path(session, file, out, size);
}

const char *aw_config_map_name(const char *section)
{
    static const char begin[] = "teleop ";
    size_t length = sizeof begin - 1;
    return strncmp(section, begin, length) == 0 ? section + length : NULL;
}

bool aw_config_is_alias(const struct aw_config_line *line)
{
    return strcmp(line->section, "link") == 0;
}

bool aw_config_allows(const char *option)
{
    static const char *const never[] = {"help", "version", "config", NULL};
    return !aw_is_one_of(never, option);
}

static enum aw_status set_option(struct aw_session *session, const char *key, const char *value)
{
    struct aw_config *config = session->config;
    if (config->n_settings == AW_OPTIONS_MAX)
        return aw_fail(&session->err, AW_USAGE, "more than %d options — remove some",
                       AW_OPTIONS_MAX);
    if (!aw_config_allows(key))
        return aw_fail(&session->err, AW_USAGE,
                       "--%s: allowed only on the command line — remove it", key);
    char *copy = strdup(value);
    if (!copy)
        return aw_no_memory(&session->err);
    struct aw_setting *setting = &config->settings[config->n_settings++];
    *setting = (struct aw_setting){.text = copy};
    enum aw_status status =
        aw_options_set(&session->options, key, copy, AW_FROM_CONFIG, &session->err);
    if (status == AW_OK)
        setting->option = aw_options_find(&session->options, key)->option;
    return status;
}

/* Stores a valid line without parsing its value, because the joints are not known yet. */
static enum aw_status store_line(struct aw_session *session, const char *section, const char *key,
                                 const char *value)
{
    struct aw_config *config = session->config;
    struct aw_config_line line;
    const struct {
        const char *name, *text;
        char *out;
        size_t size;
    } parts[] = {{"section", section, line.section, sizeof line.section},
                 {"key", key, line.key, sizeof line.key},
                 {"value", value, line.value, sizeof line.value}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if ((size_t)snprintf(parts[i].out, parts[i].size, "%s", parts[i].text) >= parts[i].size)
            return aw_fail(&session->err, AW_USAGE,
                           "%.40s: %s is longer than %zu characters — shorten it", key,
                           parts[i].name, parts[i].size - 1);
    /* An input of a teleop map may have several actions. */
    size_t i = aw_config_map_name(section) ? config->n_lines : 0;
    while (i < config->n_lines && (strcmp(config->lines[i].section, section) != 0 ||
                                   strcmp(config->lines[i].key, key) != 0))
        i++;
    void *lines = aw_grow(config->lines, &config->lines_room, i + 1, sizeof line);
    if (!lines)
        return aw_no_memory(&session->err);
    config->lines = lines;
    config->lines[i] = line;
    config->n_lines += i == config->n_lines;
    return AW_OK;
}

/* Reads one line of the file. If a key is given twice, the last line counts, except for the inputs
 * of a teleop map. */
static enum aw_status read_entry(struct aw_session *session, const char *section, const char *key,
                                 const char *value)
{
    if (strcmp(section, "link") == 0)
        return store_line(session, section, key, value);
    if (strcmp(section, "options") == 0)
        return set_option(session, key, value);
    struct aw_teleop_map map = {0};
    enum aw_status status;
    if (aw_config_map_name(section) && session->tool->motion.joints)
        status = aw_teleop_map_set(&map, key, value, &session->err);
    else if (session->tool->state.set_config_key)
        status = session->tool->state.set_config_key(session, section, key, value, &session->err);
    else
        return aw_fail(&session->err, AW_USAGE, "unknown section [%s] — use [link]%s", section,
                       session->tool->motion.joints ? ", [options] or [teleop NAME]"
                                                    : " or [options]");
    return status == AW_OK ? store_line(session, section, key, value) : status;
}

/* State while reading the file. */
struct file_reader {
    struct aw_session *session;
    FILE *file;
    int line;
    bool line_ended; /* the last chunk ended the line */
};

/* Stores the first error, to report it later, and counts the others. */
static enum aw_status note_error(struct aw_config *config, int line, bool broken,
                                 const struct aw_error *problem)
{
    char position[24] = "";
    if (line)
        snprintf(position, sizeof position, ":%d:1", line);
    if (config->n_errors++ == 0 || line < config->error_line) {
        config->error_line = line;
        aw_fail(&config->error, problem->status, "%.140s%s: %s", config->path, position,
                problem->text);
    }
    config->incomplete = config->incomplete || broken;
    return config->error.status;
}

/* Removes leading blanks, because inih treats an indented line as a continuation. */
static char *next_line(char *line, int size, void *user)
{
    struct file_reader *reading = user;
    char *result = fgets(line, size, reading->file);
    if (result) {
        reading->line += reading->line_ended;
        reading->line_ended = strchr(line, '\n') != NULL;
        char *text = line + strspn(line, " \t");
        memmove(line, text, strlen(text) + 1);
    }
    return result;
}

static int on_entry(void *user, const char *section, const char *key, const char *value)
{
    struct file_reader *reading = user;
    struct aw_session *session = reading->session;
    bool is_tool_section = strcmp(section, "link") != 0 && strcmp(section, "options") != 0;
    size_t before = session->config->n_settings;
    if (read_entry(session, section, key, value) != AW_OK)
        note_error(session->config, reading->line, is_tool_section, &session->err);
    if (session->config->n_settings > before)
        session->config->settings[before].line = reading->line;
    return 1;
}

/* Returns the last setting of this option, which overrides earlier ones. */
static struct aw_setting *find_setting(const struct aw_session *session, const char *option)
{
    struct aw_setting *found = NULL;
    for (size_t i = 0; i < session->config->n_settings; i++) {
        struct aw_setting *setting = &session->config->settings[i];
        if (setting->option && strcmp(setting->option->name, option) == 0)
            found = setting;
    }
    return found;
}

static void refuse_setting(struct aw_session *session, struct aw_setting *setting)
{
    struct aw_option_value *value = aw_options_find(&session->options, setting->option->name);
    snprintf(setting->error, sizeof setting->error, "%.199s", session->err.text);
    setting->refused = true;
    aw_options_reset(&session->options, value);
    note_error(session->config, setting->line, false, &session->err);
}

/* Checks the message layout first, because other settings may name its fields. */
static void check_settings(struct aw_session *session)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < session->config->n_settings; i++) {
            struct aw_setting *setting = &session->config->settings[i];
            const struct aw_option *option = setting->option;
            bool is_effective =
                option && option->check && find_setting(session, option->name) == setting;
            bool sets_layout = is_effective && option->needed_by == AW_NEEDED_BY_MESSAGES;
            if (is_effective && sets_layout == (pass == 0) &&
                option->check(session, setting->text) != AW_OK)
                refuse_setting(session, setting);
        }
    session->err = (struct aw_error){.status = AW_OK};
}

void aw_config_add_location(struct aw_session *session, const char *option)
{
    const struct aw_setting *setting = find_setting(session, option);
    if (setting && aw_options_find(&session->options, option)->origin == AW_FROM_CONFIG)
        aw_fail_at_line(&session->err, session->config->path, (uint64_t)setting->line, 1);
}

const struct aw_setting *aw_config_find_invalid(const struct aw_session *session,
                                                const struct aw_command *command)
{
    enum aw_needed_by min_need = command->offline ? AW_NEEDED_BY_MESSAGES : AW_NEEDED_BY_DEVICES;
    if (aw_command_is_stop(command) || (command->offline && !command->uses_messages))
        return NULL;
    for (size_t i = 0; i < session->config->n_settings; i++) {
        const struct aw_setting *setting = &session->config->settings[i];
        if (!setting->refused || setting->option->needed_by < min_need)
            continue;
        struct aw_options *options = (struct aw_options *)&session->options;
        if (aw_options_find(options, setting->option->name)->origin == AW_FROM_DEFAULT)
            return setting;
    }
    return NULL;
}

static enum aw_status fail_unreadable(struct aw_session *session, int problem, bool required)
{
    struct aw_error reason;
    if (problem == ENOENT && !required)
        return AW_OK;
    if (problem == ENOMEM)
        return aw_no_memory(&session->err);
    aw_fail(&reason, AW_USAGE, "%s", aw_file_reason(problem));
    return note_error(session->config, 0, true, &reason);
}

enum aw_status aw_config_load(struct aw_session *session, const char *path)
{
    struct aw_config *config = session->config;
    char name[64];
    config->n_errors = 0;
    config->incomplete = false;
    config->error = (struct aw_error){.status = AW_OK};
    snprintf(name, sizeof name, "%s.ini", session->tool->name);
    if (path)
        snprintf(config->path, sizeof config->path, "%s", path);
    else
        aw_xdg_path(AW_XDG_CONFIG, name, config->path, sizeof config->path);
    if (!*config->path)
        return AW_OK;
    FILE *file = aw_file_open_text(config->path);
    if (!file)
        return fail_unreadable(session, errno, path != NULL);
    struct file_reader reading = {.session = session, .file = file, .line_ended = true};
    errno = 0;
    int line = ini_parse_stream(next_line, &reading, on_entry, &reading);
    int problem = ferror(file) ? errno : 0;
    fclose(file);
    if (problem)
        return fail_unreadable(session, problem, true);
    config->found = true;
    if (line != 0)
        note_error(config, line, true,
                   &(struct aw_error){AW_USAGE, "invalid line — write [section] or key = value"});
    check_settings(session);
    return config->error.status;
}

const char *aw_config_find_alias(const struct aw_session *session, const char *name)
{
    const struct aw_config *config = session->config;
    const char *url = NULL;
    for (size_t i = 0; i < config->n_lines; i++)
        if (aw_config_is_alias(&config->lines[i]) && strcmp(config->lines[i].key, name) == 0)
            url = config->lines[i].value;
    return url;
}

void aw_config_free(struct aw_config *config)
{
    for (size_t i = 0; i < config->n_settings; i++)
        free(config->settings[i].text);
    free(config->lines);
}
