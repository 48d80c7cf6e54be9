#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/tensor/shape.h"
#include "ramet/tensor/tensor.h"

namespace ramet {

// A TensorSlice is a box in a tensor. In each dimension it has a start and a length, or covers the
// whole dimension. A value type. "0,4" in a dimension of size 4 and the whole dimension are
// different slices with different keys in a checkpoint, although they cover the same elements.
class RAMET_EXPORT TensorSlice {
 public:
  struct Extent {
    static constexpr int64_t kWhole = -1;
    int64_t start = 0;
    int64_t length = kWhole;
    bool whole() const { return length == kWhole; }
    bool operator==(const Extent&) const = default;
  };

  // Makes the slice of a scalar, of rank 0.
  TensorSlice() = default;
  explicit TensorSlice(std::vector<Extent> extents) : extents_(std::move(extents)) {}
  // Returns a slice that covers `rank` whole dimensions.
  static TensorSlice Whole(int rank) { return TensorSlice(std::vector<Extent>(rank)); }
  // Parses "start,length" or "-" for each dimension, joined by ':'.
  // \error kInvalidArgument: "Expected a pair of numbers or '-' but got ..." or "Expected
  //   non-negative start and positive length but got ...".
  static StatusOr<TensorSlice> Parse(std::string_view text);

  int rank() const { return static_cast<int>(extents_.size()); }
  const std::vector<Extent>& extents() const { return extents_; }
  const Extent& extent(int i) const { return extents_[i]; }

  // Returns the shape of this slice of a tensor of shape `full`, which must be fully defined.
  // \error kInternal: "Mismatching ranks: ..." or "Extent in dimension 1 out of bounds: ...", as in
  //   TensorFlow.
  StatusOr<Shape> ShapeIn(const Shape& full) const;
  // Returns the slice with every extent given by numbers. Requires ShapeIn(full).ok().
  TensorSlice Explicit(const Shape& full) const;
  // Reports whether it covers all of `full`. Requires ShapeIn(full).ok().
  bool Covers(const Shape& full) const;

  bool operator==(const TensorSlice&) const = default;
  // Returns text such as "0,4:-"; "" for rank 0.
  std::string ToString() const;

 private:
  std::vector<Extent> extents_;
};

// A parsed element of the input shape_and_slices of SaveV2 and RestoreV2.
struct ShapeAndSlice {
  Shape full_shape;
  TensorSlice slice;
  Shape slice_shape;
};

// Parses "d0 d1 ... dn-1 e0:e1:...:en-1", such as "10 2 4,3:0,2". The caller must handle the empty
// string, which stands for a whole tensor.
// \error kInvalidArgument: the text is malformed ("Non numerical dimension in shape_and_slice:
//   ...") or the shape is invalid.
// \error as TensorSlice::ShapeIn.
RAMET_EXPORT StatusOr<ShapeAndSlice> ParseShapeAndSlice(std::string_view spec);

// Copies the elements that two boxes of a tensor have in common: from `from`, which holds the box
// `from_slice`, to `to`, which holds the box `to_slice`. Both slices must be explicit, in range and
// of the same rank. Both tensors must be in host memory and have the same dtype and the shape of
// their slice. `to` must not be shared.
void CopyOverlap(const Tensor& from, const TensorSlice& from_slice, const TensorSlice& to_slice,
                 Tensor* to);

}  // namespace ramet
