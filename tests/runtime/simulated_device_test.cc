#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "mlp.h"

namespace ramet {
namespace {

using ::testing::HasSubstr;
using testing::Mlp;

// Trains the model in memory that the host cannot access and compares the results with the CPU's.
TEST(SimulatedDeviceTest, TrainsAsTheCpuDoes) {
  std::vector<Tensor> weights[2];
  const char* devices[2] = {"/cpu:0", "/device:SIM:0"};
  for (int d = 0; d < 2; ++d) {
    Graph g;
    Mlp mlp(g, devices[d]);
    Session session =
        Session::Create(g, {.intra_op_parallelism_threads = 1, .deterministic = true}).value();
    auto initialized = session.Run(mlp.init);
    ASSERT_TRUE(initialized.ok()) << initialized.status().ToString();
    for (int i = 0; i < 20; ++i) {
      auto run = session.Run(mlp.Batch(), {mlp.train, mlp.loss});
      ASSERT_TRUE(run.ok()) << run.status().ToString();
    }
    for (const Variable& v : mlp.variables()) weights[d].push_back(session.Value(v).value());
  }
  for (size_t i = 0; i < weights[0].size(); ++i) {
    EXPECT_TRUE(weights[0][i].BitwiseEquals(weights[1][i])) << "variable " << i;
  }
}

TEST(SimulatedDeviceTest, IsSavedThereAndFollowedOnTheCpu) {
  std::string dir = (std::filesystem::temp_directory_path() / "ramet-sim-XXXXXX").string();
  ASSERT_NE(mkdtemp(dir.data()), nullptr);
  Tensor expected, images;
  {
    Graph g;
    Mlp mlp(g, "/device:SIM:0");
    Saver saver(g);
    Session session = Session::Create(g).value();
    session.Run(mlp.init).value();
    session.Run(mlp.Batch(), mlp.train).value();
    auto saved = saver.Save(session, dir + "/m");
    ASSERT_TRUE(saved.ok()) << saved.status().ToString();
    expected = session.Run({{mlp.x, mlp.images}}, mlp.out).value();
    images = mlp.images;
    Session again = Session::Create(g).value();
    ASSERT_TRUE(saver.Restore(again, dir + "/m").ok());
    EXPECT_TRUE(again.Run({{mlp.x, images}}, mlp.out).value().BitwiseEquals(expected));
  }
  Graph copy;
  auto imported = ImportMetaGraph(copy, dir + "/m.meta", {.clear_devices = true}).value();
  Session session = Session::Create(copy).value();
  ASSERT_TRUE(imported.saver.Restore(session, dir + "/m").ok());
  EXPECT_TRUE(session.Run({{"x:0", images}}, "out:0").value().BitwiseEquals(expected));
  std::filesystem::remove_all(dir);
}

TEST(SimulatedDeviceTest, MissingKernelsNeedSoftPlacement) {
  Graph g;
  Scope s(g);
  Scope sim = s.Device("/device:SIM:0");
  Output x = s.Placeholder("x", kString, {2});
  Output y = AddOp(g, "StringLength", {x}).output(0);
  ASSERT_TRUE(g.status().ok());
  const Feeds feeds = {{x, Tensor::Vector<std::string>({"a", "bc"})}};
  EXPECT_THAT(Session::Create(g).value().Run(feeds, y).status().message(),
              HasSubstr("this device has no kernel for it"));
  EXPECT_TRUE(Session::Create(g, {.allow_soft_placement = true}).value().Run(feeds, y).ok());
}

// Like in TensorFlow, kernels that forward strings exist, but kernels that create them do not.
TEST(SimulatedDeviceTest, StringsStayInHostMemory) {
  Graph g;
  Scope s(g);
  const Output words = Constant(g, Tensor::Vector<std::string>({"a", "b"}), "words");
  Output passed, made;
  {
    Scope sim = s.Device("/device:SIM:0");
    passed = AddOp(g, "Identity", {words}).output(0);
    made = Constant(g, Tensor::Vector<std::string>({"c"}), "made");
  }
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  auto values = Session::Create(g).value().Run(passed);
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_EQ(values->flat<std::string>()[1], "b");
  EXPECT_THAT(Session::Create(g).value().Run(made).status().message(),
              HasSubstr("this device has no kernel for it"));
  auto soft = Session::Create(g, {.allow_soft_placement = true}).value().Run(made);
  ASSERT_TRUE(soft.ok()) << soft.status().ToString();
  EXPECT_EQ(soft->flat<std::string>()[0], "c");
}

// Limits the address space, so that the device's memory does not fit (ulimit -v).
void LimitAddressSpace(size_t more_bytes) {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * 4096 + more_bytes;
  const rlimit limit = {most, most};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::exit(3);
}

[[noreturn]] void RunWithLittleAddressSpace(const char* device) {
  LimitAddressSpace(size_t{512} << 20);
  Graph g;
  Scope s(g);
  Scope there = s.Device(device);
  const Output y = Constant(g, Tensor::Vector<float>({1, 2})) + Constant(g, Tensor(1.0f));
  auto session = Session::Create(g);
  const Status status = session.ok() ? session->Run(y).status() : session.status();
  std::fprintf(stderr, "%s", status.ToString().c_str());
  std::exit(status.ok() ? 0 : 1);
}

TEST(SimulatedDeviceDeathTest, ItsMemoryIsReservedWhenItIsUsed) {
#ifdef RAMET_SANITIZE
  GTEST_SKIP() << "skipped: sanitizers need more address space";
#endif
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(RunWithLittleAddressSpace("/cpu:0"), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(RunWithLittleAddressSpace("/device:SIM:0"), ::testing::ExitedWithCode(1),
              "RESOURCE_EXHAUSTED.*could not reserve.*ulimit -v");
}

TEST(SimulatedDeviceDeathTest, HostAccessFaults) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        Device* device = DeviceRegistry::Global().Get("SIM", 0).value();
        Tensor t = Tensor::Allocate(kFloat, {4}, device->allocator()).value();
        volatile float* p = t.mutable_data<float>();
        p[0] = 1;
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace ramet
