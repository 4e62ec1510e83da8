/* The program armwire-mqtt: the way to an MQTT 5 broker for a server of a device, or for a client
 * of one. The tools start it, and speak lines with it. */
#include "ends.h"

static const char usage[] =
    "The way to an MQTT broker for the tools of armwire, which start it by themselves:\n"
    "\n"
    "    TOOL serve --mqtt mqtt[s]://[USER@]HOST[:PORT]/TOPIC\n"
    "    TOOL -l mqtt[s]://[USER@]HOST[:PORT]/TOPIC COMMAND\n"
    "\n"
    "See sharing.md in the documentation.\n";

/* TOOL URL, and beside a server its socket and the rate of the records for all. */
static enum aw_status run(struct aw_conn *starter, char *const words[], struct aw_error *err)
{
    static struct ends ends;
    static struct aw_mqtt mqtt;
    ends = (struct ends){.tool = words[0], .server = words[2], .starter = starter};
    ends.rate = ends.server ? words[3] : NULL;
    enum aw_status status = aw_mqtt_parse(&mqtt, words[1], err);
    if (status == AW_OK)
        status = broker_init(&ends.broker, &mqtt, err);
    if (status != AW_OK)
        return status;
    if (ends.server)
        serve_end(&ends);
    else
        client_end(&ends);
    return AW_OK;
}

int main(int argc, char **argv)
{
    static const struct aw_end end = {"armwire-mqtt", usage, 2, 4, run};
    return aw_end_main(&end, argc, argv);
}
