/* Allocates the small pieces of memory for a packet file's tables; all are freed together. */
#include "packets/store.h"

#include <stdlib.h>
#include <string.h>

struct aw_stored {
    struct aw_stored *next;
    max_align_t bytes[];
};

void *aw_store_alloc(struct aw_store *store, size_t size)
{
    struct aw_stored *piece = calloc(1, sizeof *piece + size);
    if (!piece)
        return NULL;
    piece->next = store->first;
    store->first = piece;
    return piece->bytes;
}

const void *aw_store_copy(struct aw_store *store, const void *data, size_t size)
{
    void *copy = aw_store_alloc(store, size);
    return copy ? memcpy(copy, data, size) : NULL;
}

const char *aw_store_string(struct aw_store *store, const char *text)
{
    return aw_store_copy(store, text, strlen(text) + 1);
}

void aw_store_free(struct aw_store *store)
{
    while (store->first) {
        struct aw_stored *piece = store->first;
        store->first = piece->next;
        free(piece);
    }
}
