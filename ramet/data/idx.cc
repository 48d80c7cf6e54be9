#include "ramet/data/idx.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "ramet/base/file.h"
#include "ramet/data/byte_source.h"

namespace ramet {
namespace {

constexpr uint8_t kUnsignedByte = 0x08;
constexpr uint64_t kMaxFileBytes = uint64_t{1} << 32;

std::string Hex(std::span<const uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "0x";
  for (uint8_t b : bytes) text += {kDigits[b >> 4], kDigits[b & 15]};
  return text;
}

class IdxParser {
 public:
  IdxParser(std::string_view content, std::string_view name)
      : source_(MakeByteSource(content, name)), name_(name) {}

  StatusOr<IdxArray> Parse() {
    IdxArray array;
    RAMET_ASSIGN_OR_RETURN(int rank, ReadMagic());
    RAMET_ASSIGN_OR_RETURN(int64_t size, ReadShape(rank, &array.shape));
    RAMET_RETURN_IF_ERROR(ReadData(size, &array.data));
    RAMET_RETURN_IF_ERROR(ExpectEnd());
    return array;
  }

 private:
  template <class... Args>
  Status Error(const Args&... args) const {
    return DataLoss("file '", name_, "': offset ", offset_, ": ", args...);
  }

  Status ReadExactly(std::span<uint8_t> out, std::string_view what) {
    RAMET_ASSIGN_OR_RETURN(size_t n, source_->Read(out));
    if (n == out.size()) {
      offset_ += n;
      return OkStatus();
    }
    return Error("truncated: ", out.size(), " bytes of ", what,
                 " expected, but the content ends after ", n);
  }

  StatusOr<int> ReadMagic() {
    std::array<uint8_t, 4> magic;
    RAMET_RETURN_IF_ERROR(ReadExactly(magic, "magic number"));
    if (magic[0] != 0 || magic[1] != 0 || magic[3] == 0) {
      offset_ = 0;
      return Error("not an IDX file: magic number ", Hex(magic),
                   ", expected 0x0000 and the element type and rank");
    }
    if (magic[2] != kUnsignedByte) {
      return Unimplemented("file '", name_, "': offset 2: element type ",
                           Hex(std::span(magic).subspan(2, 1)),
                           "; only unsigned bytes (0x08) are supported");
    }
    return int{magic[3]};
  }

  StatusOr<int64_t> ReadShape(int rank, std::vector<int64_t>* shape) {
    int64_t size = 1, without_zeros = 1;
    for (int i = 0; i < rank; ++i) {
      std::array<uint8_t, 4> b;
      RAMET_RETURN_IF_ERROR(ReadExactly(b, "dimension"));
      int64_t dim = int64_t{b[0]} << 24 | int64_t{b[1]} << 16 | int64_t{b[2]} << 8 | b[3];
      shape->push_back(dim);
      if (__builtin_mul_overflow(without_zeros, std::max<int64_t>(dim, 1), &without_zeros)) {
        return Error("the product of the dimensions [", StrJoin(*shape, ","),
                     "] overflows 63 bits");
      }
      size *= dim;
    }
    if (static_cast<uint64_t>(size) > source_->max_size()) {
      return Error("truncated: the dimensions [", StrJoin(*shape, ","), "] need ", size,
                   " bytes, but the file can hold only ", source_->max_size(), " bytes");
    }
    return size;
  }

  Status ReadData(size_t size, std::vector<uint8_t>* data) {
    for (size_t piece = 1 << 16; data->size() < size; piece = data->size()) {
      size_t done = data->size();
      data->resize(done + std::min(piece, size - done));
      RAMET_ASSIGN_OR_RETURN(size_t n, source_->Read(std::span(*data).subspan(done)));
      offset_ += n;
      if (n < data->size() - done) {
        return Error("truncated: ", size,
                     " bytes of elements expected, but the content ends after ", done + n);
      }
    }
    return OkStatus();
  }

  Status ExpectEnd() {
    std::array<uint8_t, 1> byte;
    RAMET_ASSIGN_OR_RETURN(size_t n, source_->Read(byte));
    return n == 0 ? OkStatus() : Error("bytes left over after the last element");
  }

  std::unique_ptr<ByteSource> source_;
  std::string_view name_;
  uint64_t offset_ = 0;
};

}  // namespace

StatusOr<IdxArray> ParseIdx(std::string_view content, std::string_view name) {
  return IdxParser(content, name).Parse();
}

StatusOr<IdxArray> ReadIdx(const std::string& path) {
  RAMET_ASSIGN_OR_RETURN(std::string content, ReadRegularFile(path, kMaxFileBytes));
  return ParseIdx(content, path);
}

}  // namespace ramet
