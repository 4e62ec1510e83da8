/* Prints help of the tool, of a command, of links and of topics, from the tables. */
#include "shell/help/help.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/number.h"
#include "shell/core/bind.h"

#define WIDEST   100 /* columns; longer lines are hard to read */
#define NARROW   64  /* a terminal has no room for two columns */
#define LEFT     28  /* where the right column begins */
#define INDENTED 6   /* where it begins below the left one */

struct page {
    struct aw_session *session;
    struct aw_output *out;
    const char *bold, *plain;
    int width; /* columns of the terminal; 0: none, a line stays a line, for grep */
};

static struct page open_page(struct aw_session *session)
{
    struct page page = {.session = session, .out = &session->out, .bold = "", .plain = ""};
    struct winsize size;
    if (session->out.color) {
        page.bold = "\033[1m";
        page.plain = "\033[0m";
    }
    if (isatty(session->out.fd) && ioctl(session->out.fd, TIOCGWINSZ, &size) == 0)
        page.width = size.ws_col < WIDEST ? size.ws_col : WIDEST;
    return page;
}

/* Characters that begin in so many bytes: a … has three bytes. */
static int columns_of(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    return columns;
}

/* Words from the column at on, in lines that begin with so many blanks; ends the last one. */
static void wrap(const struct page *page, int indent, int at, const char *text)
{
    bool first = true;
    for (; page->width && *text; text += strspn(text, " \n")) {
        size_t length = strcspn(text, " \n");
        int columns = columns_of(text, length);
        if (!first && at + 1 + columns > page->width) {
            aw_output_print(page->out, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            aw_output_print(page->out, " ");
            at++;
        }
        aw_output_write(page->out, text, length);
        at += columns;
        text += length;
        first = false;
    }
    aw_output_print(page->out, "%s\n", text);
}

static void heading(const struct page *page, const char *text)
{
    aw_output_draw(page->out, "\n%s%s%s\n", page->bold, text, page->plain);
}

static void row(const struct page *page, const char *left, const char *right)
{
    int columns = columns_of(left, strlen(left));
    bool narrow = page->width && page->width < NARROW;
    int indent = narrow ? INDENTED : LEFT + 2;
    aw_output_print(page->out, "  ");
    if (narrow || columns > LEFT - 2)
        wrap(page, INDENTED, 2, left);
    else
        aw_output_print(page->out, "%s", left);
    aw_output_print(page->out, "%*s", narrow || columns > LEFT - 2 ? indent : LEFT - columns, "");
    wrap(page, indent, indent, right);
}

static void option_rows(const struct page *page, const char *title, const struct aw_option *table)
{
    if (!table || !table->name)
        return;
    heading(page, title);
    for (const struct aw_option *o = table; o->name; o++) {
        char left[96], right[256], letter[8] = "    ";
        if (o->letter)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "%s--%s", letter, o->name);
        aw_option_value_text(o, left, sizeof left);
        snprintf(right, sizeof right, "%s%s%s%s", o->help, o->fallback ? " (default " : "",
                 o->fallback ? o->fallback : "", o->fallback ? ")" : "");
        row(page, left, right);
    }
}

/* name: only those that have this word: the first page has some for commands that are the same in
 * every tool. NULL: all. */
static void examples(const struct page *page, const char *const *list, const char *name)
{
    size_t length = name ? strlen(name) : 0;
    bool any = false;
    for (; list && *list; list++) {
        const char *at = name ? strstr(*list, name) : *list;
        if (!at || (at > *list && at[-1] != ' ') || (name && at[length] && at[length] != ' '))
            continue;
        if (!any)
            heading(page, "Examples");
        any = true;
        aw_output_print(page->out, "  %s %s\n", page->session->tool->name, *list);
    }
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

static const struct aw_transport *find_transport(const char *scheme)
{
    const struct aw_transport *t = aw_link_transports();
    while (t->scheme && strcmp(t->scheme, scheme) != 0)
        t++;
    return t;
}

static void links(const struct page *page, const char *const *schemes)
{
    const struct aw_transport *sim = page->session->tool->sim;
    heading(page, "Links (-l)");
    if (sim)
        row(page, sim->usage, sim->help);
    for (const char *const *scheme = schemes; scheme && *scheme; scheme++)
        row(page, find_transport(*scheme)->usage, find_transport(*scheme)->help);
    for (const struct aw_transport *t = aw_link_transports(); t->scheme && !schemes; t++)
        row(page, t->usage, t->help);
    row(page, "@NAME", "an alias from the config file");
    if (schemes)
        aw_output_print(page->out, "  'help links' shows all.\n");
}

static void exit_codes(const struct page *page)
{
    heading(page, "Exit codes");
    aw_output_print(
        page->out,
        "  0 ok   1 the device refused or did not do it   2 usage   3 no answer in time\n"
        "  4 link not found or not permitted   5 malformed data   6 refused by limits\n"
        "  7 link lost, or output not writable   9 out of memory\n"
        "  128 + signal: stopped by a signal\n");
}

static void first_page(const struct page *page)
{
    const struct aw_tool *tool = page->session->tool;
    aw_output_draw(page->out, "%s%s%s — %s\n", page->bold, tool->name, page->plain, tool->summary);
    examples(page, tool->examples, NULL);
    if (tool->usage) {
        heading(page, "Usage");
        aw_output_print(page->out, "  %s %s\n", tool->name, tool->usage);
        option_rows(page, "Options", tool->options);
        option_rows(page, "General options", tool->general);
        exit_codes(page);
        return;
    }
    heading(page, "Commands");
    aw_each_command(tool, command_row, (void *)page);
    option_rows(page, "Options", tool->options);
    option_rows(page, tool->options ? "Options of every tool" : "Options", aw_global_options);
    links(page, tool->links);
    exit_codes(page);
    aw_output_print(page->out,
                    "\nWithout a command: a prompt on a terminal, else commands are read from "
                    "standard input.\n'%s help COMMAND' tells more, 'man %s' all.\n",
                    tool->name, tool->name);
}

static void argument_row(const struct page *page, const struct aw_arg *arg)
{
    char text[320], name[48], range[96];
    struct aw_arg_info info = aw_arg_info(page->session, arg);
    bool ranged = *aw_range_text(&info, range, sizeof range);
    bool helped = info.help && *info.help;
    snprintf(text, sizeof text, "%s%s%s", helped ? info.help : "", helped && ranged ? ", " : "",
             range);
    size_t used = strlen(text);
    for (const struct aw_name *n = info.names; n && n->name && used + 32 < sizeof text; n++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 n == info.names ? " — " : ", ", n->name);
    for (const char *const *c = arg->choices; c && *c && used < sizeof text; c++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 c == arg->choices ? ": " : ", ", *c);
    snprintf(name, sizeof name, "%s%s", arg->name, arg->kind == AW_ARG_PAIRS ? "=value" : "");
    row(page, name, text);
}

static void command_page(const struct page *page, const struct aw_command *command)
{
    static const char *const safety[] = {
        [AW_WRITE] = "Changes settings.",
        [AW_MOTION] =
            "Makes something move: Ctrl-C, a closed pipe or the end of the terminal stop it.",
        [AW_DANGEROUS] = "Asks before it acts; needs --yes without a terminal.",
    };
    char usage[256];
    aw_usage_line(command, usage, sizeof usage);
    aw_output_draw(page->out, "%s%s%s — %s\n", page->bold, command->name, page->plain,
                   command->summary);
    if (command->examples)
        examples(page, command->examples, NULL);
    else
        examples(page, page->session->tool->examples, command->name);
    heading(page, "Usage");
    aw_output_print(page->out, "  %s [options] %s\n", page->session->tool->name, usage);
    if (command->details || safety[command->safety])
        aw_output_print(page->out, "\n");
    if (command->details)
        wrap(page, 0, 0, command->details);
    if (safety[command->safety])
        wrap(page, 0, 0, safety[command->safety]);
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

enum aw_status aw_run_help(struct aw_session *session, const struct aw_args *args)
{
    const char *name = aw_arg(args, "command", 0);
    struct page page = open_page(session);
    if (aw_flag(session, "man")) {
        aw_man_page(session);
        return AW_OK;
    }
    if (name && strcmp(name, "links") == 0) {
        aw_output_draw(page.out, "%slinks%s — what -l takes\n", page.bold, page.plain);
        links(&page, NULL);
        aw_output_print(page.out, "\n");
        wrap(&page, 0, 0,
             "Any link can be made worse on purpose: ?drop=1%&dup=1%&corrupt=0.1%&delay=5ms"
             "&jitter=2ms&seed=7.");
        return AW_OK;
    }
    const struct aw_command *command = name ? aw_find_command(session->tool, name) : NULL;
    if (name && !command && aw_wire_codec(session->wire, name, AW_BOTH))
        return aw_fail(&session->err, AW_USAGE, "'%.40s' is a message — see 'describe %.40s'", name,
                       name);
    return name && !command ? aw_unknown_command(session, name) : aw_help(session, command);
}
