#include "shell/help.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "shell/bind.h"
#include "shell/common.h"

struct page {
    struct aw_session *session;
    struct aw_output *out;
    const char *bold, *dim, *plain;
};

static struct page open_page(struct aw_session *session)
{
    bool color = session->out.color;
    return (struct page){session, &session->out, color ? "\033[1m" : "", color ? "\033[2m" : "",
                         color ? "\033[0m" : ""};
}

static void heading(const struct page *page, const char *text)
{
    aw_output_print(page->out, "\n%s%s%s\n", page->bold, text, page->plain);
}

/* Two columns; printf's width counts bytes, and a … has three. */
static void row(const struct page *page, const char *left, const char *right)
{
    int columns = 0;
    for (const char *p = left; *p; p++)
        columns += ((unsigned char)*p & 0xC0) != 0x80;
    if (columns > 26)
        aw_output_print(page->out, "  %s\n%30s%s\n", left, "", right);
    else
        aw_output_print(page->out, "  %s%*s%s\n", left, 28 - columns, "", right);
}

static void option_row(const struct page *page, const struct aw_option *option)
{
    char left[96], right[256];
    char letter[8] = "    ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "%s--%s", letter, option->name);
    aw_option_value_text(option, left, sizeof left);
    snprintf(right, sizeof right, "%s%s%s%s", option->help, option->fallback ? " (default " : "",
             option->fallback ? option->fallback : "", option->fallback ? ")" : "");
    row(page, left, right);
}

static void option_rows(const struct page *page, const char *title, const struct aw_option *table)
{
    if (!table || !table->name)
        return;
    heading(page, title);
    for (; table->name; table++)
        option_row(page, table);
}

static void examples(const struct page *page, const char *const *list)
{
    if (!list)
        return;
    heading(page, "Examples");
    for (; *list; list++)
        aw_output_print(page->out, "  %s %s\n", page->session->tool->name, *list);
}

static void command_row(const struct aw_command *command, void *context)
{
    const struct page *page = context;
    char usage[256];
    if (command->hidden)
        return;
    aw_usage_line(command, usage, sizeof usage);
    row(page, usage, command->summary);
}

static void links(const struct page *page)
{
    heading(page, "Links (-l)");
    if (page->session->tool->sim)
        row(page, page->session->tool->sim->usage, page->session->tool->sim->help);
    for (const struct aw_transport *t = aw_link_transports(); t->scheme; t++)
        row(page, t->usage, t->help);
    row(page, "@NAME", "an alias from the config file");
}

static void exit_codes(const struct page *page)
{
    heading(page, "Exit codes");
    aw_output_print(
        page->out,
        "  0 ok   1 the device refused or did not do it   2 usage   3 no answer in time\n"
        "  4 link not found or not permitted   5 malformed data   6 refused by limits\n"
        "  7 link lost, or output not writable   128 + signal: stopped by a signal\n");
}

static void first_page(const struct page *page)
{
    const struct aw_tool *tool = page->session->tool;
    aw_output_print(page->out, "%s%s%s — %s\n", page->bold, tool->name, page->plain, tool->summary);
    examples(page, tool->examples);
    heading(page, "Commands");
    aw_each_command(tool, command_row, (void *)page);
    option_rows(page, "Options", tool->options);
    option_rows(page, tool->options ? "Options of every tool" : "Options", aw_global_options);
    links(page);
    exit_codes(page);
    aw_output_print(page->out,
                    "\nWithout a command: a prompt on a terminal, else commands are read from "
                    "standard input.\n'%s help COMMAND' tells more, 'man %s' all.\n",
                    tool->name, tool->name);
}

static void describe_names(char *out, size_t size, const struct aw_name *names)
{
    size_t used = strlen(out);
    for (const char *comma = " — "; names && names->name && used + 32 < size; names++) {
        used += (size_t)snprintf(out + used, size - used, "%s%s", comma, names->name);
        comma = ", ";
    }
}

static void argument_row(const struct page *page, const struct aw_arg *arg)
{
    char text[320], name[48];
    struct aw_arg_info info = aw_arg_info(page->session, arg);
    snprintf(text, sizeof text, "%s", info.help ? info.help : "");
    size_t used = strlen(text);
    if (info.min != 0 || info.max != 0)
        snprintf(text + used, sizeof text - used, ", %.9g to %.9g%s%s", info.min, info.max,
                 info.unit ? " " : "", info.unit ? info.unit : "");
    describe_names(text, sizeof text, info.names);
    for (const char *const *c = arg->choices; c && *c; c++) {
        used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", c == arg->choices ? ": " : ", ", *c);
    }
    snprintf(name, sizeof name, "%s%s", arg->name, arg->kind == AW_ARG_PAIRS ? "=value" : "");
    row(page, name, text);
}

static void command_page(const struct page *page, const struct aw_command *command)
{
    static const char *const safety[] = {
        [AW_WRITE] = "Changes settings.\n",
        [AW_MOTION] =
            "Makes something move: Ctrl-C, a closed pipe or the end of the terminal stop it.\n",
        [AW_DANGEROUS] = "Asks before it acts; needs --yes without a terminal.\n",
    };
    char usage[256];
    aw_usage_line(command, usage, sizeof usage);
    aw_output_print(page->out, "%s%s%s — %s\n", page->bold, command->name, page->plain,
                    command->summary);
    examples(page, command->examples);
    heading(page, "Usage");
    aw_output_print(page->out, "  %s [options] %s\n", page->session->tool->name, usage);
    if (command->details || safety[command->safety])
        aw_output_print(page->out, "\n%s%s%s", command->details ? command->details : "",
                        command->details ? "\n" : "",
                        safety[command->safety] ? safety[command->safety] : "");
    if (command->args) {
        heading(page, "Arguments");
        for (const struct aw_arg *arg = command->args; arg->name; arg++)
            argument_row(page, arg);
    }
    option_rows(page, "Options", command->options);
}

enum aw_status aw_help(struct aw_session *session, const struct aw_command *command)
{
    struct page page = open_page(session);
    if (command)
        command_page(&page, command);
    else
        first_page(&page);
    return AW_OK;
}

static enum aw_status help_on_message(struct aw_session *session, const char *name);

enum aw_status aw_run_help(struct aw_session *session, const struct aw_args *args)
{
    const char *name = aw_arg(args, "command", 0);
    if (aw_flag(session, "man")) {
        aw_man_page(session);
        return AW_OK;
    }
    const struct aw_command *command = name ? aw_find_command(session->tool, name) : NULL;
    if (name && !command)
        return help_on_message(session, name);
    return aw_help(session, command);
}

static enum aw_status help_on_message(struct aw_session *session, const char *name)
{
    if (aw_wire_codec(session->wire, name, AW_BOTH))
        return aw_fail(&session->err, AW_USAGE, "'%.40s' is a message — see 'describe %.40s'", name,
                       name);
    return aw_fail(&session->err, AW_USAGE, "no command '%.40s' — see '%s help'", name,
                   session->tool->name);
}
