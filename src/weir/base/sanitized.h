// WEIR_SANITIZED: is this compiled with a sanitizer that has functions of its own for memory?
#pragma once

#if defined(__has_feature)  // clang
#define WEIR_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEIR_SANITIZED 1
#else
#define WEIR_SANITIZED 0
#endif
