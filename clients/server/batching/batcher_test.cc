// Tests of batching with runs that the tests control.

#include "batching/batcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <string>

namespace server {
namespace {

namespace rm = ramet;
using std::chrono_literals::operator""ms;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Answers = std::vector<std::future<rm::StatusOr<RunResult>>>;

const RunTensors kTensors = {{"x:0"}, {"y:0"}};

rm::Tensor RowsOf(std::initializer_list<float> values) {
  return rm::Tensor::Of<float>(rm::Shape{static_cast<int64_t>(values.size()), 1}, values);
}

std::vector<float> ValuesOf(const rm::StatusOr<RunResult>& result) {
  if (!result.ok()) return {};
  const auto values = result->outputs.at(0).flat<float>();
  return {values.begin(), values.end()};
}

// Runs return their feeds. While the gate is closed, runs wait.
class BatcherTest : public ::testing::Test {
 protected:
  ~BatcherTest() override { Open(); }

  Batcher& batcher() {
    if (!batcher_) {
      scheduler_ = std::make_unique<BatchScheduler>(1);
      batcher_ =
          std::make_unique<Batcher>(*scheduler_, parameters_,
                                    [this](const RunTensors&, const std::vector<rm::Tensor>& feeds,
                                           const RunLimits&) { return RunOnce(feeds); });
    }
    return *batcher_;
  }
  rm::StatusOr<RunResult> RunOnce(const std::vector<rm::Tensor>& feeds) {
    runs_++;
    gate_future_.wait();
    std::lock_guard lock(mutex_);
    sizes_.push_back(feeds[0].dim(0));
    last_ = feeds[0];
    const auto values =
        feeds[0].dtype() == rm::kFloat ? feeds[0].flat<float>() : std::span<const float>();
    for (const float value : values) {
      if (value < 0) return rm::InvalidArgument("negative");
    }
    if (returns_scalar_) return RunResult{.outputs = {rm::Tensor(1.0f)}};
    return RunResult{.outputs = {feeds[0]}};
  }
  std::future<rm::StatusOr<RunResult>> Send(rm::Tensor rows, const RunLimits& limits = {}) {
    auto promise = std::make_shared<std::promise<rm::StatusOr<RunResult>>>();
    auto answer = promise->get_future();
    batcher().Run(kTensors, {std::move(rows)}, limits, [promise](rm::StatusOr<RunResult> result) {
      promise->set_value(std::move(result));
    });
    return answer;
  }
  // Occupies the only thread until Open.
  void Close() {
    busy_ = std::thread([this] { (void)Send(RowsOf({0})).get(); });
    while (runs_ == 0) std::this_thread::yield();
  }
  void Open() {
    if (!opened_) gate_.set_value();
    opened_ = true;
    if (busy_.joinable()) busy_.join();
  }

  BatchingParameters parameters_{.max_batch_size = 4};
  bool returns_scalar_ = false, opened_ = false;
  std::promise<void> gate_;
  std::shared_future<void> gate_future_ = gate_.get_future().share();
  std::thread busy_;
  std::mutex mutex_;
  std::vector<int64_t> sizes_;
  rm::Tensor last_;
  std::atomic<int> runs_ = 0;
  std::unique_ptr<BatchScheduler> scheduler_;
  std::unique_ptr<Batcher> batcher_;
};

TEST_F(BatcherTest, AnIdleBatcherRunsInTheCaller) {
  Open();
  EXPECT_THAT(ValuesOf(Send(RowsOf({1, 2})).get()), ElementsAre(1, 2));
  EXPECT_THAT(sizes_, ElementsAre(2));
}

TEST_F(BatcherTest, RequestsThatWaitRunTogether) {
  Close();
  Answers answers;
  answers.push_back(Send(RowsOf({1})));
  answers.push_back(Send(RowsOf({2, 3})));
  answers.push_back(Send(RowsOf({4})));
  answers.push_back(Send(RowsOf({5})));
  EXPECT_EQ(scheduler_->waiting(), 4);
  Open();
  EXPECT_THAT(ValuesOf(answers[0].get()), ElementsAre(1));
  EXPECT_THAT(ValuesOf(answers[1].get()), ElementsAre(2, 3));
  EXPECT_THAT(ValuesOf(answers[2].get()), ElementsAre(4));
  EXPECT_THAT(ValuesOf(answers[3].get()), ElementsAre(5));
  EXPECT_THAT(sizes_, ElementsAre(1, 4, 1));
}

TEST_F(BatcherTest, FillsUpToAnAllowedSizeWithTheFirstRow) {
  parameters_.allowed_batch_sizes = {1, 4};
  Close();
  auto a = Send(RowsOf({7, 8}));
  Open();
  EXPECT_THAT(ValuesOf(a.get()), ElementsAre(7, 8));
  EXPECT_THAT(last_.flat<float>(), ElementsAre(7, 8, 7, 7));
}

TEST_F(BatcherTest, WaitsForMoreRequestsUntilTheTimeout) {
  Open();
  parameters_.batch_timeout = std::chrono::hours(1);
  auto a = Send(RowsOf({1, 2}));
  auto b = Send(RowsOf({3, 4}));
  EXPECT_THAT(ValuesOf(a.get()), ElementsAre(1, 2));
  EXPECT_THAT(ValuesOf(b.get()), ElementsAre(3, 4));
  EXPECT_THAT(sizes_, ElementsAre(4));
}

TEST_F(BatcherTest, AnIncompleteBatchRunsAfterTheTimeout) {
  Open();
  parameters_.batch_timeout = 5ms;
  EXPECT_THAT(ValuesOf(Send(RowsOf({1})).get()), ElementsAre(1));
}

TEST_F(BatcherTest, RefusesWhatDoesNotFit) {
  parameters_.max_enqueued_batches = 1;
  Close();
  auto first = Send(RowsOf({1, 2, 3, 4}));
  const auto full = Send(RowsOf({5})).get().status();
  EXPECT_TRUE(rm::IsUnavailable(full));
  EXPECT_THAT(full.message(),
              HasSubstr("The batch scheduling queue to which this task was submitted is full"));
  EXPECT_EQ(Send(RowsOf({1, 2, 3, 4, 5})).get().status().message(),
            "Task size 5 is larger than maximum input batch size 4");
  EXPECT_THAT(Send(rm::Tensor(1.0f)).get().status().message(),
              HasSubstr("Batching Run() input tensors must have at least one dimension"));
  Open();
  EXPECT_THAT(ValuesOf(first.get()), ElementsAre(1, 2, 3, 4));
}

TEST_F(BatcherTest, OneFailingRequestFailsAlone) {
  Close();
  auto good = Send(RowsOf({1}));
  auto bad = Send(RowsOf({-1}));
  auto other = Send(RowsOf({2}));
  Open();
  EXPECT_THAT(ValuesOf(good.get()), ElementsAre(1));
  EXPECT_EQ(bad.get().status().message(), "negative");
  EXPECT_THAT(ValuesOf(other.get()), ElementsAre(2));
}

TEST_F(BatcherTest, ExpiredRequestsAreNotComputed) {
  Close();
  auto late = Send(RowsOf({1}), {.deadline = std::chrono::steady_clock::now() + 1ms});
  const auto token = std::make_shared<rm::CancellationToken>();
  auto cancelled = Send(RowsOf({2}), {.cancellation = token});
  auto good = Send(RowsOf({3}));
  token->Cancel();
  std::this_thread::sleep_for(5ms);
  Open();
  EXPECT_EQ(late.get().status().message(),
            "Run() timeout exceeded while waiting in batching queue");
  EXPECT_TRUE(rm::IsCancelled(cancelled.get().status()));
  EXPECT_THAT(ValuesOf(good.get()), ElementsAre(3));
  EXPECT_THAT(sizes_, ElementsAre(1, 1));
}

TEST_F(BatcherTest, SplitsLargeRequests) {
  parameters_.enable_large_batch_splitting = true;
  parameters_.max_execution_batch_size = 2;
  Open();
  EXPECT_THAT(ValuesOf(Send(RowsOf({1, 2, 3})).get()), ElementsAre(1, 2, 3));
  EXPECT_EQ(Send(RowsOf({1, 2, 3, 4, 5})).get().status().code(), rm::Code::kInvalidArgument);
  EXPECT_THAT(ValuesOf(Send(RowsOf({1, -2, 3})).get()), IsEmpty());
}

TEST_F(BatcherTest, PadsWithTheFirstElement) {
  parameters_.pad_variable_length_inputs = true;
  Close();
  auto a = Send(rm::Tensor::Of<float>(rm::Shape{1, 1, 2}, {1, 2}));
  auto b = Send(rm::Tensor::Of<float>(rm::Shape{1, 2, 1}, {3, 4}));
  auto none = Send(rm::Tensor(rm::kFloat, rm::Shape{1, 0, 1}));
  Open();
  EXPECT_THAT(ValuesOf(a.get()), ElementsAre(1, 2, 1, 1));
  EXPECT_THAT(ValuesOf(b.get()), ElementsAre(3, 3, 4, 3));
  EXPECT_THAT(ValuesOf(none.get()), ElementsAre(0, 0, 0, 0));
}

TEST_F(BatcherTest, WithoutPaddingEqualShapesRunTogether) {
  Close();
  auto a = Send(rm::Tensor::Of<float>(rm::Shape{1, 2}, {1, 2}));
  auto b = Send(RowsOf({3}));
  auto c = Send(rm::Tensor::Of<float>(rm::Shape{1, 2}, {5, 6}));
  Open();
  EXPECT_THAT(ValuesOf(a.get()), ElementsAre(1, 2));
  EXPECT_THAT(ValuesOf(b.get()), ElementsAre(3));
  EXPECT_THAT(ValuesOf(c.get()), ElementsAre(5, 6));
  EXPECT_THAT(sizes_, ElementsAre(1, 2, 1));
}

TEST_F(BatcherTest, StringsAreBatched) {
  Close();
  auto a = Send(rm::Tensor::Vector<std::string>({"a", "b"}));
  auto b = Send(rm::Tensor::Vector<std::string>({"c"}));
  Open();
  EXPECT_THAT(a.get()->outputs.at(0).flat<std::string>(), ElementsAre("a", "b"));
  EXPECT_THAT(b.get()->outputs.at(0).flat<std::string>(), ElementsAre("c"));
}

TEST_F(BatcherTest, RefusesResultsThatAreNotRows) {
  returns_scalar_ = true;
  Open();
  EXPECT_THAT(Send(RowsOf({1})).get().status().message(),
              HasSubstr("Batched output tensor has 0 dimensions"));
}

// Four threads with all kinds of requests; for the thread sanitizer.
TEST_F(BatcherTest, ManyThreads) {
  Open();
  parameters_.max_enqueued_batches = 1000;
  (void)batcher();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 200; ++n) {
        const float value = static_cast<float>(i * 1000 + n);
        if (ValuesOf(Send(RowsOf({value, value + 1})).get()) !=
            std::vector<float>{value, value + 1}) {
          wrong++;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace server
