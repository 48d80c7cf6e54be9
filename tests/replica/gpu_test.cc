// Tests of live copies from and to GPUs, in one process and in two. The GPU is a processor behind
// OpenCL (PoCL), so that they run on machines without a GPU.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>

#include "child_process.h"
#include "ramet/backends/gpu/testing/test_driver.h"
#include "ramet/base/scratch_dir.h"
#include "replica_testing.h"

namespace ramet {
namespace {

constexpr int kVersions = 8;
constexpr int kSteps = 40;

// A trainer of a small network on a device. Its weights differ at each step, and so do its outputs.
class Trainer {
 public:
  explicit Trainer(const std::string& device) {
    graph_.SetSeed(7);
    Scope root(graph_);
    Scope s = root.Device(device);
    const Output x = s.Placeholder("x", kFloat, {-1, 6});
    const Variable w0 = s.GetVariable("w0", {6, 17}, GlorotUniform());
    const Variable w1 = s.GetVariable("w1", {17, 3}, GlorotUniform());
    const Variable b = s.GetVariable("b", {17}, Zeros());
    const Output y = MatMul(Relu(MatMul(x, w0) + b), w1);
    Identity(y, "y");
    variables_ = {w0, w1, b};
    train_ = GradientDescent(0.05f).Minimize(ReduceMean(y * y),
                                             {.global_step = GetOrCreateGlobalStep(graph_)});
    session_.emplace(Session::Create(graph_, {.allow_soft_placement = true}).value());
    session_->InitializeMissing().value();
  }
  static Tensor Batch() {
    Tensor batch(kFloat, {5, 6});
    for (int i = 0; i < 30; ++i) batch.mutable_data<float>()[i] = static_cast<float>(i % 7) - 2.5f;
    return batch;
  }
  Session& session() { return *session_; }
  void Step() { session_->Run({{"x:0", Batch()}}, train_).value(); }
  std::vector<Tensor> Values() {
    std::vector<Tensor> values;
    for (const Variable& v : variables_) values.push_back(session_->Value(v).value());
    return values;
  }

 private:
  Graph graph_;
  std::vector<Variable> variables_;
  Operation train_;
  std::optional<Session> session_;
};

const std::vector<GraphElement> kVariables = {"w0:0", "w1:0", "b:0"};

// The values of the published variables in a follower's session.
std::vector<Tensor> ValuesOf(Session& session) { return session.Run(kVariables).value(); }
std::string BytesOf(const std::vector<Tensor>& tensors) {
  std::string bytes;
  for (const Tensor& t : tensors) bytes.append(static_cast<const char*>(t.raw_data()), t.bytes());
  return bytes;
}

void ExpectSame(const std::vector<Tensor>& found, const std::vector<Tensor>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(found[i].BitwiseEquals(expected[i])) << "variable " << i;
  }
}

bool HasGpu() {
  gpu::UseTestDriver();
  Graph graph;
  return Session::Create(graph).ok();
}

PublisherOptions KeepsAll() {
  return {.retention = {.retained = kVersions, .at_limit = RetentionOptions::AtLimit::kWait}};
}

struct Devices {
  const char* trainer;
  const char* follower;
};
void PrintTo(const Devices& d, std::ostream* out) { *out << d.trainer << " to " << d.follower; }

class GpuLiveCopyTest : public ::testing::TestWithParam<Devices> {
 protected:
  void SetUp() override {
    if (!HasGpu()) GTEST_SKIP() << "skipped: no OpenCL driver for processors (pocl-opencl-icd)";
  }
  static std::string Address() {
    std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ranges::replace(test, '/', ' ');
    return StrCat("shm:gpu ", getpid(), " ", test);
  }
};

TEST_P(GpuLiveCopyTest, IsEqualAtEachVersion) {
  Trainer trainer(GetParam().trainer);
  Publisher publisher = Publisher::Open(Address(), trainer.session(), KeepsAll()).value();
  Follower follower = Follower::Open(Address(), {.device = GetParam().follower}).value();
  std::vector<std::vector<Tensor>> values, outputs;
  for (int i = 1; i <= kVersions; ++i) {
    trainer.Step();
    ASSERT_EQ(publisher.Publish().value(), i);
    values.push_back(trainer.Values());
    ASSERT_TRUE(follower.Wait(static_cast<uint64_t>(i), 30s).ok());
    EXPECT_EQ(follower.current().id.step, i);
    ExpectSame(ValuesOf(follower.session()), values.back());
    outputs.push_back({follower.session().Run({{"x:0", Trainer::Batch()}}, "y:0").value()});
  }
  EXPECT_FALSE(outputs[0][0].BitwiseEquals(outputs[1][0]));
  for (int i = 1; i <= kVersions; ++i) {
    ASSERT_TRUE(follower.Pin(static_cast<uint64_t>(i)).ok());
    ExpectSame(ValuesOf(follower.session()), values[i - 1]);
    ExpectSame({follower.session().Run({{"x:0", Trainer::Batch()}}, "y:0").value()},
               outputs[i - 1]);
  }
}

TEST_P(GpuLiveCopyTest, BothSidesComputeOnTheirDevices) {
  Trainer trainer(GetParam().trainer);
  Publisher publisher = Publisher::Open(Address(), trainer.session()).value();
  trainer.Step();
  publisher.Publish().value();
  Follower follower =
      Follower::Open(Address(), {.device = GetParam().follower, .wait = 30s}).value();
  ASSERT_TRUE(follower.Wait(1, 30s).ok());
  const auto device_of_product = [](Session& session) {
    RunMetadata metadata;
    session.Run({{"x:0", Trainer::Batch()}}, "y:0", {.trace = true}, &metadata).value();
    for (const NodeStats& step : metadata.steps) {
      if (step.op == "MatMul") return step.device;
    }
    return std::string("not run");
  };
  const auto on = [](std::string device) {
    std::ranges::transform(device, device.begin(), ::toupper);
    return ::testing::EndsWith(device.substr(1));
  };
  EXPECT_THAT(device_of_product(trainer.session()), on(GetParam().trainer));
  EXPECT_THAT(device_of_product(follower.session()), on(GetParam().follower));
}

TEST_P(GpuLiveCopyTest, EachVersionIsWholeWhileTheTrainerGoesOn) {
  Trainer trainer(GetParam().trainer);
  const std::string address = Address();
  Publisher publisher =
      Publisher::Open(
          address, trainer.session(),
          {.every_steps = 1, .retention = {.at_limit = RetentionOptions::AtLimit::kWait}})
          .value();
  trainer.Step();
  Follower follower = Follower::Open(address, {.device = GetParam().follower, .wait = 30s}).value();
  ASSERT_TRUE(follower.Wait(1, 30s).ok());
  std::map<int64_t, std::vector<Tensor>> seen[2];
  std::vector<std::thread> readers;
  for (auto& by_step : seen) {
    readers.emplace_back([&] {
      for (int64_t step = 0; step < kSteps;) {
        RunMetadata metadata;
        auto run = follower.session().Run({}, kVariables, {}, &metadata).value();
        step = metadata.version.step;
        by_step[step] = std::move(run);
      }
    });
  }
  for (int i = 1; i < kSteps; ++i) trainer.Step();
  EXPECT_TRUE(publisher.Flush().ok());
  for (std::thread& reader : readers) reader.join();
  Trainer alone(GetParam().trainer);  // takes the same steps
  for (int step = 1; step <= kSteps; ++step) {
    alone.Step();
    for (auto& by_step : seen) {
      if (by_step.contains(step)) ExpectSame(by_step[step], alone.Values());
    }
  }
}

TEST_P(GpuLiveCopyTest, ARollbackHasTheOldValues) {
  Trainer trainer(GetParam().trainer);
  Publisher publisher = Publisher::Open(Address(), trainer.session(), KeepsAll()).value();
  Follower follower = Follower::Open(Address(), {.device = GetParam().follower}).value();
  std::vector<std::vector<Tensor>> values;
  for (int i = 1; i <= 3; ++i) {
    trainer.Step();
    publisher.Publish().value();
    values.push_back(trainer.Values());
    ASSERT_TRUE(follower.Wait(static_cast<uint64_t>(i), 30s).ok());
    ExpectSame(ValuesOf(follower.session()), values.back());
  }
  EXPECT_EQ(follower.Rollback(2).value(), 4);
  ASSERT_TRUE(follower.Wait(4, 30s).ok());
  ExpectSame(ValuesOf(follower.session()), values[1]);
  trainer.Step();
  EXPECT_EQ(publisher.Publish().value(), 5);
  ASSERT_TRUE(follower.Wait(5, 30s).ok());
  ExpectSame(ValuesOf(follower.session()), trainer.Values());
}

// The follower is another process, which prints the bytes that it sees.
TEST_P(GpuLiveCopyTest, IsEqualInAnotherProcess) {
  Trainer trainer(GetParam().trainer);
  Publisher publisher = Publisher::Open(Address(), trainer.session(), KeepsAll()).value();
  const ScratchDir folder;
  Child child({Address(), GetParam().follower, folder.path()});
  while (publisher.stats().readers == 0) std::this_thread::sleep_for(1ms);
  std::vector<std::vector<Tensor>> values;
  for (int i = 1; i <= kVersions; ++i) {
    trainer.Step();
    ASSERT_EQ(publisher.Publish().value(), i);
    values.push_back(trainer.Values());
  }
  ASSERT_EQ(child.Wait(), 0);
  for (int i = 1; i <= kVersions; ++i) {
    std::ifstream file(folder / std::to_string(i));
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    EXPECT_EQ(bytes, BytesOf(values[i - 1])) << "version " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, GpuLiveCopyTest,
                         ::testing::Values(Devices{"/gpu:0", "/cpu:0"}, Devices{"/cpu:0", "/gpu:0"},
                                           Devices{"/gpu:0", "/gpu:0"}),
                         [](const auto& info) {
                           const std::string from(info.param.trainer + 1, 3);
                           return StrCat(from, "To", std::string(info.param.follower + 1, 3));
                         });

// Follows all versions at an address and writes their values to files.
int Follow(const std::string& address, const std::string& device, const std::string& folder) {
  Follower follower = Follower::Open(address, {.device = device, .wait = 30s}).value();
  follower.Wait(kVersions, 60s).value();
  for (uint64_t version = 1; version <= kVersions; ++version) {
    follower.Pin(version).value();
    std::ofstream(folder + "/" + std::to_string(version)) << BytesOf(ValuesOf(follower.session()));
  }
  return 0;
}

}  // namespace
}  // namespace ramet

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[0], "child") == 0) {
    return ramet::Follow(argv[1], argv[2], argv[3]);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
