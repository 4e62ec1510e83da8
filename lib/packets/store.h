/* Internal to lib/packets: memory that is freed all at once. */
#ifndef AW_PACKETS_STORE_H
#define AW_PACKETS_STORE_H

#include <stddef.h>

/* A set of allocations. Initialise with {0}. */
struct aw_store {
    struct aw_stored *first;
};

/* Allocate zeroed memory, a copy of a string, and a copy of size bytes. NULL: out of memory. */
void *aw_store_alloc(struct aw_store *store, size_t size);
const char *aw_store_string(struct aw_store *store, const char *text);
const void *aw_store_copy(struct aw_store *store, const void *data, size_t size);
void aw_store_free(struct aw_store *store);

#endif
