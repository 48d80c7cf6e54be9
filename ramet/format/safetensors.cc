#include "ramet/format/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "ramet/base/file.h"
#include "ramet/base/utf8.h"
#include "ramet/format/safetensors_header.h"

namespace ramet {
namespace {

static_assert(std::endian::native == std::endian::little, "bytes are read as they are");

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kMaxHeader = 100'000'000;

Status CheckBools(const std::string& path, const SafetensorsEntry& entry, const Tensor& tensor) {
  if (entry.dtype != DType::kBool) return OkStatus();
  const std::string_view bytes(static_cast<const char*>(tensor.raw_data()), tensor.bytes());
  const size_t bad = bytes.find_first_not_of(std::string_view("\0\1", 2));
  if (bad == bytes.npos) return OkStatus();
  return DataLoss("'", path, "': tensor '", entry.name, "': byte ", bad, " is not a bool");
}

Status CheckName(const std::string& path, const std::string& name) {
  if (!name.empty() && name != "__metadata__" && IsUtf8(name)) return OkStatus();
  return InvalidArgument("'", path, "': invalid tensor name '", name,
                         "'; it must be UTF-8, not empty and not __metadata__");
}

}  // namespace

class SafetensorsReader::Impl {
 public:
  Impl(RandomAccessFile file, SafetensorsHeader header, uint64_t data_at)
      : file_(std::move(file)), header_(std::move(header)), data_at_(data_at) {
    for (size_t i = 0; i < header_.entries.size(); ++i) by_name_[header_.entries[i].name] = i;
  }

  const SafetensorsHeader& header() const { return header_; }

  StatusOr<Tensor> Read(std::string_view name) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) {
      return NotFound("'", file_.path(), "' has no tensor '", name, "'");
    }
    const SafetensorsEntry& entry = header_.entries[found->second];
    RAMET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(entry.dtype, entry.shape));
    RAMET_RETURN_IF_ERROR(file_.Read(data_at_ + entry.begin,
                                     {static_cast<char*>(tensor.raw_data()), tensor.bytes()}));
    RAMET_RETURN_IF_ERROR(CheckBools(file_.path(), entry, tensor));
    return tensor;
  }

 private:
  RandomAccessFile file_;
  SafetensorsHeader header_;
  uint64_t data_at_;
  std::unordered_map<std::string_view, size_t> by_name_;
};

StatusOr<SafetensorsReader> SafetensorsReader::Open(const std::string& path) {
  RAMET_ASSIGN_OR_RETURN(RandomAccessFile file, RandomAccessFile::Open(path));
  if (file.size() < kLengthBytes) {
    return DataLoss("'", path, "' is not a safetensors file: it has ", file.size(), " bytes");
  }
  uint64_t length = 0;
  RAMET_RETURN_IF_ERROR(file.Read(0, {reinterpret_cast<char*>(&length), kLengthBytes}));
  if (length > kMaxHeader || length > file.size() - kLengthBytes) {
    return DataLoss("'", path, "' at offset 0: the header would have ", length,
                    " bytes, but the file has ", file.size(), " and the limit is ", kMaxHeader,
                    "; this is not a safetensors file, or it is truncated");
  }
  RAMET_ASSIGN_OR_RETURN(const std::string json, file.Read(kLengthBytes, length));
  const uint64_t data_at = kLengthBytes + length;
  RAMET_ASSIGN_OR_RETURN(SafetensorsHeader header,
                         ParseSafetensorsHeader(path, json, file.size() - data_at));
  return SafetensorsReader(std::make_unique<Impl>(std::move(file), std::move(header), data_at));
}

SafetensorsReader::SafetensorsReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SafetensorsReader::SafetensorsReader(SafetensorsReader&&) noexcept = default;
SafetensorsReader& SafetensorsReader::operator=(SafetensorsReader&&) noexcept = default;
SafetensorsReader::~SafetensorsReader() = default;
const std::vector<SafetensorsEntry>& SafetensorsReader::entries() const {
  return impl_->header().entries;
}
const std::map<std::string, std::string>& SafetensorsReader::metadata() const {
  return impl_->header().metadata;
}
StatusOr<Tensor> SafetensorsReader::Read(std::string_view name) const { return impl_->Read(name); }

class SafetensorsWriter::Impl {
 public:
  Impl(std::string path, std::vector<SafetensorsEntry> entries)
      : path_(std::move(path)), temporary_(TemporaryPath(path_)) {
    header_.entries = std::move(entries);
  }
  ~Impl() {
    if (file_ && !finished_) RemoveFile(temporary_).IgnoreError();
  }

  Status Start(const std::map<std::string, std::string>& metadata) {
    header_.metadata = metadata;
    std::ranges::sort(header_.entries, [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
      const size_t x = DTypeSize(a.dtype), y = DTypeSize(b.dtype);
      return x != y ? x > y : a.name < b.name;
    });
    RAMET_RETURN_IF_ERROR(LayOut());
    const std::string json = SafetensorsHeaderText(header_);
    if (json.size() > kMaxHeader) {
      return InvalidArgument("'", path_, "': the header would have ", json.size(),
                             " bytes; the limit is ", kMaxHeader);
    }
    RAMET_ASSIGN_OR_RETURN(file_, WritableFile::CreateNew(temporary_));
    const uint64_t length = json.size();
    RAMET_RETURN_IF_ERROR(file_->Append({reinterpret_cast<const char*>(&length), sizeof(length)}));
    return file_->Append(json);
  }

  Status Add(const Tensor& tensor) {
    if (next_ == header_.entries.size()) {
      return InvalidArgument("'", path_, "': all tensors have been added");
    }
    const SafetensorsEntry& entry = header_.entries[next_];
    if (tensor.dtype() != entry.dtype || !(tensor.shape() == entry.shape)) {
      return InvalidArgument("'", path_, "': tensor '", entry.name, "' should be ",
                             DTypeName(entry.dtype), entry.shape, ", but is ",
                             DTypeName(tensor.dtype()), tensor.shape());
    }
    ++next_;
    return file_->Append({static_cast<const char*>(tensor.raw_data()), tensor.bytes()});
  }

  Status Finish() {
    if (next_ < header_.entries.size()) {
      return FailedPrecondition("'", path_, "': tensor '", header_.entries[next_].name,
                                "' was not added");
    }
    RAMET_RETURN_IF_ERROR(file_->Sync());
    RAMET_RETURN_IF_ERROR(file_->Close());
    RAMET_RETURN_IF_ERROR(RenameFile(temporary_, path_));
    finished_ = true;
    return OkStatus();
  }

  const std::vector<SafetensorsEntry>& entries() const { return header_.entries; }

 private:
  Status LayOut() {
    std::unordered_map<std::string_view, int> names;
    uint64_t at = 0;
    for (SafetensorsEntry& entry : header_.entries) {
      RAMET_RETURN_IF_ERROR(CheckName(path_, entry.name));
      if (++names[entry.name] > 1) {
        return InvalidArgument("'", path_, "': tensor '", entry.name, "' is listed twice");
      }
      if (SafetensorsTypeName(entry.dtype).empty()) {
        return Unimplemented("'", path_, "': tensor '", entry.name,
                             "': the format has no dtype for ", DTypeName(entry.dtype));
      }
      RAMET_ASSIGN_OR_RETURN(const size_t size, TensorBytes(entry.dtype, entry.shape));
      entry.begin = at;
      entry.end = at += size;
    }
    return OkStatus();
  }

  const std::string path_, temporary_;
  SafetensorsHeader header_;
  std::optional<WritableFile> file_;
  size_t next_ = 0;
  bool finished_ = false;
};

StatusOr<SafetensorsWriter> SafetensorsWriter::Create(
    const std::string& path, std::vector<SafetensorsEntry> entries,
    const std::map<std::string, std::string>& metadata) {
  auto impl = std::make_unique<Impl>(path, std::move(entries));
  RAMET_RETURN_IF_ERROR(impl->Start(metadata));
  return SafetensorsWriter(std::move(impl));
}

SafetensorsWriter::SafetensorsWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SafetensorsWriter::SafetensorsWriter(SafetensorsWriter&&) noexcept = default;
SafetensorsWriter& SafetensorsWriter::operator=(SafetensorsWriter&&) noexcept = default;
SafetensorsWriter::~SafetensorsWriter() = default;
const std::vector<SafetensorsEntry>& SafetensorsWriter::entries() const { return impl_->entries(); }
Status SafetensorsWriter::Add(const Tensor& tensor) { return impl_->Add(tensor); }
Status SafetensorsWriter::Finish() { return impl_->Finish(); }

}  // namespace ramet
