#pragma once

#include <unordered_map>

#include "ramet/graph/graph_impl.h"

namespace ramet {

// A ConstantEvaluator finds the values of edges that are known while a graph is built. It runs the
// CPU kernels of foldable ops (OpBuilder::Foldable) on constants of at most 4096 elements, and of
// no other op: no file, no state and no function of the program is touched. What it found and what
// it could not find is remembered, and the work is limited: beyond `max_work`, values are unknown.
//
// The graph's lock is held, and neither the inputs nor the shapes of the nodes asked about change,
// while an evaluator is in use. Not thread-safe.
class ConstantEvaluator {
 public:
  // One unit is an element read or written by a kernel; a kernel run adds 64 of them.
  static constexpr int64_t kWorkPerQuery = int64_t{1} << 18;
  static constexpr int64_t kWorkPerNode = 1024;

  explicit ConstantEvaluator(const GraphImpl& impl, int64_t max_work = kWorkPerQuery)
      : impl_(impl), work_left_(max_work) {}

  const GraphImpl& impl() const { return impl_; }
  // The value of an edge, or an empty Tensor when it is not known.
  Tensor ValueOf(Endpoint e) { return Evaluate(e, kMaxDepth); }
  // The shape that the values of a vector describe, as far as known.
  // \error kInvalidArgument if a known value is < -1 or the shape cannot exist.
  StatusOr<Shape> AsShape(Endpoint e) { return PartialShape(e, kMaxDepth); }
  int64_t work_left() const { return work_left_; }

 private:
  static constexpr int kMaxDepth = 16;

  // An empty value says that the edge was not known with `depth` more nodes to look behind.
  struct Entry {
    Tensor value;
    int depth;
  };
  struct ShapeEntry {
    Shape shape;
    int depth;
  };
  static int64_t Key(Endpoint e) {
    return (int64_t{e.node} << 32) | static_cast<uint32_t>(e.index);
  }

  Tensor Evaluate(Endpoint e, int depth);
  Tensor EvaluateNode(Endpoint e, int depth);
  Tensor Fold(Endpoint e, int depth);
  Tensor RunKernel(const NodeRecord& node, int32_t output, const std::vector<Tensor>& inputs);
  // Takes work off the budget; false when it is used up.
  bool Spend(int64_t work);
  StatusOr<Shape> PartialShape(Endpoint e, int depth);
  StatusOr<Shape> PartialShapeOfNode(Endpoint e, int depth);
  StatusOr<Shape> ConcatenatedShape(std::span<const Endpoint> inputs, int depth);
  StatusOr<Shape> PackedShape(std::span<const Endpoint> inputs);

  const GraphImpl& impl_;
  int64_t work_left_;
  std::unordered_map<int64_t, Entry> values_;
  std::unordered_map<int64_t, ShapeEntry> shapes_;
};

}  // namespace ramet
