#include "ramet/format/bundle_data.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "ramet/base/coding.h"
#include "ramet/base/crc32c.h"
#include "ramet/format/bundle_variants.h"
#include "ramet/format/checksummed_io.h"
#include "ramet/tensor/outside_values.h"

namespace ramet {
namespace {

static_assert(std::endian::native == std::endian::little, "bundles are written little-endian");

// Buffer size for lengths and strings.
constexpr size_t kChunkBytes = 256 << 10;
constexpr uint64_t kMaxShortLength = UINT32_MAX;
// DT_FLOAT4_E2M1FN of TensorFlow 2.21.
constexpr int kLastTensorFlowDType = 33;

// Extends a CRC by a string's length: 4 bytes, or 8 if necessary.
uint32_t ExtendByLength(uint32_t crc, uint64_t length, bool big_endian) {
  const int n = length <= kMaxShortLength ? 4 : 8;
  char bytes[8];
  for (int i = 0; i < n; ++i) {
    bytes[i] = static_cast<char>(length >> (8 * (big_endian ? n - 1 - i : i)));
  }
  return crc32c::Extend(crc, bytes, static_cast<size_t>(n));
}

Status AppendFlat(const Tensor& tensor, WritableFile* file, uint32_t* crc, SideThread* side) {
  return AppendChecksummed({static_cast<const char*>(tensor.raw_data()), tensor.bytes()}, file, crc,
                           side);
}

Status AppendStrings(const Tensor& tensor, WritableFile* file, uint32_t* crc) {
  std::string lengths;
  for (const std::string& s : tensor.flat<std::string>()) {
    AppendVarint64(&lengths, s.size());
    *crc = ExtendByLength(*crc, s.size(), false);
    if (lengths.size() < kChunkBytes) continue;
    RAMET_RETURN_IF_ERROR(file->Append(lengths));
    lengths.clear();
  }
  std::string checksum;
  AppendFixed32(&checksum, crc32c::Mask(*crc));
  *crc = crc32c::Extend(*crc, checksum.data(), checksum.size());
  RAMET_RETURN_IF_ERROR(file->Append(lengths + checksum));
  for (const std::string& s : tensor.flat<std::string>()) {
    *crc = crc32c::Extend(*crc, s.data(), s.size());
    RAMET_RETURN_IF_ERROR(file->Append(s));
  }
  return OkStatus();
}

template <class T>
void SwapAll(char* data, size_t bytes) {
  for (size_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T))
    std::reverse(data + i, data + i + sizeof(T));
}

void SwapElements(DType dtype, char* data, size_t bytes) {
  size_t size = DTypeSize(dtype);
  if (IsComplex(dtype)) size /= 2;
  if (size == 2) SwapAll<uint16_t>(data, bytes);
  if (size == 4) SwapAll<uint32_t>(data, bytes);
  if (size == 8) SwapAll<uint64_t>(data, bytes);
}

Status ChecksumMismatch(const TensorDataSource& source, const BundleEntry& entry, uint32_t crc) {
  return ChecksumMismatch(source.prefix, source.key, entry, crc)
      .WithSuffix(StrCat(" of ", source.file->path()));
}

// Reads the entry's bytes sequentially.
class DataStream {
 public:
  DataStream(const TensorDataSource& source, const BundleEntry& entry)
      : file_(*source.file), next_(static_cast<uint64_t>(entry.offset)), rest_(entry.size) {}
  int64_t rest() const { return rest_ + static_cast<int64_t>(buffer_.size() - at_); }

  Status Read(char* out, size_t n) {
    const size_t buffered = std::min(n, buffer_.size() - at_);
    std::memcpy(out, buffer_.data() + at_, buffered);
    at_ += buffered;
    if (buffered == n) return OkStatus();
    out += buffered;
    n -= buffered;
    if (n >= kChunkBytes) return ReadFromFile(out, n);
    RAMET_RETURN_IF_ERROR(Refill());
    if (n > buffer_.size()) return OutOfRange(file_.path(), ": Read less bytes than requested");
    std::memcpy(out, buffer_.data(), n);
    at_ = n;
    return OkStatus();
  }

  // Sets *ok to false if there is no varint.
  Status ReadVarint(uint64_t* value, bool* ok) {
    if (buffer_.size() - at_ < kMaxVarint64Bytes && rest_ > 0) RAMET_RETURN_IF_ERROR(Refill());
    std::string_view bytes = std::string_view(buffer_).substr(at_);
    const size_t before = bytes.size();
    *ok = TakeVarint64(&bytes, value);
    at_ += before - bytes.size();
    return OkStatus();
  }

 private:
  Status Refill() {
    buffer_.erase(0, at_);
    at_ = 0;
    const size_t kept = buffer_.size();
    const size_t n =
        static_cast<size_t>(std::min<int64_t>(rest_, static_cast<int64_t>(kChunkBytes)));
    buffer_.resize(kept + n);
    return ReadFromFile(buffer_.data() + kept, n);
  }
  Status ReadFromFile(char* out, size_t n) {
    if (static_cast<int64_t>(n) > rest_) {
      return OutOfRange(file_.path(), ": Read less bytes than requested");
    }
    RAMET_RETURN_IF_ERROR(file_.Read(next_, {out, n}));
    next_ += n;
    rest_ -= static_cast<int64_t>(n);
    return OkStatus();
  }

  const RandomAccessFile& file_;
  uint64_t next_;
  int64_t rest_;
  std::string buffer_;
  size_t at_ = 0;
};

Status BadStrings(const TensorDataSource& source, const BundleEntry& entry, std::string_view what) {
  return DataLoss("Invalid string lengths in bundle entry: key ", PrintableBundleKey(source.key),
                  "; ", entry.size, " bytes at offset ", entry.offset, " of ", source.file->path(),
                  ": ", what);
}

// Reads lengths, then their checksum. Extends *crc by both.
Status ReadLengths(const TensorDataSource& source, const BundleEntry& entry, DataStream* stream,
                   std::vector<uint64_t>* lengths, uint32_t* crc) {
  uint64_t total = 0;
  for (uint64_t& length : *lengths) {
    bool ok;
    RAMET_RETURN_IF_ERROR(stream->ReadVarint(&length, &ok));
    if (!ok || length > static_cast<uint64_t>(entry.size) - total) {
      return BadStrings(source, entry, "they exceed the size of the entry");
    }
    total += length;
    *crc = ExtendByLength(*crc, length, source.big_endian);
  }
  if (stream->rest() < 4 || static_cast<uint64_t>(stream->rest() - 4) != total) {
    return BadStrings(source, entry,
                      StrCat("they add up to ", total, ", but ", stream->rest(),
                             " bytes follow, checksum included"));
  }
  char stored[4];
  RAMET_RETURN_IF_ERROR(stream->Read(stored, 4));
  uint32_t expected = DecodeFixed32(stored);
  if (source.big_endian) expected = __builtin_bswap32(expected);
  if (crc32c::Unmask(expected) != *crc) {
    return DataLoss("The length checksum does not match: expected ", crc32c::Unmask(expected),
                    " but actual is ", *crc, " (key ", PrintableBundleKey(source.key), ", offset ",
                    entry.offset, " of ", source.file->path(), ")");
  }
  *crc = crc32c::Extend(*crc, stored, 4);
  return OkStatus();
}

StatusOr<Tensor> ReadStrings(const TensorDataSource& source, const BundleEntry& entry) {
  DataStream stream(source, entry);
  std::vector<uint64_t> lengths(static_cast<size_t>(entry.shape.num_elements()));
  uint32_t crc = 0;
  RAMET_RETURN_IF_ERROR(ReadLengths(source, entry, &stream, &lengths, &crc));
  RAMET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(DType::kString, entry.shape));
  std::string* out = tensor.mutable_data<std::string>();
  for (uint64_t length : lengths) {
    out->resize(length);
    RAMET_RETURN_IF_ERROR(stream.Read(out->data(), length));
    crc = crc32c::Extend(crc, out->data(), length);
    ++out;
  }
  if (crc != crc32c::Unmask(entry.masked_crc)) return ChecksumMismatch(source, entry, crc);
  return tensor;
}

}  // namespace

bool IsBundleDType(DType dtype) {
  return !IsRef(dtype) && (!IsFlatDType(dtype) || DTypeSize(dtype) > 0);
}

bool IsFlatDType(DType dtype) { return dtype != DType::kString && dtype != DType::kVariant; }

Status AppendTensorData(const Tensor& tensor, WritableFile* file, BundleEntry* entry,
                        SideThread* side) {
  if (!IsBundleDType(tensor.dtype())) {
    return Unimplemented("a tensor of dtype ", DTypeName(tensor.dtype()), " cannot be saved");
  }
  entry->dtype = tensor.dtype();
  entry->shape = tensor.shape();
  entry->offset = static_cast<int64_t>(file->size());
  uint32_t crc = 0;
  RAMET_RETURN_IF_ERROR(tensor.dtype() == DType::kString    ? AppendStrings(tensor, file, &crc)
                        : tensor.dtype() == DType::kVariant ? AppendVariants(tensor, file, &crc)
                                                            : AppendFlat(tensor, file, &crc, side));
  entry->size = static_cast<int64_t>(file->size()) - entry->offset;
  entry->masked_crc = crc32c::Mask(crc);
  return OkStatus();
}

Status ChecksumMismatch(std::string_view prefix, std::string_view key, const BundleEntry& entry,
                        uint32_t crc) {
  return DataLoss("TensorBundle at ", prefix, " shard ", entry.shard, " (", entry.size,
                  " bytes): Checksum does not match: stored ", crc32c::Unmask(entry.masked_crc),
                  " vs. calculated on the restored bytes ", crc, " (key ", PrintableBundleKey(key),
                  ", offset ", entry.offset, ")");
}

Status AppendTensorPieces(DType dtype, const Shape& shape,
                          const std::function<Status(const TakeBytes&)>& produce,
                          WritableFile* file, BundleEntry* entry) {
  if (!IsBundleDType(dtype) || !IsFlatDType(dtype)) {
    return Unimplemented("a tensor of dtype ", DTypeName(dtype), " cannot be saved in pieces");
  }
  RAMET_ASSIGN_OR_RETURN(const size_t expected, TensorBytes(dtype, shape));
  entry->dtype = dtype;
  entry->shape = shape;
  entry->offset = static_cast<int64_t>(file->size());
  uint32_t crc = 0;
  RAMET_RETURN_IF_ERROR(produce([&](std::string_view piece) {
    crc = crc32c::Extend(crc, piece.data(), piece.size());
    return file->Append(piece);
  }));
  entry->size = static_cast<int64_t>(file->size()) - entry->offset;
  entry->masked_crc = crc32c::Mask(crc);
  if (static_cast<uint64_t>(entry->size) == expected) return OkStatus();
  return InvalidArgument("a ", DTypeName(dtype), " tensor of shape ", shape, " has ", expected,
                         " bytes, but its pieces have ", entry->size);
}

Status CheckTensorData(const TensorDataSource& source, const BundleEntry& entry) {
  const std::string key = PrintableBundleKey(source.key);
  if (!IsBundleDType(entry.dtype)) {
    const int number = static_cast<int>(entry.dtype);
    if (number <= 0 || number > kLastTensorFlowDType) {
      return DataLoss("Entry for key ", key, " not parseable: dtype ", number);
    }
    return Unimplemented("key ", key, ": a tensor of dtype ", DTypeName(entry.dtype),
                         " cannot be restored");
  }
  const int64_t n = entry.shape.num_elements();
  if (!IsFlatDType(entry.dtype)) {
    if (entry.size < 4 || n > entry.size - 4) {
      return DataLoss("Invalid size in bundle entry: key ", key, "; stored size ", entry.size,
                      "; expected size is at least ", n, " + 4");
    }
  } else {
    RAMET_ASSIGN_OR_RETURN(const size_t bytes, TensorBytes(entry.dtype, entry.shape));
    if (static_cast<uint64_t>(entry.size) != bytes) {
      return DataLoss("Invalid size in bundle entry: key ", key, "; stored size ", entry.size,
                      "; expected size ", bytes);
    }
  }
  if (static_cast<uint64_t>(entry.offset + entry.size) > source.file->size()) {
    return OutOfRange(source.file->path(), ": Read less bytes than requested: key ", key, " has ",
                      entry.size, " bytes at offset ", entry.offset, ", the file has ",
                      source.file->size());
  }
  return OkStatus();
}

void ToHostElements(const TensorDataSource& source, DType dtype, std::span<char> bytes) {
  if (source.big_endian) SwapElements(dtype, bytes.data(), bytes.size());
  if (dtype == DType::kBool) NormalizeBools(bytes.data(), bytes.size());
}

Status ReadFlatData(const TensorDataSource& source, const BundleEntry& entry, char* out) {
  const size_t total = static_cast<size_t>(entry.size);
  uint32_t crc = 0;
  RAMET_RETURN_IF_ERROR(ReadChecksummed(*source.file, static_cast<uint64_t>(entry.offset),
                                        {out, total}, &crc, source.side));
  if (crc != crc32c::Unmask(entry.masked_crc)) return ChecksumMismatch(source, entry, crc);
  ToHostElements(source, entry.dtype, {out, total});
  return OkStatus();
}

Status ReadDataPieces(const TensorDataSource& source, const BundleEntry& entry,
                      const std::function<Status(std::string_view)>& sink) {
  const size_t total = static_cast<size_t>(entry.size);
  std::string piece;
  uint32_t crc = 0;
  for (size_t done = 0; done < total; done += piece.size()) {
    piece.resize(std::min(kChunkBytes, total - done));
    RAMET_RETURN_IF_ERROR(source.file->Read(static_cast<uint64_t>(entry.offset) + done,
                                            {piece.data(), piece.size()}));
    crc = crc32c::Extend(crc, piece.data(), piece.size());
    ToHostElements(source, entry.dtype, {piece.data(), piece.size()});
    RAMET_RETURN_IF_ERROR(sink(piece));
  }
  if (crc != crc32c::Unmask(entry.masked_crc)) return ChecksumMismatch(source, entry, crc);
  return OkStatus();
}

StatusOr<Tensor> ReadTensorData(const TensorDataSource& source, const BundleEntry& entry,
                                Allocator* allocator) {
  RAMET_RETURN_IF_ERROR(CheckTensorData(source, entry));
  if (entry.dtype == DType::kString) return ReadStrings(source, entry);
  if (entry.dtype == DType::kVariant) return ReadVariants(source, entry);
  RAMET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(entry.dtype, entry.shape, allocator));
  RAMET_RETURN_IF_ERROR(ReadFlatData(source, entry, static_cast<char*>(tensor.raw_data())));
  return tensor;
}

}  // namespace ramet
