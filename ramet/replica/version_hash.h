#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/replica/transport.h"

// Hashes by which two sides find out whether they have the same values
// (docs/formats/version-hash.md has the layout of what is hashed). XXH3, 128 bit: it tells values
// apart that differ by accident, not those that somebody made to collide.
namespace ramet {

// The hash of one tensor: its name, dtype, shape and little-endian bytes; 32 hexadecimal digits.
struct TensorHash {
  std::string name;
  std::string hash;
  bool operator==(const TensorHash&) const = default;
};

// Puts hashes of tensors together. The order of adding does not matter.
class VersionHasher {
 public:
  // `value` has a flat dtype and is in host memory.
  void Add(std::string_view name, const Tensor& value);
  // Sorted by name.
  std::vector<TensorHash> tensors() const;
  // Of all of them.
  std::string whole() const;

 private:
  struct Entry {
    std::string name;
    std::string digest;  // 16 bytes
  };
  std::vector<Entry> Sorted() const;
  std::vector<Entry> entries_;
};

// The hash of `values` under the names of `signature`, in whose order they are.
std::string ContentHash(const ReplicaSignature& signature, std::span<const Tensor> values);
// The hash of the values before renaming and conversion. `sources` are in the order of the
// signature, and empty where nothing was converted: there `values` counts.
std::string SourceHash(const ReplicaSignature& signature, std::span<const Tensor> values,
                       std::span<const Tensor> sources);

// The hash of what a checkpoint (a prefix, of either format) holds.
struct CheckpointHash {
  std::string whole;
  std::vector<TensorHash> tensors;  // sorted by name
};
// Hashes the tensors of these names, or of all that are no strings if there are none: the `source`
// hash of a version that was published at the same step, if these are the names of the published
// variables in the trainer's graph (SourceNames).
// \error as CheckpointReader; kNotFound naming a tensor that is not there; kUnimplemented for one
// of
//   strings.
RAMET_EXPORT StatusOr<CheckpointHash> HashCheckpoint(const std::string& prefix,
                                                     std::span<const std::string> names = {});
// What the published variables are called in the trainer's graph.
RAMET_EXPORT std::vector<std::string> SourceNames(const ReplicaSignature& signature);

}  // namespace ramet
