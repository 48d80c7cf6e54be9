#include "ramet/builders/train/sparse_rows.h"

#include "ramet/graph/scope.h"

namespace ramet {

Gradient SumRepeatedRows(const Gradient& gradient) {
  Graph& graph = *gradient.values.graph();
  Operation unique = AddOp(graph, "Unique", {gradient.indices});
  if (!unique.valid()) return Gradient();
  Output shape = AddOp(graph, "Shape", {unique.output(0)}).output(0);
  Output rows;
  {
    auto at = [](int32_t i) { return Tensor::Vector<int32_t>({i}); };
    Scope here(graph);
    Scope scope = here.NameScope("strided_slice");
    Output begin = Constant(graph, at(0), "stack");
    Output end = Constant(graph, at(1), "stack_1");
    Output strides = Constant(graph, at(1), "stack_2");
    rows = AddOp(graph, "StridedSlice", {shape, begin, end, strides}, {{"shrink_axis_mask", 1}},
                 scope.name())
               .output(0);
  }
  Gradient summed;
  summed.values =
      AddOp(graph, "UnsortedSegmentSum", {gradient.values, unique.output(1), rows}).output(0);
  summed.indices = unique.output(0);
  summed.dense_shape = gradient.dense_shape;
  return summed;
}

}  // namespace ramet
