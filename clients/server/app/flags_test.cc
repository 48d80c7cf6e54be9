#include "app/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace server {
namespace {

namespace rm = ramet;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Parsed {
  ServeFlags flags = {};
  std::optional<int> code = {};
  std::string out = {}, err = {};
};

Parsed Parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "ramet-serve");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  Parsed parsed;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  parsed.code = ParseFlags(static_cast<int>(argv.size()), argv.data(), &parsed.flags);
  parsed.out = ::testing::internal::GetCapturedStdout();
  parsed.err = ::testing::internal::GetCapturedStderr();
  return parsed;
}

TEST(FlagsTest, AnAddressIsEnough) {
  const Parsed parsed = Parse({"shm:policy"});
  EXPECT_FALSE(parsed.code) << parsed.err;
  EXPECT_EQ(parsed.flags.model.source, "shm:policy");
  EXPECT_EQ(parsed.flags.network.port, 8500);
  EXPECT_EQ(parsed.flags.network.rest_port, 8501);
  EXPECT_TRUE(parsed.flags.network.bind.empty());
  EXPECT_TRUE(CheckFlags(parsed.flags).ok());
}

// The line of TensorFlow Serving's containers, and flags in all their forms.
TEST(FlagsTest, TakesTensorFlowServingsFlags) {
  const Parsed parsed =
      Parse({"--port=9000", "--rest_api_port=9001", "--model_name=m", "--model_base_path=/models/m",
             "--enable_batching=true", "--batching_parameters_file=b",
             "--enable_model_warmup=false", "--flush_filesystem_caches=false",
             "--prefer_tflite_model=false", "--rest-api-enable-cors-support",
             "--saved_model_tags=serve,gpu", "--file_system_poll_wait_seconds", "5"});
  EXPECT_FALSE(parsed.code) << parsed.err;
  EXPECT_EQ(parsed.flags.network.port, 9000);
  EXPECT_EQ(parsed.flags.model.base_path, "/models/m");
  EXPECT_TRUE(parsed.flags.run.batching);
  EXPECT_FALSE(parsed.flags.load.warmup);
  EXPECT_TRUE(parsed.flags.network.cors);
  EXPECT_THAT(parsed.flags.model.tags, ElementsAre("serve", "gpu"));
  EXPECT_EQ(parsed.flags.load.poll_seconds, 5);
  EXPECT_TRUE(CheckFlags(parsed.flags).ok());
}

TEST(FlagsTest, RefusesWithASentence) {
  const Parsed refused = Parse({"m", "--prefer_tflite_model"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("TensorFlow Lite models cannot be served"));
  EXPECT_EQ(Parse({"m", "--nonsense=1"}).code, 2);
  EXPECT_EQ(Parse({"m", "--port=70000"}).code, 2);
  EXPECT_EQ(Parse({"m", "--file_system_poll_wait_seconds=-1"}).code, 2);
  const Parsed help = Parse({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, HasSubstr("--model_config_file"));
  EXPECT_THAT(Parse({"--version"}).out, HasSubstr("ramet-serve"));
}

TEST(FlagsTest, ChecksFlagsThatDependOnEachOther) {
  const auto problem = [](const std::vector<std::string>& arguments) {
    return CheckFlags(Parse(arguments).flags).message();
  };
  EXPECT_THAT(problem({}), HasSubstr("no model was given"));
  EXPECT_THAT(problem({"m", "--model_base_path=n"}), HasSubstr("not both"));
  EXPECT_THAT(problem({"m", "--port=0", "--rest_api_port=0"}), HasSubstr("nothing to listen on"));
  EXPECT_THAT(problem({"m", "--port=1", "--rest_api_port=1"}), HasSubstr("must differ"));
  EXPECT_THAT(problem({"m", "--batching_parameters_file=b"}), HasSubstr("need --enable_batching"));
  EXPECT_THAT(
      problem({"m", "--tensorflow_session_parallelism=1", "--tensorflow_intra_op_parallelism=1"}),
      HasSubstr("give it or them"));
  EXPECT_THAT(problem({"m", "--tls_key=k"}), HasSubstr("needed together"));
}

TEST(FlagsTest, ModelsAreNamedAfterTheirSource) {
  EXPECT_EQ(ModelNameFor("shm:policy"), "policy");
  EXPECT_EQ(ModelNameFor("shm:/run/app/policy.sock@stable"), "policy");
  EXPECT_EQ(ModelNameFor("redis://user:secret@host:6379/critic?zstd=3"), "critic");
  EXPECT_EQ(ModelNameFor("/models/digits/"), "digits");
  EXPECT_EQ(ModelNameFor("frozen.pb"), "frozen");
  EXPECT_EQ(ModelNameFor("/"), "default");
}

}  // namespace
}  // namespace server
