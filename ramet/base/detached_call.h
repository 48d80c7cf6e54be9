#pragma once

#include <functional>

#include "ramet/base/export.h"

namespace ramet {

// Calls `work` on a new thread and waits until it is done or StopDue(). For long calls of libraries
// that cannot be interrupted. Returns false if the caller must stop. `work` then continues in the
// background and its results are dropped, so it must own everything that it uses. Rethrows an
// exception of `work`. Calls `work` on the calling thread if no thread can be created, or if too
// many dropped calls are still running.
RAMET_EXPORT bool CallDetached(std::function<void()> work);

}  // namespace ramet
