#pragma once

// RAMET_THREAD_LOCAL(type name) declares a thread-local object, which is destroyed when its thread
// ends. Objects that threads share must not be destroyed when the process exits, because threads
// still run then. Declare them as `static auto* const object = new Object;`. Clang rejects static
// objects with destructors (-Wexit-time-destructors).
#if defined(__clang__)
#define RAMET_THREAD_LOCAL(...)                                                                 \
  _Pragma("clang diagnostic push")                                                              \
      _Pragma("clang diagnostic ignored \"-Wexit-time-destructors\"") thread_local __VA_ARGS__; \
  _Pragma("clang diagnostic pop") static_assert(true)
#else
#define RAMET_THREAD_LOCAL(...) thread_local __VA_ARGS__
#endif
