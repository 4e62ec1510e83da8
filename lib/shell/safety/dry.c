/* Implements --dry-run: ends commands before they open anything, and shows bytes. */
#include "shell/safety/safety.h"

#include <stdlib.h>
#include <string.h>

#include "wire/hex.h"

enum aw_status aw_dry_run_check(struct aw_session *session)
{
    session->run.dry_run_reason = session->options.run.dry_run ? "" : NULL;
    return session->run.dry_run_reason ? AW_STOPPED : AW_OK;
}

enum aw_status aw_dry_run_depends(struct aw_session *session, const char *dependency)
{
    session->run.dry_run_reason = dependency;
    return AW_STOPPED;
}

enum aw_status aw_dry_run_outcome(struct aw_session *session, const char *command,
                                  enum aw_status status)
{
    const char *dependency = session->run.dry_run_reason;
    session->run.dry_run_reason = NULL;
    if (!dependency)
        return status;
    session->err = (struct aw_error){.status = AW_OK};
    aw_object_start(&session->result, aw_session_is_json(session) ? command : NULL);
    aw_object_add_truth(&session->result, "dry_run", true);
    if (*dependency)
        aw_session_print_notice(
            session,
            "%s: no preview, because the packets depend on %s — try it with -l sim:, without "
            "--dry-run",
            command, dependency);
    else
        aw_session_print_notice(session, "%s: no preview, because --dry-run opens no link",
                                command);
    return AW_OK;
}

enum aw_status aw_dry_run_show_bytes(struct aw_session *session, struct aw_span frame)
{
    char *hex = malloc(AW_HEX_SIZE(frame.size));
    if (!hex)
        return aw_no_memory(&session->err);
    aw_hex_print(session->tool->protocol, frame, hex);
    bool json = aw_session_is_json(session);
    /* bytes would not fit the table or the user's format */
    if (!json && aw_session_is_formatted(session)) {
        aw_output_flush(&session->out, NULL);
        aw_session_report(session, "%s: bytes: %s\n", session->tool->name, hex);
    } else {
        aw_output_print(&session->out, json ? "{\"dry_run\":true,\"bytes\":\"" : "   ");
        aw_output_write(&session->out, hex, strlen(hex));
        aw_output_print(&session->out, json ? "\"}\n" : "\n");
    }
    free(hex);
    return AW_OK;
}

enum aw_status aw_session_show_dry_run(struct aw_session *session, const struct aw_record *record,
                                       struct aw_span frame)
{
    /* A dry run prints no results. */
    bool shows_results = session->run.printing.wanted.selects_result;
    enum aw_status status = shows_results ? AW_OK : aw_session_show_record(session, record);
    if (status == AW_OK)
        status = aw_dry_run_show_bytes(session, frame);
    aw_object_start(&session->result, NULL);
    return status;
}
