/* Writes the topics of a session's link as MCAP, with its metadata. */
#include "shell/core/session_mcap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "capture/pcapng.h"
#include "ros/topics.h"
#include "shell/core/config.h"

#define CONFIG_MAX (1 << 20)
#define GAINS_MAX  128

struct aw_session_mcap {
    struct aw_session *session;
    struct aw_mcap *mcap;
    struct aw_topics *topics;
};

static struct aw_mcap_pair tool_of(const struct aw_session_mcap *m)
{
    return (struct aw_mcap_pair){"tool", m->session->tool->name};
}

static unsigned put_schema(void *context, const char *name, const char *text)
{
    const struct aw_session_mcap *m = context;
    return aw_mcap_schema(m->mcap, name, text);
}

static unsigned put_channel(void *context, unsigned schema, const char *topic, bool shared)
{
    const struct aw_session_mcap *m = context;
    const char *medium = aw_medium_name(m->session->wire->protocol->medium);
    const struct aw_mcap_pair pairs[] = {tool_of(m), {"medium", medium}, {NULL, NULL}};
    return aw_mcap_channel(m->mcap, schema, topic, shared ? pairs : NULL);
}

static bool put_message(void *context, unsigned channel, int64_t log_ns, int64_t publish_ns,
                        struct aw_span bytes)
{
    const struct aw_session_mcap *m = context;
    return aw_mcap_message(m->mcap, channel, log_ns, publish_ns, bytes);
}

static const char *subject_of(void *context, const struct aw_record *record, char *out, size_t size)
{
    const struct aw_session_mcap *m = context;
    return aw_session_subject(m->session, record, out, size);
}

static struct aw_topics *make_topics(struct aw_session_mcap *m)
{
    struct aw_session *session = m->session;
    bool leads = session->tool->subject.leads;
    struct aw_topics_about about = {
        .tool = session->tool->name, .subject = leads ? NULL : subject_of, .context = m};
    const struct aw_topics_sink sink = {put_schema, put_channel, put_message, m};
    aw_session_interface(session, about.link, sizeof about.link);
    return aw_topics_new(&about, session->wire, &sink);
}

static bool put_about(struct aw_session_mcap *m, const char *url)
{
    const struct aw_mcap_pair pairs[] = {tool_of(m),
                                         {"version", AW_VERSION},
                                         {"link", url},
                                         {"wire", m->session->wire->variant.name},
                                         {NULL, NULL}};
    return aw_mcap_metadata(m->mcap, "armwire", pairs);
}

static bool attach_config(struct aw_session_mcap *m)
{
    const struct aw_config *config = m->session->config;
    FILE *file = config && config->found ? fopen(config->path, "rb") : NULL;
    uint8_t *text = file ? malloc(CONFIG_MAX) : NULL;
    size_t size = text ? fread(text, 1, CONFIG_MAX, file) : 0;
    const char *name = strrchr(config ? config->path : "", '/');
    bool good = !size || aw_mcap_attachment(m->mcap, name ? name + 1 : config->path, "text/plain",
                                            aw_wall_time(), (struct aw_span){text, size});
    free(text);
    if (file)
        fclose(file);
    return good;
}

struct aw_session_mcap *aw_session_mcap_new(struct aw_session *session, const char *url,
                                            aw_mcap_sink *sink, void *context)
{
    struct aw_session_mcap *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->session = session;
    m->mcap = aw_mcap_new(sink, context);
    m->topics = make_topics(m);
    if (!m->mcap || !m->topics || !put_about(m, url) || !attach_config(m)) {
        aw_session_mcap_free(m);
        return NULL;
    }
    return m;
}

void aw_session_mcap_free(struct aw_session_mcap *m)
{
    if (!m)
        return;
    aw_topics_free(m->topics);
    aw_mcap_free(m->mcap);
    free(m);
}

bool aw_session_mcap_add(struct aw_session_mcap *m, enum aw_dir dir, int64_t time_ns,
                         struct aw_span bytes)
{
    return aw_topics_add(m->topics, dir, time_ns, bytes);
}

bool aw_session_mcap_mark(struct aw_session_mcap *m, int64_t time_ns, const char *text)
{
    return aw_topics_mark(m->topics, time_ns, text);
}

bool aw_session_mcap_is_waiting(const struct aw_session_mcap *m)
{
    return aw_mcap_is_waiting(m->mcap);
}

bool aw_session_mcap_flush(struct aw_session_mcap *m)
{
    return aw_mcap_flush(m->mcap);
}

bool aw_session_mcap_end(struct aw_session_mcap *m)
{
    struct aw_mcap_pair pairs[GAINS_MAX + 1] = {{NULL, NULL}};
    char texts[GAINS_MAX][AW_NUMBER_MAX + 1];
    size_t n = aw_topics_gains(m->topics);
    for (size_t i = 0; i < n && i < GAINS_MAX; i++) {
        double value = aw_topics_gain(m->topics, i, &pairs[i].key);
        *aw_print_float32(texts[i], (float)value) = '\0';
        pairs[i].value = texts[i];
    }
    return (!n || aw_mcap_metadata(m->mcap, "gains", pairs)) && aw_mcap_end(m->mcap);
}
