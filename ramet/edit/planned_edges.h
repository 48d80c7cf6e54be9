#pragma once

#include <unordered_map>
#include <vector>

#include "ramet/graph/graph_data.h"

namespace ramet {

// The planned input edges of a node.
struct PlannedEdges {
  std::vector<Endpoint> inputs;
  std::vector<NodeId> controls;
};

// The edges of a graph with those of some nodes replaced. The graph's lock is held during use.
class EdgePlan {
 public:
  explicit EdgePlan(const GraphData& impl) : impl_(impl) {}

  // Returns the planned edges of a node for editing. They start as its current ones.
  PlannedEdges& Edit(NodeId id);
  const std::unordered_map<NodeId, PlannedEdges>& edited() const { return edited_; }
  const GraphData& impl() const { return impl_; }

  // Returns the producers that a node waits for, without the back edges of loops.
  std::vector<NodeId> Producers(NodeId id) const;

  // Writes the planned edges to the graph. The caller holds its lock for writing.
  void Write(GraphData& impl) const;

 private:
  const GraphData& impl_;
  std::unordered_map<NodeId, PlannedEdges> edited_;
};

// Checks that no new edge of the plan is part of a cycle.
// \error kInvalidArgument: there is such an edge. Names both ends.
Status CheckNoNewCycle(const EdgePlan& plan);

}  // namespace ramet
