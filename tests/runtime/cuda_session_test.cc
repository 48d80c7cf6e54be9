// Tests of sessions above the CUDA driver on a machine without a GPU. A double replaces NVIDIA's
// libraries. It copies, multiplies matrices and convolves, and it fails if a test asks for it.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>

#include "mlp.h"
#include "ramet/backends/gpu/testing/fake_cuda.h"
#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

constexpr char kGpu[] = "/job:localhost/replica:0/task:0/device:GPU:";
constexpr int kLaunchFailed = 719;

gpu::testing::FakeCuda& Fake() {
  void* const library = dlopen(RAMET_FAKE_CUDA, RTLD_NOW);
  return *reinterpret_cast<gpu::testing::FakeCuda* (*)()>(dlsym(library, "ramet_fake_cuda"))();
}

// Runs the kernel of ApplyGradientDescent on the double of CUDA's driver.
std::function<void()> UpdateOnHost(const std::string& kernel, void** arguments) {
  EXPECT_EQ(kernel, "apply");
  const auto pointer = [&](int i) {
    return reinterpret_cast<float*>(*static_cast<uint64_t*>(arguments[i]));
  };
  const float *const before = pointer(0), *const rate = pointer(1), *const gradient = pointer(2);
  float* const after = pointer(3);
  const int n = *static_cast<int*>(arguments[4]);
  return [=] {
    for (int i = 0; i < n; ++i) after[i] = before[i] - rate[0] * gradient[i];
  };
}

// Copies the filter of MakeConvolution on the double of CUDA's driver.
std::function<void()> CopyFilterOnHost(const std::string& kernel, void** arguments) {
  EXPECT_EQ(kernel, "copy");
  const float* const from = *static_cast<const float**>(arguments[0]);
  float* const to = *static_cast<float**>(arguments[1]);
  return [=] { std::copy_n(from, 4, to); };
}

class CudaSessionTest : public ::testing::Test {
 protected:
  // The first session finds the GPUs of the process.
  static void SetUpTestSuite() {
    setenv("RAMET_GPU", "cuda", 1);
    setenv("RAMET_GPU_CACHE", "", 1);
    setenv("RAMET_CUDA_LIBRARY", RAMET_FAKE_CUDA, 1);
    setenv("CUDA_VISIBLE_DEVICES", "2,0", 1);
    Fake().devices = 3;
  }
  CudaSessionTest() : scope_(graph_), gpu_(scope_.Device("/gpu:0")) {}
  ~CudaSessionTest() override {
    EXPECT_FALSE(Fake().has_bad_access);
    Fake().cudnn_engines = {{}};
    Fake().launch = nullptr;
  }

  // y = x times a variable w, on the GPU.
  void MakeProduct() {
    const Tensor initial = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
    const Variable w = gpu_.GetVariable("w", {2, 2}, ConstantInit(initial));
    x_ = gpu_.Placeholder("x", kFloat, {-1, 2});
    y_ = AddOp(graph_, "MatMul", {x_, w}, {}, "y").output(0);
    ASSERT_TRUE(graph_.status().ok()) << graph_.status().ToString();
  }

  // y = x convolved with a filter of two by two elements, on the GPU.
  void MakeConvolution() {
    x_ = gpu_.Placeholder("x", kFloat, {1, 3, 3, 1});
    filter_ = gpu_.Placeholder("filter", kFloat, {2, 2, 1, 1});
    y_ = AddOp(graph_, "Conv2D", {x_, filter_},
               {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", std::string("VALID")}})
             .output(0);
    ASSERT_TRUE(graph_.status().ok()) << graph_.status().ToString();
  }
  Feeds ConvolutionFeeds() const {
    return {{x_, Tensor::Of<float>({1, 3, 3, 1}, {1, 2, 3, 3, 4, 5, 6, 7, 8})},
            {filter_, Tensor::Of<float>({2, 2, 1, 1}, {1, 10, 100, 1000})}};
  }

  Graph graph_;
  Scope scope_, gpu_;
  Output x_, y_, filter_;
};

TEST_F(CudaSessionTest, ListsTheGpusThatTheEnvironmentLeaves) {
  const auto session = Session::Create(graph_);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  EXPECT_THAT(session->ListDevices(), IsSupersetOf({StrCat(kGpu, 0), StrCat(kGpu, 1)}));
  EXPECT_THAT(session->ListDevices(), Not(::testing::Contains(StrCat(kGpu, 2))));
}

TEST_F(CudaSessionTest, MultipliesWithTheLibraryOfProducts) {
  MakeProduct();
  Session session = Session::Create(graph_).value();
  const auto initialized = session.InitializeMissing();
  ASSERT_TRUE(initialized.ok()) << initialized.status().ToString();
  const auto y = session.Run({{x_, Tensor::Of<float>({3, 2}, {1, 2, 0, 1, 1, 0})}}, y_);
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  EXPECT_TRUE(y->BitwiseEquals(Tensor::Of<float>({3, 2}, {7, 10, 3, 4, 1, 2})));
}

// The update is held back until the library uses the variable.
TEST_F(CudaSessionTest, ProductsOfTheLibrarySeeEarlierUpdatesAndAreCounted) {
  const Tensor initial = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  const Variable w = gpu_.GetVariable("w", {2, 2}, ConstantInit(initial));
  const Output gradient = gpu_.Placeholder("gradient", kFloat, {2, 2});
  const Output rate = gpu_.Placeholder("rate", kFloat, Shape());
  const Operation update = AddOp(graph_, "ApplyGradientDescent", {w.ref(), rate, gradient});
  const Scope after = gpu_.ControlDependencies({update});
  y_ = AddOp(graph_, "MatMul", {gradient, w.ref()}, {}, "y").output(0);
  ASSERT_TRUE(graph_.status().ok()) << graph_.status().ToString();
  Session session = Session::Create(graph_).value();
  session.InitializeMissing().value();
  Fake().launch = UpdateOnHost;
  const DeviceWork before = WorkOfDevice("GPU", 0).value();
  const auto y =
      session.Run({{gradient, Tensor::Of<float>({2, 2}, {1, 0, 0, 1})}, {rate, Tensor(0.5f)}}, y_);
  const DeviceWork work = WorkOfDevice("GPU", 0).value() - before;
  Fake().launch = nullptr;
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  EXPECT_TRUE(y->BitwiseEquals(Tensor::Of<float>({2, 2}, {0.5f, 2, 3, 3.5f})));
  EXPECT_EQ(work.launches, 2);
}

TEST_F(CudaSessionTest, ReportsTheLibraries) {
  const GpuReport report = ReportGpus().value();
  ASSERT_EQ(report.gpus.size(), 2u);
  const std::vector<GpuLibrary>& libraries = report.gpus[0].libraries;
  ASSERT_EQ(libraries.size(), 2u);
  EXPECT_EQ(libraries[0].use, "matrix products");
  EXPECT_EQ(libraries[0].version, "13.1.0");
  EXPECT_EQ(libraries[1].name, "cuDNN");
  EXPECT_EQ(libraries[1].version, "9.19.0");
  EXPECT_EQ(libraries[1].file, RAMET_FAKE_CUDA);
  EXPECT_EQ(libraries[1].missing, "");
}

TEST_F(CudaSessionTest, ConvolvesWithTheLibraryOfConvolutions) {
  MakeConvolution();
  Fake().launch = CopyFilterOnHost;
  Fake().cudnn_runs.clear();
  Session session = Session::Create(graph_).value();
  const auto y = session.Run(ConvolutionFeeds(), y_);
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  EXPECT_TRUE(y->BitwiseEquals(Tensor::Of<float>({1, 2, 2, 1}, {4321, 5432, 7643, 8754})));
  EXPECT_FALSE(Fake().cudnn_runs.empty());
}

TEST_F(CudaSessionTest, DeterministicSessionsUseDeterministicAlgorithms) {
  MakeConvolution();
  constexpr int kNondeterministic = 4;
  Fake().cudnn_engines = {{.notes = {kNondeterministic}}, {}};
  Fake().launch = CopyFilterOnHost;
  Fake().cudnn_runs.clear();
  Session session = Session::Create(graph_, {.deterministic = true}).value();
  const auto y = session.Run(ConvolutionFeeds(), y_);
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  EXPECT_THAT(Fake().cudnn_runs, ::testing::Each(1));
}

// The kernels themselves do not run here.
TEST_F(CudaSessionTest, LargeProductsFitTheLimitsOfLaunches) {
  Fake().cudnn_engines = {};
  const Output rows = gpu_.Placeholder("rows", kInt32, {-1, 1});
  const Output one = gpu_.Placeholder("one", kInt32, {1, 1});
  const Output image = gpu_.Placeholder("image", kFloat, {1, -1, -1, 1});
  const Output filter = gpu_.Placeholder("filter", kFloat, {1, 2, 1, 1});
  const Output product = AddOp(graph_, "MatMul", {rows, one}, {}, "product").output(0);
  const Output convolved =
      AddOp(graph_, "Conv2D", {image, filter},
            {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", std::string("VALID")}})
          .output(0);
  ASSERT_TRUE(graph_.status().ok()) << graph_.status().ToString();
  Session session = Session::Create(graph_).value();
  const int launches = Fake().launches;
  const auto values = session.Run({{rows, Tensor(kInt32, Shape{5000000, 1})},
                                   {one, Tensor(kInt32, Shape{1, 1})},
                                   {image, Tensor(kFloat, Shape{1, 2000, 2000, 1})},
                                   {filter, Tensor(kFloat, Shape{1, 2, 1, 1})}},
                                  {product, convolved});
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_EQ(Fake().launches, launches + 2);
}

TEST_F(CudaSessionTest, IsUsableAfterTheGpuWasFull) {
  MakeProduct();
  Session session = Session::Create(graph_).value();
  session.InitializeMissing().value();
  const Tensor large(kFloat, Shape{int64_t{64} << 20, 2});
  const Status full = session.Run({{x_, large}}, y_).status();
  EXPECT_TRUE(IsResourceExhausted(full)) << full.ToString();
  EXPECT_THAT(full.message(), HasSubstr("out of memory on GPU:0 (Fake GPU 2)"));
  EXPECT_TRUE(session.Run({{x_, Tensor::Of<float>({1, 2}, {1, 2})}}, y_).ok());
}

// Runs a session, and returns the work on the GPU.
DeviceWork WorkOf(const std::function<void()>& run) {
  const DeviceWork before = WorkOfDevice("GPU", 0).value();
  run();
  return WorkOfDevice("GPU", 0).value() - before;
}

int64_t KernelsOf(const DeviceWork& work) {
  return work.launches - work.graph_launches + work.launches_in_graphs;
}

// The kernels themselves do not run here.
TEST_F(CudaSessionTest, ATrainingStepThatComesAgainIsOneLaunch) {
  testing::Mlp mlp(graph_, "/gpu:0");
  ASSERT_TRUE(graph_.status().ok()) << graph_.status().ToString();
  Session session = Session::Create(graph_, {.allow_soft_placement = true}).value();
  ASSERT_TRUE(session.Run(mlp.init).ok());
  for (const Fetches& fetches : {Fetches(mlp.train), Fetches({mlp.train, mlp.loss})}) {
    const auto step = [&] {
      const auto run = session.Run(mlp.Batch(), fetches);
      EXPECT_TRUE(run.ok()) << run.status().ToString();
    };
    const int64_t kernels = KernelsOf(WorkOf(step));
    EXPECT_GE(kernels, 15);
    for (int i = 0; i < 3; ++i) step();
    const DeviceWork work = WorkOf(step);
    EXPECT_EQ(work.launches, 1);
    EXPECT_EQ(work.graph_launches, 1);
    EXPECT_EQ(work.launches_in_graphs, kernels);
  }
}

// An update of w, and y = x w w w.
class CudaGraphTest : public CudaSessionTest {
 protected:
  CudaGraphTest() {
    const Variable w = gpu_.GetVariable(
        "w", {2, 2}, ConstantInit(Tensor::Of<float>({2, 2}, {w_[0], w_[1], w_[2], w_[3]})));
    x_ = gpu_.Placeholder("x", kFloat, {-1, 2});
    gradient_ = gpu_.Placeholder("gradient", kFloat, {2, 2});
    const Output rate = Constant(graph_, 0.5f);
    const Operation update = AddOp(graph_, "ApplyGradientDescent", {w.ref(), rate, gradient_});
    const Scope after = gpu_.ControlDependencies({update});
    y_ = x_;
    for (int i = 0; i < 3; ++i) y_ = AddOp(graph_, "MatMul", {y_, w.ref()}).output(0);
    EXPECT_TRUE(graph_.status().ok()) << graph_.status().ToString();
    session_ = Session::Create(graph_).value();
    session_->InitializeMissing().value();
    Fake().launch = UpdateOnHost;
  }
  ~CudaGraphTest() override {
    Fake().launch = nullptr;
    Fake().capture_result = Fake().graph_launch_result = Fake().lost = 0;
  }

  StatusOr<Tensor> Run(int64_t rows) {
    Tensor x(kFloat, {rows, 2});
    for (int64_t i = 0; i < 2 * rows; ++i) x.mutable_data<float>()[i] = static_cast<float>(i);
    return session_->Run({{x_, x}, {gradient_, Tensor::Of<float>({2, 2}, {2, 0, 0, -2})}}, y_);
  }

  // Runs a step with x of `rows` rows, and compares its result.
  DeviceWork Step(int64_t rows) {
    return WorkOf([&] {
      const auto y = Run(rows);
      ASSERT_TRUE(y.ok()) << y.status().ToString();
      w_[0] -= 1;
      w_[3] += 1;
      for (int64_t i = 0; i < rows; ++i) {
        float a = static_cast<float>(2 * i), b = a + 1;
        for (int k = 0; k < 3; ++k) {
          const float next = a * w_[0] + b * w_[2];
          b = a * w_[1] + b * w_[3];
          a = next;
        }
        EXPECT_EQ(y->data<float>()[2 * i], a);
        EXPECT_EQ(y->data<float>()[2 * i + 1], b);
      }
    });
  }

  float w_[4] = {1, 2, 3, 4};
  Output gradient_;
  std::optional<Session> session_;
};

TEST_F(CudaGraphTest, GraphsHaveTheResultsOfTheSameLaunches) {
  EXPECT_EQ(Step(1).launches, 4);
  for (int i = 0; i < 3; ++i) Step(1);
  EXPECT_EQ(Step(1).launches, 1);
  // Other shapes are other work.
  EXPECT_EQ(Step(3).graph_launches, 0);
  for (int i = 0; i < 2; ++i) Step(3);
  EXPECT_EQ(Step(3).launches, 1);
  for (int i = 0; i < 2; ++i) Step(1);
  EXPECT_EQ(Step(1).launches, 1);
}

TEST_F(CudaGraphTest, WorkThatCannotBeCapturedRunsOneByOne) {
  Fake().capture_result = 901;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Step(5).launches, 4);
}

TEST_F(CudaGraphTest, AGraphThatCannotBeLaunchedRunsOneByOne) {
  for (int i = 0; i < 4; ++i) Step(7);
  Fake().graph_launch_result = 1;
  EXPECT_EQ(Step(7).launches, 4);
}

TEST_F(CudaGraphTest, AGpuThatIsLostInAGraphIsAnErrorOfTheRun) {
  for (int i = 0; i < 4; ++i) Step(9);
  Fake().graph_launch_result = kLaunchFailed;
  const Status lost = Run(9).status();
  EXPECT_TRUE(IsInternal(lost)) << lost.ToString();
  EXPECT_THAT(lost.message(), HasSubstr("(719)"));
  EXPECT_THAT(lost.message(), HasSubstr("does not work any more"));
  session_.reset();
}

// The work after the random numbers comes again, but they do not.
TEST_F(CudaSessionTest, RandomNumbersAreInNoGraph) {
  const Output shape = Constant(graph_, Tensor::Vector<int32_t>({2, 2}));
  Output y = AddOp(graph_, "RandomUniform", {shape}, {{"dtype", kFloat}}).output(0);
  for (int i = 0; i < 3; ++i) y = AddOp(graph_, "MatMul", {y, y}).output(0);
  ASSERT_TRUE(graph_.status().ok()) << graph_.status().ToString();
  Session session = Session::Create(graph_).value();
  const auto run = [&] { EXPECT_TRUE(session.Run(y).ok()); };
  EXPECT_EQ(WorkOf(run).launches, 4);
  for (int i = 0; i < 3; ++i) run();
  const DeviceWork work = WorkOf(run);
  EXPECT_EQ(work.launches, 2);
  EXPECT_EQ(work.graph_launches, 1);
}

TEST_F(CudaSessionTest, ClosesAfterTheGpuWasLost) {
  MakeProduct();
  const Feeds feeds = {{x_, Tensor::Of<float>({1, 2}, {1, 2})}};
  {
    Session session = Session::Create(graph_).value();
    session.InitializeMissing().value();
    ASSERT_TRUE(session.Run(feeds, y_).ok());
    Fake().lost = kLaunchFailed;
    const Status lost = session.Run(feeds, y_).status();
    EXPECT_TRUE(IsInternal(lost)) << lost.ToString();
    EXPECT_THAT(lost.message(), HasSubstr("(719)"));
    EXPECT_THAT(lost.message(), HasSubstr("the process can no longer use the GPU, so restart it"));
  }
  // The CPU still runs.
  Graph host;
  const Output sum = Constant(host, Tensor(1.0f)) + Constant(host, Tensor(2.0f));
  const auto value = Session::Create(host, {.device_count = {{"GPU", 0}}}).value().Run(sum);
  ASSERT_TRUE(value.ok()) << value.status().ToString();
  EXPECT_EQ(value->scalar<float>(), 3.0f);
  Fake().lost = 0;
}

}  // namespace
}  // namespace ramet
