// Tests of sessions that train, publish and follow on many threads of one process. ThreadSanitizer
// runs them too (make test-thread).
#include "replica_testing.h"

#include <atomic>
#include <functional>
#include <memory>

namespace ramet {
namespace {

constexpr auto kTime = 1s;
constexpr int kVariables = 3;
constexpr int64_t kElements = 300;

// A trainer in which each element of each variable is the value of the global step.
class Trainer {
 public:
  Trainer() : scope_(graph_) {
    const Output minus_one = Constant(graph_, Tensor(-1.0f));
    std::vector<Operation> updates;
    std::vector<Input> lowest, highest;
    for (int i = 0; i < kVariables; ++i) {
      const Variable w = scope_.GetVariable(StrCat("w", i), {kElements}, Zeros());
      const Output one = Fill(Constant(graph_, Tensor::Vector<int32_t>({kElements})), 1.0f);
      updates.push_back(AddOp(graph_, "ApplyGradientDescent", {w.ref(), minus_one, one}));
      lowest.push_back(ReduceMin(w, {0}));
      highest.push_back(ReduceMax(w, {0}));
    }
    const Variable step = GetOrCreateGlobalStep(graph_);
    updates.push_back(AssignAdd(step.ref(), Constant(graph_, Tensor(int64_t{1}))).op());
    Group(graph_, updates, "train");
    ReduceMin(Stack(lowest), {0}, {.name = "lowest"});
    ReduceMax(Stack(highest), {0}, {.name = "highest"});
    session_.emplace(Session::Create(graph_).value());
    session_->InitializeMissing().value();
  }
  Session& session() { return *session_; }
  void Step() { session_->Run("train").value(); }

 private:
  Graph graph_;
  Scope scope_;
  std::optional<Session> session_;
};

// Reports whether a run of a follower's session sees exactly the version that it reports.
bool IsWhole(Session& session) {
  RunMetadata metadata;
  const auto seen = session.Run({}, {"lowest:0", "highest:0"}, {}, &metadata);
  if (!seen.ok()) return false;
  const auto step = static_cast<float>(metadata.version.step);
  return (*seen)[0].scalar<float>() == step && (*seen)[1].scalar<float>() == step;
}

// Threads that each repeat a function until the time is over.
class Threads {
 public:
  void Repeat(std::function<void()> work) {
    threads_.emplace_back([this, work = std::move(work)] {
      while (!over_) work();
    });
  }
  void Run() {
    std::this_thread::sleep_for(kTime);
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> over_ = false;
  std::vector<std::thread> threads_;
};

std::string Address(const std::string& more = "") {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return StrCat("shm:", test->name(), " ", getpid(), more);
}

Follower Open(const std::string& address, bool automatic = true, Verify verify = Verify::kAsync) {
  return Follower::Open(address, {.wait = 30s, .automatic = automatic, .verify = verify}).value();
}

// Accepts versions that are gone and versions for which there is no room.
bool IsFine(const Status& status) {
  return status.ok() || IsNotFound(status) || IsResourceExhausted(status);
}

// Pins a kept version, which may be gone by then.
void PinOne(Follower& follower, std::atomic<int>& wrong) {
  const std::vector<uint64_t> kept = follower.Versions();
  if (!kept.empty() && !IsFine(follower.Pin(kept.front()))) ++wrong;
  for (int i = 0; i < 3; ++i) wrong += !IsWhole(follower.session());
  follower.Unpin();
}

TEST(InProcessTest, ThreadsThatTrainPublishFollowUpdatePinAndPromote) {
  Trainer trainer;
  std::atomic<int> wrong = 0;
  PublisherOptions options;
  options.retention.retained = 4;
  options.every_steps = 2;
  Publisher publisher = Publisher::Open(Address(), trainer.session(), options).value();
  trainer.Step();
  publisher.Publish().value();
  Follower newest = Open(Address()), manual = Open(Address(), /*automatic=*/false),
           pins = Open(Address()), proven = Open(Address(), true, Verify::kBeforeUse);
  ASSERT_TRUE(publisher.Promote("stable", 1).ok());
  Follower stable = Open(Address("@stable"));

  Threads threads;
  threads.Repeat([&] { trainer.Step(); });
  threads.Repeat([&] {
    wrong += !IsFine(publisher.Publish({.metrics = {{"x", 1}}}).status());
    std::this_thread::sleep_for(100us);
  });
  threads.Repeat([&] {
    wrong += !IsFine(publisher.Promote("stable", publisher.stats().version));
    wrong += !IsFine(pins.Rollback(pins.current().id.version).status());
    std::this_thread::sleep_for(1ms);
  });
  for (Follower* follower : {&newest, &newest, &stable, &proven}) {
    threads.Repeat([&wrong, follower] { wrong += !IsWhole(follower->session()); });
  }
  threads.Repeat([&] {
    wrong += !manual.Update().ok();
    wrong += !IsWhole(manual.session());
  });
  threads.Repeat([&] { PinOne(pins, wrong); });
  threads.Repeat([&] {
    const Status waited = newest.Wait(newest.current().id.version + 1, 100ms).status();
    wrong += !waited.ok() && !IsDeadlineExceeded(waited);
    (void)newest.stats();
    wrong += !newest.PublisherStatus().ok();
  });
  threads.Run();
  EXPECT_EQ(wrong, 0) << newest.stats().last_refusal << proven.stats().last_refusal;

  trainer.Step();
  const uint64_t last = publisher.Publish().value();
  for (Follower* follower : {&newest, &pins, &proven}) {
    EXPECT_EQ(follower->Wait(last, 30s).value().id.version, last);
    EXPECT_TRUE(IsWhole(follower->session()));
  }
}

TEST(InProcessTest, FollowersComeAndGo) {
  Trainer trainer;
  std::atomic<int> wrong = 0;
  Publisher publisher = Publisher::Open(Address(), trainer.session(), {.every_steps = 1}).value();
  trainer.Step();
  Threads threads;
  threads.Repeat([&] { trainer.Step(); });
  for (int i = 0; i < 3; ++i) {
    threads.Repeat([&] {
      Follower follower = Open(Address());
      wrong += !follower.Wait(1, 30s).ok();
      for (int k = 0; k < 3; ++k) wrong += !IsWhole(follower.session());
    });
  }
  threads.Run();
  EXPECT_EQ(wrong, 0);
}

// While a publisher is destroyed, its session continues training and its followers continue
// running.
TEST(InProcessTest, PublishersComeAndGo) {
  Trainer trainer;
  std::atomic<int> wrong = 0, epochs = 0;
  auto publisher = std::make_unique<Publisher>(
      Publisher::Open(Address(), trainer.session(), {.every_steps = 1}).value());
  trainer.Step();
  Follower follower = Open(Address());
  ASSERT_TRUE(follower.Wait(1, 30s).ok());
  Threads threads;
  threads.Repeat([&] { trainer.Step(); });
  for (int i = 0; i < 2; ++i) {
    threads.Repeat([&] { wrong += !IsWhole(follower.session()); });
  }
  threads.Repeat([&] {
    publisher.reset();
    publisher = std::make_unique<Publisher>(
        Publisher::Open(Address(), trainer.session(), {.every_steps = 1}).value());
    wrong += !IsFine(publisher->Publish().status());
    const uint64_t epoch = publisher->stats().epoch;
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (follower.current().id.epoch != epoch && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(1ms);
    }
    wrong += follower.current().id.epoch != epoch;
    ++epochs;
  });
  threads.Run();
  EXPECT_EQ(wrong, 0) << follower.stats().last_refusal;
  EXPECT_GT(epochs, 0);
}

}  // namespace
}  // namespace ramet
