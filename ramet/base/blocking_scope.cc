#include "ramet/base/blocking_scope.h"

namespace ramet {
namespace {

thread_local BlockingHook* innermost_hook = nullptr;

}  // namespace

BlockingHook::BlockingHook() : outer_(innermost_hook) { innermost_hook = this; }

BlockingHook::~BlockingHook() { innermost_hook = outer_; }

BlockingScope::BlockingScope() {
  for (BlockingHook* hook = innermost_hook; hook != nullptr; hook = hook->outer_) {
    hook->BeforeWait();
  }
}

BlockingScope::~BlockingScope() {
  for (BlockingHook* hook = innermost_hook; hook != nullptr; hook = hook->outer_) {
    hook->AfterWait();
  }
}

}  // namespace ramet
