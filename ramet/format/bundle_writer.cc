#include "ramet/format/bundle_writer.h"

#include <map>
#include <utility>

#include "ramet/base/pinned_folder.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/format/bundle_commit.h"
#include "ramet/format/bundle_data.h"
#include "ramet/format/bundle_files.h"

namespace ramet {

class BundleWriter::Impl {
 public:
  // `temporary` and `file` are in `folder`.
  Impl(std::string prefix, PinnedFolder folder, TemporaryFile temporary, WritableFile file)
      : prefix_(std::move(prefix)),
        folder_(std::move(folder)),
        temporary_(std::move(temporary)),
        file_(std::move(file)) {}

  Status CheckTensor(std::string_view name, const Tensor& tensor) const;
  // Writes the data and describes it in the entry.
  using Append = std::function<Status(WritableFile* file, BundleEntry* entry, SideThread* side)>;
  Status Add(std::string_view name, const Append& append);
  Status AddSlice(std::string_view name, DType dtype, const Shape& full_shape,
                  const TensorSlice& slice, const Append& append);
  Status Finish();

 private:
  Status CheckName(std::string_view name) const;
  Status Store(std::string key, const Append& append);

  std::string prefix_;
  PinnedFolder folder_;
  TemporaryFile temporary_;
  WritableFile file_;
  SideThread side_;
  std::map<std::string, BundleEntry> entries_;
  Status status_;
};

Status BundleWriter::Impl::CheckName(std::string_view name) const {
  RAMET_RETURN_IF_ERROR(status_);
  if (name.empty() || IsBundleSliceKey(name)) {
    return InvalidArgument(prefix_,
                           ": a tensor's name in a checkpoint must not be empty or begin with a "
                           "NUL byte, but is '",
                           PrintableBundleKey(name), "'");
  }
  return OkStatus();
}

Status BundleWriter::Impl::CheckTensor(std::string_view name, const Tensor& tensor) const {
  RAMET_RETURN_IF_ERROR(CheckName(name));
  if (tensor.empty()) return InvalidArgument(prefix_, ": tensor ", name, " holds nothing");
  if (!tensor.host_accessible()) {
    return InvalidArgument(prefix_, ": tensor ", name,
                           " is in device memory; copy it to the host first");
  }
  return OkStatus();
}

Status BundleWriter::Impl::Store(std::string key, const Append& append) {
  if (StopDue()) return InterruptedStatus();
  BundleEntry entry;
  const uint64_t before = file_.size();
  Status stored = folder_.Original(append(&file_, &entry, &side_));
  if (IsUnimplemented(stored) && file_.size() == before)
    return stored.WithContext(StrCat("key ", PrintableBundleKey(key)));
  status_ = stored;
  RAMET_RETURN_IF_ERROR(status_);
  entries_.emplace(std::move(key), std::move(entry));
  return OkStatus();
}

Status BundleWriter::Impl::Add(std::string_view name, const Append& append) {
  RAMET_RETURN_IF_ERROR(CheckName(name));
  std::string key(name);
  if (entries_.contains(key)) return InvalidArgument("Adding duplicate key: ", key);
  return Store(std::move(key), append);
}

Status BundleWriter::Impl::AddSlice(std::string_view name, DType dtype, const Shape& full_shape,
                                    const TensorSlice& slice, const Append& append) {
  RAMET_RETURN_IF_ERROR(CheckName(name));
  RAMET_RETURN_IF_ERROR(slice.ShapeIn(full_shape).status());
  if (slice.Covers(full_shape)) return Add(name, append);
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
      (whole->second.shape != full_shape || whole->second.dtype != dtype)) {
    return InvalidArgument("key ", key, ": slice ", slice, " is of a ", DTypeName(dtype),
                           full_shape, ", but earlier slices are of a ",
                           DTypeName(whole->second.dtype), whole->second.shape);
  }
  RAMET_RETURN_IF_ERROR(Store(std::move(slice_key), append));
  BundleEntry& entry = entries_[key];
  entry.dtype = dtype;
  entry.shape = full_shape;
  entry.slices.push_back(slice);
  return OkStatus();
}

Status BundleWriter::Impl::Finish() {
  RAMET_RETURN_IF_ERROR(status_);
  status_ = FailedPrecondition(prefix_, ": Finish was already called");
  RAMET_RETURN_IF_ERROR(folder_.Original(file_.Sync()));
  RAMET_RETURN_IF_ERROR(folder_.Original(file_.Close()));
  RAMET_RETURN_IF_ERROR(
      folder_.Original(CommitBundle(folder_.Pin(prefix_), {&temporary_.path(), 1}, entries_,
                                    BundleHeader(), Retired::kSpareOnMemoryFileSystem)));
  temporary_.Renamed();
  return OkStatus();
}

BundleWriter::BundleWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BundleWriter::BundleWriter(BundleWriter&&) noexcept = default;
BundleWriter& BundleWriter::operator=(BundleWriter&&) noexcept = default;
BundleWriter::~BundleWriter() = default;

StatusOr<BundleWriter> BundleWriter::Create(const std::string& prefix) {
  RAMET_RETURN_IF_ERROR(MakeFolderOf(prefix));
  PinnedFolder folder(prefix);
  const std::string pinned = folder.Pin(prefix);
  const StatusOr<BundleFiles> there = FindBundleFiles(pinned);
  if (!there.ok()) return folder.Original(there.status());
  std::optional<TemporaryFile> spare = TemporaryFile::TakeSpare(there->temporaries);
  RemoveStaleTemporaries(there->temporaries);
  if (spare) {
    if (auto file = spare->Overwrite(); file.ok()) {
      return BundleWriter(
          std::make_unique<Impl>(prefix, std::move(folder), std::move(*spare), std::move(*file)));
    }
  }
  TemporaryFile temporary(BundleDataPath(pinned, 0, 1));
  StatusOr<WritableFile> file = WritableFile::CreateNew(temporary.path());
  if (!file.ok()) return folder.Original(file.status());
  temporary.Lock();
  return BundleWriter(
      std::make_unique<Impl>(prefix, std::move(folder), std::move(temporary), std::move(*file)));
}

Status BundleWriter::Add(std::string_view name, const Tensor& tensor) {
  RAMET_RETURN_IF_ERROR(impl_->CheckTensor(name, tensor));
  return impl_->Add(name, [&](WritableFile* file, BundleEntry* entry, SideThread* side) {
    return AppendTensorData(tensor, file, entry, side);
  });
}

Status BundleWriter::AddSlice(std::string_view name, const Shape& full_shape,
                              const TensorSlice& slice, const Tensor& tensor) {
  RAMET_RETURN_IF_ERROR(impl_->CheckTensor(name, tensor));
  RAMET_ASSIGN_OR_RETURN(const Shape slice_shape, slice.ShapeIn(full_shape));
  if (tensor.shape() != slice_shape) {
    return InvalidArgument("key ", name, ": slice ", slice, " of a tensor of shape ", full_shape,
                           " has shape ", slice_shape, ", but the tensor to save has ",
                           tensor.shape());
  }
  return impl_->AddSlice(name, tensor.dtype(), full_shape, slice,
                         [&](WritableFile* file, BundleEntry* entry, SideThread* side) {
                           return AppendTensorData(tensor, file, entry, side);
                         });
}

Status BundleWriter::AddPieces(std::string_view name, DType dtype, const Shape& full_shape,
                               const TensorSlice& slice,
                               const std::function<Status(const TakeBytes&)>& produce) {
  RAMET_ASSIGN_OR_RETURN(const Shape shape, slice.ShapeIn(full_shape));
  return impl_->AddSlice(name, dtype, full_shape, slice,
                         [&](WritableFile* file, BundleEntry* entry, SideThread*) {
                           return AppendTensorPieces(dtype, shape, produce, file, entry);
                         });
}

Status BundleWriter::Finish() { return impl_->Finish(); }

}  // namespace ramet
