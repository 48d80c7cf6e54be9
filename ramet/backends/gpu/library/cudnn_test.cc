#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "ramet/backends/gpu/library/convolution_library.h"
#include "ramet/backends/gpu/library/cudnn_api.h"
#include "ramet/backends/gpu/testing/fake_cuda_device.h"

// Tests of how cuDNN's algorithms are chosen, with a double. ops/library_convolutions_test.cc
// compares results.

namespace ramet::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr size_t kManyBytes = size_t{1} << 30;
constexpr int kTensorCore = cudnn::api::k_CUDNN_NUMERICAL_NOTE_TENSOR_CORE;
constexpr int kNondeterministic = cudnn::api::k_CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC;

// A convolution of a row of three pixels with a filter of two elements.
linalg::ConvGeometry Row() {
  linalg::ConvGeometry g;
  g.in[2] = 3;
  g.filter[2] = 2;
  g.out[2] = 2;
  return g;
}

class CudnnTest : public ::testing::Test {
 protected:
  void SetUp() override { testing::TheFakeCuda().cudnn_runs.clear(); }
  void TearDown() override {
    library_ = nullptr;
    EXPECT_EQ(testing::TheFakeCuda().cudnn_objects, 0);
    testing::TheFakeCuda().cudnn_engines = {{}};
  }

  void Open(std::vector<testing::FakeEngine> engines) {
    testing::TheFakeCuda().cudnn_engines = std::move(engines);
    library_ = OpenCudnn(device_, *queue_, {"libNoCudnn.so.9", RAMET_FAKE_CUDA});
    ASSERT_NE(library_, nullptr);
  }
  std::unique_ptr<DriverMemory> OnDevice(const std::vector<float>& values) {
    auto memory = device_.Allocate(values.size() * sizeof(float)).value();
    EXPECT_TRUE(queue_->CopyFromHost(*memory, std::as_bytes(std::span(values)), nullptr).ok());
    return memory;
  }
  // Convolves 1, 2, 3 with 10, 1. Returns nothing if the library does not support it.
  std::vector<float> Convolve(bool deterministic = false) {
    const auto c = DescribeConvolution(ConvPart::kForward, kFloat, Row(), deterministic);
    const auto bytes = library_->WorkspaceFor(c, kManyBytes);
    if (!bytes) return {};
    std::vector<float> y = {0, 0};
    const auto x = OnDevice({1, 2, 3}), filter = OnDevice({10, 1}), result = OnDevice(y);
    const auto workspace = device_.Allocate(*bytes + 1).value();
    DriverMemory* const blocks[] = {x.get(), filter.get(), result.get(), workspace.get()};
    if (!library_->IsChosen(c) && !library_->Choose(c, blocks, *bytes).value()) return {};
    EXPECT_TRUE(library_->IsChosen(c));
    EXPECT_TRUE(library_->Enqueue(*queue_, ParametersOf(c, *bytes), blocks).ok());
    EXPECT_TRUE(queue_->CopyToHost(std::as_writable_bytes(std::span(y)), *result).ok());
    return y;
  }
  static std::vector<int> TakeRuns() {
    return std::exchange(testing::TheFakeCuda().cudnn_runs, {});
  }
  // Returns the engine of a convolution of this dtype, which is not run; -1 if there is none. The
  // engine's workspace is its number plus one.
  int EngineFor(DType dtype, bool deterministic = false) {
    const auto c = DescribeConvolution(ConvPart::kForward, dtype, Row(), deterministic);
    const auto bytes = library_->WorkspaceFor(c, kManyBytes);
    return bytes ? static_cast<int>(*bytes) - 1 : -1;
  }

  DriverDevice& device_ = *testing::FakeCudaDevice();
  std::unique_ptr<DriverQueue> queue_ = device_.MakeQueue().value();
  std::unique_ptr<ConvolutionLibrary> library_;
};

TEST_F(CudnnTest, KeepsTheFastestAlgorithm) {
  Open({{.milliseconds = 20}, {}, {.milliseconds = 20}});
  const int graphs = testing::TheFakeCuda().cudnn_graphs;
  EXPECT_THAT(Convolve(), ElementsAre(12, 23));
  EXPECT_THAT(TakeRuns(), ElementsAre(0, 0, 0, 1, 1, 1, 2, 2, 2, 1));
  EXPECT_THAT(Convolve(), ElementsAre(12, 23));
  EXPECT_THAT(TakeRuns(), ElementsAre(1));
  EXPECT_EQ(testing::TheFakeCuda().cudnn_graphs, graphs + 1);
}

TEST_F(CudnnTest, DeterministicConvolutionsDoNotDependOnTimes) {
  Open({{.notes = {kNondeterministic}}, {.milliseconds = 20}, {}});
  for (int i = 0; i < 2; ++i) EXPECT_THAT(Convolve(true), ElementsAre(12, 23));
  EXPECT_THAT(TakeRuns(), ElementsAre(1, 1, 1, 1, 1));
  Open({{.notes = {kNondeterministic}}});
  EXPECT_THAT(Convolve(true), IsEmpty());
  EXPECT_THAT(Convolve(false), ElementsAre(12, 23));
}

TEST_F(CudnnTest, LeavesOutAlgorithmsThatFail) {
  Open({{.status = 3000}, {}});
  EXPECT_THAT(Convolve(), ElementsAre(12, 23));
  Open({{.status = 3000}, {.status = 5000}});
  TakeRuns();
  for (int i = 0; i < 2; ++i) EXPECT_THAT(Convolve(), IsEmpty());
  EXPECT_THAT(TakeRuns(), ElementsAre(0, 1));  // tried once
}

TEST_F(CudnnTest, AnAlgorithmThatFailsLaterIsAnError) {
  Open({{}});
  EXPECT_THAT(Convolve(), ElementsAre(12, 23));
  testing::TheFakeCuda().cudnn_engines[0].status = 5000;
  const auto c = DescribeConvolution(ConvPart::kForward, kFloat, Row(), false);
  const auto memory = OnDevice({1, 2, 3});
  DriverMemory* const blocks[] = {memory.get(), memory.get(), memory.get(), memory.get()};
  const Status status = library_->Enqueue(*queue_, ParametersOf(c, 12), blocks);
  EXPECT_TRUE(IsInternal(status));
  EXPECT_THAT(status.message(),
              ::testing::HasSubstr("cudnnBackendExecute failed with status 5000"));
}

TEST_F(CudnnTest, UsesFallbacksAfterTheAdvisedAlgorithms) {
  Open({{.is_fallback = true}, {}});
  EXPECT_THAT(Convolve(true), ElementsAre(12, 23));
  EXPECT_THAT(TakeRuns(), ElementsAre(1, 1, 1, 1));
  Open({{.is_fallback = true}});
  EXPECT_THAT(Convolve(true), ElementsAre(12, 23));
}

TEST_F(CudnnTest, FloatsAreComputedOnTensorCoresOnlyIfTf32IsAllowed) {
  const std::vector<testing::FakeEngine> engines = {
      {.notes = {kTensorCore}, .workspace_bytes = 2, .is_fallback = false}, {.workspace_bytes = 1}};
  Open(engines);
  EXPECT_EQ(EngineFor(kFloat), 0);
  EXPECT_EQ(EngineFor(kHalf), 1);
  EXPECT_EQ(EngineFor(kBFloat16), 1);
  EXPECT_EQ(EngineFor(kDouble), 1);
  setenv("RAMET_TF32", "1", 1);
  Open(engines);
  unsetenv("RAMET_TF32");
  EXPECT_EQ(EngineFor(kFloat), 1);
}

TEST_F(CudnnTest, SumsAreNotLessPreciseThanFloats) {
  Open({{.notes = {cudnn::api::k_CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION}},
        {.notes = {cudnn::api::k_CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS}}});
  for (DType dtype : {kFloat, kHalf, kBFloat16, kDouble}) EXPECT_EQ(EngineFor(dtype), -1);
}

TEST_F(CudnnTest, LimitsTheWorkspace) {
  Open({{.workspace_bytes = 1000}, {.workspace_bytes = 100}, {.workspace_bytes = 10}});
  const auto c = DescribeConvolution(ConvPart::kForward, kFloat, Row(), false);
  EXPECT_EQ(library_->WorkspaceFor(c, 5000), 1000u);
  EXPECT_EQ(library_->WorkspaceFor(c, 999), 100u);
  EXPECT_EQ(library_->WorkspaceFor(c, 5000), 100u);  // as chosen when the memory was full
  EXPECT_EQ(library_->WorkspaceFor(c, 9), std::nullopt);
}

TEST_F(CudnnTest, DoesNotUseAWorkspaceThatIsTooSmall) {
  Open({{.workspace_bytes = 100}, {.workspace_bytes = 10}});
  const auto c = DescribeConvolution(ConvPart::kForward, kFloat, Row(), false);
  EXPECT_EQ(library_->WorkspaceFor(c, 5000), 100u);
  const auto memory = OnDevice({1, 2, 3, 0});
  DriverMemory* const blocks[] = {memory.get(), memory.get(), memory.get(), memory.get()};
  EXPECT_TRUE(library_->Enqueue(*queue_, ParametersOf(c, 16), blocks).ok());
  EXPECT_THAT(TakeRuns(), ElementsAre(1));
  EXPECT_FALSE(library_->Enqueue(*queue_, ParametersOf(c, 9), blocks).ok());
}

TEST_F(CudnnTest, EnqueuesOnTheQueueThatIsGiven) {
  Open({{}});
  EXPECT_THAT(Convolve(), ElementsAre(12, 23));
  std::vector<float> y = {0, 0};
  const auto c = DescribeConvolution(ConvPart::kForward, kFloat, Row(), false);
  const auto x = OnDevice({1, 2, 3}), filter = OnDevice({2, 1}), result = OnDevice(y);
  DriverMemory* const blocks[] = {x.get(), filter.get(), result.get(), x.get()};
  const auto other = device_.MakeQueue().value();
  ASSERT_TRUE(library_->Enqueue(*other, ParametersOf(c, 0), blocks).ok());
  ASSERT_TRUE(queue_->Finish().ok());
  EXPECT_TRUE(queue_->CopyToHost(std::as_writable_bytes(std::span(y)), *result).ok());
  EXPECT_THAT(y, ElementsAre(0, 0));  // the other queue runs when something waits for it
  EXPECT_TRUE(other->CopyToHost(std::as_writable_bytes(std::span(y)), *result).ok());
  EXPECT_THAT(y, ElementsAre(4, 7));
}

TEST(ConvolutionParametersTest, DescribeTheConvolution) {
  linalg::ConvGeometry g;
  int64_t next = 2;
  for (int64_t* size : {&g.batch, &g.in_channels, &g.out_channels, &g.groups}) *size = next++;
  for (auto* sizes : {g.in, g.filter, g.out, g.stride, g.dilation, g.pad}) {
    for (int d = 0; d < 3; ++d) sizes[d] = next++;
  }
  g.channels_first = true;
  const LibraryConvolution c = {ConvPart::kBackpropFilter, kHalf, g, {90, 91, 92}, true};
  const LibraryConvolution found = ConvolutionOf(ParametersOf(c, 7));
  EXPECT_EQ(found.geometry, g);
  EXPECT_EQ(found.pad_after, c.pad_after);
  EXPECT_EQ(found.part, c.part);
  EXPECT_EQ(found.dtype, kHalf);
  EXPECT_TRUE(found.deterministic);
  EXPECT_EQ(ParametersOf(c, 7).back(), 7);
}

TEST_F(CudnnTest, LeavesWhatItDoesNotSupportToTheCaller) {
  Open({{}});
  EXPECT_EQ(EngineFor(kInt32), -1);
  linalg::ConvGeometry uneven = Row();
  uneven.out[2] = 3;
  const auto supports = [&](ConvPart part, DType dtype) {
    const auto c = DescribeConvolution(part, dtype, uneven, false);
    EXPECT_TRUE(HasUnevenPadding(c));
    return library_->WorkspaceFor(c, kManyBytes).has_value();
  };
  EXPECT_FALSE(supports(ConvPart::kForward, kFloat));
  EXPECT_FALSE(supports(ConvPart::kForward, kHalf));
  EXPECT_FALSE(supports(ConvPart::kBackpropInput, kDouble));
  EXPECT_FALSE(supports(ConvPart::kBackpropFilter, kFloat));
}

TEST_F(CudnnTest, IsNotUsedIfItIsMissingTooOldOrCannotStart) {
  EXPECT_EQ(OpenCudnn(device_, *queue_, {"libNoCudnn.so.9", "libm.so.6"}), nullptr);
  testing::FakeCuda& fake = testing::TheFakeCuda();
  fake.cudnn_status = 1001;
  EXPECT_EQ(OpenCudnn(device_, *queue_, {RAMET_FAKE_CUDA}), nullptr);
  fake.cudnn_status = 0;
  const size_t version = std::exchange(fake.cudnn_version, 8200);
  EXPECT_EQ(OpenCudnn(device_, *queue_, {RAMET_FAKE_CUDA}), nullptr);
  fake.cudnn_version = version;
}

TEST(DescribeConvolutionTest, PadsEvenlyWhereItDoesNotChangeTheResult) {
  linalg::ConvGeometry g;
  g.in[2] = 8;
  g.filter[2] = 3;
  g.stride[2] = 2;
  g.out[2] = 4;
  const auto after = [&](int64_t before) {
    g.pad[2] = before;
    return DescribeConvolution(ConvPart::kForward, kFloat, g, false).pad_after[2];
  };
  EXPECT_EQ(after(0), 1);  // padding SAME
  EXPECT_EQ(after(1), 1);  // one zero on each side, of which the last one is not used
  g.out[2] = 3;
  EXPECT_EQ(after(0), 0);  // padding VALID
}

}  // namespace
}  // namespace ramet::gpu
