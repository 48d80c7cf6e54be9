#include "ramet/format/bundle_reader.h"

#include <map>
#include <utility>

#include "ramet/base/crc32c.h"
#include "ramet/base/mapped_file.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/format/bundle_box.h"
#include "ramet/format/bundle_data.h"
#include "ramet/format/bundle_index.h"
#include "ramet/format/slice_assembly.h"

namespace ramet {
namespace {

// Keys may share prefixes in the index; a list of them is refused when it is this much longer.
constexpr uint64_t kMaxNameExpansion = 64;
constexpr uint64_t kFreeNameBytes = 1 << 20;

BundleTensor ToTensorInfo(std::string_view name, BundleEntry entry) {
  BundleTensor info;
  info.name = name;
  info.dtype = entry.dtype;
  info.stored_bytes = entry.slices.empty() ? entry.size : 0;
  info.shape = std::move(entry.shape);
  info.slices = std::move(entry.slices);
  return info;
}

}  // namespace

class MappedTensor::Impl {
 public:
  Impl(std::string prefix, std::string name, BundleEntry entry, MappedRange range)
      : prefix_(std::move(prefix)),
        name_(std::move(name)),
        entry_(std::move(entry)),
        range_(std::move(range)) {}
  const BundleEntry& entry() const { return entry_; }
  const MappedRange& range() const { return range_; }

  Status Verify() const {
    const uint32_t crc = crc32c::Value(range_.bytes());
    RAMET_RETURN_IF_ERROR(range_.CheckIntact());
    if (crc == crc32c::Unmask(entry_.masked_crc)) return OkStatus();
    return ChecksumMismatch(prefix_, name_, entry_, crc);
  }

 private:
  std::string prefix_;
  std::string name_;
  BundleEntry entry_;
  MappedRange range_;
};

MappedTensor::MappedTensor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MappedTensor::MappedTensor(MappedTensor&&) noexcept = default;
MappedTensor& MappedTensor::operator=(MappedTensor&&) noexcept = default;
MappedTensor::~MappedTensor() = default;
DType MappedTensor::dtype() const { return impl_->entry().dtype; }
const Shape& MappedTensor::shape() const { return impl_->entry().shape; }
std::string_view MappedTensor::bytes() const { return impl_->range().bytes(); }
Status MappedTensor::CheckIntact() const { return impl_->range().CheckIntact(); }
Status MappedTensor::Verify() const { return impl_->Verify(); }

class BundleReader::Impl {
 public:
  Impl(std::string prefix, BundleIndex index)
      : prefix_(std::move(prefix)), index_(std::move(index)) {}

  const std::string& prefix() const { return prefix_; }
  BundleIndex& index() { return index_; }

  StatusOr<std::vector<BundleTensor>> List();
  StatusOr<Tensor> ReadWhole(std::string_view key, const BundleEntry& entry, Allocator* allocator);
  StatusOr<Tensor> ReadBox(std::string_view name, const BundleEntry& entry,
                           const TensorSlice& slice, Verify verify, Allocator* allocator);
  Status ReadPieces(std::string_view name, const TensorSlice& slice,
                    const std::function<Status(std::string_view)>& sink);
  StatusOr<std::unique_ptr<MappedTensor::Impl>> Map(std::string_view name);
  Status OpenDataOf(std::string_view name);
  bool HasDataNewerThanIndex() const;

  // A name's record; slice keys are no names.
  StatusOr<BundleEntry> FindTensor(std::string_view name) {
    if (IsBundleSliceKey(name)) {
      return NotFound("Key ", PrintableBundleKey(name), " not found in checkpoint");
    }
    return index_.Find(name);
  }

 private:
  // A stored slice that a read needs.
  struct Part {
    std::string key;
    TensorSlice box;
    BundleEntry entry;
  };
  StatusOr<const RandomAccessFile*> DataFile(int shard);
  StatusOr<TensorDataSource> Source(std::string_view key, const BundleEntry& entry);
  StatusOr<BundleEntry> FindSlice(std::string_view name, const BundleEntry& whole,
                                  const TensorSlice& slice, const std::string& key);
  StatusOr<std::vector<Part>> PartsOf(std::string_view name, const BundleEntry& entry,
                                      const TensorSlice& slice, const TensorSlice& box);
  Status CheckHeld(std::string_view name, DType dtype, const Shape& shape) const;
  StatusOr<Tensor> Assemble(std::string_view name, const BundleEntry& entry,
                            const TensorSlice& slice, Verify verify, Allocator* allocator);
  Status ReadPart(const Part& part, const TensorSlice& box, Verify verify, Tensor* tensor);

  std::string prefix_;
  BundleIndex index_;
  SideThread side_;
  std::map<int, RandomAccessFile> data_files_;
};

StatusOr<std::vector<BundleTensor>> BundleReader::Impl::List() {
  std::vector<BundleTensor> tensors;
  const uint64_t limit = kMaxNameExpansion * index_.file().size() + kFreeNameBytes;
  uint64_t name_bytes = 0;
  for (Status status = index_.SeekToFirst();; status = index_.Next()) {
    RAMET_RETURN_IF_ERROR(status);
    if (!index_.valid()) return tensors;
    if (IsBundleSliceKey(index_.key())) continue;
    name_bytes += index_.key().size();
    if (name_bytes > limit) {
      return ResourceExhausted(index_.file().path(), ": the names of its tensors take more than ",
                               limit, " bytes");
    }
    RAMET_ASSIGN_OR_RETURN(BundleEntry entry, index_.Entry());
    tensors.push_back(ToTensorInfo(index_.key(), std::move(entry)));
  }
}

StatusOr<const RandomAccessFile*> BundleReader::Impl::DataFile(int shard) {
  auto found = data_files_.find(shard);
  if (found == data_files_.end()) {
    const std::string path = BundleDataPath(prefix_, shard, index_.header().num_shards);
    RAMET_ASSIGN_OR_RETURN(RandomAccessFile file, RandomAccessFile::Open(path));
    found = data_files_.emplace(shard, std::move(file)).first;
  }
  return &found->second;
}

StatusOr<TensorDataSource> BundleReader::Impl::Source(std::string_view key,
                                                      const BundleEntry& entry) {
  RAMET_ASSIGN_OR_RETURN(const RandomAccessFile* file, DataFile(entry.shard));
  return TensorDataSource{file, key, prefix_, index_.header().big_endian, &side_};
}

StatusOr<Tensor> BundleReader::Impl::ReadWhole(std::string_view key, const BundleEntry& entry,
                                               Allocator* allocator) {
  RAMET_ASSIGN_OR_RETURN(const TensorDataSource source, Source(key, entry));
  return ReadTensorData(source, entry, allocator);
}

StatusOr<Tensor> BundleReader::Impl::ReadBox(std::string_view name, const BundleEntry& entry,
                                             const TensorSlice& slice, Verify verify,
                                             Allocator* allocator) {
  if (StopDue()) return InterruptedStatus();
  if (!entry.slices.empty()) return Assemble(name, entry, slice, verify, allocator);
  if (slice.Covers(entry.shape)) return ReadWhole(name, entry, allocator);
  RAMET_ASSIGN_OR_RETURN(const TensorDataSource source, Source(name, entry));
  RAMET_RETURN_IF_ERROR(CheckTensorData(source, entry));
  return ReadTensorBox(source, entry, slice.Explicit(entry.shape), verify, allocator);
}

StatusOr<std::unique_ptr<MappedTensor::Impl>> BundleReader::Impl::Map(std::string_view name) {
  RAMET_ASSIGN_OR_RETURN(BundleEntry entry, FindTensor(name));
  if (!entry.slices.empty() || index_.header().big_endian || entry.dtype == DType::kString) {
    return FailedPrecondition(prefix_, ": tensor ", name,
                              " cannot be mapped, because it is stored in slices, is big-endian or "
                              "holds strings; read it instead");
  }
  RAMET_ASSIGN_OR_RETURN(const TensorDataSource source, Source(name, entry));
  RAMET_RETURN_IF_ERROR(CheckTensorData(source, entry));
  RAMET_ASSIGN_OR_RETURN(
      MappedRange range,
      MappedRange::Map(source.file->path(), source.file->identity(),
                       static_cast<uint64_t>(entry.offset), static_cast<uint64_t>(entry.size)));
  return std::make_unique<MappedTensor::Impl>(prefix_, std::string(name), std::move(entry),
                                              std::move(range));
}

Status BundleReader::Impl::ReadPieces(std::string_view name, const TensorSlice& slice,
                                      const std::function<Status(std::string_view)>& sink) {
  RAMET_ASSIGN_OR_RETURN(BundleEntry entry, FindTensor(name));
  std::string key(name);
  if (!entry.slices.empty()) {
    key = BundleSliceKey(name, slice);
    RAMET_ASSIGN_OR_RETURN(entry, FindSlice(name, entry, slice, key));
  }
  const bool whole = entry.slices.empty() && key == name;
  if (whole) RAMET_RETURN_IF_ERROR(slice.ShapeIn(entry.shape).status());
  if (whole && !slice.Covers(entry.shape)) {
    return InvalidArgument("tensor ", name, " is stored whole, not as the slice ", slice);
  }
  RAMET_ASSIGN_OR_RETURN(const TensorDataSource source, Source(key, entry));
  RAMET_RETURN_IF_ERROR(CheckTensorData(source, entry));
  if (entry.dtype != DType::kString) return ReadDataPieces(source, entry, sink);
  return InvalidArgument("tensor ", name,
                         " holds strings, which have no bytes to be read in pieces");
}

StatusOr<BundleEntry> BundleReader::Impl::FindSlice(std::string_view name, const BundleEntry& whole,
                                                    const TensorSlice& slice,
                                                    const std::string& key) {
  StatusOr<BundleEntry> entry = index_.Find(key);
  if (IsNotFound(entry.status())) {
    return DataLoss(index_.file().path(), ": tensor ", name, " is said to have a slice ", slice,
                    ", but there is no entry for it");
  }
  RAMET_RETURN_IF_ERROR(entry.status());
  RAMET_ASSIGN_OR_RETURN(const Shape shape, slice.ShapeIn(whole.shape));
  if (!entry->slices.empty() || entry->dtype != whole.dtype || entry->shape != shape) {
    return DataLoss(index_.file().path(), ": slice ", slice, " of tensor ", name,
                    " must be a stored ", DTypeName(whole.dtype), shape, ", but its entry says ",
                    DTypeName(entry->dtype), entry->shape,
                    entry->slices.empty() ? "" : ", itself in slices");
  }
  return entry;
}

// The stored slices that overlap `box`; they cover it.
StatusOr<std::vector<BundleReader::Impl::Part>> BundleReader::Impl::PartsOf(
    std::string_view name, const BundleEntry& entry, const TensorSlice& slice,
    const TensorSlice& box) {
  std::vector<TensorSlice> boxes;
  for (const TensorSlice& stored : entry.slices) boxes.push_back(stored.Explicit(entry.shape));
  RAMET_RETURN_IF_ERROR(CheckDisjoint(boxes).WithContext(StrCat("tensor ", name)));
  std::vector<Part> parts;
  int64_t covered = 0;
  for (size_t i = 0; i < boxes.size(); ++i) {
    const int64_t common = CommonElements(boxes[i], box);
    if (common == 0) continue;
    covered += common;
    parts.push_back({BundleSliceKey(name, entry.slices[i]), boxes[i], {}});
    RAMET_ASSIGN_OR_RETURN(parts.back().entry,
                           FindSlice(name, entry, entry.slices[i], parts.back().key));
  }
  if (covered == CommonElements(box, box)) return parts;
  return InvalidArgument("Does not have sufficient slices for partitioned tensor ", name,
                         " to restore in slice_spec: ", slice);
}

// Slices that do not overlap take no more bytes than the data files have, so neither does their
// tensor.
Status BundleReader::Impl::CheckHeld(std::string_view name, DType dtype, const Shape& shape) const {
  uint64_t held = 0;
  for (const auto& [shard, file] : data_files_) held += file.size();
  int64_t needed = shape.num_elements();
  const int64_t size = dtype == DType::kString ? 1 : static_cast<int64_t>(DTypeSize(dtype));
  if (MultiplyNonNegative(needed, size, &needed) && static_cast<uint64_t>(needed) <= held) {
    return OkStatus();
  }
  return DataLoss(prefix_, ": tensor ", name, " of shape ", shape, " needs more than the ", held,
                  " bytes that its data files have");
}

Status BundleReader::Impl::ReadPart(const Part& part, const TensorSlice& box, Verify verify,
                                    Tensor* tensor) {
  RAMET_ASSIGN_OR_RETURN(const TensorDataSource source, Source(part.key, part.entry));
  int64_t first = 0;
  if (tensor->dtype() != DType::kString && IsRunIn(part.box, box, &first)) {
    const int64_t at = first * static_cast<int64_t>(DTypeSize(tensor->dtype()));
    return ReadFlatData(source, part.entry, static_cast<char*>(tensor->raw_data()) + at);
  }
  const TensorSlice common = CommonBox(part.box, box);
  RAMET_ASSIGN_OR_RETURN(
      const Tensor piece,
      ReadTensorBox(source, part.entry, BoxIn(common, part.box), verify, HostAllocator()));
  CopyOverlap(piece, common, box, tensor);
  return OkStatus();
}

StatusOr<Tensor> BundleReader::Impl::Assemble(std::string_view name, const BundleEntry& entry,
                                              const TensorSlice& slice, Verify verify,
                                              Allocator* allocator) {
  const TensorSlice box = slice.Explicit(entry.shape);
  RAMET_ASSIGN_OR_RETURN(const Shape shape, slice.ShapeIn(entry.shape));
  RAMET_ASSIGN_OR_RETURN(const std::vector<Part> parts, PartsOf(name, entry, slice, box));
  for (const Part& part : parts) {
    RAMET_ASSIGN_OR_RETURN(const TensorDataSource source, Source(part.key, part.entry));
    RAMET_RETURN_IF_ERROR(CheckTensorData(source, part.entry));
  }
  if (parts.size() == 1 && parts[0].box == box)
    return ReadWhole(parts[0].key, parts[0].entry, allocator);
  RAMET_RETURN_IF_ERROR(CheckHeld(name, entry.dtype, shape));
  RAMET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(entry.dtype, shape, allocator));
  for (const Part& part : parts) RAMET_RETURN_IF_ERROR(ReadPart(part, box, verify, &tensor));
  return tensor;
}

Status BundleReader::Impl::OpenDataOf(std::string_view name) {
  RAMET_ASSIGN_OR_RETURN(const BundleEntry entry, FindTensor(name));
  if (entry.slices.empty()) return DataFile(entry.shard).status();
  for (const TensorSlice& slice : entry.slices) {
    RAMET_ASSIGN_OR_RETURN(const BundleEntry part,
                           FindSlice(name, entry, slice, BundleSliceKey(name, slice)));
    RAMET_RETURN_IF_ERROR(DataFile(part.shard).status());
  }
  return OkStatus();
}

bool BundleReader::Impl::HasDataNewerThanIndex() const {
  for (const auto& [shard, file] : data_files_) {
    if (file.identity().mtime_ns > index_.file().identity().mtime_ns) return true;
  }
  return false;
}

BundleReader::BundleReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BundleReader::BundleReader(BundleReader&&) noexcept = default;
BundleReader& BundleReader::operator=(BundleReader&&) noexcept = default;
BundleReader::~BundleReader() = default;

StatusOr<BundleReader> BundleReader::Open(const std::string& prefix) {
  RAMET_ASSIGN_OR_RETURN(BundleIndex index, BundleIndex::Open(prefix));
  return BundleReader(std::make_unique<Impl>(prefix, std::move(index)));
}

const std::string& BundleReader::prefix() const { return impl_->prefix(); }
int BundleReader::num_shards() const { return impl_->index().header().num_shards; }
const FileIdentity& BundleReader::index_identity() const {
  return impl_->index().file().identity();
}
StatusOr<std::vector<BundleTensor>> BundleReader::List() { return impl_->List(); }
Status BundleReader::OpenDataOf(std::string_view name) { return impl_->OpenDataOf(name); }
bool BundleReader::HasDataNewerThanIndex() const { return impl_->HasDataNewerThanIndex(); }

StatusOr<BundleTensor> BundleReader::Find(std::string_view name) {
  RAMET_ASSIGN_OR_RETURN(BundleEntry entry, impl_->FindTensor(name));
  return ToTensorInfo(name, std::move(entry));
}

StatusOr<Tensor> BundleReader::Read(std::string_view name, Allocator* allocator) {
  RAMET_ASSIGN_OR_RETURN(const BundleEntry entry, impl_->FindTensor(name));
  const TensorSlice whole = TensorSlice::Whole(entry.shape.rank());
  return impl_->ReadBox(name, entry, whole, Verify::kChecksum, allocator);
}

StatusOr<Tensor> BundleReader::ReadSlice(std::string_view name, const TensorSlice& slice,
                                         Allocator* allocator) {
  RAMET_ASSIGN_OR_RETURN(const BundleEntry entry, impl_->FindTensor(name));
  RAMET_RETURN_IF_ERROR(slice.ShapeIn(entry.shape).status());
  return impl_->ReadBox(name, entry, slice, Verify::kChecksum, allocator);
}

StatusOr<Tensor> BundleReader::ReadSliceUnverified(std::string_view name, const TensorSlice& slice,
                                                   Allocator* allocator) {
  RAMET_ASSIGN_OR_RETURN(const BundleEntry entry, impl_->FindTensor(name));
  RAMET_RETURN_IF_ERROR(slice.ShapeIn(entry.shape).status());
  return impl_->ReadBox(name, entry, slice, Verify::kNothing, allocator);
}

Status BundleReader::ReadPieces(std::string_view name, const TensorSlice& slice,
                                const std::function<Status(std::string_view)>& sink) {
  return impl_->ReadPieces(name, slice, sink);
}

StatusOr<MappedTensor> BundleReader::Map(std::string_view name) {
  RAMET_ASSIGN_OR_RETURN(auto impl, impl_->Map(name));
  return MappedTensor(std::move(impl));
}

bool BundleExists(const std::string& prefix) { return FileExists(BundleIndexPath(prefix)); }

}  // namespace ramet
