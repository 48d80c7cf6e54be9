// Tests of sessions on a GPU through the public API. The device is a processor behind OpenCL
// (PoCL), so that they run on machines without a GPU, unless RAMET_TEST_GPU names a driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>

#include "mlp.h"
#include "ramet/backends/gpu/testing/test_driver.h"
#include "ramet/base/scratch_dir.h"
#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::Mlp;
using ::testing::Not;

constexpr char kGpuName[] = "/job:localhost/replica:0/task:0/device:GPU:0";

class GpuSessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    gpu::UseTestDriver();
    Graph g;
    const auto session = Session::Create(g);
    if (!session.ok()) GTEST_SKIP() << "skipped: " << session.status().message();
  }
};

// The lines that the library logs while this object exists.
class CapturedLog {
 public:
  CapturedLog() {
    SetLogSink([this](LogLevel, std::string_view line) {
      std::lock_guard lock(mutex_);
      lines_.emplace_back(line);
    });
  }
  ~CapturedLog() { SetLogSink({}); }
  std::vector<std::string> lines() const {
    std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

std::string Placed(std::string_view node, std::string_view op, std::string_view device) {
  return StrCat(node, ": (", op, "): ", device);
}

void ExpectNear(const Tensor& found, const Tensor& expected, float tolerance) {
  ASSERT_EQ(found.shape(), expected.shape());
  for (int64_t i = 0; i < found.num_elements(); ++i) {
    ASSERT_NEAR(found.data<float>()[i], expected.data<float>()[i], tolerance) << "element " << i;
  }
}

// Returns small integers, whose sums are exact in any order.
Tensor Integers(const Shape& shape, int64_t seed) {
  Tensor t(kFloat, shape);
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    t.mutable_flat<float>()[i] = static_cast<float>((i * 7 + seed) % 11 - 5);
  }
  return t;
}

// Every second dimension of each operand is broadcast, so that none can be merged.
TEST_F(GpuSessionTest, BroadcastsAndReductionsOfEachRankHaveTheValuesOfTheHost) {
  for (int rank = 1; rank <= 8; ++rank) {
    Shape shapes[2];
    std::vector<int32_t> axes;
    for (int d = 0; d < rank; ++d) {
      for (int i = 0; i < 2; ++i) shapes[i].Append(d % 2 == i ? 2 + d % 3 : 1);
      if (d % 3 != 1) axes.push_back(d);
    }
    std::vector<Tensor> values[2];
    for (const char* device : {"/cpu:0", "/gpu:0"}) {
      Graph g;
      Scope s = Scope(g).Device(device);
      const Output x = s.Placeholder("x", kFloat, Shape::Unknown());
      const Output y = s.Placeholder("y", kFloat, Shape::Unknown());
      const Output product = x * y, tree = Square(x) + y;
      const Output sum = ReduceSum(Square(x) - y, axes);
      Session session = Session::Create(g).value();
      const Feeds feeds = {{x, Integers(shapes[0], 1)}, {y, Integers(shapes[1], 2)}};
      values[device[1] == 'g'] = session.Run(feeds, {product, tree, sum}).value();
    }
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(values[0][i].shape(), values[1][i].shape());
      EXPECT_TRUE(values[0][i].BitwiseEquals(values[1][i])) << i << " of rank " << rank;
    }
  }
}

TEST_F(GpuSessionTest, TrainsAsTheCpuDoes) {
  std::vector<Tensor> weights[2];
  const char* devices[2] = {"/cpu:0", "/gpu:0"};
  for (int d = 0; d < 2; ++d) {
    Graph g;
    Mlp mlp(g, devices[d]);
    Session session = Session::Create(g, {.allow_soft_placement = true}).value();
    const auto initialized = session.Run(mlp.init);
    ASSERT_TRUE(initialized.ok()) << initialized.status().ToString();
    for (int i = 0; i < 20; ++i) {
      const auto run = session.Run(mlp.Batch(), {mlp.train, mlp.loss});
      ASSERT_TRUE(run.ok()) << run.status().ToString();
    }
    for (const Variable& v : mlp.variables()) weights[d].push_back(session.Value(v).value());
  }
  for (size_t i = 0; i < weights[0].size(); ++i) ExpectNear(weights[1][i], weights[0][i], 1e-5f);
}

TEST_F(GpuSessionTest, IsListedUnlessTheSessionAsksForNone) {
  Graph g;
  EXPECT_THAT(Session::Create(g).value().ListDevices(), Contains(kGpuName));
  EXPECT_THAT(Session::Create(g, {.device_count = {{"GPU", 1}}}).value().ListDevices(),
              Contains(kGpuName));
  EXPECT_THAT(Session::Create(g, {.device_count = {{"GPU", 0}}}).value().ListDevices(),
              Not(Contains(kGpuName)));
}

TEST_F(GpuSessionTest, UnplacedNodesPreferIt) {
  Graph g;
  Scope s(g);
  const Output x = s.Placeholder("x", kFloat, {2, 2});
  const Output y = AddOp(g, "MatMul", {x, x}, {}, "y").output(0);
  const Output words = s.Placeholder("words", kString, {1});
  const Output length = AddOp(g, "StringLength", {words}, {}, "length").output(0);
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  Session session = Session::Create(g, {.log_device_placement = true}).value();
  const CapturedLog log;
  const auto values = session.Run({{x, Tensor::Of<float>({2, 2}, {1, 2, 3, 4})},
                                   {words, Tensor::Vector<std::string>({"four"})}},
                                  {y, length});
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_TRUE((*values)[0].BitwiseEquals(Tensor::Of<float>({2, 2}, {7, 10, 15, 22})));
  EXPECT_EQ((*values)[1].data<int32_t>()[0], 4);
  EXPECT_THAT(log.lines(), Contains(Placed("y", "MatMul", kGpuName)));
  EXPECT_THAT(log.lines(), Contains(Placed("length", "StringLength",
                                           "/job:localhost/replica:0/task:0/device:CPU:0")));
}

TEST_F(GpuSessionTest, MissingKernelsNeedSoftPlacement) {
  Graph g;
  Scope s(g);
  const Output x = s.Placeholder("x", kString, {2});
  const Scope gpu = s.Device("/gpu:0");
  const Output y = AddOp(g, "StringLength", {x}).output(0);
  const Feeds feeds = {{x, Tensor::Vector<std::string>({"a", "bc"})}};
  EXPECT_THAT(Session::Create(g).value().Run(feeds, y).status().message(),
              HasSubstr("this device has no kernel for it"));
  EXPECT_TRUE(Session::Create(g, {.allow_soft_placement = true}).value().Run(feeds, y).ok());
}

TEST_F(GpuSessionTest, ShapesAreComputedOnTheHost) {
  Graph g;
  Scope s(g);
  const Output x = s.Placeholder("x", kFloat, {-1, 3});
  const Scope gpu = s.Device("/gpu:0");
  const Output rows = AddOp(g, "Size", {x}).output(0);
  const Output twice = AddOp(g, "AddV2", {rows, Constant(g, Tensor(int32_t{0}))}).output(0);
  const Output shape = AddOp(g, "ExpandDims", {twice, Constant(g, Tensor(int32_t{0}))}).output(0);
  const Output flat = AddOp(g, "Reshape", {x, shape}).output(0);
  const Output y = AddOp(g, "Neg", {flat}).output(0);
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  const auto value = Session::Create(g).value().Run({{x, Tensor::Of<float>({1, 3}, {1, 2, 3})}}, y);
  ASSERT_TRUE(value.ok()) << value.status().ToString();
  EXPECT_TRUE(value->BitwiseEquals(Tensor::Of<float>({3}, {-1, -2, -3})));
}

TEST_F(GpuSessionTest, LoopsAndBranchesRunThere) {
  Graph g;
  Scope s(g);
  const Scope gpu = s.Device("/gpu:0");
  const Output x = s.Placeholder("x", kFloat, {});
  const Outputs results = WhileLoop(
      s, [](const Outputs& v) { return Less(v[0], 100.0f); },
      [](const Outputs& v) { return Outputs{v[0] * 2.0f}; }, {x});
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  const auto value = Session::Create(g).value().Run({{x, Tensor(3.0f)}}, results[0]);
  ASSERT_TRUE(value.ok()) << value.status().ToString();
  EXPECT_EQ(value->scalar<float>(), 192.0f);
}

TEST_F(GpuSessionTest, VariablesAreSavedThereAndRestoredOnTheCpu) {
  const ScratchDir folder;
  Tensor expected;
  {
    Graph g;
    Mlp mlp(g, "/gpu:0");
    Saver saver(g);
    Session session = Session::Create(g, {.allow_soft_placement = true}).value();
    session.Run(mlp.init).value();
    session.Run(mlp.Batch(), mlp.train).value();
    const auto saved = saver.Save(session, folder.path() + "/m");
    ASSERT_TRUE(saved.ok()) << saved.status().ToString();
    expected = session.Value(mlp.w0).value();
    Session again = Session::Create(g, {.allow_soft_placement = true}).value();
    const Status restored = saver.Restore(again, folder.path() + "/m");
    ASSERT_TRUE(restored.ok()) << restored.ToString();
    again.Run(mlp.Batch(), mlp.train).value();
  }
  Graph copy;
  auto imported = ImportMetaGraph(copy, folder.path() + "/m.meta", {.clear_devices = true}).value();
  Session session = Session::Create(copy, {.device_count = {{"GPU", 0}}}).value();
  ASSERT_TRUE(imported.saver.Restore(session, folder.path() + "/m").ok());
  EXPECT_TRUE(session.Run("w0:0").value().BitwiseEquals(expected));
}

TEST_F(GpuSessionTest, ValuesHeldElsewhereDoNotChange) {
  Graph g;
  Scope s(g);
  const Scope gpu = s.Device("/gpu:0");
  const Variable v = s.GetVariable("v", {4}, Zeros());
  const Output add = AssignAdd(v.ref(), Constant(g, Tensor::Vector<float>({1, 2, 3, 4})));
  Session session = Session::Create(g).value();
  session.InitializeMissing().value();
  const Tensor first = session.Run(add).value();
  const Tensor second = session.Run(add).value();
  EXPECT_EQ(first.data<float>()[3], 4);
  EXPECT_EQ(second.data<float>()[3], 8);
}

// Each version has the values at the time of Publish, whatever the trainer does next.
TEST_F(GpuSessionTest, AFollowerOnTheCpuHasEachVersion) {
  Graph g;
  Scope s(g);
  Output add;
  {
    Scope gpu = s.Device("/gpu:0");
    const Variable w = gpu.GetVariable("w", {4}, Zeros());
    add = AssignAdd(w.ref(), Constant(g, Tensor::Of<float>({4}, {1.0f})), "add");
    Identity(w, "y");
  }
  Session session = Session::Create(g).value();
  session.InitializeMissing().value();
  PublisherOptions options;
  options.retention.at_limit = RetentionOptions::AtLimit::kWait;
  options.retention.retained = 10;
  const std::string address = StrCat("shm:gpu session test ", getpid());
  Publisher publisher = Publisher::Open(address, session, options).value();
  constexpr int kSteps = 10;
  for (int step = 1; step <= kSteps; ++step) {
    session.Run(add).value();
    publisher.Publish({.step = step}).value();
  }
  FollowerOptions on_cpu;
  on_cpu.session_options.device_count = {{"GPU", 0}};
  Follower follower = Follower::Open(address, on_cpu).value();
  ASSERT_TRUE(follower.Wait(kSteps, std::chrono::milliseconds(60000)).ok());
  for (int step = 1; step <= kSteps; ++step) {
    ASSERT_TRUE(follower.Pin(static_cast<uint64_t>(step)).ok());
    const Tensor y = follower.session().Run("y:0").value();
    EXPECT_EQ(y.data<float>()[3], static_cast<float>(step));
  }
}

// Starts a session with RAMET_GPU and exits with its error.
[[noreturn]] void CreateWith(const char* gpu) {
  setenv("RAMET_GPU", gpu, 1);
  Graph g;
  const auto session = Session::Create(g);
  std::fprintf(stderr, "%s\n", session.status().ToString().c_str());
  if (session.ok())
    std::fprintf(stderr, "devices: %s\n", StrJoin(session->ListDevices(), " ").c_str());
  std::exit(session.ok() ? 0 : 1);
}

TEST(GpuChoiceDeathTest, IsReadFromTheEnvironment) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  setenv("RAMET_CUDA_LIBRARY", "libNoCuda.so.1", 1);
  EXPECT_EXIT(CreateWith("cuda"), ::testing::ExitedWithCode(1),
              "CUDA: cannot open libNoCuda.so.1: .*install NVIDIA's driver");
  unsetenv("RAMET_CUDA_LIBRARY");
  EXPECT_EXIT(CreateWith("metal"), ::testing::ExitedWithCode(1),
              "RAMET_GPU is 'metal'; expected off, cuda, opencl or opencl:cpu");
  EXPECT_EXIT(CreateWith("off"), ::testing::ExitedWithCode(0), "devices: [^G]*$");
}

}  // namespace
}  // namespace ramet
