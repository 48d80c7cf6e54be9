// Tests of the memory of a GPU through the public API: what happens when it is full, when many
// sessions come and go, and when several processes use one device. The device is a processor behind
// OpenCL (PoCL), unless RAMET_TEST_GPU names a driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "mlp.h"
#include "ramet/backends/gpu/testing/test_driver.h"
#include "ramet/ramet.h"

namespace ramet {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::Mlp;

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kLimit = 64 * kMiB;

// Each session may use 64 MiB of the device's memory.
class GpuMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    gpu::UseTestDriver();
    const auto report = ReportGpus();
    if (!report.ok()) GTEST_SKIP() << "skipped: " << report.status().message();
    options_.gpu_options.per_process_gpu_memory_fraction =
        static_cast<double>(kLimit) / static_cast<double>(report->gpus[0].memory_bytes);
    options_.gpu_options.allow_growth = true;
    options_.allow_soft_placement = true;
  }
  Session Create(Graph& g) { return Session::Create(g, options_).value(); }

  SessionOptions options_;
};

TEST_F(GpuMemoryTest, AFullGpuListsTheLargestOwnersAndStaysUsable) {
  Graph g;
  Scope s(g);
  const Scope gpu = s.Device("/gpu:0");
  const Variable weights = s.GetVariable("net/weights", {10 * kMiB / 4}, Ones());
  const Output n = s.Placeholder("n", kInt32, {1});
  const Output many = AddOp(g, "Fill", {n, Constant(g, Tensor(2.0f))}, {}, "many").output(0);
  const Output twice =
      AddOp(g, "ConcatV2", {many, many, Constant(g, Tensor(int32_t{0}))}, {{"N", 2}}, "twice")
          .output(0);
  const Output mean = ReduceMean(twice);
  ASSERT_TRUE(g.status().ok()) << g.status().ToString();
  Session session = Create(g);
  session.InitializeMissing().value();
  const auto run = [&](int64_t bytes) {
    return session.Run({{n, Tensor::Vector<int32_t>({static_cast<int32_t>(bytes / 4)})}}, mean);
  };
  const Status status = run(20 * kMiB).status();
  ASSERT_TRUE(IsResourceExhausted(status)) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("out of memory on GPU:0 ("));
  EXPECT_THAT(status.message(), HasSubstr("41943040 bytes were requested"));
  EXPECT_THAT(status.message(), ContainsRegex("per_process_gpu_memory_fraction\n +bytes  held by"));
  EXPECT_THAT(status.message(), ContainsRegex("\n +[0-9]+  node 'many'"));
  EXPECT_THAT(status.message(), ContainsRegex("\n +[0-9]+  variable 'net/weights'"));
  EXPECT_THAT(status.message(), ContainsRegex("\n +[0-9]+  freed blocks, kept for later tensors"));
  EXPECT_THAT(status.message(), HasSubstr("{{node twice}}"));
  const auto small = run(kMiB);
  ASSERT_TRUE(small.ok()) << small.status().ToString();
  EXPECT_EQ(small->scalar<float>(), 2.0f);
  EXPECT_EQ(session.Value(weights)->data<float>()[0], 1.0f);
}

TEST_F(GpuMemoryTest, AVariableThatDoesNotFitIsReported) {
  Graph g;
  Scope s(g);
  const Scope gpu = s.Device("/gpu:0");
  s.GetVariable("huge", {100 * kMiB / 4}, Zeros());
  Session session = Create(g);
  const Status status = session.InitializeMissing().status();
  EXPECT_TRUE(IsResourceExhausted(status)) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("104857600 bytes were requested"));
}

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// Opens a session, trains a step and closes the session. Every other session fails instead.
void OpenAndClose(const SessionOptions& options, Graph& g, const Mlp& mlp, int i) {
  Session session = Session::Create(g, options).value();
  if (i % 2 == 0) session.Run(mlp.init).value();
  EXPECT_EQ(session.Run(mlp.Batch(), mlp.train).ok(), i % 2 == 0);
}

// RAMET_SESSIONS is the number of sessions.
TEST_F(GpuMemoryTest, ManySessionsLeaveNothingBehind) {
  const char* const number = std::getenv("RAMET_SESSIONS");
  const int sessions = number ? std::atoi(number) : 60;
  Graph g;
  const Mlp mlp(g, "/gpu:0");
  for (int i = 0; i < 40; ++i) OpenAndClose(options_, g, mlp, i);
  const int64_t before = ResidentBytes();
  for (int i = 0; i < sessions; ++i) OpenAndClose(options_, g, mlp, i);
  EXPECT_LT(ResidentBytes() - before, 8 * kMiB) << sessions << " sessions";
}

// The process that TwoProcessesShareADevice starts.
TEST_F(GpuMemoryTest, DISABLED_Trains) {
  Graph g;
  const Mlp mlp(g, "/gpu:0");
  Session session = Create(g);
  ASSERT_TRUE(session.Run(mlp.init).ok());
  for (int i = 0; i < 50; ++i) {
    const auto run = session.Run(mlp.Batch(), {mlp.train, mlp.loss});
    ASSERT_TRUE(run.ok()) << run.status().ToString();
  }
}

TEST_F(GpuMemoryTest, TwoProcessesShareADevice) {
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      execl("/proc/self/exe", "gpu_memory_test", "--gtest_also_run_disabled_tests",
            "--gtest_filter=*DISABLED_Trains", nullptr);
      _exit(127);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

}  // namespace
}  // namespace ramet
