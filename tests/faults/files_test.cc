// SavedModels and safetensors files are written by a process whose system calls fail, are cut short
// or are its last ones. Existing files stay, and every file that can be read is whole.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "models.h"
#include "ramet/ramet.h"
#include "tracer.h"

namespace ramet::faults {
namespace {

namespace fs = std::filesystem;

// Exit statuses of a process that writes.
constexpr int kWritten = 0;
constexpr int kFailed = 10;

// Writes the number 2 into all elements of a SavedModel. Its folder must not exist.
struct SavedModels {
  static constexpr std::string_view kName = "saved_model";
  static Status Prepare(const fs::path&) { return OkStatus(); }
  static Status Write(const fs::path& path) {
    Model model;
    RAMET_RETURN_IF_ERROR(model.Set(2));
    Begin();
    const Status saved = SimpleSave(model.session(), path.string(), {}, {});
    End();
    return saved;
  }
  static StatusOr<int> Read(const fs::path& path) {
    Graph graph;
    Session session = Session::Create(graph).value();
    RAMET_RETURN_IF_ERROR(LoadSavedModel(session, path.string(), {"serve"}).status());
    return Model::NumberIn((path / "variables" / "variables").string());
  }
  // A save that was refused or killed leaves no model.
  static bool MayRemain(int number) { return number == 2; }
  static constexpr bool kMayBeMissing = true;
};

// Writes the number 2 over a file that says 1.
struct Safetensors {
  static constexpr std::string_view kName = "safetensors";
  static Status WriteNumber(const fs::path& path, float number) {
    const Shape shape{Model::kElements};
    std::vector<SafetensorsEntry> entries;
    for (int i = 0; i < Model::kVariables; ++i) {
      entries.push_back({.name = StrCat("v", i), .dtype = kFloat, .shape = shape});
    }
    RAMET_ASSIGN_OR_RETURN(SafetensorsWriter writer,
                           SafetensorsWriter::Create(path.string(), std::move(entries)));
    Tensor value(kFloat, shape);
    for (float& x : value.mutable_flat<float>()) x = number;
    for (int i = 0; i < Model::kVariables; ++i) RAMET_RETURN_IF_ERROR(writer.Add(value));
    return writer.Finish();
  }
  static Status Prepare(const fs::path& path) { return WriteNumber(path, 1); }
  static Status Write(const fs::path& path) {
    Begin();
    const Status written = WriteNumber(path, 2);
    End();
    return written;
  }
  static StatusOr<int> Read(const fs::path& path) {
    RAMET_ASSIGN_OR_RETURN(SafetensorsReader reader, SafetensorsReader::Open(path.string()));
    float number = -1;
    for (int i = 0; i < Model::kVariables; ++i) {
      RAMET_ASSIGN_OR_RETURN(const Tensor value, reader.Read(StrCat("v", i)));
      for (float x : value.flat<float>()) {
        if (number < 0) number = x;
        if (x != number) return DataLoss("mixed: ", x, " and ", number);
      }
    }
    return static_cast<int>(number);
  }
  static bool MayRemain(int number) { return number == 1 || number == 2; }
  static constexpr bool kMayBeMissing = false;
};

template <typename File>
class FilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!CanTrace()) GTEST_SKIP() << "this system lets no process trace its children";
    folder_ = fs::temp_directory_path() / StrCat("ramet_faults_", getpid(), "_", File::kName);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  fs::path Path() const { return folder_ / "model"; }

  void Prepare() {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    std::ofstream(folder_ / "model.txt") << "mine";
    ASSERT_EQ(RunAside([this] { return File::Prepare(Path()).ok() ? 0 : 1; }), 0);
  }
  int WriteInChild() const { return File::Write(Path()).ok() ? kWritten : kFailed; }

  void Check(const Outcome& outcome, const std::string& what) {
    const bool written = outcome.end == Outcome::End::kExited && outcome.status == kWritten;
    constexpr int kUnreadable = 100;
    const int number = RunAside([this] {
      const StatusOr<int> read = File::Read(Path());
      return read.ok() ? *read : kUnreadable;
    });
    if (written) {
      EXPECT_EQ(number, 2) << what;
    } else {
      EXPECT_TRUE(File::MayRemain(number) || (File::kMayBeMissing && number == kUnreadable))
          << what << ": " << number;
    }
    std::string mine;
    std::ifstream(folder_ / "model.txt") >> mine;
    EXPECT_EQ(mine, "mine") << what;
  }

  // Lets the fault happen to one call after the other.
  void ForEachCall(Fault fault, uint64_t wanted) {
    ASSERT_NO_FATAL_FAILURE(Prepare());
    Fault none = fault;
    none.kind = Fault::Kind::kNone;
    const Outcome whole = RunTraced([this] { return WriteInChild(); }, none);
    ASSERT_EQ(whole.status, kWritten);
    ASSERT_GT(whole.calls, 0u);
    const uint64_t stride = Stride(whole.calls, wanted);
    for (uint64_t at = 1; at <= whole.calls; at += stride) {
      ASSERT_NO_FATAL_FAILURE(Prepare());
      fault.at = at;
      const Outcome outcome = RunTraced([this] { return WriteInChild(); }, fault);
      const std::string what = StrCat(File::kName, ", call ", at, " of ", whole.calls, " (number ",
                                      outcome.call, "), error ", fault.error);
      ASSERT_NE(static_cast<int>(outcome.end), static_cast<int>(Outcome::End::kHung)) << what;
      if (fault.kind != Fault::Kind::kKill) {
        ASSERT_EQ(static_cast<int>(outcome.end), static_cast<int>(Outcome::End::kExited))
            << what << ": signal " << outcome.status;
      }
      ASSERT_NO_FATAL_FAILURE(Check(outcome, what));
    }
  }
  fs::path folder_;
};

using FileTypes = ::testing::Types<SavedModels, Safetensors>;
TYPED_TEST_SUITE(FilesTest, FileTypes);

TYPED_TEST(FilesTest, KilledAtEachCallThatChangesFiles) {
  this->ForEachCall({.kind = Fault::Kind::kKill, .calls = kChanges}, 20);
}

TYPED_TEST(FilesTest, EachCallThatChangesFilesFails) {
  for (int error : {ENOSPC, EIO}) {
    this->ForEachCall({.kind = Fault::Kind::kError, .calls = kChanges, .error = error}, 12);
  }
}

TYPED_TEST(FilesTest, EachCallIsInterrupted) {
  this->ForEachCall({.kind = Fault::Kind::kError, .calls = kWaits, .error = EINTR}, 12);
}

TYPED_TEST(FilesTest, DescriptorsAreShort) {
  this->ForEachCall({.kind = Fault::Kind::kError, .calls = kOpens, .error = EMFILE}, 12);
}

TYPED_TEST(FilesTest, EachReadAndWriteIsShort) {
  this->ForEachCall({.kind = Fault::Kind::kShort, .calls = kChanges | kReads}, 12);
}

}  // namespace
}  // namespace ramet::faults
