// Tests of following and publishing folders of checkpoints, with savers in this process and
// another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <thread>

#include "child_process.h"
#include "ramet/base/scratch_dir.h"
#include "ramet/ramet.h"

namespace ramet {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kElements = 3000;
constexpr int kSavesOfTheOther = 60;

// A model in which every element is the number of its updates.
struct Trainer {
  Trainer() : scope(graph) {
    w = scope.GetVariable("w", {kElements}, Zeros());
    step = scope.GetVariable("global_step", {},
                             {.initializer = Zeros(), .dtype = kInt64, .trainable = false});
    graph.collections().Add(graph_keys::kGlobalStep, step);
    Identity(w * 1.0f, "y");
    add = AssignAdd(w.ref(), Fill(Constant(graph, Tensor::Vector<int32_t>({kElements})), 1.0f));
    count = AssignAdd(step.ref(), Constant(graph, Tensor(int64_t{1})));
    saver.emplace(graph, SaverOptions{.max_to_keep = 3});
    session.emplace(Session::Create(graph).value());
    session->Run(scope.GlobalVariablesInitializer()).value();
  }
  void Train() { session->Run({add, count}).value(); }
  std::string Save(const std::string& path, bool numbered = true) {
    SaveOptions options;
    if (numbered) options.global_step = GlobalStep(step);
    return saver->Save(*session, path, options).value();
  }

  Graph graph;
  Scope scope;
  Variable w, step;
  Output add, count;
  std::optional<Saver> saver;
  std::optional<Session> session;
};

std::vector<float> Values(Session& session) {
  const Tensor y = session.Run("y:0").value();
  return {y.flat<float>().begin(), y.flat<float>().end()};
}

// Saves to one name repeatedly.
int SaveOften(const std::string& folder) {
  Trainer trainer;
  for (int i = 0; i < kSavesOfTheOther; ++i) {
    trainer.Train();
    trainer.Save(folder + "/model", /*numbered=*/false);
  }
  return 0;
}

// Publishes until it is killed.
int PublishForEver(const std::string& folder) {
  Trainer trainer;
  const PublisherOptions options = {
      .retention = {.retained = 2, .at_limit = RetentionOptions::AtLimit::kWait}};
  Publisher publisher = Publisher::Open(StrCat("file:", folder), *trainer.session, options).value();
  while (true) {
    trainer.Train();
    publisher.Publish().value();
  }
}

TEST(FilesTest, FollowsASaver) {
  const ScratchDir folder;
  Trainer trainer;
  trainer.Train();
  trainer.Save(folder / "model.ckpt");
  Follower follower = Follower::Open("file:" + folder.path()).value();
  EXPECT_THAT(Values(follower.session()), Each(1));
  for (int i = 2; i < 10; ++i) {
    trainer.Train();
    trainer.Save(folder / "model.ckpt");
    const VersionInfo info = follower.Wait(static_cast<uint64_t>(i), 60s).value();
    EXPECT_EQ(info.id.step, i);
    EXPECT_THAT(Values(follower.session()), Each(i));
  }
  EXPECT_EQ(follower.stats().refused, 0u);
}

TEST(FilesTest, FollowsAnotherProcessThatOverwrites) {
  const ScratchDir folder;
  Child other({"save", folder.path()});
  Follower follower = Follower::Open("file:" + folder.path(), {.wait = 120s}).value();
  float last = 0;
  const auto deadline = std::chrono::steady_clock::now() + 300s;
  while (last < kSavesOfTheOther && std::chrono::steady_clock::now() < deadline) {
    const std::vector<float> values = Values(follower.session());
    ASSERT_THAT(values, Each(values[0]));
    ASSERT_GE(values[0], last);
    last = values[0];
  }
  EXPECT_EQ(other.Wait(), 0);
  EXPECT_EQ(last, kSavesOfTheOther);
  EXPECT_EQ(follower.current().id.step, kSavesOfTheOther);
  EXPECT_EQ(follower.stats().refused, 0u) << follower.stats().last_refusal;
}

// Whenever a publisher is killed, the last whole version remains, and the next publisher continues.
TEST(FilesTest, PublishersThatAreKilled) {
  const ScratchDir folder;
  std::optional<Follower> follower;
  uint64_t last = 0;
  for (int i = 0; i < 25; ++i) {
    Child other({"publish", folder.path()});
    if (!follower) {
      follower.emplace(Follower::Open("file:" + folder.path(), {.wait = 120s}).value());
    }
    const VersionInfo info = follower->Wait(last + 1, 120s).value();
    std::this_thread::sleep_for(i * 1700us);
    other.Kill();
    Follower late = Follower::Open("file:" + folder.path()).value();
    const std::vector<float> values = Values(late.session());
    EXPECT_THAT(values, Each(values[0]));
    EXPECT_EQ(static_cast<int64_t>(values[0]), late.current().id.step);
    EXPECT_GE(late.current().id.version, info.id.version);
    last = late.current().id.version;
    // The publisher may have been killed before it wrote its first state file.
    const auto latest = LatestCheckpoint(folder.path());
    EXPECT_TRUE(!latest.ok() || std::filesystem::exists(*latest + ".meta"));
  }
  EXPECT_EQ(follower->stats().refused, 0u) << follower->stats().last_refusal;
}

TEST(FilesTest, PublishesCheckpointsThatASaverRestores) {
  const ScratchDir folder;
  Trainer trainer;
  {
    Publisher publisher =
        Publisher::Open("file:" + folder.path(), *trainer.session, {.retention = {.retained = 2}})
            .value();
    trainer.Train();
    trainer.Train();
    EXPECT_EQ(publisher.Publish().value(), 1u);
    trainer.Train();
  }
  EXPECT_EQ(LatestCheckpoint(folder.path()).value(), folder / "model.ckpt-2");
  EXPECT_THAT(Values(*trainer.session), Each(3));
  ASSERT_TRUE(trainer.saver->Restore(*trainer.session, folder / "model.ckpt-2").ok());
  EXPECT_THAT(Values(*trainer.session), Each(2));
  Follower follower = Follower::Open("file:" + folder.path()).value();
  EXPECT_THAT(Values(follower.session()), Each(2));
  EXPECT_EQ(follower.current().id.step, 2);
}

// A version holds the state at the time of Publish, although training continues while it is
// written.
TEST(FilesTest, PublisherAndFollower) {
  const ScratchDir folder;
  Trainer trainer;
  Publisher publisher =
      Publisher::Open("file:" + folder.path(), *trainer.session,
                      {.retention = {.retained = 3, .at_limit = RetentionOptions::AtLimit::kWait}})
          .value();
  publisher.Publish().value();
  Follower follower = Follower::Open("file:" + folder.path(), {.wait = 60s}).value();
  for (int i = 1; i < 30; ++i) {
    trainer.Train();
    const uint64_t version = publisher.Publish({.metrics = {{"loss", i}}}).value();
    if (i % 2 == 0) trainer.Train();
    if (i % 2 == 0) trainer.session->Run(AssignAdd(trainer.w.ref(), trainer.w * 0.0f)).value();
    const VersionInfo info = follower.Wait(version, 60s).value();
    EXPECT_EQ(info.id.version, version);
    EXPECT_EQ(info.metrics.at("loss"), i);
    EXPECT_EQ(info.id.epoch, publisher.stats().epoch);
    EXPECT_THAT(Values(follower.session()), Each(static_cast<float>(info.id.step)));
  }
}

TEST(FilesTest, AFollowerMayStartFirst) {
  const ScratchDir folder;
  std::thread later([&] {
    std::this_thread::sleep_for(20ms);
    std::filesystem::create_directory(folder / "run");
    Trainer trainer;
    trainer.Train();
    trainer.Save(folder / "run/model.ckpt");
  });
  auto follower = Follower::Open("file:" + (folder / "run"), {.wait = 60s});
  later.join();
  ASSERT_TRUE(follower.ok()) << follower.status().ToString();
  EXPECT_THAT(Values(follower->session()), Each(1));
}

TEST(FilesTest, TheLastVersionOutlivesTheFolder) {
  const ScratchDir folder;
  Trainer trainer;
  std::filesystem::create_directory(folder / "run");
  trainer.Train();
  trainer.Save(folder / "run/model.ckpt");
  Follower follower = Follower::Open("file:" + (folder / "run")).value();
  std::filesystem::remove_all(folder / "run");
  while (follower.stats().connected) std::this_thread::sleep_for(1ms);
  EXPECT_THAT(Values(follower.session()), Each(1));
  std::filesystem::create_directory(folder / "run");
  trainer.Train();
  trainer.Save(folder / "run/model.ckpt");
  EXPECT_EQ(follower.Wait(2, 60s).value().id.step, 2);
  EXPECT_THAT(Values(follower.session()), Each(2));
}

TEST(FilesTest, AnUnsuitableVersionIsRefusedAndTheOldOneStays) {
  const ScratchDir folder;
  Trainer trainer;
  trainer.Train();
  trainer.Save(folder / "model.ckpt");
  Follower follower = Follower::Open("file:" + folder.path()).value();
  Graph other;
  Scope scope(other);
  scope.GetVariable("w", {5}, Zeros());
  Saver saver(other);
  Session session = Session::Create(other).value();
  session.Run(scope.GlobalVariablesInitializer()).value();
  ASSERT_TRUE(saver.Save(session, folder / "model.ckpt-2").ok());
  while (follower.stats().refused == 0) std::this_thread::sleep_for(1ms);
  EXPECT_THAT(follower.stats().last_refusal,
              HasSubstr("'w' is float[3000] in the graph and float[5] as published"));
  EXPECT_THAT(Values(follower.session()), Each(1));
  trainer.Train();
  trainer.Train();
  trainer.Save(folder / "model.ckpt");
  EXPECT_EQ(follower.Wait(3, 60s).value().id.step, 3);
  EXPECT_THAT(Values(follower.session()), Each(3));
}

TEST(FilesTest, Labels) {
  const ScratchDir folder;
  Trainer trainer;
  Publisher publisher = Publisher::Open("file:" + folder.path(), *trainer.session).value();
  trainer.Train();
  publisher.Publish().value();
  ASSERT_EQ(publisher.Promote("stable", 1).ToString(), "OK");
  Follower follower = Follower::Open("file:" + folder.path() + "@stable").value();
  trainer.Train();
  while (!publisher.Publish().ok()) std::this_thread::sleep_for(1ms);
  EXPECT_THAT(Values(follower.session()), Each(1));
  const uint64_t newest = publisher.stats().version;
  ASSERT_TRUE(publisher.Promote("stable", newest).ok());
  EXPECT_EQ(follower.Wait(newest, 60s).value().id.step, 2);
  EXPECT_THAT(Values(follower.session()), Each(2));
}

// Several models share one file of graphs, which later checkpoints use too.
TEST(FilesTest, SeveralModels) {
  const ScratchDir folder;
  Trainer actor, critic;
  const PublishedModel models[] = {{.name = "actor", .session = &*actor.session},
                                   {.name = "critic", .session = &*critic.session}};
  Publisher publisher =
      Publisher::Open("file:" + folder.path(), models,
                      {.retention = {.retained = 2, .at_limit = RetentionOptions::AtLimit::kWait}})
          .value();
  publisher.Publish().value();
  Follower one = Follower::Open("file:" + folder.path(), {.model = "actor", .wait = 60s}).value();
  Follower other = Follower::Open("file:" + folder.path(), {.model = "critic"}).value();
  for (int i = 1; i < 5; ++i) {
    actor.Train();
    critic.Train();
    critic.Train();
    const uint64_t version = publisher.Publish().value();
    EXPECT_EQ(one.Wait(version, 60s).value().id.step, i);
    ASSERT_TRUE(other.Wait(version, 60s).ok());
    EXPECT_THAT(Values(one.session()), Each(i));
    EXPECT_THAT(Values(other.session()), Each(2 * i));
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "model.ckpt-4.graphs"));
  EXPECT_FALSE(std::filesystem::exists(folder / "model.ckpt-4.meta"));
  EXPECT_FALSE(std::filesystem::exists(folder / "model.ckpt-1.graphs"));
  EXPECT_THAT(other.stats().extra, IsEmpty());
  const Status which = Follower::Open("file:" + folder.path()).status();
  EXPECT_THAT(which.message(), HasSubstr("actor"));
}

// The folder is followed until somebody publishes. From then on, the last published version stays.
TEST(FilesTest, AFolderCanBeTheFallback) {
  const ScratchDir folder;
  Trainer trainer;
  trainer.Train();
  trainer.Save(folder / "model.ckpt");
  const std::string address = StrCat("shm:files ", getpid());
  Follower follower =
      Follower::Open(address, {.wait = 0s, .fallback = "file:" + folder.path()}).value();
  EXPECT_TRUE(follower.stats().on_fallback);
  EXPECT_THAT(Values(follower.session()), Each(1));
  trainer.Train();
  trainer.Save(folder / "model.ckpt");
  EXPECT_EQ(follower.Wait(2, 60s).value().id.step, 2);
  EXPECT_THAT(Values(follower.session()), Each(2));
  trainer.Train();
  {
    Publisher publisher = Publisher::Open(address, *trainer.session).value();
    publisher.Publish().value();
    while (follower.current().id.epoch != publisher.stats().epoch) {
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_THAT(Values(follower.session()), Each(3));
    EXPECT_FALSE(follower.stats().on_fallback);
    trainer.Train();
    follower.Wait(publisher.Publish().value(), 60s).value();
    EXPECT_THAT(Values(follower.session()), Each(4));
  }
  trainer.Save(folder / "model.ckpt");
  while (follower.stats().connected) std::this_thread::sleep_for(1ms);
  EXPECT_THAT(Values(follower.session()), Each(4));
  EXPECT_FALSE(follower.stats().on_fallback);
  EXPECT_EQ(follower.stats().refused, 0u) << follower.stats().last_refusal;
}

}  // namespace

int RunChild(const std::vector<std::string>& role) {
  if (role.size() == 2 && role[0] == "save") return SaveOften(role[1]);
  if (role.size() == 2 && role[0] == "publish") return PublishForEver(role[1]);
  return 9;
}

}  // namespace ramet

int main(int argc, char** argv) {
  if (std::strcmp(argv[0], "child") == 0) return ramet::RunChild({argv + 1, argv + argc});
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
