#include "ramet/builders/math.h"

#include <numeric>

#include "ramet/gradients/shape_ops.h"
#include "ramet/graph/scope.h"

namespace ramet {
namespace {

// Returns all axes of `x`: a constant if the rank is known, otherwise range(0, rank(x)).
Output AllAxes(const Output& x) {
  Graph& graph = *x.graph();
  const Shape shape = x.shape();
  if (!shape.unknown_rank()) {
    std::vector<int32_t> axes(static_cast<size_t>(shape.rank()));
    std::iota(axes.begin(), axes.end(), 0);
    return Constant(graph, Tensor::Vector(axes), "Const");
  }
  Output rank = AddOp(graph, "Rank", {x}).output(0);
  Scope here(graph);
  Scope scope = here.NameScope("range");
  Output start = Constant(graph, Tensor(int32_t{0}), "start");
  Output delta = Constant(graph, Tensor(int32_t{1}), "delta");
  return AddOp(graph, "Range", {start, rank, delta}, {}, scope.name()).output(0);
}

Output Reduce(std::string_view op, const Output& x, const Axes& axes,
              const ReduceOptions& options) {
  if (!x.valid()) return Output();
  Input along = axes.all() ? Input(AllAxes(x)) : axes.input();
  return AddOp(*x.graph(), op, {x, along}, {{"keep_dims", options.keep_dims}}, options.name)
      .output(0);
}

std::vector<Output> OutputsOf(const Operation& op) {
  return op.valid() ? op.outputs() : std::vector<Output>();
}

// Returns the axes 0, 1, ... in reverse order, computed from the rank if it is unknown.
Output ReversedAxes(const Output& x, Scope& scope) {
  Graph& graph = *x.graph();
  Output rank = AddOp(graph, "Rank", {x}).output(0);
  Output last = AddOp(graph, "Sub", {rank, 1}, {}, "sub").output(0);
  Scope range = scope.NameScope("Range");
  Output limit = Constant(graph, Tensor(int32_t{-1}), "limit");
  Output delta = Constant(graph, Tensor(int32_t{-1}), "delta");
  return AddOp(graph, "Range", {last, limit, delta}, {}, range.name()).output(0);
}

}  // namespace

Output ReduceSum(const Output& x, const Axes& axes, const ReduceOptions& o) {
  return Reduce("Sum", x, axes, o);
}
Output ReduceMean(const Output& x, const Axes& axes, const ReduceOptions& o) {
  return Reduce("Mean", x, axes, o);
}
Output ReduceMax(const Output& x, const Axes& axes, const ReduceOptions& o) {
  return Reduce("Max", x, axes, o);
}
Output ReduceMin(const Output& x, const Axes& axes, const ReduceOptions& o) {
  return Reduce("Min", x, axes, o);
}
Output ReduceProd(const Output& x, const Axes& axes, const ReduceOptions& o) {
  return Reduce("Prod", x, axes, o);
}
Output ReduceAny(const Output& x, const Axes& axes, const ReduceOptions& o) {
  return Reduce("Any", x, axes, o);
}
Output ReduceAll(const Output& x, const Axes& axes, const ReduceOptions& o) {
  return Reduce("All", x, axes, o);
}

Output Concat(const std::vector<Input>& values, int axis, std::string_view name) {
  Graph* graph = GraphOf(values);
  if (graph == nullptr) return Output();
  if (values.size() == 1) return AddOp(*graph, "Identity", {values[0]}, {}, name).output(0);
  std::vector<Input> inputs = values;
  inputs.push_back(Tensor(int32_t{axis}));
  return AddOp(*graph, "ConcatV2", inputs, {{"N", static_cast<int64_t>(values.size())}}, name)
      .output(0);
}

std::vector<Output> Split(const Output& value, int num, int axis, std::string_view name) {
  if (!value.valid()) return {};
  return OutputsOf(
      AddOp(*value.graph(), "Split", {Tensor(int32_t{axis}), value}, {{"num_split", num}}, name));
}

std::vector<Output> Split(const Output& value, const std::vector<int>& sizes, int axis,
                          std::string_view name) {
  if (!value.valid()) return {};
  Output parts = Constant(*value.graph(), Tensor::Vector<int32_t>(sizes), "Const");
  return OutputsOf(AddOp(*value.graph(), "SplitV", {value, parts, Tensor(int32_t{axis})},
                         {{"num_split", static_cast<int64_t>(sizes.size())}}, name));
}

Output Stack(const std::vector<Input>& values, int axis, std::string_view name) {
  Graph* graph = GraphOf(values);
  return graph ? AddOp(*graph, "Pack", values, {{"axis", axis}}, name).output(0) : Output();
}

std::vector<Output> Unstack(const Output& value, int axis, std::string_view name) {
  if (!value.valid()) return {};
  const Shape shape = value.shape();
  const int at = axis < 0 ? axis + shape.rank() : axis;
  if (shape.unknown_rank() || at < 0 || at >= shape.rank() || shape.dim(at) < 0) {
    value.graph()->RecordError(InvalidArgument("Unstack needs a known size of axis ", axis,
                                               ", but the shape of ", value.name(), " is ", shape));
    return {};
  }
  return OutputsOf(
      AddOp(*value.graph(), "Unpack", {value}, {{"num", shape.dim(at)}, {"axis", axis}}, name));
}

Output Transpose(const Output& x, const Axes& perm, std::string_view name) {
  if (!x.valid()) return Output();
  Graph& graph = *x.graph();
  if (!perm.all()) return AddOp(graph, "Transpose", {x, perm.input()}, {}, name).output(0);
  const Shape shape = x.shape();
  if (!shape.unknown_rank()) {
    std::vector<int32_t> reversed(static_cast<size_t>(shape.rank()));
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    return AddOp(graph, "Transpose", {x, Tensor::Vector(reversed)}, {}, name).output(0);
  }
  Scope here(graph);
  Scope scope = here.NameScope(name);
  Output reversed = ReversedAxes(x, scope);
  return AddOp(graph, "Transpose", {x, reversed}, {}, scope.name()).output(0);
}

Output Squeeze(const Output& x, const std::vector<int>& axes, std::string_view name) {
  if (!x.valid()) return Output();
  std::vector<int64_t> dims(axes.begin(), axes.end());
  return AddOp(*x.graph(), "Squeeze", {x}, {{"squeeze_dims", dims}}, name).output(0);
}

Output Gather(const Output& params, const Input& indices, int axis, std::string_view name) {
  if (!params.valid()) return Output();
  return AddOp(*params.graph(), "GatherV2", {params, indices, Tensor(int32_t{axis})}, {}, name)
      .output(0);
}

Output Zeros(Graph& graph, const Shape& shape, DType dtype, std::string_view name) {
  return FilledTensor(graph, shape, dtype, 0, name);
}

Output Ones(Graph& graph, const Shape& shape, DType dtype, std::string_view name) {
  return FilledTensor(graph, shape, dtype, 1, name);
}

}  // namespace ramet
