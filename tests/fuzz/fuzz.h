/* Shared by the fuzz targets: an aborting check, targets of several parts, and the first bytes of
 * an input, which select protocol, variant and direction. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "describe/describe.h"
#include "protocol/armctl/wire.h"
#include "protocol/canpid/wire.h"
#include "protocol/ezphys/wire.h"
#include "protocol/hidmotor/wire.h"
#include "protocol/unitysim/wire.h"
#include "wire/wire.h"

/* Entry point for libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer saves the input when a target aborts. */
#define MUST(property)                                                                             \
    do {                                                                                           \
        if (!(property)) {                                                                         \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #property);          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Defines a target of several parts: the first byte of the input, '0' and up, selects the part; it
 * gets the rest.
 *
 *     PARTS(try_number, try_url)
 */
#define PARTS(...)                                                                                 \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                                   \
    {                                                                                              \
        static void (*const parts[])(const uint8_t *data, size_t size) = {__VA_ARGS__};            \
        if (size > 0)                                                                              \
            parts[(uint8_t)(data[0] - '0') % (sizeof parts / sizeof *parts)](data + 1, size - 1);  \
        return 0;                                                                                  \
    }

/* Returns the input as a text of exactly its size, for free(3); sanitizers detect reads beyond
 * it. */
static inline char *text_of(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    MUST(text);
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* Returns the input as a file, for fclose(3). */
static inline FILE *file_of(const uint8_t *data, size_t size)
{
    FILE *file = fmemopen((void *)(uintptr_t)data, size, "r");
    MUST(file);
    return file;
}

/* Defines a part that gets the input as a text or as a file:
 *
 *     TEXT_PART(try_number) { … text … }
 *     FILE_PART(try_table) { … in … }
 */
#define TEXT_PART(name) WRAPPED_PART(name, char *text, text_of, free)
#define FILE_PART(name) WRAPPED_PART(name, FILE *in, file_of, fclose)
#define WRAPPED_PART(name, parameter, make, end)                                                   \
    static void name##_with(parameter);                                                            \
    static void name(const uint8_t *data, size_t size)                                             \
    {                                                                                              \
        void *input = make(data, size);                                                            \
        name##_with(input);                                                                        \
        end(input);                                                                                \
    }                                                                                              \
    static void name##_with(parameter)

/* Returns the input as a file with a path; the caller closes the descriptor. */
static inline int file_with_path(const uint8_t *data, size_t size, char path[32])
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, 32, "/proc/self/fd/%d", fd);
    return fd;
}

/* A text that is written and then read again. */
struct copy {
    char *text;
    size_t size;
    FILE *file;
};

static inline FILE *write_copy(struct copy *copy)
{
    copy->file = open_memstream(&copy->text, &copy->size);
    MUST(copy->file);
    return copy->file;
}

static inline FILE *read_copy(struct copy *copy)
{
    MUST(fclose(copy->file) == 0);
    copy->file = file_of((const uint8_t *)copy->text, copy->size);
    return copy->file;
}

static inline void end_copy(struct copy *copy)
{
    fclose(copy->file);
    free(copy->text);
}

/* Describes the protocol in all formats up to this one. */
static inline void describe_all(struct aw_wire *wire, enum aw_describe_format last)
{
    struct copy copy;
    write_copy(&copy);
    for (enum aw_describe_format as = AW_DESCRIBE_TEXT; as <= last; as++)
        aw_describe(copy.file, wire, NULL, as);
    end_copy(&copy);
}

/* Add new protocols at the end: saved inputs refer to them by number. */
#define EACH_PROTOCOL(X) X(armctl) X(hidmotor) X(canpid) X(unitysim) X(ezphys)
#define ADDRESS(name)    &aw_##name##_protocol,
static const struct aw_protocol *const protocols[] = {EACH_PROTOCOL(ADDRESS)};

enum {
    N_PROTOCOLS = sizeof protocols / sizeof *protocols,
    CHOICE_SIZE = 3, /* protocol, variant, flags */
    CHOOSE_TX = 1,
    CHOOSE_RAW = 2,
    CHOOSE_LENIENT = 4,
};

static inline size_t count_variants(const struct aw_protocol *protocol)
{
    size_t n = 0;
    while (protocol->variants[n].name)
        n++;
    return n;
}

/* data contains CHOICE_SIZE bytes. Returns the direction. */
static inline enum aw_dir choose(struct aw_wire *wire, const uint8_t *data)
{
    const struct aw_protocol *protocol = protocols[data[0] % N_PROTOCOLS];
    const struct aw_variant *variant = &protocol->variants[data[1] % count_variants(protocol)];
    aw_wire_init(wire, protocol, variant, data[2] & CHOOSE_RAW);
    wire->lenient = data[2] & CHOOSE_LENIENT;
    return data[2] & CHOOSE_TX ? AW_TX : AW_RX;
}

#endif
