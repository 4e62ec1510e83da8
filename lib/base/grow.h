/* Arrays that grow when elements are added.
 *
 *     struct row *rows = aw_grow(table->rows, &table->room, table->n + 1, sizeof *rows);
 *     if (!rows)
 *         return aw_no_memory(err);
 *     table->rows = rows;
 */
#ifndef AW_BASE_GROW_H
#define AW_BASE_GROW_H

#include <stddef.h>
#include <stdlib.h>

/* Returns the array with room for at least needed elements, each of size bytes. The room doubles
 * each time. Returns NULL if out of memory; the array is then unchanged. */
static inline void *aw_grow(void *array, size_t *room, size_t needed, size_t size)
{
    size_t more = *room ? *room : 64;
    if (needed <= *room)
        return array;
    while (more < needed)
        more *= 2;
    void *moved = realloc(array, more * size);
    *room = moved ? more : *room;
    return moved;
}

#endif
