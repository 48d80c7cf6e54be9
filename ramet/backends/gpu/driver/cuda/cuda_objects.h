#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "ramet/backends/gpu/driver/cuda/cuda_library.h"
#include "ramet/backends/gpu/driver/driver.h"
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

 private:
  const api::Functions& cuda_;
  const api::Device device_;
  Mutex mutex_;
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

// A block of device memory. Freeing it waits for the work of the device, which may use it: the
// allocator above keeps freed blocks, so that this is rare.
class Memory final : public DriverMemory {
 public:
  Memory(const Context& context, api::DevicePointer address)
      : context_(context), address_(address) {}
  ~Memory() override;
  const api::DevicePointer& address() const { return address_; }

 private:
  const Context& context_;
  const api::DevicePointer address_;
};

class Event final : public DriverEvent {
 public:
  Event(const Context& context, api::Event* event) : context_(context), event_(event) {}
  ~Event() override;
  Status Wait() override;
  bool IsDone() override;
  api::Event* get() const { return event_; }

 private:
  const Context& context_;
  api::Event* const event_;
};

class Function final : public DriverFunction {
 public:
  Function(api::Function* function, std::string name)
      : function_(function), name_(std::move(name)) {}
  api::Function* get() const { return function_; }
  const std::string& name() const { return name_; }

 private:
  api::Function* const function_;
  const std::string name_;
};

// A module keeps its machine code, or its PTX, for Binary.
class Module final : public DriverModule {
 public:
  Module(const Context& context, api::Module* module, std::string image)
      : context_(context), module_(module), image_(std::move(image)) {}
  ~Module() override;
  StatusOr<std::unique_ptr<DriverFunction>> Function(const std::string& name) override;
  StatusOr<std::string> Binary() const override { return image_; }

 private:
  const Context& context_;
  api::Module* const module_;
  const std::string image_;
};

// A queue is a stream that does not wait for the default stream of other libraries.
class Queue final : public DriverQueue {
 public:
  Queue(const Context& context, api::Stream* stream) : context_(context), stream_(stream) {}
  ~Queue() override;
  api::Stream* get() const { return stream_; }
  const Context& context() const { return context_; }
  Status Launch(DriverFunction& function, const LaunchSize& size,
                std::span<const KernelArgument> arguments) override;
  Status CopyFromHost(DriverMemory& to, std::span<const std::byte> from,
                      std::unique_ptr<DriverEvent>* done) override;
  Status CopyToHost(std::span<std::byte> to, const DriverMemory& from) override;
  Status StartCopyToHost(std::span<std::byte> to, const DriverMemory& from,
                         std::unique_ptr<DriverEvent>* done) override;
  Status Copy(DriverMemory& to, const DriverMemory& from, size_t bytes) override;
  Status Zero(DriverMemory& memory, size_t bytes) override;
  StatusOr<std::unique_ptr<DriverEvent>> Record() override;
  Status WaitFor(DriverEvent& event) override;
  Status Flush() override { return OkStatus(); }  // the driver starts work at once
  Status Finish() override;

 private:
  // Calls a function of the driver in the context.
  template <class... Parameters, class... Arguments>
  Status Call(std::string_view what, api::Result (*function)(Parameters...),
              Arguments... arguments) const {
    const Scope scope(context_);
    return StatusOfResult(context_.cuda(), function(arguments...), what);
  }

  Status EnqueueCopyToHost(std::span<std::byte> to, const DriverMemory& from);

  const Context& context_;
  api::Stream* const stream_;
};

}  // namespace ramet::gpu::cuda
