#pragma once

#include <string>
#include <string_view>

#include "ramet/op/kernel.h"
#include "ramet/op/shape_context.h"

namespace ramet {

// A tensor seen as [outer, slices, inner], where each slice along attr `axis` has a range of its
// own; axis -1: one slice.
struct QuantizedSlices {
  int64_t outer = 1, slices = 1, inner = 1;

  static QuantizedSlices Of(const Shape& shape, int axis);
  // fn(slice, first element, number of elements) for each run of elements of one slice.
  template <class Fn>
  void ForEachRun(Fn&& fn) const {
    for (int64_t i = 0; i < outer * slices && inner > 0; ++i) fn(i % slices, i * inner, inner);
  }
};

// The integer that a CPU makes of a float; the smallest one where there is none.
int32_t ToInt32(float x);

enum class QuantizeMode { kMinCombined, kMinFirst, kScaled };

// What attrs mode, narrow_range and axis say. \error kInvalidArgument "axis should be at
// least -1, got -2".
struct QuantizeAttrs {
  QuantizeMode mode = QuantizeMode::kMinCombined;
  std::string mode_name;
  bool narrow_range = false;
  int axis = -1;

  static StatusOr<QuantizeAttrs> Of(const KernelNode& node);
};

// Output 0 is like input 0; inputs `first` and `first` + 1 are a range: scalars, or, with attr
// axis, vectors as long as that dimension. Outputs 1 and 2, where they exist, are like the range.
template <int kFirst>
Status QuantizedShape(ShapeContext& c);
extern template Status QuantizedShape<1>(ShapeContext& c);
extern template Status QuantizedShape<2>(ShapeContext& c);

}  // namespace ramet
