#pragma once

// RAMET_THREAD_LOCAL(type name) declares an object that each thread has of its own and that is
// destroyed when its thread ends. Objects that threads share must not be destroyed when the process
// exits, because threads still run then: `static auto* const object = new Object;`. Clang refuses
// others (-Wexit-time-destructors).
#if defined(__clang__)
#define RAMET_THREAD_LOCAL(...)                                                                 \
  _Pragma("clang diagnostic push")                                                              \
      _Pragma("clang diagnostic ignored \"-Wexit-time-destructors\"") thread_local __VA_ARGS__; \
  _Pragma("clang diagnostic pop") static_assert(true)
#else
#define RAMET_THREAD_LOCAL(...) thread_local __VA_ARGS__
#endif
