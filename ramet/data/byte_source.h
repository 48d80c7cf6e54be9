#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "ramet/base/status.h"

namespace ramet {

// A ByteSource gives the bytes of a plain or gzipped content in order. One thread at a time.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills `out` and gives its size; fewer bytes only at the end of the content.
  // \error kDataLoss if the gzip stream is damaged or cut off, with the offset in the file.
  virtual StatusOr<size_t> Read(std::span<uint8_t> out) = 0;
  // The most bytes that the content may hold, going by its size.
  virtual uint64_t max_size() const = 0;
};

// Over bytes that outlive the source: what they inflate to if they begin as gzip does, the bytes
// themselves if not. `name` stands in messages and must outlive the source too.
std::unique_ptr<ByteSource> MakeByteSource(std::string_view content, std::string_view name);

}  // namespace ramet
