/* The commands completion, commands and complete: scripts for bash, zsh and fish, and their
 * answers. */
#include <string.h>

#include "shell/prompt/prompt.h"

/* The scripts contain no names of commands or options. They ask the tool, so they never go out of
 * date. T stands for the tool's name. */
static const char bash_script[] =
    "# bash completion for T: asks the tool itself\n"
    "_T() {\n"
    "    local line found word words current head= breaks=${COMP_WORDBREAKS//[^=:]/}\n"
    "    read -r -a words <<<\"${COMP_LINE:0:COMP_POINT}\"\n"
    "    [[ ${COMP_LINE:0:COMP_POINT} == *[[:blank:]] ]] && words+=(\"\")\n"
    "    current=${words[${#words[@]}-1]}\n"
    "    # bash puts what is found behind the last = or : of the word\n"
    "    [[ -z $breaks ]] || head=${current%\"${current##*[$breaks]}\"}\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        case $line in\n"
    "        ::files) compopt -o default ;;\n"
    "        '::files '*) # those with these endings; folders; else any\n"
    "            for found in ${line#::files }; do\n"
    "                while IFS= read -r word; do COMPREPLY+=(\"$word\"); done < <(\n"
    "                    compgen -f -X \"!*.$found\" -- \"$current\")\n"
    "            done\n"
    "            [[ ${#COMPREPLY[@]} -gt 0 ]] || compopt -o default\n"
    "            while IFS= read -r word; do COMPREPLY+=(\"$word\"); done < <(\n"
    "                compgen -d -- \"$current\")\n"
    "            compopt -o filenames\n"
    "            ;;\n"
    "        *)\n"
    "            found=${line%%$'\\t'*}\n"
    "            COMPREPLY+=(\"${found:${#head}}\")\n"
    "            case $line in *=$'\\t'* | *:$'\\t'* | *[=:]) compopt -o nospace ;; esac\n"
    "            ;;\n"
    "        esac\n"
    "    done < <(\"${COMP_WORDS[0]}\" complete -- \"${words[@]:1:${#words[@]}-2}\" \"$current\" "
    "2>/dev/null)\n"
    "}\n"
    "complete -F _T T\n";

static const char zsh_script[] =
    "#compdef T\n"
    "# zsh completion for T: asks the tool itself\n"
    "_T() {\n"
    "    local line word files=\n"
    "    local -a found nospace\n"
    "    for line in \"${(@f)$(${words[1]} complete -- \"${(@)words[2,CURRENT-1]}\" "
    "\"${words[CURRENT]}\" 2>/dev/null)}\"; do\n"
    "        [[ -z $line ]] && continue\n"
    "        if [[ $line == ::files* ]]; then files=\"*${${line#::files}:+.(${${line#::files "
    "}// /|})}\"; continue; fi\n"
    "        word=${line%%$'\\t'*}\n"
    "        if [[ $word == *[=:] ]]; then nospace+=(\"$word\"); continue; fi\n"
    "        found+=(\"${word//:/\\\\:}:${line#*$'\\t'}\")\n"
    "    done\n"
    "    (( ${#found} )) && _describe 'T' found\n"
    "    (( ${#nospace} )) && compadd -S '' -- \"${nospace[@]}\"\n"
    "    [[ -n $files ]] && { _files -g \"$files\" || _files }\n"
    "}\n"
    "if [[ ${funcstack[1]} == _T ]]; then _T \"$@\"; else compdef _T T; fi\n";

static const char fish_script[] =
    "# fish completion for T: asks the tool itself\n"
    "function __T_complete\n"
    "    set -l words (commandline -opc)\n"
    "    for line in ($words[1] complete -- $words[2..-1] (commandline -ct) 2>/dev/null)\n"
    "        if string match -q '::files *' -- $line\n"
    "            for ending in (string split ' ' -- $line)[2..-1]\n"
    "                __fish_complete_suffix .$ending\n"
    "            end\n"
    "        else if test \"$line\" = ::files\n"
    "            __fish_complete_path (commandline -ct)\n"
    "        else\n"
    "            echo $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c T -f -a '(__T_complete)'\n";

static void print_script(struct aw_session *session, const char *script)
{
    for (; *script; script++) {
        if (*script == 'T' && !(script[1] >= 'A' && script[1] <= 'Z') &&
            !(script[-1] >= 'A' && script[-1] <= 'Z'))
            aw_output_print(&session->out, "%s", session->tool->name);
        else
            aw_output_write(&session->out, script, 1);
    }
}

static enum aw_status run_completion(struct aw_session *session, const struct aw_args *args)
{
    const char *shell = aw_arg(args, "shell", 0);
    static const struct {
        const char *name, *script;
    } scripts[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (strcmp(shell, scripts[i].name) == 0)
            print_script(session, scripts[i].script);
    return AW_OK;
}

static void print_examples(const struct aw_command *command, void *context)
{
    struct aw_session *session = context;
    const char *const *example = command->examples;
    for (; example && *example; example++)
        aw_output_print(&session->out, "%s\t%s\n", command->name, *example);
    if (!command->examples)
        aw_output_print(&session->out, "%s\n", command->name);
}

static enum aw_status run_commands(struct aw_session *session, const struct aw_args *args)
{
    (void)args;
    aw_session_each_command(session, print_examples, session);
    return AW_OK;
}

static void print_candidate(void *context, const char *candidate, const char *help)
{
    struct aw_session *session = context;
    aw_output_print(&session->out, "%s%s%s\n", candidate, help ? "\t" : "", help ? help : "");
}

static enum aw_status run_complete(struct aw_session *session, const struct aw_args *args)
{
    const char *before[AW_TOKENS_MAX];
    const char *files;
    size_t n = args->n;
    for (size_t i = 0; i < n; i++)
        before[i] = args->bound[i].text;
    aw_complete_token(session, before, n ? n - 1 : 0, n ? before[n - 1] : "", print_candidate,
                      session, &files);
    if (files)
        aw_output_print(&session->out, "::files%s%s\n", *files ? " " : "", files);
    return AW_OK;
}

/* clang-format off */
const struct aw_command aw_completion_command = {
    .name = "completion", .group = AW_GROUP_SET_UP, .prints = "a script",
    .summary = "print a shell completion script",
    .args = AW_ARGS(
        {.name = "shell", .kind = AW_ARG_CHOICE, .choices = AW_LIST("bash", "zsh", "fish"),
         .help = "name of the shell"}),
    .offline = true, .run = run_completion,
    .examples = AW_LIST("completion bash"),
    .details = "Add this line to ~/.bashrc: source <(TOOL completion bash)"};

const struct aw_command aw_complete_command = {
    .name = "complete", .prints = "words", .summary = "candidates for completion scripts",
    .args = AW_ARGS({.name = "words", .kind = AW_ARG_REST, .optional = true}),
    .hidden = true, .offline = true, .run = run_complete};

const struct aw_command aw_commands_command = {
    .name = "commands", .prints = "words",
    .summary = "all commands, with their examples, for tests",
    .hidden = true, .offline = true, .run = run_commands};
/* clang-format on */
