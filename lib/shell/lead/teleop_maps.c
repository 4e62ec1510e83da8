/* Selects the map of teleop: from the config file, from the tool, or one for any joints. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "shell/lead/teleop.h"
#include "shell/session/config.h"

/* If the map selects joints without a list, selects among all joints with reports. */
static enum aw_status add_choice(struct aw_operator *operator)
{
    struct aw_teleop_map *map = &operator->map;
    char names[AW_TELEOP_CHOICE * AW_JOINT_NAME] = "";
    size_t row = 0;
    while (row < map->n && strcmp(map->rows[row].joint, "select") != 0)
        row++;
    if (map->n_choices || row == map->n)
        return AW_OK;
    for (size_t i = 0, n = 0; i < operator->list.n && n<AW_TELEOP_CHOICE; i++) {
        const struct aw_joint *joint = &operator->list.joints[i];
        if (joint->flags.is_blind || joint->flags.undescribed || joint->flags.excluded)
            continue;
        aw_append(names, sizeof names, ", ", "%s", joint->name);
        n++;
    }
    return aw_teleop_map_set(map, "select", names, &operator->session->err);
}

/* Reads the map's section of the config file. Sets *found if there is one. */
static enum aw_status read_section(struct aw_operator *operator, const char * name, bool *found)
{
    const struct aw_config *config = operator->session->config;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < config->n_lines && status == AW_OK; i++) {
        const char *map = aw_config_map_name(config->lines[i].section);
        if (!map || strcmp(map, name) != 0)
            continue;
        *found = true;
        status = aw_teleop_map_set(&operator->map, config->lines[i].key, config->lines[i].value,
                                   &operator->session->err);
    }
    return status;
}

static void list_names(void *context, const char *candidate, const char *help)
{
    char *names = context;
    (void)help;
    aw_append(names, 400, ", ", "%s", candidate);
}

static bool has_joint(const struct aw_operator *operator, const struct aw_teleop_row * row)
{
    size_t joint = aw_joints_find_index(&operator->list, row->joint);
    return row->verb >= AW_VERB_NEXT ||
           (joint < operator->list.n && !operator->list.joints[joint].flags.undescribed);
}

/* Drops rows of a preset map whose joints this arm does not have. */
static enum aw_status drop_missing(struct aw_operator *operator)
{
    struct aw_teleop_map *map = &operator->map;
    size_t n = 0, moves = 0;
    for (size_t i = 0; i < map->n; i++) {
        if (!has_joint(operator, & map->rows[i]))
            continue;
        moves += map->rows[i].verb < AW_VERB_NEXT;
        map->rows[n++] = map->rows[i];
    }
    map->n = n;
    if (moves)
        return AW_OK;
    return aw_fail(&operator->session->err, AW_USAGE,
                   "teleop: no joint of the map %s is configured — add [joint NAME] sections with "
                   "an index to the config file, see '%s config example'",
                   operator->map_name, operator->session->tool->name);
}

static enum aw_status read_preset(struct aw_operator *operator,
                                  const struct aw_teleop_preset * preset)
{
    enum aw_status status =
        aw_teleop_map_parse(&operator->map, preset->text, &operator->session->err);
    return status == AW_OK && operator->session->tool->motion.joints->traits.confirms
               ? drop_missing(operator)
               : status;
}

enum aw_status aw_teleop_choose_map(struct aw_operator *operator, const char * name)
{
    struct aw_session *session = operator->session;
    const struct aw_teleop_preset *preset = session->tool->motion.maps;
    bool found = false;
    for (size_t i = 0; i < session->config->n_lines && !name; i++)
        name = aw_config_map_name(session->config->lines[i].section);
    enum aw_status status = name ? read_section(operator, name, &found) : AW_OK;
    operator->map_name = name ? name : preset->name;
    while (!found && preset->name && strcmp(preset->name, operator->map_name) != 0)
        preset++;
    if (status == AW_OK && !found && !preset->name) {
        char names[400] = "";
        aw_teleop_complete_maps(session, list_names, names);
        return aw_fail(&session->err, AW_USAGE,
                       "teleop: map '%.40s' not found — available: %s; to define it, add a section "
                       "[teleop %.40s]",
                       name, names, name);
    }
    if (status == AW_OK && !found)
        status = read_preset(operator, preset);
    return status == AW_OK ? add_choice(operator) : status;
}

void aw_teleop_complete_maps(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    const struct aw_config *config = session->config;
    for (size_t i = 0; i < config->n_lines; i++) {
        const char *map = aw_config_map_name(config->lines[i].section);
        if (map && (i == 0 || strcmp(config->lines[i].section, config->lines[i - 1].section) != 0))
            add(context, map, "of the config file");
    }
    for (const struct aw_teleop_preset *p = session->tool->motion.maps; p && p->name; p++)
        add(context, p->name, p->help);
}
