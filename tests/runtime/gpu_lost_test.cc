// Tests of sessions on a GPU that stops working. The GPU is a processor behind OpenCL (PoCL), whose
// queue fails from a moment on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ramet/backends/gpu/chosen_devices.h"
#include "ramet/backends/gpu/testing/failing_device.h"
#include "ramet/backends/gpu/testing/test_device.h"
#include "ramet/graph/add_op.h"
#include "ramet/graph/scope.h"
#include "ramet/runtime/session.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;

TEST(GpuLostTest, RunsFailAndSessionsCloseCleanly) {
  RAMET_NEEDS_OPENCL_CPU();
  auto* const device = new gpu::FailingDevice(*gpu::TestDriverDevice());
  gpu::SetDevicesForTesting({device});
  Graph g;
  Scope s(g);
  const Output x = s.Placeholder("x", kFloat, {2, 2});
  const Output y = AddOp(g, "MatMul", {x, x}, {}, "y").output(0);
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  const Feeds feeds = {{x, Tensor::Of<float>({2, 2}, {1, 2, 3, 4})}};
  {
    Session session = Session::Create(g).value();
    const auto before = session.Run(feeds, y);
    ASSERT_TRUE(before.ok()) << before.status().ToString();
    EXPECT_EQ(before->data<float>()[3], 22.0f);
    device->Fail();
    for (int i = 0; i < 2; ++i) {
      const Status status = session.Run(feeds, y).status();
      ASSERT_TRUE(IsInternal(status)) << status.ToString();
      EXPECT_THAT(status.message(), HasSubstr("/device:GPU:0 ("));
      EXPECT_THAT(status.message(), HasSubstr("does not work any more: clFinish: the device was "
                                              "lost (-36)"));
      EXPECT_THAT(status.message(), HasSubstr("Close the sessions of this process"));
    }
  }
  // The CPU still works.
  Session on_cpu = Session::Create(g, {.device_count = {{"GPU", 0}}}).value();
  EXPECT_EQ(on_cpu.Run(feeds, y)->data<float>()[3], 22.0f);
}

}  // namespace
}  // namespace ramet
