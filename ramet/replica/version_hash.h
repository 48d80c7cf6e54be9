#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/replica/transport.h"

// Hashes that tell whether two sides have the same values. docs/formats/version-hash.md specifies
// what is hashed. The hash is XXH3 with 128 bits: it detects accidental differences, but not
// collisions made on purpose.
namespace ramet {

// The hash of one tensor's name, dtype, shape and little-endian bytes, as 32 hexadecimal digits.
struct TensorHash {
  std::string name;
  std::string hash;
  bool operator==(const TensorHash&) const = default;
};

// Combines hashes of tensors. The order in which they are added does not matter.
class VersionHasher {
 public:
  // `value` must have a dtype of fixed size and be in host memory.
  void Add(std::string_view name, const Tensor& value);
  // Returns the hashes added so far, sorted by name.
  std::vector<TensorHash> tensors() const;
  // Returns the hash of all tensors.
  std::string whole() const;

 private:
  struct Entry {
    std::string name;
    std::string digest;  // 16 bytes
  };
  std::vector<Entry> Sorted() const;
  std::vector<Entry> entries_;
};

// Returns the hash of `values` under the names of `signature`, which are in the same order.
std::string ContentHash(const ReplicaSignature& signature, std::span<const Tensor> values);
// Returns the hash of the values before renaming and conversion. `sources` is in the order of the
// signature. An empty entry means that nothing was converted and `values` is used.
std::string SourceHash(const ReplicaSignature& signature, std::span<const Tensor> values,
                       std::span<const Tensor> sources);

// The hash of the tensors of a checkpoint (a prefix, of either format).
struct CheckpointHash {
  std::string whole;
  std::vector<TensorHash> tensors;  // sorted by name
};
// Hashes the tensors with these names, or all non-string tensors if `names` is empty. With the
// SourceNames of a publisher, the result equals VersionHashes::source of the version that was
// published at the same step.
// \error kNotFound: a tensor does not exist. The message names it.
// \error kUnimplemented: a tensor holds strings.
// \error as for CheckpointReader.
RAMET_EXPORT StatusOr<CheckpointHash> HashCheckpoint(const std::string& prefix,
                                                     std::span<const std::string> names = {});
// Returns the names of the published variables in the trainer's graph.
RAMET_EXPORT std::vector<std::string> SourceNames(const ReplicaSignature& signature);

}  // namespace ramet
