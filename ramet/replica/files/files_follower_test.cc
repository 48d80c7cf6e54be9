// Tests of following checkpoints that are saved without Ramet's publisher.
#include <gmock/gmock.h>

#include <cmath>
#include <thread>

#include "ramet/base/file.h"
#include "ramet/replica/files/files_testing.h"
#include "ramet/replica/version_hash.h"

namespace ramet::files {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FilesFollowerTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return dir_ / name; }
  ScratchDir dir_;
};

TEST_F(FilesFollowerTest, TheNumberInTheNameIsTheVersion) {
  Save(Path("model.ckpt-1234"), 5);
  auto follower = Follow(dir_.path());
  EXPECT_EQ(follower->Newest(""), 1234u);
  const auto held = follower->Take(1234).value();
  EXPECT_EQ(held->info.id.version, 1234u);
  EXPECT_EQ(held->info.id.step, 1234);
  EXPECT_EQ(held->info.id.epoch, follower->announcement().epoch);
  EXPECT_GT(held->info.time_nanos, 0);
  EXPECT_EQ(ValueOf(*held, follower->announcement().signature), 5);
}

TEST_F(FilesFollowerTest, TheStepIsThatOfTheTensorGlobalStep) {
  Save(Path("m-3"), 5, 300);
  EXPECT_EQ(Follow(dir_.path())->Take(3).value()->info.id.step, 300);
}

TEST_F(FilesFollowerTest, NewCheckpointsWakeWaiters) {
  Save(Path("m-1"), 1);
  auto follower = Follow(dir_.path());
  for (int i = 2; i < 12; ++i) {
    std::thread trainer([&] { Save(Path(StrCat("m-", i)), static_cast<float>(i)); });
    EXPECT_TRUE(WaitFor(*follower, static_cast<uint64_t>(i)));
    trainer.join();
    EXPECT_EQ(Take(*follower, static_cast<uint64_t>(i)), i);
  }
  EXPECT_EQ(follower->Versions().size(), 11u);
  EXPECT_EQ(Take(*follower, 4), 4);
}

TEST_F(FilesFollowerTest, ANameThatIsOverwrittenHasGrowingVersions) {
  Save(Path("model"), 1);
  auto follower = Follow(dir_.path());
  uint64_t last = follower->Newest("");
  for (int i = 2; i < 20; ++i) {
    Save(Path("model"), static_cast<float>(i));
    uint64_t seen = 0;
    while (follower->Newest("") == last) follower->Wait(&seen, Soon());
    ASSERT_GT(follower->Newest(""), last);
    EXPECT_TRUE(IsNotFound(follower->Take(last).status()));
    last = follower->Newest("");
    EXPECT_EQ(Take(*follower, last), i);
  }
  EXPECT_TRUE(follower->connected());
}

TEST_F(FilesFollowerTest, TheSameCheckpointHasTheSameVersionEverywhere) {
  Save(Path("model"), 1);
  auto one = Follow(dir_.path()), other = Follow(dir_.path());
  EXPECT_EQ(one->Newest(""), other->Newest(""));
  EXPECT_EQ(one->announcement().epoch, other->announcement().epoch);
  EXPECT_EQ(one->Hashes(one->Newest(""), Soon()).value().source,
            other->Hashes(one->Newest(""), Soon()).value().content);
}

TEST_F(FilesFollowerTest, TheStateFileNamesTheNewest) {
  Save(Path("m-7"), 7);
  ASSERT_TRUE(SaveTensors(Path("m-9"), 9).ok());
  auto follower = Follow(dir_.path());
  EXPECT_EQ(follower->Newest(""), 7u);
  EXPECT_THAT(follower->Versions(), ElementsAre(7, 9));
}

TEST_F(FilesFollowerTest, WithoutAStateFileTheLastWrittenIsTheNewest) {
  ASSERT_TRUE(SaveTensors(Path("m-9"), 9).ok());
  ASSERT_TRUE(SaveTensors(Path("m-10"), 10).ok());
  EXPECT_EQ(Follow(dir_.path())->Newest(""), 10u);
}

TEST_F(FilesFollowerTest, AStateFileOfAnotherMountIsReadByNames) {
  ASSERT_TRUE(SaveTensors(Path("m-7"), 7).ok());
  ASSERT_TRUE(SaveTensors(Path("m-9"), 9).ok());
  ASSERT_TRUE(
      AtomicWriteFile(Path("checkpoint"), "model_checkpoint_path: \"/not/here/m-7\"\n").ok());
  EXPECT_EQ(Follow(dir_.path())->Newest(""), 7u);
}

TEST_F(FilesFollowerTest, DamagedStateFiles) {
  ASSERT_TRUE(SaveTensors(Path("m-7"), 7).ok());
  for (const std::string& text :
       {std::string("model_checkpoint_path: \""), std::string("\0\1\2", 3), std::string("{}"),
        std::string("model_checkpoint_path: \"..\""), std::string("model_checkpoint_path: \"/\""),
        std::string(1 << 20, '(')}) {
    ASSERT_TRUE(AtomicWriteFile(Path("checkpoint"), text).ok());
    EXPECT_EQ(Take(*Follow(dir_.path()), 7), 7);
  }
}

// TensorFlow writes the graph last, and not with every checkpoint.
TEST_F(FilesFollowerTest, TheGraphIsThatOfTheCheckpointOrAnEarlierOne) {
  ASSERT_TRUE(SaveTensors(Path("m-1"), 1).ok());
  EXPECT_EQ(Follow(dir_.path())->announcement().graph, "");
  ASSERT_TRUE(AtomicWriteFile(Path("m-1.meta"), "first").ok());
  ASSERT_TRUE(SaveTensors(Path("m-2"), 2).ok());
  EXPECT_EQ(Follow(dir_.path())->announcement().graph, "first");
  ASSERT_TRUE(AtomicWriteFile(Path("m-2.meta"), "second").ok());
  EXPECT_EQ(Follow(dir_.path())->announcement().graph, "second");
}

TEST_F(FilesFollowerTest, OneOfSeveralPrefixes) {
  Save(Path("a-5"), 5);
  Save(Path("b-6"), 6);
  auto follower = Follow(Path("a"));
  EXPECT_EQ(follower->Newest(""), 5u);
  EXPECT_THAT(follower->Versions(), ElementsAre(5));
}

TEST_F(FilesFollowerTest, NothingThereYet) {
  for (const std::string& address : {dir_.path(), Path("missing"), Path("missing/"),
                                     Path("missing/model.ckpt"), std::string("/dev/null/x")}) {
    const Status status = ConnectFollower(address, Clock::now()).status();
    EXPECT_TRUE(IsNotFound(status)) << status.ToString();
  }
  const Status bad = ConnectFollower(std::string("a\0b", 3), Clock::now()).status();
  EXPECT_TRUE(IsInvalidArgument(bad)) << bad.ToString();
}

TEST_F(FilesFollowerTest, LowerNumbersBeginAnEpoch) {
  Save(Path("m-50"), 1);
  auto follower = Follow(dir_.path());
  Save(Path("m-10"), 2);
  ASSERT_TRUE(WaitForEnd(*follower));
  EXPECT_EQ(follower->Newest(""), 0u);
  EXPECT_EQ(Take(*follower, 50), 1);
  auto again = FollowAgain(dir_.path());
  EXPECT_GT(again->announcement().epoch, follower->announcement().epoch);
  EXPECT_EQ(Take(*again, 10), 2);
}

TEST_F(FilesFollowerTest, TheSameNumberAgainWithOtherValuesBeginsAnEpoch) {
  Save(Path("m-50"), 1);
  auto follower = Follow(dir_.path());
  Save(Path("m-50"), 2);
  ASSERT_TRUE(WaitForEnd(*follower));
  auto again = FollowAgain(dir_.path());
  EXPECT_GT(again->announcement().epoch, follower->announcement().epoch);
  EXPECT_EQ(Take(*again, 50), 2);
}

TEST_F(FilesFollowerTest, OtherVariablesEndTheConnection) {
  Save(Path("m-1"), 1);
  auto follower = Follow(dir_.path());
  Save(Path("m-2"), 2, -1, /*n=*/6);
  ASSERT_TRUE(WaitForEnd(*follower));
  const Status status = follower->Take(2).status();
  EXPECT_TRUE(IsFailedPrecondition(status)) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("has 'w' as float[6], not as float[4]"));
  EXPECT_EQ(Take(*follower, 1), 1);
  EXPECT_EQ(Take(*FollowAgain(dir_.path()), 2), 2);
}

TEST_F(FilesFollowerTest, AFolderThatIsRemovedAndMadeAgain) {
  const std::string folder = Path("run");
  ASSERT_TRUE(CreateDir(folder).ok());
  Save(folder + "/m-5", 5);
  auto follower = Follow(folder);
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(WaitForEnd(*follower));
  EXPECT_TRUE(IsNotFound(ConnectFollower(folder, Clock::now()).status()));
  ASSERT_TRUE(CreateDir(folder).ok());
  Save(folder + "/m-2", 2);
  EXPECT_EQ(Take(*FollowAgain(folder), 2), 2);
}

TEST_F(FilesFollowerTest, AVersionThatIsDeletedIsNotFound) {
  Save(Path("m-1"), 1);
  Save(Path("m-2"), 2);
  auto follower = Follow(dir_.path());
  for (const std::string& file : ListDir(dir_.path()).value()) {
    if (file.starts_with("m-1.")) {
      ASSERT_TRUE(RemoveFile(Path(file)).ok());
    }
  }
  EXPECT_TRUE(IsNotFound(follower->Take(1).status()));
  EXPECT_TRUE(IsNotFound(follower->Take(99).status()));
  EXPECT_THAT(follower->Versions(), ElementsAre(2));
}

TEST_F(FilesFollowerTest, DamagedDataAreNotTaken) {
  Save(Path("m-1"), 1);
  auto follower = Follow(dir_.path());
  ASSERT_TRUE(SaveTensors(Path("m-2"), 2).ok());
  const std::string data = Path("m-2.data-00000-of-00001");
  std::string bytes = ReadFile(data).value();
  bytes[5] ^= 1;
  ASSERT_TRUE(AtomicWriteFile(data, bytes).ok());
  ASSERT_TRUE(AtomicWriteFile(Path("checkpoint"), "model_checkpoint_path: \"m-2\"\n").ok());
  ASSERT_TRUE(WaitFor(*follower, 2));
  const Status status = follower->Take(2).status();
  EXPECT_TRUE(IsDataLoss(status)) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("version 2 is damaged"));
  EXPECT_EQ(Take(*follower, 1), 1);
  Save(Path("m-3"), 3);
  ASSERT_TRUE(WaitFor(*follower, 3));
  EXPECT_EQ(Take(*follower, 3), 3);
}

TEST_F(FilesFollowerTest, AnIndexThatStaysHalfWrittenIsDamaged) {
  Save(Path("m-1"), 1);
  auto follower = Follow(dir_.path());
  ASSERT_TRUE(SaveTensors(Path("m-2"), 2).ok());
  const std::string bytes = ReadFile(Path("m-2.index")).value();
  ASSERT_TRUE(AtomicWriteFile(Path("m-2.index"), bytes.substr(0, bytes.size() / 2)).ok());
  ASSERT_TRUE(AtomicWriteFile(Path("checkpoint"), "model_checkpoint_path: \"m-2\"\n").ok());
  ASSERT_TRUE(WaitFor(*follower, 2));
  EXPECT_TRUE(IsDataLoss(follower->Take(2).status()));
  const Status status = ConnectFollower(dir_.path(), Clock::now()).status();
  EXPECT_TRUE(IsDataLoss(status)) << status.ToString();
  ASSERT_TRUE(AtomicWriteFile(Path("m-2.index"), bytes).ok());
  uint64_t seen = 0;
  while (!follower->Take(2).ok()) follower->Wait(&seen, Soon());
  EXPECT_EQ(Take(*follower, 2), 2);
}

// TensorFlow replaces the data first. Until the new index arrives, nothing can be taken.
TEST_F(FilesFollowerTest, NewDataUnderAnOldIndex) {
  ASSERT_TRUE(CreateDir(Path("aside")).ok());
  Save(Path("model"), 1);
  auto follower = Follow(dir_.path());
  const uint64_t version = follower->Newest("");
  ASSERT_TRUE(SaveTensors(Path("aside/model"), 2).ok());
  const std::string data = "model.data-00000-of-00001";
  ASSERT_TRUE(RenameFile(Path("aside/" + data), Path(data)).ok());
  const Status damaged = follower->Take(version).status();
  EXPECT_TRUE(IsDataLoss(damaged)) << damaged.ToString();
  EXPECT_THAT(damaged.message(), HasSubstr("Checksum does not match"));
  std::thread saver([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_TRUE(RenameFile(Path("aside/model.index"), Path("model.index")).ok());
  });
  Status status = damaged;
  while (IsDataLoss(status)) status = follower->Take(version).status();
  saver.join();
  EXPECT_TRUE(IsNotFound(status)) << status.ToString();
  EXPECT_GT(follower->Newest(""), version);
  EXPECT_EQ(Take(*follower, follower->Newest("")), 2);
}

TEST_F(FilesFollowerTest, HashesAreThoseOfTheCheckpoint) {
  Save(Path("m-1"), 1, 9);
  const VersionHashes hashes = Follow(dir_.path())->Hashes(1, Soon()).value();
  EXPECT_EQ(hashes.source, HashCheckpoint(Path("m-1")).value().whole);
  EXPECT_EQ(hashes.content, hashes.source);
}

TEST_F(FilesFollowerTest, InterruptEndsWaits) {
  Save(Path("m-1"), 1);
  auto follower = Follow(dir_.path());
  uint64_t seen = 0;
  follower->Wait(&seen, Soon());
  std::thread waiter([&] { follower->Wait(&seen, Clock::time_point::max()); });
  follower->Interrupt();
  waiter.join();
  follower->Wait(&seen, Clock::time_point::max());
}

// Overwrites one name like TensorFlow, in place: first the data, then the index. The saver is slow
// enough to be observed. Every version taken must come from a single save.
TEST_F(FilesFollowerTest, NoTornVersionOfAnOverwrittenName) {
  constexpr int kSaves = 150;
  const std::string aside = Path("aside");
  ASSERT_TRUE(CreateDir(aside).ok());
  Save(Path("model"), 0, -1, 2000);
  auto follower = Follow(dir_.path());
  const auto first = follower->Take(follower->Newest(""));
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  std::atomic<bool> done = false;
  std::thread saver([&] {
    for (int i = 1; i <= kSaves; ++i) {
      ASSERT_TRUE(SaveTensors(aside + "/model", static_cast<float>(i), -1, 2000).ok());
      const std::string index = ReadFile(aside + "/model.index").value();
      ASSERT_TRUE(
          RenameFile(aside + "/model.data-00000-of-00001", Path("model.data-00000-of-00001")).ok());
      ASSERT_TRUE(RemoveFile(aside + "/model.index").ok());
      std::this_thread::sleep_for(std::chrono::microseconds(i * 37 % 500));
      WritableFile file = WritableFile::Create(Path("model.index")).value();
      ASSERT_TRUE(file.Append(index.substr(0, index.size() / 2)).ok());
      ASSERT_TRUE(file.Flush().ok());
      std::this_thread::sleep_for(std::chrono::microseconds(i * 61 % 300));
      ASSERT_TRUE(file.Append(index.substr(index.size() / 2)).ok());
      ASSERT_TRUE(file.Close().ok());
    }
    done = true;
  });
  float last = 0;
  uint64_t seen = 0;
  while (!done || last < kSaves) {
    const auto held = follower->Take(follower->Newest(""));
    if (!held.ok()) {
      EXPECT_TRUE(IsNotFound(held.status())) << held.status().ToString();
      continue;
    }
    const float value = ValueOf(**held, follower->announcement().signature);
    EXPECT_GE(value, last);
    if (!(value >= last)) break;
    if (value == last) follower->Wait(&seen, Clock::now() + std::chrono::milliseconds(5));
    last = value;
  }
  saver.join();
  EXPECT_EQ(last, kSaves);
  EXPECT_TRUE(follower->connected());
}

}  // namespace
}  // namespace ramet::files
