/* Prints the man page of a tool from its tables; docs/man is made by this. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "shell/core/bind.h"
#include "shell/help/help.h"

/* Text for man(7): a leading dot or quote would be a macro, a hyphen of an option must stay one. */
static void text(struct aw_output *out, const char *words)
{
    if (*words == '.' || *words == '\'')
        aw_output_write(out, "\\&", 2);
    for (; *words; words++) {
        if (*words == '-' || *words == '\\')
            aw_output_write(out, "\\", 1);
        aw_output_write(out, *words == '\\' ? "e" : words, 1);
    }
}

static void line(struct aw_output *out, const char *macro, const char *words)
{
    aw_output_print(out, "%s", macro);
    text(out, words);
    aw_output_write(out, "\n", 1);
}

static void options(struct aw_output *out, const struct aw_option *table)
{
    for (const struct aw_option *o = table; o && o->name; o++) {
        char head[128], letter[8] = "";
        if (o->letter)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(head, sizeof head, "%s--%s", letter, o->name);
        aw_option_value_text(o, head, sizeof head);
        aw_output_print(out, ".TP\n");
        line(out, ".B ", head);
        text(out, o->help);
        if (o->fallback)
            aw_output_print(out, " (default %s)", o->fallback);
        aw_output_write(out, "\n", 1);
    }
}

static void command(const struct aw_command *c, void *context)
{
    struct aw_session *session = context;
    struct aw_output *out = &session->out;
    char usage[256];
    if (c->hidden)
        return;
    aw_usage_line(c, usage, sizeof usage);
    aw_output_print(out, ".TP\n");
    line(out, ".B ", usage);
    line(out, "", c->summary);
    if (c->details) {
        aw_output_print(out, ".br\n");
        line(out, "", c->details);
    }
    if (c->options && c->options->name) {
        aw_output_print(out, ".RS\n");
        options(out, c->options);
        aw_output_print(out, ".RE\n");
    }
}

static void link_entry(struct aw_output *out, const struct aw_transport *t)
{
    aw_output_print(out, ".TP\n");
    line(out, ".B ", t->usage);
    line(out, "", t->help);
}

static const char *const exits[] = {
    "0",
    "ok",
    "1",
    "the device refused, or did not do it",
    "2",
    "usage: unknown name, wrong unit, not a number",
    "3",
    "no answer in time",
    "4",
    "link not found or not permitted",
    "5",
    "malformed data",
    "6",
    "refused by limits on the host",
    "7",
    "link lost, or the output or the record could not be written",
    "9",
    "out of memory",
    "128 + number",
    "ended by that signal, after the safe stop: 129 hangup, 130 Ctrl-C, 143 TERM, 148 Ctrl-Z",
    "141",
    "the reader of the output went away",
    NULL,
};

static const char safety[] =
    "While something moves, signals, a crash, a reader of the output that goes away, a full disk, "
    "the end of the script and the end of the program that started this one send the protocol's "
    "stop; --hold leaves the device as it is, with nohup or setsid it may outlive its starter. "
    "Nothing can be sent after SIGKILL: who kills it that way has to stop the device.";

static void tail(struct aw_session *session, const char *title)
{
    struct aw_output *out = &session->out;
    const char *name = session->tool->name;
    aw_output_print(out, ".SH SAFETY\n");
    line(out, "", safety);
    aw_output_print(out,
                    ".SH ENVIRONMENT\nEvery option can be set by a variable: %s_LINK, "
                    "%s_TIMEOUT and so on. NO_COLOR is honoured.\n",
                    title, title);
    aw_output_print(out,
                    ".SH FILES\n.TP\n.I $XDG_CONFIG_HOME/armwire/%s.ini\n"
                    "options and aliases of links\n.TP\n"
                    ".I $XDG_STATE_HOME/armwire/%s/\nhistory, and what is remembered about "
                    "devices\n",
                    name, name);
}

void aw_man_page(struct aw_session *session)
{
    const struct aw_tool *tool = session->tool;
    struct aw_output *out = &session->out;
    char title[32] = "";
    for (size_t i = 0; tool->name[i] && i + 1 < sizeof title; i++)
        title[i] = (char)toupper((unsigned char)tool->name[i]);
    aw_output_print(out, ".TH %s 1 \"\" \"armwire %s\" \"User Commands\"\n.SH NAME\n%s \\- ", title,
                    AW_VERSION, tool->name);
    text(out, tool->summary);
    aw_output_print(out, "\n.SH SYNOPSIS\n.B %s\n%s\n.SH EXAMPLES\n", tool->name,
                    tool->usage ? tool->usage : "[options] [command [arguments]]");
    for (const char *const *example = tool->examples; example && *example; example++) {
        char words[256];
        snprintf(words, sizeof words, "%s %s", tool->name, *example);
        aw_output_print(out, ".PP\n.EX\n");
        text(out, words);
        aw_output_print(out, "\n.EE\n");
    }
    if (!tool->usage) {
        aw_output_print(out, ".SH COMMANDS\n");
        aw_each_command(tool, command, session);
    }
    aw_output_print(out, ".SH OPTIONS\n");
    options(out, tool->options);
    options(out, tool->general ? tool->general : aw_global_options);
    if (!tool->usage) {
        aw_output_print(out, ".SH LINKS\n");
        if (tool->sim)
            link_entry(out, tool->sim);
        for (const struct aw_transport *t = aw_link_transports(); t->scheme; t++)
            link_entry(out, t);
    }
    aw_output_print(out, ".SH EXIT STATUS\n");
    for (const char *const *e = exits; *e; e += 2) {
        aw_output_print(out, ".TP\n.B %s\n", e[0]);
        line(out, "", e[1]);
    }
    if (!tool->usage)
        tail(session, title);
}
