/* Polls the board at a steady rate for hidmotor's watch, plot and record. */
#include "base/text.h"
#include "state.h"

#define DEFAULT_HZ 62.5 /* measuring rate of the board */

/* Lists the packets to poll: the queries of packet files and, unless these describe joints, both
 * status packets of the table. */
static void find_queries(struct aw_session *session)
{
    static const char *const defaults[] = {"positions", "velocities", NULL};
    struct hidmotor_receiving *receiving = &hidmotor_state(session)->receiving;
    const struct aw_protocol *protocol = session->wire->protocol;
    if (receiving->protocol == protocol)
        return;
    receiving->protocol = protocol;
    receiving->n = 0;
    for (size_t i = 0; i < protocol->n_messages; i++) {
        const struct aw_message *message = &protocol->messages[i];
        bool is_custom = aw_session_is_custom(session, message);
        bool is_polled = is_custom || (!session->tool->motion.custom_joints &&
                                       aw_is_one_of(defaults, message->name));
        if (!message->reads || !is_polled)
            continue;
        receiving->queries[receiving->n++] = (struct hidmotor_query){
            .message = message, .is_custom = is_custom, .next_ns = aw_clock_now(session->clock)};
    }
}

/* Returns the query that is due first; of equal ones, the first in the table. */
static struct hidmotor_query *next_query(struct hidmotor_receiving *receiving)
{
    struct hidmotor_query *next = NULL;
    for (size_t i = 0; i < receiving->n; i++) {
        struct hidmotor_query *query = &receiving->queries[i];
        if (!query->unknown && (!next || query->next_ns < next->next_ns))
            next = query;
    }
    return next;
}

static int64_t get_period_ns(const struct aw_session *session, const struct aw_message *message)
{
    double hz = session->options.move.rate > 0 ? session->options.move.rate
                : message->rate > 0            ? message->rate
                                               : DEFAULT_HZ;
    return (int64_t)(1e9 / hz);
}

/* Sleeps until the next query is due; AW_TIMEOUT if the deadline comes first. */
static enum aw_status await_query(struct aw_session *session, struct hidmotor_query *query,
                                  int64_t deadline)
{
    int64_t now = aw_clock_now(session->clock), period = get_period_ns(session, query->message);
    bool too_late = query->next_ns > deadline;
    enum aw_status status = aw_clock_sleep(session->clock, too_late ? deadline : query->next_ns);
    if (status != AW_OK || too_late)
        return status == AW_OK ? AW_TIMEOUT : status;
    query->next_ns = (query->next_ns + period > now ? query->next_ns : now) + period;
    return AW_OK;
}

static void notice_no_answer(struct aw_session *session, enum aw_status status)
{
    struct hidmotor_receiving *receiving = &hidmotor_state(session)->receiving;
    bool silent = status == AW_TIMEOUT;
    if (silent && !receiving->silent)
        aw_session_print_notice(session, "%s", session->err.text);
    if (!silent && receiving->silent)
        aw_session_print_notice(session, "the board responds again");
    receiving->silent = silent;
}

/* Returns true if the board does not know this packet and other custom queries remain. The packet
 * is then never queried again. Boards with custom packets may lack those of the table. */
static bool is_unknown(struct aw_session *session, struct hidmotor_query *query,
                       enum aw_status status)
{
    struct hidmotor_receiving *receiving = &hidmotor_state(session)->receiving;
    bool has_other_custom = false;
    for (size_t i = 0; i < receiving->n; i++)
        has_other_custom =
            has_other_custom || (&receiving->queries[i] != query &&
                                 receiving->queries[i].is_custom && !receiving->queries[i].unknown);
    if (status != AW_REFUSED || !has_other_custom)
        return false;
    query->unknown = true;
    return true;
}

enum aw_status hidmotor_next_received(struct aw_session *session, int64_t deadline,
                                      struct aw_received *received)
{
    struct aw_hidmotor *arm = hidmotor_arm(session);
    enum aw_status status = hidmotor_open(session);
    if (status == AW_OK)
        find_queries(session);
    while (status == AW_OK) {
        struct hidmotor_query *query = next_query(&hidmotor_state(session)->receiving);
        if (!query)
            return aw_fail(&session->err, AW_USAGE,
                           "no requests to the board are configured — add 'ask = yes' to a packet");
        status = await_query(session, query, deadline);
        if (status != AW_OK)
            return status;
        status = aw_hidmotor_read(arm, query->message->name, NULL, &session->err);
        if (is_unknown(session, query, status)) {
            status = AW_OK;
            continue;
        }
        notice_no_answer(session, status);
        if (status == AW_TIMEOUT)
            status = AW_OK;
        else
            break;
    }
    if (status != AW_OK && status != AW_MALFORMED)
        return status;
    *received = arm->received;
    return AW_OK;
}
