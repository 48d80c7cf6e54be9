#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/file.h"
#include "ramet/base/status.h"

namespace ramet {

// A MappedRange is a part of a file, mapped into memory for reading: pages are loaded when they are
// touched, and go when memory is short. Several threads may read at once.
//
// A file that is shortened under the map, or cannot be read, does not kill the program: from then
// on the bytes that are gone read as zeros, and CheckIntact says kDataLoss. For this the first map
// installs a handler of SIGBUS, which hands on whatever is not about a map of this class to the
// handler that was there before. A program that later installs its own without handing on loses
// this; the next map installs ours anew.
class MappedRange {
 public:
  // Maps the bytes [offset, offset + n) of the file at `path`, which must still be `expected`.
  // \error kDataLoss if the file was replaced or changed since; kOutOfRange if it ends before;
  // kResourceExhausted with more than 4096 maps; those of opening and mapping.
  static StatusOr<MappedRange> Map(const std::string& path, const FileIdentity& expected,
                                   uint64_t offset, uint64_t n);
  MappedRange(MappedRange&&) noexcept;
  MappedRange& operator=(MappedRange&&) noexcept;
  ~MappedRange();

  std::string_view bytes() const;
  // Whether all that was read so far is what the file held. \error kDataLoss "PATH: shortened or
  // unreadable while it was mapped".
  Status CheckIntact() const;

 private:
  class Impl;
  explicit MappedRange(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
