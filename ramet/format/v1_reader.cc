#include "ramet/format/v1_reader.h"

#include <map>
#include <optional>
#include <utility>

#include "ramet/base/file.h"
#include "ramet/format/bundle_format.h"
#include "ramet/format/slice_assembly.h"
#include "ramet/format/table_reader.h"
#include "ramet/format/v1_format.h"

namespace ramet {
namespace {

// An element takes at least a byte in a record, and snappy compression has at most this ratio.
constexpr uint64_t kMaxElementsPerByte = 22;

constexpr std::string_view kAnyShard = "-\?\?\?\?\?-of-";

// Escapes a checkpoint path that contains pattern characters, except for those of the shard number.
std::string WithoutWildcards(std::string_view pattern) {
  const size_t shard = pattern.rfind(kAnyShard);
  std::string escaped;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool wild = std::string_view("*?[\\").find(pattern[i]) != std::string_view::npos;
    if (wild && i < shard) escaped += '\\';
    escaped += pattern[i];
  }
  return escaped;
}

Status Unopenable(const std::string& path, const Status& status) {
  if (IsNotFound(status)) return status;
  return DataLoss("Unable to open table file ", path, ": ", status,
                  ": perhaps your file is in a different file format and you need to use a "
                  "different restore operator?");
}

Status NoSlices(const std::string& path, std::string_view why) {
  return Internal(
      "Failed to find the saved tensor slices at the beginning of the checkpoint file: ", path,
      " (", why, ")");
}

// A tensor and the locations of its slices.
struct StoredTensor {
  DType dtype = DType::kInvalid;
  Shape shape;
  std::vector<TensorSlice> slices;
  // For each slice, the index of its file.
  std::vector<size_t> files;
  // The boxes of the slices; set once all files are known.
  DisjointBoxes boxes;

  bool whole() const { return slices.size() == 1 && slices[0].Covers(shape); }
  std::vector<TensorSlice> Boxes() const {
    std::vector<TensorSlice> boxes;
    for (const TensorSlice& slice : slices) boxes.push_back(slice.Explicit(shape));
    return boxes;
  }
};

CheckpointTensor ToTensorInfo(const std::string& name, const StoredTensor& stored) {
  CheckpointTensor info;
  info.name = name;
  info.dtype = stored.dtype;
  info.shape = stored.shape;
  if (!stored.whole()) info.slices = stored.slices;
  return info;
}

}  // namespace

class V1Reader::Impl {
 public:
  using Tensors = std::map<std::string, StoredTensor, std::less<>>;

  explicit Impl(std::string pattern) : pattern_(std::move(pattern)) {}
  Status Open();

  const std::string& pattern() const { return pattern_; }
  const std::vector<std::string>& paths() const { return paths_; }
  const Tensors& tensors() const { return tensors_; }
  StatusOr<Tensors::const_iterator> Find(std::string_view name) const;
  StatusOr<Tensor> ReadBox(std::string_view name, const StoredTensor& stored,
                           const TensorSlice& slice, Allocator* allocator);

 private:
  Status OpenFile(const std::string& path);
  Status Register(CheckpointTensor tensor, const std::string& path);
  Status CheckSlices();
  StatusOr<Tensor> ReadRecord(std::string_view name, const StoredTensor& stored, size_t i);
  Status CheckHeld(std::string_view name, const Shape& shape) const;

  std::string pattern_;
  std::vector<std::string> paths_;
  std::vector<TableReader> tables_;
  Tensors tensors_;
};

Status V1Reader::Impl::Open() {
  RAMET_ASSIGN_OR_RETURN(paths_, Glob(pattern_));
  if (paths_.empty()) paths_ = Glob(WithoutWildcards(pattern_)).value_or({});
  if (paths_.empty()) {
    return NotFound(
        "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for ",
        pattern_);
  }
  for (const std::string& path : paths_) RAMET_RETURN_IF_ERROR(OpenFile(path));
  return CheckSlices();
}

Status V1Reader::Impl::OpenFile(const std::string& path) {
  StatusOr<TableReader> table = TableReader::OpenUnpositioned(path);
  if (!table.ok()) return Unopenable(path, table.status());
  if (Status s = table->SeekToFirst(); !s.ok()) return NoSlices(path, s.message());
  if (!table->valid() || !table->key().empty()) return NoSlices(path, "there is no such record");
  StatusOr<std::vector<CheckpointTensor>> meta = DecodeV1Meta(table->value());
  if (IsInternal(meta.status())) return NoSlices(path, "the record is not parseable");
  if (!meta.ok()) return meta.status().WithContext(path);
  table->ReleaseBlock();
  tables_.push_back(*std::move(table));
  for (CheckpointTensor& tensor : *meta) {
    RAMET_RETURN_IF_ERROR(Register(std::move(tensor), path));
  }
  return OkStatus();
}

Status V1Reader::Impl::Register(CheckpointTensor tensor, const std::string& path) {
  if (tensor.slices.empty()) return OkStatus();
  auto [it, is_new] = tensors_.try_emplace(std::move(tensor.name));
  StoredTensor& stored = it->second;
  if (is_new) {
    stored.dtype = tensor.dtype;
    stored.shape = tensor.shape;
  } else if (stored.shape != tensor.shape) {
    return Internal(path, ": Incompatible tensor shapes detected for tensor ", it->first,
                    ": existing = ", stored.shape, ", new = ", tensor.shape);
  } else if (stored.dtype != tensor.dtype) {
    return Internal(path, ": Incompatible tensor types detected for tensor ", it->first,
                    ": existing = ", DTypeName(stored.dtype), ", new = ", DTypeName(tensor.dtype));
  }
  for (TensorSlice& slice : tensor.slices) stored.slices.push_back(std::move(slice));
  stored.files.resize(stored.slices.size(), tables_.size() - 1);
  return OkStatus();
}

Status V1Reader::Impl::CheckSlices() {
  for (auto& [name, stored] : tensors_) {
    StatusOr<DisjointBoxes> boxes = DisjointBoxes::Make(stored.Boxes());
    if (!boxes.ok()) return boxes.status().WithContext(StrCat(pattern_, ": tensor ", name));
    stored.boxes = *std::move(boxes);
  }
  return OkStatus();
}

StatusOr<V1Reader::Impl::Tensors::const_iterator> V1Reader::Impl::Find(
    std::string_view name) const {
  auto found = tensors_.find(name);
  if (found != tensors_.end()) return found;
  constexpr std::string_view kIndex = ".index";
  const bool is_index = tensors_.empty() && pattern_.ends_with(kIndex);
  const std::string prefix = is_index ? pattern_.substr(0, pattern_.size() - kIndex.size()) : "";
  return NotFound("Tensor name \"", name, "\" not found in checkpoint files ", pattern_,
                  is_index ? StrCat("; this is an index file, use the prefix '", prefix, "'") : "");
}

StatusOr<Tensor> V1Reader::Impl::ReadRecord(std::string_view name, const StoredTensor& stored,
                                            size_t i) {
  const TensorSlice& slice = stored.slices[i];
  TableReader& table = tables_[stored.files[i]];
  const std::string where = StrCat(table.file().path(), ": tensor ", name, ", slice '", slice, "'");
  const std::string key = BundleSliceKey(name, slice);
  if (Status sought = table.Seek(key); !sought.ok()) return sought.WithContext(where);
  if (!table.valid() || table.key() != key) return DataLoss(where, ": there is no record of it");
  RAMET_ASSIGN_OR_RETURN(const Shape shape, slice.ShapeIn(stored.shape));
  StatusOr<Tensor> tensor = DecodeV1Slice(table.value(), stored.dtype, shape);
  // A block of many small records stays for the next ones, one of a large record does not.
  if (table.value().size() > table.block_bytes() / 2) table.ReleaseBlock();
  return tensor.ok() ? tensor : tensor.status().WithContext(where);
}

// Disjoint slices have no more elements than the files have bytes.
Status V1Reader::Impl::CheckHeld(std::string_view name, const Shape& shape) const {
  uint64_t bytes = 0;
  for (const TableReader& table : tables_) bytes += table.file().size();
  const uint64_t elements = static_cast<uint64_t>(shape.num_elements());
  if (elements / kMaxElementsPerByte <= bytes) return OkStatus();
  return DataLoss(pattern_, ": tensor ", name, " of shape ", shape, " needs more than the ", bytes,
                  " bytes that the files have");
}

StatusOr<Tensor> V1Reader::Impl::ReadBox(std::string_view name, const StoredTensor& stored,
                                         const TensorSlice& slice, Allocator* allocator) {
  RAMET_ASSIGN_OR_RETURN(const Shape shape, slice.ShapeIn(stored.shape));
  const TensorSlice box = slice.Explicit(stored.shape);
  const DisjointBoxes& boxes = stored.boxes;
  const std::vector<size_t> needed = boxes.Needed(box);
  int64_t covered = 0;
  for (const size_t i : needed) covered += CommonElements(boxes[i], box);
  if (covered != shape.num_elements()) {
    return InvalidArgument("Error copying slice data: the checkpoint files ", pattern_,
                           " do not have sufficient slices of tensor ", name,
                           " to restore slice_spec: ", slice);
  }
  RAMET_RETURN_IF_ERROR(CheckHeld(name, shape));
  std::optional<Tensor> result;
  for (const size_t i : needed) {
    RAMET_ASSIGN_OR_RETURN(Tensor part, ReadRecord(name, stored, i));
    if (boxes[i] == box && allocator == HostAllocator()) return part;
    if (!result) {
      RAMET_ASSIGN_OR_RETURN(result, Tensor::Allocate(stored.dtype, shape, allocator));
    }
    CopyOverlap(part, boxes[i], box, &*result);
  }
  if (result) return *std::move(result);
  return Tensor::Allocate(stored.dtype, shape, allocator);
}

V1Reader::V1Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
V1Reader::V1Reader(V1Reader&&) noexcept = default;
V1Reader& V1Reader::operator=(V1Reader&&) noexcept = default;
V1Reader::~V1Reader() = default;

StatusOr<V1Reader> V1Reader::Open(const std::string& pattern) {
  auto impl = std::make_unique<Impl>(pattern);
  RAMET_RETURN_IF_ERROR(impl->Open());
  return V1Reader(std::move(impl));
}

const std::string& V1Reader::pattern() const { return impl_->pattern(); }
const std::vector<std::string>& V1Reader::paths() const { return impl_->paths(); }

std::vector<CheckpointTensor> V1Reader::List() const {
  std::vector<CheckpointTensor> list;
  for (const auto& [name, stored] : impl_->tensors()) list.push_back(ToTensorInfo(name, stored));
  return list;
}

bool V1Reader::Has(std::string_view name) const { return impl_->tensors().contains(name); }

StatusOr<CheckpointTensor> V1Reader::Find(std::string_view name) const {
  RAMET_ASSIGN_OR_RETURN(const auto found, impl_->Find(name));
  return ToTensorInfo(found->first, found->second);
}

StatusOr<Tensor> V1Reader::Read(std::string_view name, Allocator* allocator) {
  RAMET_ASSIGN_OR_RETURN(const auto found, impl_->Find(name));
  const TensorSlice whole = TensorSlice::Whole(found->second.shape.rank());
  return impl_->ReadBox(name, found->second, whole, allocator);
}

StatusOr<Tensor> V1Reader::ReadSlice(std::string_view name, const TensorSlice& slice,
                                     Allocator* allocator) {
  RAMET_ASSIGN_OR_RETURN(const auto found, impl_->Find(name));
  return impl_->ReadBox(name, found->second, slice, allocator);
}

}  // namespace ramet
