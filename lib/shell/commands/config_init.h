/* config init: writes a config file. */
#ifndef AW_SHELL_COMMANDS_CONFIG_INIT_H
#define AW_SHELL_COMMANDS_CONFIG_INIT_H

#include "shell/core/session.h"

/* Asks on a terminal if args has no words but "init"; else takes these: link=URL, OPTION=VALUE,
 * @ALIAS=URL, NAME.KEY=VALUE. Writes the file of session->config, which is right then: everything
 * has been read as the file will be. AW_USAGE for what the file could not have. */
enum aw_status aw_config_init(struct aw_session *session, const struct aw_args *args);

#endif
