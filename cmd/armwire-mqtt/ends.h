/* Both ends of the way: beside a server of a device, and beside a client of ours. Each speaks lines
 * with who started it, and is over when that one is. */
#ifndef ARMWIRE_MQTT_ENDS_H
#define ARMWIRE_MQTT_ENDS_H

#include "broker.h"
#include "shell/share/ends.h"

/* What a client says last, or the broker for it. */
#define FAREWELL "{\"gone\":true}"

struct ends {
    const char *tool;
    const char *server; /* its socket: unix:PATH */
    const char *rate;   /* of the records for all, or NULL */
    struct broker broker;
    struct aw_conn *starter;
};

/* Clients come by the broker and become clients of the server's socket. */
void serve_end(struct ends *ends);

/* The lines of a client go to the server at the other side of the broker. */
void client_end(struct ends *ends);

#endif
