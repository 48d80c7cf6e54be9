#pragma once

#include <string_view>

#include "ramet/base/status.h"

namespace ramet {

// A CallScope marks the calling thread as within a call of an object. Such a call may run a signal
// handler of the program while it waits with locks held. If the handler calls the same object,
// Check returns an error, because the call would wait for itself.
class CallScope {
 public:
  // `object` must outlive the scope.
  explicit CallScope(const void* object) : object_(object), outer_(current_) { current_ = this; }
  ~CallScope() { current_ = outer_; }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  // \error kFailedPrecondition: the calling thread is within a call of `object`. `where` is for the
  // message.
  static Status Check(const void* object, std::string_view where) {
    for (const CallScope* scope = current_; scope != nullptr; scope = scope->outer_) {
      if (scope->object_ != object) continue;
      return FailedPrecondition(where, ": called by a signal handler within another call that has ",
                                "not ended; call it after that one");
    }
    return OkStatus();
  }

 private:
  static inline thread_local const CallScope* current_ = nullptr;

  const void* const object_;
  const CallScope* const outer_;
};

}  // namespace ramet
