// Benchmarks of checkpoints in /dev/shm (or the folder RAMET_BENCH_DIR): a Saver compared with
// plain pwrite and pread of the same bytes. `fresh` writes new files, `existing` overwrites files.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "ramet/base/crc32c.h"
#include "ramet/ramet.h"

namespace ramet {
namespace {

namespace fs = std::filesystem;

struct Size {
  int64_t megabytes;
  int variables;
};
constexpr Size kSizes[] = {{1, 6}, {100, 50}, {1000, 100}};

// An empty temporary folder for one benchmark.
class Folder {
 public:
  Folder() {
    const char* parent = std::getenv("RAMET_BENCH_DIR");
    std::string pattern = StrCat(parent ? parent : "/dev/shm", "/ramet_bench_XXXXXX");
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("cannot create " + pattern);
    path_ = pattern;
  }
  ~Folder() { fs::remove_all(path_); }
  std::string File(const std::string& name) const { return path_ / name; }
  void Empty() const {
    for (const auto& entry : fs::directory_iterator(path_)) fs::remove_all(entry);
  }

 private:
  fs::path path_;
};

// A session whose variables are float matrices with 256 columns.
struct Variables {
  explicit Variables(Size size) {
    Scope s(graph);
    const int64_t rows = size.megabytes * (1 << 20) / 4 / size.variables / 256;
    for (int i = 0; i < size.variables; ++i) {
      s.GetVariable(StrCat("v", i), {rows, 256}, ConstantInit(static_cast<float>(i)));
    }
    saver.emplace(graph, SaverOptions{.max_to_keep = 1});
    session.emplace(Session::Create(graph).value());
    session->InitializeMissing().value();
    bytes = rows * 256 * 4 * size.variables;
  }
  Graph graph;
  std::optional<Saver> saver;
  std::optional<Session> session;
  int64_t bytes;
};

// Memory that has been written to, so that its pages are mapped.
class Bytes {
 public:
  explicit Bytes(size_t n) : data_(new char[n]), size_(n) { std::fill_n(data_.get(), n, 'r'); }
  char* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  std::unique_ptr<char[]> data_;
  size_t size_;
};

void WriteAll(const std::string& path, const Bytes& bytes, int flags) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | flags, 0644);
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::pwrite(fd, bytes.data() + done, bytes.size() - done, done);
    if (n <= 0) throw std::runtime_error("pwrite failed");
    done += n;
  }
  ::close(fd);
}

void FloorWrite(benchmark::State& state, Size size, bool fresh) {
  Folder folder;
  const Bytes bytes(size.megabytes << 20);
  for (auto _ : state) {
    if (fresh) {
      state.PauseTiming();
      folder.Empty();
      state.ResumeTiming();
    }
    WriteAll(folder.File("plain"), bytes, 0);
  }
}

void Save(benchmark::State& state, Size size, bool fresh) {
  Folder folder;
  Variables v(size);
  const std::string prefix = folder.File("model");
  const SaveOptions options{.write_meta_graph = false, .write_state = false};
  for (int i = 0; i < 3 && !fresh; ++i) v.saver->Save(*v.session, prefix, options).value();
  for (auto _ : state) {
    if (fresh) {
      state.PauseTiming();
      folder.Empty();
      state.ResumeTiming();
    }
    v.saver->Save(*v.session, prefix, options).value();
  }
}

void FloorRead(benchmark::State& state, Size size) {
  Folder folder;
  const Bytes bytes(size.megabytes << 20);
  WriteAll(folder.File("plain"), bytes, 0);
  const int fd = ::open(folder.File("plain").c_str(), O_RDONLY);
  constexpr size_t kChunk = 256 << 10;
  for (auto _ : state) {
    uint32_t crc = 0;
    for (size_t done = 0; done < bytes.size(); done += kChunk) {
      const size_t n = std::min(kChunk, bytes.size() - done);
      if (::pread(fd, bytes.data() + done, n, done) != static_cast<ssize_t>(n)) std::abort();
      crc = crc32c::Extend(crc, bytes.data() + done, n);
    }
    benchmark::DoNotOptimize(crc);
  }
  ::close(fd);
}

void Restore(benchmark::State& state, Size size) {
  Folder folder;
  Variables v(size);
  const std::string prefix = v.saver->Save(*v.session, folder.File("model")).value();
  for (auto _ : state) {
    if (Status s = v.saver->Restore(*v.session, prefix); !s.ok()) {
      state.SkipWithError(s.ToString().c_str());
    }
  }
}

void List(benchmark::State& state) {
  Folder folder;
  {
    BundleWriter writer = BundleWriter::Create(folder.File("many")).value();
    for (int i = 0; i < 10000; ++i) {
      writer.Add(StrCat("layer_", i / 10, "/weights_", i % 10), Tensor(1.0f)).IgnoreError();
    }
    writer.Finish().IgnoreError();
  }
  for (auto _ : state) {
    BundleReader reader = BundleReader::Open(folder.File("many")).value();
    benchmark::DoNotOptimize(reader.List().value());
  }
}

[[maybe_unused]] const bool registered = [] {
  for (const Size size : kSizes) {
    const std::string name = StrCat("/megabytes:", size.megabytes);
    const auto add = [&](const std::string& what, auto... args) {
      benchmark::RegisterBenchmark((what + name).c_str(), args...)
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    };
    add("floor/checkpoint_save/fresh", FloorWrite, size, true);
    add("ramet/checkpoint_save/fresh", Save, size, true);
    add("floor/checkpoint_save/existing", FloorWrite, size, false);
    add("ramet/checkpoint_save/existing", Save, size, false);
    add("floor/checkpoint_restore", FloorRead, size);
    add("ramet/checkpoint_restore", Restore, size);
  }
  benchmark::RegisterBenchmark("ramet/checkpoint_list/tensors:10000", List)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace ramet
