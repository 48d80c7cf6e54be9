#include "ramet/ops/array/quantize_util.h"

#include <limits>

namespace ramet {

QuantizedSlices QuantizedSlices::Of(const Shape& shape, int axis) {
  QuantizedSlices slices;
  if (axis == -1) {
    slices.inner = shape.num_elements();
    return slices;
  }
  for (int i = 0; i < shape.rank(); ++i) {
    (i < axis ? slices.outer : i == axis ? slices.slices : slices.inner) *= shape.dim(i);
  }
  return slices;
}

int32_t ToInt32(float x) {
  constexpr float kEnd = 2147483648.0F;
  return x >= -kEnd && x < kEnd ? static_cast<int32_t>(x) : std::numeric_limits<int32_t>::min();
}

StatusOr<QuantizeAttrs> QuantizeAttrs::Of(const KernelNode& node) {
  QuantizeAttrs attrs;
  attrs.mode_name = node.attrs->GetOr<std::string>("mode", "MIN_COMBINED");
  attrs.mode = attrs.mode_name == "SCALED"      ? QuantizeMode::kScaled
               : attrs.mode_name == "MIN_FIRST" ? QuantizeMode::kMinFirst
                                                : QuantizeMode::kMinCombined;
  attrs.narrow_range = node.attrs->GetOr("narrow_range", false);
  const auto axis = node.attrs->GetOr<int64_t>("axis", -1);
  if (axis < -1 || axis >= Shape::kMaxRank) {
    return InvalidArgument("axis should be at least -1, got ", axis);
  }
  attrs.axis = static_cast<int>(axis);
  return attrs;
}

template <int kFirst>
Status QuantizedShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(int64_t axis, c.attr<int64_t>("axis"));
  if (axis < -1 || axis >= Shape::kMaxRank) {
    return InvalidArgument("axis should be at least -1, got ", axis);
  }
  RAMET_ASSIGN_OR_RETURN(Shape low, c.WithRank(kFirst, axis == -1 ? 0 : 1));
  RAMET_ASSIGN_OR_RETURN(Shape range, low.MergeWith(c.input(kFirst + 1)));
  Shape x = c.input(0);
  if (axis != -1) {
    RAMET_ASSIGN_OR_RETURN(x, c.WithRankAtLeast(0, static_cast<int>(axis) + 1));
    if (!x.unknown_rank()) {
      const int at = static_cast<int>(axis);
      RAMET_ASSIGN_OR_RETURN(range, range.MergeWith(x.Slice(at, at + 1)));
    }
  }
  c.set_output(0, std::move(x));
  for (int i = 1; i < c.num_outputs(); ++i) c.set_output(i, range);
  return OkStatus();
}

template Status QuantizedShape<1>(ShapeContext& c);
template Status QuantizedShape<2>(ShapeContext& c);

}  // namespace ramet
