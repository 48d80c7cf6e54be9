#include "log/request_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "log/warmup_file.h"
#include "tensorflow_serving/apis/predict.pb.h"
#include "tensorflow_serving/apis/prediction_log.pb.h"

namespace server {
namespace {

namespace fs = std::filesystem;
namespace tfs = tensorflow::serving;

class RequestLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / "ramet_request_log_test";
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "assets.extra");
  }
  static std::string Request() {
    tfs::PredictRequest request;
    request.mutable_model_spec()->set_name("m");
    request.mutable_model_spec()->set_signature_name("s");
    (*request.mutable_inputs())["x"] = ramet::TensorToProtoBytes(ramet::Tensor(2.f)).value();
    return request.SerializeAsString();
  }
  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    return files;
  }
  std::map<std::string, LoggingConfig> Config(double rate) const {
    return {{"m", {.filename_prefix = (folder_ / "log").string(), .sampling_rate = rate}}};
  }
  fs::path folder_;
};

TEST_F(RequestLogTest, LogIsAWarmupFile) {
  auto log = RequestLog::Create({});
  ASSERT_TRUE(log->Configure(Config(1)).ok());
  EXPECT_FALSE(log->Samples("other"));
  ASSERT_TRUE(log->Samples("m"));
  log->Add({.model = "m", .version = 3, .signature = "s", .request = Request()});
  log->Flush();
  ASSERT_EQ(Files().size(), 1u);
  std::string record;
  ASSERT_TRUE(ramet::TFRecordReader::Open(Files()[0]).value()->Read(&record).value());
  tfs::PredictionLog message;
  ASSERT_TRUE(message.ParseFromString(record));
  EXPECT_EQ(message.log_metadata().model_spec().version().value(), 3);
  EXPECT_GT(message.log_metadata().timestamp_secs(), 0);
  fs::rename(Files()[0], folder_ / "assets.extra/tf_serving_warmup_requests");
  const auto requests = ReadWarmupRequests(folder_).value();
  ASSERT_EQ(requests.size(), 1u);
  const auto& request = std::get<PredictRequest>(requests[0]);
  EXPECT_EQ(request.signature_name, "s");
  EXPECT_EQ(request.inputs[0].second.scalar<float>(), 2.f);
}

TEST_F(RequestLogTest, FullQueueDropsAndCounts) {
  std::atomic<int> written = 0, dropped = 0;
  {
    auto log = RequestLog::Create(
        {.max_queue_bytes = 1, .on_record = [&](const std::string&, ramet::Code code) {
           ++(code == ramet::Code::kOk ? written : dropped);
         }});
    ASSERT_TRUE(log->Configure(Config(1)).ok());
    log->Add({.model = "m", .request = "abc"});
  }
  EXPECT_EQ(written, 0);
  EXPECT_EQ(dropped, 1);
}

TEST_F(RequestLogTest, RateSamples) {
  auto log = RequestLog::Create({});
  ASSERT_TRUE(log->Configure(Config(0)).ok());
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(log->Samples("m"));
  ASSERT_TRUE(log->Configure(Config(0.5)).ok());
  int sampled = 0;
  for (int i = 0; i < 10'000; ++i) sampled += log->Samples("m");
  EXPECT_GT(sampled, 4000);
  EXPECT_LT(sampled, 6000);
  EXPECT_FALSE(log->Configure(Config(1.5)).ok());
}

TEST_F(RequestLogTest, FilesHaveALimit) {
  auto log = RequestLog::Create({.max_file_bytes = 1});
  ASSERT_TRUE(log->Configure(Config(1)).ok());
  for (int i = 0; i < 3; ++i) log->Add({.model = "m", .request = Request()});
  log->Flush();
  EXPECT_EQ(Files().size(), 3u);
}

}  // namespace
}  // namespace server
