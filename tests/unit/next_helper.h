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

/* The function of the C library behind ours. NEXT64(open) is open64(): in a build for large files
 * open() means that one. */
#define NEXT(name)   NEXT_SYMBOL(name, name)
#define NEXT64(name) NEXT_SYMBOL(name, name##64)
#define NEXT_SYMBOL(name, symbol_name)                                                             \
    (((union {                                                                                     \
         void *symbol;                                                                             \
         __typeof__(&(name)) function;                                                             \
     }){dlsym(RTLD_NEXT, #symbol_name)})                                                           \
         .function)

/* Returns the result of a system call: -1 with this errno, or 0 if error is 0. */
static inline int fails_with(int error)
{
    errno = error;
    return error ? -1 : 0;
}

#endif
