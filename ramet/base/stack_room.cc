#include "ramet/base/stack_room.h"

#include <pthread.h>

#include <cstddef>

namespace ramet {
namespace {

constexpr size_t kStackReserve = 256 << 10;

// Returns the address below which this thread's stack has no room for another call, or null if it
// is unknown.
const char* StackLimit() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return nullptr;
  void* lowest = nullptr;
  size_t size = 0;
  const int failed = pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  return failed ? nullptr : static_cast<const char*>(lowest) + kStackReserve;
}

}  // namespace

bool StackHasRoom() {
  thread_local const char* const limit = StackLimit();
  return static_cast<const char*>(__builtin_frame_address(0)) > limit;
}

}  // namespace ramet
