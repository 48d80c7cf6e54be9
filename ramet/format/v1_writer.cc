#include "ramet/format/v1_writer.h"

#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include "ramet/base/file.h"
#include "ramet/base/utf8.h"
#include "ramet/format/bundle_commit.h"
#include "ramet/format/bundle_files.h"
#include "ramet/format/bundle_format.h"
#include "ramet/format/slice_assembly.h"
#include "ramet/format/table_writer.h"
#include "ramet/format/v1_format.h"

namespace ramet {
namespace {

std::string FiveDigits(int64_t number) {
  char digits[24];
  std::snprintf(digits, sizeof(digits), "%05lld", static_cast<long long>(number));
  return digits;
}

}  // namespace

std::string V1ShardPath(std::string_view prefix, int64_t shard, int64_t num_shards) {
  return StrCat(prefix, "-", FiveDigits(shard), "-of-", FiveDigits(num_shards));
}

std::string V1ShardPattern(std::string_view prefix, int64_t num_shards) {
  return StrCat(prefix, "-\?\?\?\?\?-of-", FiveDigits(num_shards));
}

class V1Writer::Impl {
 public:
  explicit Impl(std::string path) : path_(std::move(path)) {}

  Status Add(std::string_view name, DType dtype, const Shape& full_shape, const TensorSlice& slice,
             std::function<StatusOr<Tensor>()> read);
  Status CheckTensor(std::string_view name, const Tensor& tensor) const;
  Status Finish();

 private:
  // A record that Finish will write.
  struct Pending {
    std::string name;
    TensorSlice slice;
    DType dtype = DType::kInvalid;
    Shape shape;
    std::function<StatusOr<Tensor>()> read;
  };
  Status CheckName(std::string_view name, DType dtype) const;
  Status CheckSlices() const;
  std::string Meta() const;
  StatusOr<std::string> Record(Pending& pending) const;
  Status WriteTable(TableWriter* table);

  std::string path_;
  std::map<std::string, CheckpointTensor, std::less<>> tensors_;
  std::map<std::string, Pending> records_;
  bool finished_ = false;
};

Status V1Writer::Impl::CheckName(std::string_view name, DType dtype) const {
  if (finished_) return FailedPrecondition(path_, ": Finish was already called");
  if (name.empty()) return InvalidArgument(path_, ": a tensor's name must not be empty");
  if (!IsUtf8(name)) {  // no reader takes a message with such a name
    return InvalidArgument(path_, ": tensor ", name,
                           ": the name is not UTF-8: V1 checkpoints cannot hold it, V2 can");
  }
  if (IsV1DType(dtype)) return OkStatus();
  return Unimplemented(path_, ": tensor ", name, ": Saving data type ", DTypeName(dtype),
                       " not yet supported: V1 checkpoints cannot hold it, V2 can");
}

Status V1Writer::Impl::CheckTensor(std::string_view name, const Tensor& tensor) const {
  if (tensor.empty()) return InvalidArgument(path_, ": tensor ", name, " holds nothing");
  if (tensor.host_accessible()) return OkStatus();
  return InvalidArgument(path_, ": tensor ", name,
                         " is in device memory; copy it to the host first");
}

Status V1Writer::Impl::Add(std::string_view name, DType dtype, const Shape& full_shape,
                           const TensorSlice& slice, std::function<StatusOr<Tensor>()> read) {
  RAMET_RETURN_IF_ERROR(CheckName(name, dtype));
  RAMET_ASSIGN_OR_RETURN(const Shape shape, slice.ShapeIn(full_shape));
  auto known = tensors_.find(name);
  if (known != tensors_.end() && known->second.shape != full_shape) {
    return Internal("Mismatching shapes: existing tensor = ", known->second.shape,
                    ", trying to add name ", name, ", shape = ", full_shape);
  }
  if (known != tensors_.end() && known->second.dtype != dtype) {
    return Internal("Mismatching types: existing type = ", DTypeName(known->second.dtype),
                    ", trying to add name ", name, ", type = ", DTypeName(dtype));
  }
  Pending pending{std::string(name), slice, dtype, shape, std::move(read)};
  const bool is_new = records_.emplace(BundleSliceKey(name, slice), std::move(pending)).second;
  if (!is_new) {
    return InvalidArgument("Adding duplicate key: ", name,
                           slice.Covers(full_shape) ? "" : StrCat(", slice ", slice));
  }
  CheckpointTensor& tensor = tensors_[std::string(name)];
  tensor.name = name;
  tensor.dtype = dtype;
  tensor.shape = full_shape;
  tensor.slices.push_back(slice);
  return OkStatus();
}

Status V1Writer::Impl::CheckSlices() const {
  for (const auto& [name, tensor] : tensors_) {
    std::vector<TensorSlice> boxes;
    for (const TensorSlice& slice : tensor.slices) boxes.push_back(slice.Explicit(tensor.shape));
    RAMET_RETURN_IF_ERROR(CheckDisjoint(boxes).WithContext(StrCat("tensor ", name)));
  }
  return OkStatus();
}

std::string V1Writer::Impl::Meta() const {
  std::vector<CheckpointTensor> list;
  for (const auto& [name, tensor] : tensors_) list.push_back(tensor);
  return EncodeV1Meta(list);
}

StatusOr<std::string> V1Writer::Impl::Record(Pending& pending) const {
  RAMET_ASSIGN_OR_RETURN(const Tensor tensor, std::exchange(pending.read, nullptr)());
  RAMET_RETURN_IF_ERROR(CheckTensor(pending.name, tensor));
  if (tensor.dtype() != pending.dtype || tensor.shape() != pending.shape) {
    return InvalidArgument(path_, ": tensor ", pending.name, ", slice '", pending.slice,
                           "' was declared as ", DTypeName(pending.dtype), pending.shape,
                           ", but is ", DTypeName(tensor.dtype()), tensor.shape());
  }
  StatusOr<std::string> record = EncodeV1Slice(pending.name, pending.slice, tensor);
  if (record.ok()) return record;
  return record.status().WithContext(StrCat("tensor ", pending.name));
}

Status V1Writer::Impl::WriteTable(TableWriter* table) {
  RAMET_RETURN_IF_ERROR(table->Add("", Meta()));
  for (auto& [key, pending] : records_) {
    RAMET_ASSIGN_OR_RETURN(const std::string record, Record(pending));
    RAMET_RETURN_IF_ERROR(table->Add(key, record));
  }
  return table->Finish();
}

Status V1Writer::Impl::Finish() {
  if (finished_) return FailedPrecondition(path_, ": Finish was already called");
  finished_ = true;
  RAMET_RETURN_IF_ERROR(CheckSlices());
  if (auto there = FindBundleFiles(path_); there.ok()) RemoveStaleTemporaries(there->temporaries);
  TemporaryFile temporary(path_);
  StatusOr<TableWriter> table = TableWriter::Create(temporary.path());
  if (!table.ok()) return table.status();
  temporary.Lock();
  RAMET_RETURN_IF_ERROR(WriteTable(&*table));
  RAMET_RETURN_IF_ERROR(RenameFile(temporary.path(), path_));
  return SyncDir(std::string(Dirname(path_)));
}

V1Writer::V1Writer(std::string path) : impl_(std::make_unique<Impl>(std::move(path))) {}
V1Writer::V1Writer(V1Writer&&) noexcept = default;
V1Writer& V1Writer::operator=(V1Writer&&) noexcept = default;
V1Writer::~V1Writer() = default;

Status V1Writer::Add(std::string_view name, const Tensor& tensor) {
  RAMET_RETURN_IF_ERROR(impl_->CheckTensor(name, tensor));
  return AddSlice(name, tensor.shape(), TensorSlice::Whole(tensor.rank()), tensor);
}

Status V1Writer::AddSlice(std::string_view name, const Shape& full_shape, const TensorSlice& slice,
                          const Tensor& tensor) {
  RAMET_RETURN_IF_ERROR(impl_->CheckTensor(name, tensor));
  RAMET_ASSIGN_OR_RETURN(const Shape shape, slice.ShapeIn(full_shape));
  if (tensor.shape() != shape) {
    return InvalidArgument("key ", name, ": slice ", slice, " of a tensor of shape ", full_shape,
                           " has shape ", shape, ", but the tensor to save has ", tensor.shape());
  }
  return AddSliceLater(name, tensor.dtype(), full_shape, slice,
                       [tensor]() -> StatusOr<Tensor> { return tensor; });
}

Status V1Writer::AddSliceLater(std::string_view name, DType dtype, const Shape& full_shape,
                               const TensorSlice& slice, std::function<StatusOr<Tensor>()> read) {
  return impl_->Add(name, dtype, full_shape, slice, std::move(read));
}

Status V1Writer::Finish() { return impl_->Finish(); }

}  // namespace ramet
