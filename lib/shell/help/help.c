/* Generates the help of the tool, its commands and its topics from the tables: on the terminal, at
 * the prompt and as a manual page. */
#include "shell/help/help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "link/open.h"
#include "shell/help/pager.h"
#include "shell/help/topics.h"
#include "shell/session/bind.h"

struct aw_help_options {
    const char *as;
    bool lists_tables;
};
AW_GIVEN(command, aw_help_options, aw_help_given)

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    const char *at = strstr(text, word);
    return at && (at == text || at[-1] == ' ') && (!at[length] || at[length] == ' ');
}

/* Prepends the tool's name and fills in {move} and {field}. {moves} at the end may become lines
 * from a pipe. */
static void fill_line(const struct aw_tool *tool, const char *line, char *out, size_t size)
{
    bool is_shell_line = strncmp(line, "$ ", 2) == 0;
    const char *moves = strstr(line, " {moves}");
    snprintf(out, size, "%s%s", is_shell_line ? "" : tool->name, is_shell_line ? "" : " ");
    if (moves && tool->help.example_moves)
        snprintf(out, size, "printf '%s\\n' | %s %.*s", tool->help.example_moves, tool->name,
                 (int)(moves - line), line);
    else if (moves)
        snprintf(out, size, "%s %.*s %s", tool->name, (int)(moves - line), line,
                 tool->help.example_move);
    for (const char *at = moves ? "" : is_shell_line ? line + 2 : line; *at;) {
        size_t plain = strcspn(at, "{");
        aw_append(out, size, "", "%.*s", (int)plain, at);
        at += plain;
        bool is_move = strncmp(at, "{move}", 6) == 0, is_field = strncmp(at, "{field}", 7) == 0;
        if (is_move || is_field)
            aw_append(out, size, "", "%s",
                      is_move ? tool->help.example_move : tool->help.example_field);
        else if (*at)
            aw_append(out, size, "", "{");
        at += is_move ? 6 : is_field ? 7 : *at != '\0';
    }
}

/* A common command without its own examples uses those of the first help page that name it. */
void aw_each_example(const struct aw_tool *tool, const struct aw_command *command,
                     aw_example_fn *fn, void *context)
{
    char line[320];
    const char *const *examples = command->examples;
    for (const char *const *list = examples ? examples : tool->help.examples; list && *list;
         list++) {
        snprintf(line, sizeof line, "%s %s", tool->name, *list);
        if (examples || has_word(*list, command->name))
            fn(context, line);
    }
    bool shows_lines =
        tool->help.example_move || !command->lines || !strstr(command->lines[0], "{move");
    for (const char *const *list = shows_lines ? command->lines : NULL; list && *list; list++) {
        fill_line(tool, *list, line, sizeof line);
        fn(context, line);
    }
    for (const struct aw_example *e = tool->help.common_examples; e && e->command; e++)
        if (strcmp(e->command, command->name) == 0) {
            fill_line(tool, e->line, line, sizeof line);
            fn(context, line);
        }
}

struct example_list {
    struct aw_page *page;
    bool has_examples;
};

static void show_example(void *context, const char *line)
{
    struct example_list *list = context;
    if (!list->has_examples)
        aw_page_add_heading(list->page, "Examples");
    list->has_examples = true;
    aw_page_add_code(list->page, line);
}

static void print_examples(struct aw_page *page, const char *const *list)
{
    struct example_list shown = {.page = page};
    char line[320];
    for (; list && *list; list++) {
        snprintf(line, sizeof line, "%s %s", page->session->tool->name, *list);
        show_example(&shown, line);
    }
}

/* Appends the choices of an argument: ": show, path". */
static void append_choices(char *text, size_t size, const struct aw_name *names,
                           const char *const *choices)
{
    for (const struct aw_name *n = names; n && n->name && strlen(text) + 32 < size; n++)
        aw_append(text, size, "", "%s%s", n == names ? ": " : ", ", n->name);
    for (const char *const *c = choices; c && *c; c++)
        aw_append(text, size, "", "%s%s", c == choices ? ": " : ", ", *c);
}

static void print_argument(struct aw_page *page, const struct aw_arg *arg)
{
    char text[320], name[48];
    struct aw_arg_info info = aw_arg_info(page->session, arg);
    aw_write_arg_help(&info, text, sizeof text);
    append_choices(text, sizeof text, info.names, arg->choices);
    snprintf(name, sizeof name, "%s%s", arg->name, arg->kind == AW_ARG_PAIRS ? "=value" : "");
    aw_page_add_row(page, name, text);
}

static void print_command_body(struct aw_page *page, const struct aw_command *command)
{
    static const char *const safety[] = {
        [AW_WRITE] = "Changes settings.",
        [AW_MOTION] = "Moves joints. Ctrl-C, a closed pipe or a closed terminal stops them.",
        [AW_DANGEROUS] = "Asks for confirmation; without a terminal, requires --yes.",
    };
    const char *tool = page->session->tool->name;
    char usage[256], line[320];
    aw_write_usage(command, usage, sizeof usage);
    snprintf(line, sizeof line, "%s [options] %s", tool, usage);
    aw_each_example(page->session->tool, command, show_example,
                    &(struct example_list){.page = page});
    aw_page_add_heading(page, "Usage");
    aw_page_add_code(page, line);
    if (command->details)
        aw_page_add_text(page, command->details);
    if (safety[command->safety])
        aw_page_add_text(page, safety[command->safety]);
    if (command->args && command->args->name)
        aw_page_add_heading(page, "Arguments");
    for (const struct aw_arg *arg = command->args; arg && arg->name; arg++)
        print_argument(page, arg);
    aw_page_add_options(page, "Options", command->options);
    if (*aw_find_topic_row(aw_find_topic("results"), tool, command->name, line, sizeof line)) {
        aw_page_add_heading(page, "Result");
        aw_page_add_row(page, "keys", line);
    }
}

/* ---- On the terminal ---- */

static void print_command_row(const struct aw_command *command, void *context)
{
    char usage[256];
    if (command->hidden)
        return;
    aw_write_usage(command, usage, sizeof usage);
    aw_page_add_row(context, usage, command->summary);
}

static const struct aw_transport *find_transport(const char *scheme)
{
    const struct aw_transport *t = aw_link_transports();
    while (t->scheme && strcmp(t->scheme, scheme) != 0)
        t++;
    return t;
}

static void print_links(struct aw_page *page)
{
    const struct aw_tool *tool = page->session->tool;
    aw_page_add_heading(page, "Links (-l)");
    if (tool->device.sim)
        aw_page_add_row(page, tool->device.sim->usage, tool->device.sim->help);
    for (const char *const *scheme = tool->device.links; scheme && *scheme; scheme++)
        aw_page_add_row(page, find_transport(*scheme)->usage, find_transport(*scheme)->help);
    aw_output_print(page->out, "  'help links' shows all.\n");
}

/* Returns the title that man-pages(7) requires. */
static const char *write_title(const struct aw_page *page, const char *topic)
{
    bool exit_codes = strcmp(topic, "exit-codes") == 0;
    return exit_codes && page->form == AW_PAGE_MAN ? "Exit status" : topic;
}

static void print_exit_codes(struct aw_page *page)
{
    aw_page_add_heading(page, page->form == AW_PAGE_MAN ? "Exit status" : "Exit codes");
    aw_page_add_markdown(page, aw_find_topic("exit-codes")->text, page->session->tool->name);
}

static void join_topic_names(char *names, size_t size)
{
    *names = '\0';
    for (const struct aw_topic *topic = aw_topics; topic->name; topic++)
        aw_append(names, size, " ", "%s", topic->name);
}

static void print_first_page(struct aw_page *page)
{
    const struct aw_tool *tool = page->session->tool;
    aw_page_add_title(page, tool->name, tool->summary);
    print_examples(page, tool->help.examples);
    if (tool->help.usage) {
        char usage[128];
        snprintf(usage, sizeof usage, "%s %s", tool->name, tool->help.usage);
        aw_page_add_heading(page, "Usage");
        aw_page_add_code(page, usage);
        aw_page_add_options(page, "Options", tool->options);
        aw_page_add_options(page, "General options", tool->help.general);
        print_exit_codes(page);
        return;
    }
    aw_page_add_heading(page, "Commands");
    aw_session_each_command(page->session, print_command_row, page);
    aw_page_add_options(page, "Options", tool->options);
    aw_page_add_options(page, tool->options ? "Options of every tool" : "Options",
                        aw_global_options);
    print_links(page);
    print_exit_codes(page);
    aw_page_add_heading(page, "More");
    aw_page_add_row(page, "help COMMAND", "arguments, options and examples of the command");
    char names[256], manual[64];
    join_topic_names(names, sizeof names);
    aw_page_add_row(page, "help TOPIC", names);
    snprintf(manual, sizeof manual, "man %s", tool->name);
    aw_page_add_row(page, manual,
                    "the complete manual; man 5 armwire: the config file; man 7 armwire: records");
    aw_output_print(page->out, "\nWithout a command, the tool starts a prompt on a terminal; "
                               "otherwise it reads commands from standard input.\n");
}

/* ---- The short page, at the prompt and of --help ---- */

struct group {
    enum aw_group group;
    char names[512];
};

static enum aw_group get_group(const struct aw_command *command)
{
    static const enum aw_group usual[] = {
        [AW_READ] = AW_GROUP_LOOK,
        [AW_WRITE] = AW_GROUP_SET_UP,
        [AW_MOTION] = AW_GROUP_MOVE,
        [AW_DANGEROUS] = AW_GROUP_SET_UP,
    };
    return command->group == AW_GROUP_BY_SAFETY ? usual[command->safety] : command->group;
}

static void add_to_group(const struct aw_command *command, void *context)
{
    struct group *group = context;
    if (!command->hidden && get_group(command) == group->group)
        aw_append(group->names, sizeof group->names, " ", "%s", command->name);
}

/* Removes the link from an example, because the prompt already has one. */
static const char *skip_link(const char *example)
{
    if (strncmp(example, "-l ", 3) != 0)
        return example;
    const char *at = example + 3;
    at = *at == '\'' ? strchr(at + 1, '\'') + 1 : at + strcspn(at, " ");
    return *at ? at + 1 : at;
}

#define SHORT_EXAMPLES 3

static void print_short_examples(struct aw_page *page)
{
    const struct aw_tool *tool = page->session->tool;
    for (size_t i = 0; i < SHORT_EXAMPLES && tool->help.examples && tool->help.examples[i]; i++) {
        char line[320];
        if (page->session->mode.interactive)
            snprintf(line, sizeof line, "%s", skip_link(tool->help.examples[i]));
        else
            snprintf(line, sizeof line, "%s %s", tool->name, tool->help.examples[i]);
        aw_page_add_code(page, line);
    }
}

/* Prints a page that fits on 24 lines, for the prompt and for --help. */
static void print_short_page(struct aw_page *page)
{
    static const char *const titles[] = {NULL,   "move",   "look",    "measure",
                                         "keep", "set up", "messages"};
    const struct aw_tool *tool = page->session->tool;
    bool is_prompt = page->session->mode.interactive;
    char names[256], manual[96];
    aw_page_add_title(page, tool->name,
                      is_prompt ? "TAB completes, Ctrl-C stops all motion, Ctrl-D quits"
                                : tool->summary);
    aw_output_print(page->out, "\n");
    for (int i = AW_GROUP_MOVE; i <= AW_GROUP_MESSAGES; i++) {
        struct group group = {(enum aw_group)i, ""};
        aw_session_each_command(page->session, add_to_group, &group);
        if (*group.names || i != AW_GROUP_MESSAGES)
            aw_page_add_list(page, titles[i], *group.names ? group.names : "-");
    }
    print_short_examples(page);
    join_topic_names(names, sizeof names);
    aw_output_print(page->out, "\n");
    aw_page_add_list(page, "help",
                     "COMMAND, such as 'help watch': arguments, options, examples; or TOPIC:");
    aw_page_add_list(page, "", names);
    if (is_prompt)
        return;
    snprintf(manual, sizeof manual, "%s --help-all: every option and link; man %s", tool->name,
             tool->name);
    aw_page_add_list(page, "more", manual);
}

/* ---- As a manual page ---- */

static void print_manual_command(const struct aw_command *command, void *context)
{
    struct aw_page *page = context;
    if (command->hidden)
        return;
    page->depth = 1;
    aw_page_add_heading(page, command->name);
    page->depth = 2;
    aw_page_add_text(page, command->summary);
    print_command_body(page, command);
    page->depth = 0;
}

static const char safety[] =
    "During a motion, the tool sends the protocol's stop on a signal or a crash, when the reader "
    "of its output ends, when the disk is full, at the end of the script, and when its parent "
    "process ends. --hold leaves the device as it is. With nohup or setsid the tool continues "
    "without its parent process. After SIGKILL it cannot send a stop: stop the device yourself.";

static void print_manual_topic(struct aw_page *page, const struct aw_topic *topic)
{
    page->depth = 0;
    aw_page_add_heading(page, write_title(page, topic->name));
    page->depth = 1;
    aw_show_topic(page, topic);
    page->depth = 0;
}

/* Uses the names and order of sections in man-pages(7). */
void aw_print_man_page(struct aw_session *session)
{
    static const char *const first[] = {"options", "exit-codes", NULL};
    const struct aw_tool *tool = session->tool;
    struct aw_page page = aw_page_open(session, AW_PAGE_MAN);
    char title[32] = "";
    for (size_t i = 0; tool->name[i] && i + 1 < sizeof title; i++)
        title[i] = (char)toupper((unsigned char)tool->name[i]);
    aw_output_print(page.out,
                    ".TH %s 1 \"\" \"armwire %s\" \"User Commands\"\n.SH NAME\n%s \\- %s\n"
                    ".SH SYNOPSIS\n.B %s\n%s\n",
                    title, AW_VERSION, tool->name, tool->summary, tool->name,
                    tool->help.usage ? tool->help.usage : "[options] [command [arguments]]");
    if (tool->help.usage) {
        aw_page_add_options(&page, "Options", tool->options);
        aw_page_add_options(&page, "General options", tool->help.general);
        print_exit_codes(&page);
        print_examples(&page, tool->help.examples);
        return;
    }
    aw_page_add_heading(&page, "Commands");
    aw_session_each_command(session, print_manual_command, &page);
    for (const char *const *name = first; *name; name++)
        print_manual_topic(&page, aw_find_topic(*name));
    for (const struct aw_topic *topic = aw_topics; topic->name; topic++)
        if (!aw_is_one_of(first, topic->name))
            print_manual_topic(&page, topic);
    char path[96];
    aw_page_add_heading(&page, "Safety");
    aw_page_add_text(&page, safety);
    aw_page_add_heading(&page, "Files");
    snprintf(path, sizeof path, "$XDG_CONFIG_HOME/armwire/%s.ini", tool->name);
    aw_page_add_row(&page, path, "the config file, see armwire(5)");
    snprintf(path, sizeof path, "$XDG_STATE_HOME/armwire/%s/", tool->name);
    aw_page_add_row(&page, path, "history, and the saved state of devices");
    print_examples(&page, tool->help.examples);
    aw_page_add_heading(&page, "See also");
    aw_page_add_text(&page, "armwire(5), the config file; armwire(7), records, fields and units.");
}

/* ---- Help pages ---- */

static void print_topic_page(struct aw_page *page, const struct aw_topic *topic)
{
    char summary[128];
    aw_page_add_title(page, topic->name, aw_write_topic_summary(topic, summary));
    aw_show_topic(page, topic);
}

enum aw_status aw_print_help(struct aw_session *session, const struct aw_command *command)
{
    bool shows_all = session->tool->help.usage || session->options.print.help_all;
    struct aw_page page = aw_page_open(session, AW_PAGE_TEXT);
    if (!command && !shows_all) {
        print_short_page(&page);
        return AW_OK;
    }
    struct aw_pager pager = aw_pager_open(session);
    if (command) {
        const struct aw_topic *topic = aw_find_topic(command->name);
        aw_page_add_title(&page, command->name, command->summary);
        print_command_body(&page, command);
        if (topic)
            aw_output_print(&session->out, "\n");
        if (topic)
            print_topic_page(&page, topic);
    } else {
        print_first_page(&page);
    }
    aw_pager_close(session, &pager);
    return AW_OK;
}

/* Prints a topic for docs and the manual pages of all tools: the whole topic, or only this tool's
 * tables. */
static void print_topic_source(struct aw_session *session, const struct aw_topic *topic,
                               const char *form, bool lists_tables)
{
    struct aw_page page = aw_page_open(session, AW_PAGE_MARKDOWN);
    char summary[128];
    if (strcmp(form, "man") == 0)
        page.form = AW_PAGE_MAN;
    page.depth = lists_tables;
    if (lists_tables) {
        aw_show_topic_tables(&page, topic);
    } else if (page.form == AW_PAGE_MAN) {
        aw_page_add_heading(&page, write_title(&page, topic->name));
        page.depth = 1;
        aw_page_add_markdown(&page, topic->text, NULL);
        if (strcmp(topic->name, "config") == 0)
            aw_page_add_option_keys(&page, "Every tool: [options]", aw_global_options);
    } else {
        aw_page_add_title(&page, topic->name, aw_write_topic_summary(topic, summary));
        aw_output_print(page.out, "%s", topic->text + strcspn(topic->text, "\n") + 1);
    }
}

static enum aw_status fail_unknown_subject(struct aw_session *session, const char *name)
{
    if (aw_wire_codec(session->wire, name, AW_BOTH))
        return aw_fail(&session->err, AW_USAGE, "'%.40s' is a message — see 'describe %.40s'", name,
                       name);
    return aw_fail_unknown_command(session, name);
}

static enum aw_status run_help(struct aw_session *session, const struct aw_args *args)
{
    const char *name = aw_arg(args, "subject", 0), *form = aw_help_given(session)->as;
    const struct aw_command *command = name ? aw_session_find_command(session, name) : NULL;
    const struct aw_topic *topic = name ? aw_find_topic(name) : NULL;
    struct aw_page page = aw_page_open(session, AW_PAGE_TEXT);
    if (name && !command && !topic)
        return fail_unknown_subject(session, name);
    if (aw_session_is_json(session))
        return aw_print_help_json(session, command, topic);
    if (topic && strcmp(form, "text") != 0)
        print_topic_source(session, topic, form, aw_help_given(session)->lists_tables);
    else if (!name && strcmp(form, "man") == 0)
        aw_print_man_page(session);
    else if (topic && !command) {
        struct aw_pager pager = aw_pager_open(session);
        print_topic_page(&page, topic);
        aw_pager_close(session, &pager);
    } else
        aw_print_help(session, command);
    return AW_OK;
}

/* clang-format off */
static const struct aw_arg help_args[] = {
    {.name = "subject", .kind = AW_ARG_COMMAND, .help = "command, or topic such as config",
     .optional = true, .complete = aw_complete_topics},
    {0},
};
static const struct aw_option help_options[] = {
    {.name = "as", AW_AT(aw_help_options, as), .value = "FORM", .fallback = "text",
     .choices = AW_LIST("text", "man", "md"), .help = "text, man or md"},
    {.name = "tables", AW_AT(aw_help_options, lists_tables),
     .help = "with md or man, print only the part of the topic about this tool"},
    {0},
};
const struct aw_command aw_help_command = {
    .name = "help", .prints = "text", .prints_json = true, .group = AW_GROUP_SET_UP,
    .summary = "show help on the tool, a command or a topic", .args = help_args,
    .options = help_options, .offline = true, .run = run_help,
    .examples = AW_LIST("help watch", "help links")};

const struct aw_command aw_question_command = {
    .name = "?", .prints = "text", .summary = "help", .args = help_args,
    .options = help_options, .hidden = true, .offline = true, .run = run_help};
/* clang-format on */
