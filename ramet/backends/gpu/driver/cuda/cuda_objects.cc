#include "ramet/backends/gpu/driver/cuda/cuda_objects.h"

#include <unistd.h>

#include <vector>

#include "ramet/backends/gpu/driver/cuda/capture_order.h"
#include "ramet/base/strings.h"

namespace ramet::gpu::cuda {
namespace {

api::DevicePointer AddressOf(const DriverMemory& memory) {
  return static_cast<const Memory&>(memory).address();
}

}  // namespace

OwnedMemory::~OwnedMemory() {
  const Scope scope(context_);
  MutexLock lock(context_.capture_mutex());
  context_.cuda().CtxSynchronize();
  context_.cuda().MemFree(address());
}

RegisteredMemory::RegisteredMemory(const Context& context, void* memory)
    : context_(context), memory_(memory), process_(getpid()) {}

RegisteredMemory::~RegisteredMemory() {
  if (getpid() != process_) return;
  const Scope scope(context_);
  context_.cuda().MemHostUnregister(memory_);
}

Event::~Event() {
  const Scope scope(context_);
  context_.cuda().EventDestroy(event_);
}

Status Event::Wait() {
  const Scope scope(context_);
  return StatusOfResult(context_.cuda(), context_.cuda().EventSynchronize(event_),
                        "cuEventSynchronize");
}

bool Event::IsDone() {
  const Scope scope(context_);
  return context_.cuda().EventQuery(event_) != api::k_CUDA_ERROR_NOT_READY;
}

Module::~Module() {
  const Scope scope(context_);
  context_.cuda().ModuleUnload(module_);
}

StatusOr<std::unique_ptr<DriverFunction>> Module::Function(const std::string& name) {
  const Scope scope(context_);
  api::Function* function = nullptr;
  RAMET_RETURN_IF_ERROR(StatusOfResult(
      context_.cuda(), context_.cuda().ModuleGetFunction(&function, module_, name.c_str()),
      StrCat("cuModuleGetFunction of ", name)));
  return std::unique_ptr<DriverFunction>(std::make_unique<cuda::Function>(function, name));
}

Graph::~Graph() {
  const Scope scope(context_);
  context_.cuda().GraphExecDestroy(graph_);
}

StatusOr<std::unique_ptr<Queue>> MakeStreamQueue(const Context& context) {
  const Scope scope(context);
  api::Stream* stream = nullptr;
  const api::Result made = context.cuda().StreamCreate(&stream, api::k_CU_STREAM_NON_BLOCKING);
  RAMET_RETURN_IF_ERROR(StatusOfResult(context.cuda(), made, "cuStreamCreate"));
  return std::make_unique<Queue>(context, stream);
}

Queue::~Queue() {
  staging_.reset();  // uses the stream
  const Scope scope(context_);
  context_.cuda().StreamDestroy(stream_);
}

Status Queue::Launch(DriverFunction& function, const LaunchSize& size,
                     std::span<const KernelArgument> arguments) {
  const auto& kernel = static_cast<Function&>(function);
  std::vector<void*> pointers;
  pointers.reserve(arguments.size());
  for (const KernelArgument& argument : arguments) {
    const void* const value = argument.memory() != nullptr
                                  ? &static_cast<const Memory&>(*argument.memory()).address()
                                  : static_cast<const void*>(argument.bytes().data());
    pointers.push_back(const_cast<void*>(value));
  }
  const auto& [groups, items] = size;
  const Scope scope(context_);
  const api::Result result =
      context_.cuda().LaunchKernel(kernel.get(), groups[0], groups[1], groups[2], items[0],
                                   items[1], items[2], 0, stream_, pointers.data(), nullptr);
  if (result == api::k_CUDA_SUCCESS) return OkStatus();
  return StatusOfResult(context_.cuda(), result, StrCat("cuLaunchKernel of ", kernel.name()));
}

Status Queue::CopyFromHost(DriverMemory& to, std::span<const std::byte> from,
                           std::unique_ptr<DriverEvent>* done) {
  if (from.empty()) return OkStatus();
  if (done == nullptr) {
    RAMET_ASSIGN_OR_RETURN(const bool is_started, staging_->Copy(AddressOf(to), from));
    if (is_started) return OkStatus();
  }
  RAMET_RETURN_IF_ERROR(Call("cuMemcpyHtoDAsync", context_.cuda().MemcpyHtoDAsync, AddressOf(to),
                             from.data(), from.size(), stream_));
  if (done == nullptr) return Finish();
  RAMET_ASSIGN_OR_RETURN(*done, Record());
  return OkStatus();
}

Status Queue::CopyToHost(std::span<std::byte> to, const DriverMemory& from) {
  if (to.empty()) return OkStatus();
  RAMET_RETURN_IF_ERROR(EnqueueCopyToHost(to, from));
  return Finish();
}

Status Queue::StartCopyToHost(std::span<std::byte> to, const DriverMemory& from,
                              std::unique_ptr<DriverEvent>* done) {
  if (!to.empty()) RAMET_RETURN_IF_ERROR(EnqueueCopyToHost(to, from));
  RAMET_ASSIGN_OR_RETURN(*done, Record());
  return OkStatus();
}

Status Queue::EnqueueCopyToHost(std::span<std::byte> to, const DriverMemory& from) {
  return Call("cuMemcpyDtoHAsync", context_.cuda().MemcpyDtoHAsync, to.data(), AddressOf(from),
              to.size(), stream_);
}

Status Queue::Copy(DriverMemory& to, const DriverMemory& from, size_t bytes) {
  if (bytes == 0) return OkStatus();
  return Call("cuMemcpyDtoDAsync", context_.cuda().MemcpyDtoDAsync, AddressOf(to), AddressOf(from),
              bytes, stream_);
}

Status Queue::Zero(DriverMemory& memory, size_t bytes) {
  if (bytes == 0) return OkStatus();
  return Call("cuMemsetD8Async", context_.cuda().MemsetD8Async, AddressOf(memory),
              static_cast<unsigned char>(0), bytes, stream_);
}

StatusOr<std::unique_ptr<DriverEvent>> Queue::Record() {
  const api::Functions& cuda = context_.cuda();
  api::Event* made = nullptr;
  RAMET_RETURN_IF_ERROR(
      Call("cuEventCreate", cuda.EventCreate, &made, unsigned{api::k_CU_EVENT_DISABLE_TIMING}));
  std::unique_ptr<DriverEvent> event = std::make_unique<Event>(context_, made);
  RAMET_RETURN_IF_ERROR(Call("cuEventRecord", cuda.EventRecord, made, stream_));
  return event;
}

Status Queue::WaitFor(DriverEvent& event) {
  return Call("cuStreamWaitEvent", context_.cuda().StreamWaitEvent, stream_,
              static_cast<Event&>(event).get(), 0u);
}

Status Queue::Finish() {
  return Call("cuStreamSynchronize", context_.cuda().StreamSynchronize, stream_);
}

// A stream of its own is captured, so that other threads may use this one meanwhile. The mode lets
// all threads do what they want, except to wait for the context.
StatusOr<std::unique_ptr<DriverGraph>> Queue::Capture(const GraphWork& work) {
  if (!has_graphs()) return Unimplemented("the driver has no graphs; they need CUDA 11.4");
  RAMET_ASSIGN_OR_RETURN(const auto capturing, MakeStreamQueue(context_));
  RAMET_ASSIGN_OR_RETURN(api::Graph* const recorded, capturing->RecordGraph(work));
  const api::Functions& cuda = context_.cuda();
  api::GraphExec* made = nullptr;
  const Status status =
      Call("cuGraphInstantiate", cuda.GraphInstantiate, &made, recorded, uint64_t{0});
  RAMET_RETURN_IF_ERROR(Call("cuGraphDestroy", cuda.GraphDestroy, recorded));
  RAMET_RETURN_IF_ERROR(status);
  return std::unique_ptr<DriverGraph>(std::make_unique<Graph>(context_, made));
}

StatusOr<api::Graph*> Queue::RecordGraph(const GraphWork& work) {
  const api::Functions& cuda = context_.cuda();
  MutexLock lock(context_.capture_mutex());
  RAMET_RETURN_IF_ERROR(Call("cuStreamBeginCapture", cuda.StreamBeginCapture, stream_,
                             int{api::k_CU_STREAM_CAPTURE_MODE_RELAXED}));
  const Status enqueued = EnqueueForGraph(work);
  api::Graph* recorded = nullptr;
  const Status ended = Call("cuStreamEndCapture", cuda.StreamEndCapture, stream_, &recorded);
  if (enqueued.ok() && ended.ok() && recorded != nullptr) return recorded;
  if (recorded != nullptr)
    RAMET_RETURN_IF_ERROR(Call("cuGraphDestroy", cuda.GraphDestroy, recorded));
  RAMET_RETURN_IF_ERROR(enqueued);
  RAMET_RETURN_IF_ERROR(ended);
  return Internal("cuStreamEndCapture returned no graph");
}

Status Queue::EnqueueForGraph(const GraphWork& work) {
  CaptureOrder order(context_, stream_);
  for (size_t i = 0; i < work.after.size(); ++i) {
    RAMET_RETURN_IF_ERROR(order.StartAfter(work.after[i]));
    RAMET_RETURN_IF_ERROR(work.enqueue(i, *this));
    RAMET_RETURN_IF_ERROR(order.NoteElement());
  }
  return OkStatus();
}

Status Queue::LaunchGraph(DriverGraph& graph) {
  return Call("cuGraphLaunch", context_.cuda().GraphLaunch, static_cast<Graph&>(graph).get(),
              stream_);
}

}  // namespace ramet::gpu::cuda
