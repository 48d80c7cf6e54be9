#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "npz.h"
#include "tensors.h"

namespace cli {
namespace {

namespace rm = ramet;
namespace fs = std::filesystem;

void SortByName(std::vector<TensorInfo>* infos) {
  std::ranges::sort(*infos, {}, &TensorInfo::name);
}

class CheckpointSource final : public TensorSource {
 public:
  explicit CheckpointSource(rm::CheckpointReader reader) : reader_(std::move(reader)) {}
  rm::StatusOr<std::vector<TensorInfo>> List() override {
    RAMET_ASSIGN_OR_RETURN(const auto tensors, reader_.List());
    std::vector<TensorInfo> infos;
    for (const rm::CheckpointTensor& t : tensors) infos.push_back({t.name, t.dtype, t.shape});
    return infos;
  }
  rm::StatusOr<rm::Tensor> Read(const std::string& name) override { return reader_.Read(name); }
  rm::StatusOr<rm::Tensor> ReadSlice(const std::string& name,
                                     const rm::TensorSlice& slice) override {
    return reader_.ReadSlice(name, slice);
  }

 private:
  rm::CheckpointReader reader_;
};

class SafetensorsSource final : public TensorSource {
 public:
  explicit SafetensorsSource(rm::SafetensorsReader reader) : reader_(std::move(reader)) {}
  rm::StatusOr<std::vector<TensorInfo>> List() override {
    std::vector<TensorInfo> infos;
    for (const auto& e : reader_.entries()) infos.push_back({e.name, e.dtype, e.shape});
    SortByName(&infos);
    return infos;
  }
  rm::StatusOr<rm::Tensor> Read(const std::string& name) override { return reader_.Read(name); }

 private:
  rm::SafetensorsReader reader_;
};

class NpzSource final : public TensorSource {
 public:
  explicit NpzSource(NpzReader reader) : reader_(std::move(reader)) {}
  rm::StatusOr<std::vector<TensorInfo>> List() override {
    std::vector<TensorInfo> infos;
    for (const auto& m : reader_.members()) infos.push_back({m.name, m.dtype, m.shape});
    SortByName(&infos);
    return infos;
  }
  rm::StatusOr<rm::Tensor> Read(const std::string& name) override { return reader_.Read(name); }

 private:
  NpzReader reader_;
};

template <class Source, class Reader>
rm::StatusOr<std::unique_ptr<TensorSource>> Make(rm::StatusOr<Reader> reader) {
  if (!reader.ok()) return reader.status();
  return std::unique_ptr<TensorSource>(std::make_unique<Source>(*std::move(reader)));
}

// A sorted table, which a V1 checkpoint's file is, says so in its last eight bytes.
bool EndsAsTable(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  char end[8] = {};
  if (!file || file.tellg() < 8 || !file.seekg(-8, std::ios::end).read(end, 8)) return false;
  return std::string_view(end, 8) == "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
}

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

rm::StatusOr<rm::Tensor> TensorSource::ReadSlice(const std::string& name,
                                                 const rm::TensorSlice& slice) {
  RAMET_ASSIGN_OR_RETURN(const rm::Tensor whole, Read(name));
  RAMET_RETURN_IF_ERROR(slice.ShapeIn(whole.shape()).status());
  std::vector<int64_t> begin, size;
  for (const auto& extent : slice.extents()) {
    begin.push_back(extent.whole() ? 0 : extent.start);
    size.push_back(extent.whole() ? -1 : extent.length);
  }
  rm::Graph graph;
  const rm::Output x = rm::Scope(graph).Placeholder("x", whole.dtype());
  const rm::Output y =
      rm::Slice(x, rm::Tensor::Vector(std::move(begin)), rm::Tensor::Vector(std::move(size)));
  RAMET_ASSIGN_OR_RETURN(rm::Session session, rm::Session::Create(graph));
  RAMET_ASSIGN_OR_RETURN(auto values, session.Run({{x, whole}}, y));
  return values[0];
}

bool IsCheckpoint(const std::string& path) {
  if (rm::BundleExists(path)) return true;
  if (fs::is_regular_file(path)) return EndsAsTable(path);
  return path.find_first_of("*?[") != std::string::npos;
}

rm::StatusOr<std::unique_ptr<TensorSource>> OpenTensors(const std::string& path) {
  const std::string index = ".index";
  if (path.ends_with(index)) {
    return OpenTensors(path.substr(0, path.size() - index.size()));
  }
  if (IsCheckpoint(path)) return Make<CheckpointSource>(rm::CheckpointReader::Open(path));
  if (!fs::is_regular_file(path)) {
    return rm::NotFound("there is no file '", path, "' and no checkpoint '", path, ".index'");
  }
  char start[4] = {};
  std::ifstream(path, std::ios::binary).read(start, sizeof(start));
  const std::string_view magic(start, sizeof(start));
  const bool zip = magic == "PK\3\4" || magic == "PK\5\6";
  if (zip) return Make<NpzSource>(NpzReader::Open(path));
  return Make<SafetensorsSource>(rm::SafetensorsReader::Open(path));
}

LongWork::LongWork(std::string label, int64_t total)
    : label_(std::move(label)), total_(total), start_(Now()) {}
LongWork::~LongWork() = default;

void LongWork::Update(int64_t done, const std::string& note) {
  if (!progress_ && Now() - start_ < 1) return;
  if (!progress_) {
    progress_ = std::make_unique<rm::Progress>(label_, rm::Progress::Options{.total = total_});
  }
  progress_->Update(done, note);
}

}  // namespace cli
