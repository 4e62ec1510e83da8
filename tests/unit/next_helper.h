/* Lets tests replace functions of the C library, for example to simulate a refusing kernel or a
 * full network. All other calls are forwarded to the library.
 *
 *     int socket(int family, int type, int protocol)
 *     {
 *         if (family == AF_CAN)
 *             return fails_with(EAFNOSUPPORT);
 *         return NEXT(socket)(family, type, protocol);
 *     }
 */
#ifndef NEXT_H
#define NEXT_H

#include <dlfcn.h>
#include <errno.h>

/* The function of the C library behind ours. */
#define NEXT(name)                                                                                 \
    (((union {                                                                                     \
         void *symbol;                                                                             \
         __typeof__(&(name)) function;                                                             \
     }){dlsym(RTLD_NEXT, #name)})                                                                  \
         .function)

/* Returns the result of a system call: -1 with this errno, or 0 if error is 0. */
static inline int fails_with(int error)
{
    errno = error;
    return error ? -1 : 0;
}

#endif
