#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/format/checkpoint_version.h"
#include "ramet/format/tensor_slice.h"
#include "ramet/tensor/dtype.h"
#include "ramet/tensor/shape.h"

// What reader and writer of bundles share: names of files, keys and records of the index
// (docs/formats/checkpoint-v2.md). All functions are pure.
namespace ramet {

// "PREFIX.index" and "PREFIX.data-00001-of-00002".
std::string BundleIndexPath(std::string_view prefix);
std::string BundleDataPath(std::string_view prefix, int shard, int num_shards);

// The record under the key "".
struct BundleHeader {
  int num_shards = 1;
  bool big_endian = false;
  int producer = kCheckpointVersion;
  int min_consumer = 0;
  std::vector<int> bad_consumers;
};

// \error kDataLoss "Entry for key  not parseable." and where num_shards is not positive;
// kInvalidArgument
//   "Checkpoint min consumer version 9 above current version 1 ..." and the like.
StatusOr<BundleHeader> DecodeBundleHeader(std::string_view bytes);
std::string EncodeBundleHeader(const BundleHeader& header);

// The record of a tensor, or of a stored slice of one. A tensor that is stored in slices has
// `slices` and no data of its own.
struct BundleEntry {
  DType dtype = DType::kInvalid;
  Shape shape;
  int shard = 0;
  int64_t offset = 0;
  int64_t size = 0;
  uint32_t masked_crc = 0;
  std::vector<TensorSlice> slices;
};

// \error kDataLoss "Entry for key KEY not parseable." and where its shape, shard, offset, size or
// slices
//   cannot be (for a bundle of `num_shards`).
StatusOr<BundleEntry> DecodeBundleEntry(std::string_view key, std::string_view bytes,
                                        int num_shards);
std::string EncodeBundleEntry(const BundleEntry& entry);

// The key of a stored slice; it begins with a NUL byte, so it sorts before all names but "".
std::string BundleSliceKey(std::string_view name, const TensorSlice& slice);
inline bool IsBundleSliceKey(std::string_view key) { return key.starts_with('\0'); }
// A key as messages show it: slice keys are not printable.
std::string PrintableBundleKey(std::string_view key);

}  // namespace ramet
