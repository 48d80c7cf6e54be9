#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/file.h"
#include "ramet/base/status.h"

namespace ramet {

// A MappedRange is a part of a file that is mapped into memory for reading. Pages are loaded on
// first access and may be evicted. Thread-safe.
//
// A file that is truncated while mapped, or cannot be read, does not kill the program: the missing
// bytes read as zeros, and CheckIntact returns kDataLoss. For this the first map installs a SIGBUS
// handler that passes signals about other memory to the previous handler. If the program later
// installs a handler that does not pass signals on, the protection is lost until the next map
// reinstalls ours.
class MappedRange {
 public:
  // Maps the bytes [offset, offset + n) of the file at `path`, which must still be `expected`.
  // \error kDataLoss: the file was replaced or changed.
  // \error kOutOfRange: the file ends before that.
  // \error kResourceExhausted: there are more than 4096 maps.
  // \error any error of opening or mapping the file.
  static StatusOr<MappedRange> Map(const std::string& path, const FileIdentity& expected,
                                   uint64_t offset, uint64_t n);
  MappedRange(MappedRange&&) noexcept;
  MappedRange& operator=(MappedRange&&) noexcept;
  ~MappedRange();

  std::string_view bytes() const;
  // Checks that all bytes read so far are those of the file.
  // \error kDataLoss: "PATH: shortened or unreadable while it was mapped".
  Status CheckIntact() const;

 private:
  class Impl;
  explicit MappedRange(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
