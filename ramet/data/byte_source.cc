#include "ramet/data/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

namespace ramet {
namespace {

class PlainSource : public ByteSource {
 public:
  explicit PlainSource(std::string_view content) : rest_(content), size_(content.size()) {}

  StatusOr<size_t> Read(std::span<uint8_t> out) override {
    size_t n = std::min(out.size(), rest_.size());
    if (n > 0) std::memcpy(out.data(), rest_.data(), n);
    rest_.remove_prefix(n);
    return n;
  }
  uint64_t max_size() const override { return size_; }

 private:
  std::string_view rest_;
  uint64_t size_;
};

class GzipSource : public ByteSource {
 public:
  GzipSource(std::string_view content, std::string_view name)
      : rest_(content), size_(content.size()), name_(name) {
    constexpr int kGzipOnly = 16;
    ready_ = inflateInit2(&stream_, MAX_WBITS + kGzipOnly) == Z_OK;
  }
  ~GzipSource() override {
    if (ready_) inflateEnd(&stream_);
  }

  StatusOr<size_t> Read(std::span<uint8_t> out) override {
    if (!ready_) return ResourceExhausted("file '", name_, "': out of memory for decompression");
    size_t done = 0;
    while (done < out.size() && !at_end_) {
      RAMET_ASSIGN_OR_RETURN(size_t n, Inflate(out.subspan(done)));
      done += n;
    }
    return done;
  }
  // Deflate expands by a factor of at most 1032.
  uint64_t max_size() const override { return size_ * 1032; }

 private:
  static constexpr size_t kMaxPiece = size_t{1} << 30;

  StatusOr<size_t> Inflate(std::span<uint8_t> out) {
    size_t given = std::min(rest_.size(), kMaxPiece);
    size_t room = std::min(out.size(), kMaxPiece);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<uInt>(room);
    int result = inflate(&stream_, Z_NO_FLUSH);
    rest_.remove_prefix(given - stream_.avail_in);
    if (result == Z_STREAM_END) {
      NextMember();
    } else if (result == Z_BUF_ERROR ||
               (result == Z_OK && rest_.empty() && stream_.avail_out > 0)) {
      return DataLoss("file '", name_, "': the gzip stream is truncated at offset ", size_);
    } else if (result != Z_OK) {
      return DataLoss("file '", name_, "': damaged gzip stream at offset ", size_ - rest_.size(),
                      ": ", stream_.msg != nullptr ? stream_.msg : "no zlib message");
    }
    return room - stream_.avail_out;
  }

  // A gzip file is a sequence of members, which may be padded with zeros at the end.
  void NextMember() {
    at_end_ = rest_.find_first_not_of('\0') == std::string_view::npos;
    inflateReset(&stream_);
  }

  std::string_view rest_;
  uint64_t size_;
  std::string_view name_;
  z_stream stream_ = {};
  bool ready_ = false;
  bool at_end_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> MakeByteSource(std::string_view content, std::string_view name) {
  if (content.starts_with("\x1f\x8b")) return std::make_unique<GzipSource>(content, name);
  return std::make_unique<PlainSource>(content);
}

}  // namespace ramet
