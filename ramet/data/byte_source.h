#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "ramet/base/status.h"

namespace ramet {

// A ByteSource returns the bytes of plain or gzipped content in order. Not thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills `out` and returns the number of bytes, which is smaller than `out` only at the end.
  // \error kDataLoss: the gzip stream is damaged or truncated. The message has the offset in the
  //   file.
  // \error kResourceExhausted: there is not enough memory to decompress.
  virtual StatusOr<size_t> Read(std::span<uint8_t> out) = 0;
  // Returns an upper bound of the content's size, derived from the size of the input.
  virtual uint64_t max_size() const = 0;
};

// Returns a source for `content`, which is decompressed if it begins like a gzip file. `name` is
// used in messages. Both must outlive the source.
std::unique_ptr<ByteSource> MakeByteSource(std::string_view content, std::string_view name);

}  // namespace ramet
