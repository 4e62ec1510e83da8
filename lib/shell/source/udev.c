/* The command udev: prints the rules that permit access to a tool's devices. */
#include "link/hid/hid.h"
#include "shell/source/source.h"

enum aw_status aw_run_udev(struct aw_session *session, const struct aw_args *args)
{
    char rules[4096];
    (void)args;
    aw_link_udev_rules(session->tool->protocol, rules, sizeof rules);
    aw_output_print(&session->out, "%s", rules);
    return AW_OK;
}
