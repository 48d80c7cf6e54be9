#pragma once

#include <map>
#include <utility>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/graph/graph.h"

namespace ramet {

class EdgePlan;

// A GraphPatch is a change of edges between nodes that a graph has: it is built aside, checked as a
// whole, and applied whole or not at all. Nothing touches the graph before Apply; a patch that is
// refused leaves every byte of it as it was. Sessions see an applied patch at their next run.
//
// Static shapes are not inferred again. Collections, attrs and `loc:@` groups stay.
//
// Threads: a patch belongs to one thread; Apply locks the graph, so that runs compile either the
// old or the new edges.
class RAMET_EXPORT GraphPatch {
 public:
  // The graph must outlive the patch.
  explicit GraphPatch(Graph& graph) : graph_(&graph) {}

  // Input `index` of `op` becomes `input`. Of several calls for one input the last one holds.
  void SetInput(Operation op, int index, Output input);
  // `op` waits for `control`; nothing changes if it does already.
  void AddControlInput(Operation op, Operation control);
  void RemoveControlInput(Operation op, Operation control);

  // Input `index` of `op` as it will be: as set here, else as the graph has it. `op` has that
  // input.
  Output InputOf(Operation op, int index) const;
  bool empty() const { return inputs_.empty() && controls_.empty(); }

  struct Options {
    // Refuses edges that close a cycle. The back edges of loops (NextIteration to Merge) are none.
    bool check_cycles = true;
  };

  // Whether Apply would succeed.
  // \error kInvalidArgument naming the node: a handle is invalid or of another graph; there is no
  //   such input or output; the dtype (references aside) or the static shape of an input does not
  //   fit the tensor that it replaces; a control input to be removed is not there; an edge closes a
  //   cycle. kFailedPrecondition if the graph is finalized.
  Status Check(const Options& options) const;
  Status Check() const { return Check(Options()); }
  // Checks, and changes the graph if all is well. The patch stays as it is.
  // \error as Check.
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
  // The graph's lock is held.
  StatusOr<EdgePlan> Plan(const Options& options) const;

  Graph* graph_;
  std::map<InputKey, Output> inputs_;
  std::vector<ControlChange> controls_;
  std::vector<Operation> foreign_;  // nodes of another graph, which Check refuses
};

}  // namespace ramet
