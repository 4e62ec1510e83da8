/* Finds the device's URL: the option, the environment, or an alias in the config file. */
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "shell/session/config.h"
#include "shell/session/session.h"

static enum aw_status fail_no_link(struct aw_session *session)
{
    char variable[64], sim[400];
    aw_write_option_variable(session->tool->name, "link", variable, sizeof variable);
    if (aw_find_running_sim(session, sim, sizeof sim))
        return aw_fail(&session->err, AW_NO_LINK,
                       "no link given — use the running simulator with -l %s, or name the device "
                       "with -l URL or %s",
                       sim, variable);
    return aw_fail(
        &session->err, AW_NO_LINK,
        "no link given — name the device with -l URL or %s (see '%s list'), or try -l sim:",
        variable, session->tool->name);
}

static enum aw_status fail_alias(struct aw_session *session, const char *name)
{
    const struct aw_config *config = session->config;
    const char *names[32];
    size_t n = 0;
    char suggestion[80], advice[200];
    for (size_t i = 0; i < config->n_lines && n < sizeof names / sizeof *names; i++)
        if (aw_config_is_alias(&config->lines[i]))
            names[n++] = config->lines[i].key;
    const char *found = aw_suggest(name, names, n);
    snprintf(suggestion, sizeof suggestion, "@%.60s", found ? found : "");
    snprintf(advice, sizeof advice, "add it to [link] in %.160s", config->path);
    return aw_fail_unknown(&session->err, found ? suggestion : NULL, advice,
                           "unknown alias '@%.60s'", name);
}

/* Resolves aliases repeatedly, because an alias may name another one. */
enum aw_status aw_session_get_url(struct aw_session *session, const char **url)
{
    const char *text = session->share.url ? session->share.url : session->options.link.url;
    if (!text || !*text)
        text = session->tool->device.link;
    if (!text)
        return fail_no_link(session);
    *url = text;
    for (size_t steps = 0; **url == '@'; steps++) {
        const char *next = aw_config_find_alias(session, *url + 1);
        if (!next)
            return fail_alias(session, *url + 1);
        if (steps == session->config->n_lines)
            return aw_fail(&session->err, AW_USAGE,
                           "alias '%.60s' refers to itself — name a device in [link] of %.160s",
                           text, session->config->path);
        *url = next;
    }
    return AW_OK;
}

void aw_session_link_name(struct aw_session *session, char *out, size_t size)
{
    const char *url;
    struct aw_error saved_err = session->err;
    if (aw_session_get_url(session, &url) != AW_OK)
        url = "link";
    session->err = saved_err;
    /* its key ends with the device's key */
    if (strncmp(url, "serve:", 6) == 0 && session->device.link)
        url = session->device.link->key + 6;
    const char *name = strncmp(url, "can:", 4) == 0 ? url + 4 : url;
    snprintf(out, size, "%.*s", (int)strcspn(name, ":?/"), name);
}
