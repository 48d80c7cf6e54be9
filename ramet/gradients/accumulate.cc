#include "ramet/gradients/accumulate.h"

#include <array>

#include "ramet/gradients/indexed_slices.h"
#include "ramet/gradients/shape_ops.h"
#include "ramet/graph/scope.h"
#include "ramet/graph/while_context.h"

namespace ramet {
namespace {

// Makes the zeros before the first iteration, in the context around the gradient loop. Their shape
// comes from a value of the context around the forward loop.
StatusOr<Output> InitialSum(LoopState& state, const Output& like, const Output& gradient) {
  Graph& graph = *gradient.graph();
  const DType dtype = BaseType(gradient.dtype());
  ControlFlowContext* const around = state.gradient_context().outer();
  if (gradient.shape().IsFullyDefined()) {
    InContext outside(graph, around);
    return Constant(graph, ZerosTensor(dtype, gradient.shape()), "b_acc");
  }
  LoopState* const outer = state.outer();
  if (outer == nullptr || around != &outer->gradient_context()) {
    InContext outside(graph, around);
    return FillWith(graph, RuntimeShape(like), dtype, 0, "zeros");
  }
  Output shape;
  {
    InContext forward(graph, state.forward_context()->outer());
    shape = RuntimeShape(like);
  }
  RAMET_RETURN_IF_ERROR(graph.status());
  RAMET_ASSIGN_OR_RETURN(const Output stack, outer->Remember(shape));
  InContext outside(graph, around);
  RAMET_ASSIGN_OR_RETURN(shape, outer->Recall(stack, shape));
  return FillWith(graph, shape, dtype, 0, "zeros");
}

// Variables of a gradient loop that start with `starts` and have `shapes` in each iteration.
struct Sums {
  std::vector<Output> merges, now, leaving;
};

StatusOr<Sums> BeginSums(WhileContext& loop, const std::vector<Output>& starts,
                         const std::vector<Shape>& shapes) {
  Graph& graph = loop.graph();
  Sums sums;
  std::vector<Output> enters;
  for (size_t i = 0; i < starts.size(); ++i) {
    loop.AddName(starts[i]);
    RAMET_ASSIGN_OR_RETURN(enters.emplace_back(), loop.AddEnter(starts[i], false, false, "b_acc"));
    RAMET_RETURN_IF_ERROR(graph.SetShape(enters[i], shapes[i]));
    loop.loop_enters().push_back(enters[i]);
  }
  for (const Output& enter : enters) {
    RAMET_ASSIGN_OR_RETURN(Operation merge, TryAddOp(graph, "Merge", {enter, enter}, {}, "b_acc"));
    sums.merges.push_back(merge.output(0));
  }
  for (const Output& merge : sums.merges) {
    RAMET_ASSIGN_OR_RETURN(Operation sides, TryAddOp(graph, "Switch", {merge, loop.pivot()}));
    sums.leaving.push_back(sides.output(0));
    sums.now.push_back(sides.output(1));
  }
  return sums;
}

StatusOr<std::vector<Output>> FinishSums(WhileContext& loop, const Sums& sums,
                                         const std::vector<Output>& next) {
  RAMET_RETURN_IF_ERROR(loop.graph().status());
  for (size_t i = 0; i < next.size(); ++i) {
    RAMET_RETURN_IF_ERROR(loop.AddBackEdge(sums.merges[i], next[i], false).status());
  }
  std::vector<Output> exits;
  for (const Output& leaving : sums.leaving) {
    RAMET_ASSIGN_OR_RETURN(Operation exit, TryAddOp(loop.graph(), "Exit", {leaving}, {}, "b_acc"));
    exits.push_back(exit.output(0));
    loop.loop_exits().push_back(exits.back());
  }
  loop.ExitResult(exits);
  return exits;
}

StatusOr<Gradient> AccumulateDense(LoopState& state, const Output& like, const Output& gradient) {
  WhileContext& loop = state.gradient_context();
  RAMET_ASSIGN_OR_RETURN(const Output start, InitialSum(state, like, gradient));
  RAMET_RETURN_IF_ERROR(loop.graph().status());
  InContext inside(loop.graph(), &loop);
  RAMET_ASSIGN_OR_RETURN(const Sums sums, BeginSums(loop, {start}, {start.shape()}));
  Output sum = AddOp(loop.graph(), "AddV2", {sums.now[0], gradient}, {}, "Add").output(0);
  RAMET_ASSIGN_OR_RETURN(auto exits, FinishSums(loop, sums, {sum}));
  return Gradient(exits[0]);
}

Output Concat(Graph& graph, const std::vector<Input>& rows) {
  Scope here(graph);
  Scope scope = here.NameScope("concat");
  std::vector<Input> inputs = rows;
  inputs.push_back(Constant(graph, Tensor(int32_t{0}), "axis"));
  return AddOp(graph, "ConcatV2", inputs, {}, scope.name()).output(0);
}

// Returns the dimensions of a row: all but the first of the whole.
Output RowDims(Graph& graph, const Output& shape) {
  auto at = [](int32_t i) { return Tensor::Vector<int32_t>({i}); };
  Scope here(graph);
  Scope scope = here.NameScope("strided_slice");
  Output begin = Constant(graph, at(1), "stack");
  Output end = Constant(graph, at(0), "stack_1");
  Output strides = Constant(graph, at(1), "stack_2");
  return AddOp(graph, "StridedSlice", {shape, begin, end, strides}, {{"end_mask", 1}}, scope.name())
      .output(0);
}

// Makes one row of zeros, so that there is a row even if the loop does not run.
Output InitialRow(Graph& graph, const Output& like, const Output& rows) {
  const DType dtype = BaseType(rows.dtype());
  const Shape shape = rows.shape();
  if (shape.IsFullyDefined() && shape.rank() > 0) {
    std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    dims[0] = 1;
    return Constant(graph, ZerosTensor(dtype, Shape(dims)), "b_acc");
  }
  Output row_dims = RowDims(graph, RuntimeShape(like));
  Scope here(graph);
  Output full;
  {
    Scope scope = here.NameScope("concat");
    Output one = Constant(graph, Tensor::Vector<int32_t>({1}), "values_0");
    Output axis = Constant(graph, Tensor(int32_t{0}), "axis");
    full = AddOp(graph, "ConcatV2", {one, row_dims, axis}, {}, scope.name()).output(0);
  }
  return FillWith(graph, full, dtype, 0, "zeros");
}

Output InitialShape(Graph& graph, const Output& like, const Output& dense_shape) {
  const Shape dims = dense_shape.shape();
  if (dims.IsFullyDefined())
    return Constant(graph, ZerosTensor(BaseType(dense_shape.dtype()), dims));
  return ZerosLikeOutput(RuntimeShape(like, BaseType(dense_shape.dtype())), false);
}

// Makes the indices, the rows and, if known, the shape.
StatusOr<std::vector<Output>> InitialSlices(LoopState& state, const Output& like,
                                            const Gradient& gradient) {
  Graph& graph = *gradient.values.graph();
  InContext outside(graph, state.gradient_context().outer());
  Output rows = InitialRow(graph, like, gradient.values);
  Output indices = Constant(graph, ZerosTensor(BaseType(gradient.indices.dtype()), Shape{1}));
  std::vector<Output> starts = {indices, rows};
  if (gradient.dense_shape.valid()) {
    starts.push_back(InitialShape(graph, like, gradient.dense_shape));
  }
  RAMET_RETURN_IF_ERROR(graph.status());
  return starts;
}

Shape AnyRows(const Shape& rows) {
  if (rows.unknown_rank() || rows.rank() == 0) return Shape::Unknown();
  std::vector<int64_t> dims(rows.dims().begin(), rows.dims().end());
  dims[0] = Shape::kUnknownDim;
  return Shape(dims);
}

StatusOr<Gradient> AccumulateSlices(LoopState& state, const Output& like,
                                    const Gradient& gradient) {
  WhileContext& loop = state.gradient_context();
  Graph& graph = loop.graph();
  RAMET_ASSIGN_OR_RETURN(const auto starts, InitialSlices(state, like, gradient));
  InContext inside(graph, &loop);
  std::vector<Shape> shapes = {Shape::OfRank(1), AnyRows(gradient.values.shape())};
  if (starts.size() > 2) shapes.push_back(Shape::Unknown());
  RAMET_ASSIGN_OR_RETURN(const Sums sums, BeginSums(loop, starts, shapes));
  std::vector<Output> next = {Concat(graph, {sums.now[0], gradient.indices}),
                              Concat(graph, {sums.now[1], gradient.values})};
  if (gradient.dense_shape.valid()) {
    next.push_back(AddOp(graph, "Maximum", {gradient.dense_shape, sums.now[2]}).output(0));
  }
  RAMET_ASSIGN_OR_RETURN(auto exits, FinishSums(loop, sums, next));
  Gradient sum(exits[1]);
  sum.indices = exits[0];
  if (exits.size() > 2) sum.dense_shape = exits[2];
  return sum;
}

}  // namespace

StatusOr<Gradient> AccumulateOverLoop(LoopState& state, const Operation& enter,
                                      const Gradient& gradient) {
  const Output like = enter.input(0);
  return gradient.sparse() ? AccumulateSlices(state, like, gradient)
                           : AccumulateDense(state, like, gradient.values);
}

}  // namespace ramet
