#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "liars.h"
#include "ramet/base/strings.h"
#include "ramet/format/bundle_writer.h"
#include "ramet/format/checkpoint_state.h"

namespace ramet::peers {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kTime = std::chrono::milliseconds(300);
constexpr const char* kNames[] = {
    "checkpoint",          "m-1.index",        "m-1.data-00000-of-00001",    "m-1.meta",
    "m-1.version",         "m-2.index",        "m-2.data-00000-of-00001",    "m-2.version",
    "labels/stable.label", "labels/m-1.index", "m-999999999999999999.index", "m\n-3.index"};

std::string VersionText(Random& random) {
  const std::string text =
      StrCat(R"({"layout":1,"epoch":7,"version":)", random.Number(2), R"(,"index_bytes":)",
             random.Number(200), R"(,"index_crc32c":1,"metrics":{"a":1},"signature":[{"name":"w",)",
             R"("dtype":"float","shape":[)", random.Number(8), ",33]}]}");
  return random.OneIn(2) ? random.Damaged(text) : text;
}

// Replaces a file by something that does not belong there.
void Plant(const std::string& path, Random& random) {
  std::error_code ignored;
  if (random.OneIn(2)) fs::remove_all(path, ignored);
  switch (random.Below(8)) {
    case 0: (void)mkfifo(path.c_str(), 0600); break;
    case 1: fs::create_directory(path, ignored); break;
    case 2: fs::create_symlink("/dev/zero", path, ignored); break;
    case 3: fs::create_symlink(path, path, ignored); break;
    case 4:
      (void)truncate(path.c_str(), static_cast<off_t>(random.Below(1) << random.Below(50)));
      break;
    case 5: {
      const int fd = creat(path.c_str(), 0600);
      (void)!ftruncate(fd, static_cast<off_t>(uint64_t{1} << random.Below(45)));
      close(fd);
      break;
    }
    case 6: AtomicWriteFile(path, VersionText(random)).IgnoreError(); break;
    default: {
      const auto before = ReadRegularFile(path, uint64_t{1} << 20);
      AtomicWriteFile(path, random.Damaged(before.value_or("model_checkpoint_path: \"m-1\"")))
          .IgnoreError();
    }
  }
}

Status Save(const std::string& folder, uint64_t number) {
  const std::string prefix = StrCat(folder, "/m-", number);
  RAMET_ASSIGN_OR_RETURN(BundleWriter writer, BundleWriter::Create(prefix));
  for (const VariableSpec& spec : Signature()) {
    RAMET_ASSIGN_OR_RETURN(Tensor value, Tensor::Allocate(spec.dtype, spec.shape));
    RAMET_RETURN_IF_ERROR(writer.Add(spec.name, value));
  }
  RAMET_RETURN_IF_ERROR(writer.Finish());
  RAMET_RETURN_IF_ERROR(AtomicWriteFile(prefix + ".meta", "graph"));
  CheckpointStateInfo state;
  state.model_checkpoint_path = prefix;
  return WriteCheckpointState(folder, state);
}

}  // namespace

void MakeFolder(const std::string& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  CreateDirs(JoinPath(folder, "labels")).IgnoreError();
  Save(folder, 1).IgnoreError();
}

void LieAsFolder(const std::string& folder, Random random) {
  const auto end = Clock::now() + kTime;
  for (uint64_t number = 2; Clock::now() < end;) {
    const std::string name = kNames[random.Below(std::size(kNames))];
    if (random.OneIn(4)) {
      Save(folder, number++).IgnoreError();
    } else {
      Plant(JoinPath(folder, name), random);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random.Below(12)));
  }
}

}  // namespace ramet::peers
