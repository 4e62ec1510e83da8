/* Lines that either end queues for who started it. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ends.h"

void put_line(struct aw_conn *conn, const char *text, size_t size, bool record)
{
    char *line = malloc(size + 1);
    if (!line)
        return;
    memcpy(line, text, size);
    line[size] = '\n';
    aw_conn_put(conn, line, size + 1, record);
    free(line);
}

void put_object(struct aw_conn *conn, json_t *object)
{
    char *text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    if (text)
        put_line(conn, text, strlen(text), false);
    free(text);
}
