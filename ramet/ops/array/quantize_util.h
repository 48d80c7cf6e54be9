#pragma once

#include <string>
#include <string_view>

#include "ramet/op/kernel.h"
#include "ramet/op/shape_context.h"

namespace ramet {

// A view of a tensor as [outer, slices, inner], in which each slice along the attr `axis` has its
// own range. If axis is -1, there is one slice.
struct QuantizedSlices {
  int64_t outer = 1, slices = 1, inner = 1;

  static QuantizedSlices Of(const Shape& shape, int axis);
  // Calls fn(slice, first element, number of elements) for each run of elements of one slice.
  template <class Fn>
  void ForEachRun(Fn&& fn) const {
    for (int64_t i = 0; i < outer * slices && inner > 0; ++i) fn(i % slices, i * inner, inner);
  }
};

// Converts a float to an integer as x86 does: values that do not fit become the smallest integer.
int32_t ToInt32(float x);

enum class QuantizeMode { kMinCombined, kMinFirst, kScaled };

// The attrs mode, narrow_range and axis.
struct QuantizeAttrs {
  QuantizeMode mode = QuantizeMode::kMinCombined;
  std::string mode_name;
  bool narrow_range = false;
  int axis = -1;

  // \error kInvalidArgument: "axis should be at least -1, got -2".
  static StatusOr<QuantizeAttrs> Of(const KernelNode& node);
};

// Infers the shapes of a quantization op. Output 0 is like input 0. Inputs `kFirst` and `kFirst` +
// 1 are a range: scalars, or, with the attr axis, vectors as long as that dimension. Outputs 1 and
// 2, if they exist, are like the range.
template <int kFirst>
Status QuantizedShape(ShapeContext& c);
extern template Status QuantizedShape<1>(ShapeContext& c);
extern template Status QuantizedShape<2>(ShapeContext& c);

}  // namespace ramet
