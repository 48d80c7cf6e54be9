#pragma once

#include <cstdint>
#include <optional>

#include "ramet/op/op.h"
#include "ramet/ops/array/args.h"

namespace ramet {

// The masks of StridedSlice. Bit i of a mask applies to entry i of begin, end and strides.
struct SliceMasks {
  int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink_axis = 0;
  static SliceMasks FromAttrs(const AttrMap& attrs);
};

// The values of begin, end and strides as far as they are known; null means unknown.
struct SliceEntries {
  int size = 0;
  const Tensor* begin = nullptr;
  const Tensor* end = nullptr;
  const Tensor* strides = nullptr;
};

// A SlicePlan is a StridedSlice resolved for a tensor of a given shape: the elements it selects
// (begin, stride and count for each dimension of the tensor), and the shape of its result.
struct SlicePlan {
  Dims begin;
  Dims strides;
  Dims counts;             // -1 if unknown
  Shape result;            // without dropped dimensions, with new ones
  bool everything = true;  // all elements, in order

  // Returns the plan for a tensor of shape `shape`. The rank must be known; dimensions may be
  // unknown.
  // \error kInvalidArgument: "strides[0] must be non-zero"; "slice index 3 of dimension 0 out of
  //   bounds."; more entries than dimensions; more than one ellipsis.
  static StatusOr<SlicePlan> Make(const Shape& shape, const SliceEntries& entries,
                                  const SliceMasks& masks);
  // Return the offset of the first element, and the steps, in a dense tensor with these strides.
  int64_t Offset(const Dims& dense_strides) const;
  Dims Steps(const Dims& dense_strides) const;
};

// Checks that begin, end and strides are vectors of the same length.
// \error kInvalidArgument: they are not.
StatusOr<SliceEntries> CheckedEntries(const Tensor& begin, const Tensor& end,
                                      const Tensor& strides);

}  // namespace ramet
