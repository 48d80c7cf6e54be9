#include "page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "page/page_text.h"
#include "page/status_json.h"
#include "rest/rest_testing.h"

namespace server {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

// A version with a graph whose operation has a hostile name.
class DrawnVersion final : public ModelVersion {
 public:
  DrawnVersion() {
    ramet::Scope scope(graph_);
    const ramet::Output x = scope.Placeholder("x", ramet::kFloat, {-1, 2});
    ramet::AddOp(graph_, "Relu", {x}, {}, "y");
  }
  const std::string& model() const override { return model_; }
  int64_t number() const override { return 7; }
  std::shared_ptr<const Signatures> signatures() const override {
    auto signatures = std::make_shared<Signatures>();
    (*signatures)["serving_default"] = EchoSignature({{"x", ramet::kFloat}});
    return signatures;
  }
  void Run(const RunTensors&, std::vector<ramet::Tensor> feeds, const RunLimits&,
           RunDone done) override {
    done(RunResult{std::move(feeds), {7}});
  }
  void UseGraph(const std::function<void(const ramet::Graph&)>& use) const override { use(graph_); }

 private:
  const std::string model_ = "<b>&m";
  ramet::Graph graph_;
};

class OneModel final : public ModelManager {
 public:
  ramet::StatusOr<std::shared_ptr<ModelVersion>> Find(const ModelSpec& spec) const override {
    if (spec.name != version_->model()) return ramet::NotFound("no such model");
    return std::shared_ptr<ModelVersion>(version_);
  }
  ramet::StatusOr<std::vector<VersionStatus>> Status(const ModelSpec&) const override {
    return Reports()[0].versions;
  }
  std::vector<ModelReport> Reports() const override {
    return {{.name = version_->model(),
             .source = "redis://:password@host",
             .versions = {{7, VersionState::kAvailable, {}},
                          {6, VersionState::kEnd, ramet::NotFound("</script>")}},
             .labels = {{"stable", 7}},
             .bytes = 1000,
             .lag = 2,
             .lag_seconds = 0.25}};
  }
  bool Ready() const override { return true; }
  ramet::Status Reload(const std::vector<ModelConfig>&) override { return {}; }

 private:
  const std::shared_ptr<DrawnVersion> version_ = std::make_shared<DrawnVersion>();
};

class PageTest : public testing::Test {
 protected:
  PageTest() { page_.AddTo(&front_end_); }
  HttpResponse Ask(std::string method, std::string target, std::string body = "") {
    auto keeper = std::make_shared<AnswerKeeper>();
    front_end_.Handle({.method = std::move(method),
                       .target = std::move(target),
                       .body = std::move(body),
                       .received = std::chrono::steady_clock::now()},
                      HttpResponder(keeper));
    return keeper->answer;
  }

  OneModel manager_;
  ServingMetrics metrics_;
  Page page_ = Page(&manager_, &metrics_);
  FrontEnd front_end_ = FrontEnd(RestContext{&manager_, &metrics_, {}});
};

TEST_F(PageTest, ThePageAllowsOnlyItsOwnScript) {
  const HttpResponse page = Ask("GET", "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(page.body, kPageText);
  std::string policy;
  for (const auto& [name, value] : page.headers) {
    if (name == "Content-Security-Policy") policy = value;
  }
  EXPECT_THAT(policy, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
}

TEST_F(PageTest, ThePageNeedsNothingFromElsewhere) {
  const std::string page(kPageText);
  for (const char* text :
       {"src=\"http", "href=\"http", "@import", "url(http", "innerHTML", "eval("}) {
    EXPECT_THAT(page, Not(HasSubstr(text)));
  }
}

TEST_F(PageTest, Status) {
  const std::string json = Ask("GET", "/ramet/v1/status").body;
  EXPECT_THAT(
      json,
      HasSubstr(R"("name":"<b>&m","versions":[{"version":"7","state":"AVAILABLE","error":""})"));
  EXPECT_THAT(json, HasSubstr(R"("labels":{"stable":"7"})"));
  EXPECT_THAT(json, HasSubstr(R"("lag":2,"lag_seconds":0.3,"connected":true,"live":true)"));
  EXPECT_THAT(json, HasSubstr(R"("inputs":{"x":{"dtype":"float","shape":null}})"));
  EXPECT_THAT(json, Not(HasSubstr("password")));
}

TEST_F(PageTest, PicturesOfGraphs) {
  const HttpResponse picture = Ask("GET", "/ramet/v1/graph/%3Cb%3E&m");
  EXPECT_EQ(picture.status, 200) << picture.body;
  EXPECT_EQ(picture.content_type, "image/svg+xml");
  EXPECT_THAT(picture.body, HasSubstr("<svg"));
  EXPECT_THAT(picture.body, Not(HasSubstr("<b>")));
  EXPECT_THAT(picture.headers, Contains(Pair("X-Content-Type-Options", "nosniff")));
  EXPECT_EQ(Ask("GET", "/ramet/v1/graph/none").status, 404);
}

TEST_F(PageTest, HistoryCountsEachSecond) {
  TrafficHistory history(&manager_, &metrics_);
  history.Sample();
  RequestRecord record = {.model_name = "<b>&m", .api = "predict", .entrypoint = "REST"};
  record.latency = std::chrono::microseconds(100);
  for (int i = 0; i < 10; ++i) metrics_.Record(record);
  record.code = ramet::Code::kInvalidArgument;
  metrics_.Record(record);
  metrics_.Record({.model_name = "<b>&m", .entrypoint = "REST"});  // a status
  float requests = 0, errors = 0, p50 = 0;
  history.Sample();
  for (const TrafficSample& sample : history.SamplesOf("<b>&m")) {
    requests += sample.requests;
    errors += sample.errors;
    p50 = std::max(p50, sample.p50);
    EXPECT_EQ(sample.lag, 2);
  }
  EXPECT_EQ(requests, 10);
  EXPECT_EQ(errors, 1);
  EXPECT_GT(p50, 50);
  EXPECT_LT(p50, 200);
  EXPECT_GT(history.Memory().back(), 0u);
  EXPECT_TRUE(history.SamplesOf("none").empty());
}

}  // namespace
}  // namespace server
