#pragma once

#include <string>

namespace ramet::linalg {

// Makes the library with the given handle (of dlopen) run its OpenMP regions on our pool: the calls
// of OpenMP's runtime that GCC compiled into it go to functions of ours from now on. Its other
// users in this process, if there are any, get our pool too; a region of theirs that is running
// meanwhile ends on the threads that it has. A library without such calls stays as it is.
//
// Returns "", or the reason why the library must not be used.
std::string UseOurThreads(void* library);

}  // namespace ramet::linalg
