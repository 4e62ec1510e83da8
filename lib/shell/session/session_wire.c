/* Prepares the session's wire: selects the variant, and appends the custom packets to the tool's
 * table. */
#include "shell/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "packets/packets.h"

/* Restores the original tool, see custom_joints.h. */
static void forget_joints(struct aw_session *session)
{
    if (session->device.custom.arm)
        session->tool = session->device.custom.base_tool;
    free(session->device.custom.arm);
    session->device.custom.arm = NULL;
}

void aw_session_free_packets(struct aw_session *session)
{
    forget_joints(session);
    aw_packets_free(session->device.custom.packets);
    free(session->device.custom.files);
    session->device.custom = (struct aw_session_custom){.packets = NULL};
}

bool aw_session_is_custom(const struct aw_session *session, const struct aw_message *message)
{
    const struct aw_protocol *protocol = session->wire->protocol;
    return session->device.custom.packets &&
           message >= protocol->messages + session->tool->protocol->n_messages &&
           message < protocol->messages + protocol->n_messages;
}

/* Reads each file of a list "A,B". NULL: no file. */
static enum aw_status read_files(struct aw_session *session, struct aw_packets *packets,
                                 const char *files, aw_packets_read_fn *read)
{
    enum aw_status status = AW_OK;
    char *names = files ? strdup(files) : NULL, *rest = names, *name;
    if (files && !names)
        return aw_no_memory(&session->err);
    while (rest && status == AW_OK && (name = aw_next_name(&rest, ','))) {
        status = read(packets, &(struct aw_lines){.name = name}, &session->err);
        if (status == AW_OK && *aw_packets_notice(packets))
            aw_session_print_notice(session, "%s", aw_packets_notice(packets));
    }
    free(names);
    return status;
}

/* Replaces the packets. No pointer to the old ones may remain. */
static void exchange_packets(struct aw_session *session, const struct aw_session_custom *custom)
{
    aw_wire_init(session->wire, aw_packets_protocol(custom->packets), &session->wire->variant,
                 false);
    aw_session_free_packets(session);
    session->device.custom = *custom;
    session->run.printing.wire = session->wire;
}

static enum aw_status load_packets(struct aw_session *session, const char *files)
{
    struct aw_session_custom custom = {.packets = aw_packets_new(session->tool->protocol),
                                       .files = strdup(files)};
    enum aw_status status =
        custom.packets && custom.files
            ? read_files(session, custom.packets, session->options.link.packets, aw_packets_read)
            : aw_no_memory(&session->err);
    if (status == AW_OK)
        status =
            read_files(session, custom.packets, session->options.link.dbc, aw_packets_read_dbc);
    if (status == AW_OK) {
        exchange_packets(session, &custom);
        return AW_OK;
    }
    aw_packets_free(custom.packets);
    free(custom.files);
    return status;
}

/* Returns true for a stop and for commands that use no messages: they run without the custom
 * packets. */
static bool can_do_without(const struct aw_session *session)
{
    const struct aw_command *command = session->run.command;
    return command &&
           (aw_command_is_stop(command) || (command->offline && !command->uses_messages));
}

/* Joins the files of both options in one string; NULL: neither option is given. */
static const char *join_file_names(const struct aw_session *session, char *out, size_t size)
{
    const char *packets = session->options.link.packets, *dbc = session->options.link.dbc;
    snprintf(out, size, "%s\n%s", packets ? packets : "", dbc ? dbc : "");
    return packets || dbc ? out : NULL;
}

static enum aw_status reload_packets(struct aw_session *session, const char *files,
                                     size_t max_length)
{
    const char *before = session->device.custom.files;
    if (!files || (before && strcmp(before, files) == 0))
        return AW_OK;
    if (strlen(files) == max_length)
        return aw_fail(&session->err, AW_USAGE,
                       "--packets and --dbc: names are longer than %zu characters — give fewer "
                       "files or shorter names",
                       max_length - 2);
    if (session->device.link)
        return aw_fail(&session->err, AW_USAGE,
                       "--%s: the link is already open — give the option when you start %s",
                       session->options.link.packets ? "packets" : "dbc", session->tool->name);
    return load_packets(session, files);
}

/* Selects the protocol that the options require. It must not change while a link is open. */
static enum aw_status read_packets(struct aw_session *session, const struct aw_protocol **protocol)
{
    char both[2048];
    const char *files = join_file_names(session, both, sizeof both);
    bool linked = session->device.link != NULL;
    struct aw_error *unread = &session->run.packet_error;
    enum aw_status status = unread->status;
    if (status == AW_OK && (status = reload_packets(session, files, sizeof both - 1)) != AW_OK)
        *unread = session->err;
    session->err = status == AW_OK ? session->err : *unread;
    if (status != AW_OK && linked)
        return status;
    bool keeps_packets = session->device.custom.packets && (files || linked);
    *protocol = keeps_packets ? aw_packets_protocol(session->device.custom.packets)
                              : session->tool->protocol;
    if (status == AW_OK || !can_do_without(session))
        return status;
    if (aw_command_is_stop(session->run.command))
        aw_session_report(session, "%s: sending the built-in stop: %s\n", session->tool->name,
                          session->err.text);
    session->err = (struct aw_error){.status = AW_OK};
    return AW_OK;
}

enum aw_status aw_session_prepare_wire(struct aw_session *session)
{
    struct aw_variant variant = session->tool->protocol->variants[0];
    const struct aw_protocol *protocol = session->wire->protocol;
    enum aw_status status = read_packets(session, &protocol);
    if (status == AW_OK && session->tool->state.choose_variant)
        status = session->tool->state.choose_variant(session, &variant, &session->err);
    if (status == AW_OK && (protocol != session->wire->protocol ||
                            memcmp(&variant, &session->wire->variant, sizeof variant) != 0))
        aw_wire_init(session->wire, protocol, &variant, false);
    if (status == AW_OK && protocol == session->tool->protocol)
        forget_joints(session);
    return status;
}

enum aw_status aw_session_check_wire(struct aw_session *session, const char *text)
{
    (void)text;
    return aw_session_prepare_wire(session);
}

uint32_t aw_session_packets_checksum(const struct aw_session *session)
{
    uint32_t sum = 2166136261u; /* FNV-1a */
    if (!session->device.custom.arm)
        return 0;
    for (const char *at = aw_packets_text(session->device.custom.packets); *at; at++)
        sum = (sum ^ (uint8_t)*at) * 16777619u;
    return sum ? sum : 1;
}

void aw_complete_variants(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    for (const struct aw_variant *v = session->tool->protocol->variants; v->name; v++)
        add(context, v->name, v->help);
}

enum aw_status aw_find_variant(struct aw_session *session, const char *option, const char *text,
                               struct aw_variant *variant, struct aw_error *err)
{
    const struct aw_protocol *protocol = session->tool->protocol;
    const struct aw_variant *chosen = text ? aw_protocol_variant(protocol, text) : variant;
    char list[200] = "";
    if (chosen) {
        *variant = *chosen;
        return AW_OK;
    }
    for (const struct aw_variant *v = protocol->variants; v->name; v++)
        aw_append(list, sizeof list, " or ", "%s", v->name);
    return aw_fail(err, AW_USAGE, "--%s: unknown value '%.40s' — use %s", option, text, list);
}
