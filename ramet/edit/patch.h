#pragma once

#include <map>
#include <utility>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/graph/graph.h"

namespace ramet {

class EdgePlan;

// A GraphPatch is a set of changes to the edges of a graph. It is built separately, checked as a
// whole, and applied atomically. Nothing touches the graph before Apply, and a rejected patch
// leaves it unchanged. Sessions see an applied patch on their next run.
//
// Static shapes are not inferred again. Collections, attrs and `loc:@` groups are unchanged.
//
// Threads: a patch belongs to one thread. Apply locks the graph, so a run compiles either the old
// or the new edges.
class RAMET_EXPORT GraphPatch {
 public:
  // The graph must outlive the patch.
  explicit GraphPatch(Graph& graph) : graph_(&graph) {}

  // Sets input `index` of `op` to `input`. For the same input, the last call wins.
  void SetInput(Operation op, int index, Output input);
  // Makes `op` wait for `control`. Has no effect if it already does.
  void AddControlInput(Operation op, Operation control);
  void RemoveControlInput(Operation op, Operation control);

  // Returns input `index` of `op` as set here, or else as in the graph. The input must exist.
  Output InputOf(Operation op, int index) const;
  bool empty() const { return inputs_.empty() && controls_.empty(); }

  struct Options {
    // Rejects edges that close a cycle. The back edges of loops (NextIteration to Merge) do not
    // count.
    bool check_cycles = true;
  };

  // Checks whether Apply would succeed. Errors name the node.
  // \error kInvalidArgument: a handle is invalid or belongs to a different graph.
  // \error kInvalidArgument: there is no such input or output, or no such control input to remove.
  // \error kInvalidArgument: the dtype (ignoring references) or static shape does not match the
  //   replaced tensor.
  // \error kInvalidArgument: an edge closes a cycle.
  // \error kFailedPrecondition: the graph is finalized.
  Status Check(const Options& options) const;
  Status Check() const { return Check(Options()); }
  // Checks the patch and, if there is no error, changes the graph. The patch itself does not
  // change. Errors are those of Check.
  Status Apply(const Options& options);
  Status Apply() { return Apply(Options()); }

 private:
  struct ControlChange {
    Operation op;
    Operation control;
    bool add;
  };
  using InputKey = std::pair<NodeId, int>;

  Status CheckHandles() const;
  // The caller holds the graph's lock.
  StatusOr<EdgePlan> Plan(const Options& options) const;

  Graph* graph_;
  std::map<InputKey, Output> inputs_;
  std::vector<ControlChange> controls_;
  std::vector<Operation> foreign_;  // nodes of different graphs, which Check rejects
};

}  // namespace ramet
