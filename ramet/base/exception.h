#pragma once

#include <functional>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

namespace ramet {

// The Status of the exception being handled; to be called within a catch block only. The status of
// a BadStatusAccess is passed on.
// \error kResourceExhausted for std::bad_alloc and std::length_error, kUnavailable for
//   std::system_error, kInternal for anything else.
RAMET_EXPORT Status StatusOfException();

// Calls fn() and logs what it throws, as an error of `what`: for threads, which nothing may leave.
RAMET_EXPORT void LogIfThrown(std::string_view what, const std::function<void()>& fn);

// Returns fn(), which is a Status or StatusOr, or the Status of what it throws.
template <class Fn>
auto Guarded(Fn&& fn) -> decltype(fn()) {
  try {
    return fn();
  } catch (...) {
    return StatusOfException();
  }
}

}  // namespace ramet
