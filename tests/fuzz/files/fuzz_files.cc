// Files of every format that the library reads: framing and checksums are mostly right, the content
// is hostile. Each is inspected, listed, read, restored, imported, exported and converted.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <optional>

#include "corpus.h"
#include "formats.h"
#include "memory_meter.h"
#include "ramet/base/file.h"
#include "ramet/base/log.h"
#include "ramet/base/scratch_dir.h"
#include "supervisor.h"
#include "use.h"

namespace ramet::fuzz {
namespace {

constexpr size_t kFreeBytes = size_t{64} << 20;
constexpr size_t kMaxBytesPerByte = 64;
// The limit for deflated formats. A conversion holds the values more than once, and V1 stores a
// byte in four.
constexpr size_t kMaxBytesPerDeflatedByte = 12 * 1032;

struct Format {
  const char* name;
  int weight;
  FileSet (*draw)(Random&);
  void (*use)(FileUse&);
  size_t max_bytes_per_byte = kMaxBytesPerByte;  // 0: any (FileUse::has_graph)
};

const std::vector<Format> kFormats = {
    {"v2", 25, DrawBundle, UseCheckpoint},
    {"v1", 12, DrawV1, UseCheckpoint},
    {"state", 8, DrawStateFile, UseState},
    {"version", 8, DrawVersionFile, UseVersions},
    {"meta", 14, DrawMetaGraph, UseMetaGraph, 0},
    {"saved_model", 10, DrawSavedModel, UseSavedModel, 0},
    {"safetensors", 8, DrawSafetensors, UseSafetensors},
    {"npz", 8, DrawNpz, UseNpz, kMaxBytesPerDeflatedByte},
    {"npy", 3, DrawNpy, UseNpy},
    {"idx", 3, DrawIdx, UseIdx, kMaxBytesPerDeflatedByte},
    {"mnist", 3, DrawMnist, UseMnist, kMaxBytesPerDeflatedByte},
};

const Format* FindFormat(const std::string& name) {
  for (const Format& format : kFormats) {
    if (name == format.name) return &format;
  }
  return nullptr;
}

// Draws one of the formats that `only` and `skip` allow, by weight.
const Format& DrawFormat(const FuzzOptions& options, Random& random) {
  std::vector<const Format*> weighted;
  for (const Format& format : kFormats) {
    const auto named = [&](const std::string& name) { return name == format.name; };
    if (!options.only.empty() && std::ranges::none_of(options.only, named)) continue;
    if (std::ranges::any_of(options.skip, named)) continue;
    weighted.insert(weighted.end(), static_cast<size_t>(format.weight), &format);
  }
  if (weighted.empty()) {
    std::fprintf(stderr, "--only and --skip leave no format\n");
    std::exit(2);
  }
  return *random.Pick(weighted);
}

// Two folders for a case, below the working folder.
struct CaseFolders {
  CaseFolders() : in(std::filesystem::absolute("in")), out(std::filesystem::absolute("out")) {
    for (const std::string& folder : {in, out}) {
      std::filesystem::remove_all(folder);
      std::filesystem::create_directory(folder);
    }
  }
  std::string in, out;
};

void ExerciseFiles(const FileSet& set, const Format& format, Random& random, Progress& progress) {
  progress.Subject(set.format);
  progress.Text(TextOf(set));
  const CaseFolders folders;
  const Status written = WriteFileSet(set, folders.in);
  if (!written.ok()) return progress.Finding("case: " + written.ToString());
  const MemoryMeter memory;
  const std::string path = set.target == "." ? folders.in : JoinPath(folders.in, set.target);
  const bool has_graph = format.max_bytes_per_byte == 0;
  FileUse use{random, progress, path, folders.in, folders.out, has_graph};
  set.format == "graph" ? UseGraph(use) : format.use(use);
  const size_t limit = kFreeBytes + format.max_bytes_per_byte * set.bytes();
  if (!has_graph && memory.PeakBytes() > limit) {
    progress.Finding(StrCat("memory: ", memory.PeakBytes(), " bytes for files of ", set.bytes()));
  }
  progress.Phase("comparing the files");
  const std::string change = ChangeSince(set, folders.in);
  if (!change.empty()) progress.Finding("changed: " + change);
}

void RunCase(const FuzzOptions& options, uint64_t index, Progress& progress) {
  Random random(options.seed, index);
  const Format& format = DrawFormat(options, random);
  progress.Subject(format.name);
  progress.Phase("drawing files");
  std::optional<FileSet> files;
  try {
    files = format.draw(random);
  } catch (const std::bad_alloc&) {
    return progress.Note("the files would be too large");  // see memory_limit.cc
  }
  ExerciseFiles(*files, format, random, progress);
}

// Uses a recorded file set in several ways.
void RunFile(const std::string& path, uint64_t seed, Progress& progress) {
  constexpr uint64_t kTimes = 8;
  progress.Subject(std::filesystem::path(path).stem().string());
  const auto text = ReadFile(path);
  const auto set = text.ok() ? FileSetFromText(*text) : StatusOr<FileSet>(text.status());
  const Format* format =
      set.ok() ? FindFormat(set->format == "graph" ? "meta" : set->format) : nullptr;
  if (format == nullptr) return progress.Finding("corpus: " + set.status().ToString());
  for (uint64_t i = 0; i < kTimes; ++i) {
    Random random(seed, i);
    ExerciseFiles(*set, *format, random, progress);
  }
}

int Main(int argc, char** argv) {
  if (std::filesystem::is_directory("/dev/shm")) setenv("TMPDIR", "/dev/shm", 0);
  SetLogLevel(LogLevel::kOff);
  const FuzzOptions options = ParseFuzzOptions(argc, argv);
  const std::vector<std::string> corpus = CorpusFiles(options.corpus);
  const std::string replay =
      options.replay.empty() ? "" : std::filesystem::absolute(options.replay).string();
  const bool here = options.single_case || !replay.empty();
  const ScratchDir scratch;  // of a case that runs in this process
  if (here && chdir(scratch.path().c_str()) != 0) return 2;
  return Supervise(
      options, corpus,
      [&](uint64_t index, Progress& progress) {
        RunFile(replay.empty() ? corpus[index] : replay, options.seed, progress);
      },
      [&](uint64_t index, Progress& progress) { RunCase(options, index, progress); });
}

}  // namespace
}  // namespace ramet::fuzz

int main(int argc, char** argv) { return ramet::fuzz::Main(argc, argv); }
