#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "ramet/tensor/tensor.h"

namespace ramet {

// Which published values: versions of one publisher count up from 1 within an epoch; each start of
// a publisher is a new epoch. All zero: none.
struct VersionId {
  uint64_t epoch = 0;
  uint64_t version = 0;
  int64_t step = -1;  // the trainer's, as it said; -1: it did not say
  bool operator==(const VersionId&) const = default;
};

// Whether values that came from a publisher are known to be what it published: both sides have
// computed a hash of them, and the hashes are equal.
enum class VersionProof : uint8_t { kNotAsked, kPending, kProven };

// The values of the variables that a session follows, all of one version. Immutable; a run holds
// the one that it began with until it ends, so that it sees one whole version.
struct FollowedValues {
  FollowedValues() = default;
  FollowedValues(const FollowedValues&) = delete;
  FollowedValues& operator=(const FollowedValues&) = delete;
  virtual ~FollowedValues() = default;

  VersionId id;
  std::atomic<VersionProof> proof = VersionProof::kNotAsked;
  uint64_t sequence = 0;       // another one for each set of values in the process; not 0
  std::vector<Tensor> values;  // by VariableState::FollowAs; empty where there is none
};

}  // namespace ramet
