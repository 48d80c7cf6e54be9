#pragma once

#include <cstddef>
#include <cstdint>

// Constants of sorted tables (docs/formats/checkpoint-v2.md, "Sorted table").
namespace ramet {

inline constexpr size_t kFooterBytes = 48;
inline constexpr uint64_t kTableMagic = 0xDB4775248B80FB57;
// The compression type and masked checksum after each block.
inline constexpr size_t kBlockTrailerBytes = 5;
inline constexpr uint8_t kPlainBlock = 0;
inline constexpr uint8_t kSnappyBlock = 1;
// TensorFlow's block size.
inline constexpr size_t kTableBlockBytes = 262144;

}  // namespace ramet
