#include "ramet/backends/gpu/driver/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include "ramet/backends/gpu/codegen/dialect.h"
#include "ramet/backends/gpu/driver/driver_choice.h"
#include "ramet/backends/gpu/driver/opencl/opencl_library.h"
#include "ramet/backends/gpu/testing/fake_cuda_device.h"
#include "ramet/backends/gpu/testing/test_device.h"

namespace ramet::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kScale[] = R"(
  KERNEL(scale)(GLOBAL f32* x, f32 factor, i32 n) {
    int i = GLOBAL_ID(0);
    if (i < n) x[i] *= factor;
  })";

// Runs kScale on the double of CUDA's driver.
std::function<void()> ScaleOnHost(const std::string& /*kernel*/, void** arguments) {
  const auto x = reinterpret_cast<float*>(*static_cast<uint64_t*>(arguments[0]));
  const float factor = *static_cast<float*>(arguments[1]);
  const int n = *static_cast<int*>(arguments[2]);
  return [=] {
    for (int i = 0; i < n; ++i) x[i] *= factor;
  };
}

// A test of the seam on the device of the tests, or on the double of CUDA's driver.
class DriverTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) {
      device_ = testing::FakeCudaDevice();
      testing::TheFakeCuda().launch = ScaleOnHost;
      return;
    }
    RAMET_NEEDS_TEST_DEVICE();
    device_ = TestDriverDevice();
  }
  void TearDown() override { EXPECT_FALSE(testing::TheFakeCuda().has_bad_access); }
  bool IsCuda() const { return device_->info().language == Language::kCudaCpp; }
  // Reports whether the compiler is one, not its double.
  bool HasCompiler() const { return !GetParam() || testing::HasNvrtc(); }
  std::string Source(std::string_view kernel) const {
    return StrCat(DialectPrelude(device_->info().language, true, false), kernel);
  }
  DriverDevice* device_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Drivers, DriverTest, ::testing::Values(false, true),
                         [](const auto& test) { return test.param ? "FakeCuda" : "Device"; });

template <class T>
std::span<const std::byte> Bytes(const std::vector<T>& v) {
  return std::as_bytes(std::span(v));
}

TEST_P(DriverTest, RunsKernelsInTheOrderOfTheQueue) {
  DriverDevice& device = *device_;
  auto module = device.Compile(Source(kScale), "").value();
  auto scale = module->Function("scale").value();
  auto queue = device.MakeQueue().value();
  std::vector<float> values(1000);
  std::iota(values.begin(), values.end(), 0.0f);
  auto memory = device.Allocate(values.size() * sizeof(float)).value();
  auto copy = device.Allocate(values.size() * sizeof(float)).value();
  std::unique_ptr<DriverEvent> copied;
  ASSERT_TRUE(queue->CopyFromHost(*memory, Bytes(values), &copied).ok());
  const LaunchSize size{{4, 1, 1}, {256, 1, 1}};
  for (float factor : {3.0f, 5.0f}) {
    const KernelArgument arguments[] = {*memory, factor, 1000};
    ASSERT_TRUE(queue->Launch(*scale, size, arguments).ok());
  }
  ASSERT_TRUE(queue->Copy(*copy, *memory, values.size() * sizeof(float)).ok());
  memory.reset();  // the enqueued work keeps it
  std::vector<float> result(values.size());
  ASSERT_TRUE(queue->CopyToHost(std::as_writable_bytes(std::span(result)), *copy).ok());
  EXPECT_TRUE(copied->Wait().ok());
  EXPECT_TRUE(copied->IsDone());
  for (size_t i = 0; i < result.size(); ++i) EXPECT_EQ(result[i], 15 * values[i]);
}

TEST_P(DriverTest, ZeroesMemoryAndWaitsForEventsOfOtherQueues) {
  DriverDevice& device = *device_;
  auto first = device.MakeQueue().value();
  auto second = device.MakeQueue().value();
  std::vector<int> values(64, 7);
  auto memory = device.Allocate(64 * sizeof(int)).value();
  std::unique_ptr<DriverEvent> copied;
  ASSERT_TRUE(first->CopyFromHost(*memory, Bytes(values), &copied).ok());
  ASSERT_TRUE(first->Zero(*memory, 32 * sizeof(int)).ok());
  auto zeroed = first->Record().value();
  ASSERT_TRUE(first->Flush().ok());
  ASSERT_TRUE(second->WaitFor(*zeroed).ok());
  std::vector<int> result(64);
  ASSERT_TRUE(second->CopyToHost(std::as_writable_bytes(std::span(result)), *memory).ok());
  EXPECT_EQ(result[31], 0);
  EXPECT_EQ(result[32], 7);
  EXPECT_TRUE(first->Finish().ok());
}

TEST_P(DriverTest, LoadsModulesFromTheirBytes) {
  DriverDevice& device = *device_;
  const std::string binary = device.Compile(Source(kScale), "").value()->Binary().value();
  EXPECT_TRUE(device.Load(binary, "").value()->Function("scale").ok());
  EXPECT_TRUE(IsInvalidArgument(device.Load("no module", "").status()));
}

TEST_P(DriverTest, ErrorsAreStatuses) {
  DriverDevice& device = *device_;
  if (HasCompiler()) {
    const Status compiled = device.Compile(Source("KERNEL(f)() { int x = y; }"), "").status();
    EXPECT_TRUE(IsInternal(compiled));
    EXPECT_THAT(compiled.message(), HasSubstr(IsCuda() ? "\"y\"" : "'y'"));
  }
  auto module = device.Compile(Source(kScale), "").value();
  EXPECT_TRUE(IsNotFound(module->Function("scala").status()));
  EXPECT_TRUE(IsResourceExhausted(device.Allocate(size_t{1} << 60).status()));
}

TEST(OpenClLibraryTest, AMissingLoaderIsNamed) {
  const Status status = opencl::OpenLibraryFile("libNoOpenCL.so.1").status();
  EXPECT_TRUE(IsNotFound(status));
  EXPECT_THAT(status.message(), HasSubstr("cannot open libNoOpenCL.so.1"));
  EXPECT_THAT(status.message(), HasSubstr("ocl-icd-libopencl1"));
  EXPECT_THAT(opencl::OpenLibraryFile("libm.so.6").status().message(),
              HasSubstr("has no function clGetPlatformIDs"));
}

TEST(DriverChoiceTest, IsParsed) {
  EXPECT_EQ(ParseDriverChoice("").value(), DriverChoice::kAutomatic);
  EXPECT_EQ(ParseDriverChoice("off").value(), DriverChoice::kOff);
  EXPECT_EQ(ParseDriverChoice("cuda").value(), DriverChoice::kCuda);
  EXPECT_EQ(ParseDriverChoice("opencl").value(), DriverChoice::kOpenCl);
  EXPECT_EQ(ParseDriverChoice("opencl:cpu").value(), DriverChoice::kOpenClCpu);
  EXPECT_THAT(ParseDriverChoice("vulkan").status().message(),
              HasSubstr("RAMET_GPU is 'vulkan'; expected off, cuda, opencl or opencl:cpu"));
}

TEST(DriverChoiceTest, OffHasNoDevices) {
  EXPECT_THAT(OpenDriver(DriverChoice::kOff).value(), IsEmpty());
}

TEST(DriverChoiceTest, CudaIsTheDriverOfTheEnvironment) {
  setenv("RAMET_CUDA_LIBRARY", RAMET_FAKE_CUDA, 1);
  const auto devices = OpenDriver(DriverChoice::kCuda);
  setenv("RAMET_CUDA_LIBRARY", "libNoCuda.so.1", 1);
  const Status missing = OpenDriver(DriverChoice::kCuda).status();
  unsetenv("RAMET_CUDA_LIBRARY");
  ASSERT_TRUE(devices.ok()) << devices.status().message();
  EXPECT_EQ((*devices)[0]->info().driver, "CUDA");
  EXPECT_EQ((*devices)[0]->info().name, "Fake GPU 0");
  EXPECT_TRUE(IsNotFound(missing));
}

TEST(DriverChoiceTest, ProcessorsAreUsedOnlyIfAskedFor) {
  RAMET_NEEDS_OPENCL_CPU();
  EXPECT_TRUE(TestDriverDevice()->info().is_cpu);
  for (DriverChoice choice : {DriverChoice::kAutomatic, DriverChoice::kOpenCl}) {
    const auto devices = OpenDriver(choice);
    if (!devices.ok()) continue;
    for (DriverDevice* device : *devices) EXPECT_FALSE(device->info().is_cpu);
  }
}

TEST(VisibleDevicesTest, EndsBeforeTheFirstInvalidElement) {
  EXPECT_THAT(VisibleDevices("", 3), IsEmpty());
  EXPECT_THAT(VisibleDevices("2,0", 3), ElementsAre(2, 0));
  EXPECT_THAT(VisibleDevices("1,3,0", 3), ElementsAre(1));
  EXPECT_THAT(VisibleDevices("-1", 3), IsEmpty());
  EXPECT_THAT(VisibleDevices("0,0,1", 3), ElementsAre(0));
}

}  // namespace
}  // namespace ramet::gpu
