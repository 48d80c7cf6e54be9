#pragma once

#include <string>

namespace ramet::linalg {

// Makes the library with the given handle (of dlopen) run its OpenMP regions on our thread pool, by
// redirecting its calls of OpenMP's runtime (as compiled by GCC). Other users of the library in
// this process get our pool too; a region of theirs that is running ends on its own threads. A
// library without such calls is unchanged.
//
// Returns "", or the reason why the library must not be used.
std::string UseOurThreads(void* library);

}  // namespace ramet::linalg
