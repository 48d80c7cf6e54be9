#include "ramet/format/bundle_reader.h"

#include <map>
#include <optional>
#include <utility>

#include "ramet/base/mapped_file.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/format/bundle_box.h"
#include "ramet/format/bundle_data.h"
#include "ramet/format/bundle_index.h"
#include "ramet/format/slice_assembly.h"

namespace ramet {
namespace {

// Keys share prefixes in the index. A list of names is refused if it is this many times larger than
// the index, not counting its first kFreeNameBytes.
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

// A tensor's record, and what was found out about its slices.
struct BundleRecord::Impl {
  std::string name;
  BundleEntry entry;
  std::optional<StatusOr<DisjointBoxes>> boxes;  // of the slices
  std::vector<BundleEntry> slice_entries;        // empty until OpenDataOf has found them all
};

const std::string& BundleRecord::name() const { return impl_->name; }
DType BundleRecord::dtype() const { return impl_->entry.dtype; }
const Shape& BundleRecord::shape() const { return impl_->entry.shape; }

class BundleReader::Impl {
 public:
  using Stored = BundleRecord::Impl;

  Impl(std::string prefix, BundleIndex index)
      : prefix_(std::move(prefix)), index_(std::move(index)) {}

  const std::string& prefix() const { return prefix_; }
  BundleIndex& index() { return index_; }

  StatusOr<std::vector<BundleTensor>> List();
  StatusOr<Tensor> ReadWhole(std::string_view key, const BundleEntry& entry, Allocator* allocator);
  StatusOr<Tensor> ReadBox(Stored& stored, const TensorSlice& slice, Verify verify,
                           Allocator* allocator);
  Status ReadPieces(std::string_view name, const TensorSlice& slice,
                    const std::function<Status(std::string_view)>& sink);
  Status ReadStoredPieces(std::string_view name, std::string_view key, const BundleEntry& entry,
                          const std::function<Status(std::string_view)>& sink);
  StatusOr<MappedTensor> Map(std::string_view name);
  Status OpenDataOf(Stored& stored);
  bool HasDataNewerThanIndex() const;

  // Finds the record of a tensor's name; slice keys are not names. The last record of a tensor in
  // slices is kept, because many slices take long to decode and are read one after another.
  StatusOr<std::shared_ptr<Stored>> FindTensor(std::string_view name) {
    if (IsBundleSliceKey(name)) {
      return NotFound("Key ", PrintableBundleKey(name), " not found in checkpoint");
    }
    if (last_ && last_->name == name) return last_;
    RAMET_ASSIGN_OR_RETURN(BundleEntry entry, index_.Find(name));
    auto stored = std::make_shared<Stored>();
    stored->name = name;
    stored->entry = std::move(entry);
    if (!stored->entry.slices.empty()) last_ = stored;
    return stored;
  }

 private:
  // A stored slice that is needed for a read.
  struct Part {
    std::string key;
    TensorSlice box;
    BundleEntry entry;
  };
  StatusOr<const RandomAccessFile*> DataFile(int shard);
  StatusOr<TensorDataSource> Source(std::string_view key, const BundleEntry& entry);
  StatusOr<BundleEntry> FindSlice(std::string_view name, const BundleEntry& whole,
                                  const TensorSlice& slice, const std::string& key);
  StatusOr<BundleEntry> SliceEntry(const Stored& stored, size_t i, const std::string& key);
  StatusOr<std::vector<Part>> PartsOf(Stored& stored, const TensorSlice& slice,
                                      const TensorSlice& box);
  Status CheckHeld(std::string_view name, DType dtype, const Shape& shape) const;
  StatusOr<Tensor> Assemble(Stored& stored, const TensorSlice& slice, Verify verify,
                            Allocator* allocator);
  Status ReadPart(const Part& part, const TensorSlice& box, Verify verify, Tensor* tensor);

  std::string prefix_;
  BundleIndex index_;
  SideThread side_;
  std::map<int, RandomAccessFile> data_files_;
  std::shared_ptr<Stored> last_;
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
      return ResourceExhausted(index_.file().path(), ": the names of its tensors exceed ", limit,
                               " bytes");
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

StatusOr<Tensor> BundleReader::Impl::ReadBox(Stored& stored, const TensorSlice& slice,
                                             Verify verify, Allocator* allocator) {
  if (StopDue()) return InterruptedStatus();
  const BundleEntry& entry = stored.entry;
  if (!entry.slices.empty()) return Assemble(stored, slice, verify, allocator);
  if (slice.Covers(entry.shape)) return ReadWhole(stored.name, entry, allocator);
  RAMET_ASSIGN_OR_RETURN(const TensorDataSource source, Source(stored.name, entry));
  RAMET_RETURN_IF_ERROR(CheckTensorData(source, entry));
  return ReadTensorBox(source, entry, slice.Explicit(entry.shape), verify, allocator);
}

StatusOr<MappedTensor> BundleReader::Impl::Map(std::string_view name) {
  RAMET_ASSIGN_OR_RETURN(const auto stored, FindTensor(name));
  const BundleEntry& entry = stored->entry;
  if (!entry.slices.empty() || index_.header().big_endian || !IsFlatDType(entry.dtype)) {
    return FailedPrecondition(prefix_, ": tensor ", name,
                              " cannot be mapped, because it is stored in slices, is big-endian or "
                              "holds strings or variants; read it instead");
  }
  RAMET_ASSIGN_OR_RETURN(const TensorDataSource source, Source(name, entry));
  RAMET_RETURN_IF_ERROR(CheckTensorData(source, entry));
  RAMET_ASSIGN_OR_RETURN(
      MappedRange range,
      MappedRange::Map(source.file->path(), source.file->identity(),
                       static_cast<uint64_t>(entry.offset), static_cast<uint64_t>(entry.size)));
  return MappedTensor(prefix_, stored->name, entry, std::move(range));
}

Status BundleReader::Impl::ReadPieces(std::string_view name, const TensorSlice& slice,
                                      const std::function<Status(std::string_view)>& sink) {
  RAMET_ASSIGN_OR_RETURN(const auto stored, FindTensor(name));
  if (!stored->entry.slices.empty()) {
    const std::string key = BundleSliceKey(name, slice);
    RAMET_ASSIGN_OR_RETURN(const BundleEntry entry, FindSlice(name, stored->entry, slice, key));
    return ReadStoredPieces(name, key, entry, sink);
  }
  RAMET_RETURN_IF_ERROR(slice.ShapeIn(stored->entry.shape).status());
  if (slice.Covers(stored->entry.shape)) {
    return ReadStoredPieces(name, stored->name, stored->entry, sink);
  }
  return InvalidArgument("tensor ", name, " is stored whole, not as the slice ", slice);
}

Status BundleReader::Impl::ReadStoredPieces(std::string_view name, std::string_view key,
                                            const BundleEntry& entry,
                                            const std::function<Status(std::string_view)>& sink) {
  RAMET_ASSIGN_OR_RETURN(const TensorDataSource source, Source(key, entry));
  RAMET_RETURN_IF_ERROR(CheckTensorData(source, entry));
  if (IsFlatDType(entry.dtype)) return ReadDataPieces(source, entry, sink);
  return InvalidArgument("tensor ", name, " holds ", DTypeName(entry.dtype),
                         "s, which cannot be read in pieces");
}

StatusOr<BundleEntry> BundleReader::Impl::FindSlice(std::string_view name, const BundleEntry& whole,
                                                    const TensorSlice& slice,
                                                    const std::string& key) {
  StatusOr<BundleEntry> entry = index_.Find(key);
  if (IsNotFound(entry.status())) {
    return DataLoss(index_.file().path(), ": tensor ", name, " should have a slice ", slice,
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

StatusOr<BundleEntry> BundleReader::Impl::SliceEntry(const Stored& stored, size_t i,
                                                     const std::string& key) {
  if (!stored.slice_entries.empty()) return stored.slice_entries[i];
  return FindSlice(stored.name, stored.entry, stored.entry.slices[i], key);
}

// Returns the stored slices that overlap `box`, which they must cover.
StatusOr<std::vector<BundleReader::Impl::Part>> BundleReader::Impl::PartsOf(
    Stored& stored, const TensorSlice& slice, const TensorSlice& box) {
  const std::string& name = stored.name;
  const BundleEntry& entry = stored.entry;
  if (!stored.boxes) {
    std::vector<TensorSlice> all;
    for (const TensorSlice& s : entry.slices) all.push_back(s.Explicit(entry.shape));
    stored.boxes = DisjointBoxes::Make(std::move(all));
  }
  RAMET_RETURN_IF_ERROR(stored.boxes->status().WithContext(StrCat("tensor ", name)));
  const DisjointBoxes& boxes = **stored.boxes;
  std::vector<Part> parts;
  int64_t covered = 0;
  for (const size_t i : boxes.Needed(box)) {
    const int64_t common = CommonElements(boxes[i], box);
    if (common == 0) continue;
    covered += common;
    parts.push_back({BundleSliceKey(name, entry.slices[i]), boxes[i], {}});
    RAMET_ASSIGN_OR_RETURN(parts.back().entry, SliceEntry(stored, i, parts.back().key));
  }
  if (covered == CommonElements(box, box)) return parts;
  return InvalidArgument("Does not have sufficient slices for partitioned tensor ", name,
                         " to restore in slice_spec: ", slice);
}

// Disjoint slices, and therefore their tensor, take no more bytes than the data files have.
Status BundleReader::Impl::CheckHeld(std::string_view name, DType dtype, const Shape& shape) const {
  uint64_t held = 0;
  for (const auto& [shard, file] : data_files_) held += file.size();
  int64_t needed = shape.num_elements();
  const int64_t size = IsFlatDType(dtype) ? static_cast<int64_t>(DTypeSize(dtype)) : 1;
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
  if (IsFlatDType(tensor->dtype()) && IsRunIn(part.box, box, &first)) {
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

StatusOr<Tensor> BundleReader::Impl::Assemble(Stored& stored, const TensorSlice& slice,
                                              Verify verify, Allocator* allocator) {
  const BundleEntry& entry = stored.entry;
  const TensorSlice box = slice.Explicit(entry.shape);
  RAMET_ASSIGN_OR_RETURN(const Shape shape, slice.ShapeIn(entry.shape));
  RAMET_ASSIGN_OR_RETURN(const std::vector<Part> parts, PartsOf(stored, slice, box));
  for (const Part& part : parts) {
    RAMET_ASSIGN_OR_RETURN(const TensorDataSource source, Source(part.key, part.entry));
    RAMET_RETURN_IF_ERROR(CheckTensorData(source, part.entry));
  }
  if (parts.size() == 1 && parts[0].box == box)
    return ReadWhole(parts[0].key, parts[0].entry, allocator);
  RAMET_RETURN_IF_ERROR(CheckHeld(stored.name, entry.dtype, shape));
  RAMET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(entry.dtype, shape, allocator));
  for (const Part& part : parts) RAMET_RETURN_IF_ERROR(ReadPart(part, box, verify, &tensor));
  return tensor;
}

Status BundleReader::Impl::OpenDataOf(Stored& stored) {
  const BundleEntry& entry = stored.entry;
  if (entry.slices.empty()) return DataFile(entry.shard).status();
  if (!stored.slice_entries.empty()) return OkStatus();
  std::vector<BundleEntry> found;
  for (const TensorSlice& slice : entry.slices) {
    RAMET_ASSIGN_OR_RETURN(
        BundleEntry part, FindSlice(stored.name, entry, slice, BundleSliceKey(stored.name, slice)));
    RAMET_RETURN_IF_ERROR(DataFile(part.shard).status());
    found.push_back(std::move(part));
  }
  stored.slice_entries = std::move(found);
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
Status BundleReader::OpenDataOf(const BundleRecord& record) {
  return impl_->OpenDataOf(*record.impl_);
}
bool BundleReader::HasDataNewerThanIndex() const { return impl_->HasDataNewerThanIndex(); }

StatusOr<BundleTensor> BundleReader::Find(std::string_view name) {
  RAMET_ASSIGN_OR_RETURN(const BundleRecord record, FindRecord(name));
  return ToTensorInfo(name, record.impl_->entry);
}

StatusOr<BundleRecord> BundleReader::FindRecord(std::string_view name) {
  RAMET_ASSIGN_OR_RETURN(auto stored, impl_->FindTensor(name));
  return BundleRecord(std::move(stored));
}

StatusOr<Tensor> BundleReader::Read(std::string_view name, Allocator* allocator) {
  RAMET_ASSIGN_OR_RETURN(const BundleRecord record, FindRecord(name));
  return Read(record, allocator);
}

StatusOr<Tensor> BundleReader::Read(const BundleRecord& record, Allocator* allocator) {
  const TensorSlice whole = TensorSlice::Whole(record.shape().rank());
  return impl_->ReadBox(*record.impl_, whole, Verify::kChecksum, allocator);
}

StatusOr<Tensor> BundleReader::ReadSlice(std::string_view name, const TensorSlice& slice,
                                         Allocator* allocator) {
  RAMET_ASSIGN_OR_RETURN(const BundleRecord record, FindRecord(name));
  return ReadSlice(record, slice, allocator);
}

StatusOr<Tensor> BundleReader::ReadSlice(const BundleRecord& record, const TensorSlice& slice,
                                         Allocator* allocator) {
  RAMET_RETURN_IF_ERROR(slice.ShapeIn(record.shape()).status());
  return impl_->ReadBox(*record.impl_, slice, Verify::kChecksum, allocator);
}

StatusOr<Tensor> BundleReader::ReadSliceUnverified(std::string_view name, const TensorSlice& slice,
                                                   Allocator* allocator) {
  RAMET_ASSIGN_OR_RETURN(const auto stored, impl_->FindTensor(name));
  RAMET_RETURN_IF_ERROR(slice.ShapeIn(stored->entry.shape).status());
  return impl_->ReadBox(*stored, slice, Verify::kNothing, allocator);
}

Status BundleReader::ReadPieces(std::string_view name, const TensorSlice& slice,
                                const std::function<Status(std::string_view)>& sink) {
  return impl_->ReadPieces(name, slice, sink);
}

StatusOr<MappedTensor> BundleReader::Map(std::string_view name) { return impl_->Map(name); }

bool BundleExists(const std::string& prefix) { return FileExists(BundleIndexPath(prefix)); }

}  // namespace ramet
