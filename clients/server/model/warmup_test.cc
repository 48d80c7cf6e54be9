// Tests of what runs before a version becomes available.

#include "model/warmup.h"

#include "model/model_testing.h"

namespace server {
namespace {

namespace rm = ramet;
using ::testing::HasSubstr;

PredictRequest Request(const std::string& input) {
  return {.inputs = {{input, rm::Tensor::Of<float>(rm::Shape{1, 1}, {1})}}};
}

class WarmupTest : public ModelTest {
 protected:
  WarmupTest() {
    rm::SetLogSink([this](rm::LogLevel, std::string_view line) { log_ += rm::StrCat(line, "\n"); });
  }
  ~WarmupTest() override {
    manager_.reset();
    rm::SetLogSink({});
  }
  // Complete only after the manager's threads have logged it.
  std::string log_;
};

TEST_F(WarmupTest, RunsTheRequestsOfTheVersion) {
  std::string folder;
  options_.warmup.iterations = 2;
  options_.warmup.requests = [&](const std::string& of) {
    folder = of;
    return std::vector<WarmupRequest>{Request("x")};
  };
  Add("m", 1, 1);
  ASSERT_TRUE(manager().Reload({Config("m")}).ok());
  EXPECT_EQ(folder, At("m/1"));
  EXPECT_EQ(Ask({.name = "m"}).value(), 1);
  manager_.reset();
  EXPECT_THAT(log_, HasSubstr("warmed up with 1 recorded requests"));
}

TEST_F(WarmupTest, ReportsItsEndAndTheRuns) {
  std::vector<WarmupEvent> events;
  std::atomic<int> runs = 0;
  options_.warmup.iterations = 2;
  options_.warmup.requests = [](const std::string&) {
    return std::vector<WarmupRequest>{Request("x")};
  };
  options_.warmup.on_done = [&](const WarmupEvent& event) { events.push_back(event); };
  options_.on_run = [&](std::chrono::nanoseconds time) { runs += time.count() > 0; };
  Add("m", 1, 1);
  ASSERT_TRUE(manager().Reload({Config("m")}).ok());
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].path, At("m/1"));
  EXPECT_EQ(events[0].code, rm::Code::kOk);
  EXPECT_EQ(events[0].records, 1u);
  EXPECT_GT(events[0].time.count(), 0);
  EXPECT_EQ(runs, 2);
  EXPECT_TRUE(Ask({.name = "m"}).ok());
  EXPECT_EQ(runs, 3);
}

TEST_F(WarmupTest, AFailingRequestEndsTheVersion) {
  options_.warmup.requests = [](const std::string& folder) {
    std::vector<WarmupRequest> requests = {Request("x")};
    if (folder.ends_with("/2")) requests.push_back(Request("z"));
    return requests;
  };
  Add("m", 1, 1);
  ASSERT_TRUE(manager().Reload({Config("m")}).ok());
  Add("m", 2, 2);
  ASSERT_TRUE(Eventually([&] { return StateOf("m", 2) == VersionState::kEnd; }));
  EXPECT_THAT(manager().Status({.name = "m", .version = 2})->at(0).status.message(),
              HasSubstr("warm-up request 2: input tensor alias x not found"));
  EXPECT_EQ(Ask({.name = "m"}).value(), 1);
}

TEST_F(WarmupTest, RecentRequestsWarmUpTheNextVersion) {
  Add("m", 1, 1);
  ASSERT_TRUE(manager().Reload({Config("m")}).ok());
  EXPECT_EQ(Ask({.name = "m"}).value(), 1);
  Add("m", 2, 2);
  ASSERT_TRUE(Eventually([&] { return Ask({.name = "m"}).value() == 2; }));
  manager_.reset();
  EXPECT_THAT(log_, HasSubstr("model 'm' version 1: warmed up with zeros"));
  EXPECT_THAT(log_, HasSubstr("model 'm' version 2: warmed up with"));
  EXPECT_THAT(log_, HasSubstr("recent requests"));
}

TEST(RecentRunsTest, KeepsFewAndSmallRuns) {
  RecentRuns runs;
  const RunTensors tensors{{"x:0"}, {"y:0"}};
  runs.Note(tensors, {rm::Tensor(1.0f)});
  runs.Note(tensors, {rm::Tensor(2.0f)});  // too soon
  ASSERT_EQ(runs.Get().size(), 1);
  EXPECT_EQ(runs.Get()[0].second[0].scalar<float>(), 1);
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(2 * RecentRuns::kInterval);
    runs.Note(tensors, {rm::Tensor(static_cast<float>(i))});
  }
  EXPECT_EQ(runs.Get().size(), RecentRuns::kMaxRunsPerPlan);
  std::this_thread::sleep_for(2 * RecentRuns::kInterval);
  runs.Note({{"big:0"}, {"y:0"}},
            {rm::Tensor(rm::kFloat, rm::Shape{static_cast<int64_t>(RecentRuns::kMaxBytes)})});
  EXPECT_EQ(runs.Get().size(), RecentRuns::kMaxRunsPerPlan);
}

}  // namespace
}  // namespace server
