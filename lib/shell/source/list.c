/* Prints the rows of every tool's command list. */
#include "shell/source/list.h"

#include <stdio.h>

#include "link/hid/hid.h"
#include "link/stream/ports.h"
#include "shell/safety/safety.h"
#include "shell/serve/client.h"
#include "shell/source/source.h"

#define SERVERS_MAX 16

struct aw_list_options {
    bool udev;
};
AW_GIVEN(command, aw_list_options, aw_list_given)

void aw_list_link(struct aw_session *session, const char *link)
{
    aw_object_start(&session->result, "list");
    if (aw_session_is_text(session))
        session->result.headline = link;
    else
        aw_object_add_text(&session->result, "link", link);
}

void aw_list_add(struct aw_session *session, const char *key, const char *text)
{
    if (*text)
        aw_object_add_text(&session->result, key, text);
}

void aw_list_port(struct aw_session *session, const char *link, const struct aw_port *port)
{
    aw_list_link(session, link);
    aw_list_add(session, "driver", port->driver);
    aw_list_add(session, "description", port->description);
    aw_list_add(session, "usb", port->usb);
    aw_list_add(session, "serial", port->serial);
    aw_list_add(session, "holder", port->holder);
    aw_list_add(session, "problem", port->problem);
    aw_session_print_result(session);
}

static bool list_server(struct aw_session *session, const struct aw_address *address)
{
    char holder[64], link[sizeof address->path + 8];
    struct aw_peer_info who;
    struct aw_hello hello;
    if (!aw_hello_query(session, address, &who, &hello, NULL))
        return false;
    snprintf(holder, sizeof holder, "%s serve (pid %d)", session->tool->name, (int)who.pid);
    snprintf(link, sizeof link, "serve:%.107s", address->path);
    aw_list_link(session, link);
    aw_list_add(session, "description", "a server that shares a device");
    aw_list_add(session, "holder", holder);
    aw_list_add(session, "device", hello.url);
    aw_commander_add_to_result(session, &hello.commander);
    aw_session_print_result(session);
    return true;
}

static size_t list_servers(struct aw_session *session)
{
    struct aw_address servers[SERVERS_MAX];
    size_t n = aw_address_defaults(servers, SERVERS_MAX, session->tool->name), found = 0;
    for (size_t i = 0; i < n; i++)
        found += list_server(session, &servers[i]);
    return found;
}

/* Prints the tool's servers, and a simulator at its default address. */
static bool print_running(struct aw_session *session)
{
    char sim[400];
    size_t found = list_servers(session);
    if (!aw_find_running_sim(session, sim, sizeof sim))
        return found > 0;
    aw_list_link(session, sim);
    aw_list_add(session, "description", "a simulator");
    aw_session_print_result(session);
    return true;
}

static enum aw_status print_rules(struct aw_session *session)
{
    char rules[4096];
    if (!session->tool->protocol->hid.udev_file)
        return aw_fail(&session->err, AW_USAGE, "list: %s needs no udev rules — omit --udev",
                       session->tool->name);
    aw_link_udev_rules(session->tool->protocol, rules, sizeof rules);
    aw_output_print(&session->out, "%s", rules);
    return AW_OK;
}

static enum aw_status run_list(struct aw_session *session, const struct aw_args *args)
{
    (void)args;
    if (aw_list_given(session)->udev)
        return print_rules(session);
    enum aw_status status = aw_dry_run_check(session);
    if (status != AW_OK)
        return status;
    bool running = print_running(session);
    return session->tool->device.list_devices ? session->tool->device.list_devices(session, running)
                                              : AW_OK;
}

/* clang-format off */
const struct aw_command aw_list_command = {
    .name = "list", .group = AW_GROUP_SET_UP, .offline = true, .run = run_list,
    .summary = "list devices, servers and simulators on this machine",
    .options = AW_OPTIONS(
        {.name = "udev", AW_AT(aw_list_options, udev),
         .help = "print the udev rules that permit access, and the file to save them in"}),
    .examples = AW_LIST("list")};
/* clang-format on */
