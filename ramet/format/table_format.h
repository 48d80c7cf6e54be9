#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ramet/base/status.h"

// The fixed parts of sorted tables (docs/formats/checkpoint-v2.md, "Sorted table").
namespace ramet {

inline constexpr uint64_t kTableMagic = 0xDB4775248B80FB57;
// The compression type and masked checksum after each block.
inline constexpr size_t kBlockTrailerBytes = 5;
inline constexpr uint8_t kPlainBlock = 0;
inline constexpr uint8_t kSnappyBlock = 1;
// TensorFlow's block size.
inline constexpr size_t kTableBlockBytes = 262144;

// A BlockHandle is the location of a block in a table file, without the block's trailer.
struct BlockHandle {
  uint64_t offset = 0;
  uint64_t size = 0;

  // Decodes a handle from the front of *bytes and removes it there. Returns false if *bytes does
  // not begin with a handle.
  bool TakeFrom(std::string_view* bytes);
  friend bool operator==(const BlockHandle&, const BlockHandle&) = default;
};

// A Footer is the end of a table file. It locates the two blocks that locate all others.
struct Footer {
  static constexpr size_t kBytes = 48;

  BlockHandle metaindex;
  BlockHandle index;

  // Decodes the last kBytes of a file. `offset` is their position in the file, for messages.
  // \error kDataLoss: "not an sstable (bad magic number)" or "bad block handle in the footer ...".
  static StatusOr<Footer> Decode(std::string_view bytes, uint64_t offset);
};

}  // namespace ramet
