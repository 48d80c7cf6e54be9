#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "ramet/backends/gpu/driver/cuda/cuda_context.h"
#include "ramet/backends/gpu/driver/cuda/staging_ring.h"
#include "ramet/backends/gpu/driver/driver.h"

namespace ramet::gpu::cuda {

// A block of device memory that belongs to another object.
class Memory : public DriverMemory {
 public:
  explicit Memory(api::DevicePointer address) : address_(address) {}
  const api::DevicePointer& address() const { return address_; }

 private:
  const api::DevicePointer address_;
};

// A block that its destructor frees. It waits for the work of the device, which may use it: the
// allocator above keeps freed blocks, so that this is rare.
class OwnedMemory final : public Memory {
 public:
  OwnedMemory(const Context& context, api::DevicePointer address)
      : Memory(address), context_(context) {}
  ~OwnedMemory() override;

 private:
  const Context& context_;
};

// Host memory that is registered with the driver. A forked process inherits the object but not the
// registration, and leaves it alone.
class RegisteredMemory final : public HostRegistration {
 public:
  RegisteredMemory(const Context& context, void* memory);
  ~RegisteredMemory() override;

 private:
  const Context& context_;
  void* const memory_;
  const int process_;
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

class Graph final : public DriverGraph {
 public:
  Graph(const Context& context, api::GraphExec* graph) : context_(context), graph_(graph) {}
  // The driver keeps a graph that is running.
  ~Graph() override;
  api::GraphExec* get() const { return graph_; }

 private:
  const Context& context_;
  api::GraphExec* const graph_;
};

// A queue is a stream that does not wait for the default stream of other libraries.
class Queue final : public DriverQueue {
 public:
  Queue(const Context& context, api::Stream* stream)
      : context_(context),
        stream_(stream),
        staging_(std::make_unique<StagingRing>(context, stream)) {}
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
  bool has_graphs() const override { return context_.cuda().has_graphs; }
  StatusOr<std::unique_ptr<DriverGraph>> Capture(const GraphWork& work) override;
  Status LaunchGraph(DriverGraph& graph) override;

 private:
  // Calls a function of the driver in the context.
  template <class... Parameters, class... Arguments>
  Status Call(std::string_view what, api::Result (*function)(Parameters...),
              Arguments... arguments) const {
    const Scope scope(context_);
    return StatusOfResult(context_.cuda(), function(arguments...), what);
  }

  Status EnqueueCopyToHost(std::span<std::byte> to, const DriverMemory& from);
  // Records the work of a graph, which this queue is given. Returns a graph that must be destroyed.
  StatusOr<api::Graph*> RecordGraph(const GraphWork& work);
  Status EnqueueForGraph(const GraphWork& work);

  const Context& context_;
  api::Stream* const stream_;
  std::unique_ptr<StagingRing> staging_;
};

// Makes a queue of its own.
// \error kResourceExhausted, kInternal: the driver cannot make it.
StatusOr<std::unique_ptr<Queue>> MakeStreamQueue(const Context& context);

}  // namespace ramet::gpu::cuda
