#include "ramet/backends/gpu/driver/cuda/cuda_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "ramet/backends/gpu/driver/cuda/cuda_api.h"
#include "ramet/backends/gpu/testing/fake_cuda_device.h"
#include "ramet/base/strings.h"

// Tests of failures, with the double of NVIDIA's driver. driver_test.cc has those of the seam.

namespace ramet::gpu::cuda {
namespace {

using ::testing::ElementsAre;
using testing::FakeCuda;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Libraries kFake = {RAMET_FAKE_CUDA, {RAMET_FAKE_CUDA}};

// Returns the work of a graph with one element.
GraphWork WorkOf(std::function<Status(DriverQueue& capturing)> enqueue) {
  return {{{}}, [enqueue = std::move(enqueue)](size_t, DriverQueue& capturing) {
            return enqueue(capturing);
          }};
}

class CudaDriverTest : public ::testing::Test {
 protected:
  ~CudaDriverTest() override {
    unsetenv("CUDA_VISIBLE_DEVICES");
    const FakeCuda defaults;
    fake_.driver_version = defaults.driver_version;
    fake_.init_result = defaults.init_result;
    fake_.devices = defaults.devices;
    fake_.arch = defaults.arch;
    fake_.lost = defaults.lost;
    fake_.compiler_version = defaults.compiler_version;
    fake_.capture_result = defaults.capture_result;
    fake_.graph_launch_result = defaults.graph_launch_result;
    fake_.launch = nullptr;
    EXPECT_FALSE(fake_.has_bad_access);
  }
  static Status Open(const Libraries& libraries = kFake) { return OpenDevices(libraries).status(); }
  FakeCuda& fake_ = testing::TheFakeCuda();
};

TEST_F(CudaDriverTest, AMissingDriverIsNamed) {
  const Status missing = Open({"libNoCuda.so.1", {}});
  EXPECT_TRUE(IsNotFound(missing));
  EXPECT_THAT(missing.message(), HasSubstr("cannot open libNoCuda.so.1"));
  EXPECT_THAT(missing.message(), HasSubstr("libcuda1"));
  EXPECT_THAT(Open({"libm.so.6", {}}).message(), HasSubstr("has no function cuInit"));
}

TEST_F(CudaDriverTest, ADriverThatIsTooOldSaysWhichIsNeeded) {
  fake_.driver_version = 10010;
  const Status old = Open();
  EXPECT_TRUE(IsFailedPrecondition(old));
  EXPECT_THAT(old.message(), HasSubstr("supports CUDA 10.1; Ramet needs 11.2 or later"));
}

TEST_F(CudaDriverTest, ADriverThatCannotStartSaysWhatToDo) {
  for (const auto& [result, advice] :
       {std::pair{api::k_CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "reboot"},
        {api::k_CUDA_ERROR_STUB_LIBRARY, "stubs"},
        {api::k_CUDA_ERROR_UNKNOWN, "nvidia_uvm"}}) {
    fake_.init_result = result;
    const Status failed = Open();
    EXPECT_TRUE(IsFailedPrecondition(failed));
    EXPECT_THAT(failed.message(), HasSubstr(StrCat("(", result, ")")));
    EXPECT_THAT(failed.message(), HasSubstr(advice));
  }
  fake_.init_result = 0;
  fake_.devices = 0;
  EXPECT_TRUE(IsNotFound(Open()));
}

TEST_F(CudaDriverTest, ACompilerThatCannotBeUsedIsNamedWithTheReason) {
  const Status missing = Open({RAMET_FAKE_CUDA, {"libNoNvrtc.so.1", "libm.so.6"}});
  EXPECT_TRUE(IsNotFound(missing));
  EXPECT_THAT(missing.message(), HasSubstr("cannot open libNoNvrtc.so.1"));
  EXPECT_THAT(missing.message(), HasSubstr("libm.so.6 has no function nvrtcVersion"));
  EXPECT_THAT(missing.message(), HasSubstr("/usr/local/cuda"));
  EXPECT_THAT(missing.message(), HasSubstr("nvidia-cuda-nvrtc-cu12"));
  fake_.driver_version = 12040;
  fake_.compiler_version = 13;
  EXPECT_THAT(Open().message(), HasSubstr("is of CUDA 13.0, but the driver supports CUDA 12.4"));
  fake_.compiler_version = 12;
  fake_.arch = 61;
  EXPECT_THAT(Open().message(), HasSubstr("does not support sm_61"));
}

TEST_F(CudaDriverTest, CompilesForTheGpuOrPtxForANewerOne) {
  for (const auto& [arch, option] :
       {std::pair{90, "=sm_90\n"}, {75, "=sm_75\n"}, {120, "=compute_90\n"}}) {
    fake_.arch = arch;
    DriverDevice* const device = OpenDevices(kFake).value().front();
    const std::string image = device->Compile("KERNEL(f)() {}", "-a  -b").value()->Binary().value();
    EXPECT_THAT(image, HasSubstr(option));
    EXPECT_THAT(image, HasSubstr("// -a\n// -b\n"));
    EXPECT_THAT(device->info().driver_version, HasSubstr(StrCat("sm_", arch)));
  }
}

TEST_F(CudaDriverTest, TheEnvironmentHidesGpus) {
  fake_.devices = 3;
  EXPECT_EQ(OpenDevices(kFake).value().size(), 3u);
  setenv("CUDA_VISIBLE_DEVICES", "2,0", 1);
  const auto devices = OpenDevices(kFake).value();
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0]->info().name, "Fake GPU 2");
  EXPECT_EQ(devices[1]->info().name, "Fake GPU 0");
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  EXPECT_THAT(OpenDevices(kFake).value(), IsEmpty());
}

TEST_F(CudaDriverTest, OutOfMemoryIsAnErrorAfterWhichTheDeviceIsUsable) {
  DriverDevice* const device = OpenDevices(kFake).value().front();
  const Status full = device->Allocate(fake_.memory_bytes + 1).status();
  EXPECT_TRUE(IsResourceExhausted(full));
  EXPECT_THAT(full.message(), HasSubstr("CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"));
  EXPECT_TRUE(device->Allocate(fake_.memory_bytes / 2).ok());
}

TEST_F(CudaDriverTest, ALostDeviceFailsWithAdviceAndLeavesNothing) {
  DriverDevice* const device = OpenDevices(kFake).value().front();
  const FakeCuda before = fake_;
  {
    auto queue = device->MakeQueue().value();
    auto memory = device->Allocate(16).value();
    auto other = device->Allocate(16).value();
    auto event = queue->Record().value();
    auto module = device->Compile("KERNEL(f)() {}", "").value();
    auto function = module->Function("f").value();
    std::array<std::byte, 16> bytes = {};
    ASSERT_TRUE(queue->CopyFromHost(*memory, bytes, nullptr).ok());
    auto graph =
        queue->Capture(WorkOf([&](DriverQueue& q) { return q.Zero(*memory, 16); })).value();
    fake_.lost = api::k_CUDA_ERROR_LAUNCH_FAILED;
    const Status failures[] = {
        queue->Launch(*function, {}, {}),
        queue->CopyFromHost(*memory, bytes, nullptr),
        queue->CopyToHost(bytes, *memory),
        queue->StartCopyToHost(bytes, *memory, &event),
        queue->Copy(*other, *memory, 16),
        queue->Zero(*memory, 16),
        queue->Record().status(),
        queue->WaitFor(*event),
        queue->LaunchGraph(*graph),
        queue->Capture(WorkOf([](DriverQueue&) { return OkStatus(); })).status(),
        queue->Finish(),
        event->Wait(),
        device->Allocate(16).status(),
        device->MakeQueue().status(),
        module->Function("f").status(),
        device->Compile("x", "").status()};
    for (const Status& failure : failures) {
      EXPECT_TRUE(IsInternal(failure)) << failure.ToString();
      EXPECT_THAT(failure.message(), HasSubstr("failed with a CUDA error (719)"));
      EXPECT_THAT(failure.message(), HasSubstr("restart it"));
    }
    EXPECT_TRUE(event->IsDone());  // nobody waits for a lost device
  }
  EXPECT_EQ(fake_.memories, before.memories);
  EXPECT_EQ(fake_.events, before.events);
  EXPECT_EQ(fake_.streams, before.streams);
  EXPECT_EQ(fake_.modules, before.modules);
  EXPECT_EQ(fake_.graphs, before.graphs);
  EXPECT_EQ(fake_.host_memories, before.host_memories);
}

TEST_F(CudaDriverTest, RegistersHostMemoryUntilItIsReleased) {
  DriverDevice* const device = OpenDevices(kFake).value().front();
  std::vector<std::byte> host(8 << 20);  // too large for the staging ring
  const FakeCuda before = fake_;
  {
    const auto registered = device->RegisterHostMemory(host, HostAccess::kReadWrite).value();
    ASSERT_NE(registered, nullptr);
    EXPECT_EQ(fake_.registered, before.registered + 1);
    // The first registration holds for all devices.
    EXPECT_EQ(device->RegisterHostMemory(host, HostAccess::kReadOnly).value(), nullptr);
    auto queue = device->MakeQueue().value();
    auto memory = device->Allocate(host.size()).value();
    ASSERT_TRUE(queue->CopyFromHost(*memory, host, nullptr).ok());
    ASSERT_TRUE(queue->CopyToHost(std::span(host).subspan(16), *memory).ok());
    EXPECT_EQ(fake_.bytes_copied_directly - before.bytes_copied_directly, 2 * host.size() - 16);
  }
  EXPECT_EQ(fake_.registered, before.registered);
}

TEST_F(CudaDriverTest, ARefusedRegistrationSaysWhy) {
  DriverDevice* const device = OpenDevices(kFake).value().front();
  std::vector<std::byte> host(4096);
  fake_.register_status = api::k_CUDA_ERROR_OUT_OF_MEMORY;
  const Status refused = device->RegisterHostMemory(host, HostAccess::kReadWrite).status();
  fake_.register_status = 0;
  EXPECT_TRUE(IsResourceExhausted(refused));
  EXPECT_THAT(refused.message(), HasSubstr("cuMemHostRegister of 4096 bytes"));
  fake_.has_read_only_register = false;
  const Status read_only = device->RegisterHostMemory(host, HostAccess::kReadOnly).status();
  fake_.has_read_only_register = true;
  EXPECT_THAT(read_only.message(), HasSubstr("cannot copy directly from read-only memory"));
}

TEST_F(CudaDriverTest, SharedMemoryIsOpenedByItsDescriptor) {
  DriverDevice* const device = OpenDevices(kFake).value().front();
  const FakeCuda before = fake_;
  {
    const auto shared = device->AllocateShared(100).value();
    const auto opened = device->OpenShared(shared->fd(), shared->size()).value();
    EXPECT_EQ(opened->size(), shared->size());
    EXPECT_EQ(opened->fd(), -1);
    auto queue = device->MakeQueue().value();
    const std::vector<int> values = {1, 2, 3, 4};
    std::vector<int> found(4);
    ASSERT_TRUE(
        queue->CopyFromHost(*shared->At(256), std::as_bytes(std::span(values)), nullptr).ok());
    ASSERT_TRUE(queue->CopyToHost(std::as_writable_bytes(std::span(found)), *opened->At(256)).ok());
    EXPECT_EQ(found, values);
  }
  EXPECT_EQ(fake_.shared, before.shared);
  EXPECT_EQ(fake_.bytes_in_use, before.bytes_in_use);
}

TEST_F(CudaDriverTest, WhatIsNotSharedMemoryOfTheDeviceIsAnError) {
  fake_.devices = 2;
  const auto devices = OpenDevices(kFake).value();
  const FakeCuda before = fake_;
  {
    const auto shared = devices[0]->AllocateShared(100).value();
    const size_t size = shared->size();
    EXPECT_TRUE(IsInvalidArgument(devices[0]->OpenShared(shared->fd(), size - 1).status()));
    EXPECT_TRUE(IsInvalidArgument(devices[0]->OpenShared(shared->fd(), 0).status()));
    EXPECT_FALSE(devices[0]->OpenShared(shared->fd(), 2 * size).ok());
    EXPECT_FALSE(devices[0]->OpenShared(-1, size).ok());
    EXPECT_FALSE(devices[0]->OpenShared(0, size).ok());
    const Status other = devices[1]->OpenShared(shared->fd(), size).status();
    EXPECT_THAT(other.message(), HasSubstr("received shared memory of device 0; expected 1"));
  }
  EXPECT_EQ(fake_.shared, before.shared);
  EXPECT_TRUE(IsResourceExhausted(devices[0]->AllocateShared(fake_.memory_bytes + 1).status()));
}

TEST_F(CudaDriverTest, TheKeyOfSharedMemoryNamesTheCardAndTheDriver) {
  const auto key = [&] { return OpenDevices(kFake).value().front()->SharingKey(); };
  const std::string first = key();
  EXPECT_EQ(first, key());
  EXPECT_THAT(first, HasSubstr("cuda:13000:"));
  fake_.driver_version = 12040;
  EXPECT_NE(key(), first);
  fake_.driver_version = 13000;
  fake_.uuid = 2;
  EXPECT_NE(key(), first);
  fake_.uuid = 1;
  fake_.can_share = false;
  EXPECT_EQ(key(), "");
  fake_.can_share = true;
}

TEST_F(CudaDriverTest, ReleasesItsObjects) {
  DriverDevice* const device = OpenDevices(kFake).value().front();
  const FakeCuda before = fake_;
  for (int i = 0; i < 3; ++i) {
    auto queue = device->MakeQueue().value();
    auto memory = device->Allocate(16).value();
    ASSERT_TRUE(queue->Zero(*memory, 16).ok());
    ASSERT_TRUE(queue->Record().ok());
    ASSERT_TRUE(device->Compile("KERNEL(f)() {}", "").ok());
    const std::byte bytes[16] = {};
    ASSERT_TRUE(queue->CopyFromHost(*memory, bytes, nullptr).ok());
    ASSERT_TRUE(queue->Capture(WorkOf([&](DriverQueue& q) { return q.Zero(*memory, 16); })).ok());
  }
  EXPECT_EQ(fake_.memories, before.memories);
  EXPECT_EQ(fake_.events, before.events);
  EXPECT_EQ(fake_.streams, before.streams);
  EXPECT_EQ(fake_.modules, before.modules);
  EXPECT_EQ(fake_.graphs, before.graphs);
  EXPECT_EQ(fake_.host_memories, before.host_memories);
}

// Returns the numbers in a block of a queue.
std::vector<int> Read(DriverQueue& queue, const DriverMemory& memory, size_t count) {
  std::vector<int> values(count);
  EXPECT_TRUE(queue.CopyToHost(std::as_writable_bytes(std::span(values)), memory).ok());
  return values;
}

TEST_F(CudaDriverTest, HostMemoryMayChangeAfterACopyFromIt) {
  DriverDevice* const device = OpenDevices(kFake).value().front();
  auto queue = device->MakeQueue().value();
  // The third one does not fit next to the second one, and the last one is not staged.
  const size_t counts[] = {1000, 700'000, 600'000, 500'000, 400'000, 1, 2'000'000};
  std::vector<std::unique_ptr<DriverMemory>> blocks;
  std::vector<int> host;
  for (size_t i = 0; i < std::size(counts); ++i) {
    blocks.push_back(device->Allocate(counts[i] * sizeof(int)).value());
    host.assign(counts[i], static_cast<int>(i));
    ASSERT_TRUE(queue->CopyFromHost(*blocks[i], std::as_bytes(std::span(host)), nullptr).ok());
    std::ranges::fill(host, -1);
  }
  for (size_t i = 0; i < std::size(counts); ++i) {
    EXPECT_EQ(Read(*queue, *blocks[i], counts[i]), std::vector(counts[i], static_cast<int>(i)));
  }
}

TEST_F(CudaDriverTest, SmallCopiesFromTheHostDoNotWaitForEarlierWork) {
  DriverDevice* const device = OpenDevices(kFake).value().front();
  auto queue = device->MakeQueue().value();
  auto module = device->Compile("KERNEL(f)() {}", "").value();
  auto function = module->Function("f").value();
  bool has_run = false;
  fake_.launch = [&](const std::string&, void**) { return [&] { has_run = true; }; };
  ASSERT_TRUE(queue->Launch(*function, {}, {}).ok());
  auto memory = device->Allocate(16).value();
  const std::byte bytes[16] = {};
  ASSERT_TRUE(queue->CopyFromHost(*memory, bytes, nullptr).ok());
  EXPECT_FALSE(has_run);
  ASSERT_TRUE(queue->Finish().ok());
  EXPECT_TRUE(has_run);
}

TEST_F(CudaDriverTest, GraphsRunTheWorkThatWasCaptured) {
  DriverDevice* const device = OpenDevices(kFake).value().front();
  auto queue = device->MakeQueue().value();
  auto module = device->Compile("KERNEL(f)() {}", "").value();
  auto function = module->Function("f").value();
  fake_.launch = [](const std::string&, void** arguments) -> std::function<void()> {
    const auto x = reinterpret_cast<int*>(*static_cast<uint64_t*>(arguments[0]));
    return [x, added = *static_cast<int*>(arguments[1])] { *x += added; };
  };
  auto x = device->Allocate(4).value();
  auto y = device->Allocate(4).value();
  ASSERT_TRUE(queue->Zero(*x, 4).ok());
  auto graph = queue->Capture(WorkOf([&](DriverQueue& capturing) -> Status {
    for (int i : {1, 10}) {
      const KernelArgument arguments[] = {*x, i};
      RAMET_RETURN_IF_ERROR(capturing.Launch(*function, {}, arguments));
    }
    return capturing.Copy(*y, *x, 4);
  }));
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  EXPECT_EQ(Read(*queue, *x, 1)[0], 0);
  ASSERT_TRUE(queue->LaunchGraph(**graph).ok());
  EXPECT_EQ(Read(*queue, *y, 1)[0], 11);
  ASSERT_TRUE(queue->LaunchGraph(**graph).ok());
  graph->reset();  // the enqueued work keeps it
  EXPECT_EQ(Read(*queue, *y, 1)[0], 22);
}

// The double runs the last element first that may run.
TEST_F(CudaDriverTest, ElementsOfAGraphFollowThoseThatTheyMust) {
  DriverDevice* const device = OpenDevices(kFake).value().front();
  auto queue = device->MakeQueue().value();
  auto module = device->Compile("KERNEL(f)() {}", "").value();
  auto function = module->Function("f").value();
  std::vector<int> order;
  fake_.launch = [&](const std::string&, void** arguments) -> std::function<void()> {
    return [&order, i = *static_cast<int*>(arguments[0])] { order.push_back(i); };
  };
  const auto order_of = [&](std::vector<std::vector<uint32_t>> after) {
    const GraphWork work = {std::move(after), [&](size_t i, DriverQueue& capturing) {
                              const KernelArgument arguments[] = {static_cast<int>(i)};
                              return capturing.Launch(*function, {}, arguments);
                            }};
    order.clear();
    EXPECT_TRUE(queue->LaunchGraph(*queue->Capture(work).value()).ok());
    EXPECT_TRUE(queue->Finish().ok());
    return order;
  };
  EXPECT_THAT(order_of({{}, {0}, {1}}), ElementsAre(0, 1, 2));
  EXPECT_THAT(order_of({{}, {}, {}}), ElementsAre(2, 1, 0));
  EXPECT_THAT(order_of({{}, {0}, {}, {0, 2}, {1}}), ElementsAre(2, 0, 3, 1, 4));
}

TEST_F(CudaDriverTest, WorkThatCannotBeCapturedIsAnErrorThatLeavesNothing) {
  DriverDevice* const device = OpenDevices(kFake).value().front();
  auto queue = device->MakeQueue().value();
  auto memory = device->Allocate(16).value();
  const FakeCuda before = fake_;
  const auto zero = [&](DriverQueue& capturing) { return capturing.Zero(*memory, 16); };
  const auto waits =
      queue->Capture(WorkOf([](DriverQueue& capturing) { return capturing.Finish(); }));
  EXPECT_THAT(waits.status().message(), HasSubstr("(900)"));
  fake_.capture_result = 901;
  EXPECT_THAT(queue->Capture(WorkOf(zero)).status().message(),
              HasSubstr("cuStreamEndCapture failed with a CUDA error (901)"));
  fake_.capture_result = 0;
  EXPECT_EQ(fake_.graphs, before.graphs);
  EXPECT_EQ(fake_.streams, before.streams);
  const auto graph = queue->Capture(WorkOf(zero)).value();
  fake_.graph_launch_result = 1;
  EXPECT_THAT(queue->LaunchGraph(*graph).message(), HasSubstr("cuGraphLaunch failed with"));
  EXPECT_TRUE(queue->Finish().ok());
}

}  // namespace
}  // namespace ramet::gpu::cuda
