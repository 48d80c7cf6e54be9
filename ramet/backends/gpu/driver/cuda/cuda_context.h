#pragma once

#include <atomic>

#include "ramet/backends/gpu/driver/cuda/cuda_library.h"
#include "ramet/base/mutex.h"

namespace ramet::gpu::cuda {

// A Context is the primary context of a device, which all libraries of the process share. It is
// made by the first Use and never released. Thread-safe.
class Context {
 public:
  Context(const api::Functions& cuda, api::Device device) : cuda_(cuda), device_(device) {}
  // Makes the context, unless it is there.
  // \error kResourceExhausted, kInternal: the driver cannot make it.
  Status Make();
  const api::Functions& cuda() const { return cuda_; }
  api::Context* get() const { return context_; }  // after Make
  // Held while a stream is captured. The context must not be waited for meanwhile.
  Mutex& capture_mutex() const { return capture_mutex_; }

 private:
  const api::Functions& cuda_;
  const api::Device device_;
  Mutex mutex_;
  mutable Mutex capture_mutex_;
  std::atomic<api::Context*> context_ = nullptr;
};

// A Scope makes a context the current one of this thread, and restores the previous one at its end.
class Scope {
 public:
  explicit Scope(const Context& context);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  const Context& context_;
  const bool pushed_;
};

}  // namespace ramet::gpu::cuda
