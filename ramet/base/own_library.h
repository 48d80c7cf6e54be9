#pragma once

#include <dlfcn.h>

namespace ramet {

// Opens a shared library by name for this library alone: its symbols are not visible to others, and
// it prefers its own symbols and those of its dependencies to equal ones in the process. So other
// copies of it, such as TensorFlow's, are not mixed with it. Returns a handle for dlsym, or
// nullptr, in which case dlerror() has the reason.
inline void* OpenOwnLibrary(const char* name) {
#if defined(RTLD_DEEPBIND) && !defined(RAMET_SANITIZE)
  return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
#else
  // Sanitizers need their own malloc in every library.
  return dlopen(name, RTLD_NOW | RTLD_LOCAL);
#endif
}

}  // namespace ramet
