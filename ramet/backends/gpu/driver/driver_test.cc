#include "ramet/backends/gpu/driver/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "ramet/backends/gpu/driver/driver_choice.h"
#include "ramet/backends/gpu/driver/opencl/opencl_library.h"
#include "ramet/backends/gpu/testing/test_device.h"

namespace ramet::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kScale[] = R"(
  __kernel void scale(__global float* x, float factor, int n) {
    int i = get_global_id(0);
    if (i < n) x[i] *= factor;
  })";

template <class T>
std::span<const std::byte> Bytes(const std::vector<T>& v) {
  return std::as_bytes(std::span(v));
}

TEST(DriverTest, RunsKernelsInTheOrderOfTheQueue) {
  RAMET_NEEDS_OPENCL_CPU();
  DriverDevice& device = *TestDriverDevice();
  auto module = device.Compile(kScale, "").value();
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

TEST(DriverTest, ZeroesMemoryAndWaitsForEventsOfOtherQueues) {
  RAMET_NEEDS_OPENCL_CPU();
  DriverDevice& device = *TestDriverDevice();
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

TEST(DriverTest, LoadsModulesFromTheirBytes) {
  RAMET_NEEDS_OPENCL_CPU();
  DriverDevice& device = *TestDriverDevice();
  const std::string binary = device.Compile(kScale, "").value()->Binary().value();
  EXPECT_TRUE(device.Load(binary, "").value()->Function("scale").ok());
  EXPECT_TRUE(IsInvalidArgument(device.Load("no module", "").status()));
}

TEST(DriverTest, ErrorsAreStatuses) {
  RAMET_NEEDS_OPENCL_CPU();
  DriverDevice& device = *TestDriverDevice();
  const Status compiled = device.Compile("__kernel void f() { int x = y; }", "").status();
  EXPECT_TRUE(IsInternal(compiled));
  EXPECT_THAT(compiled.message(), HasSubstr("'y'"));
  auto module = device.Compile(kScale, "").value();
  EXPECT_TRUE(IsNotFound(module->Function("scala").status()));
  EXPECT_TRUE(IsResourceExhausted(device.Allocate(size_t{1} << 60).status()));
}

TEST(DriverTest, AMissingLoaderIsNamed) {
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

TEST(DriverChoiceTest, OffHasNoDevicesAndCudaIsAnError) {
  EXPECT_THAT(OpenDriver(DriverChoice::kOff).value(), IsEmpty());
  EXPECT_TRUE(IsUnimplemented(OpenDriver(DriverChoice::kCuda).status()));
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
