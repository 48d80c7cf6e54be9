#pragma once

#include <thread>
#include <utility>

#include "ramet/base/exception.h"
#include "ramet/base/status.h"

namespace ramet {

// Starts a thread of a publisher or a follower that runs `fn`. No exception leaves the thread: one
// that `fn` lets pass is logged and ends it.
// \error kUnavailable if the system does not give a thread.
template <class Fn>
Status StartThread(std::thread* thread, Fn fn) {
  return Guarded([&] {
    *thread = std::thread([fn = std::move(fn)] { LogIfThrown("a thread of a live copy", fn); });
    return OkStatus();
  });
}

}  // namespace ramet
