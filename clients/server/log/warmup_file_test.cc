#include "log/warmup_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tensorflow_serving/apis/classification.pb.h"
#include "tensorflow_serving/apis/inference.pb.h"
#include "tensorflow_serving/apis/prediction_log.pb.h"
#include "tensorflow_serving/apis/regression.pb.h"

namespace server {
namespace {

namespace fs = std::filesystem;
namespace tfs = tensorflow::serving;
using ramet::Code;
using ::testing::HasSubstr;

class WarmupFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / "ramet_warmup_file_test";
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "assets.extra");
  }
  void Write(const std::string& bytes) {
    std::ofstream(folder_ / "assets.extra/tf_serving_warmup_requests", std::ios::binary) << bytes;
  }
  void WriteLogs(const std::vector<tfs::PredictionLog>& logs) {
    std::string file;
    for (const auto& log : logs) ramet::AppendTFRecord(log.SerializeAsString(), &file);
    Write(file);
  }
  ramet::Status Read() { return ReadWarmupRequests(folder_).status(); }
  fs::path folder_;
};

TEST_F(WarmupFileTest, EachKindInTheOrderOfTheFile) {
  tfs::ClassificationRequest classify;
  classify.mutable_model_spec()->set_signature_name("c");
  classify.mutable_input()->mutable_example_list()->add_examples("example");
  tfs::RegressionRequest regress;
  regress.mutable_input()->mutable_example_list_with_context()->set_context("context");
  tfs::MultiInferenceRequest multi;
  multi.add_tasks()->set_method_name("tensorflow/serving/classify");
  std::vector<tfs::PredictionLog> logs(4);
  logs[0].mutable_classify_log()->set_request(classify.SerializeAsString());
  logs[2].mutable_regress_log()->set_request(regress.SerializeAsString());
  logs[3].mutable_multi_inference_log()->set_request(multi.SerializeAsString());
  WriteLogs(logs);  // the second one has no kind and is skipped
  const auto requests = ReadWarmupRequests(folder_).value();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(std::get<ClassifyWarmup>(requests[0]).request.signature_name, "c");
  EXPECT_EQ(std::get<ClassifyWarmup>(requests[0]).request.examples[0], "example");
  EXPECT_EQ(std::get<RegressWarmup>(requests[1]).request.context, "context");
  EXPECT_EQ(std::get<MultiInferenceWarmup>(requests[2]).tasks.size(), 1u);
}

TEST_F(WarmupFileTest, NoFileIsNoRequest) { EXPECT_EQ(ReadWarmupRequests(folder_)->size(), 0u); }

TEST_F(WarmupFileTest, MistakesFailTheLoad) {
  Write("this is not a TFRecord file at all");
  EXPECT_EQ(Read().code(), Code::kDataLoss);
  EXPECT_THAT(Read().message(), HasSubstr("Please verify your warmup data is in TFRecord format."));
  std::string file;
  ramet::AppendTFRecord("\xff\xff\xff", &file);
  Write(file);
  EXPECT_EQ(Read().code(), Code::kDataLoss);
  std::vector<tfs::PredictionLog> logs(1);
  logs[0].mutable_session_run_log();
  WriteLogs(logs);
  EXPECT_EQ(Read().code(), Code::kUnimplemented);
  logs.assign(kMaxWarmupRecords + 1, {});
  for (auto& log : logs) log.mutable_predict_log();
  WriteLogs(logs);
  EXPECT_EQ(Read().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace server
