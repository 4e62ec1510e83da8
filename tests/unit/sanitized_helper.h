/* SANITIZED is 1 in builds with sanitizers. They run each code path once and leave long
 * calculations to the ordinary build, which is ten times as fast. */
#ifndef AW_TESTS_SANITIZED_HELPER_H
#define AW_TESTS_SANITIZED_HELPER_H

#if defined __SANITIZE_ADDRESS__ /* gcc defines this; clang is handled below */
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#endif
