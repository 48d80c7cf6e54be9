#include "ramet/backends/gpu/device_queue.h"

#include <gtest/gtest.h>

#include "ramet/backends/gpu/memory/caching_allocator.h"
#include "ramet/backends/gpu/testing/fake_cuda_device.h"

namespace ramet::gpu {
namespace {

// A buffer whose end waits for the queue, as that of memory that processes share.
class WaitingBuffer final : public GpuBuffer {
 public:
  WaitingBuffer(std::unique_ptr<DriverMemory> block, DeviceQueue& queue, int* ends)
      : GpuBuffer(4, std::move(block), nullptr), queue_(queue), ends_(*ends) {}

 private:
  void Dispose() override {
    EXPECT_TRUE(queue_.Finish().ok());
    ++ends_;
    delete this;
  }
  DeviceQueue& queue_;
  int& ends_;
};

// Starts each launch without merging it.
class SingleKernel final : public MergingKernel {
 public:
  explicit SingleKernel(DriverFunction& function) : function_(function) {}
  size_t max_merged() const override { return 2; }
  StatusOr<ReadyLaunch> Merge(std::span<const HeldLaunch>) const override {
    ReadyLaunch launch;
    launch.function = &function_;
    return launch;
  }

 private:
  DriverFunction& function_;
};

TEST(DeviceQueueTest, TheEndOfATensorMayWaitForTheQueue) {
  DriverDevice* const device =
      cuda::OpenDevices({RAMET_FAKE_CUDA, {RAMET_FAKE_CUDA}}).value().front();
  const auto module = device->Compile("KERNEL(f)() {}", "").value();
  const auto function = module->Function("f").value();
  DeviceQueue queue(device->MakeQueue().value());
  const SingleKernel kernel(*function);
  int ends = 0;
  const auto hold = [&] {
    auto* const buffer = new WaitingBuffer(device->Allocate(4).value(), queue, &ends);
    const Tensor tensor(kFloat, Shape{}, BufferPtr::Adopt(buffer));
    return queue.LaunchMerged(kernel, {.read = {tensor}, .written = {}, .count = 1});
  };
  ASSERT_TRUE(hold().ok());
  EXPECT_EQ(ends, 0);
  ASSERT_TRUE(hold().ok());  // starts both
  EXPECT_EQ(ends, 2);
  ASSERT_TRUE(hold().ok());
  ASSERT_TRUE(queue.Flush().ok());
  EXPECT_EQ(ends, 3);
}

}  // namespace
}  // namespace ramet::gpu
