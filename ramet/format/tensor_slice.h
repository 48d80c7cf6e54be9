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

// A TensorSlice is a box in a tensor: of each dimension a start and a length, or the whole
// dimension. A value type. "0,4" over a dimension of size 4 and the whole dimension are different
// slices (their keys in a checkpoint differ), though they cover the same elements.
class RAMET_EXPORT TensorSlice {
 public:
  struct Extent {
    static constexpr int64_t kWhole = -1;
    int64_t start = 0;
    int64_t length = kWhole;
    bool whole() const { return length == kWhole; }
    bool operator==(const Extent&) const = default;
  };

  // The slice of a scalar: rank 0.
  TensorSlice() = default;
  explicit TensorSlice(std::vector<Extent> extents) : extents_(std::move(extents)) {}
  // Every dimension whole.
  static TensorSlice Whole(int rank) { return TensorSlice(std::vector<Extent>(rank)); }
  // "start,length" or "-" for each dimension, joined by ':'.
  // \error kInvalidArgument "Expected a pair of numbers or '-' but got ...", or "Expected
  // non-negative
  //   start and positive length but got ...".
  static StatusOr<TensorSlice> Parse(std::string_view text);

  int rank() const { return static_cast<int>(extents_.size()); }
  const std::vector<Extent>& extents() const { return extents_; }
  const Extent& extent(int i) const { return extents_[i]; }

  // The shape of this slice of a tensor of shape `full`, which is fully defined.
  // \error kInternal "Mismatching ranks: ..." or "Extent in dimension 1 out of bounds: ...", as
  //   TensorFlow has it.
  StatusOr<Shape> ShapeIn(const Shape& full) const;
  // The same elements of `full` with every extent given by numbers. Needs ShapeIn(full).ok().
  TensorSlice Explicit(const Shape& full) const;
  // Whether it is all of `full`. Needs ShapeIn(full).ok().
  bool Covers(const Shape& full) const;

  bool operator==(const TensorSlice&) const = default;
  // "0,4:-"; "" for rank 0.
  std::string ToString() const;

 private:
  std::vector<Extent> extents_;
};

// What an entry of the input shape_and_slices of SaveV2 and RestoreV2 says.
struct ShapeAndSlice {
  Shape full_shape;
  TensorSlice slice;
  Shape slice_shape;
};

// "d0 d1 ... dn-1 e0:e1:...:en-1", for instance "10 2 4,3:0,2". The empty string, which stands for
// a whole tensor, is for the caller to tell apart. \error kInvalidArgument if it does not parse
// ("Non numerical dimension in shape_and_slice: ..."), or
//   the shape is illegal; kInternal as TensorSlice::ShapeIn.
RAMET_EXPORT StatusOr<ShapeAndSlice> ParseShapeAndSlice(std::string_view spec);

// Copies the elements that two boxes of one tensor have in common. Of a tensor whose box
// `from_slice` is held by `from`, and whose box `to_slice` is held by `to`; both slices are
// explicit, of the same rank and in range, both tensors of the same dtype, in host memory and of
// their slice's shape; `to` is not shared.
void CopyOverlap(const Tensor& from, const TensorSlice& from_slice, const TensorSlice& to_slice,
                 Tensor* to);

}  // namespace ramet
