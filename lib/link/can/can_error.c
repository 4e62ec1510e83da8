/* Describes the causes and counters in SocketCAN's error frames. */
#include "link/can/can_error.h"

#include <linux/can/error.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { CLASSES = -1 }; /* the class alone decides; no data byte has bits for it */

/* Texts for error frames. A row applies if the identifier has class_bit, and data byte `byte` has
 * one of the bits. With CLASSES, a row matches the class and ignores the data bytes. */
static const struct error_text {
    uint32_t class_bit;
    int byte;
    uint8_t bits;
    const char *text;
} errors[] = {
    {CAN_ERR_BUSOFF, CLASSES, 0, "bus-off: the controller has left the bus"},
    {CAN_ERR_RESTARTED, CLASSES, 0, "the controller was restarted"},
    {CAN_ERR_ACK, CLASSES, 0, "no ACK (no other node on the bus, or wrong bit rate)"},
    {CAN_ERR_TX_TIMEOUT, CLASSES, 0, "sending timed out"},
    {CAN_ERR_LOSTARB, CLASSES, 0, "lost arbitration"},
    {CAN_ERR_CRTL, 1, CAN_ERR_CRTL_RX_OVERFLOW, "the controller lost received frames"},
    {CAN_ERR_CRTL, 1, CAN_ERR_CRTL_TX_OVERFLOW, "the controller lost frames to send"},
    {CAN_ERR_CRTL, 1, CAN_ERR_CRTL_RX_WARNING, "many errors while receiving"},
    {CAN_ERR_CRTL, 1, CAN_ERR_CRTL_TX_WARNING, "many errors while sending"},
    {CAN_ERR_CRTL, 1, CAN_ERR_CRTL_RX_PASSIVE, "error-passive (receive errors)"},
    {CAN_ERR_CRTL, 1, CAN_ERR_CRTL_TX_PASSIVE, "error-passive (send errors)"},
    {CAN_ERR_CRTL, 1, CAN_ERR_CRTL_ACTIVE, "error-active again"},
    {CAN_ERR_PROT, 2, CAN_ERR_PROT_BIT, "single-bit error"},
    {CAN_ERR_PROT, 2, CAN_ERR_PROT_FORM, "frame format error"},
    {CAN_ERR_PROT, 2, CAN_ERR_PROT_STUFF, "bit stuffing error"},
    {CAN_ERR_PROT, 2, CAN_ERR_PROT_BIT0, "the bus could not be driven dominant"},
    {CAN_ERR_PROT, 2, CAN_ERR_PROT_BIT1, "the bus could not be left recessive"},
    {CAN_ERR_PROT, 2, CAN_ERR_PROT_OVERLOAD, "bus overload"},
    {CAN_ERR_PROT, 2, CAN_ERR_PROT_ACTIVE, "active error flag sent"},
    {CAN_ERR_TRX, 4, 0x0F, "transceiver: fault on the CANH wire"},
    {CAN_ERR_TRX, 4, 0xF0, "transceiver: fault on the CANL wire"},
};

void aw_can_describe_error(uint32_t id, const uint8_t *data, char *out, size_t size)
{
    *out = '\0';
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        const struct error_text *row = &errors[i];
        if (id & row->class_bit && (row->byte == CLASSES || data[row->byte] & row->bits))
            aw_append(out, size, ", ", "%s", row->text);
    }
    if (!*out)
        snprintf(out, size, "%s",
                 id & (CAN_ERR_PROT | CAN_ERR_BUSERROR) ? "error on the bus"
                 : id & CAN_ERR_CRTL                    ? "controller error"
                 : id & CAN_ERR_TRX                     ? "transceiver error"
                                                        : "an error frame");
    if (!(data[6] | data[7]) || id & CAN_ERR_BUSOFF)
        return;
    aw_append(out, size, "; ", "errors: %u sending, %u receiving", data[6], data[7]);
}
