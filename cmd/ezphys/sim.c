/* The sim: link and ezphys sim: starts the program ezphys-sim and passes it the options. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../ezphys-sim/options.h"
#include "base/child.h"
#include "link/core/spawn.h"
#include "link/core/url.h"
#include "shell/safety/safety.h"
#include "shell/words/options.h"
#include "state.h"

#define PROGRAM     "ezphys-sim"
#define TOKENS_MAX  24
#define LETTERS_MAX 2048

/* The arguments of a command line, with their storage. */
struct arguments {
    char *argv[TOKENS_MAX + 1];
    size_t n, used;
    char storage[LETTERS_MAX];
};

/* Adds "--name=value", or only one of the two if the other is NULL. The length limits of the values
 * guarantee that all fit. */
static void add_argument(struct arguments *arguments, const char *name, const char *value)
{
    size_t space = LETTERS_MAX - arguments->used;
    char *argument = arguments->storage + arguments->used;
    int length = snprintf(argument, space, "%s%s%s%s", name ? "--" : "", name ? name : "",
                          name && value ? "=" : "", value ? value : "");
    if (arguments->n == TOKENS_MAX || (size_t)length >= space)
        return;
    arguments->argv[arguments->n++] = argument;
    arguments->argv[arguments->n] = NULL;
    arguments->used += (size_t)length + 1;
}

static enum aw_status find_program(char *path, size_t size, struct aw_error *err)
{
    if (aw_child_find(PROGRAM, path, size))
        return AW_OK;
    return aw_fail(err, AW_NO_LINK,
                   "sim: " PROGRAM
                   " not found beside this program or in PATH — install the package " PROGRAM);
}

/* ---- The link -------------------------------------------------------------------------------- */

static const char *const sim_keys[] = {
    "scene", "lock-step",  "real-time",  "interval",   "timeout", "step-size", "seed",
    "quick", "limb-force", "hold-force", "no-physics", "time",    NULL,
};

/* Makes the same checks as the simulator's command line, so that URL errors are reported here. */
static enum aw_status read_url(const struct aw_url *url, struct aw_options *options,
                               struct aw_error *err)
{
    enum aw_status status = AW_OK;
    *options = (struct aw_options){.n = 0};
    aw_options_add(options, ezphys_simulator_options);
    if (*url->rest)
        status = aw_options_set(options, "scene", url->rest, AW_FROM_CONFIG, err);
    for (const char *const *key = sim_keys; *key && status == AW_OK; key++) {
        const char *value = aw_url_get(url, *key);
        if (value && strcmp(*key, "time") != 0)
            status = aw_options_set(options, *key, value, AW_FROM_COMMAND_LINE, err);
    }
    return status;
}

/* A server's simulator has the same names as one started here. */
void ezphys_connected(struct aw_session *session, struct aw_link *link)
{
    static const char served[] = "serve:";
    struct aw_url url;
    struct aw_options options;
    struct aw_error ignored;
    if (strncmp(link->key, served, sizeof served - 1) == 0 &&
        aw_url_parse(&url, link->key + sizeof served - 1, NULL) == AW_OK &&
        strcmp(url.scheme, "sim") == 0 && read_url(&url, &options, &ignored) == AW_OK)
        ezphys_add_scene_names(session, aw_options_find(&options, "scene")->text, &ignored);
}

/* Begins the command line. Passes the wire's full description, because the simulator does not read
 * our config file. */
static void add_program(struct arguments *arguments, const struct aw_session *session)
{
    const char *packets = session->options.link.packets;
    char wire[AW_EZPHYS_FRAMING_TEXT];
    wire[aw_ezphys_framing_print(&session->wire->variant, wire)] = '\0';
    add_argument(arguments, NULL, PROGRAM);
    add_argument(arguments, "wire", wire);
    /* Skips invalid packet files, which would end the simulator; only a stop continues in spite of
     * them. */
    if (packets && session->device.custom.packets)
        add_argument(arguments, "packets", packets);
}

static enum aw_status open_sim(struct aw_link **out, const struct aw_url *url,
                               const struct aw_link_options *link, struct aw_error *err)
{
    struct aw_session *session = link->context;
    struct arguments arguments = {0};
    struct aw_options options;
    char path[512];
    enum aw_status status = read_url(url, &options, err);
    if (status == AW_OK)
        status = ezphys_add_scene_names(session, aw_options_find(&options, "scene")->text, err);
    if (status == AW_OK)
        status = find_program(path, sizeof path, err);
    if (status == AW_OK && aw_session_is_virtual(session) &&
        (session->share.server || aw_options_find(&options, "real-time")->text))
        status = aw_fail(err, AW_USAGE,
                         "sim: time=virtual not supported with real-time or 'serve' — "
                         "remove it from the link");
    if (status != AW_OK)
        return status;
    add_program(&arguments, session);
    add_argument(&arguments, "fd", AW_CHILD_FD_TEXT);
    for (const char *const *key = sim_keys; *key; key++) {
        const struct aw_option_value *value = aw_options_find(&options, *key);
        if (value && value->text && value->origin != AW_FROM_DEFAULT)
            add_argument(&arguments, *key, value->option->value ? value->text : NULL);
    }
    status = aw_spawn_open(out, path, arguments.argv, link->clock, err);
    if (status != AW_OK)
        return status;
    session->time.virtual.polls = true;
    (*out)->is_simulated = true;
    ezphys_state(session)->pace.real_time = aw_options_find(&options, "real-time")->text != NULL;
    snprintf((*out)->key, sizeof(*out)->key, "sim:");
    return AW_OK;
}

const struct aw_transport ezphys_sim_transport = {
    .scheme = "sim",
    .usage = "sim:SCENE?real-time=1, sim:SCENE?time=virtual",
    .help = "ezphys-sim as a child process: pendulum, arm4, humanoid … or a file",
    .keys = sim_keys,
    .open = open_sim,
};

/* ---- The command ----------------------------------------------------------------------------- */

/* Replaces this program by ezphys-sim, which has its own signals, messages and exit codes. */
enum aw_status run_sim(struct aw_session *session, const struct aw_args *args)
{
    struct arguments arguments = {0};
    char path[512];
    (void)args;
    enum aw_status status = aw_dry_run_check(session);
    if (status == AW_OK)
        status = find_program(path, sizeof path, &session->err);
    if (status != AW_OK)
        return status;
    add_program(&arguments, session);
    for (const struct aw_option *row = ezphys_simulator_options; row->name; row++) {
        const char *text = aw_option(session, row->name);
        if (text)
            add_argument(&arguments, row->name, row->value ? text : NULL);
    }
    execv(path, arguments.argv);
    return aw_fail(&session->err, AW_NO_LINK, "%s: %s", path, strerror(errno));
}
