/* Is this built with the sanitizers? They look for errors: each way through the code is gone once
 * then, and what is calculated again and again is left to the ordinary build, ten times as fast. */
#ifndef AW_TESTS_SANITIZED_HELPER_H
#define AW_TESTS_SANITIZED_HELPER_H

#if defined __SANITIZE_ADDRESS__ /* gcc's word; clang's is below */
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
