/* Prints the exchange between a controller of the handler arm and the handler as text. */
#ifndef AW_TESTS_ARMCTL_HELPER_H
#define AW_TESTS_ARMCTL_HELPER_H

#include <stdio.h>

#include "protocol/armctl/client.h"

static inline double in_ms(int64_t time_ns)
{
    return (double)time_ns / 1e6;
}

static inline void print_event(const struct aw_armctl_event *event, int64_t now, FILE *out)
{
    fprintf(out, "\t%.3f event %d %s %d %s\n", in_ms(now), (int)event->kind, event->text,
            event->attempt, event->record ? event->record->codec->message->name : "-");
}

static inline void print_memory(const struct aw_armctl_memory *m, FILE *out)
{
    fprintf(out,
            "memory%s tx %d rx %d agreed %d pings %d received %s pending %s confirmed %s motor "
            "%s\n",
            m->known ? "" : " of nothing", m->tx, m->rx, m->agreed, (int)m->pings, m->received,
            m->pending, m->confirmed, m->motor);
    for (int i = 0; i < m->n_owed; i++)
        fprintf(out, "\towed %s\n", m->owed[i]);
    for (int i = 0; i < AW_ARMCTL_JOINTS; i++)
        if (m->places[i].known)
            fprintf(out, "\tjoint %d is at %d of kind %d since %.3f\n", i, m->places[i].value,
                    (int)m->places[i].kind, in_ms(m->places[i].time_ns));
}

static inline void print_lines(void *context, const void *lines, size_t size)
{
    const char *text = lines;
    fputs("\tlast stop ", context);
    for (size_t i = 0; i < size; i++)
        if (text[i] != '\n')
            fputc(text[i] == '\r' ? ' ' : text[i], context);
    fputc('\n', context);
}

static inline void print_outcome(const struct aw_armctl_outcome *o, enum aw_status status,
                                 const struct aw_error *err, int64_t now, FILE *out)
{
    fprintf(
        out,
        "\t%.3f is %d %s sent '%s' answer '%s'%s%s%s%s digit %d retries %d ack %.6f total %.6f\n",
        in_ms(now), (int)status, aw_armctl_result_name(o->result), o->sent, o->answer,
        o->bare ? " bare" : "", o->has_record ? " record" : "", o->acked ? " acked" : "",
        o->flipped ? " flipped" : "", o->digit, o->retries, in_ms(o->ack_ns), in_ms(o->total_ns));
    if (status != AW_OK)
        fprintf(out, "\tbecause %s\n", err->text);
}

static inline void print_counters(const struct aw_armctl_counters *n, FILE *out)
{
    fprintf(out,
            "sent %d resent %d flips %d acks %d ignored %d delivered %d late %d duplicates %d "
            "foreign %d garbage %d overlong %d\n",
            (int)n->sent, (int)n->resent, (int)n->flips, (int)n->acks_sent, (int)n->acks_ignored,
            (int)n->delivered, (int)n->late, (int)n->duplicates, (int)n->foreign, (int)n->garbage,
            (int)n->overlong);
}

#endif
