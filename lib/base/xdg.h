/* Finds a user's folders by the XDG Base Directory Specification. A variable that is empty or holds
 * a relative path is ignored.
 *
 *     char path[512];
 *     if (aw_xdg_path(AW_XDG_STATE, "armctl/history", path, sizeof path))
 *         … "HOME/.local/state/armwire/armctl/history"
 */
#ifndef AW_BASE_XDG_H
#define AW_BASE_XDG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum aw_xdg {
    AW_XDG_CONFIG, /* $XDG_CONFIG_HOME, ~/.config */
    AW_XDG_STATE,  /* $XDG_STATE_HOME, ~/.local/state */
};

/* Writes the path of armwire/NAME in the folder of this kind, without creating anything. Returns
 * false, with "" in out, if there is no home directory. */
bool aw_xdg_path(enum aw_xdg kind, const char *name, char *out, size_t size);

/* Spelling of aw_xdg_make_runtime's folder in help texts and link URLs. */
#define AW_XDG_RUNTIME "$XDG_RUNTIME_DIR/armwire"

/* Creates the folder for sockets and writes its path to out: $XDG_RUNTIME_DIR/armwire, or else
 * armwire-UID in $TMPDIR or /tmp. AW_NO_LINK if it cannot be created, or if another user has access
 * to it. */
enum aw_status aw_xdg_make_runtime(char *out, size_t size, struct aw_error *err);

#endif
