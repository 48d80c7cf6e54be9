#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"

namespace ramet {

// The seeds of a dataset, and how many pairs of seeds its earlier iterators have drawn.
struct SeedState {
  uint64_t seed = 0, seed2 = 0;
  uint64_t draws = 0;
};

// A SeedSource is what a dataset draws the seeds of its iterators from. Thread-safe.
class SeedSource {
 public:
  virtual ~SeedSource() = default;
  virtual SeedState state() = 0;
  virtual void Restore(const SeedState& state) = 0;
};

// An IteratorState is the position of an iterator: what a new iterator of the same dataset must do
// to continue at the same element (docs/decisions/0104-iterator-states.md). A value type.
struct IteratorState {
  // The type of variants with such a state.
  static constexpr std::string_view kTypeName = "ramet::IteratorState";
  // Iterators with more seeds cannot be saved.
  static constexpr size_t kMaxSeeds = 1 << 16;
  static constexpr uint64_t kMaxDraws = 1 << 20;

  uint64_t calls = 0;   // how many elements it has returned, errors included
  uint64_t errors = 0;  // how many of them were errors
  // The seeds of the datasets, in the order in which iterators of them were made.
  std::vector<SeedState> seeds;

  std::string Encode() const;
  // \error kInvalidArgument: the bytes are damaged, or of a later version.
  static StatusOr<IteratorState> Decode(std::string_view bytes);
};

}  // namespace ramet
