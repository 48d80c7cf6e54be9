#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/tensor/dtype.h"
#include "ramet/tensor/shape.h"

namespace ramet {

class MappedRange;
struct BundleEntry;

// A MappedTensor is a tensor in a memory-mapped data file. Bytes are read on first access, so it
// may be larger than memory. It may outlive its reader. Thread-safe.
class RAMET_EXPORT MappedTensor {
 public:
  MappedTensor(MappedTensor&&) noexcept;
  MappedTensor& operator=(MappedTensor&&) noexcept;
  ~MappedTensor();

  DType dtype() const;
  const Shape& shape() const;
  // Returns the elements, little-endian and row-major, possibly unaligned. If the file is truncated
  // while mapped, the missing bytes read as zeros; call CheckIntact afterwards.
  std::string_view bytes() const;
  // Checks that the file has stayed readable.
  // \error kDataLoss: it was truncated or is unreadable.
  Status CheckIntact() const;
  // Reads all bytes and verifies the checksum.
  // \error kDataLoss: "TensorBundle at P shard 0 (8 bytes): Checksum does not match: ..."; or as
  //   CheckIntact.
  Status Verify() const;

 private:
  friend class BundleReader;
  class Impl;
  MappedTensor(const std::string& prefix, std::string name, const BundleEntry& entry,
               MappedRange range);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ramet
