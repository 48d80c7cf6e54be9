#include "ramet/gradients/gradient_context.h"

#include <optional>

#include "ramet/gradients/indexed_slices.h"
#include "ramet/gradients/shape_ops.h"

namespace ramet {
namespace {

using Axes = std::vector<int32_t>;

// Returns dimension `axis` of a shape that is right-aligned to rank `rank`.
int64_t AlignedDim(const Shape& shape, int axis, int rank) {
  const int own = axis - (rank - shape.rank());
  return own < 0 ? 1 : shape.dim(own);
}

struct BroadcastAxes {
  Axes x, y;
};

// Returns the axes along which each side was broadcast, or nothing if they depend on run-time
// values.
std::optional<BroadcastAxes> StaticBroadcastAxes(const Shape& x, const Shape& y) {
  if (x.unknown_rank() || y.unknown_rank()) return std::nullopt;
  const int rank = std::max(x.rank(), y.rank());
  BroadcastAxes axes;
  for (int32_t axis = 0; axis < rank; ++axis) {
    const int64_t dx = AlignedDim(x, axis, rank), dy = AlignedDim(y, axis, rank);
    if (dx == 1 && dy != 1) {
      axes.x.push_back(axis);
    } else if (dy == 1 && dx != 1) {
      axes.y.push_back(axis);
    } else if (dx == Shape::kUnknownDim || dy == Shape::kUnknownDim) {
      return std::nullopt;
    }
  }
  return axes;
}

Output Reduce(const Output& grad, const Input& axes, const Output& shape) {
  Graph& graph = *grad.graph();
  Output sum = AddOp(graph, "Sum", {grad, axes}, {{"keep_dims", true}}).output(0);
  return AddOp(graph, "Reshape", {sum, shape}).output(0);
}

bool SameStaticShape(const Output& x, const Output& y, const Output& grad) {
  return x.shape().IsFullyDefined() && x.shape() == y.shape() &&
         (!grad.valid() || x.shape() == grad.shape());
}

}  // namespace

GradientContext::GradientContext(Operation op, std::vector<Gradient> grads,
                                 std::vector<Output> zeros)
    : op_(op), grads_(std::move(grads)), dense_(std::move(zeros)) {
  grads_.resize(static_cast<size_t>(op_.num_outputs()));
  dense_.resize(grads_.size());
}

Output GradientContext::grad(int i) {
  const Gradient& arrived = grads_[static_cast<size_t>(i)];
  Output& dense = dense_[static_cast<size_t>(i)];
  if (dense.valid()) return dense;
  dense = arrived.exists() ? DenseGradient(arrived) : ZerosLikeOutput(output(i), false);
  return dense;
}

Output GradientContext::Add(std::string_view op, const std::vector<Input>& inputs, AttrMap attrs,
                            std::string_view name) {
  return AddOperation(op, inputs, std::move(attrs), name).output(0);
}

Operation GradientContext::AddOperation(std::string_view op, const std::vector<Input>& inputs,
                                        AttrMap attrs, std::string_view name) {
  return AddOp(graph(), op, inputs, std::move(attrs), name);
}

Status GradientContext::ReturnBroadcast(Output grad_x, Output grad_y) {
  const Output x = input(0), y = input(1);
  if (SameStaticShape(x, y, grad_x) && SameStaticShape(x, y, grad_y)) {
    return Return({grad_x, grad_y});
  }
  if (!grad_x.valid() && !grad_y.valid()) return Return({Gradient(), Gradient()});
  const Output x_shape = ShapeVector(x), y_shape = ShapeVector(y);
  if (auto axes = StaticBroadcastAxes(x.shape(), y.shape())) {
    const bool reduce_x = !axes->x.empty() || x.shape().rank() < y.shape().rank();
    const bool reduce_y = !axes->y.empty() || y.shape().rank() < x.shape().rank();
    if (grad_x.valid() && reduce_x) grad_x = Reduce(grad_x, Tensor::Vector(axes->x), x_shape);
    if (grad_y.valid() && reduce_y) grad_y = Reduce(grad_y, Tensor::Vector(axes->y), y_shape);
  } else {
    Operation args = AddOperation("BroadcastGradientArgs", {x_shape, y_shape});
    if (!args.valid()) return graph().status();
    if (grad_x.valid()) grad_x = Reduce(grad_x, args.output(0), x_shape);
    if (grad_y.valid()) grad_y = Reduce(grad_y, args.output(1), y_shape);
  }
  return Return({grad_x, grad_y});
}

Status GradientContext::Return(std::vector<Gradient> input_grads) {
  if (input_grads.size() != static_cast<size_t>(num_inputs())) {
    return InvalidArgument("Num gradients ", input_grads.size(), " generated for op '", op_.name(),
                           "' (", op_.type(), ") do not match num inputs ", num_inputs());
  }
  returned_ = std::move(input_grads);
  return OkStatus();
}

}  // namespace ramet
