#pragma once

#include <memory>
#include <string>
#include <utility>

#include "ramet/backends/gpu/driver/driver.h"
#include "ramet/backends/gpu/driver/opencl/opencl_library.h"
#include "ramet/base/mutex.h"

namespace ramet::gpu::opencl {

// An Owned holds an OpenCL object and releases it with `release`. Movable, not copyable.
template <class T>
class Owned {
 public:
  using Release = api::Int (*)(T*);
  Owned() = default;
  Owned(T* object, Release release) : object_(object), release_(release) {}
  Owned(Owned&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)), release_(other.release_) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(object_, other.object_);
    std::swap(release_, other.release_);
    return *this;
  }
  ~Owned() {
    if (object_ != nullptr) release_(object_);
  }
  T* get() const { return object_; }

 private:
  T* object_ = nullptr;
  Release release_ = nullptr;
};

class Memory final : public DriverMemory {
 public:
  explicit Memory(Owned<api::Mem> mem) : mem_(std::move(mem)) {}
  api::Mem* get() const { return mem_.get(); }

 private:
  Owned<api::Mem> mem_;
};

class Event final : public DriverEvent {
 public:
  Event(const api::Functions& cl, api::Event* event) : cl_(cl), event_(event, cl.ReleaseEvent) {}
  Status Wait() override;
  bool IsDone() override;
  api::Event* get() const { return event_.get(); }

 private:
  const api::Functions& cl_;
  Owned<api::Event> event_;
};

// A kernel object has the arguments of one launch at a time, so launches lock it.
class Function final : public DriverFunction {
 public:
  Function(const api::Functions& cl, api::Kernel* kernel, std::string name)
      : cl_(cl), kernel_(kernel, cl.ReleaseKernel), name_(std::move(name)) {}
  Status Launch(api::CommandQueue* queue, const LaunchSize& size,
                std::span<const KernelArgument> arguments);

 private:
  Status SetArgument(api::UInt index, const KernelArgument& argument) RAMET_REQUIRES(mutex_);

  const api::Functions& cl_;
  Owned<api::Kernel> kernel_;
  const std::string name_;
  Mutex mutex_;
};

class Module final : public DriverModule {
 public:
  Module(const api::Functions& cl, Owned<api::Program> program)
      : cl_(cl), program_(std::move(program)) {}
  StatusOr<std::unique_ptr<DriverFunction>> Function(const std::string& name) override;
  StatusOr<std::string> Binary() const override;

 private:
  const api::Functions& cl_;
  Owned<api::Program> program_;
};

class Queue final : public DriverQueue {
 public:
  Queue(const api::Functions& cl, Owned<api::CommandQueue> queue)
      : cl_(cl), queue_(std::move(queue)) {}
  api::CommandQueue* get() const { return queue_.get(); }
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
  Status Flush() override;
  Status Finish() override;

 private:
  const api::Functions& cl_;
  Owned<api::CommandQueue> queue_;
};

}  // namespace ramet::gpu::opencl
