/* Where a program keeps what is its user's, by the XDG Base Directory Specification: a variable
 * that is empty or holds a relative path is as good as none.
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

/* The path of armwire/NAME there; nothing is made. False, and "", if there is no home either. */
bool aw_xdg_path(enum aw_xdg kind, const char *name, char *out, size_t size);

/* How the folder of aw_xdg_runtime is written in help and in link URLs. */
#define AW_XDG_RUNTIME "$XDG_RUNTIME_DIR/armwire"

/* The folder for sockets and the like, which is made: $XDG_RUNTIME_DIR/armwire, or where that
 * cannot be, armwire-UID in $TMPDIR or /tmp. AW_NO_LINK if it is not this user's alone, or cannot
 * be made. */
enum aw_status aw_xdg_runtime(char *out, size_t size, struct aw_error *err);

#endif
