#include "ramet/format/bundle_writer.h"

#include <map>
#include <utility>

#include "ramet/format/bundle_commit.h"
#include "ramet/format/bundle_data.h"
#include "ramet/format/bundle_files.h"

namespace ramet {

class BundleWriter::Impl {
 public:
  Impl(std::string prefix, TemporaryFile temporary, WritableFile file)
      : prefix_(std::move(prefix)), temporary_(std::move(temporary)), file_(std::move(file)) {}

  Status Add(std::string_view name, const Tensor& tensor);
  Status AddSlice(std::string_view name, const Shape& full_shape, const TensorSlice& slice,
                  const Tensor& tensor);
  Status Finish();

 private:
  Status CheckName(std::string_view name, const Tensor& tensor) const;
  Status Store(std::string key, const Tensor& tensor);

  std::string prefix_;
  TemporaryFile temporary_;
  WritableFile file_;
  SideThread side_;
  std::map<std::string, BundleEntry> entries_;
  Status status_;
};

Status BundleWriter::Impl::CheckName(std::string_view name, const Tensor& tensor) const {
  RAMET_RETURN_IF_ERROR(status_);
  if (name.empty() || IsBundleSliceKey(name)) {
    return InvalidArgument(prefix_,
                           ": a tensor's name in a checkpoint must not be empty nor begin with a "
                           "NUL byte, but is '",
                           PrintableBundleKey(name), "'");
  }
  if (tensor.empty()) return InvalidArgument(prefix_, ": tensor ", name, " holds nothing");
  if (!tensor.host_accessible()) {
    return InvalidArgument(prefix_, ": tensor ", name,
                           " is in device memory; copy it to the host first");
  }
  return OkStatus();
}

Status BundleWriter::Impl::Store(std::string key, const Tensor& tensor) {
  BundleEntry entry;
  Status stored = AppendTensorData(tensor, &file_, &entry, &side_);
  if (IsUnimplemented(stored)) return stored.WithContext(StrCat("key ", PrintableBundleKey(key)));
  status_ = stored;
  RAMET_RETURN_IF_ERROR(status_);
  entries_.emplace(std::move(key), std::move(entry));
  return OkStatus();
}

Status BundleWriter::Impl::Add(std::string_view name, const Tensor& tensor) {
  RAMET_RETURN_IF_ERROR(CheckName(name, tensor));
  std::string key(name);
  if (entries_.contains(key)) return InvalidArgument("Adding duplicate key: ", key);
  return Store(std::move(key), tensor);
}

Status BundleWriter::Impl::AddSlice(std::string_view name, const Shape& full_shape,
                                    const TensorSlice& slice, const Tensor& tensor) {
  RAMET_RETURN_IF_ERROR(CheckName(name, tensor));
  RAMET_ASSIGN_OR_RETURN(const Shape slice_shape, slice.ShapeIn(full_shape));
  if (tensor.shape() != slice_shape) {
    return InvalidArgument("key ", name, ": slice ", slice, " of a tensor of shape ", full_shape,
                           " has shape ", slice_shape, ", but the tensor to save has ",
                           tensor.shape());
  }
  if (slice.Covers(full_shape)) return Add(name, tensor);
  const std::string key(name);
  std::string slice_key = BundleSliceKey(name, slice);
  auto whole = entries_.find(key);
  if (whole != entries_.end() && whole->second.slices.empty()) {
    return InvalidArgument("Adding duplicate key: ", key);
  }
  if (entries_.contains(slice_key)) {
    return InvalidArgument("Adding duplicate key: ", key, ", slice ", slice);
  }
  if (whole != entries_.end() &&
      (whole->second.shape != full_shape || whole->second.dtype != tensor.dtype())) {
    return InvalidArgument("key ", key, ": slice ", slice, " is of a ", DTypeName(tensor.dtype()),
                           full_shape, ", but slices before it of a ",
                           DTypeName(whole->second.dtype), whole->second.shape);
  }
  RAMET_RETURN_IF_ERROR(Store(std::move(slice_key), tensor));
  BundleEntry& entry = entries_[key];
  entry.dtype = tensor.dtype();
  entry.shape = full_shape;
  entry.slices.push_back(slice);
  return OkStatus();
}

Status BundleWriter::Impl::Finish() {
  RAMET_RETURN_IF_ERROR(status_);
  status_ = FailedPrecondition(prefix_, ": Finish was called already");
  RAMET_RETURN_IF_ERROR(file_.Sync());
  RAMET_RETURN_IF_ERROR(file_.Close());
  RAMET_RETURN_IF_ERROR(CommitBundle(prefix_, {&temporary_.path(), 1}, entries_, BundleHeader(),
                                     Retired::kSpareOnMemoryFileSystem));
  temporary_.Renamed();
  return OkStatus();
}

BundleWriter::BundleWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BundleWriter::BundleWriter(BundleWriter&&) noexcept = default;
BundleWriter& BundleWriter::operator=(BundleWriter&&) noexcept = default;
BundleWriter::~BundleWriter() = default;

StatusOr<BundleWriter> BundleWriter::Create(const std::string& prefix) {
  RAMET_RETURN_IF_ERROR(MakeFolderOf(prefix));
  RAMET_ASSIGN_OR_RETURN(const BundleFiles there, FindBundleFiles(prefix));
  std::optional<TemporaryFile> spare = TemporaryFile::TakeSpare(there.temporaries);
  RemoveStaleTemporaries(there.temporaries);
  if (spare) {
    if (auto file = WritableFile::Overwrite(spare->path()); file.ok()) {
      return BundleWriter(std::make_unique<Impl>(prefix, std::move(*spare), std::move(*file)));
    }
  }
  TemporaryFile temporary(BundleDataPath(prefix, 0, 1));
  RAMET_ASSIGN_OR_RETURN(WritableFile file, WritableFile::Create(temporary.path()));
  temporary.Lock();
  return BundleWriter(std::make_unique<Impl>(prefix, std::move(temporary), std::move(file)));
}

Status BundleWriter::Add(std::string_view name, const Tensor& tensor) {
  return impl_->Add(name, tensor);
}
Status BundleWriter::AddSlice(std::string_view name, const Shape& full_shape,
                              const TensorSlice& slice, const Tensor& tensor) {
  return impl_->AddSlice(name, full_shape, slice, tensor);
}
Status BundleWriter::Finish() { return impl_->Finish(); }

}  // namespace ramet
