#pragma once

#include <thread>
#include <utility>

#include "ramet/base/exception.h"
#include "ramet/base/status.h"

namespace ramet {

// Starts a thread of a publisher or a follower that runs `fn`. An exception that leaves `fn` is
// logged and ends the thread.
// \error kUnavailable: the system cannot start a thread.
template <class Fn>
Status StartThread(std::thread* thread, Fn fn) {
  return Guarded([&] {
    *thread = std::thread(
        [fn = std::move(fn)] { LogIfThrown("a thread of a publisher or follower", fn); });
    return OkStatus();
  });
}

}  // namespace ramet
