#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/format/tensor_slice.h"

// Assembles a tensor from its stored boxes. All slices here are explicit (TensorSlice::Explicit),
// in range and of the same rank. All functions are pure.
namespace ramet {

// Checks that no two slices overlap.
// \error kInternal: "Overlapping slices: existing slice = ..., new slice = ...".
// \error kResourceExhausted: the check needs more than 50 million comparisons.
Status CheckDisjoint(std::span<const TensorSlice> slices);

// A DisjointBoxes holds the boxes that a tensor is stored in. No two of them overlap. Immutable.
class DisjointBoxes {
 public:
  // \error as for CheckDisjoint.
  static StatusOr<DisjointBoxes> Make(std::vector<TensorSlice> boxes);
  const TensorSlice& operator[](size_t i) const { return boxes_[i]; }
  // Returns the positions of the boxes that equal `box` or have elements in common with it,
  // ascending. Does not look at all of them if `box` is one of them, so that a tensor in many
  // slices can be read slice by slice.
  std::vector<size_t> Needed(const TensorSlice& box) const;

 private:
  std::vector<TensorSlice> boxes_;
  std::vector<size_t> sorted_;  // positions, by the boxes' extents
};

// Returns the number of elements that two boxes have in common.
int64_t CommonElements(const TensorSlice& a, const TensorSlice& b);

// Returns the intersection of two boxes. Requires CommonElements(a, b) > 0.
TensorSlice CommonBox(const TensorSlice& a, const TensorSlice& b);
// Returns `inner`, a box in `outer`, relative to `outer`.
TensorSlice BoxIn(const TensorSlice& inner, const TensorSlice& outer);

// Reports whether the elements of `inner` are contiguous in the row-major order of `outer`, and
// sets *first to the index of the first.
bool IsRunIn(const TensorSlice& inner, const TensorSlice& outer, int64_t* first);

}  // namespace ramet
