/* The alternating bit of armctl, both directions at once, over channels that keep the order but
 * lose and duplicate messages. tests/model.sh checks it with spin; README.md lists the results.
 *
 * The controller sends a command until it is acknowledged, waits for the confirmation and
 * acknowledges that. Only then it sends the next one. The handler carries a command out once,
 * acknowledges every copy, and sends the confirmation until that is acknowledged. Commands are
 * numbered modulo VALUES, to detect lost, duplicated and overtaken ones. A confirmation implies the
 * ACK of its command.
 *
 * Compile-time choices:
 *   FAULTS=n      the channels may lose or duplicate n messages in all, then they are reliable;
 *                 without it they always may
 *   PATIENT       a sender repeats a message only when nothing else can happen (its timeout is
 *                 longer than the round trip); without it, at any time
 *   EXPECTED=d    the digit that the handler expects first; 1 is wrong
 *   HANDLER_TX=d  the handler's first digit (0 stands for 2, 1 for 3)
 *   AUTO          --seq auto: the digits are uncertain at first. A command that is acknowledged but
 *                 not confirmed is sent once more with the other digit; the wait for the
 *                 confirmation is longer than the handler's timeout
 *   NOREACK       the handler ignores a copy instead of acknowledging it again
 *   BARE          confirmations do not name their command: the controller uses the earlier
 *                 messages. At the start, one confirmation of an earlier command may still arrive;
 *                 the controller knows this
 *   DROPS         BARE with a wrong rule: a confirmation before the ACK always belongs to the
 *                 earlier command, and if no copy is acknowledged, the other digit is tried
 *   TRIES=n       copies that are sent without an ACK while a confirmation is in doubt: more than
 *                 FAULTS
 */
#ifndef VALUES
#define VALUES 4
#endif
#ifndef ROOM
#define ROOM 2
#endif
#ifndef EXPECTED
#define EXPECTED 0
#endif
#ifndef HANDLER_TX
#define HANDLER_TX 0
#endif
#ifndef TRIES
#define TRIES 3
#endif

mtype = { packet, ack };

chan to_handler = [ROOM] of { mtype, bit, byte };
chan to_controller = [ROOM] of { mtype, bit, byte };

#ifdef FAULTS
byte faults = FAULTS;
#define MAY_FAIL (faults > 0)
#define FAIL     faults--
#else
#define MAY_FAIL true
#define FAIL     skip
#endif

#ifdef PATIENT
#define TIME_OUT timeout
#else
#define TIME_OUT true
#endif

/* The controller does not see these. */
bool busy = false;  /* a confirmation is out */
byte next_due = 0; /* the command that is to be carried out next */

/* A channel that is full loses, too. */
inline send(channel, kind, digit, value)
{
    atomic {
        if
        :: nfull(channel) -> channel ! kind, digit, value
        :: full(channel) -> skip
        :: MAY_FAIL -> FAIL
        :: MAY_FAIL && len(channel) + 2 <= ROOM ->
            FAIL; channel ! kind, digit, value; channel ! kind, digit, value
        fi
    }
}

active proctype controller()
{
    bit tx = 0, expected = 0, digit;
    byte command = 0, value;
    bool acked;
#ifdef AUTO
    bool sure = false, any = false, flipped = false;
#else
#define any false
#endif
#ifdef BARE
    bool owed = true;   /* a confirmation of an earlier command may still come */
    bool held, doubted; /* one came that is ours, unless a better one comes; or an ACK */
    byte copies;
#endif

next:
    acked = false;
#ifdef BARE
    held = false;
    doubted = false;
    copies = 0;
#endif
    send(to_handler, packet, tx, command);
    do
    :: to_controller ? ack, digit, _ ->
        if
        :: digit == tx ->
            acked = true;
#ifdef BARE
            if
            :: doubted && copies == 0 -> held = false; doubted = false
            :: else -> doubted = false
            fi
#endif
        :: else -> skip /* for another one */
        fi
    :: to_controller ? packet, digit, value ->
        send(to_handler, ack, digit, 0);
        if
#ifdef BARE
        :: digit == expected ->
            expected = 1 - digit;
            if
            :: acked && (held || !owed) -> goto confirmed
            :: acked && owed -> owed = false; held = true
#ifdef DROPS
            :: !acked && owed -> owed = false
#else
            :: !acked && owed -> owed = false; held = true; doubted = true
#endif
            :: !acked && !owed -> held = true
            fi
#else
        :: digit == expected || any ->
            assert(value == command); /* none lost, none doubled, none overtaken */
            expected = 1 - digit;
            goto confirmed
#endif
        :: else -> skip /* a duplicate */
        fi
#ifdef BARE
    :: held && (acked || !doubted || copies == TRIES) && !busy && timeout -> goto confirmed
    :: acked && !held && !busy && timeout -> goto unconfirmed /* and says so */
#ifdef DROPS
    :: !acked && !held && copies < TRIES && timeout ->
        copies++;
        send(to_handler, packet, tx, command)
    :: !acked && !held && copies == TRIES && timeout ->
        tx = 1 - tx;
        copies = 0;
        send(to_handler, packet, tx, command)
#else
    :: !acked && (!held || (doubted && copies < TRIES)) && timeout ->
        copies = (copies < TRIES -> copies + 1 : copies);
        send(to_handler, packet, tx, command)
#endif
#else
    :: !acked && TIME_OUT -> send(to_handler, packet, tx, command)
#endif
#ifdef AUTO
    :: acked && !sure && !flipped && !busy && timeout ->
        flipped = true;
        any = true;
        tx = 1 - tx;
        acked = false;
        send(to_handler, packet, tx, command)
#endif
    od;

confirmed:
progress:
    assert(next_due == (command + 1) % VALUES); /* it was carried out, and nothing behind it */
    command = (command + 1) % VALUES;
    tx = 1 - tx;
#ifdef AUTO
    sure = true;
    any = false;
#endif
    digit = 0;
    value = 0;
    goto next;

#ifdef BARE
unconfirmed:
end_unconfirmed:
    false
#else
    skip
#endif
}

active proctype handler()
{
    bit tx = HANDLER_TX, expected = EXPECTED, digit;
    byte value;
    chan due = [2] of { byte }; /* confirmations, the one that is out first */

#ifdef BARE
    if
    :: due ! VALUES /* of a command before the first one here */
    :: skip
    fi;
end_idle:
#endif
    do
    :: to_handler ? packet, digit, value ->
        if
        :: digit == expected ->
            assert(value == next_due); /* carried out once, in order */
            next_due = (next_due + 1) % VALUES;
            expected = 1 - expected;
            assert(nfull(due));
            due ! value;
#ifdef NOREACK
            send(to_controller, ack, digit, 0)
#endif
        :: else -> skip /* a duplicate */
        fi;
#ifndef NOREACK
        send(to_controller, ack, digit, 0);
#endif
        digit = 0;
        value = 0
    :: to_handler ? ack, digit, _ ->
        if
        :: busy && digit == tx -> due ? _; tx = 1 - tx; busy = false
        :: else -> skip
        fi;
        digit = 0
    :: !busy && nempty(due) ->
        busy = true;
        due ? <value>;
        send(to_controller, packet, tx, value);
        value = 0
    :: busy && TIME_OUT ->
        due ? <value>;
        send(to_controller, packet, tx, value);
        value = 0
    od
}
