#include "ramet/format/byte_stream.h"

#include <zlib.h>

#include <algorithm>

namespace ramet {
namespace {

constexpr int64_t kDefaultBuffer = 256 << 10;
constexpr int64_t kMinBuffer = 512;
constexpr int64_t kMaxBuffer = 64 << 20;
constexpr int kGzipWindow = MAX_WBITS + 16;  // zlib's number for the gzip format

}  // namespace

// zlib's state, and the compressed bytes that it has not used.
struct ByteStream::Inflater {
  explicit Inflater(size_t buffer_bytes) : input(buffer_bytes, '\0') {}
  ~Inflater() { inflateEnd(&stream); }

  z_stream stream = {};
  std::string input;
  bool ended = false;  // the compressed stream is complete
};

StatusOr<FileCompression> ParseFileCompression(std::string_view name) {
  if (name.empty()) return FileCompression::kNone;
  if (name == "ZLIB") return FileCompression::kZlib;
  if (name == "GZIP") return FileCompression::kGzip;
  return InvalidArgument("Unsupported compression_type.");
}

ByteStream::ByteStream(RandomAccessFile file, size_t buffer_bytes)
    : file_(std::move(file)), buffer_(buffer_bytes, '\0') {}

ByteStream::~ByteStream() = default;

StatusOr<std::unique_ptr<ByteStream>> ByteStream::Open(const std::string& path,
                                                       FileCompression compression,
                                                       int64_t buffer_bytes) {
  RAMET_ASSIGN_OR_RETURN(RandomAccessFile file, RandomAccessFile::Open(path));
  if (buffer_bytes <= 0) buffer_bytes = kDefaultBuffer;
  const size_t size = static_cast<size_t>(std::clamp(buffer_bytes, kMinBuffer, kMaxBuffer));
  std::unique_ptr<ByteStream> made(new ByteStream(std::move(file), size));
  if (compression == FileCompression::kNone) return made;
  made->inflater_ = std::make_unique<Inflater>(size);
  const int window = compression == FileCompression::kGzip ? kGzipWindow : MAX_WBITS;
  if (inflateInit2(&made->inflater_->stream, window) != Z_OK) {
    return ResourceExhausted("not enough memory to decompress '", path, "'");
  }
  return made;
}

StatusOr<size_t> ByteStream::ReadFile(char* to, size_t size) {
  const uint64_t left = file_.size() - std::min(file_offset_, file_.size());
  const size_t n = static_cast<size_t>(std::min<uint64_t>(size, left));
  if (n > 0) RAMET_RETURN_IF_ERROR(file_.Read(file_offset_, std::span(to, n)));
  file_offset_ += n;
  return n;
}

StatusOr<bool> ByteStream::Fill() {
  if (!window_.empty()) return true;
  if (inflater_ == nullptr) {
    RAMET_ASSIGN_OR_RETURN(const size_t n, ReadFile(buffer_.data(), buffer_.size()));
    window_ = std::string_view(buffer_).substr(0, n);
    return n > 0;
  }
  z_stream& z = inflater_->stream;
  z.next_out = reinterpret_cast<Bytef*>(buffer_.data());
  z.avail_out = static_cast<uInt>(buffer_.size());
  while (z.avail_out == buffer_.size()) {
    if (z.avail_in == 0) {
      std::string& input = inflater_->input;
      RAMET_ASSIGN_OR_RETURN(const size_t n, ReadFile(input.data(), input.size()));
      if (n == 0 && !inflater_->ended && file_.size() > 0) {
        return DataLoss("file '", path(), "': the compressed data are incomplete");
      }
      if (n == 0) return false;
      z.next_in = reinterpret_cast<Bytef*>(input.data());
      z.avail_in = static_cast<uInt>(n);
    }
    if (inflater_->ended) {  // another stream follows
      inflateReset(&z);
      inflater_->ended = false;
    }
    const int result = inflate(&z, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END) {
      return DataLoss("file '", path(), "', before offset ", file_offset_,
                      ": the compressed data are damaged (", z.msg ? z.msg : "zlib error", ")");
    }
    inflater_->ended = result == Z_STREAM_END;
  }
  window_ = std::string_view(buffer_).substr(0, buffer_.size() - z.avail_out);
  return true;
}

StatusOr<uint64_t> ByteStream::Read(uint64_t n, std::string* out) {
  uint64_t done = 0;
  while (done < n) {
    RAMET_ASSIGN_OR_RETURN(const bool more, Fill());
    if (!more) break;
    const size_t part = static_cast<size_t>(std::min<uint64_t>(n - done, window_.size()));
    out->append(window_.substr(0, part));
    window_.remove_prefix(part);
    done += part;
  }
  offset_ += done;
  return done;
}

StatusOr<uint64_t> ByteStream::Skip(uint64_t n) {
  uint64_t done = 0;
  while (done < n) {
    RAMET_ASSIGN_OR_RETURN(const bool more, Fill());
    if (!more) break;
    const size_t part = static_cast<size_t>(std::min<uint64_t>(n - done, window_.size()));
    window_.remove_prefix(part);
    done += part;
  }
  offset_ += done;
  return done;
}

StatusOr<bool> ByteStream::ReadLine(std::string* line) {
  line->clear();
  bool found_any = false;
  while (true) {
    RAMET_ASSIGN_OR_RETURN(const bool more, Fill());
    if (!more) return found_any;
    found_any = true;
    const size_t end = window_.find('\n');
    const size_t part = std::min(end, window_.size());
    line->append(window_.substr(0, part));
    window_.remove_prefix(end == std::string_view::npos ? part : part + 1);
    offset_ += end == std::string_view::npos ? part : part + 1;
    if (end == std::string_view::npos) continue;
    if (!line->empty() && line->back() == '\r') line->pop_back();
    return true;
  }
}

}  // namespace ramet
