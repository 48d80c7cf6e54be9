#include "ramet/ops/ragged/padded_shape.h"

#include <vector>

#include "ramet/ops/array/args.h"
#include "ramet/ops/math/gradient_util.h"

namespace ramet {
namespace {

// Returns the rows of x where the mask, which covers its first `dims` dimensions, is true.
Output RowsWhere(GradientContext& c, const Output& x, const Output& mask, int dims) {
  const int64_t all[] = {-1}, first[] = {0};
  const Output shape = ShapeOf(c, x), outer = SliceTo(c, shape, Tensor(int32_t{dims}));
  const Output size = c.Add("Prod", {outer, Int32Vector(c, first)}, {{"keep_dims", true}});
  const Output flat = Reshape(c, x, ConcatVectors(c, {size, SliceFrom(c, shape, dims)}));
  const Output places = c.Add("Where", {Reshape(c, mask, all)});
  const Output rows = c.Add("Squeeze", {places}, {{"squeeze_dims", std::vector<int64_t>{1}}});
  return c.Add("GatherV2", {flat, rows, Tensor(int32_t{0})});
}

// Returns a tensor like the first 1 + ragged_rank dimensions of the result: the number of the value
// that is there, or -1 for the default value.
Output ValueNumbers(GradientContext& c, const Output& grad, const Output& values_shape, int dims) {
  std::vector<Input> inputs = {SliceTo(c, ShapeOf(c, grad), Tensor(int32_t{dims})),
                               RangeTo(c, ElementAt(c, values_shape, 0)), Tensor(int32_t{-1})};
  for (int i = 3; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  AttrMap attrs;
  attrs.Set("row_partition_types", *c.attr<std::vector<std::string>>("row_partition_types"));
  return c.Add("RaggedTensorToTensor", inputs, attrs);
}

// Returns the sum of the gradients over the dimensions that the default value was broadcast to.
Output DefaultGradient(GradientContext& c, const Output& grads) {
  const Output shape = ShapeOf(c, c.input(2));
  const Output axes = c.Add("BroadcastGradientArgs", {shape, ShapeOf(c, grads)});
  return Reshape(c, c.Add("Sum", {grads, axes}), shape);
}

}  // namespace

StatusOr<Shape> AskedShape(ShapeContext& c, int i) {
  const Shape& shape = c.input(i);
  if (shape.unknown_rank()) return Shape::Unknown();
  if (shape.rank() > 0) return c.constant_as_shape(i);
  const Tensor* const value = c.constant(i);
  if (value == nullptr || IntegerAt(*value, 0) == -1) return Shape::Unknown();
  return InvalidArgument(
      "Received an invalid shape scalar with a static value that is not '-1': Tensor<type: ",
      DTypeName(value->dtype()), " shape: [] values: ", IntegerAt(*value, 0), ">");
}

Status CheckPaddedShape(const Shape& asked, int ragged_rank, const Shape& values) {
  if (asked.unknown_rank() || values.unknown_rank()) return OkStatus();
  const int rank = ragged_rank + values.rank();
  if (asked.rank() != rank) {
    return InvalidArgument("rt_input.shape and shape=", asked,
                           " are incompatible: rt_input.rank = ", rank,
                           " but shape.rank = ", asked.rank());
  }
  for (int d = 1; d < values.rank(); ++d) {
    const int64_t want = asked.dim(ragged_rank + d), found = values.dim(d);
    if (want < 0 || found < 0 || want == found) continue;
    return InvalidArgument("rt_input.shape and shape=", asked, " are incompatible: rt_input.shape[",
                           ragged_rank + d, "] = ", found, " but shape[", ragged_rank + d,
                           "] = ", want);
  }
  return OkStatus();
}

Status CheckDefaultShape(const Shape& value, const Shape& values) {
  if (value.unknown_rank() || values.unknown_rank()) return OkStatus();
  if (value.rank() >= values.rank()) {
    return InvalidArgument("default_value.shape=", value,
                           " and rt_input.flat_values.shape=", values,
                           " are incompatible: default_value.rank = ", value.rank(),
                           "  must be less than rt_input.flat_values.rank = ", values.rank());
  }
  for (int back = 1; back <= value.rank(); ++back) {
    const int64_t given = value.dim(value.rank() - back), wanted = values.dim(values.rank() - back);
    if (given < 0 || wanted < 0 || given == 1 || given == wanted) continue;
    return InvalidArgument("default_value.shape=", value,
                           " and rt_input.flat_values.shape=", values,
                           " are incompatible: default_value.shape[", -back, "] = ", given,
                           " but rt_input.flat_values.shape[", -back, "] = ", wanted);
  }
  return OkStatus();
}

Status RaggedTensorToTensorGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(const auto types, c.attr<std::vector<std::string>>("row_partition_types"));
  const int dims = static_cast<int>(types.size()) + (types[0] == "FIRST_DIM_SIZE" ? 0 : 1);
  const Output grad = c.grad(), shape = ShapeOf(c, c.input(1));
  const Output numbers = ValueNumbers(c, grad, shape, dims);
  const Output mask = c.Add("NotEqual", {numbers, Tensor(int32_t{-1})});
  std::vector<Gradient> grads(c.num_inputs());
  grads[1].values = RowsWhere(c, grad, mask, dims);
  grads[1].indices = RowsWhere(c, numbers, mask, dims);
  grads[1].dense_shape = shape;
  grads[2] = DefaultGradient(c, RowsWhere(c, grad, c.Add("LogicalNot", {mask}), dims));
  return c.Return(std::move(grads));
}

}  // namespace ramet
