// Kills the process of a save at each of its system calls, or lets one of them fail. The old
// checkpoint or the new one must be there, and nothing else may have changed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "models.h"
#include "ramet/ramet.h"
#include "tracer.h"

namespace ramet::faults {
namespace {

namespace fs = std::filesystem;

// Exit statuses of a saving process.
constexpr int kSaved = 0;
constexpr int kFailed = 10;

// A way to save. All of them leave a readable prefix.
struct Way {
  std::string name;
  SaverOptions options;
  bool numbered = false;
  bool meta_graph = false;
};

std::vector<Way> Ways() {
  SaverOptions sharded;
  sharded.sharded = true;
  SaverOptions two;
  two.max_to_keep = 2;
  SaverOptions v1;
  v1.write_version = SaverNames::Format::kV1;
  return {{"plain", {}}, {"sharded", sharded}, {"numbered", two, true, true}, {"v1", v1}};
}

// Creates a folder on a memory file system, where spares are kept.
fs::path NewFolder(const std::string& name) {
  const fs::path memory = "/dev/shm";
  const fs::path parent = ::access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path();
  const fs::path folder = parent / StrCat("ramet_faults_", getpid(), "_", name);
  fs::remove_all(folder);
  fs::create_directory(folder);
  return folder;
}

std::string BytesOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class SaveTest : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (!CanTrace()) GTEST_SKIP() << "this system does not allow tracing child processes";
    folder_ = NewFolder(GetParam().name);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  std::string Prefix() const { return (folder_ / "m").string(); }

  // Saves 1 and 2, then 3 with the fault. Returns an exit status.
  int SaveThree() const {
    Model model(GetParam().options);
    for (int number : {1, 2, 3}) {
      if (!model.Set(number).ok()) return 1;
      SaveOptions options;
      options.write_meta_graph = GetParam().meta_graph;
      if (GetParam().numbered) options.global_step = number;
      if (number == 3) Begin();
      const Status saved = model.saver().Save(model.session(), Prefix(), options).status();
      if (number == 3) End();
      if (number < 3 && !saved.ok()) return 1;
      if (number == 3) return saved.ok() ? kSaved : kFailed;
    }
    return 1;
  }

  void Prepare() {
    for (const auto& entry : fs::directory_iterator(folder_)) fs::remove_all(entry);
    std::ofstream(folder_ / "mine.txt") << "mine";
    std::ofstream(folder_ / "mm.index") << "another one";
    std::ofstream(folder_ / "m.data") << "not a checkpoint";
  }

  // Returns the value in the newest checkpoint according to the state file.
  StatusOr<int> Newest() const {
    RAMET_ASSIGN_OR_RETURN(const auto state, GetCheckpointState(folder_.string()));
    if (!state) return NotFound("the state file does not exist");
    return Model::NumberIn(state->model_checkpoint_path);
  }

  void Check(const Outcome& outcome, const std::string& what) {
    const StatusOr<int> newest = Newest();
    ASSERT_TRUE(newest.ok()) << what << ": " << newest.status().ToString();
    const bool saved = outcome.end == Outcome::End::kExited && outcome.status == kSaved;
    EXPECT_GE(*newest, saved ? 3 : 2) << what;
    EXPECT_LE(*newest, 3) << what;
    EXPECT_EQ(BytesOf(folder_ / "mine.txt"), "mine") << what;
    EXPECT_EQ(BytesOf(folder_ / "mm.index"), "another one") << what;
    EXPECT_EQ(BytesOf(folder_ / "m.data"), "not a checkpoint") << what;
    const int again = RunAside([this] {
      Model model(GetParam().options);
      SaveOptions options;
      options.write_meta_graph = false;
      if (GetParam().numbered) options.global_step = 4;
      if (!model.Set(4).ok()) return 1;
      return model.saver().Save(model.session(), Prefix(), options).ok() ? 0 : 1;
    });
    EXPECT_EQ(again, 0) << what;
    const StatusOr<int> after = Newest();
    EXPECT_TRUE(after.ok() && *after == 4) << what << ": " << after.status().ToString();
  }

  // Injects the fault into one call after another.
  void ForEachCall(Fault fault, uint64_t wanted) {
    Prepare();
    Fault none = fault;
    none.kind = Fault::Kind::kNone;
    const Outcome whole = RunTraced([this] { return SaveThree(); }, none);
    ASSERT_EQ(whole.status, kSaved);
    ASSERT_GT(whole.calls, 0u);
    const uint64_t stride = Stride(whole.calls, wanted);
    for (uint64_t at = 1; at <= whole.calls; at += stride) {
      Prepare();
      fault.at = at;
      const Outcome outcome = RunTraced([this] { return SaveThree(); }, fault);
      const std::string what = StrCat(GetParam().name, ", call ", at, " of ", whole.calls,
                                      " (number ", outcome.call, "), error ", fault.error);
      ASSERT_NE(static_cast<int>(outcome.end), static_cast<int>(Outcome::End::kHung)) << what;
      if (fault.kind != Fault::Kind::kKill) {
        ASSERT_EQ(static_cast<int>(outcome.end), static_cast<int>(Outcome::End::kExited))
            << what << ": signal " << outcome.status;
        ASSERT_TRUE(outcome.status == kSaved || outcome.status == kFailed)
            << what << ": " << outcome.status;
      }
      ASSERT_NO_FATAL_FAILURE(Check(outcome, what));
    }
  }
  fs::path folder_;
};

TEST_P(SaveTest, KilledAtEachCallThatChangesFiles) {
  ForEachCall({.kind = Fault::Kind::kKill, .calls = kChanges}, 40);
}

TEST_P(SaveTest, EachCallThatChangesFilesFails) {
  for (int error : {ENOSPC, EIO}) {
    ForEachCall({.kind = Fault::Kind::kError, .calls = kChanges, .error = error}, 12);
  }
}

TEST_P(SaveTest, EachCallIsInterrupted) {
  ForEachCall({.kind = Fault::Kind::kError, .calls = kWaits, .error = EINTR}, 12);
}

TEST_P(SaveTest, NoMoreDescriptors) {
  ForEachCall({.kind = Fault::Kind::kError, .calls = kOpens, .error = EMFILE, .every_more = 1}, 12);
}

TEST_P(SaveTest, NoMoreThreads) {
  Fault fault{.kind = Fault::Kind::kError, .calls = kThreads, .at = 1, .error = EAGAIN};
  fault.every_more = 1;
  Prepare();
  const Outcome outcome = RunTraced([this] { return SaveThree(); }, fault);
  EXPECT_EQ(static_cast<int>(outcome.end), static_cast<int>(Outcome::End::kExited));
  ASSERT_NO_FATAL_FAILURE(Check(outcome, "no threads"));
}

TEST_P(SaveTest, EachReadAndWriteIsShort) {
  ForEachCall({.kind = Fault::Kind::kShort, .calls = kChanges | kReads}, 12);
}

INSTANTIATE_TEST_SUITE_P(All, SaveTest, ::testing::ValuesIn(Ways()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ramet::faults
