/* Linked into static programs only. Name services and locales belong to the C library of the
 * machine; a program with another version of that library inside must not load them. The linker's
 * --wrap sends the lookups here, because reading the configuration at each start takes time. */
#include <grp.h>
#include <locale.h>
#include <netdb.h>
#include <nss.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void use_built_in_services(void)
{
    __nss_configure_lookup("hosts", "files dns");
    __nss_configure_lookup("passwd", "files");
    __nss_configure_lookup("group", "files");
}

#define WRAP(type, name, parameters, arguments)                                                    \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        use_built_in_services();                                                                   \
        return __real_##name arguments;                                                            \
    }

WRAP(int, getaddrinfo,
     (const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **list),
     (host, service, hints, list))
WRAP(struct passwd *, getpwuid, (uid_t user), (user))
WRAP(struct passwd *, getpwnam, (const char *name), (name))
WRAP(struct group *, getgrgid, (gid_t group), (group))

/* Falls back to the locale that every C library has if the user's is not installed. */
static void __attribute__((constructor)) choose_locale(void)
{
    if (isatty(STDIN_FILENO) && !setlocale(LC_CTYPE, ""))
        setenv("LC_ALL", "C.UTF-8", 1);
    setlocale(LC_CTYPE, "C");
}

/* ODE asks libccd only for contacts of a cylinder with another cylinder or a capsule. Debian has no
 * static libccd; physics without these contacts would be wrong, so the simulation ends. */
#define WITHOUT_CCD(name)                                                                          \
    int name(void);                                                                                \
    int name(void)                                                                                 \
    {                                                                                              \
        fputs("ezphys-sim: a cylinder near a capsule or another cylinder: not supported by this "  \
              "static program \342\200\224 install the Debian package ezphys-sim\n",               \
              stderr);                                                                             \
        _exit(1);                                                                                  \
    }

WITHOUT_CCD(ccdFirstDirDefault)
WITHOUT_CCD(ccdMPRIntersect)
WITHOUT_CCD(ccdMPRPenetration)
