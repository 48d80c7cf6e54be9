// Tests of live copies from and to GPUs through CUDA, in one process and in two. A double replaces
// NVIDIA's driver. It tells apart which copies go through a buffer of the driver, and processes
// share its memory.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "child_process.h"
#include "ramet/backends/gpu/testing/fake_cuda.h"
#include "ramet/base/log.h"
#include "ramet/base/scratch_dir.h"
#include "replica_testing.h"

namespace ramet {
namespace {

constexpr int64_t kElements = 100000;
constexpr size_t kBytes = kElements * sizeof(float);
constexpr int kOutOfMemory = 2;

gpu::testing::FakeCuda& Fake() {
  void* const library = dlopen(RAMET_FAKE_CUDA, RTLD_NOW);
  return *reinterpret_cast<gpu::testing::FakeCuda* (*)()>(dlsym(library, "ramet_fake_cuda"))();
}

// The first session finds the GPUs of the process.
void UseFakeCuda() {
  setenv("RAMET_GPU", "cuda", 1);
  setenv("RAMET_GPU_CACHE", "", 1);
  setenv("RAMET_CUDA_LIBRARY", RAMET_FAKE_CUDA, 1);
}

Tensor Filled(float value) {
  Tensor filled(kFloat, {kElements});
  for (float& x : filled.mutable_flat<float>()) x = value;
  return filled;
}

bool IsFilled(const Tensor& tensor, float value) {
  return std::ranges::all_of(tensor.flat<float>(), [&](float x) { return x == value; });
}

// A trainer whose variable w has the number of the step in all elements.
class Trainer {
 public:
  explicit Trainer(const std::string& device) {
    Scope root(graph_);
    Scope s = root.Device(device);
    w_ = s.GetVariable("w", {kElements}, ConstantInit(Filled(0)));
    next_ = s.Placeholder("next", kFloat, {kElements});
    assign_ = AddOp(graph_, "Assign", {w_.ref(), next_}, {}, "assign");
    Identity(w_, "y");
    session_.emplace(Session::Create(graph_, {.allow_soft_placement = true}).value());
    session_->InitializeMissing().value();
  }
  Session& session() { return *session_; }
  // Sets w and publishes it.
  void Publish(Publisher& publisher, int64_t step) {
    session_->Run({{next_, Filled(static_cast<float>(step))}}, assign_).value();
    publisher.Publish({.step = step}).value();
    const Status flushed = publisher.Flush();
    ASSERT_TRUE(flushed.ok()) << flushed.ToString();
  }

 private:
  Graph graph_;
  Variable w_;
  Output next_;
  Operation assign_;
  std::optional<Session> session_;
};

bool HasStep(Follower& follower) {
  RunMetadata metadata;
  const auto y = follower.session().Run({}, "y:0", RunOptions(), &metadata).value();
  return IsFilled(y, static_cast<float>(metadata.version.step));
}

PublisherOptions Waits() { return {.retention = {.at_limit = RetentionOptions::AtLimit::kWait}}; }

class CudaLiveCopyTest : public ::testing::Test {
 protected:
  ~CudaLiveCopyTest() override {
    EXPECT_FALSE(Fake().has_bad_access);
    const gpu::testing::FakeCuda defaults;
    Fake().register_status = defaults.register_status;
    Fake().has_read_only_register = defaults.has_read_only_register;
    Fake().can_share = defaults.can_share;
  }
  static std::string Address() {
    return StrCat("shm:cuda ", getpid(), " ",
                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
  }
};

TEST_F(CudaLiveCopyTest, VersionsAreCopiedWithoutABufferInBetween) {
  Trainer trainer("/gpu:0");
  const int registered = Fake().registered;
  {
    Publisher publisher = Publisher::Open(Address(), trainer.session(), Waits()).value();
    trainer.Publish(publisher, 1);
    EXPECT_GT(Fake().registered, registered);
    const auto before = Fake();
    for (int step = 2; step <= 5; ++step) trainer.Publish(publisher, step);
    EXPECT_EQ(Fake().bytes_copied_directly - before.bytes_copied_directly, 4 * kBytes);
    Follower follower = Follower::Open(Address(), {.device = "/cpu:0"}).value();
    ASSERT_TRUE(follower.Wait(5, 30s).ok());
    EXPECT_TRUE(HasStep(follower));
  }
  EXPECT_EQ(Fake().registered, registered);
}

TEST_F(CudaLiveCopyTest, MemoryThatThePublisherAddsIsRegisteredToo) {
  Trainer trainer("/gpu:0");
  Publisher publisher = Publisher::Open(Address(), trainer.session(), Waits()).value();
  trainer.Publish(publisher, 1);
  const int first = Fake().registered;
  std::vector<Follower> holders;
  for (int step = 1; step <= 7; ++step) {
    trainer.Publish(publisher, step);
    holders.push_back(Follower::Open(Address(), {.device = "/cpu:0"}).value());
    ASSERT_TRUE(holders.back().Wait(static_cast<uint64_t>(step), 30s).ok());
    ASSERT_TRUE(holders.back().Pin(holders.back().current().id.version).ok());
  }
  EXPECT_GT(Fake().registered, first);
}

TEST_F(CudaLiveCopyTest, WithoutRegistrationVersionsAreCopiedThroughABuffer) {
  std::vector<std::string> messages;
  SetLogLevel(LogLevel::kDebug);
  SetLogSink([&](LogLevel, std::string_view text) { messages.emplace_back(text); });
  Fake().register_status = kOutOfMemory;
  {
    Trainer trainer("/gpu:0");
    Publisher publisher = Publisher::Open(Address(), trainer.session(), Waits()).value();
    const auto before = Fake();
    for (int step = 1; step <= 3; ++step) trainer.Publish(publisher, step);
    EXPECT_EQ(Fake().bytes_copied_directly, before.bytes_copied_directly);
    EXPECT_EQ(Fake().registered, before.registered);
    Follower follower = Follower::Open(Address(), {.device = "/cpu:0"}).value();
    ASSERT_TRUE(follower.Wait(3, 30s).ok());
    EXPECT_TRUE(HasStep(follower));
  }
  SetLogSink({});
  SetLogLevel(LogLevel::kInfo);
  static ptrdiff_t logged = 0;  // once in a process, however often this test runs
  logged += std::ranges::count_if(messages, [](const std::string& message) {
    return message.find("cuMemHostRegister of") != message.npos;
  });
  EXPECT_EQ(logged, 1);
}

TEST_F(CudaLiveCopyTest, FollowersOnAGpuCopyWithoutABufferInBetween) {
  Trainer trainer("/cpu:0");
  Publisher publisher = Publisher::Open(Address(), trainer.session(), Waits()).value();
  trainer.Publish(publisher, 1);
  for (const bool is_supported : {true, false}) {
    Fake().has_read_only_register = is_supported;
    const auto before = Fake();
    {
      Follower follower = Follower::Open(Address(), {.device = "/gpu:0"}).value();
      ASSERT_TRUE(follower.Wait(1, 30s).ok());
      EXPECT_EQ(Fake().bytes_copied_directly - before.bytes_copied_directly,
                is_supported ? kBytes : 0);
      EXPECT_TRUE(HasStep(follower));
    }
    EXPECT_EQ(Fake().registered, before.registered);
  }
}

// Runs the child as a follower and publishes until it ends. Returns its exit status.
int PublishTo(Child child, const std::string& address, const PublisherOptions& options) {
  Trainer trainer("/gpu:0");
  Publisher publisher = Publisher::Open(address, trainer.session(), options).value();
  for (int64_t step = 1;; ++step) {
    trainer.Publish(publisher, step);
    if (int status = 0; child.HasEnded(&status)) return status;
    std::this_thread::sleep_for(2ms);
  }
}

TEST_F(CudaLiveCopyTest, AnotherProcessMapsTheMemoryOfTheSameGpu) {
  const auto before = Fake();
  EXPECT_EQ(PublishTo(Child({"maps", Address()}), Address(), {}), 0);
  EXPECT_EQ(Fake().shared, before.shared);
  EXPECT_EQ(Fake().memories, before.memories);
}

TEST_F(CudaLiveCopyTest, VersionsThatAreReadAreNotOverwritten) {
  EXPECT_EQ(PublishTo(Child({"holds", Address()}), Address(), {}), 0);
}

TEST_F(CudaLiveCopyTest, AssignmentsOfAFollowerAreItsOwn) {
  EXPECT_EQ(PublishTo(Child({"assigns", Address()}), Address(), {}), 0);
}

TEST_F(CudaLiveCopyTest, ADifferentGpuGetsTheCopyInHostMemory) {
  const auto before = Fake();
  EXPECT_EQ(PublishTo(Child({"another gpu", Address()}), Address(), {}), 0);
  EXPECT_EQ(Fake().shared, before.shared);
}

TEST_F(CudaLiveCopyTest, ADriverThatCannotShareGetsTheCopyInHostMemory) {
  EXPECT_EQ(PublishTo(Child({"cannot share", Address()}), Address(), {}), 0);
}

TEST_F(CudaLiveCopyTest, ADriverWithoutReadOnlyMappingsMapsForWriting) {
  EXPECT_EQ(PublishTo(Child({"maps for writing", Address()}), Address(), {}), 0);
}

TEST_F(CudaLiveCopyTest, AFollowerThatIsKilledWhileItReadsHoldsUpNobody) {
  Trainer trainer("/gpu:0");
  Publisher publisher = Publisher::Open(Address(), trainer.session()).value();
  const ScratchDir folder;
  int64_t step = 0;
  for (int i = 0; i < 3; ++i) {
    Child child({"reads until killed", Address(), folder / StrCat(i)});
    ASSERT_TRUE(Eventually([&] {
      trainer.Publish(publisher, ++step);
      return std::ifstream(folder / StrCat(i)).good();
    }));
    child.Kill();
  }
  ASSERT_TRUE(Eventually([&] { return publisher.stats().readers == 0; }));
  for (int i = 0; i < 20; ++i) trainer.Publish(publisher, ++step);
  EXPECT_EQ(Fake().shared, 0);  // nobody wants the copies any more
  EXPECT_EQ(publisher.stats().oldest_in_use, 0u);
}

TEST_F(CudaLiveCopyTest, TheLastVersionStaysWhenThePublisherDies) {
  const auto publish = [&] { return Child({"publishes", Address()}); };
  std::optional<Child> child(publish());
  Follower follower = Follower::Open(Address(), {.device = "/gpu:0", .wait = 30s}).value();
  ASSERT_TRUE(Eventually([&] { return Fake().shared > 0; }));
  child->Kill();
  ASSERT_TRUE(Eventually([&] { return !follower.stats().connected; }));
  const VersionId last = follower.current().id;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(HasStep(follower));
  EXPECT_EQ(follower.current().id, last);
  child.reset();
  child.emplace(publish());
  ASSERT_TRUE(Eventually([&] { return follower.current().id.epoch != last.epoch; }));
  EXPECT_TRUE(HasStep(follower));
}

// The follower in a child process, which takes versions when it is told to.
class ChildFollower {
 public:
  explicit ChildFollower(const std::string& address)
      : follower_(Follower::Open(address, {.device = "/gpu:0", .wait = 30s, .automatic = false})
                      .value()) {}

  // Takes the next version. Returns whether its values were mapped, not copied.
  bool Next() {
    const VersionId before = follower_.current().id;
    const int64_t copied = WorkOfDevice("GPU", 0).value().bytes_to_device;
    is_right_ &= Eventually([&] { return !(follower_.Update().value().id == before); });
    const bool is_mapped = WorkOfDevice("GPU", 0).value().bytes_to_device == copied;
    is_right_ &= HasStep(follower_);
    return is_mapped;
  }
  // Takes versions until one is mapped. Returns false if none of 200 is.
  bool NextMapped() {
    for (int i = 0; i < 200; ++i) {
      if (Next()) return true;
    }
    return false;
  }
  Follower& follower() { return follower_; }
  bool is_right() const { return is_right_ && !Fake().has_bad_access; }

 private:
  Follower follower_;
  bool is_right_ = true;
};

bool MapsVersions(const std::string& address) {
  ChildFollower child(address);
  if (!child.NextMapped()) return false;
  int mapped = 0;
  for (int i = 0; i < 20; ++i) mapped += child.Next();
  return mapped >= 10 && child.is_right();
}

bool CopiesVersions(const std::string& address) {
  ChildFollower child(address);
  for (int i = 0; i < 20; ++i) {
    if (child.Next()) return false;
  }
  return Fake().shared == 0 && child.is_right();
}

bool HoldsAVersion(const std::string& address) {
  ChildFollower child(address);
  if (!child.NextMapped()) return false;
  const VersionId held = child.follower().current().id;
  if (!child.follower().Pin(held.version).ok()) return false;
  for (int i = 0; i < 100; ++i) {
    RunMetadata metadata;
    const auto y = child.follower().session().Run({}, "y:0", RunOptions(), &metadata).value();
    if (!(metadata.version == held) || !IsFilled(y, static_cast<float>(held.step))) return false;
    std::this_thread::sleep_for(2ms);
  }
  return child.is_right();
}

bool AssignsMappedValues(const std::string& address) {
  Graph graph;
  Scope root(graph);
  Scope s = root.Device("/gpu:0");
  const Variable w = s.GetVariable("w", {kElements}, ConstantInit(Filled(0)));
  const Variable own = s.GetVariable("own", {kElements}, ConstantInit(Filled(0)));
  const Operation keep = AddOp(graph, "Assign", {own.ref(), w.ref()}, {}, "keep");
  const Output y = Identity(own, "kept");
  Identity(w, "y");
  Session session = Session::Create(graph, {.allow_soft_placement = true}).value();
  session.InitializeMissing().value();
  Follower follower =
      Follower::Open(address, {.session = &session, .wait = 30s, .subsets = {"w"}}).value();
  for (int i = 0; i < 20; ++i) {
    follower.Wait(follower.current().id.version + 1, 30s).value();
    RunMetadata metadata;
    session.Run({}, keep, RunOptions(), &metadata).value();
    const auto step = static_cast<float>(metadata.version.step);
    follower.Wait(follower.current().id.version + 3, 30s).value();
    if (!IsFilled(session.Run(y).value(), step)) return false;
  }
  return Fake().shared > 0 && !Fake().has_bad_access;
}

int ReadUntilKilled(const std::string& address, const std::string& file) {
  ChildFollower child(address);
  if (!child.NextMapped()) return 1;
  std::ofstream(file) << "mapped";
  while (child.is_right()) child.Next();
  return 1;
}

int PublishUntilKilled(const std::string& address) {
  Trainer trainer("/gpu:0");
  Publisher publisher = Publisher::Open(address, trainer.session()).value();
  for (int64_t step = 1;; ++step) {
    trainer.Publish(publisher, step);
    std::this_thread::sleep_for(2ms);
  }
}

int RunChild(const std::string& role, const std::string& address, const char* file) {
  UseFakeCuda();
  Fake().uuid = role == "another gpu" ? 2 : 1;
  Fake().can_share = role != "cannot share";
  Fake().has_read_only_access = role != "maps for writing";
  if (role == "maps" || role == "maps for writing") return MapsVersions(address) ? 0 : 1;
  if (role == "holds") return HoldsAVersion(address) ? 0 : 1;
  if (role == "assigns") return AssignsMappedValues(address) ? 0 : 1;
  if (role == "reads until killed") return ReadUntilKilled(address, file);
  if (role == "publishes") return PublishUntilKilled(address);
  return CopiesVersions(address) ? 0 : 1;
}

}  // namespace
}  // namespace ramet

int main(int argc, char** argv) {
  if (argc >= 3 && std::strcmp(argv[0], "child") == 0) {
    return ramet::RunChild(argv[1], argv[2], argc > 3 ? argv[3] : "");
  }
  ::testing::InitGoogleTest(&argc, argv);
  ramet::UseFakeCuda();
  return RUN_ALL_TESTS();
}
