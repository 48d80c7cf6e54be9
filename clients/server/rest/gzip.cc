#include "rest/gzip.h"

#include <zlib.h>

#include <algorithm>

namespace server {
namespace {

constexpr int kAnyFormat = 15 + 32, kGzipFormat = 15 + 16;
constexpr size_t kChunkBytes = 64 << 10;

void SetInput(std::string_view text, z_stream* stream) {
  stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream->avail_in = static_cast<uInt>(text.size());
}

// Inflates into `out` until the text ends. Returns zlib's code.
int InflateAll(z_stream* stream, size_t max_bytes, std::string* out) {
  while (true) {
    const size_t before = out->size();
    out->resize(before + std::clamp(before, kChunkBytes, size_t{8} << 20));
    stream->next_out = reinterpret_cast<Bytef*>(out->data() + before);
    stream->avail_out = static_cast<uInt>(out->size() - before);
    const int code = inflate(stream, Z_NO_FLUSH);
    out->resize(out->size() - stream->avail_out);
    if (out->size() > max_bytes) return Z_MEM_ERROR;
    if (code == Z_STREAM_END && stream->avail_in > 0) {
      if (inflateReset(stream) != Z_OK) return Z_DATA_ERROR;
      continue;  // a file may have several members
    }
    if (code != Z_OK) return code;
    if (stream->avail_in == 0 && stream->avail_out > 0) return Z_BUF_ERROR;
  }
}

}  // namespace

ramet::StatusOr<std::string> Inflate(std::string_view text, size_t max_bytes) {
  z_stream stream = {};
  if (inflateInit2(&stream, kAnyFormat) != Z_OK) {
    return ramet::ResourceExhausted("not enough memory to inflate the body");
  }
  SetInput(text, &stream);
  std::string out;
  const int code = InflateAll(&stream, max_bytes, &out);
  inflateEnd(&stream);
  if (code == Z_STREAM_END) return out;
  if (code == Z_MEM_ERROR) {
    return ramet::InvalidArgument("the inflated body has more than ", max_bytes, " bytes");
  }
  return ramet::InvalidArgument("the body cannot be inflated; expected complete gzip data");
}

std::string Deflate(std::string_view text) {
  z_stream stream = {};
  constexpr int kMemoryLevel = 8;
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipFormat, kMemoryLevel, Z_DEFAULT_STRATEGY);
  SetInput(text, &stream);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace server
