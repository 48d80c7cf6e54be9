#include "ramet/backends/gpu/launch_merger.h"

#include <algorithm>
#include <iterator>

#include "ramet/backends/gpu/memory/caching_allocator.h"

namespace ramet::gpu {
namespace {

bool UseAnyOf(std::span<const Tensor> tensors, const std::vector<const DriverMemory*>& blocks) {
  return std::ranges::any_of(tensors, [&](const Tensor& t) {
    return std::ranges::find(blocks, &GpuBuffer::BlockOf(t)) != blocks.end();
  });
}

}  // namespace

Status LaunchMerger::Add(const MergingKernel& kernel, HeldLaunch launch) {
  if (kernel_ != &kernel || DependsOnHeld(launch)) RAMET_RETURN_IF_ERROR(Start());
  kernel_ = &kernel;
  for (const Tensor& t : launch.read) read_.push_back(&GpuBuffer::BlockOf(t));
  for (const Tensor& t : launch.written) written_.push_back(&GpuBuffer::BlockOf(t));
  held_.push_back(std::move(launch));
  return held_.size() < kernel.max_merged() ? OkStatus() : Start();
}

Status LaunchMerger::Start() {
  if (held_.empty()) return OkStatus();
  read_.clear();
  written_.clear();
  const auto merged = kernel_->Merge(held_);
  if (merged.ok() && held_.size() > 1) ++merged_;
  std::ranges::move(held_, std::back_inserter(started_));
  held_.clear();
  RAMET_RETURN_IF_ERROR(merged.status());
  return queue_.Launch(*merged->function, merged->size, merged->arguments);
}

bool LaunchMerger::Uses(const DriverMemory* block) const {
  return std::ranges::find(read_, block) != read_.end() ||
         std::ranges::find(written_, block) != written_.end();
}

bool LaunchMerger::DependsOnHeld(const HeldLaunch& launch) const {
  return UseAnyOf(launch.read, written_) || UseAnyOf(launch.written, written_) ||
         UseAnyOf(launch.written, read_);
}

}  // namespace ramet::gpu
