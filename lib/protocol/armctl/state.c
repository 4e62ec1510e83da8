/* Saves and loads the sequence digits of a port, in a file for each port. */
#include "protocol/armctl/state.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/lines.h"

static const char first_line[] = "armctl sequence memory 2";

static bool is_valid_bool(const bool *value)
{
    return *(const unsigned char *)value <= 1;
}

static bool is_terminated(const char text[AW_ARMCTL_BODY_MAX + 1])
{
    return memchr(text, '\0', AW_ARMCTL_BODY_MAX + 1) != NULL;
}

static bool is_valid_position(const struct aw_armctl_position *position)
{
    static const int max = 9999; /* max value that the wire's digits can express */
    return is_valid_bool(&position->known) && (unsigned)position->kind <= AW_ARMCTL_PULSE &&
           position->value >= -max && position->value <= max;
}

static bool has_valid_digits(const struct aw_armctl_memory *m)
{
    return is_valid_bool(&m->known) && is_valid_bool(&m->agreed) && m->tx <= 1 && m->rx <= 3 &&
           m->rx != 1 && (unsigned)m->pings <= AW_ARMCTL_PINGS_NEXT &&
           m->n_awaited <= AW_ARMCTL_AWAITED_MAX;
}

bool aw_armctl_memory_read(struct aw_armctl_memory *memory, const void *bytes, size_t size)
{
    struct aw_armctl_memory m;
    if (size != sizeof m)
        return false;
    memcpy(&m, bytes, sizeof m);
    bool valid = has_valid_digits(&m) && is_terminated(m.received) && is_terminated(m.pending) &&
                 is_terminated(m.confirmed) && is_terminated(m.motor);
    for (size_t i = 0; i < AW_ARMCTL_AWAITED_MAX; i++)
        valid = valid && is_terminated(m.awaited[i]);
    for (size_t i = 0; i < AW_ARMCTL_JOINTS; i++)
        valid = valid && is_valid_position(&m.positions[i]);
    if (valid)
        *memory = m;
    return valid;
}

void aw_armctl_memory_await(struct aw_armctl_memory *memory, const char *body)
{
    if (memory->n_awaited == AW_ARMCTL_AWAITED_MAX)
        aw_armctl_memory_remove(memory, 0);
    memmove(memory->awaited[memory->n_awaited++], body, strlen(body) + 1);
}

void aw_armctl_memory_remove(struct aw_armctl_memory *memory, int index)
{
    memory->n_awaited--;
    memmove(memory->awaited[index], memory->awaited[index + 1],
            (size_t)(memory->n_awaited - index) * sizeof *memory->awaited);
    memset(memory->awaited[memory->n_awaited], 0, sizeof *memory->awaited);
}

enum aw_status aw_armctl_state_path(const char *dir, const char *key, char *path, size_t size,
                                    struct aw_error *err)
{
    char name[64];
    size_t n = 0;
    for (const char *p = key; *p && n < sizeof name - 1; p++)
        name[n++] = isalnum((unsigned char)*p) ? *p : '_';
    name[n] = '\0';
    uint64_t hash = aw_hash(AW_HASH_FIRST, key, strlen(key));
    int length = snprintf(path, size, "%s/%s-%016llx", dir, name, (unsigned long long)hash);
    if ((size_t)length >= size)
        return aw_fail(err, AW_USAGE, "%s: path too long for the sequence digits — shorten it",
                       dir);
    return AW_OK;
}

static bool set_digit(uint8_t *digit, const char *text, const char *allowed)
{
    if (!text[0] || text[1] || !strchr(allowed, text[0]))
        return false;
    *digit = (uint8_t)(text[0] - '0');
    return true;
}

#define BODY(member) offsetof(struct aw_armctl_memory, member)

/* The lines that store the body of a packet. */
static const struct {
    const char *name;
    size_t offset;
} bodies[] = {{"heard", BODY(received)},
              {"pending", BODY(pending)},
              {"confirmed", BODY(confirmed)},
              {"motor", BODY(motor)}};

static bool set_body(struct aw_armctl_memory *memory, const char *name, const char *text)
{
    if (!aw_armctl_is_valid_body(text))
        return false;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        if (strcmp(name, bodies[i].name) == 0) {
            memcpy((char *)memory + bodies[i].offset, text, strlen(text) + 1);
            return true;
        }
    bool is_awaited = strcmp(name, "owed") == 0;
    if (is_awaited)
        aw_armctl_memory_await(memory, text);
    return is_awaited;
}

static bool set_position(struct aw_armctl_memory *memory, const char *text)
{
    char unit[4];
    int joint, value;
    long long time_s = 0;
    /* NOLINTNEXTLINE(cert-err34-c): with so few digits no number overflows */
    if (sscanf(text, "%1d %3s %6d %10lld", &joint, unit, &value, &time_s) < 3 || joint < 0)
        return false;
    for (int kind = 0; kind < AW_ARMCTL_KINDS; kind++)
        if (strcmp(unit, aw_armctl_kind_unit((enum aw_armctl_kind)kind)) == 0) {
            memory->positions[joint] = (struct aw_armctl_position){true, (enum aw_armctl_kind)kind,
                                                                   value, time_s * AW_SECOND};
            return true;
        }
    return false;
}

static bool read_line(struct aw_armctl_memory *memory, const char *key, const char *name,
                      const char *value)
{
    uint8_t digit;
    if (strcmp(name, "key") == 0)
        return strcmp(value, key) == 0;
    if (strcmp(name, "tx") == 0)
        return memory->known = set_digit(&memory->tx, value, "01");
    if (strcmp(name, "rx") == 0)
        return set_digit(&memory->rx, value, "023");
    if (strcmp(name, "agreed") == 0)
        return set_digit(&digit, value, "01") && (memory->agreed = digit, true);
    if (strcmp(name, "pings") == 0)
        return set_digit(&digit, value, "012") && (memory->pings = digit, true);
    if (strcmp(name, "joint") == 0)
        return set_position(memory, value);
    return set_body(memory, name, value);
}

bool aw_armctl_state_load(const char *dir, const char *key, struct aw_armctl_memory *memory)
{
    char path[PATH_MAX];
    struct aw_lines lines = {.name = path};
    *memory = (struct aw_armctl_memory){0};
    enum aw_status status = aw_armctl_state_path(dir, key, path, sizeof path, NULL);
    bool valid = status == AW_OK && aw_lines_next(&lines, NULL) == AW_OK &&
                 strcmp(lines.line, first_line) == 0;
    while (valid && (status = aw_lines_next(&lines, NULL)) == AW_OK) {
        char *value = strchr(lines.line, ' ');
        if (value)
            *value++ = '\0';
        valid = value && read_line(memory, key, lines.line, value);
    }
    valid = aw_lines_end(&lines, status, NULL) == AW_OK && valid && memory->known;
    if (!valid)
        *memory = (struct aw_armctl_memory){0};
    return valid;
}

static void write_lines(FILE *file, const char *key, const struct aw_armctl_memory *memory)
{
    fprintf(file, "%s\nkey %s\ntx %d\nrx %d\nagreed %d\npings %d\n", first_line, key, memory->tx,
            memory->rx, memory->agreed, (int)memory->pings);
    for (int i = 0; i < memory->n_awaited; i++)
        fprintf(file, "owed %s\n", memory->awaited[i]);
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        const char *body = (const char *)memory + bodies[i].offset;
        if (*body)
            fprintf(file, "%s %s\n", bodies[i].name, body);
    }
    for (int i = 0; i < AW_ARMCTL_JOINTS; i++)
        if (memory->positions[i].known)
            fprintf(file, "joint %d %s %d %lld\n", i,
                    aw_armctl_kind_unit(memory->positions[i].kind), memory->positions[i].value,
                    (long long)(memory->positions[i].time_ns / AW_SECOND));
}

enum aw_status aw_armctl_state_save(const char *dir, const char *key,
                                    const struct aw_armctl_memory *memory, struct aw_error *err)
{
    char path[PATH_MAX];
    struct aw_saving saving;
    enum aw_status status = aw_armctl_state_path(dir, key, path, sizeof path, err);
    if (status != AW_OK)
        return status;
    aw_file_make_folders(path, 0700);
    if (aw_file_begin(&saving, path))
        write_lines(saving.file, key, memory);
    if (aw_file_end(&saving))
        return AW_OK;
    return aw_fail(err, AW_REFUSED,
                   "%s: cannot save the sequence digits: %s — if the next command fails, repeat it",
                   path, strerror(errno));
}
