#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/graph/graph.h"

namespace ramet {

// Functions that find parts of a graph. All operations passed to one call belong to one graph.
// Results have no duplicates. Time is linear in the size of the graph.

// Returns the operation named `scope` and those under it, in creation order.
RAMET_EXPORT std::vector<Operation> OperationsInScope(const Graph& graph, std::string_view scope);

// Returns the operations for which `keep` is true, in creation order.
RAMET_EXPORT std::vector<Operation> OperationsWhere(
    const Graph& graph, const std::function<bool(const Operation&)>& keep);

struct WalkOptions {
  // Also follow control edges.
  bool control_edges = false;
  // Tensors at which to stop.
  std::vector<Output> stop_at = {};
  // If set, only operations for which it is true are visited, including seeds.
  std::function<bool(const Operation&)> within = {};
};

// Returns the seeds and the operations that depend on them, nearest first; operations at equal
// distance are in creation order.
RAMET_EXPORT std::vector<Operation> WalkForward(const std::vector<Operation>& seeds,
                                                const WalkOptions& options = {});
// Returns the seeds and the operations that they depend on.
RAMET_EXPORT std::vector<Operation> WalkBackward(const std::vector<Operation>& seeds,
                                                 const WalkOptions& options = {});

// The tensors at the boundary of a set of operations.
struct Boundary {
  std::vector<Output> inputs;   // read inside, made outside
  std::vector<Output> outputs;  // made inside; read outside or nowhere
  std::vector<Output> insides;  // made and read inside; may be outputs, too
};
RAMET_EXPORT Boundary BoundaryOf(const std::vector<Operation>& operations);

// An input that reads a tensor.
struct TensorReader {
  Operation op;
  int index;
  bool operator==(const TensorReader&) const = default;
};
RAMET_EXPORT std::vector<TensorReader> ReadersOf(const Output& tensor);

}  // namespace ramet
