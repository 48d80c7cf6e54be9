#pragma once

#include <functional>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

namespace ramet {

// Converts the exception being handled to a Status: that of a BadStatusAccess, or one of the errors
// below. Call it only in a catch block.
// \error kResourceExhausted: std::bad_alloc or std::length_error.
// \error kUnavailable: std::system_error.
// \error kInternal: any other exception.
RAMET_EXPORT Status StatusOfException();

// Calls fn() and logs an exception as an error in `what`. For thread functions, which must not
// throw.
RAMET_EXPORT void LogIfThrown(std::string_view what, const std::function<void()>& fn);

// Returns fn(), a Status or StatusOr. Turns an exception into a Status.
template <class Fn>
auto Guarded(Fn&& fn) -> decltype(fn()) {
  try {
    return fn();
  } catch (...) {
    return StatusOfException();
  }
}

}  // namespace ramet
