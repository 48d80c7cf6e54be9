#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/graph/graph.h"

namespace ramet {

// Finding parts of a graph. All operations given to one call are of one graph; results have each
// operation or tensor once. Costs are linear in the size of the graph.

// The operation named `scope` and those under it, in the order of creation.
RAMET_EXPORT std::vector<Operation> OperationsInScope(const Graph& graph, std::string_view scope);

// Those that `keep` says true of, in the order of creation.
RAMET_EXPORT std::vector<Operation> OperationsWhere(
    const Graph& graph, const std::function<bool(const Operation&)>& keep);

struct WalkOptions {
  // Whether control edges are followed.
  bool control_edges = false;
  // Tensors that are not followed.
  std::vector<Output> stop_at = {};
  // If set: only operations that it says true of are met, seeds among them.
  std::function<bool(const Operation&)> within = {};
};

// The seeds and what depends on them; the nearest first, each layer in the order of creation.
RAMET_EXPORT std::vector<Operation> WalkForward(const std::vector<Operation>& seeds,
                                                const WalkOptions& options = {});
// The seeds and what they depend on.
RAMET_EXPORT std::vector<Operation> WalkBackward(const std::vector<Operation>& seeds,
                                                 const WalkOptions& options = {});

// The tensors at the boundary of some operations.
struct Boundary {
  std::vector<Output> inputs;   // read here, made outside
  std::vector<Output> outputs;  // made here; read outside, or nowhere
  std::vector<Output> insides;  // made and read here; may be outputs too
};
RAMET_EXPORT Boundary BoundaryOf(const std::vector<Operation>& operations);

// The inputs that read a tensor.
struct TensorReader {
  Operation op;
  int index;
  bool operator==(const TensorReader&) const = default;
};
RAMET_EXPORT std::vector<TensorReader> ReadersOf(const Output& tensor);

}  // namespace ramet
