/* Shared by the C programs of the tests in the VM: checks, and links in real time. */
#ifndef TESTS_KERNEL_KERNEL_H
#define TESTS_KERNEL_KERNEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/core/link.h"
#include "link/open.h"
#include "protocol/hidmotor/wire.h"

static int failures;
static struct aw_real_clock wall_clock;

static inline void expect(int ok, const char *what, const char *detail)
{
    if (ok)
        return;
    failures++;
    printf("# %s: %s\n", what, detail);
}

/* Opens a link; hid: finds the boards of hidmotor. */
static inline enum aw_status open_url(struct aw_link **link, const char *url, struct aw_error *err)
{
    wall_clock = aw_real_clock(-1);
    const struct aw_link_options options = {.clock = &wall_clock.base,
                                            .protocol = &aw_hidmotor_protocol};
    *err = (struct aw_error){0};
    return aw_link_open(link, url, &options, err);
}

/* Prints the error and exits with its status if the link cannot be opened. */
static inline struct aw_link *open_or_exit(const char *url)
{
    struct aw_link *link;
    struct aw_error err;
    enum aw_status status = open_url(&link, url, &err);
    if (status == AW_OK)
        return link;
    printf("%s\n", err.text);
    exit((int)status);
}

/* Prints "open", then reads until the link is lost; returns the status. */
static inline int read_until_lost(const char *url)
{
    struct aw_link *link = open_or_exit(url);
    char buf[64];
    size_t got;
    struct aw_error err = {0};
    enum aw_status status;
    printf("open\n");
    fflush(stdout);
    do
        status = aw_link_read(link, buf, sizeof buf, &got, AW_NEVER, &err);
    while (status == AW_OK);
    printf("%s\n", err.text);
    aw_link_close(link);
    return (int)status;
}

#endif
