#pragma once

// RAMET_THREAD_LOCAL declares an object that each thread has of its own and that is destroyed when
// its thread ends. Objects that threads share must not be destroyed when the process exits, because
// threads still run then: `static auto* const object = new Object;`. Clang refuses others
// (-Wexit-time-destructors).
#if defined(__clang__)
#define RAMET_THREAD_LOCAL [[clang::always_destroy]] thread_local
#else
#define RAMET_THREAD_LOCAL thread_local
#endif
