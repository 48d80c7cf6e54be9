#pragma once

#include <array>
#include <span>
#include <string_view>

#include "ramet/backends/gpu/codegen/dialect.h"
#include "ramet/backends/gpu/gpu_device.h"
#include "ramet/op/kernel.h"

// Functions with which kernels of ops start kernels of the dialect. See CONTRIBUTING.md, "Adding a
// kernel for the GPU".
namespace ramet::gpu {

// An argument of type index_t, whose size depends on the tensors of the launch.
struct Index {
  int64_t value;
};

// An argument of a launch: a tensor in the device's memory, an Index, or a number or struct in the
// layout of the kernel's parameter.
class LaunchArgument {
 public:
  LaunchArgument(const Tensor& tensor) : tensor_(&tensor) {}  // NOLINT: implicit on purpose
  LaunchArgument(Index index) : is_index_(true), index_(index.value) {}  // NOLINT
  template <class T>
  requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>)
      LaunchArgument(const T& value)  // NOLINT
      : value_(value) {}

  const Tensor* tensor() const { return tensor_; }  // null for values
  int64_t index() const { return index_; }
  KernelArgument Resolve(bool has_large_indices) const;

 private:
  const Tensor* tensor_ = nullptr;
  bool is_index_ = false;
  int64_t index_ = 0;
  KernelArgument value_{0};
};

// A Kernel of a Program with the macros that it is compiled with.
struct KernelSpec {
  const Program& program;
  std::string_view function;
  Definitions definitions;
};

// Resolves the kernel and the arguments of a launch. Tensors must be in the memory of the device.
// \error as GpuDevice::Function.
StatusOr<ReadyLaunch> PrepareLaunch(GpuDevice& device, const KernelSpec& kernel,
                                    const LaunchSize& size,
                                    std::span<const LaunchArgument> arguments);
// Returns the size of a launch that loops over `count` elements with FOR_EACH.
LaunchSize SizeForEach(GpuDevice& device, int64_t count);
// Starts a kernel on a device. Tensors must be in its memory (Tensor::memory).
// \error as GpuDevice::Function and DriverQueue::Launch.
Status Launch(GpuDevice& device, const KernelSpec& kernel, const LaunchSize& size,
              std::span<const LaunchArgument> arguments);
// Starts a kernel that loops over `count` elements with FOR_EACH. Does nothing if `count` is 0.
// \error as Launch.
Status LaunchForEach(GpuDevice& device, const KernelSpec& kernel, int64_t count,
                     std::span<const LaunchArgument> arguments);

// Starts a kernel on the device of `context`.
// \error as Launch.
Status Launch(KernelContext& context, const KernelSpec& kernel, const LaunchSize& size,
              std::span<const LaunchArgument> arguments);
inline Status Launch(KernelContext& context, const KernelSpec& kernel, const LaunchSize& size,
                     std::initializer_list<LaunchArgument> arguments) {
  return Launch(context, kernel, size, std::span(arguments.begin(), arguments.size()));
}

// Starts a kernel that loops over `count` elements with FOR_EACH. Does nothing if `count` is 0.
// \error as Launch.
Status LaunchForEach(KernelContext& context, const KernelSpec& kernel, int64_t count,
                     std::span<const LaunchArgument> arguments);
inline Status LaunchForEach(KernelContext& context, const KernelSpec& kernel, int64_t count,
                            std::initializer_list<LaunchArgument> arguments) {
  return LaunchForEach(context, kernel, count, std::span(arguments.begin(), arguments.size()));
}

// Returns the device of a running kernel.
inline GpuDevice& DeviceOf(const KernelContext& context) {
  return GpuDevice::Of(*context.env().memory);
}

// Allocates output i in host memory, for outputs that the op declares there.
// \error as Tensor::Allocate.
StatusOr<Tensor*> AllocateHostOutput(KernelContext& context, int i, DType dtype,
                                     const Shape& shape);

// Copies all elements of one device tensor to another of the same size.
Status CopyElements(KernelContext& context, const Tensor& from, Tensor& to);
// Fills a device tensor with zero bytes.
Status FillWithZeros(KernelContext& context, Tensor& tensor);

// Adds a kernel on GPUs for a dtype of attr `type_attr`, or for all dtypes.
inline KernelRegistration GpuKernel(std::string_view type_attr, DType dtype,
                                    KernelFunction function) {
  return {"GPU", type_attr, dtype, nullptr, function};
}
inline KernelRegistration GpuKernel(KernelFunction function) {
  return {"GPU", "", DType::kInvalid, nullptr, function};
}

}  // namespace ramet::gpu
