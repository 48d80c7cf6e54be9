#pragma once

#include <cstdint>
#include <optional>

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"

namespace ramet {

// The masks of StridedSlice: bit i speaks of entry i of begin, end and strides.
struct SliceMasks {
  int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink_axis = 0;
  static SliceMasks FromAttrs(const AttrMap& attrs);
};

// What begin, end and strides say, as far as it is known: entries without a value are unknown.
struct SliceEntries {
  int size = 0;
  const Tensor* begin = nullptr;
  const Tensor* end = nullptr;
  const Tensor* strides = nullptr;
};

// A SlicePlan is a StridedSlice of a tensor of a given shape, resolved: which elements it takes
// (begin, stride and count for each dimension of the tensor), and the shape of its result.
struct SlicePlan {
  Dims begin;
  Dims strides;
  Dims counts;             // -1 where not known
  Shape result;            // dropped dimensions left out, new ones put in
  bool everything = true;  // all elements, in order

  // Of a tensor of shape `shape`, dimensions of which may be unknown (not the rank).
  // \error kInvalidArgument "strides[0] must be non-zero", "slice index 3 of dimension 0 out of
  //   bounds.", if there are more entries than dimensions, or more than one ellipsis.
  static StatusOr<SlicePlan> Make(const Shape& shape, const SliceEntries& entries,
                                  const SliceMasks& masks);
  // The offset of the first element, and the steps, in a dense tensor of shape `shape`.
  int64_t Offset(const Dims& dense_strides) const;
  Dims Steps(const Dims& dense_strides) const;
};

// Checks that begin, end and strides are vectors of one length. \error kInvalidArgument otherwise.
StatusOr<SliceEntries> CheckedEntries(const Tensor& begin, const Tensor& end,
                                      const Tensor& strides);

}  // namespace ramet
