/* The table of all transports: schemes, open functions, keys and examples for help. */
#include <stddef.h>

#include "link/can/transports.h"
#include "link/core/port.h"
#include "link/hid/transports.h"
#include "link/open.h"
#include "link/stream/transports.h"
#include "link/udp/transports.h"
#include "link/wrap/transports.h"

static const char *const can_keys[] = {"filter", "reconnect", NULL};

/* Keys of slcan:, and those of the serial line below it. */
static const char *const slcan_keys[] = {"bitrate", "btr",  "time", "silent", "baud", "bits",
                                         "parity",  "stop", "flow", "dtr",    "rts",  NULL};

static const char *const hid_keys[] = {"serial", "usage_page", "interface", NULL};

static const char *const uhid_keys[] = {"serial", NULL};
/* The tool uses compat; the link ignores it. */
static const char *const udp_keys[] = {"listen", "from", "greet", "compat", NULL};
static const char *const udp_listen_keys[] = {"reply", NULL};

static const char *const log_keys[] = {"speed", "from", "loop", "port", NULL};

static enum aw_status open_board(struct aw_link **out, const struct aw_url *url,
                                 const struct aw_link_options *options, struct aw_error *err)
{
    if (options->protocol && options->protocol->hid.open_board)
        return options->protocol->hid.open_board(out, url, options, err);
    return aw_fail(err, AW_USAGE,
                   "hid: not supported by this tool (HID reports only) — use another link");
}

static const struct aw_transport transports[] = {
    {
        .scheme = "serial",
        .usage = "serial:/dev/ttyUSB0",
        .help = "serial port, 9600 8N1 by default (?baud=…); the path alone is enough",
        .keys = aw_line_keys,
        .open = aw_serial_open,
    },
    {
        .scheme = "tty",
        .usage = "tty:PATH",
        .help = "pty, socat bridge, rfcomm or another terminal without serial hardware",
        .keys = aw_line_keys,
        .open = aw_tty_open,
    },
    {
        .scheme = "pty",
        .usage = "pty:PATH",
        .help = "create a pty and a symlink to it",
        .is_server = true,
        .open = aw_pty_open,
    },
    {
        .scheme = "tcp",
        .usage = "tcp:HOST:PORT",
        .help = "TCP connection to a server",
        .open = aw_tcp_open,
    },
    {
        .scheme = "tcp-listen",
        .usage = "tcp-listen:[HOST:]PORT",
        .help = "TCP server for one client at a time; port 0: any free port, host *: all addresses",
        .is_server = true,
        .open = aw_tcp_listen_open,
    },
    {
        .scheme = "udp",
        .usage = "udp:HOST:PORT?listen=PORT",
        .help = "UDP datagrams to a simulator that answers to a fixed local port (default: send to "
                "127.0.0.1:30004, listen on 30005); from=any accepts datagrams from other hosts; "
                "greet=1 first sends an empty datagram, for a server with reply=sender",
        .keys = udp_keys,
        .open = aw_udp_open,
    },
    {
        .scheme = "udp-listen",
        .usage = "udp-listen:[HOST:]PORT?reply=HOST:PORT",
        .help = "UDP server of a simulator; sends its answers to reply=HOST:PORT (default: "
                "127.0.0.1:30005), or with reply=sender to the last sender; host *: all addresses",
        .keys = udp_listen_keys,
        .is_server = true,
        .open = aw_udp_listen_open,
    },
    {
        .scheme = "unix",
        .usage = "unix:PATH",
        .help = "Unix-domain connection to a program on this machine; one frame per packet "
                "(SOCK_SEQPACKET)",
        .open = aw_unix_open,
    },
    {
        .scheme = "unix-listen",
        .usage = "unix-listen:PATH",
        .help = "Unix-domain server on this machine; one frame per packet (SOCK_SEQPACKET)",
        .is_server = true,
        .open = aw_unix_listen_open,
    },
    {
        .scheme = "can",
        .usage = "can:can0",
        .help = "CAN interface of the kernel (SocketCAN), for host and device",
        .keys = can_keys,
        .open = aw_can_open,
    },
    {
        .scheme = "slcan",
        .usage = "slcan:/dev/ttyACM0",
        .help = "Lawicel CAN adapter on a serial port or tcp:, 1 Mbit/s by default (?bitrate=…); "
                "slcan:pty:PATH and slcan:tcp-listen:PORT emulate an adapter",
        .keys = slcan_keys,
        .open = aw_slcan_open,
    },
    {
        .scheme = "log",
        .usage = "log:FILE?speed=2",
        .help = "capture (pcapng, MCAP, pcap, candump) as a device; speed=max: without waiting, "
                "from=3s, loop=yes, port=N",
        .keys = log_keys,
        .open = aw_log_link_open,
    },
    {
        .scheme = "hid",
        .usage = "hid:[VID:PID|serial=SERIAL|/dev/hidrawN]",
        .help = "board with 64-byte HID reports; default: the only one that is plugged in",
        .keys = hid_keys,
        .open = open_board,
    },
    {
        .scheme = "uhid",
        .usage = "uhid:",
        .help = "create a kernel HID device (/dev/uhid) with a /dev/hidraw node",
        .keys = uhid_keys,
        .is_server = true,
        .open = aw_uhid_open,
    },
    {0},
};

const struct aw_transport *aw_link_transports(void)
{
    return transports;
}
