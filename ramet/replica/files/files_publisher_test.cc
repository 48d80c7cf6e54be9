// Tests of publishing to a folder of checkpoints.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <limits>

#include "ramet/base/file.h"
#include "ramet/replica/files/files_testing.h"
#include "ramet/replica/files/version_file.h"

namespace ramet::files {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FilesPublisherTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return dir_ / name; }
  std::unique_ptr<PublisherTransport> Open(const std::string& address, int retained = 2,
                                           int64_t n = 4) {
    Announcement announcement;
    announcement.epoch = ++epoch_;
    announcement.signature = {{"w", DType::kFloat, Shape{n}}, {"b", DType::kInt64, Shape{}}};
    announcement.graph = "graph";
    RetentionOptions retention;
    retention.retained = retained;
    retention.at_limit = RetentionOptions::AtLimit::kWait;
    return OpenPublisher(address, announcement, retention, {}).value();
  }
  static StatusOr<uint64_t> Publish(PublisherTransport& publisher, float value, int64_t step,
                                    int64_t n = 4) {
    const std::vector<Tensor> values = {Tensor::Of<float>(Shape{n}, {value}),
                                        Tensor(std::numeric_limits<int64_t>::min())};
    VersionInfo info;
    info.id.step = step;
    info.time_nanos = 5;
    info.metrics = {{"loss", value}};
    return publisher.Publish(info, values, {}, nullptr);
  }
  std::vector<std::string> Files(const std::string& end) const {
    std::vector<std::string> found;
    for (const std::string& file : ListDir(dir_.path()).value()) {
      if (file.ends_with(end)) found.push_back(file);
    }
    return found;
  }
  uint64_t epoch_ = 1'000;
  ScratchDir dir_;
};

TEST_F(FilesPublisherTest, FollowersGetWhatIsPublished) {
  auto publisher = Open(dir_.path());
  EXPECT_EQ(Publish(*publisher, 1, 70).value(), 1u);
  auto follower = FollowAgain(dir_.path());
  EXPECT_EQ(follower->announcement().epoch, 1001u);
  EXPECT_EQ(follower->announcement().graph, "graph");
  EXPECT_EQ(follower->announcement().signature[1].name, "b");
  for (int i = 2; i < 6; ++i) {
    EXPECT_EQ(Publish(*publisher, static_cast<float>(i), 100 * i).value(),
              static_cast<uint64_t>(i));
    ASSERT_TRUE(WaitFor(*follower, static_cast<uint64_t>(i)));
    const auto held = follower->Take(static_cast<uint64_t>(i)).value();
    EXPECT_EQ(held->info.id.step, 100 * i);
    EXPECT_EQ(held->info.id.epoch, 1001u);
    EXPECT_EQ(held->info.time_nanos, 5);
    EXPECT_EQ(held->info.metrics.at("loss"), i);
    EXPECT_EQ(ValueOf(*held, follower->announcement().signature), i);
    EXPECT_EQ(held->values[1].scalar<int64_t>(), std::numeric_limits<int64_t>::min());
  }
}

TEST_F(FilesPublisherTest, OldVersionsAreRemoved) {
  Save(Path("model.ckpt-3"), 3);
  Save(Path("other-9"), 3);
  auto publisher = Open(dir_.path(), 2);
  for (const int64_t step : {10, 20, 30, 40}) ASSERT_TRUE(Publish(*publisher, 1, step).ok());
  publisher.reset();
  EXPECT_THAT(Files(".index"), ElementsAre("model.ckpt-3.index", "model.ckpt-30.index",
                                           "model.ckpt-40.index", "other-9.index"));
  EXPECT_THAT(Files(".meta"), ElementsAre("model.ckpt-3.meta", "model.ckpt-30.meta",
                                          "model.ckpt-40.meta", "other-9.meta"));
  EXPECT_THAT(Files(".version"), ElementsAre("model.ckpt-30.version", "model.ckpt-40.version"));
  EXPECT_THAT(Files(".publisher"), ElementsAre());
  const CheckpointStateInfo state = ReadCheckpointState(dir_.path()).value();
  EXPECT_EQ(state.model_checkpoint_path, Path("model.ckpt-40"));
  EXPECT_THAT(state.all_model_checkpoint_paths,
              ElementsAre(Path("model.ckpt-30"), Path("model.ckpt-40")));
}

TEST_F(FilesPublisherTest, StepsThatDoNotGrow) {
  auto publisher = Open(dir_.path(), 5);
  for (const int64_t step : {-1, 7, 7, 3}) ASSERT_TRUE(Publish(*publisher, 1, step).ok());
  publisher.reset();
  EXPECT_THAT(Files(".index"), ElementsAre("model.ckpt-1.index", "model.ckpt-7.index",
                                           "model.ckpt-8.index", "model.ckpt-9.index"));
  auto follower = Follow(dir_.path());
  EXPECT_THAT(follower->Versions(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(follower->Take(4).value()->info.id.step, 3);
  EXPECT_EQ(follower->Take(1).value()->info.id.step, -1);
}

TEST_F(FilesPublisherTest, ANewPublisherGoesOnInItsOwnEpoch) {
  auto publisher = Open(dir_.path());
  ASSERT_TRUE(Publish(*publisher, 1, 5).ok());
  publisher.reset();
  auto follower = Follow(dir_.path());
  publisher = Open(dir_.path());
  EXPECT_EQ(Publish(*publisher, 2, 1).value(), 2u);
  ASSERT_TRUE(WaitForEnd(*follower));
  auto again = FollowAgain(dir_.path());
  EXPECT_EQ(again->announcement().epoch, 1002u);
  EXPECT_EQ(Take(*again, 2), 2);
  EXPECT_EQ(Take(*again, 1), 1);
}

TEST_F(FilesPublisherTest, ASecondPublisherIsRefused) {
  auto publisher = Open(dir_.path());
  Announcement announcement;
  announcement.signature = {{"w", DType::kFloat, Shape{4}}};
  EXPECT_TRUE(IsAlreadyExists(OpenPublisher(dir_.path(), announcement, {}, {}).status()));
  EXPECT_TRUE(OpenPublisher(Path("other.ckpt"), announcement, {}, {}).ok());
  publisher.reset();
  EXPECT_TRUE(OpenPublisher(dir_.path(), announcement, {}, {}).ok());
}

TEST_F(FilesPublisherTest, WhereItIsPublished) {
  ASSERT_TRUE(Publish(*Open(Path("a/b")), 1, 1).ok());
  ASSERT_TRUE(Publish(*Open(Path("c/m.ckpt")), 1, 1).ok());
  ASSERT_TRUE(Publish(*Open(Path("c/m.ckpt")), 1, 2).ok());
  ASSERT_TRUE(Publish(*Open(Path("d.ckpt/")), 1, 1).ok());
  for (const char* file : {"a/b/model.ckpt-1.index", "c/m.ckpt-1.index", "c/m.ckpt-2.index",
                           "d.ckpt/model.ckpt-1.index"}) {
    EXPECT_TRUE(FileExists(Path(file))) << file;
  }
}

TEST_F(FilesPublisherTest, LabelsOutliveRetention) {
  auto publisher = Open(dir_.path(), 1);
  ASSERT_TRUE(Publish(*publisher, 1, 10).ok());
  ASSERT_EQ(publisher->Promote("stable", 1).ToString(), "OK");
  ASSERT_TRUE(Publish(*publisher, 2, 20).ok());
  ASSERT_TRUE(Publish(*publisher, 3, 30).ok());
  EXPECT_EQ(publisher->stats().labels.at("stable"), 1u);
  EXPECT_EQ(publisher->Rollback(1).value(), 4u);
  EXPECT_EQ(Publish(*publisher, 5, 40).value(), 5u);
  auto follower = FollowAgain(dir_.path());
  ASSERT_TRUE(WaitFor(*follower, 5));
  EXPECT_EQ(follower->Newest("stable"), 1u);
  EXPECT_EQ(Take(*follower, 1), 1);
  EXPECT_EQ(Take(*follower, 5), 5);
}

TEST_F(FilesPublisherTest, ARollbackByAFollower) {
  auto publisher = Open(dir_.path(), 3);
  ASSERT_TRUE(Publish(*publisher, 1, 10).ok());
  ASSERT_TRUE(Publish(*publisher, 2, 20).ok());
  auto follower = FollowAgain(dir_.path());
  ASSERT_TRUE(WaitFor(*follower, 2));
  EXPECT_EQ(follower->Rollback(1).value(), 3u);
  EXPECT_EQ(Take(*follower, 3), 1);
  EXPECT_EQ(Publish(*publisher, 4, 30).value(), 4u);
  ASSERT_TRUE(WaitFor(*follower, 4));
  EXPECT_EQ(Take(*follower, 4), 4);
}

TEST_F(FilesPublisherTest, ConvertedValuesKeepTheSourcesHash) {
  Announcement announcement;
  VariableSpec spec{"serve/w", DType::kHalf, Shape{2}};
  spec.source = "train/w";
  spec.source_dtype = DType::kFloat;
  announcement.epoch = 5;
  announcement.signature = {spec};
  const std::vector<Tensor> values = {Tensor(DType::kHalf, Shape{2})};
  const std::vector<Tensor> sources = {Tensor::Of<float>(Shape{2}, {0.f})};
  {
    auto publisher = OpenPublisher(dir_.path(), announcement, {}, {}).value();
    ASSERT_TRUE(publisher->Publish({}, values, sources, nullptr).ok());
  }
  auto follower = Follow(dir_.path());
  EXPECT_EQ(follower->announcement().signature, announcement.signature);
  const VersionHashes hashes = follower->Hashes(1, Soon()).value();
  EXPECT_NE(hashes.source, hashes.content);
  announcement.signature = {{"train/w", DType::kFloat, Shape{2}}};
  {
    auto publisher = OpenPublisher(Path("plain/"), announcement, {}, {}).value();
    ASSERT_TRUE(publisher->Publish({}, sources, {}, nullptr).ok());
  }
  EXPECT_EQ(Follow(Path("plain"))->Hashes(1, Soon()).value().source, hashes.source);
}

// A killed publisher can leave a checkpoint without its version file and state file.
TEST_F(FilesPublisherTest, LeftoversOfAKilledPublisher) {
  auto publisher = Open(dir_.path());
  ASSERT_TRUE(Publish(*publisher, 1, 10).ok());
  publisher.reset();
  ASSERT_TRUE(SaveTensors(Path("model.ckpt-20"), 2).ok());
  VersionFile begun;
  begun.info.id = {1001, 2, 20};
  ASSERT_TRUE(WriteVersionFile(Path("model.ckpt-20"), begun).ok());
  auto follower = Follow(dir_.path());
  EXPECT_THAT(follower->Versions(), ElementsAre(1));
  EXPECT_TRUE(IsNotFound(follower->Take(2).status()));
  publisher = Open(dir_.path());
  EXPECT_THAT(Files(".index"), ElementsAre("model.ckpt-10.index"));
}

// Simulates a full disk with a limit on file sizes.
TEST_F(FilesPublisherTest, AFailedWriteKeepsTheOldVersion) {
  constexpr int64_t kMany = 1 << 16;
  auto publisher = Open(dir_.path(), 2, kMany);
  ASSERT_TRUE(Publish(*publisher, 1, 10, kMany).ok());
  auto follower = FollowAgain(dir_.path());
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {100'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  ASSERT_TRUE(Publish(*publisher, 2, 20, kMany).ok());
  const Status failed = Publish(*publisher, 3, 30, kMany).status();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(failed.ok());
  EXPECT_THAT(failed.message(), HasSubstr("version 2 was not written"));
  EXPECT_THAT(Files(".index"), ElementsAre("model.ckpt-10.index"));
  EXPECT_THAT(Files(".version"), ElementsAre("model.ckpt-10.version"));
  EXPECT_EQ(Take(*follower, 1), 1);
  ASSERT_EQ(Publish(*publisher, 4, 40, kMany).value(), 3u);
  ASSERT_TRUE(WaitFor(*follower, 3));
  EXPECT_EQ(Take(*follower, 3), 4);
}

TEST_F(FilesPublisherTest, AtTheLimitItSkips) {
  constexpr int64_t kMany = 1 << 22;
  Announcement announcement;
  announcement.epoch = 1;
  announcement.signature = {{"w", DType::kFloat, Shape{kMany}}};
  auto publisher = OpenPublisher(dir_.path(), announcement, {}, {}).value();
  const std::vector<Tensor> values = {Tensor::Of<float>(Shape{kMany}, {1.f})};
  ASSERT_TRUE(publisher->Publish({}, values, {}, nullptr).ok());
  int skipped = 0;
  for (int i = 0; i < 100; ++i) {
    const Status status = publisher->Publish({}, values, {}, nullptr).status();
    if (status.ok()) continue;
    EXPECT_TRUE(IsResourceExhausted(status)) << status.ToString();
    ++skipped;
  }
  EXPECT_GT(skipped, 0);
  EXPECT_EQ(publisher->stats().skipped, static_cast<uint64_t>(skipped));
}

}  // namespace
}  // namespace ramet::files
