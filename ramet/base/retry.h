#pragma once

#include <cerrno>
#include <type_traits>

namespace ramet {

// Repeats a system call while a signal interrupts it, and returns its result. The call fails with a
// negative number or a null pointer, and leaves the error in errno.
template <class Call>
auto RetryInterrupted(const Call& call) {
  while (true) {
    const auto result = call();
    bool failed;
    if constexpr (std::is_pointer_v<decltype(result)>) {
      failed = result == nullptr;
    } else {
      failed = result < 0;
    }
    if (!failed || errno != EINTR) return result;
  }
}

}  // namespace ramet
