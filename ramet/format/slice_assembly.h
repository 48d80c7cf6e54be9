#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/format/tensor_slice.h"

// Putting a tensor together from the boxes that it is stored in. All slices here are explicit
// (TensorSlice::Explicit), in range and of one rank. All functions are pure.
namespace ramet {

// \error kInternal "Overlapping slices: existing slice = ..., new slice = ..."; kResourceExhausted
// if
//   telling takes more than some tens of millions of comparisons.
Status CheckDisjoint(std::span<const TensorSlice> slices);

// The number of elements that two boxes have in common.
int64_t CommonElements(const TensorSlice& a, const TensorSlice& b);

// The box of the elements that two boxes have in common; needs CommonElements(a, b) > 0.
TensorSlice CommonBox(const TensorSlice& a, const TensorSlice& b);
// `inner`, a box in `outer`, as a box of the tensor that `outer` is.
TensorSlice BoxIn(const TensorSlice& inner, const TensorSlice& outer);

// Whether the elements of `inner` are one run in the row-major order of `outer`, and where it
// begins.
bool IsRunIn(const TensorSlice& inner, const TensorSlice& outer, int64_t* first);

}  // namespace ramet
