#include "state.h"

#define PORTS_MAX 64

static void print_port(struct aw_session *session, const struct aw_port *port)
{
    struct aw_object *object = &session->result;
    char *at = aw_output_reserve(&session->out, AW_OBJECT_TEXT);
    aw_object_start(object, port->path);
    if (aw_session_json(session))
        aw_object_text(object, "path", port->path);
    if (*port->driver)
        aw_object_text(object, "driver", port->driver);
    if (*port->description)
        aw_object_text(object, "description", port->description);
    if (*port->usb)
        aw_object_text(object, "usb", port->usb);
    if (*port->serial)
        aw_object_text(object, "serial", port->serial);
    if (*port->holder)
        aw_object_text(object, "holder", port->holder);
    if (*port->problem)
        aw_object_text(object, "problem", port->problem);
    aw_output_done(&session->out, aw_session_json(session)
                                      ? aw_object_json(object, "\"kind\":\"serial\"", NULL, at)
                                      : aw_object_line(object, at));
    aw_object_start(object, NULL);
}

enum aw_status run_list(struct aw_session *session, const struct aw_args *args)
{
    struct aw_port ports[PORTS_MAX];
    size_t n = aw_link_list_serial(ports, PORTS_MAX);
    (void)args;
    for (size_t i = 0; i < n && i < PORTS_MAX; i++)
        print_port(session, &ports[i]);
    if (n == 0)
        aw_session_say(session,
                       "no serial port here — plug the arm in, pair it by Bluetooth (rfcomm), "
                       "name a link with -l, or try -l sim:");
    return AW_OK;
}
