#include "ramet/backends/gpu/gpu_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "ramet/backends/gpu/launch.h"
#include "ramet/backends/gpu/testing/fake_cuda_device.h"
#include "ramet/backends/gpu/testing/test_device.h"

namespace ramet::gpu {
namespace {

using ::testing::HasSubstr;

constexpr Program kProgram = {"test", R"(
KERNEL(twice)(GLOBAL const STORED(T)* x, GLOBAL STORED(T)* y, index_t n) {
  FOR_EACH(i, n) STORE(T, y, i, LOAD(T, x, i) + LOAD(T, x, i));
}
KERNEL(sum_of_group)(GLOBAL i32* sum) {
  LOCAL i32 values[64];
  values[LOCAL_ID(0)] = LOCAL_ID(0);
  BARRIER();
  if (LOCAL_ID(0) != 0) return;
  i32 total = 0;
  for (int i = 0; i < 64; ++i) total += values[i];
  ATOMIC_ADD_I32(sum, total);
}
)"};

class GpuDeviceTest : public ::testing::Test {
 protected:
  static GpuDevice& device() {
    static auto* const made = GpuDevice::Make(0, *TestDriverDevice(), 1.0).value().release();
    return *made;
  }
  // Runs a kernel as an op does.
  static Status Run(const KernelSpec& kernel, int64_t count,
                    std::initializer_list<LaunchArgument> arguments) {
    const KernelEnv env = {.allocator = device().allocator(), .memory = device().memory()};
    RunState run;
    KernelContext context(env, {}, {}, run);
    return LaunchForEach(context, kernel, count, arguments);
  }
};

TEST_F(GpuDeviceTest, CopiesThereAndBack) {
  RAMET_NEEDS_TEST_DEVICE();
  const Tensor host = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  const Tensor there = device().CopyFromHost(host).value();
  EXPECT_EQ(there.memory(), device().memory());
  EXPECT_FALSE(there.host_accessible());
  EXPECT_TRUE(device().CopyToHost(there).value().BitwiseEquals(host));
  const Tensor nothing = device().CopyFromHost(Tensor(kFloat, Shape{0, 3})).value();
  EXPECT_EQ(device().CopyToHost(nothing).value().shape(), (Shape{0, 3}));
  EXPECT_TRUE(IsInvalidArgument(device().CopyFromHost(Tensor("text")).status()));
}

TEST_F(GpuDeviceTest, RunsKernelsForEachDtype) {
  RAMET_NEEDS_TEST_DEVICE();
  const Tensor x = Tensor::Vector<float>({0, 0.5f, -3, 60000});
  for (DType dtype : {kFloat, kHalf, kBFloat16, kDouble}) {
    const int64_t n = x.num_elements();
    Tensor host(dtype, x.shape()), expected(dtype, x.shape());
    for (int64_t i = 0; i < n; ++i) {
      const float value = x.data<float>()[i];
      switch (dtype) {
        case kFloat: host.mutable_data<float>()[i] = value; break;
        case kHalf: host.mutable_data<Half>()[i] = Half(value); break;
        case kBFloat16: host.mutable_data<BFloat16>()[i] = BFloat16(value); break;
        default: host.mutable_data<double>()[i] = value;
      }
      switch (dtype) {
        case kFloat: expected.mutable_data<float>()[i] = 2 * value; break;
        case kHalf: expected.mutable_data<Half>()[i] = Half(2 * float(Half(value))); break;
        case kBFloat16:
          expected.mutable_data<BFloat16>()[i] = BFloat16(2 * float(BFloat16(value)));
          break;
        default: expected.mutable_data<double>()[i] = 2.0 * value;
      }
    }
    const Tensor there = device().CopyFromHost(host).value();
    const Tensor y = Tensor::Allocate(dtype, x.shape(), device().allocator()).value();
    const KernelSpec twice = {kProgram, "twice", {{"T", std::string(DialectTag(dtype))}}};
    const Status status = Run(twice, n, {there, y, Index{n}});
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(device().CopyToHost(y).value().BitwiseEquals(expected)) << DTypeName(dtype);
  }
}

TEST_F(GpuDeviceTest, WorkGroupsShareLocalMemory) {
  RAMET_NEEDS_TEST_DEVICE();
  const Tensor sum = device().CopyFromHost(Tensor(int32_t{0})).value();
  const KernelEnv env = {.allocator = device().allocator(), .memory = device().memory()};
  RunState run;
  KernelContext context(env, {}, {}, run);
  const KernelSpec kernel = {kProgram, "sum_of_group", {{"T", "f32"}}};
  ASSERT_TRUE(Launch(context, kernel, {{3, 1, 1}, {64, 1, 1}}, {sum}).ok());
  EXPECT_EQ(device().CopyToHost(sum).value().scalar<int32_t>(), 3 * 64 * 63 / 2);
}

TEST_F(GpuDeviceTest, ArgumentsMustBeInItsMemory) {
  RAMET_NEEDS_TEST_DEVICE();
  const KernelSpec twice = {kProgram, "twice", {{"T", "f32"}}};
  const Tensor host = Tensor::Vector<float>({1});
  EXPECT_TRUE(IsInternal(Run(twice, 1, {host, host, Index{1}})));
}

TEST_F(GpuDeviceTest, ProgramsThatDoNotCompileAreNamed) {
  RAMET_NEEDS_TEST_DEVICE();
  const Program broken = {"broken program", "KERNEL(f)(GLOBAL i32* x) { x[0] = nonsense; }"};
  const Status status = device().Function(broken, {}, "f", false).status();
  EXPECT_TRUE(IsInternal(status));
  EXPECT_THAT(status.message(), HasSubstr("GPU program 'broken program'"));
  EXPECT_THAT(status.message(), HasSubstr("kernel 'f'"));
  EXPECT_THAT(status.message(), HasSubstr("RAMET_GPU=off"));
  EXPECT_THAT(status.message(), HasSubstr("nonsense"));
}

TEST(GpuDeviceOptionsTest, TheEnvironmentTurnsGraphsOff) {
  for (const bool uses_graphs : {true, false}) {
    setenv("RAMET_GPU_GRAPHS", uses_graphs ? "on" : "off", 1);
    const auto device = GpuDevice::Make(0, *testing::FakeCudaDevice(), 0.5).value();
    const Tensor x = device->CopyFromHost(Tensor::Vector<float>({1, 2})).value();
    for (int step = 0; step < 3; ++step) {
      for (int i = 0; i < 3; ++i) {
        const KernelSpec twice = {kProgram, "twice", {{"T", "f32"}}};
        const LaunchArgument arguments[] = {x, x, Index{2}};
        ASSERT_TRUE(LaunchForEach(*device, twice, 2, arguments).ok());
      }
      ASSERT_TRUE(device->Synchronize().ok());
    }
    EXPECT_EQ(device->work().launches, uses_graphs ? 7 : 9);
    EXPECT_EQ(device->work().graph_launches, uses_graphs ? 1 : 0);
  }
  setenv("RAMET_GPU_GRAPHS", "maybe", 1);
  const Status unknown = GpuDevice::Make(0, *testing::FakeCudaDevice(), 0.5).status();
  unsetenv("RAMET_GPU_GRAPHS");
  EXPECT_TRUE(IsInvalidArgument(unknown));
  EXPECT_THAT(unknown.message(), HasSubstr("RAMET_GPU_GRAPHS is 'maybe'; expected on or off"));
}

}  // namespace
}  // namespace ramet::gpu
