#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "ramet/tensor/tensor.h"

namespace ramet {

// Identifies a published version. The versions of one publisher count up from 1 within an epoch;
// each start of a publisher begins a new epoch. All zeros means none.
struct VersionId {
  uint64_t epoch = 0;
  uint64_t version = 0;
  int64_t step = -1;  // the trainer's step; -1 if unknown
  bool operator==(const VersionId&) const = default;
};

// Tells whether values from a publisher are proven to be the published ones: both sides have
// computed a hash, and the hashes are equal.
enum class VersionProof : uint8_t { kNotAsked, kPending, kProven };

// The values of all variables that a session follows, from one version. Immutable, but a run may
// move a value to the device that it uses it on. A run holds the object that it started with until
// it ends, so that it sees one complete version.
struct FollowedValues {
  FollowedValues() = default;
  FollowedValues(const FollowedValues&) = delete;
  FollowedValues& operator=(const FollowedValues&) = delete;
  virtual ~FollowedValues() = default;

  VersionId id;
  std::atomic<VersionProof> proof = VersionProof::kNotAsked;
  uint64_t sequence = 0;  // unique in the process, not 0
  // Indexed by VariableState::FollowAs. Tensors without a value are empty. Once runs see this
  // object, each value is guarded by the lock of its variable (VariableState::Move).
  mutable std::vector<Tensor> values;
};

}  // namespace ramet
