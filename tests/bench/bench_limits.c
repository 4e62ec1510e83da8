/* Measures the upper limits for decoding a log: the same bytes copied in memory, read, written, and
 * its lines found and parsed.
 *
 *     bench_limits LOG OUT BYTES
 *
 * Writes BYTES to OUT for each line of LOG. Prints one line per case: name, million lines per
 * second, the best of several runs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/candump.h"

#define BLOCK 131072
#define TIMES 5

static char block[2][BLOCK];

struct log {
    const char *path, *out;
    char *text;
    size_t size, lines, bytes; /* bytes: per written line */
};

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    perror(what);
    exit(1);
}

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void copy(struct log *log)
{
    for (size_t left = log->size + log->lines * log->bytes; left > 0;) {
        size_t step = left < BLOCK ? left : BLOCK;
        memcpy(block[0], block[1], step);
        __asm__ volatile("" ::: "memory");
        left -= step;
    }
}

static void read_it(struct log *log)
{
    ssize_t n = 1;
    int fd = open(log->path, O_RDONLY);
    must(fd >= 0, log->path);
    while (n > 0)
        n = read(fd, block[0], BLOCK);
    must(n == 0 && close(fd) == 0, log->path);
}

static void write_it(struct log *log)
{
    int fd = open(log->out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    must(fd >= 0, log->out);
    for (size_t left = log->lines * log->bytes; left > 0;) {
        ssize_t n = write(fd, block[1], left < BLOCK ? left : BLOCK);
        must(n > 0, log->out);
        left -= (size_t)n;
    }
    must(close(fd) == 0, log->out);
}

static void parse(struct log *log)
{
    struct aw_candump frame;
    const char *at = log->text, *end = at + log->size;
    for (const char *stop; at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        must(stop && aw_candump_read(at, (size_t)(stop - at), &frame), "no line of candump");
    }
}

static void load(struct log *log)
{
    struct stat about;
    FILE *file = fopen(log->path, "rb");
    must(file && fstat(fileno(file), &about) == 0, log->path);
    log->size = (size_t)about.st_size;
    log->text = malloc(log->size + 1);
    must(log->text && fread(log->text, 1, log->size, file) == log->size, log->path);
    fclose(file);
    for (size_t i = 0; i < log->size; i++)
        log->lines += log->text[i] == '\n';
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(struct log *log);
    } cases[] = {{"bytes in and out copied in memory", copy},
                 {"read(2) of the log", read_it},
                 {"write(2) of the records into a file", write_it},
                 {"lines found and parsed", parse}};
    must(argc == 4, "usage: bench_limits LOG OUT BYTES");
    struct log log = {.path = argv[1], .out = argv[2], .bytes = strtoul(argv[3], NULL, 10)};
    load(&log);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double best = 1e9;
        for (int k = 0; k < TIMES; k++) {
            double start = now();
            cases[i].run(&log);
            double spent = now() - start;
            best = spent < best ? spent : best;
        }
        printf("%s\t%.2f\n", cases[i].name, (double)log.lines / best / 1e6);
    }
    free(log.text);
    return 0;
}
