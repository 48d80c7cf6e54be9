#include "ramet/gradients/indexed_slices.h"

#include <algorithm>
#include <map>

#include "ramet/gradients/scopes.h"

namespace ramet {
namespace {

// Adds tensors on one device, like _MultiDeviceAddN.
Output AddOnDevice(Graph& graph, const std::vector<Output>& tensors) {
  if (tensors.size() == 1) return tensors[0];
  WithoutColocation alone(graph);
  Scope here(graph);
  Scope colocated = here.ColocateWith(tensors[0].op());
  return AddOp(graph, "AddN", {tensors.begin(), tensors.end()}).output(0);
}

Output AddDense(Graph& graph, const std::vector<Gradient>& gradients) {
  std::map<std::string, std::vector<Output>> by_device;
  for (const Gradient& g : gradients) by_device[g.values.op().device()].push_back(g.values);
  std::vector<Input> sums;
  for (auto& [device, tensors] : by_device) sums.push_back(AddOnDevice(graph, tensors));
  if (sums.size() == 1) return sums[0].output();
  return AddOp(graph, "AddN", sums).output(0);
}

// Adds an AddN over dense and sparse gradients, with the dense forms of the latter in its scope.
Output AddMixed(Graph& graph, const std::vector<Gradient>& gradients) {
  Scope here(graph);
  Scope scope = here.NameScope("AddN");
  std::vector<Input> dense;
  for (size_t i = 0; i < gradients.size(); ++i) {
    dense.push_back(DenseGradient(gradients[i], StrCat("inputs_", i)));
  }
  return AddOp(graph, "AddN", dense, {}, scope.name()).output(0);
}

Output ConcatRows(Graph& graph, const std::vector<Input>& parts) {
  std::vector<Input> inputs = parts;
  Scope here(graph);
  Scope scope = here.NameScope("concat");
  inputs.push_back(Constant(graph, Tensor(int32_t{0}), "axis"));
  return AddOp(graph, "ConcatV2", inputs, {}, scope.name()).output(0);
}

Gradient ConcatSparse(Graph& graph, const std::vector<Gradient>& gradients) {
  auto narrow = [](const Gradient& g) { return g.indices.dtype() == kInt32; };
  const bool widen =
      std::ranges::any_of(gradients, narrow) && !std::ranges::all_of(gradients, narrow);
  std::vector<Input> values, indices;
  for (const Gradient& g : gradients) {
    values.push_back(g.values);
    indices.push_back(widen && narrow(g)
                          ? AddOp(graph, "Cast", {g.indices}, {{"DstT", kInt64}}).output(0)
                          : g.indices);
  }
  Gradient sum;
  sum.values = ConcatRows(graph, values);
  sum.indices = ConcatRows(graph, indices);
  sum.dense_shape = gradients[0].dense_shape;
  return sum;
}

}  // namespace

Output FirstDim(Graph& graph, const Output& shape) {
  auto at = [](int32_t i) { return Tensor::Vector<int32_t>({i}); };
  Scope here(graph);
  Scope scope = here.NameScope("strided_slice");
  Output begin = Constant(graph, at(0), "stack");
  Output end = Constant(graph, at(1), "stack_1");
  Output strides = Constant(graph, at(1), "stack_2");
  return AddOp(graph, "StridedSlice", {shape, begin, end, strides}, {{"shrink_axis_mask", 1}},
               scope.name())
      .output(0);
}

Output DenseGradient(const Gradient& gradient, std::string_view name) {
  if (!gradient.sparse() || !gradient.exists()) return gradient.values;
  Graph& graph = *gradient.values.graph();
  if (!gradient.dense_shape.valid()) {
    graph.RecordError(InvalidArgument("the sparse gradient ", gradient.values.name(),
                                      " has no dense_shape, so it cannot be made dense"));
    return Output();
  }
  Output rows = FirstDim(graph, gradient.dense_shape);
  return AddOp(graph, "UnsortedSegmentSum", {gradient.values, gradient.indices, rows}, {}, name)
      .output(0);
}

Gradient SumGradients(Graph& graph, const std::vector<Gradient>& gradients) {
  std::vector<Gradient> terms;
  std::ranges::copy_if(gradients, std::back_inserter(terms), &Gradient::exists);
  if (terms.empty()) return Gradient();
  if (terms.size() == 1) return terms[0];
  const auto sparse = std::ranges::count_if(terms, &Gradient::sparse);
  if (sparse == 0) return AddDense(graph, terms);
  if (static_cast<size_t>(sparse) == terms.size()) return ConcatSparse(graph, terms);
  return AddMixed(graph, terms);
}

}  // namespace ramet
