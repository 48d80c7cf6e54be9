// Following and publishing folders of checkpoints, with savers in this process and in another one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "ramet/ramet.h"

namespace ramet {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr int64_t kElements = 3000;
constexpr char kFolderOfTheOther[] = "RAMET_FILES_TEST_FOLDER";
constexpr int kSavesOfTheOther = 60;

class Folder {
 public:
  Folder() : path_((std::filesystem::temp_directory_path() / "files_test-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A model whose every element is the number of its updates.
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
  const Tensor y = session.Run("y:0").value()[0];
  return {y.flat<float>().begin(), y.flat<float>().end()};
}

// What the other process does: saves onto one name again and again.
TEST(FilesOtherProcess, DISABLED_Saves) {
  const char* folder = std::getenv(kFolderOfTheOther);
  ASSERT_NE(folder, nullptr);
  Trainer trainer;
  for (int i = 0; i < kSavesOfTheOther; ++i) {
    trainer.Train();
    trainer.Save(std::string(folder) + "/model", /*numbered=*/false);
  }
}

// Publishes until it is killed.
TEST(FilesOtherProcess, DISABLED_Publishes) {
  const char* folder = std::getenv(kFolderOfTheOther);
  ASSERT_NE(folder, nullptr);
  Trainer trainer;
  const PublisherOptions options = {
      .retention = {.retained = 2, .at_limit = RetentionOptions::AtLimit::kWait}};
  Publisher publisher = Publisher::Open(StrCat("file:", folder), *trainer.session, options).value();
  while (true) {
    trainer.Train();
    publisher.Publish().value();
  }
}

class OtherProcess {
 public:
  OtherProcess(const std::string& folder, const std::string& test) {
    setenv(kFolderOfTheOther, folder.c_str(), 1);
    child_ = fork();
    if (child_ == 0) {
      execl("/proc/self/exe", "files_test", "--gtest_also_run_disabled_tests",
            ("--gtest_filter=FilesOtherProcess.DISABLED_" + test).c_str(), nullptr);
      _exit(1);
    }
    unsetenv(kFolderOfTheOther);
  }
  void Kill() { kill(child_, SIGKILL); }
  // Its exit status.
  int Wait() {
    int status = -1;
    waitpid(child_, &status, 0);
    return status;
  }

 private:
  pid_t child_;
};

TEST(FilesTest, FollowsASaver) {
  Folder folder;
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
  Folder folder;
  OtherProcess other(folder.path(), "Saves");
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

// Whenever it is killed, the last whole version is there, and the next publisher goes on.
TEST(FilesTest, PublishersThatAreKilled) {
  Folder folder;
  std::optional<Follower> follower;
  uint64_t last = 0;
  for (int i = 0; i < 25; ++i) {
    OtherProcess other(folder.path(), "Publishes");
    if (!follower) {
      follower.emplace(Follower::Open("file:" + folder.path(), {.wait = 120s}).value());
    }
    const VersionInfo info = follower->Wait(last + 1, 120s).value();
    std::this_thread::sleep_for(i * 1700us);
    other.Kill();
    EXPECT_NE(other.Wait(), 0);
    Follower late = Follower::Open("file:" + folder.path()).value();
    const std::vector<float> values = Values(late.session());
    EXPECT_THAT(values, Each(values[0]));
    EXPECT_EQ(static_cast<int64_t>(values[0]), late.current().id.step);
    EXPECT_GE(late.current().id.version, info.id.version);
    last = late.current().id.version;
    // It may have been killed before it wrote its first state file.
    const auto latest = LatestCheckpoint(folder.path());
    EXPECT_TRUE(!latest.ok() || std::filesystem::exists(*latest + ".meta"));
  }
  EXPECT_EQ(follower->stats().refused, 0u) << follower->stats().last_refusal;
}

TEST(FilesTest, PublishesCheckpointsThatASaverRestores) {
  Folder folder;
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

// The trainer goes on while a version is written: what is written is the state at Publish.
TEST(FilesTest, PublisherAndFollower) {
  Folder folder;
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

TEST(FilesTest, AFollowerMayBeThereFirst) {
  Folder folder;
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
  Folder folder;
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

TEST(FilesTest, WhatDoesNotFitIsRefusedAndTheOldStays) {
  Folder folder;
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
              HasSubstr("'w' is float[3000] here and float[5] there"));
  EXPECT_THAT(Values(follower.session()), Each(1));
  trainer.Train();
  trainer.Train();
  trainer.Save(folder / "model.ckpt");
  EXPECT_EQ(follower.Wait(3, 60s).value().id.step, 3);
  EXPECT_THAT(Values(follower.session()), Each(3));
}

TEST(FilesTest, Labels) {
  Folder folder;
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

}  // namespace
}  // namespace ramet
