#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "ramet/backends/gpu/gpu_device.h"
#include "ramet/backends/gpu/testing/forwarding_device.h"
#include "ramet/backends/gpu/testing/test_device.h"

namespace ramet::gpu {
namespace {

using ::testing::HasSubstr;

// Holds back the events of copies to the host until it is open, or makes them fail.
struct CopyGate {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = true;
  Status status;
  int waited = 0;  // events that were waited for

  void Set(bool is_open, Status result = OkStatus()) {
    std::lock_guard lock(mutex);
    open = is_open;
    status = std::move(result);
    changed.notify_all();
  }
  Status Pass() {
    std::unique_lock lock(mutex);
    ++waited;
    changed.notify_all();
    changed.wait(lock, [&] { return open; });
    return status;
  }
  void WaitForWaiter() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return waited > 0; });
  }
};

class GatedEvent final : public DriverEvent {
 public:
  GatedEvent(CopyGate& gate, std::unique_ptr<DriverEvent> event)
      : gate_(gate), event_(std::move(event)) {}
  Status Wait() override {
    const Status passed = gate_.Pass();
    const Status done = event_->Wait();
    return passed.ok() ? done : passed;
  }
  bool IsDone() override { return false; }

 private:
  CopyGate& gate_;
  std::unique_ptr<DriverEvent> event_;
};

class GatedQueue final : public DriverQueue {
 public:
  GatedQueue(CopyGate& gate, std::unique_ptr<DriverQueue> queue)
      : gate_(gate), queue_(std::move(queue)) {}
  Status Launch(DriverFunction& function, const LaunchSize& size,
                std::span<const KernelArgument> arguments) override {
    return queue_->Launch(function, size, arguments);
  }
  Status CopyFromHost(DriverMemory& to, std::span<const std::byte> from,
                      std::unique_ptr<DriverEvent>* done) override {
    return queue_->CopyFromHost(to, from, done);
  }
  Status CopyToHost(std::span<std::byte> to, const DriverMemory& from) override {
    return queue_->CopyToHost(to, from);
  }
  Status StartCopyToHost(std::span<std::byte> to, const DriverMemory& from,
                         std::unique_ptr<DriverEvent>* done) override {
    std::unique_ptr<DriverEvent> event;
    RAMET_RETURN_IF_ERROR(queue_->StartCopyToHost(to, from, &event));
    *done = std::make_unique<GatedEvent>(gate_, std::move(event));
    return OkStatus();
  }
  Status Copy(DriverMemory& to, const DriverMemory& from, size_t bytes) override {
    return queue_->Copy(to, from, bytes);
  }
  Status Zero(DriverMemory& memory, size_t bytes) override { return queue_->Zero(memory, bytes); }
  StatusOr<std::unique_ptr<DriverEvent>> Record() override { return queue_->Record(); }
  Status WaitFor(DriverEvent& event) override { return queue_->WaitFor(event); }
  Status Flush() override { return queue_->Flush(); }
  Status Finish() override { return queue_->Finish(); }

 private:
  CopyGate& gate_;
  std::unique_ptr<DriverQueue> queue_;
};

// A device whose queues pass a gate.
class GatedDriver final : public ForwardingDevice {
 public:
  GatedDriver(CopyGate& gate, DriverDevice& device) : ForwardingDevice(device), gate_(gate) {}

 private:
  std::unique_ptr<DriverQueue> Wrap(std::unique_ptr<DriverQueue> queue) override {
    return std::make_unique<GatedQueue>(gate_, std::move(queue));
  }

  CopyGate& gate_;
};

class CopyQueueTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RAMET_NEEDS_OPENCL_CPU();
    driver_ = std::make_unique<GatedDriver>(gate_, *TestDriverDevice());
    device_ = GpuDevice::Make(0, *driver_, 1.0).value();
  }
  static std::span<std::byte> BytesOf(Tensor& tensor) {
    return {static_cast<std::byte*>(tensor.raw_data()), tensor.bytes()};
  }

  CopyGate gate_;
  std::unique_ptr<GatedDriver> driver_;
  std::unique_ptr<GpuDevice> device_;
};

TEST_F(CopyQueueTest, CopiesOutWithoutHoldingUpTheDevice) {
  const Tensor first = Tensor::Vector<float>({1, 2, 3, 4});
  const Tensor there = device_->CopyFromHost(first).value();
  const auto mark = device_->Mark().value();
  gate_.Set(false);
  Tensor copy(kFloat, {4}), nothing(kFloat, {0});
  const Tensor no_elements = device_->CopyFromHost(nothing).value();
  Status copied = Internal("not copied");
  std::thread copying([&] {
    const BackgroundCopier::Copy copies[] = {{there, BytesOf(copy)},
                                             {no_elements, BytesOf(nothing)}};
    copied = device_->CopyOut(*mark, copies);
  });
  gate_.WaitForWaiter();
  const Tensor later = Tensor::Vector<float>({5, 6});
  EXPECT_TRUE(
      device_->CopyToHost(device_->CopyFromHost(later).value()).value().BitwiseEquals(later));
  EXPECT_TRUE(device_->Synchronize().ok());
  gate_.Set(true);
  copying.join();
  EXPECT_TRUE(copied.ok()) << copied.message();
  EXPECT_TRUE(copy.BitwiseEquals(first));
}

TEST_F(CopyQueueTest, WaitsForAllCopiesWhenOneFails) {
  const Tensor there = device_->CopyFromHost(Tensor::Vector<float>({1, 2})).value();
  const auto mark = device_->Mark().value();
  gate_.Set(true, Internal("the device is lost"));
  Tensor a(kFloat, {2}), b(kFloat, {2});
  const BackgroundCopier::Copy copies[] = {{there, BytesOf(a)}, {there, BytesOf(b)}};
  EXPECT_THAT(device_->CopyOut(*mark, copies).message(), HasSubstr("the device is lost"));
  EXPECT_EQ(gate_.waited, 2);
}

TEST_F(CopyQueueTest, CopiesIn) {
  const Tensor values[] = {Tensor::Vector<float>({1, 2, 3}), Tensor(kInt32, {0, 2}),
                           Tensor::Vector<int64_t>({4})};
  const std::vector<Tensor> there = device_->CopyIn(values).value();
  for (size_t i = 0; i < there.size(); ++i) {
    EXPECT_EQ(there[i].memory(), device_->memory());
    EXPECT_TRUE(device_->CopyToHost(there[i]).value().BitwiseEquals(values[i]));
  }
  const Tensor text[] = {Tensor("text")};
  EXPECT_TRUE(IsInvalidArgument(device_->CopyIn(text).status()));
}

TEST_F(CopyQueueTest, CountsCopies) {
  const DeviceWork before = device_->work();
  const Tensor values[] = {Tensor::Vector<float>({1, 2, 3}), Tensor::Vector<int64_t>({4})};
  const std::vector<Tensor> there = device_->CopyIn(values).value();
  const auto mark = device_->Mark().value();
  Tensor copy(kFloat, {3});
  const BackgroundCopier::Copy copies[] = {{there[0], BytesOf(copy)}};
  ASSERT_TRUE(device_->CopyOut(*mark, copies).ok());
  const DeviceWork work = device_->work() - before;
  EXPECT_EQ(work.copies_to_device, 2);
  EXPECT_EQ(work.bytes_to_device, 3 * 4 + 8);
  EXPECT_EQ(work.copies_to_host, 1);
  EXPECT_EQ(work.bytes_to_host, 3 * 4);
  EXPECT_EQ(work.launches, 0);
}

}  // namespace
}  // namespace ramet::gpu
