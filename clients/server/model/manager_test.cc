// Tests of configurations, labels and many threads.

#include <atomic>

#include "model/model_testing.h"

namespace server {
namespace {

namespace rm = ramet;
using ::testing::HasSubstr;

class ManagerTest : public ModelTest {};

TEST_F(ManagerTest, ChecksConfigurations) {
  Add("m", 1, 1);
  ASSERT_TRUE(manager().Reload({Config("m")}).ok());
  const auto twice = manager().Reload({Config("m"), Config("m")});
  EXPECT_EQ(twice.message(), "Illegal to list model m multiple times in config list");
  EXPECT_TRUE(rm::IsInvalidArgument(twice));
  const auto relative = manager().Reload({{.name = "r", .source = "models/r"}});
  EXPECT_THAT(relative.message(), HasSubstr("Expected model r to have an absolute path or URI"));
  EXPECT_TRUE(rm::IsInvalidArgument(manager().Reload({{.source = "/x"}})));
  EXPECT_EQ(Ask({.name = "m"}).value(), 1);
  EXPECT_EQ(manager().Reports().size(), 1);
}

TEST_F(ManagerTest, ReloadReplacesTheConfiguration) {
  Add("a", 1, 1);
  Add("b", 1, 2);
  ASSERT_TRUE(manager().Reload({Config("a")}).ok());
  const auto held = manager().Find({.name = "a"}).value();
  ASSERT_TRUE(manager().Reload({Config("b")}).ok());
  EXPECT_FALSE(Ask({.name = "a"}).ok());
  EXPECT_EQ(Ask({.name = "b"}).value(), 2);
  // A model that moves is served from its new place at once.
  Add("c", 7, 3);
  ASSERT_TRUE(manager().Reload({{.name = "b", .source = At("c")}}).ok());
  EXPECT_EQ(Ask({.name = "b"}).value(), 3);
  EXPECT_EQ(held->number(), 1);
}

TEST_F(ManagerTest, LabelsNameAvailableVersions) {
  Add("m", 1, 1);
  Add("m", 2, 2);
  ModelConfig config = Config("m");
  config.version_policy = {.kind = VersionPolicy::Kind::kAll};
  config.version_labels = {{"stable", 1}, {"canary", 2}};
  ASSERT_TRUE(manager().Reload({config}).ok());
  EXPECT_EQ(Ask({.name = "m", .label = "stable"}).value(), 1);
  EXPECT_EQ(Ask({.name = "m", .label = "canary"}).value(), 2);
  EXPECT_EQ(manager().Status({.name = "m", .label = "stable"}).value().size(), 1);
  const auto unknown = Ask({.name = "m", .label = "x"}).status();
  EXPECT_TRUE(rm::IsInvalidArgument(unknown));
  EXPECT_EQ(unknown.message(), "Unrecognized servable version label: x");
  config.version_labels = {{"stable", 3}};
  const auto refused = manager().Reload({config});
  EXPECT_TRUE(rm::IsFailedPrecondition(refused));
  EXPECT_EQ(refused.message(),
            "Request to assign label to version 3 of model m, which is not currently available "
            "for inference");
  EXPECT_EQ(Ask({.name = "m", .label = "stable"}).value(), 1);
}

TEST_F(ManagerTest, NewLabelsMayWaitForTheirVersion) {
  options_.allow_labels_for_unavailable = true;
  Add("m", 1, 1);
  ModelConfig config = Config("m");
  config.version_policy = {.kind = VersionPolicy::Kind::kAll};
  config.version_labels = {{"next", 2}};
  ASSERT_TRUE(manager().Reload({config}).ok());
  EXPECT_TRUE(rm::IsNotFound(Ask({.name = "m", .label = "next"}).status()));
  Add("m", 2, 2);
  EXPECT_TRUE(Eventually([&] { return Ask({.name = "m", .label = "next"}).value_or(0) == 2; }));
  config.version_labels = {{"next", 3}};
  EXPECT_TRUE(rm::IsFailedPrecondition(manager().Reload({config})));
}

// Requests go on while versions and configurations change.
TEST_F(ManagerTest, RequestsSeeWholeVersionsDuringReloads) {
  Add("m", 1, 1);
  Add("n", 1, 1);
  ASSERT_TRUE(manager().Reload({Config("m"), Config("n")}).ok());
  std::atomic<bool> stop = false;
  std::atomic<int> answered = 0, wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        const auto version = manager().Find({.name = "m"});
        const auto got = Ask({.name = "m"});
        const bool fits =
            version.ok() && got.ok() && *got >= static_cast<float>((*version)->number());
        (fits ? answered : wrong)++;
        (void)manager().Status({.name = "m"});
        (void)manager().Reports();
      }
    });
  }
  for (int i = 2; i < 8; ++i) {
    Add("m", i, static_cast<float>(i));
    ASSERT_TRUE(
        manager()
            .Reload(i % 2 ? std::vector{Config("m")} : std::vector{Config("m"), Config("n")})
            .ok());
    ASSERT_TRUE(Eventually([&] { return Ask({.name = "m"}).value() == static_cast<float>(i); }));
    std::filesystem::remove_all(At(rm::StrCat("m/", i - 1)));
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(answered, 0);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace server
