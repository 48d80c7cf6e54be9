#include "ramet/op/shape_context.h"

#include <algorithm>

namespace ramet {

StatusOr<Shape> ShapeContext::WithRank(int i, int rank) const {
  const Shape& s = input(i);
  if (s.unknown_rank()) return Shape::OfRank(rank);
  if (s.rank() == rank) return s;
  return InvalidArgument("Shape must be rank ", rank, " but is rank ", s.rank(), " (input ", i,
                         " has shape ", s, ")");
}

StatusOr<Shape> ShapeContext::WithRankAtLeast(int i, int rank) const {
  const Shape& s = input(i);
  if (s.unknown_rank() || s.rank() >= rank) return s;
  return InvalidArgument("Shape must be at least rank ", rank, " but is rank ", s.rank(),
                         " (input ", i, " has shape ", s, ")");
}

Status UnchangedShape(ShapeContext& c) {
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status ScalarShape(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, Shape());
  return OkStatus();
}

Status UnknownShape(ShapeContext&) { return OkStatus(); }

Status NoOutputs(ShapeContext&) { return OkStatus(); }

Status BroadcastBinaryShape(ShapeContext& c) {
  auto shape = BroadcastShapes(c.input(0), c.input(1));
  if (!shape.ok()) {
    return InvalidArgument("Dimensions must be equal or 1 to broadcast: shapes ", c.input(0),
                           " and ", c.input(1));
  }
  c.set_output(0, *std::move(shape));
  return OkStatus();
}

Status MergedInputsShape(ShapeContext& c) {
  Shape merged = Shape::Unknown();
  for (int i = 0; i < c.num_inputs(); ++i) {
    RAMET_ASSIGN_OR_RETURN(merged, merged.MergeWith(c.input(i)));
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, merged);
  return OkStatus();
}

StatusOr<std::vector<int64_t>> IntegerValues(const Tensor& t) {
  auto widen = [&]<class T>(T) {
    auto flat = t.flat<T>();
    return std::vector<int64_t>(flat.begin(), flat.end());
  };
  switch (t.dtype()) {
    case DType::kInt32: return widen(int32_t{});
    case DType::kInt64: return widen(int64_t{});
    case DType::kInt16: return widen(int16_t{});
    case DType::kInt8: return widen(int8_t{});
    case DType::kUInt8: return widen(uint8_t{});
    case DType::kUInt16: return widen(uint16_t{});
    case DType::kUInt32: return widen(uint32_t{});
    default:
      return InvalidArgument("expected an integer tensor, but its dtype is ", DTypeName(t.dtype()));
  }
}

StatusOr<std::vector<int>> NormalizeAxes(std::span<const int64_t> axes, int rank) {
  std::vector<int> normal;
  for (int64_t axis : axes) {
    if (axis < -rank || axis >= rank) {
      return InvalidArgument("Invalid reduction dimension (", axis, " for input with ", rank,
                             " dimension(s)");
    }
    normal.push_back(static_cast<int>(axis < 0 ? axis + rank : axis));
  }
  std::ranges::sort(normal);
  return normal;
}

}  // namespace ramet
