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

// File names, keys and records of bundles, shared by the reader and the writer
// (docs/formats/checkpoint-v2.md). All functions are pure.
namespace ramet {

// Return "PREFIX.index" and "PREFIX.data-00001-of-00002".
std::string BundleIndexPath(std::string_view prefix);
std::string BundleDataPath(std::string_view prefix, int shard, int num_shards);

// The record with the key "".
struct BundleHeader {
  int num_shards = 1;
  bool big_endian = false;
  int producer = kCheckpointVersion;
  int min_consumer = 0;
  std::vector<int> bad_consumers;
};

// Parses the header record.
// \error kDataLoss: "Entry for key  not parseable.", or num_shards is not positive.
// \error kInvalidArgument: "Checkpoint min consumer version 9 above current version 1 ..." or a
//   similar message.
StatusOr<BundleHeader> DecodeBundleHeader(std::string_view bytes);
std::string EncodeBundleHeader(const BundleHeader& header);

// The record of a tensor or of a stored slice. A tensor stored in slices has `slices` and no data.
struct BundleEntry {
  DType dtype = DType::kInvalid;
  Shape shape;
  int shard = 0;
  int64_t offset = 0;
  int64_t size = 0;
  uint32_t masked_crc = 0;
  std::vector<TensorSlice> slices;
};

// Parses the record of a bundle with `num_shards` shards.
// \error kDataLoss: "Entry for key KEY not parseable.", or its shape, shard, offset, size or slices
//   are impossible.
StatusOr<BundleEntry> DecodeBundleEntry(std::string_view key, std::string_view bytes,
                                        int num_shards);
std::string EncodeBundleEntry(const BundleEntry& entry);

// Returns the key of a stored slice. It starts with a NUL byte, so it sorts before all names but
// "".
std::string BundleSliceKey(std::string_view name, const TensorSlice& slice);
inline bool IsBundleSliceKey(std::string_view key) { return key.starts_with('\0'); }
// Returns a key for messages, because slice keys are not printable.
std::string PrintableBundleKey(std::string_view key);

}  // namespace ramet
