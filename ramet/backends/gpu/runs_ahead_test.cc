#include "ramet/backends/gpu/runs_ahead.h"

#include <gtest/gtest.h>

#include "ramet/backends/gpu/testing/fake_cuda_device.h"

namespace ramet::gpu {
namespace {

// Work of the double runs when something waits for it.
class RunsAheadTest : public ::testing::Test {
 protected:
  RunsAheadTest() {
    fake_.launch = [this](const std::string&, void**) { return [this] { ++done_; }; };
  }
  ~RunsAheadTest() override { fake_.launch = nullptr; }
  Status Run() {
    RAMET_RETURN_IF_ERROR(queue_->Launch(*function_, {}, {}));
    return runs_.End();
  }

  testing::FakeCuda& fake_ = testing::TheFakeCuda();
  DriverDevice* const device_ =
      cuda::OpenDevices({RAMET_FAKE_CUDA, {RAMET_FAKE_CUDA}}).value().front();
  const std::unique_ptr<DriverModule> module_ = device_->Compile("KERNEL(f)() {}", "").value();
  const std::unique_ptr<DriverFunction> function_ = module_->Function("f").value();
  const std::unique_ptr<DriverQueue> queue_ = device_->MakeQueue().value();
  int done_ = 0;
  RunsAhead runs_{*queue_};
};

TEST_F(RunsAheadTest, TheHostIsAtMostTwoRunsAhead) {
  for (const int done : {0, 0, 1, 2, 3}) {
    ASSERT_TRUE(Run().ok());
    EXPECT_EQ(done_, done);
  }
  ASSERT_TRUE(queue_->Finish().ok());
  EXPECT_EQ(done_, 5);
}

TEST_F(RunsAheadTest, ErrorsOfEarlierRunsAreReturned) {
  ASSERT_TRUE(Run().ok());
  fake_.lost = 700;
  EXPECT_TRUE(IsInternal(Run()));
  fake_.lost = 0;
}

}  // namespace
}  // namespace ramet::gpu
