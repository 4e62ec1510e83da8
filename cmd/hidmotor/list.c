#include <stdio.h>
#include <stdlib.h>

#include "link/hid.h"
#include "state.h"

#define PORTS_MAX 64

static void put(struct aw_object *object, const char *key, const char *text)
{
    if (*text)
        aw_object_text(object, key, text);
}

static void print_board(struct aw_session *session, const struct aw_hid_port *port)
{
    struct aw_object *object = &session->result;
    char usb[16];
    snprintf(usb, sizeof usb, "%04x:%04x", port->vendor, port->product);
    aw_object_start(object, "list");
    object->headline = port->url;
    if (aw_session_json(session))
        put(object, "url", port->url);
    put(object, "path", port->path);
    put(object, "usb", usb);
    put(object, "board", port->board);
    put(object, "name", port->name);
    put(object, "serial", port->serial);
    put(object, "holder", port->holder);
    put(object, "problem", port->problem);
    aw_session_print_result(session);
}

enum aw_status run_list(struct aw_session *session, const struct aw_args *args)
{
    struct aw_hid_port *ports = calloc(PORTS_MAX, sizeof *ports);
    size_t n = ports ? aw_link_list_hid(ports, PORTS_MAX) : 0, found = 0;
    (void)args;
    for (size_t i = 0; i < n && i < PORTS_MAX; i++) {
        if (!ports[i].chosen)
            continue;
        print_board(session, &ports[i]);
        found++;
    }
    if (!found)
        aw_session_say(session, "no board here — plug it in, name another one with "
                                "-l hid:VID:PID or -l hid:/dev/hidrawN, or try -l sim:");
    free(ports);
    return AW_OK;
}

enum aw_status run_udev(struct aw_session *session, const struct aw_args *args)
{
    char rules[4096];
    (void)args;
    aw_hid_udev_rules(rules, sizeof rules);
    aw_output_print(&session->out, "%s", rules);
    return AW_OK;
}
