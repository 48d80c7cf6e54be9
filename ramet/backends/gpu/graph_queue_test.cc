#include "ramet/backends/gpu/graph_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ramet/base/strings.h"

namespace ramet::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Log = std::vector<std::string>;

struct Block final : DriverMemory {
  explicit Block(std::string the_name) : name(std::move(the_name)) {}
  const std::string name;
};

struct NamedFunction final : DriverFunction {
  explicit NamedFunction(std::string the_name) : name(std::move(the_name)) {}
  const std::string name;
};

struct LogGraph final : DriverGraph {
  Log log;
};

std::string NameOf(const DriverMemory& memory) { return static_cast<const Block&>(memory).name; }

// A queue that logs what it is given: "f(x, 3)", and "graph f(x, 3) g(y)".
class LogQueue final : public DriverQueue {
 public:
  Log Take() { return std::exchange(log_, {}); }
  void Write(std::string line) {
    std::lock_guard lock(mutex_);
    log_.push_back(std::move(line));
  }

  Status Launch(DriverFunction& function, const LaunchSize& size,
                std::span<const KernelArgument> arguments) override {
    std::vector<std::string> texts;
    for (const KernelArgument& argument : arguments) {
      if (argument.memory() != nullptr) {
        texts.push_back(NameOf(*argument.memory()));
      } else {
        int32_t value = 0;
        EXPECT_EQ(argument.bytes().size(), sizeof value);
        std::copy_n(argument.bytes().data(), sizeof value, reinterpret_cast<std::byte*>(&value));
        texts.push_back(StrCat(value));
      }
    }
    const std::string groups = size.groups[2] == 1 ? "" : StrCat("<", size.groups[2], ">");
    Write(
        StrCat(static_cast<NamedFunction&>(function).name, groups, "(", StrJoin(texts, ", "), ")"));
    return launch_status;
  }
  Status CopyFromHost(DriverMemory& to, std::span<const std::byte>,
                      std::unique_ptr<DriverEvent>*) override {
    Write(NameOf(to) + " = host");
    return OkStatus();
  }
  Status CopyToHost(std::span<std::byte>, const DriverMemory& from) override {
    Write("host = " + NameOf(from));
    return OkStatus();
  }
  Status Copy(DriverMemory& to, const DriverMemory& from, size_t bytes) override {
    Write(StrCat(NameOf(to), " = ", NameOf(from), " ", bytes));
    return OkStatus();
  }
  Status Zero(DriverMemory& memory, size_t bytes) override {
    Write(StrCat(NameOf(memory), " = 0 ", bytes));
    return OkStatus();
  }
  StatusOr<std::unique_ptr<DriverEvent>> Record() override {
    Write("record");
    return std::unique_ptr<DriverEvent>();
  }
  Status WaitFor(DriverEvent&) override { return OkStatus(); }
  Status Flush() override {
    Write("flush");
    return OkStatus();
  }
  Status Finish() override {
    Write("finish");
    return OkStatus();
  }
  bool has_graphs() const override { return can_capture; }
  StatusOr<std::unique_ptr<DriverGraph>> Capture(const GraphWork& work) override {
    ++captures;
    RAMET_RETURN_IF_ERROR(capture_status);
    LogQueue capturing;
    for (size_t i = 0; i < work.after.size(); ++i) {
      RAMET_RETURN_IF_ERROR(work.enqueue(i, capturing));
    }
    auto graph = std::make_unique<LogGraph>();
    graph->log = capturing.Take();
    return std::unique_ptr<DriverGraph>(std::move(graph));
  }
  Status LaunchGraph(DriverGraph& graph) override {
    if (graph_status.ok()) Write("graph " + StrJoin(static_cast<LogGraph&>(graph).log, " "));
    return graph_status;
  }

  bool can_capture = true;
  Status launch_status, capture_status, graph_status;
  int captures = 0;

 private:
  std::mutex mutex_;
  Log log_;
};

// A call that logs its parameters.
class LogCall final : public LibraryCall {
 public:
  Status Enqueue(DriverQueue& queue, std::span<const int64_t> parameters,
                 std::span<DriverMemory* const> blocks) override {
    static_cast<LogQueue&>(queue).Write(
        StrCat("call(", parameters[0], ", ", parameters[1], ", ", NameOf(*blocks[0]), ")"));
    return OkStatus();
  }
};

class GraphQueueTest : public ::testing::Test {
 protected:
  Status Launch(NamedFunction& function, std::vector<KernelArgument> arguments, uint32_t size = 1) {
    return queue_.Launch(function, {{1, 1, size}, {1, 1, 1}}, arguments);
  }
  // f, g and h on x, with a value that f takes.
  void Enqueue(int32_t value = 1) {
    EXPECT_TRUE(Launch(f_, {x_, value}).ok());
    EXPECT_TRUE(Launch(g_, {x_}).ok());
    EXPECT_TRUE(Launch(h_, {x_}).ok());
  }
  // Runs `enqueue` and waits until it is a graph.
  void Learn(const std::function<void()>& enqueue) {
    for (int i = 0; i < 2; ++i) {
      enqueue();
      EXPECT_TRUE(queue_.Finish().ok());
    }
    log_.Take();
  }

  std::unique_ptr<LogQueue> made_ = std::make_unique<LogQueue>();
  LogQueue& log_ = *made_;
  GraphQueue queue_{std::move(made_), true};
  NamedFunction f_{"f"}, g_{"g"}, h_{"h"};
  Block x_{"x"}, y_{"y"};
};

TEST_F(GraphQueueTest, WorkThatComesAgainBecomesAGraph) {
  for (int i = 0; i < 2; ++i) {
    Enqueue();
    EXPECT_THAT(log_.Take(), ElementsAre("f(x, 1)", "g(x)", "h(x)"));
    ASSERT_TRUE(queue_.Finish().ok());
    EXPECT_THAT(log_.Take(), ElementsAre("finish"));
  }
  const DeviceWork before = queue_.work();
  ASSERT_TRUE(Launch(f_, {x_, 1}).ok());
  ASSERT_TRUE(Launch(g_, {x_}).ok());
  EXPECT_THAT(log_.Take(), IsEmpty());
  ASSERT_TRUE(Launch(h_, {x_}).ok());  // the graph is complete
  EXPECT_THAT(log_.Take(), ElementsAre("graph f(x, 1) g(x) h(x)"));
  const DeviceWork work = queue_.work() - before;
  EXPECT_EQ(work.launches, 1);
  EXPECT_EQ(work.graph_launches, 1);
  EXPECT_EQ(work.launches_in_graphs, 3);
}

TEST_F(GraphQueueTest, GraphsHaveAllKindsOfWork) {
  LogCall call;
  const int64_t parameters[] = {int64_t{1} << 40, -2};
  DriverMemory* const blocks[] = {&y_};
  const auto enqueue = [&] {
    EXPECT_TRUE(queue_.Zero(x_, 8).ok());
    EXPECT_TRUE(Launch(f_, {x_, 1, -7, y_}, 5).ok());
    EXPECT_TRUE(queue_.Copy(y_, x_, 16).ok());
    EXPECT_TRUE(queue_.Call(call, parameters, blocks).ok());
    EXPECT_TRUE(Launch(g_, {}).ok());
  };
  Learn(enqueue);
  enqueue();
  EXPECT_THAT(
      log_.Take(),
      ElementsAre("graph x = 0 8 f<5>(x, 1, -7, y) y = x 16 call(1099511627776, -2, y) g()"));
}

TEST_F(GraphQueueTest, DifferentWorkIsStartedOneByOneAndBecomesAGraphToo) {
  Learn([&] { Enqueue(); });
  const auto different = [&] {
    EXPECT_TRUE(Launch(f_, {x_, 1}).ok());
    EXPECT_TRUE(Launch(g_, {y_}).ok());
    EXPECT_TRUE(Launch(h_, {x_}).ok());
    EXPECT_TRUE(queue_.Finish().ok());
  };
  different();
  EXPECT_THAT(log_.Take(), ElementsAre("f(x, 1)", "g(y)", "h(x)", "finish"));
  different();
  log_.Take();
  different();
  EXPECT_THAT(log_.Take(), ElementsAre("graph f(x, 1) g(y) h(x)", "finish"));
  Enqueue();
  EXPECT_THAT(log_.Take(), ElementsAre("graph f(x, 1) g(x) h(x)"));
  Enqueue(2);
  EXPECT_THAT(log_.Take(), ElementsAre("f(x, 2)", "g(x)", "h(x)"));
}

TEST_F(GraphQueueTest, APartOfAGraphIsStartedWhenTheHostWaits) {
  Learn([&] { Enqueue(); });
  ASSERT_TRUE(Launch(f_, {x_, 1}).ok());
  std::byte byte;
  ASSERT_TRUE(queue_.CopyToHost({&byte, 1}, x_).ok());
  EXPECT_THAT(log_.Take(), ElementsAre("f(x, 1)", "host = x"));
  ASSERT_TRUE(Launch(f_, {x_, 1}).ok());
  ASSERT_TRUE(queue_.Record().ok());
  EXPECT_THAT(log_.Take(), ElementsAre("f(x, 1)", "record"));
  ASSERT_TRUE(Launch(f_, {x_, 1}).ok());
  ASSERT_TRUE(queue_.Flush().ok());
  EXPECT_THAT(log_.Take(), ElementsAre("f(x, 1)", "flush"));
  ASSERT_TRUE(Launch(f_, {x_, 1}).ok());
  ASSERT_TRUE(queue_.EndSequence().ok());
  EXPECT_THAT(log_.Take(), ElementsAre("f(x, 1)"));
}

TEST_F(GraphQueueTest, WorkAfterAGraphIsAGraphOfItsOwn) {
  const auto longer = [&] {
    Enqueue(1);
    Enqueue(2);
  };
  Learn([&] { Enqueue(1); });
  Learn(longer);
  longer();
  EXPECT_THAT(log_.Take(), ElementsAre("graph f(x, 1) g(x) h(x)", "graph f(x, 2) g(x) h(x)"));
}

TEST_F(GraphQueueTest, AShorterGraphIsLaunchedIfALongerOneDoesNotGoOn) {
  const auto longer = [&] {
    Enqueue();
    EXPECT_TRUE(Launch(f_, {y_, 2}).ok());
  };
  Learn(longer);
  const auto shorter = [&] {
    Enqueue();
    EXPECT_TRUE(queue_.Finish().ok());
  };
  shorter();
  EXPECT_THAT(log_.Take(), ElementsAre("f(x, 1)", "g(x)", "h(x)", "finish"));
  shorter();
  log_.Take();
  shorter();
  EXPECT_THAT(log_.Take(), ElementsAre("graph f(x, 1) g(x) h(x)", "finish"));
  longer();
  EXPECT_THAT(log_.Take(), ElementsAre("graph f(x, 1) g(x) h(x) f(y, 2)"));
  Enqueue();
  ASSERT_TRUE(Launch(g_, {y_}).ok());
  EXPECT_THAT(log_.Take(), ElementsAre("graph f(x, 1) g(x) h(x)", "g(y)"));
}

TEST_F(GraphQueueTest, CopiesFromTheHostOvertakeWorkOnOtherBlocksOnly) {
  const std::byte bytes[4] = {};
  const auto enqueue = [&](Block& to) {
    EXPECT_TRUE(Launch(f_, {x_, 1}).ok());
    EXPECT_TRUE(queue_.CopyFromHost(to, bytes, nullptr).ok());
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(Launch(g_, {to}).ok());
    EXPECT_TRUE(queue_.Finish().ok());
    return log_.Take();
  };
  enqueue(y_);
  EXPECT_THAT(enqueue(y_), ElementsAre("f(x, 1)", "y = host", "g(y)", "g(y)", "g(y)", "finish"));
  EXPECT_THAT(enqueue(y_), ElementsAre("y = host", "graph f(x, 1) g(y) g(y) g(y)", "finish"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(enqueue(x_), ElementsAre("f(x, 1)", "x = host", "g(x)", "g(x)", "g(x)", "finish"));
  }
  EXPECT_THAT(enqueue(x_), ElementsAre("f(x, 1)", "x = host", "graph g(x) g(x) g(x)", "finish"));
}

TEST_F(GraphQueueTest, ANewBlockAtTheAddressOfAnOldOneIsDifferent) {
  std::optional<Block> block("old");
  const auto enqueue = [&] {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(Launch(f_, {*block}).ok());
    EXPECT_TRUE(queue_.Finish().ok());
    return log_.Take();
  };
  Learn(enqueue);
  EXPECT_THAT(enqueue(), ElementsAre("graph f(old) f(old) f(old)", "finish"));
  const DriverMemory* const address = &*block;
  block.emplace("new");
  ASSERT_EQ(&*block, address);
  EXPECT_THAT(enqueue(), ElementsAre("f(new)", "f(new)", "f(new)", "finish"));
}

TEST_F(GraphQueueTest, LongWorkIsSeveralGraphsWhichStartEarly) {
  const auto enqueue = [&] {
    for (int i = 0; i < 600; ++i) EXPECT_TRUE(Launch(f_, {x_, i}).ok());
  };
  Learn(enqueue);
  const DeviceWork before = queue_.work();
  for (int i = 0; i < 256; ++i) EXPECT_TRUE(Launch(f_, {x_, i}).ok());
  EXPECT_EQ(log_.Take().size(), 1u);
  for (int i = 256; i < 600; ++i) EXPECT_TRUE(Launch(f_, {x_, i}).ok());
  const DeviceWork work = queue_.work() - before;
  EXPECT_EQ(work.launches, 3);
  EXPECT_EQ(work.launches_in_graphs, 600);
}

TEST_F(GraphQueueTest, BeforeBlocksAreDestroyedWorkIsStartedAndGraphsAreRemoved) {
  Learn([&] { Enqueue(); });
  ASSERT_TRUE(Launch(f_, {x_, 1}).ok());
  queue_.ForgetBlocks();
  EXPECT_THAT(log_.Take(), ElementsAre("f(x, 1)"));
  Enqueue();
  EXPECT_THAT(log_.Take(), ElementsAre("f(x, 1)", "g(x)", "h(x)"));
}

TEST_F(GraphQueueTest, WorkThatCannotBeCapturedIsStartedOneByOne) {
  log_.capture_status = Internal("cannot be captured");
  for (int i = 0; i < 5; ++i) {
    Enqueue();
    EXPECT_THAT(log_.Take(), ElementsAre("f(x, 1)", "g(x)", "h(x)"));
    EXPECT_TRUE(queue_.Finish().ok());
    log_.Take();
  }
  EXPECT_EQ(log_.captures, 1);
  for (int value = 2; value < 100; ++value) {
    Learn([&] { Enqueue(value); });
  }
  EXPECT_LT(log_.captures, 20);  // the queue gives up
}

TEST_F(GraphQueueTest, AGraphThatCannotBeLaunchedIsStartedOneByOne) {
  Learn([&] { Enqueue(); });
  log_.graph_status = ResourceExhausted("no memory for graphs");
  Enqueue();
  EXPECT_THAT(log_.Take(), ElementsAre("f(x, 1)", "g(x)", "h(x)"));
}

TEST_F(GraphQueueTest, ErrorsOfHeldWorkAreReturned) {
  Learn([&] { Enqueue(); });
  log_.graph_status = log_.launch_status = Internal("the device was lost");
  ASSERT_TRUE(Launch(f_, {x_, 1}).ok());
  ASSERT_TRUE(Launch(g_, {x_}).ok());
  EXPECT_THAT(Launch(h_, {x_}).message(), HasSubstr("the device was lost"));
  log_.Take();
  EXPECT_TRUE(queue_.Finish().ok());  // nothing is left
  EXPECT_THAT(log_.Take(), ElementsAre("finish"));
  log_.graph_status = log_.launch_status = OkStatus();
  Learn([&] { Enqueue(); });
  log_.launch_status = Internal("the device was lost");
  ASSERT_TRUE(Launch(f_, {x_, 1}).ok());
  EXPECT_THAT(queue_.Finish().message(), HasSubstr("the device was lost"));
}

TEST_F(GraphQueueTest, FewLaunchesAreNoGraph) {
  const auto enqueue = [&] {
    EXPECT_TRUE(Launch(f_, {x_, 1}).ok());
    EXPECT_TRUE(Launch(g_, {x_}).ok());
  };
  Learn(enqueue);
  enqueue();
  EXPECT_THAT(log_.Take(), ElementsAre("f(x, 1)", "g(x)"));
}

// Sequences of several threads are mixed at random, so some are in graphs and some are not.
TEST_F(GraphQueueTest, TheWorkOfEachThreadKeepsItsOrder) {
  constexpr int kSteps = 300;
  const auto run = [&](Block& block) {
    for (int i = 0; i < kSteps; ++i) {
      for (NamedFunction* function : {&f_, &g_, &h_}) EXPECT_TRUE(Launch(*function, {block}).ok());
      EXPECT_TRUE(queue_.Finish().ok());
    }
  };
  std::thread other([&] { run(y_); });
  run(x_);
  other.join();
  const std::string all = StrJoin(log_.Take(), " ");
  for (const std::string block : {"x", "y"}) {
    std::string order;
    for (size_t at = all.find("(" + block); at != all.npos; at = all.find("(" + block, at + 1)) {
      order += all[at - 1];
    }
    std::string expected;
    for (int i = 0; i < kSteps; ++i) expected += "fgh";
    EXPECT_EQ(order, expected);
  }
}

TEST(GraphQueueWithoutGraphsTest, StartsWorkAtOnce) {
  for (bool can_capture : {false, true}) {
    auto made = std::make_unique<LogQueue>();
    LogQueue& log = *made;
    log.can_capture = can_capture;
    GraphQueue queue(std::move(made), !can_capture);
    NamedFunction f("f");
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 3; ++k) ASSERT_TRUE(queue.Launch(f, {}, {}).ok());
      EXPECT_THAT(log.Take(), ElementsAre("f()", "f()", "f()"));
      ASSERT_TRUE(queue.Finish().ok());
      log.Take();
    }
    EXPECT_EQ(log.captures, 0);
  }
}

}  // namespace
}  // namespace ramet::gpu
