/* The program armwire-mqtt: the way to an MQTT 5 broker for a server of a device, or for a client
 * of one. The tools start it, and speak lines with it. */
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ends.h"
#include "link/core/spawn.h"

static const char usage[] =
    "The way to an MQTT broker for the tools of armwire, which start it by themselves:\n"
    "\n"
    "    TOOL serve --mqtt mqtt[s]://[USER@]HOST[:PORT]/TOPIC\n"
    "    TOOL -l mqtt[s]://[USER@]HOST[:PORT]/TOPIC COMMAND\n"
    "\n"
    "See sharing.md in the documentation.\n";

/* The one who started us prints it. */
static int fail(struct ends *ends, const struct aw_error *err)
{
    put_object(&ends->starter, json_pack("{s:s,s:i}", "why", err->text, "exit", (int)err->status));
    aw_conn_flush(&ends->starter);
    aw_conn_free(&ends->starter);
    return (int)err->status;
}

/* TOOL URL, and beside a server its socket and the rate of the records for all. */
int main(int argc, char **argv)
{
    static struct ends ends;
    static struct aw_mqtt mqtt;
    struct aw_error err;
    bool asked = argc == 2 && strcmp(argv[1], "--help") == 0;
    int type = fcntl(AW_SPAWN_FD, F_GETFD);
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("armwire-mqtt " AW_VERSION " (armwire)");
        return 0;
    }
    if (argc < 3 || argc > 5 || type < 0) {
        fputs(usage, asked ? stdout : stderr);
        return asked ? 0 : AW_USAGE;
    }
    fcntl(AW_SPAWN_FD, F_SETFD, FD_CLOEXEC);
    fcntl(AW_SPAWN_FD, F_SETFL, O_NONBLOCK);
    signal(SIGPIPE, SIG_IGN);
    ends = (struct ends){
        .tool = argv[1], .server = argc > 3 ? argv[3] : NULL, .rate = argc > 4 ? argv[4] : NULL};
    aw_conn_init(&ends.starter, AW_SPAWN_FD, LINE_MOST);
    enum aw_status status = aw_mqtt_parse(&mqtt, argv[2], &err);
    if (status == AW_OK)
        status = broker_init(&ends.broker, &mqtt, &err);
    if (status != AW_OK)
        return fail(&ends, &err);
    if (ends.server)
        serve_end(&ends);
    else
        client_end(&ends);
    aw_conn_free(&ends.starter);
    return 0;
}
