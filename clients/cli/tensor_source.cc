#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>

#include "model_file.h"
#include "npz.h"
#include "tensors.h"

namespace cli {
namespace {

namespace rm = ramet;

void SortByName(std::vector<TensorInfo>* infos) {
  std::ranges::sort(*infos, {}, &TensorInfo::name);
}

// Returns the size of the elements; 0 for strings, whose lengths are unknown, and if the size
// overflows.
int64_t BytesOf(rm::DType dtype, const rm::Shape& shape) {
  int64_t bytes;
  const auto size = static_cast<int64_t>(rm::DTypeSize(dtype));
  return rm::MultiplyNonNegative(shape.num_elements(), size, &bytes) ? bytes : 0;
}

class CheckpointSource final : public TensorSource {
 public:
  explicit CheckpointSource(rm::CheckpointReader reader) : reader_(std::move(reader)) {}
  rm::StatusOr<std::vector<TensorInfo>> List() override {
    RAMET_ASSIGN_OR_RETURN(const auto tensors, reader_.List());
    std::vector<TensorInfo> infos;
    for (const rm::CheckpointTensor& t : tensors) {
      infos.push_back({t.name, t.dtype, t.shape, t.stored_bytes, t.slices.size()});
      if (t.stored_bytes == 0) infos.back().bytes = BytesOf(t.dtype, t.shape);
    }
    return infos;
  }
  rm::StatusOr<rm::Tensor> Read(const std::string& name) override { return reader_.Read(name); }
  rm::StatusOr<rm::Tensor> ReadSlice(const std::string& name,
                                     const rm::TensorSlice& slice) override {
    return reader_.ReadSlice(name, slice);
  }
  std::string format() const override {
    return reader_.format() == rm::CheckpointFormat::kV2 ? "v2" : "v1";
  }
  rm::BundleReader* bundle() override { return reader_.bundle(); }

 private:
  rm::CheckpointReader reader_;
};

class SafetensorsSource final : public TensorSource {
 public:
  explicit SafetensorsSource(rm::SafetensorsReader reader) : reader_(std::move(reader)) {}
  rm::StatusOr<std::vector<TensorInfo>> List() override {
    std::vector<TensorInfo> infos;
    for (const auto& e : reader_.entries()) {
      infos.push_back({e.name, e.dtype, e.shape, BytesOf(e.dtype, e.shape)});
    }
    SortByName(&infos);
    return infos;
  }
  rm::StatusOr<rm::Tensor> Read(const std::string& name) override { return reader_.Read(name); }
  std::string format() const override { return "safetensors"; }

 private:
  rm::SafetensorsReader reader_;
};

class NpzSource final : public TensorSource {
 public:
  explicit NpzSource(NpzReader reader) : reader_(std::move(reader)) {}
  rm::StatusOr<std::vector<TensorInfo>> List() override {
    std::vector<TensorInfo> infos;
    for (const auto& m : reader_.members()) {
      infos.push_back({m.name, m.dtype, m.shape, BytesOf(m.dtype, m.shape)});
    }
    SortByName(&infos);
    return infos;
  }
  rm::StatusOr<rm::Tensor> Read(const std::string& name) override { return reader_.Read(name); }
  rm::Status Verify(const std::string& name) override { return reader_.Verify(name); }
  std::string format() const override { return "npz"; }

 private:
  NpzReader reader_;
};

template <class Source, class Reader>
rm::StatusOr<std::unique_ptr<TensorSource>> Make(rm::StatusOr<Reader> reader) {
  if (!reader.ok()) return reader.status();
  return std::unique_ptr<TensorSource>(std::make_unique<Source>(*std::move(reader)));
}

// The constants of a frozen graph.
class GraphSource final : public TensorSource {
 public:
  static rm::StatusOr<std::unique_ptr<TensorSource>> Open(const std::string& path) {
    auto source = std::make_unique<GraphSource>();
    RAMET_RETURN_IF_ERROR(rm::ImportGraphDefFile(source->graph_, path, {.name = ""}).status());
    for (const rm::Operation& op : source->graph_.operations()) {
      if (op.type() == "Const") source->constants_[op.name()] = op;
    }
    return std::unique_ptr<TensorSource>(std::move(source));
  }
  rm::StatusOr<std::vector<TensorInfo>> List() override {
    std::vector<TensorInfo> infos;
    for (const auto& [name, op] : constants_) {
      RAMET_ASSIGN_OR_RETURN(const rm::Tensor value, op.attr<rm::Tensor>("value"));
      infos.push_back({name, value.dtype(), value.shape(), static_cast<int64_t>(value.bytes())});
    }
    return infos;
  }
  rm::StatusOr<rm::Tensor> Read(const std::string& name) override {
    const auto found = constants_.find(name);
    if (found == constants_.end()) return rm::NotFound("the graph has no constant '", name, "'");
    return found->second.attr<rm::Tensor>("value");
  }
  std::string format() const override { return "GraphDef"; }

 private:
  rm::Graph graph_;
  std::map<std::string, rm::Operation> constants_;
};

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
  return session.Run({{x, whole}}, y);
}

rm::StatusOr<std::unique_ptr<TensorSource>> OpenTensors(const std::string& path) {
  RAMET_ASSIGN_OR_RETURN(const ModelFile file, FindModelFile(path));
  using Kind = ModelFile::Kind;
  if (file.kind == Kind::kNpz) return Make<NpzSource>(NpzReader::Open(path));
  if (file.kind == Kind::kSafetensors) {
    return Make<SafetensorsSource>(rm::SafetensorsReader::Open(path));
  }
  if (file.kind == Kind::kGraphDef) return GraphSource::Open(path);
  if (!file.checkpoint.empty()) {
    return Make<CheckpointSource>(rm::CheckpointReader::Open(file.checkpoint));
  }
  return rm::NotFound("'", file.path, "' is ", KindName(file.kind),
                      " without a checkpoint next to it, so its variables have no values");
}

LongWork::LongWork(std::string label, int64_t total)
    : label_(std::move(label)), total_(total), start_(Now()), shown_(isatty(STDERR_FILENO) == 1) {}
LongWork::~LongWork() = default;

void LongWork::Update(int64_t done, const std::string& note) {
  if (!shown_ || (!progress_ && Now() - start_ < 1)) return;
  if (!progress_) {
    progress_ = std::make_unique<rm::Progress>(label_, rm::Progress::Options{.total = total_});
  }
  progress_->Update(done, note);
}

}  // namespace cli
