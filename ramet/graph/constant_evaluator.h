#pragma once

#include <unordered_map>

#include "ramet/graph/graph_data.h"

namespace ramet {

// A ConstantEvaluator computes the values of edges that are known at build time. It runs only the
// CPU kernels of foldable ops (OpBuilder::Foldable), on constants of at most 4096 elements, so it
// touches no files, no state and no functions of the program. Results, including failures, are
// cached. Work is limited: beyond `max_work`, values are unknown.
//
// While an evaluator is in use, the graph's lock is held, and the inputs and shapes of the nodes
// asked about do not change. Not thread-safe.
class ConstantEvaluator {
 public:
  // A unit of work is one element read or written by a kernel. Each kernel run costs 64 more.
  static constexpr int64_t kWorkPerQuery = int64_t{1} << 18;
  static constexpr int64_t kWorkPerNode = 1024;

  explicit ConstantEvaluator(const GraphData& graph, int64_t max_work = kWorkPerQuery)
      : graph_(graph), work_left_(max_work) {}

  const GraphData& graph() const { return graph_; }
  // Returns the value of an edge, or an empty Tensor if it is unknown.
  Tensor ValueOf(Endpoint e) { return Evaluate(e, kMaxDepth); }
  // Returns the shape that the elements of a vector describe, as far as known.
  // \error kInvalidArgument: a known element is less than -1, or the shape is impossible.
  StatusOr<Shape> AsShape(Endpoint e) { return PartialShape(e, kMaxDepth); }
  int64_t work_left() const { return work_left_; }

 private:
  static constexpr int kMaxDepth = 16;

  // An empty value means that the edge could not be evaluated within `depth` more levels of nodes.
  struct Entry {
    Tensor value;
    int depth;
  };
  struct ShapeEntry {
    Shape shape;
    int depth;
  };

  Tensor Evaluate(Endpoint e, int depth);
  Tensor EvaluateNode(Endpoint e, int depth);
  Tensor Fold(Endpoint e, int depth);
  Tensor RunKernel(const NodeRecord& node, int32_t output, const std::vector<Tensor>& inputs);
  // Subtracts `work` from the budget. Returns false if the budget is exhausted.
  bool Spend(int64_t work);
  StatusOr<Shape> PartialShape(Endpoint e, int depth);
  StatusOr<Shape> PartialShapeOfNode(Endpoint e, int depth);
  StatusOr<Shape> ConcatenatedShape(std::span<const Endpoint> inputs, int depth);
  StatusOr<Shape> PackedShape(std::span<const Endpoint> inputs);

  const GraphData& graph_;
  int64_t work_left_;
  std::unordered_map<uint64_t, Entry> values_;
  std::unordered_map<uint64_t, ShapeEntry> shapes_;
};

}  // namespace ramet
