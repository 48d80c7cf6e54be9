#include "ramet/backends/gpu/driver/cuda/cuda_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "ramet/backends/gpu/driver/cuda/cuda_api.h"
#include "ramet/backends/gpu/testing/fake_cuda_device.h"
#include "ramet/base/strings.h"

// Tests of failures, with the double of NVIDIA's driver. driver_test.cc has those of the seam.

namespace ramet::gpu::cuda {
namespace {

using testing::FakeCuda;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Libraries kFake = {RAMET_FAKE_CUDA, {RAMET_FAKE_CUDA}};

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
    fake_.lost = api::k_CUDA_ERROR_LAUNCH_FAILED;
    const Status failures[] = {queue->Launch(*function, {}, {}),
                               queue->CopyFromHost(*memory, bytes, nullptr),
                               queue->CopyToHost(bytes, *memory),
                               queue->StartCopyToHost(bytes, *memory, &event),
                               queue->Copy(*other, *memory, 16),
                               queue->Zero(*memory, 16),
                               queue->Record().status(),
                               queue->WaitFor(*event),
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
  }
  EXPECT_EQ(fake_.memories, before.memories);
  EXPECT_EQ(fake_.events, before.events);
  EXPECT_EQ(fake_.streams, before.streams);
  EXPECT_EQ(fake_.modules, before.modules);
}

}  // namespace
}  // namespace ramet::gpu::cuda
