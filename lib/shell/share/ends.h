/* Programs of ours beside a server, or beside a client, that bring lines another way than by a
 * socket: armwire-mqtt. They have libraries that the tools do not load. Both
 * sides of starting one:
 *
 *     status = aw_end_start(&link, "armwire-mqtt", words, clock, &err);    who starts it
 *     return aw_end_main(&end, argc, argv);                                its main
 *
 * Lines go both ways between the two. The program is over when who started it is.
 */
#ifndef AW_SHELL_SHARE_ENDS_H
#define AW_SHELL_SHARE_ENDS_H

#include <jansson.h>

#include "base/clock.h"
#include "link/core/link.h"
#include "shell/share/conn.h"

#define AW_END_LINE (24 << 20) /* bytes of the longest line that is taken */

/* Starts the program with these words behind its name; NULL ends them. Its lines come and go at the
 * descriptor of the link; closing the link ends it. AW_NO_LINK: it is not there. */
enum aw_status aw_end_start(struct aw_link **link, const char *program, char *const words[],
                            struct aw_clock *clock, struct aw_error *err);

struct aw_end {
    const char *name, *usage;
    int least, most; /* words behind the name */
    /* Says an empty line once it goes, and comes back when it is over. Or why not. */
    enum aw_status (*run)(struct aw_conn *starter, char *const words[], struct aw_error *err);
};

/* --help, --version, or what it is there for; returns the exit code. Why it could not begin is a
 * line for who started it, who prints it. */
int aw_end_main(const struct aw_end *end, int argc, char **argv);

#endif
