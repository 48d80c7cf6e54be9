#include "ramet/backends/gpu/driver/opencl/opencl_objects.h"

namespace ramet::gpu::opencl {
namespace {

api::Mem* MemOf(const DriverMemory& memory) { return static_cast<const Memory&>(memory).get(); }

}  // namespace

Status Event::Wait() {
  api::Event* const event = event_.get();
  return StatusOfResult(cl_.WaitForEvents(1, &event), "clWaitForEvents");
}

bool Event::IsDone() {
  api::Int state = 0;
  const api::Int result = cl_.GetEventInfo(event_.get(), api::k_EVENT_COMMAND_EXECUTION_STATUS,
                                           sizeof state, &state, nullptr);
  return result != api::k_SUCCESS || state <= api::k_COMPLETE;  // errors are negative
}

Status Function::SetArgument(api::UInt index, const KernelArgument& argument) {
  api::Int result;
  if (argument.memory() != nullptr) {
    api::Mem* const mem = MemOf(*argument.memory());
    result = cl_.SetKernelArg(kernel_.get(), index, sizeof(mem), &mem);
  } else {
    const auto bytes = argument.bytes();
    result = cl_.SetKernelArg(kernel_.get(), index, bytes.size(), bytes.data());
  }
  if (result == api::k_SUCCESS) return OkStatus();
  return StatusOfResult(result, StrCat("clSetKernelArg of argument ", index, " of ", name_));
}

Status Function::Launch(api::CommandQueue* queue, const LaunchSize& size,
                        std::span<const KernelArgument> arguments) {
  size_t global[3], local[3];
  for (int d = 0; d < 3; ++d) {
    local[d] = size.group_size[d];
    global[d] = size_t{size.groups[d]} * local[d];
  }
  MutexLock lock(mutex_);
  for (size_t i = 0; i < arguments.size(); ++i) {
    RAMET_RETURN_IF_ERROR(SetArgument(static_cast<api::UInt>(i), arguments[i]));
  }
  const api::Int result = cl_.EnqueueNDRangeKernel(queue, kernel_.get(), 3, nullptr, global, local,
                                                   0, nullptr, nullptr);
  if (result == api::k_SUCCESS) return OkStatus();
  return StatusOfResult(result, StrCat("clEnqueueNDRangeKernel of ", name_));
}

StatusOr<std::unique_ptr<DriverFunction>> Module::Function(const std::string& name) {
  api::Int result = api::k_SUCCESS;
  api::Kernel* const kernel = cl_.CreateKernel(program_.get(), name.c_str(), &result);
  RAMET_RETURN_IF_ERROR(StatusOfResult(result, StrCat("clCreateKernel of ", name)));
  return std::unique_ptr<DriverFunction>(std::make_unique<opencl::Function>(cl_, kernel, name));
}

StatusOr<std::string> Module::Binary() const {
  size_t size = 0;
  RAMET_RETURN_IF_ERROR(StatusOfResult(
      cl_.GetProgramInfo(program_.get(), api::k_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr),
      "clGetProgramInfo"));
  if (size == 0) return Unimplemented("the OpenCL driver exports no binaries");
  std::string binary(size, '\0');
  char* data = binary.data();
  RAMET_RETURN_IF_ERROR(StatusOfResult(
      cl_.GetProgramInfo(program_.get(), api::k_PROGRAM_BINARIES, sizeof data, &data, nullptr),
      "clGetProgramInfo"));
  return binary;
}

Status Queue::Launch(DriverFunction& function, const LaunchSize& size,
                     std::span<const KernelArgument> arguments) {
  return static_cast<Function&>(function).Launch(queue_.get(), size, arguments);
}

Status Queue::CopyFromHost(DriverMemory& to, std::span<const std::byte> from,
                           std::unique_ptr<DriverEvent>* done) {
  if (from.empty()) return OkStatus();
  api::Event* event = nullptr;
  const bool waits = done == nullptr;
  RAMET_RETURN_IF_ERROR(StatusOfResult(
      cl_.EnqueueWriteBuffer(queue_.get(), MemOf(to), waits ? api::k_TRUE : api::k_FALSE, 0,
                             from.size(), from.data(), 0, nullptr, waits ? nullptr : &event),
      "clEnqueueWriteBuffer"));
  if (!waits) *done = std::make_unique<Event>(cl_, event);
  return OkStatus();
}

Status Queue::CopyToHost(std::span<std::byte> to, const DriverMemory& from) {
  if (to.empty()) return OkStatus();
  return StatusOfResult(cl_.EnqueueReadBuffer(queue_.get(), MemOf(from), api::k_TRUE, 0, to.size(),
                                              to.data(), 0, nullptr, nullptr),
                        "clEnqueueReadBuffer");
}

Status Queue::StartCopyToHost(std::span<std::byte> to, const DriverMemory& from,
                              std::unique_ptr<DriverEvent>* done) {
  if (to.empty()) {
    RAMET_ASSIGN_OR_RETURN(*done, Record());
    return OkStatus();
  }
  api::Event* event = nullptr;
  RAMET_RETURN_IF_ERROR(
      StatusOfResult(cl_.EnqueueReadBuffer(queue_.get(), MemOf(from), api::k_FALSE, 0, to.size(),
                                           to.data(), 0, nullptr, &event),
                     "clEnqueueReadBuffer"));
  *done = std::make_unique<Event>(cl_, event);
  return OkStatus();
}

Status Queue::Copy(DriverMemory& to, const DriverMemory& from, size_t bytes) {
  if (bytes == 0) return OkStatus();
  return StatusOfResult(
      cl_.EnqueueCopyBuffer(queue_.get(), MemOf(from), MemOf(to), 0, 0, bytes, 0, nullptr, nullptr),
      "clEnqueueCopyBuffer");
}

Status Queue::Zero(DriverMemory& memory, size_t bytes) {
  if (bytes == 0) return OkStatus();
  const uint8_t zero = 0;
  return StatusOfResult(cl_.EnqueueFillBuffer(queue_.get(), MemOf(memory), &zero, sizeof zero, 0,
                                              bytes, 0, nullptr, nullptr),
                        "clEnqueueFillBuffer");
}

StatusOr<std::unique_ptr<DriverEvent>> Queue::Record() {
  api::Event* event = nullptr;
  RAMET_RETURN_IF_ERROR(
      StatusOfResult(cl_.EnqueueMarkerWithWaitList(queue_.get(), 0, nullptr, &event),
                     "clEnqueueMarkerWithWaitList"));
  return std::unique_ptr<DriverEvent>(std::make_unique<Event>(cl_, event));
}

Status Queue::WaitFor(DriverEvent& event) {
  api::Event* const other = static_cast<Event&>(event).get();
  return StatusOfResult(cl_.EnqueueBarrierWithWaitList(queue_.get(), 1, &other, nullptr),
                        "clEnqueueBarrierWithWaitList");
}

Status Queue::Flush() { return StatusOfResult(cl_.Flush(queue_.get()), "clFlush"); }
Status Queue::Finish() { return StatusOfResult(cl_.Finish(queue_.get()), "clFinish"); }

}  // namespace ramet::gpu::opencl
