#include "ramet/backends/gpu/launch.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace ramet::gpu {
namespace {

constexpr int64_t kMaxSmallIndex = std::numeric_limits<int32_t>::max();
constexpr uint32_t kElementsGroupSize = 256;
// A work item of LaunchForEach then handles several elements, which hides latency.
constexpr int64_t kMaxGroupsPerUnit = 32;

bool HasLargeIndices(std::span<const LaunchArgument> arguments) {
  return std::ranges::any_of(arguments, [](const LaunchArgument& a) {
    return a.tensor() != nullptr ? a.tensor()->num_elements() > kMaxSmallIndex
                                 : a.index() > kMaxSmallIndex;
  });
}

}  // namespace

KernelArgument LaunchArgument::Resolve(bool has_large_indices) const {
  if (tensor_ != nullptr) return GpuBuffer::BlockOf(*tensor_);
  if (!is_index_) return value_;
  if (has_large_indices) return index_;
  return static_cast<int32_t>(index_);
}

StatusOr<ReadyLaunch> PrepareLaunch(GpuDevice& device, const KernelSpec& kernel,
                                    const LaunchSize& size,
                                    std::span<const LaunchArgument> arguments) {
  const bool large = HasLargeIndices(arguments);
  ReadyLaunch ready;
  ready.size = size;
  ready.arguments.reserve(arguments.size());
  for (const LaunchArgument& argument : arguments) {
    if (argument.tensor() != nullptr && argument.tensor()->memory() != device.memory()) {
      return Internal("GPU kernel '", kernel.function, "': argument ", ready.arguments.size(),
                      " is not in the memory of ", device.name());
    }
    ready.arguments.push_back(argument.Resolve(large));
  }
  RAMET_ASSIGN_OR_RETURN(
      ready.function, device.Function(kernel.program, kernel.definitions, kernel.function, large));
  return ready;
}

LaunchSize SizeForEach(GpuDevice& device, int64_t count) {
  const int64_t max_groups = kMaxGroupsPerUnit * device.driver().info().compute_units;
  const int64_t groups = (count + kElementsGroupSize - 1) / kElementsGroupSize;
  LaunchSize size;
  size.groups[0] = static_cast<uint32_t>(std::min(groups, std::max<int64_t>(max_groups, 1)));
  size.group_size[0] = kElementsGroupSize;
  return size;
}

Status Launch(GpuDevice& device, const KernelSpec& kernel, const LaunchSize& size,
              std::span<const LaunchArgument> arguments) {
  RAMET_ASSIGN_OR_RETURN(const ReadyLaunch ready, PrepareLaunch(device, kernel, size, arguments));
  return device.Checked(device.queue().Launch(*ready.function, ready.size, ready.arguments));
}

Status LaunchForEach(GpuDevice& device, const KernelSpec& kernel, int64_t count,
                     std::span<const LaunchArgument> arguments) {
  if (count == 0) return OkStatus();
  return Launch(device, kernel, SizeForEach(device, count), arguments);
}

Status Launch(KernelContext& context, const KernelSpec& kernel, const LaunchSize& size,
              std::span<const LaunchArgument> arguments) {
  return Launch(DeviceOf(context), kernel, size, arguments);
}

Status LaunchForEach(KernelContext& context, const KernelSpec& kernel, int64_t count,
                     std::span<const LaunchArgument> arguments) {
  return LaunchForEach(DeviceOf(context), kernel, count, arguments);
}

StatusOr<Tensor*> AllocateHostOutput(KernelContext& context, int i, DType dtype,
                                     const Shape& shape) {
  RAMET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  context.SetOutput(i, std::move(tensor));
  return &context.output(i).tensor;
}

Status CopyElements(KernelContext& context, const Tensor& from, Tensor& to) {
  GpuDevice& device = DeviceOf(context);
  return device.Checked(
      device.queue().Copy(GpuBuffer::BlockOf(to), GpuBuffer::BlockOf(from), from.bytes()));
}

Status FillWithZeros(KernelContext& context, Tensor& tensor) {
  GpuDevice& device = DeviceOf(context);
  return device.Checked(device.queue().Zero(GpuBuffer::BlockOf(tensor), tensor.bytes()));
}

}  // namespace ramet::gpu
