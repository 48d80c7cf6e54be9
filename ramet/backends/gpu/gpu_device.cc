#include "ramet/backends/gpu/gpu_device.h"

#include <algorithm>
#include <cstdlib>

#include "ramet/backends/gpu/ops/gpu_math.h"

namespace ramet::gpu {
namespace {

std::span<const std::byte> BytesOf(const Tensor& tensor) {
  return {static_cast<const std::byte*>(tensor.raw_data()), tensor.bytes()};
}

// Returns whether devices use the graphs of their drivers.
// \error kInvalidArgument: RAMET_GPU_GRAPHS has an unknown value.
StatusOr<bool> UsesGraphs() {
  const char* const value = std::getenv("RAMET_GPU_GRAPHS");
  const std::string_view text = value != nullptr ? value : "";
  if (text.empty() || text == "on") return true;
  if (text == "off") return false;
  return InvalidArgument("RAMET_GPU_GRAPHS is '", text, "'; expected on or off");
}

}  // namespace

StatusOr<std::unique_ptr<GpuDevice>> GpuDevice::Make(int index, DriverDevice& device,
                                                     double memory_fraction) {
  RAMET_ASSIGN_OR_RETURN(const bool uses_graphs, UsesGraphs());
  RAMET_ASSIGN_OR_RETURN(auto queue, device.MakeQueue());
  RAMET_ASSIGN_OR_RETURN(auto copies, device.MakeQueue());
  const auto limit =
      static_cast<uint64_t>(static_cast<double>(device.info().memory_bytes) * memory_fraction);
  return std::unique_ptr<GpuDevice>(
      new GpuDevice(index, device, std::move(queue), uses_graphs, std::move(copies), limit));
}

GpuDevice::GpuDevice(int index, DriverDevice& device, std::unique_ptr<DriverQueue> queue,
                     bool uses_graphs, std::unique_ptr<DriverQueue> copies, uint64_t limit)
    : Device("GPU", index),
      driver_(device),
      queue_(std::move(queue), uses_graphs),
      copies_(queue_, std::move(copies)),
      libraries_(*this),
      math_(MakeGpuMath(*this)),
      memory_({*this, driver_, *math_, queue_, copies_, allocator_}),
      allocator_(StrCat("GPU:", index), device, &memory_, limit,
                 [this] { queue_.graphs().ForgetBlocks(); }),
      kernels_(device) {}

GpuDevice& GpuDevice::Of(const DeviceMemory& memory) {
  return static_cast<const GpuMemory&>(memory).device();
}

Status GpuDevice::EndRun() {
  allocator_.EndPeriod();
  return Checked(runs_.End());
}

StatusOr<Tensor> GpuDevice::AllocateFor(const Tensor& host) {
  if (DTypeSize(host.dtype()) == 0) {
    return InvalidArgument("a ", DTypeName(host.dtype()), " tensor cannot leave host memory");
  }
  return Tensor::Allocate(host.dtype(), host.shape(), &allocator_);
}

// A copy into a block that earlier work of the run uses would divide the work in two graphs.
StatusOr<Tensor> GpuDevice::AllocateForCopy(const Tensor& host) {
  constexpr size_t kMaxBytes = size_t{1} << 20, kMaxPassedOver = 32;
  std::vector<Tensor> passed_over;
  while (true) {
    StatusOr<Tensor> tensor = AllocateFor(host);
    if (!tensor.ok() && !passed_over.empty()) return passed_over.back();
    if (!tensor.ok() || host.bytes() > kMaxBytes || passed_over.size() == kMaxPassedOver ||
        !queue_.graphs().Uses(GpuBuffer::BlockOf(*tensor))) {
      return tensor;
    }
    passed_over.push_back(*std::move(tensor));
  }
}

StatusOr<Tensor> GpuDevice::CopyFromHost(const Tensor& host) {
  RAMET_ASSIGN_OR_RETURN(Tensor copy, AllocateForCopy(host));
  RAMET_RETURN_IF_ERROR(
      Checked(queue_.CopyFromHost(GpuBuffer::BlockOf(copy), BytesOf(host), nullptr)));
  return copy;
}

StatusOr<Tensor> GpuDevice::CopyToHost(const Tensor& device) {
  RAMET_ASSIGN_OR_RETURN(Tensor copy, Tensor::Allocate(device.dtype(), device.shape()));
  auto* const bytes = static_cast<std::byte*>(copy.raw_data());
  RAMET_RETURN_IF_ERROR(
      Checked(queue_.CopyToHost({bytes, copy.bytes()}, GpuBuffer::BlockOf(device))));
  return copy;
}

StatusOr<std::vector<Tensor>> GpuDevice::CopyIn(std::span<const Tensor> host) {
  std::vector<Tensor> tensors(host.size());
  for (size_t i = 0; i < host.size(); ++i) {
    RAMET_ASSIGN_OR_RETURN(tensors[i], AllocateFor(host[i]));
  }
  RAMET_RETURN_IF_ERROR(copies_.CopyIn(host, tensors));
  return tensors;
}

Status GpuDevice::Checked(const Status& status) {
  if (!IsInternal(status) || queue_.driver_queue().Finish().ok()) return status;
  return Internal(name(), " (", driver_.info().name, ") does not work any more: ", status.message(),
                  "; the values in its memory are lost. Close the sessions of this process and "
                  "start it again; RAMET_GPU=off runs it on the CPU");
}

}  // namespace ramet::gpu
