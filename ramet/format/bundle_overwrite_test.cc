#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

#include "ramet/format/bundle_testing.h"

// Repeated saves to one prefix by one writer or two, with concurrent readers, killed writers and
// full disks.
namespace ramet {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Enough for one save on a slow disk.
constexpr std::chrono::seconds kPatience{30};

const std::vector<std::string>& Names() {
  static const std::vector<std::string> names = {"bias", "kernel", "step", "text"};
  return names;
}

// Every element of every tensor is the step.
NamedTensors Model(int step) {
  Tensor kernel(kFloat, Shape{300, 100});
  for (float& v : kernel.mutable_flat<float>()) v = static_cast<float>(step);
  return {{"bias", Tensor::Of<float>(Shape{100}, {static_cast<float>(step)})},
          {"kernel", kernel},
          {"step", Tensor(step)},
          {"text", Tensor::Vector<std::string>({StrCat(step), StrCat("step ", step)})}};
}

// Returns the step of a model that was read, after checking that it is complete and consistent.
int StepOf(const std::vector<Tensor>& read) {
  const int step = read[2].scalar<int>();
  const NamedTensors expected = Model(step);
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_TRUE(read[i].BitwiseEquals(expected[i].second))
        << "mixed at step " << step << ": " << Names()[i];
  }
  return step;
}

StatusOr<int> ReadStep(const std::string& prefix) {
  RAMET_ASSIGN_OR_RETURN(const std::vector<Tensor> read, Load(prefix, Names()));
  return StepOf(read);
}

// A child process that runs `work` until it is killed, at the latest by the destructor.
class Child {
 public:
  explicit Child(const std::function<void()>& work) : pid_(fork()) {
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    work();
    _exit(0);
  }
  ~Child() { Kill(); }
  bool alive() const { return waitpid(pid_, nullptr, WNOHANG) == 0; }
  void Kill() {
    if (pid_ < 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_;
};

[[noreturn]] void SaveForever(const std::string& prefix, int first, int by) {
  for (int step = first;; step += by) {
    if (!Save(prefix, Model(step)).ok()) _exit(1);
  }
}

void WaitForAStepAfter(const std::string& prefix, int last) {
  for (const auto end = Clock::now() + kPatience; Clock::now() < end;) {
    if (ReadStep(prefix).value() > last) return;
    std::this_thread::sleep_for(milliseconds(1));
  }
}

// Large enough for its data file to become a spare.
NamedTensors BigModel(int step) {
  Tensor big(kFloat, Shape{300'000});
  for (float& v : big.mutable_flat<float>()) v = static_cast<float>(step);
  return {{"big", big}};
}

std::vector<std::string> FilesIn(const ScratchDir& dir, const std::string& part) {
  std::vector<std::string> found;
  for (const std::string& name : ListDir(dir.path()).value()) {
    if (name.find(part) != name.npos) found.push_back(dir / name);
  }
  return found;
}

uint64_t InodeOf(const std::string& path) { return GetFileIdentity(path).value().inode; }

class SpareTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!IsDirectory("/dev/shm")) GTEST_SKIP() << "skipped: no memory file system at /dev/shm";
    dir_.emplace("/dev/shm");
    for (int step = 0; step < 3; ++step) {
      Age(dir_->path());
      ASSERT_TRUE(Save(*dir_ / "m", BigModel(step)).ok());
    }
    const std::vector<std::string> spares = FilesIn(*dir_, ".tempstate");
    ASSERT_EQ(spares.size(), 1u);
    spare_ = spares[0];
  }
  // Saves again. Reports whether the spare became the data file of that checkpoint.
  bool NextSaveTakesIt() {
    const uint64_t inode = InodeOf(spare_);
    Age(dir_->path());
    EXPECT_TRUE(Save(*dir_ / "m", BigModel(3)).ok());
    EXPECT_TRUE(Load(*dir_ / "m", {"big"}).value()[0].BitwiseEquals(BigModel(3)[0].second));
    return InodeOf(*dir_ / "m.data-00003-of-00004") == inode;
  }
  std::optional<ScratchDir> dir_;
  std::string spare_;
};

TEST_F(SpareTest, TheDataFileBeforeThePreviousOneIsReused) {
  EXPECT_TRUE(NextSaveTakesIt());
  EXPECT_EQ(GetFileIdentity(*dir_ / "m.data-00003-of-00004")->size, 300'000u * 4);
  EXPECT_EQ(FilesIn(*dir_, ".data").size(), 3u);
}

TEST_F(SpareTest, ASmallerCheckpointTruncatesIt) {
  ASSERT_TRUE(Save(*dir_ / "m", Model(3)).ok());
  EXPECT_EQ(ReadStep(*dir_ / "m").value(), 3);
  EXPECT_LT(GetFileIdentity(*dir_ / "m.data-00003-of-00004")->size, 300'000u);
}

TEST_F(SpareTest, NotWhileItIsOpenElsewhere) {
  const std::string before = ReadFile(spare_).value();
  RandomAccessFile reader = RandomAccessFile::Open(spare_).value();
  EXPECT_FALSE(NextSaveTakesIt());
  EXPECT_EQ(reader.Read(0, before.size()).value(), before);
}

TEST_F(SpareTest, NotWhileItIsMappedElsewhere) {
  const std::string before = ReadFile(spare_).value();
  const int fd = open(spare_.c_str(), O_RDONLY | O_CLOEXEC);
  void* map = mmap(nullptr, before.size(), PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  ASSERT_NE(map, MAP_FAILED);
  EXPECT_FALSE(NextSaveTakesIt());
  EXPECT_EQ(std::string_view(static_cast<const char*>(map), before.size()), before);
  munmap(map, before.size());
}

TEST_F(SpareTest, NotWhenASecondNameLeadsToIt) {
  const std::string before = ReadFile(spare_).value();
  ASSERT_EQ(link(spare_.c_str(), (*dir_ / "backup").c_str()), 0);
  EXPECT_FALSE(NextSaveTakesIt());
  EXPECT_EQ(ReadFile(*dir_ / "backup").value(), before);
}

TEST(BundleOverwrite, UsesANewDataFileAndKeepsThePreviousOne) {
  ScratchDir dir;
  for (int step = 0; step < 4; ++step) {
    Age(dir.path());
    ASSERT_TRUE(Save(dir / "m", Model(step)).ok());
    EXPECT_EQ(ReadStep(dir / "m").value(), step);
  }
  EXPECT_EQ(
      ListDir(dir.path()).value(),
      (std::vector<std::string>{"m.data-00002-of-00003", "m.data-00003-of-00004", "m.index"}));
}

TEST(BundleOverwrite, AnOpenReaderStaysAtItsStepDuringTheNextSave) {
  ScratchDir dir;
  ASSERT_TRUE(Save(dir / "m", Model(1)).ok());
  BundleReader reader = BundleReader::Open(dir / "m").value();
  ASSERT_TRUE(Save(dir / "m", Model(2)).ok());
  EXPECT_EQ(reader.Read("step")->scalar<int>(), 1);
  for (int step = 3; step < 6; ++step) ASSERT_TRUE(Save(dir / "m", Model(step)).ok());
  EXPECT_EQ(reader.Read("text")->data<std::string>()[0], "1");
}

TEST(BundleOverwrite, AReaderThatIsTooLateFails) {
  ScratchDir dir;
  ASSERT_TRUE(Save(dir / "m", Model(1)).ok());
  BundleReader reader = BundleReader::Open(dir / "m").value();
  for (int step = 2; step < 4; ++step) {
    Age(dir.path());
    ASSERT_TRUE(Save(dir / "m", Model(step)).ok());
  }
  EXPECT_TRUE(IsNotFound(reader.Read("step").status()));
  EXPECT_EQ(ReadStep(dir / "m").value(), 3);
}

TEST(BundleOverwrite, RecentlyReplacedDataIsKeptForReadersUpToALimit) {
  ScratchDir dir(IsDirectory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path());
  auto save_at_once = [&](const NamedTensors& tensors) {
    Age(dir.path(), -3600);
    ASSERT_TRUE(Save(dir / "m", tensors).ok());
  };
  save_at_once({{"step", Tensor(1)}});
  BundleReader reader = BundleReader::Open(dir / "m").value();
  for (int step = 2; step < 10; ++step) save_at_once({{"step", Tensor(step)}});
  EXPECT_EQ(reader.Read("step")->scalar<int>(), 1);
  for (int step = 10; step < 300; ++step) save_at_once({{"step", Tensor(step)}});
  EXPECT_EQ(FilesIn(dir, ".data").size(), 256u + 2u);
  EXPECT_EQ(Load(dir / "m", {"step"}).value()[0].scalar<int>(), 299);
  // Larger than 16 MiB.
  save_at_once({{"big", Tensor(kFloat, Shape{5 << 20})}});
  EXPECT_EQ(FilesIn(dir, ".data").size(), 2u);
}

TEST(BundleOverwrite, OtherPrefixesAreLeftAlone) {
  ScratchDir dir;
  for (const char* name : {"m", "m-1", "m.data"}) ASSERT_TRUE(Save(dir / name, Model(1)).ok());
  WriteBytes(dir / "m.meta", "meta");
  WriteBytes(dir / "m.data-00001-of-00002.copy", "mine");
  for (int step = 2; step < 6; ++step) ASSERT_TRUE(Save(dir / "m", Model(step)).ok());
  EXPECT_EQ(ReadStep(dir / "m-1").value(), 1);
  EXPECT_EQ(ReadStep(dir / "m.data").value(), 1);
  EXPECT_TRUE(FileExists(dir / "m.meta"));
  EXPECT_TRUE(FileExists(dir / "m.data-00001-of-00002.copy"));
}

TEST(BundleOverwrite, ADamagedIndexIsReplaced) {
  ScratchDir dir;
  ASSERT_TRUE(Save(dir / "m", Model(1)).ok());
  WriteBytes(dir / "m.index", "junk");
  ASSERT_TRUE(Save(dir / "m", Model(2)).ok());
  EXPECT_EQ(ReadStep(dir / "m").value(), 2);
}

TEST(BundleOverwrite, ShardNumbersWrapAroundBeforeTheyExceedFiveDigits) {
  ScratchDir dir;
  ASSERT_TRUE(Save(dir / "m", Model(1)).ok());
  WriteBytes(dir / "m.data-99998-of-99999", "left over");
  for (int step = 2; step < 5; ++step) {
    ASSERT_TRUE(Save(dir / "m", Model(step)).ok());
    EXPECT_EQ(ReadStep(dir / "m").value(), step);
  }
  EXPECT_FALSE(FileExists(dir / "m.data-99999-of-100000"));
}

// TensorFlow's SaveV2 replaces the data, then the index. In between they do not match.
TEST(BundleOverwrite, ReadersWaitForAnOverwriteInPlace) {
  ScratchDir dir;
  ASSERT_TRUE(Save(dir / "m", Model(0)).ok());
  std::jthread other_program([&] {
    for (int step = 1; step <= 20; ++step) {
      const std::string aside = dir / StrCat("aside-", step);
      EXPECT_TRUE(Save(aside, Model(step)).ok());
      EXPECT_TRUE(RenameFile(DataPath(aside), DataPath(dir / "m")).ok());
      std::this_thread::sleep_for(milliseconds(15));
      EXPECT_TRUE(RenameFile(aside + ".index", dir / "m.index").ok());
    }
  });
  int last = 0;
  while (last < 20) {
    StatusOr<int> step = ReadStep(dir / "m");
    ASSERT_TRUE(step.ok()) << step.status().ToString();
    EXPECT_GE(*step, last);
    last = *step;
  }
}

TEST(BundleOverwrite, ReadersInAnotherProcessNeverFailAndNeverSeeAMixture) {
  ScratchDir dir;
  const std::string prefix = dir / "m";
  ASSERT_TRUE(Save(prefix, Model(0)).ok());
  Child writer([&] { SaveForever(prefix, 1, 1); });
  int reads = 0, last = 0, failures = 0;
  const auto begin = Clock::now();
  const auto duration = [&] { return last == 0 ? kPatience : milliseconds(1500); };
  for (; Clock::now() - begin < duration(); ++reads) {
    StatusOr<int> step = ReadStep(prefix);
    failures += !step.ok();
    if (!step.ok()) {
      ADD_FAILURE() << step.status().ToString();
      break;
    }
    EXPECT_GE(*step, last);
    last = *step;
  }
  writer.Kill();
  EXPECT_EQ(failures, 0);
  EXPECT_GT(last, 0);
  RecordProperty("reads", reads);
  RecordProperty("steps", last);
}

TEST(BundleOverwrite, TwoWritersAtOnce) {
  ScratchDir dir;
  const std::string prefix = dir / "m";
  ASSERT_TRUE(Save(prefix, Model(0)).ok());
  Child odd([&] { SaveForever(prefix, 1, 2); });
  Child even([&] { SaveForever(prefix, 2, 2); });
  for (const auto end = Clock::now() + milliseconds(1000); Clock::now() < end;) {
    StatusOr<int> step = ReadStep(prefix);
    ASSERT_TRUE(step.ok()) << step.status().ToString();
  }
  EXPECT_TRUE(odd.alive() && even.alive()) << "a writer ended with an error";
  odd.Kill();
  even.Kill();
  for (int step : {1000001, 1000002, 1000003}) ASSERT_TRUE(Save(prefix, Model(step)).ok());
  EXPECT_EQ(ReadStep(prefix).value(), 1000003);
}

TEST(BundleOverwrite, KilledWritersLeaveAReadableCheckpoint) {
  ScratchDir dir;
  const std::string prefix = dir / "m";
  ASSERT_TRUE(Save(prefix, Model(0)).ok());
  int last = 0;
  constexpr int kRounds = 40;
  for (int round = 1; round <= kRounds; ++round) {
    Child writer([&] { SaveForever(prefix, last + 1, 1); });
    std::this_thread::sleep_for(std::chrono::microseconds(977 * round));
    if (round == kRounds) WaitForAStepAfter(prefix, last);
    writer.Kill();
    StatusOr<int> step = ReadStep(prefix);
    ASSERT_TRUE(step.ok()) << step.status().ToString();
    EXPECT_GE(*step, last);
    last = *step;
  }
  EXPECT_GT(last, 0) << "no save ended before its writer was killed";
  for (int i = 1; i <= 3; ++i) {
    Age(dir.path());
    ASSERT_TRUE(Save(prefix, Model(last + i)).ok());
  }
  int data_files = 0;
  for (const std::string& name : ListDir(dir.path()).value())
    data_files += name.find("tempstate") == name.npos;
  EXPECT_EQ(data_files, 3) << "two data files and an index";
}

TEST(BundleOverwrite, LeftoversOfKilledWritersAreRemoved) {
  ScratchDir dir;
  const std::string stale = dir / "m.data-00000-of-00001.tempstate123.ramet";
  const std::string foreign = dir / "m.index.tempstate456";
  const std::string young = dir / "m.data-00000-of-00001.tempstate789";
  for (const std::string& path : {stale, foreign, young}) WriteBytes(path, "partial");
  const auto age = [](const std::string& path, int seconds) {
    struct timespec times[2] = {{time(nullptr) - seconds, 0}, {time(nullptr) - seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  };
  age(stale, 60);
  age(foreign, 2 * 3600);
  age(young, 60);
  ASSERT_TRUE(Save(dir / "m", Model(1)).ok());
  EXPECT_FALSE(FileExists(stale));
  EXPECT_FALSE(FileExists(foreign));
  EXPECT_TRUE(FileExists(young)) << "another program may be writing it";
}

TEST(BundleOverwrite, FilesOfALiveWriterAreKept) {
  ScratchDir dir;
  BundleWriter slow = BundleWriter::Create(dir / "m").value();
  ASSERT_TRUE(slow.Add("step", Tensor(7)).ok());
  const std::vector<std::string> names = ListDir(dir.path()).value();
  ASSERT_EQ(names.size(), 1u);
  struct timespec times[2] = {{time(nullptr) - 7200, 0}, {time(nullptr) - 7200, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, (dir / names[0]).c_str(), times, 0), 0);
  ASSERT_TRUE(Save(dir / "m", Model(1)).ok());
  ASSERT_TRUE(slow.Finish().ok());
  EXPECT_EQ(Load(dir / "m", {"step"}).value()[0].scalar<int>(), 7);
}

// Limits the size of files that this process writes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_;
};

TEST(BundleOverwrite, WritesThatFailLeaveTheOldCheckpoint) {
  ScratchDir dir;
  ASSERT_TRUE(Save(dir / "m", Model(1)).ok());
  const std::vector<std::string> before = ListDir(dir.path()).value();
  for (rlim_t limit : {0, 100, 5000, 119000, 121000}) {
    FileSizeLimit limited(limit);
    const Status status = Save(dir / "m", Model(2));
    EXPECT_EQ(status.ok(), limit == 121000) << limit << status.ToString();
    EXPECT_EQ(ListDir(dir.path()).value() == before, !status.ok()) << limit;
    EXPECT_EQ(ReadStep(dir / "m").value(), status.ok() ? 2 : 1);
  }
}

// The index is larger than the data, so it is the index that does not fit.
TEST(BundleOverwrite, AnIndexThatDoesNotFitLeavesTheOldCheckpoint) {
  ScratchDir dir;
  NamedTensors many;
  for (int i = 0; i < 2000; ++i) many.emplace_back(StrCat("variable_", 1000 + i), Tensor(true));
  ASSERT_TRUE(Save(dir / "m", many).ok());
  const std::vector<std::string> before = ListDir(dir.path()).value();
  const std::string index = ReadFile(dir / "m.index").value();
  {
    FileSizeLimit limited(10000);
    EXPECT_FALSE(Save(dir / "m", many).ok());
  }
  EXPECT_EQ(ListDir(dir.path()).value(), before);
  EXPECT_EQ(ReadFile(dir / "m.index").value(), index);
  ExpectSame(LoadAll(dir / "m").value(), many);
}

}  // namespace
}  // namespace ramet
