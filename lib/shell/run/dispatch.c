/* Runs one command: binds its tokens, supervises motion and recording, and prints its result or
 * error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "shell/custom/custom_joints.h"
#include "shell/help/help.h"
#include "shell/help/topics.h"
#include "shell/run/run.h"
#include "shell/safety/ask.h"
#include "shell/safety/crash.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "shell/safety/watchdog.h"
#include "shell/serve/serve.h"
#include "shell/session/bind.h"
#include "shell/session/config.h"
#include "shell/session/recent.h"

/* Asks for confirmation before a dangerous command, except with --dry-run. */
static enum aw_status ask_first(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_command *command = args->command;
    char question[160];
    if (command->safety != AW_DANGEROUS || session->options.run.dry_run ||
        (command->is_harmless && command->is_harmless(session, args)))
        return AW_OK;
    snprintf(question, sizeof question,
             "%s: this may move the device or change its settings — continue?", command->name);
    if (aw_session_confirm(session, question))
        return AW_OK;
    return aw_fail(&session->err, AW_USAGE, "%s: not confirmed — add --yes", command->name);
}

/* Refuses to change a device if its description in the config file has errors, because a limit may
 * be missing. Also refuses a command that needs an invalid option of the file. Warns once about
 * other errors. */
static enum aw_status check_config(struct aw_session *session, const struct aw_command *command)
{
    struct aw_config *config = session->config;
    char suffix[48] = "";
    bool needed = session->tool->state.set_config_key && command->safety != AW_READ;
    if (config->incomplete && needed)
        return aw_fail(&session->err, AW_USAGE, "%s: %s%sgive --config /dev/null", command->name,
                       config->error.text,
                       strstr(config->error.text, " — ") ? ", or " : " — correct it, or ");
    const struct aw_setting *invalid = aw_config_find_invalid(session, command);
    if (invalid && command != &aw_run_command)
        return aw_fail(&session->err, AW_USAGE, "%s: %.120s:%d:1: %s", command->name, config->path,
                       invalid->line, invalid->error);
    if (config->n_errors > 1)
        snprintf(suffix, sizeof suffix, " (and %zu more)", config->n_errors - 1);
    if (config->n_errors && !config->reported)
        aw_session_report(session, "%s: %s%signored%s\n", session->tool->name, config->error.text,
                          strstr(config->error.text, " — ") ? "; " : " — ", suffix);
    config->reported = true;
    return AW_OK;
}

/* The end of a recording is not a failure of a read-only command. */
static enum aw_status handle_recording_end(struct aw_session *session, enum aw_status status)
{
    bool recorded = session->device.link && session->device.link->is_recording;
    bool only_reads = recorded && session->run.command->safety == AW_READ;
    bool ended = status == AW_LOST && !session->out.error && only_reads;
    if (ended)
        aw_session_close_link(session);
    return ended ? AW_OK : status;
}

/* Returns true if a stream of setpoints may continue after this command: it neither moves nor stops
 * anything, and does not take the lease. */
static bool continues_stream(const struct aw_session *session, const struct aw_command *command)
{
    bool only_reads = command->safety == AW_READ && command->group != AW_GROUP_MOVE;
    return (command->setpoints || only_reads) && !session->options.link.take_over;
}

static enum aw_status run_command(struct aw_session *session, struct aw_args *args)
{
    enum aw_status status = ask_first(session, args);
    if (status != AW_OK)
        return status;
    /* Reopens a lost link; a server instead waits for its next client. */
    if (session->device.link && session->device.link->is_lost && !*session->device.link->client_url)
        aw_session_close_link(session);
    session->motion.moving = session->share.was_ended = false;
    if (!continues_stream(session, args->command))
        session->motion.streamed.n = 0;
    aw_recent_begin(session, args->command);
    session->run.started_ns = aw_clock_now(session->clock);
    aw_session_begin_progress(session);
    bool is_motion = args->command->safety == AW_MOTION, hold = session->options.run.hold;
    aw_stop_watch_parent(session,
                         !hold && (is_motion || session->motion.ongoing != AW_ONGOING_NOTHING));
    aw_stop_watch_output(session, is_motion);
    if (is_motion)
        aw_stop_watch_suspend(session, true);
    status = aw_dry_run_outcome(session, args->command->name, args->command->run(session, args));
    aw_session_end_progress(session);
    status = aw_outcome_stop(session, handle_recording_end(session, status));
    if (session->share.attached)
        status = aw_share_end_command(session, status);
    aw_stop_watch_output(session, false);
    aw_stop_watch_parent(session, !hold && session->motion.ongoing != AW_ONGOING_NOTHING);
    if (is_motion)
        aw_stop_watch_suspend(session, false);
    aw_watchdog_stop(session);
    aw_crash_prepare(session);
    return status;
}

static enum aw_status prepare_wire(struct aw_session *session)
{
    enum aw_status status = aw_session_prepare_wire(session);
    if (status == AW_OK)
        status = aw_custom_joints_begin(session);
    session->wire->lenient = session->options.link.lenient; /* false if the tool has no such option
                                                               */
    session->device.selects = NULL;
    session->run.printing.wire = session->wire;
    return status;
}

/* Reads packet files in advance, even those named after the command: they may add joints, and
 * joints add commands. Errors are reported once the command is known. */
static void read_packets_early(struct aw_session *session, const struct aw_tokens *tokens)
{
    static const char name[] = "--packets";
    size_t length = strlen(name);
    for (size_t i = 0; i < tokens->n && (!tokens->json || tokens->has_options); i++) {
        const char *token = tokens->token[i];
        if (strcmp(token, "--") == 0)
            break;
        if (strncmp(token, name, length) == 0 && (!token[length] || token[length] == '='))
            aw_bind_option(session, NULL, tokens, &i);
    }
    if (session->options.link.packets || session->device.custom.packets)
        prepare_wire(session);
    session->err = (struct aw_error){.status = AW_OK};
}

/* Refuses output styles for commands that print no records. */
static enum aw_status check_format(struct aw_session *session, const struct aw_command *command)
{
    for (enum aw_style style = 0; command->prints && style < AW_STYLES; style++) {
        const char *name = style == AW_STYLE_TEXT ? "fields" : aw_style_option(style);
        const struct aw_option_value *value = aw_options_find(&session->options, name);
        if (value->text && !(style == AW_STYLE_JSON && command->prints_json) &&
            value->origin == AW_FROM_COMMAND_LINE)
            return aw_fail(&session->err, AW_USAGE, "%s prints %s, not records — remove --%s%s",
                           command->name, command->prints, name,
                           command->prints_json ? ", or use -j" : "");
    }
    return AW_OK;
}

/* Refuses --for for a motion that it could not end. */
static enum aw_status check_time(struct aw_session *session, const struct aw_command *command,
                                 const struct aw_options *before)
{
    size_t i = (size_t)(aw_options_find(&session->options, "for") - session->options.values);
    const struct aw_option_value *value = &session->options.values[i];
    bool moves = command->safety >= AW_MOTION;
    if (!moves || command->timed || value->origin != AW_FROM_COMMAND_LINE ||
        value->text == before->values[i].text)
        return AW_OK;
    return aw_fail(&session->err, AW_USAGE,
                   "%s: --for not supported — remove it, and end the motion with stop",
                   command->name);
}

/* Refuses --config in a line, because the file is read only at the start. */
static enum aw_status check_config_option(struct aw_session *session)
{
    const struct aw_option_value *value = aw_options_find(&session->options, "config");
    if (session->mode.one_shot || value->origin != AW_FROM_COMMAND_LINE ||
        strcmp(value->text, session->config->path) == 0)
        return AW_OK;
    return aw_fail(&session->err, AW_USAGE,
                   "--config is read only when %s starts — give it on the command line",
                   session->tool->name);
}

static enum aw_status run_parsed(struct aw_session *session, struct aw_args *args,
                                 const struct aw_options *before)
{
    if (session->options.print.version) {
        aw_output_print(&session->out, "%s %s (armwire)\n", session->tool->name, AW_VERSION);
        return AW_OK;
    }
    if (session->options.print.help_all)
        return aw_print_help(session, NULL);
    if (session->options.print.help)
        return aw_print_help(session, args->command);
    if (!args->command)
        return aw_fail(&session->err, AW_USAGE,
                       "no command given — write it on the same line as the options");
    enum aw_status status = check_format(session, args->command);
    if (status == AW_OK)
        status = check_time(session, args->command, before);
    if (status == AW_OK)
        status = check_config_option(session);
    if (status == AW_OK)
        status = check_config(session, args->command);
    if (status == AW_OK)
        status = prepare_wire(session);
    if (status == AW_OK)
        status = aw_session_read_packets(session, args);
    if (status == AW_OK)
        status = aw_wanted_begin(session, args, aw_topic_has_key);
    return status == AW_OK ? run_command(session, args) : status;
}

/* Returns the column of the token that is wrong or that the error quotes; 0: unknown. */
static unsigned find_column(const struct aw_session *session, const struct aw_tokens *tokens,
                            size_t bad_token)
{
    if (bad_token < tokens->n)
        return tokens->column[bad_token];
    for (size_t i = 1; i < tokens->n; i++) {
        char quoted[64];
        const char *equals = strchr(tokens->token[i], '=');
        const char *forms[] = {tokens->token[i], equals ? equals + 1 : tokens->token[i]};
        for (size_t k = 0; k < 2; k++) {
            snprintf(quoted, sizeof quoted, "'%.58s'", forms[k]);
            if (strstr(session->err.text, quoted))
                return tokens->column[i];
        }
    }
    return 0;
}

/* Mentions the unit syntax if the user typed "12 cm" as two tokens. */
static void advise_on_units(struct aw_session *session, const struct aw_command *command,
                            const struct aw_tokens *tokens, size_t *bad_token)
{
    size_t i = 0;
    while (i < tokens->n && strcmp(tokens->token[i], command->name) != 0)
        i++;
    for (i += 2; i < tokens->n; i++) {
        char both[80];
        double value;
        const char *token = tokens->token[i - 1], *unit = tokens->token[i];
        const char *number = strchr(token, '=') ? strchr(token, '=') + 1 : token;
        if (!aw_number_is_unit(unit) || aw_number_parse(number, &value, NULL) != AW_OK)
            continue;
        snprintf(both, sizeof both, "%.40s %s", number, unit);
        aw_number_parse_unit(both, NULL, &value, &session->err);
        aw_fail_about(&session->err, AW_USAGE, command->name);
        *bad_token = i - 1;
    }
}

static void report_outcome(struct aw_session *session, const struct aw_tokens *tokens,
                           size_t bad_token, enum aw_status status, const char *where)
{
    if (session->run.reported)
        return;
    if (where && status != AW_OK)
        aw_fail_at(&session->err, where, find_column(session, tokens, bad_token));
    aw_outcome_print(session, status);
}

enum aw_status aw_dispatch(struct aw_session *session, struct aw_tokens *tokens, const char *where)
{
    struct aw_options saved_options = session->options;
    const struct aw_command *outer = session->run.command;
    struct aw_args *args = malloc(sizeof *args);
    size_t bad_token = tokens->n;
    if (!args)
        return aw_session_fail_outside_command(session, aw_no_memory(&session->err));
    args->command = NULL;
    session->err = session->run.packet_error = (struct aw_error){.status = AW_OK};
    aw_object_start(&session->result, NULL);
    /* A record with wire numbers depends on the wire's variant. */
    enum aw_status status = tokens->raw ? prepare_wire(session) : AW_OK;
    if (status == AW_OK && tokens->raw)
        status = aw_tokens_from_raw(session, tokens);
    if (status == AW_OK)
        read_packets_early(session, tokens);
    if (status == AW_OK)
        status = aw_bind(session, tokens, args, &bad_token);
    session->run.command = args->command;
    if (status == AW_OK)
        status = aw_wanted_end(session, run_parsed(session, args, &saved_options));
    if (status == AW_USAGE && args->command)
        advise_on_units(session, args->command, tokens, &bad_token);
    report_outcome(session, tokens, bad_token, status, where);
    session->run.reported = false;
    if (aw_output_flush(&session->out, &session->err) != AW_OK && status == AW_OK) {
        status = AW_LOST;
        aw_outcome_print_error(session);
    }
    struct aw_printing *printing = &session->run.printing;
    aw_view_free(printing->view);
    printing->view = NULL;
    printing->printed_rows = printing->wanted.selects_entries = false;
    printing->n_columns = 0;
    printing->messages = (struct aw_messages){.has_any = false};
    free(args);
    session->options = saved_options;
    session->run.command = outer;
    return status;
}
