// Tests of models from folders and files: versions that appear, fail and disappear.

#include <sys/stat.h>

#include "model/model_testing.h"
#include "model/version_scan.h"

namespace server {
namespace {

namespace fs = std::filesystem;
namespace rm = ramet;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class FileModelTest : public ModelTest {};

void WriteText(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << text;
}

TEST_F(FileModelTest, ServesTheHighestVersion) {
  Add("m", 2, 20);
  Add("m", 10, 100);
  ASSERT_TRUE(manager().Reload({Config("m")}).ok());
  EXPECT_EQ(Ask({.name = "m"}, 3).value(), 300);
  EXPECT_EQ(manager().Find({.name = "m"}).value()->number(), 10);
  EXPECT_TRUE(manager().Ready());
  EXPECT_EQ(Ask({.name = "m", .version = 10}).value(), 100);
  EXPECT_EQ(Ask({.name = "m", .version = 2}).status().message(),
            "Servable not found for request: Specific(m, 2)");
  EXPECT_TRUE(rm::IsNotFound(Ask({.name = "m", .version = 2}).status()));
  EXPECT_EQ(Ask({.name = "n"}).status().message(), "Servable not found for request: Latest(n)");
  EXPECT_EQ(Ask({}).status().message(), "ModelSpec has no name specified.");
  EXPECT_EQ(manager().Status({.name = "n"}).status().message(),
            "Could not find any versions of model n");
  EXPECT_EQ(manager().Status({.name = "m", .version = 9}).status().message(),
            "Could not find version 9 of model m");
}

TEST_F(FileModelTest, ReplacesVersionsAndLetsRequestsEnd) {
  Add("m", 1, 1);
  ASSERT_TRUE(manager().Reload({Config("m")}).ok());
  auto held = manager().Find({.name = "m"}).value();
  Add("m", 2, 2);
  ASSERT_TRUE(Eventually([&] { return Ask({.name = "m"}).value() == 2; }));
  ASSERT_TRUE(Eventually([&] { return StateOf("m", 1) == VersionState::kUnloading; }));
  EXPECT_EQ(Ask({.name = "m", .version = 1}).status().code(), rm::Code::kNotFound);
  EXPECT_EQ(held->number(), 1);
  held.reset();
  EXPECT_TRUE(Eventually([&] { return StateOf("m", 1) == VersionState::kEnd; }));
  EXPECT_THAT(manager().Status({.name = "m"}).value().at(0).version, 2);
}

TEST_F(FileModelTest, TakesTheNextLowerVersionIfOneDisappears) {
  Add("m", 1, 1);
  Add("m", 2, 2);
  ASSERT_TRUE(manager().Reload({Config("m")}).ok());
  EXPECT_EQ(Ask({.name = "m"}).value(), 2);
  fs::rename(At("m/2"), At("gone"));
  ASSERT_TRUE(Eventually([&] { return Ask({.name = "m"}).value() == 1; }));
  fs::rename(At("gone"), At("m/2"));
  ASSERT_TRUE(Eventually([&] { return Ask({.name = "m"}).value() == 2; }));
  fs::remove_all(At("m"));
  ASSERT_TRUE(Eventually([&] { return !manager().Ready(); }));
  EXPECT_EQ(Ask({.name = "m"}).status().code(), rm::Code::kNotFound);
}

TEST_F(FileModelTest, PoliciesChooseVersions) {
  for (int i = 1; i <= 4; ++i) Add("m", i, static_cast<float>(i));
  ModelConfig config = Config("m");
  config.version_policy = {.kind = VersionPolicy::Kind::kAll};
  ASSERT_TRUE(manager().Reload({config}).ok());
  for (int i = 1; i <= 4; ++i) {
    EXPECT_EQ(Ask({.name = "m", .version = i}).value(), static_cast<float>(i));
  }
  config.version_policy = {.kind = VersionPolicy::Kind::kSpecific, .versions = {1, 3}};
  ASSERT_TRUE(manager().Reload({config}).ok());
  ASSERT_TRUE(Eventually([&] { return StateOf("m", 4) == VersionState::kEnd; }));
  EXPECT_EQ(Ask({.name = "m"}).value(), 3);
  EXPECT_EQ(Ask({.name = "m", .version = 1}).value(), 1);
  EXPECT_TRUE(Eventually([&] { return !Ask({.name = "m", .version = 2}).ok(); }));
  config.version_policy = {.num_versions = 2};
  ASSERT_TRUE(manager().Reload({config}).ok());
  EXPECT_TRUE(Eventually([&] { return Ask({.name = "m"}).value() == 4; }));
}

TEST_F(FileModelTest, AFailingVersionKeepsTheOldOne) {
  Add("m", 1, 1);
  WriteText(At("bad/2/saved_model.pb"), "no model");
  ASSERT_TRUE(manager().Reload({Config("m"), Config("bad")}).ok());
  EXPECT_EQ(Ask({.name = "m"}).value(), 1);
  EXPECT_FALSE(manager().Ready());
  fs::rename(At("bad/2"), At("m/2"));
  ASSERT_TRUE(Eventually([&] { return StateOf("m", 2) == VersionState::kEnd; }));
  const auto status = manager().Status({.name = "m", .version = 2}).value();
  EXPECT_FALSE(status[0].status.ok());
  EXPECT_EQ(Ask({.name = "m"}).value(), 1);
}

// The files of a version come one after the other, in any order.
TEST_F(FileModelTest, AVersionThatIsBeingCopiedBecomesVisibleWhole) {
  options_.settle_time = std::chrono::seconds(60);
  Add("m", 1, 1);
  WriteModel(At("whole"), 2);
  ASSERT_TRUE(manager().Reload({Config("m")}).ok());
  fs::create_directories(At("m/2"));
  fs::copy(At("whole/saved_model.pb"), At("m/2/saved_model.pb"));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_THAT(StateOf("m", 2), Not(VersionState::kEnd));
  fs::create_directories(At("m/2/variables"));
  const std::string data = "variables/variables.data-00000-of-00001";
  fs::copy(At("whole/") + data, At("m/2/") + data);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(Ask({.name = "m"}).value(), 1);
  fs::copy(At("whole/variables/variables.index"), At("m/2/variables/variables.index"));
  EXPECT_TRUE(Eventually([&] { return Ask({.name = "m"}).value() == 2; }));
}

TEST_F(FileModelTest, AVersionThatFailedIsLoadedWhenItsFilesChange) {
  WriteModel(At("whole"), 2);
  WriteText(At("m/2/saved_model.pb"), "cut off");
  ASSERT_TRUE(manager().Reload({Config("m")}).ok());
  ASSERT_TRUE(Eventually([&] { return StateOf("m", 2) == VersionState::kEnd; }));
  fs::copy(At("whole"), At("m/2"),
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  EXPECT_TRUE(Eventually([&] { return Ask({.name = "m"}).value_or(0) == 2; }));
}

TEST_F(FileModelTest, SkipsStrangeNames) {
  Add("m", 7, 7);
  fs::rename(At("m/7"), At("m/00000007"));
  WriteModel(At("m/99999999999999999999999"), 1);
  WriteModel(At("m/-9"), 1);
  WriteModel(At("m/+9"), 1);
  WriteModel(At("m/9x"), 1);
  WriteText(At("m/12"), "a file");
  fs::create_symlink("loop", At("m/loop"));
  fs::create_symlink("20", At("m/20"));
  fs::create_symlink("00000007", At("m/8"));
  ASSERT_TRUE(manager().Reload({Config("m")}).ok());
  EXPECT_EQ(manager().Find({.name = "m"}).value()->number(), 8);
  EXPECT_EQ(Ask({.name = "m"}).value(), 7);
}

// None of them may crash the server, block it or take its memory.
TEST_F(FileModelTest, BadFilesEndTheirVersion) {
  fs::create_directories(At("m/1"));
  ASSERT_EQ(mkfifo(At("m/1/saved_model.pb").c_str(), 0600), 0);
  fs::create_directories(At("m/2"));
  fs::create_symlink("/dev/zero", At("m/2/saved_model.pb"));
  fs::create_directories(At("m/3/saved_model.pb"));
  fs::create_directories(At("m/4"));
  fs::create_symlink("saved_model.pb", At("m/4/saved_model.pb"));
  fs::create_symlink("..", At("m/4/variables"));
  WriteText(At("m/5/saved_model.pb"), "");
  WriteText(At("m/6/saved_model.pb"), std::string(1000, '\xff'));
  WriteModel(At("m/7"), 7);
  std::ofstream(At("m/7/variables/variables.data-00000-of-00001")) << "x";
  WriteModel(At("m/8"), 8);
  WriteText(At("m/8/variables/variables.index"), "no table");
  ModelConfig config = Config("m");
  config.version_policy = {.kind = VersionPolicy::Kind::kAll};
  ASSERT_TRUE(manager().Reload({config}).ok());
  for (int i = 1; i <= 8; ++i) {
    EXPECT_TRUE(Eventually([&] { return StateOf("m", i) == VersionState::kEnd; })) << i;
  }
  Add("m", 9, 9);
  EXPECT_TRUE(Eventually([&] { return Ask({.name = "m"}).value_or(0) == 9; }));
}

TEST_F(FileModelTest, OneFolderOrFileIsAModel) {
  WriteModel(At("single"), 5);
  WriteModel(At("42"), 6);
  rm::Graph graph;
  rm::Scope scope(graph);
  const rm::Output x = scope.Placeholder("x", rm::kFloat, {-1, 1});
  const rm::Variable w = scope.NewVariable(rm::Tensor(4.0f), "w");
  rm::AddOp(graph, "Mul", {x, w}, {}, "y");
  rm::Session session = rm::Session::Create(graph).value();
  ASSERT_TRUE(session.InitializeMissing().ok());
  rm::Saver saver(graph);
  fs::create_directories(At("train"));
  ASSERT_TRUE(saver.Save(session, At("train/model"), {.global_step = 300}).ok());
  WriteText(At("frozen.pb"), rm::ConvertVariablesToConstants(session, {"y"}).value());
  std::vector<ModelConfig> configs = {Config("single"),
                                      Config("42"),
                                      Config("train"),
                                      {.name = "prefix", .source = At("train/model-300")},
                                      {.name = "meta", .source = At("train/model-300.meta")},
                                      {.name = "frozen", .source = At("frozen.pb")}};
  ASSERT_TRUE(manager().Reload(configs).ok());
  EXPECT_EQ(Ask({.name = "single", .version = 1}).value(), 5);
  EXPECT_EQ(Ask({.name = "42", .version = 42}).value(), 6);
  EXPECT_EQ(Ask({.name = "train", .version = 300}).value(), 4);
  EXPECT_EQ(Ask({.name = "prefix", .version = 300}).value(), 4);
  EXPECT_EQ(Ask({.name = "meta", .version = 300}).value(), 4);
  EXPECT_EQ(Ask({.name = "frozen", .version = 1}).value(), 4);
  // The latest checkpoint of a folder is its version.
  ASSERT_TRUE(session.Assign(w, rm::Tensor(8.0f)).ok());
  ASSERT_TRUE(saver.Save(session, At("train/model"), {.global_step = 301}).ok());
  EXPECT_TRUE(Eventually([&] { return Ask({.name = "train"}).value() == 8; }));
}

TEST_F(FileModelTest, TheFilesOfACheckpointAreWatched) {
  const std::string prefix = At("model.ckpt-7");
  const auto digest = [&] { return LookAtFiles(prefix).digest; };
  std::ofstream(prefix + ".index") << "a";
  const uint64_t before = digest();
  std::ofstream(At("model.ckpt-70.index")) << "of a different checkpoint";
  EXPECT_EQ(digest(), before);
  std::ofstream(prefix + ".data-00000-of-00001") << "b";
  EXPECT_NE(digest(), before);
  EXPECT_LT(LookAtFiles(prefix).age_seconds, 60);
}

TEST_F(FileModelTest, OneModelDoesNotDelayAnother) {
  Add("good", 1, 1);
  ASSERT_TRUE(manager().Reload({Config("good"), Config("missing")}).ok());
  EXPECT_EQ(Ask({.name = "good"}).value(), 1);
  EXPECT_EQ(Ask({.name = "missing"}).status().code(), rm::Code::kNotFound);
  Add("good", 2, 2);
  EXPECT_TRUE(Eventually([&] { return Ask({.name = "good"}).value() == 2; }));
  Add("missing", 1, 3);
  EXPECT_TRUE(Eventually([&] { return Ask({.name = "missing"}).value_or(0) == 3; }));
}

}  // namespace
}  // namespace server
