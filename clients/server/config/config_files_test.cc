#include "config/config_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "config/text_proto.h"
#include "tensorflow_serving/config/model_server_config.pb.h"

namespace server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ConfigFilesTest : public ::testing::Test {
 protected:
  std::string File(const std::string& text) {
    const std::string path = ::testing::TempDir() + "ramet_config_test.txt";
    std::ofstream(path) << text;
    return path;
  }
};

TEST_F(ConfigFilesTest, ModelsInTheThreeSpellings) {
  const std::string texts[] = {
      "model_config_list { config { name: 'm' base_path: '/models/m' model_platform: 'tensorflow' "
      "model_version_policy { specific { versions: 42 versions: 43 } } "
      "version_labels { key: 'stable' value: 42 } } }  # comment",
      "model_config_list: { config: { name: \"m\" base_path: \"/models/m\" "
      "model_platform: \"tensorflow\" model_version_policy: { specific: { versions: [42, 43] } } "
      "version_labels: { key: 'stable', value: 42 } } }",
      "model_config_list { config { name: 'm', base_path: '/models/m', "
      "model_platform: 'tensorflow', model_version_policy { specific { versions: 42, versions: 43 "
      "} }, version_labels { key: 'stable', value: 42 }, } }",
  };
  for (const std::string& text : texts) {
    const auto models = ReadModelConfigFile(File(text)).value();
    ASSERT_EQ(models.size(), 1u);
    EXPECT_EQ(models[0].name, "m");
    EXPECT_EQ(models[0].source, "/models/m");
    EXPECT_EQ(models[0].version_policy.kind, VersionPolicy::Kind::kSpecific);
    EXPECT_THAT(models[0].version_policy.versions, ElementsAre(42, 43));
    EXPECT_EQ(models[0].version_labels.at("stable"), 42);
  }
}

TEST_F(ConfigFilesTest, PoliciesAndLogging) {
  const auto models = ReadModelConfigFile(File(R"(model_config_list {
    config { name: "a" base_path: "/a" model_platform: "tensorflow"
             model_version_policy { latest { num_versions: 2 } }
             logging_config { log_collector_config { filename_prefix: "/var/log/a" }
                              sampling_config { sampling_rate: 0.5 } } }
    config { name: "b" base_path: "shm:b" model_type: TENSORFLOW model_version_policy { all {} } }
  })"))
                          .value();
  EXPECT_EQ(models[0].version_policy.num_versions, 2);
  EXPECT_EQ(models[0].logging->sampling_rate, 0.5);
  EXPECT_EQ(models[1].version_policy.kind, VersionPolicy::Kind::kAll);
}

TEST_F(ConfigFilesTest, MistakesHaveAPlaceAndWhatWasExpected) {
  const std::string path = File("model_config_list {\n  config { nam: 'm' }\n}\n");
  const ramet::Status status = ReadModelConfigFile(path).status();
  EXPECT_EQ(status.code(), ramet::Code::kInvalidArgument);
  EXPECT_THAT(status.message(), StartsWith(path + ":2:"));
  EXPECT_THAT(status.message(), HasSubstr("has no field named \"nam\"; expected one of name, "));
  EXPECT_EQ(ReadModelConfigFile("/nowhere").status().code(), ramet::Code::kNotFound);
}

TEST_F(ConfigFilesTest, ModelsThatCannotBeServedAreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"base_path: '/m' model_platform: 'tensorflow'", "a model has no name"},
      {"name: 'm' base_path: '/m'", "Illegal setting neither"},
      {"name: 'm' base_path: '/m' model_type: TENSORFLOW model_platform: 'tensorflow'",
       "Illegal setting both"},
      {"name: 'm' base_path: '/m' model_platform: 'caffe'", "only the platform"},
      {"name: 'm' base_path: '/m' model_platform: 'tensorflow' logging_config {}",
       "filename_prefix"},
  };
  for (const auto& [fields, text] : cases) {
    const auto models =
        ReadModelConfigFile(File(std::string("model_config_list { config { ") + fields + " } }"));
    EXPECT_EQ(models.status().code(), ramet::Code::kInvalidArgument) << fields;
    EXPECT_THAT(models.status().message(), HasSubstr(text));
  }
}

TEST_F(ConfigFilesTest, BatchingParameters) {
  const auto parameters = ReadBatchingFile(File(R"(max_batch_size { value: 128 }
    batch_timeout_micros { value: 500 } max_enqueued_batches { value: 4 }
    num_batch_threads { value: 2 } allowed_batch_sizes: 8 allowed_batch_sizes: 128
    pad_variable_length_inputs: true)"))
                              .value();
  EXPECT_EQ(parameters.max_batch_size, 128);
  EXPECT_EQ(parameters.batch_timeout, std::chrono::microseconds(500));
  EXPECT_EQ(parameters.num_batch_threads, 2);
  EXPECT_THAT(parameters.allowed_batch_sizes, ElementsAre(8, 128));
  EXPECT_TRUE(parameters.pad_variable_length_inputs);
  EXPECT_EQ(ReadBatchingFile(File("")).value().max_batch_size, 1000);
  for (const char* text : {"max_batch_size { value: 0 }", "allowed_batch_sizes: 8",
                           "allowed_batch_sizes: [8, 4, 1000]", "num_batch_threads {value: -1}"}) {
    EXPECT_EQ(ReadBatchingFile(File(text)).status().code(), ramet::Code::kInvalidArgument) << text;
  }
}

TEST_F(ConfigFilesTest, OtherFiles) {
  EXPECT_EQ(ReadMonitoringConfigFile(File("prometheus_config { enable: true }")).value().path,
            "/monitoring/prometheus/metrics");
  EXPECT_THAT(ReadSslConfigFile(File("server_key: '/etc/key.pem'")).status().message(),
              HasSubstr("server_key must be the text of a PEM file"));
  const auto session =
      ReadSessionConfigFile(File("intra_op_parallelism_threads: 3\ngpu_options { a: 1 }")).value();
  EXPECT_EQ(session.intra_op_threads, 3);
  EXPECT_EQ(session.ignored.size(), 1u);
  const auto platform = ReadPlatformConfigFile(File(R"(platform_configs { key: "tensorflow" value {
    source_adapter_config {
      [type.googleapis.com/tensorflow.serving.SavedModelBundleSourceAdapterConfig] {
        legacy_config { batching_parameters { max_batch_size { value: 7 } }
                        session_config { inter_op_parallelism_threads: 2 } } } } } })"))
                            .value();
  EXPECT_EQ(platform.batching->max_batch_size, 7);
  EXPECT_EQ(platform.session.inter_op_threads, 2);
}

TEST_F(ConfigFilesTest, DeepNestingIsAnError) {
  tensorflow::serving::ModelServerConfig message;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "model_config_list {";
  EXPECT_FALSE(ParseTextProto("f", text, &message).ok());
}

}  // namespace
}  // namespace server
