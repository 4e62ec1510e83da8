/* Dynamic arrays.
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

/* Ensures that an array has room for at least needed elements of size bytes. *room is its capacity,
 * which doubles when it is too small. Returns the array, which may have moved. Returns NULL if out
 * of memory; the array is then unchanged and still owned by the caller. */
static inline void *aw_grow(void *array, size_t *room, size_t needed, size_t size)
{
    size_t capacity = *room ? *room : 64;
    if (needed <= *room)
        return array;
    while (capacity < needed)
        capacity *= 2;
    void *moved = realloc(array, capacity * size);
    *room = moved ? capacity : *room;
    return moved;
}

#endif
